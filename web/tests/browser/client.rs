//! Runs `web/tests/client/client.ts`: a client generated from the OpenAPI document calls every route.
//! `npm install --prefix target/client openapi-typescript@7 openapi-fetch@0 typescript@5` brings what it
//! needs.

use crate::Test;
use crate::support::http::get;
use crate::support::program::Program;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const TESTS: &[Test] = tests![a_generated_client_calls_every_route,];

const CLIENT: &str = include_str!("../client/client.ts");

/// The folder of the packages of npm.
fn packages() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/client")
}

/// Whether the packages are installed.
pub(crate) fn can_run() -> bool {
    ["openapi-typescript", "openapi-fetch", "typescript"]
        .iter()
        .all(|name| packages().join("node_modules").join(name).exists())
}

/// Runs a program of the packages, or Node, in the folder of the client.
#[track_caller]
fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let bin = packages().join("node_modules/.bin").join(program);
    let program = if bin.exists() { bin } else { program.into() };
    let output = Command::new(program).args(arguments).current_dir(folder).output();
    let output = output.expect("the program runs");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

fn a_generated_client_calls_every_route() {
    let program = Program::start();
    // Below the packages, so that they are found.
    let folder = packages().join(format!("test-{}", program.address.port()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).expect("a file");
    };
    write("openapi.json", &get(program.address, "/openapi.json").body);
    write("client.ts", CLIENT);
    write("package.json", r#"{ "type": "module" }"#);
    run(&folder, "openapi-typescript", &["openapi.json", "-o", "schema.d.ts"]);
    let options = ["--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"];
    let options = [&options[..], &["--resolveJsonModule", "client.ts"]].concat();
    run(&folder, "tsc", &options);
    run(&folder, "node", &["client.js", &format!("http://{}", program.address)]);
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}

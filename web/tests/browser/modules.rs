//! Runs the tests of the page's modules, `web/tests/modules/`, with Node.

use crate::Test;
use crate::support::Server;
use std::path::Path;
use std::process::Command;

pub(crate) const TESTS: &[Test] = tests![the_modules_of_the_page_pass_their_tests,];

fn the_modules_of_the_page_pass_their_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules");
    let mut tests = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            tests.push(path);
        }
    }
    assert!(tests.len() >= 2, "{tests:?}");
    // They read and write PGN as the page does.
    let server = Server::start();
    let address = format!("http://{}", server.address);
    let mut node = Command::new("node");
    let node = node.env("SAAVEDRA_WEB", address).arg("--test").args(&tests);
    let output = node.output().expect("Node runs");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
}

//! The programs have dependencies with permissive licences only. Development dependencies are not
//! part of them.

use spdx::{Expression, ParseMode};
use std::collections::BTreeSet;
use std::process::Command;

const PERMISSIVE: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

#[test]
fn dependencies_have_permissive_licences() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--workspace", "--locked", "--edges", "normal,build"])
        .args(["--prefix", "none", "--no-dedupe", "--format", "{p};{l}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).expect("text");
    let packages: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let known = |line: &&str| line.starts_with("crossbeam-channel ");
    assert!(packages.iter().any(known), "{packages:?}");
    for line in packages {
        let (_, licence) = line.split_once(';').expect("package;licence");
        let expression = Expression::parse_mode(licence, ParseMode::LAX);
        let expression = expression.unwrap_or_else(|error| panic!("{line}: {error}"));
        let is_permissive = |licence: &str| PERMISSIVE.contains(&licence);
        assert!(expression.evaluate(|licence| is_permissive(&licence.to_string())), "{line}");
    }
}

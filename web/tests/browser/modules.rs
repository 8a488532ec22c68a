//! Runs the tests of the page's modules, `web/tests/modules/`, with Node.

use crate::Test;
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
    let mut node = Command::new("node");
    let output = node.arg("--test").args(&tests).output().expect("Node runs");
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{report}");
}

//! Tests that need programs Cargo does not bring. Without them they count as ignored.
//!
//! Most are of the page in headless Chromium, with the real engine (Debian: `chromium
//! chromium-driver`). With `SAAVEDRA_SCREENSHOTS=DIR` the screenshots of the documentation are
//! saved there.

use libtest_mimic::{Arguments, Trial};
use std::process::{Command, Stdio};

/// A test and its name.
type Test = (&'static str, fn());

/// The tests of a module; one that is not listed is dead code.
macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        &[$((concat!(module_path!(), "::", stringify!($test)), $test as fn())),*]
    };
}

#[path = "../support/mod.rs"]
mod support;

mod accessibility;
mod client;
mod deck;
mod examples;
mod explorer;
mod games;
mod hand;
mod interface;
mod kept;
mod layout;
mod modules;
mod notes;
mod opponent;
mod practice;
mod report;
mod review;
mod seen;
mod share;
mod told;
mod undo;
mod variations;

/// Whether a program is installed.
fn has(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok()
}

fn main() {
    let browser = has("chromedriver");
    let axe = browser && accessibility::axe_path().exists();
    let screenshots = browser && std::env::var("SAAVEDRA_SCREENSHOTS").is_ok();
    let mut trials = Vec::new();
    for (tests, can_run) in [
        (accessibility::TESTS, browser),
        (accessibility::AXE_TESTS, axe),
        (client::TESTS, has("node") && client::can_run()),
        (deck::TESTS, browser),
        (examples::TESTS, has("curl")),
        (explorer::TESTS, browser),
        (games::TESTS, browser),
        (hand::TESTS, browser),
        (interface::TESTS, browser),
        (interface::SCREENSHOTS, screenshots),
        (kept::TESTS, browser),
        (layout::TESTS, browser),
        (modules::TESTS, has("node")),
        (notes::TESTS, browser),
        (opponent::TESTS, browser),
        (practice::TESTS, browser),
        (report::TESTS, browser),
        (review::TESTS, browser),
        (seen::TESTS, browser),
        (share::TESTS, browser),
        (told::TESTS, browser),
        (undo::TESTS, browser),
        (variations::TESTS, browser),
    ] {
        trials.extend(tests.iter().map(|&(name, test)| {
            let run = move || {
                test();
                Ok(())
            };
            Trial::test(name, run).with_ignored_flag(!can_run)
        }));
    }
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    support::webdriver::end_idle();
    conclusion.exit();
}

//! Tests of the page in headless Chromium, with the real engine.
//!
//! Without Chromium and chromedriver (Debian: `chromium chromium-driver`) the tests print that they
//! are skipped. With `SAAVEDRA_SCREENSHOTS=DIR` the screenshots of the documentation are saved
//! there.

#[path = "../support/mod.rs"]
mod support;

mod accessibility;
mod games;
mod interface;
mod opponent;
mod report;
mod review;
mod seen;
mod variations;

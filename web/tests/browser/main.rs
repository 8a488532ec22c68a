//! The page as a person meets it: in headless Chromium, with the real engine behind it.
//!
//! Without Chromium and chromedriver (Debian: `chromium chromium-driver`) the tests say that they are
//! skipped. With `SAAVEDRA_SCREENSHOTS=DIR` the pictures of the documentation are taken anew.

#[path = "../support/mod.rs"]
mod support;

mod look;
mod play;

//! The page as a person has it: a server, a browser before it, and what one does there.

use super::http::{get, post_as};
use super::program::Program;
use super::webdriver::Browser;
use serde_json::Value;
use std::net::SocketAddr;

/// A server, and a browser before its page.
pub struct Scene {
    program: Program,
    pub browser: Browser,
}

/// What stands on a square: `wk`, `bp` … or nothing.
pub type Code = Option<String>;

impl Scene {
    /// Opens the page at this path; none if there is no browser here.
    pub fn open(path: &str) -> Option<Scene> {
        Scene::sized(path, 1280, 900)
    }

    pub fn sized(path: &str, width: u32, height: u32) -> Option<Scene> {
        let browser = Browser::open(width, height)?;
        let scene = Scene {
            program: Program::start(),
            browser,
        };
        scene.go(path);
        Some(scene)
    }

    pub fn address(&self) -> SocketAddr {
        self.program.address
    }

    #[track_caller]
    pub fn go(&self, path: &str) {
        self.browser.go(&format!("http://{}{path}", self.address()));
    }

    #[track_caller]
    pub fn square(&self, name: &str) {
        self.browser.click(&square(name));
    }

    /// Plays a move by clicking, and chooses the piece if it is a promotion.
    #[track_caller]
    pub fn play(&self, uci: &str) {
        let before = self.moves();
        self.square(&uci[..2]);
        self.square(&uci[2..4]);
        if uci.len() == 5 {
            self.browser
                .click(&format!("#promotion [data-uci='{uci}']"));
        }
        self.browser
            .wait(&format!("{uci} is played"), || self.moves() != before);
    }

    #[track_caller]
    pub fn piece(&self, name: &str) -> Code {
        self.browser.attribute(&square(name), "data-piece")
    }

    /// The moves in the list a person reads.
    pub fn moves(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#moves button')].map(b => b.textContent)";
        let list = self.browser.run(script);
        let texts = list.as_array().cloned().unwrap_or_default();
        texts
            .iter()
            .filter_map(|text| text.as_str().map(ToOwned::to_owned))
            .collect()
    }

    #[track_caller]
    pub fn status(&self, text: &str) {
        self.browser
            .wait(text, || self.browser.text("#status").contains(text));
    }

    #[track_caller]
    pub fn message(&self, text: &str) {
        self.browser
            .wait(text, || self.browser.text("#toast").contains(text));
    }

    /// The position the page's own address gives, as the server reads the page.
    pub fn position(&self) -> Value {
        let page = get(self.address(), &self.path()).body;
        let answer = post_as(
            self.address(),
            "/api/v1/moves",
            "text/html",
            page.as_bytes(),
        );
        answer.json()
    }

    pub fn path(&self) -> String {
        let url = self.browser.url();
        url.splitn(4, '/')
            .nth(3)
            .map(|path| format!("/{path}"))
            .unwrap_or_default()
    }

    pub fn shoot(&self, name: &str) {
        let Ok(folder) = std::env::var("SAAVEDRA_SCREENSHOTS") else {
            return;
        };
        let path = std::path::Path::new(&folder).join(name);
        std::fs::write(path, from_base64(&self.browser.screenshot())).expect("the folder is there");
    }

    /// The page must not have complained: no error of a script, nothing the policy forbids.
    #[track_caller]
    pub fn is_quiet(&self) {
        let complaints = self.browser.complaints();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
}

/// The selector of a square.
pub fn square(name: &str) -> String {
    let (col, row) = name.split_at(1);
    format!("#board [data-col='{col}'][data-row='{row}']")
}

fn from_base64(text: &str) -> Vec<u8> {
    const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for digit in text.chars().filter_map(|c| DIGITS.find(c)) {
        bits = (bits << 6) | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// Something stands there.
pub fn some(code: &str) -> Code {
    Some(code.to_owned())
}

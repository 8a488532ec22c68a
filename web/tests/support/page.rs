//! The page in a browser, with the real engine behind it.

use super::http::{get, post_as};
use super::picture::decode_base64;
use super::program::Program;
use super::webdriver::Browser;
use serde_json::Value;
use std::net::SocketAddr;

/// A server and a browser with its page.
pub struct PageTest {
    program: Program,
    pub browser: Browser,
}

/// The `data-piece` of a square, such as `wk` or `bp`; `None` if it is empty.
pub type PieceCode = Option<String>;

impl PageTest {
    /// Opens the page with this path and query.
    pub fn open(path: &str) -> PageTest {
        PageTest::with_size(path, 1280, 900)
    }

    pub fn with_size(path: &str, width: u32, height: u32) -> PageTest {
        PageTest::with(path, width, height, &[])
    }

    /// Opens the page of a program with these arguments.
    pub fn with_arguments(path: &str, arguments: &[&str]) -> PageTest {
        PageTest::with(path, 1280, 900, arguments)
    }

    /// Opens the page in a browser without WebAssembly: it asks the server for moves and positions.
    pub fn without_web_assembly(path: &str) -> PageTest {
        let page = PageTest::of(1280, 900, &[]);
        page.browser.run_before_pages("delete globalThis.WebAssembly");
        page.go(path);
        page
    }

    fn with(path: &str, width: u32, height: u32, arguments: &[&str]) -> PageTest {
        let page = PageTest::of(width, height, arguments);
        page.go(path);
        page
    }

    fn of(width: u32, height: u32, arguments: &[&str]) -> PageTest {
        let browser = Browser::open(width, height);
        PageTest { program: Program::with(arguments), browser }
    }

    /// Kills the server.
    pub fn end_server(&mut self) {
        self.program.end();
    }

    /// Stops the server from answering, until `resume_server`.
    pub fn pause_server(&self) {
        self.program.signal("STOP");
    }

    pub fn resume_server(&self) {
        self.program.signal("CONT");
    }

    /// Starts the server again.
    pub fn restart_server(&mut self) {
        self.program = Program::at(self.address());
    }

    pub fn address(&self) -> SocketAddr {
        self.program.address
    }

    #[track_caller]
    pub fn go(&self, path: &str) {
        self.browser.go(&format!("http://{}{path}", self.address()));
    }

    #[track_caller]
    pub fn click_square(&self, name: &str) {
        self.browser.click(&square(name));
    }

    /// Plays a move by clicking, including the choice of a promotion.
    #[track_caller]
    pub fn play(&self, uci: &str) {
        let before = self.moves();
        self.click_square(&uci[..2]);
        self.click_square(&uci[2..4]);
        if uci.len() == 5 {
            self.browser.click(&format!("#promotion [data-uci='{uci}']"));
        }
        self.browser.wait(&format!("{uci} is played"), || self.moves() != before);
    }

    /// Shows the panel of a tab.
    #[track_caller]
    pub fn tab(&self, name: &str) {
        self.browser.click(&format!("#tab-{name}"));
    }

    /// The rectangle of an element in the window: left, top, right, bottom.
    pub fn rectangle(&self, selector: &str) -> [f64; 4] {
        let selector = Value::from(selector);
        let script = format!(
            "const r = document.querySelector({selector}).getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]"
        );
        let value = self.browser.run(&script);
        [0, 1, 2, 3].map(|i| value[i].as_f64().unwrap_or(f64::NAN))
    }

    /// Asserts that all of an element is on a screen of this width and height.
    pub fn assert_in_view(&self, selector: &str, (width, height): (u32, u32)) {
        let [left, top, right, bottom] = self.rectangle(selector);
        assert!(
            left >= 0.0 && top >= 0.0 && right <= f64::from(width) && bottom <= f64::from(height),
            "{selector} at {width} × {height}: {left} {top} {right} {bottom}"
        );
    }

    /// The names of all tabs.
    pub fn tabs(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('[role=tab]')].map((t) => t.id.slice(4))";
        let names = self.browser.run(script);
        serde_json::from_value(names).expect("a list of names")
    }

    /// Starts a new game with the settings of the dialog.
    #[track_caller]
    pub fn new_game(&self) {
        self.tab("play");
        self.browser.click("#new");
        self.browser.click("#new-start");
    }

    /// Changes settings of the dialog for a new game, by their selectors and values, and plays on with them.
    #[track_caller]
    pub fn play_on_with(&self, settings: &[(&str, &str)]) {
        self.tab("play");
        self.browser.click("#new");
        for (selector, value) in settings {
            self.browser.select(selector, value);
        }
        self.browser.click("#new-apply");
    }

    /// Reviews the game until its summary is shown.
    #[track_caller]
    pub fn review(&self) {
        self.tab("review");
        self.browser.click("#review");
        self.browser
            .wait("the summary is shown", || self.browser.text("#summary").contains("accurate"));
    }

    /// Loads a FEN or PGN by the box for it.
    #[track_caller]
    pub fn load(&self, text: &str) {
        self.tab("files");
        self.browser.set_value("#pgn", text);
        self.browser.click("#load-row button");
    }

    /// Takes the focus from its element, so that keys are for the page.
    pub fn blur(&self) {
        self.browser.run("document.activeElement.blur()");
    }

    /// Plays a move that the move list already has.
    #[track_caller]
    pub fn play_existing(&self, uci: &str) {
        self.click_square(&uci[..2]);
        self.click_square(&uci[2..4]);
        self.browser.wait(&format!("{uci} is shown"), || self.piece(&uci[..2]).is_none());
    }

    /// Clicks a move of the move list.
    #[track_caller]
    pub fn click_move(&self, san: &str) {
        let script = format!(
            "[...document.querySelectorAll('#moves button')].find((b) => b.textContent === '{san}').click()"
        );
        self.browser.run(&script);
    }

    #[track_caller]
    pub fn piece(&self, name: &str) -> PieceCode {
        self.browser.attribute(&square(name), "data-piece")
    }

    /// The texts of the move list.
    pub fn moves(&self) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll('#moves button')].map(b => b.textContent)";
        let list = self.browser.run(script);
        let texts = list.as_array().cloned().unwrap_or_default();
        texts.iter().filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect()
    }

    /// Waits for a text in the status line.
    #[track_caller]
    pub fn wait_for_status(&self, text: &str) {
        self.browser.wait(text, || self.browser.text("#status").contains(text));
    }

    /// Waits for a message.
    #[track_caller]
    pub fn wait_for_message(&self, text: &str) {
        self.browser.wait(text, || self.browser.text("#toast").contains(text));
    }

    /// The position that the server renders for the page's current URL.
    pub fn position(&self) -> Value {
        let page = get(self.address(), &self.path()).body;
        let response = post_as(self.address(), "/api/v1/moves", "text/html", page.as_bytes());
        response.json()
    }

    /// Path and query of the page's current URL.
    pub fn path(&self) -> String {
        let url = self.browser.url();
        url.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap_or_default()
    }

    /// Saves a screenshot if `SAAVEDRA_SCREENSHOTS` names a folder.
    pub fn screenshot(&self, name: &str) {
        let Ok(folder) = std::env::var("SAAVEDRA_SCREENSHOTS") else {
            return;
        };
        let path = std::path::Path::new(&folder).join(name);
        let png = decode_base64(&self.browser.screenshot());
        std::fs::write(path, png).expect("the folder exists");
    }

    /// Checks that the console has no errors: of scripts or of the content security policy.
    #[track_caller]
    pub fn assert_no_console_errors(&self) {
        let errors = self.browser.console_errors();
        assert!(errors.is_empty(), "{errors:?}");
    }
}

/// The selector of a square.
pub fn square(name: &str) -> String {
    let (col, row) = name.split_at(1);
    format!("#board [data-col='{col}'][data-row='{row}']")
}

/// The code of an occupied square.
pub fn piece(code: &str) -> PieceCode {
    Some(code.to_owned())
}

//! A browser to look at the page with: headless Chromium, driven by WebDriver over `chromedriver`.

use super::http::request;
use super::skip;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What names an element in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// Whatever a test waits for is there by then: ten times what the slowest should take.
const LIVENESS: Duration = Duration::from_secs(60);

/// A browser window.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
}

impl Browser {
    /// Opens a window of this size; none, and a word about it, if there is no Chromium here.
    pub fn open(width: u32, height: u32) -> Option<Browser> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            skip("tests of the page: no chromedriver here (Debian: chromium chromium-driver)");
            return None;
        };
        let out = driver.stdout.take().expect("an output");
        let port = BufReader::new(out)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| {
                line.split_once("successfully on port ")?
                    .1
                    .trim_end_matches('.')
                    .parse::<u16>()
                    .ok()
            });
        let address =
            SocketAddr::from(([127, 0, 0, 1], port.expect("chromedriver tells its port")));
        let mut browser = Browser {
            driver,
            address,
            session: String::new(),
        };
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
            "--lang=en",
            &format!("--window-size={width},{height}"),
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let answer = browser.raw("POST", "/session", &capabilities);
        match answer["sessionId"].as_str() {
            Some(id) => browser.session = id.to_owned(),
            None => {
                skip(&format!(
                    "tests of the page: chromedriver opens no Chromium: {answer}"
                ));
                return None;
            }
        }
        Some(browser)
    }

    fn raw(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let headers = [("Content-Type", "application/json")];
        let answer = request(self.address, method, path, &headers, body.as_bytes());
        answer.json()["value"].clone()
    }

    /// A command of the session; a test fails if the browser refuses.
    #[track_caller]
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let value = self.raw(method, &format!("/session/{}{path}", self.session), body);
        assert!(
            value.get("error").is_none(),
            "{method} {path} {body}: {value}"
        );
        value
    }

    /// Goes to an address and waits for the page's script.
    #[track_caller]
    pub fn go(&self, url: &str) {
        self.command("POST", "/url", &json!({ "url": url }));
        self.wait("the page is ready", || {
            self.run("return document.body.dataset.ready === 'true'") == json!(true)
        });
    }

    /// The present address.
    pub fn url(&self) -> String {
        self.command("GET", "/url", &json!({}))
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Runs a script's body and returns what it returns.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.command(
            "POST",
            "/execute/sync",
            &json!({"script": script, "args": []}),
        )
    }

    /// The element of a CSS selector.
    #[track_caller]
    fn find(&self, selector: &str) -> String {
        let query = json!({"using": "css selector", "value": selector});
        let value = self.command("POST", "/element", &query);
        value[ELEMENT].as_str().expect("an element").to_owned()
    }

    /// Clicks as a person does: what is hidden or covered cannot be clicked.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.command("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Types into a field, after emptying it.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.command("POST", &format!("/element/{element}/clear"), &json!({}));
        self.command(
            "POST",
            &format!("/element/{element}/value"),
            &json!({ "text": text }),
        );
    }

    /// Chooses an entry of a list by its value.
    #[track_caller]
    pub fn choose(&self, selector: &str, value: &str) {
        self.click(&format!("{selector} option[value='{value}']"));
    }

    /// Presses keys on whatever has the focus.
    #[track_caller]
    pub fn press(&self, keys: &[&str]) {
        let strokes = keys.iter().flat_map(|key| {
            let code = match *key {
                "Enter" => "\u{E007}",
                "Escape" => "\u{E00C}",
                "ArrowLeft" => "\u{E012}",
                "ArrowUp" => "\u{E013}",
                "ArrowRight" => "\u{E014}",
                "ArrowDown" => "\u{E015}",
                "Home" => "\u{E011}",
                "End" => "\u{E010}",
                other => other,
            };
            [
                json!({"type": "keyDown", "value": code}),
                json!({"type": "keyUp", "value": code}),
            ]
        });
        let actions =
            [json!({"type": "key", "id": "keys", "actions": strokes.collect::<Vec<_>>()})];
        self.command("POST", "/actions", &json!({ "actions": actions }));
    }

    /// Drags with the mouse from the middle of one element to the middle of another.
    #[track_caller]
    pub fn drag(&self, from: &str, to: &str) {
        self.drag_by("mouse", from, to);
    }

    /// Drags with a finger.
    #[track_caller]
    pub fn drag_by_finger(&self, from: &str, to: &str) {
        self.drag_by("touch", from, to);
    }

    #[track_caller]
    fn drag_by(&self, kind: &str, from: &str, to: &str) {
        let at = |selector: &str| json!({ ELEMENT: self.find(selector) });
        let to_place = |selector: &str, duration: u32| json!({"type": "pointerMove", "duration": duration, "origin": at(selector), "x": 0, "y": 0});
        let steps = [
            to_place(from, 0),
            json!({"type": "pointerDown", "button": 0}),
            to_place(to, 80),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let pointer = json!({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps});
        self.command("POST", "/actions", &json!({ "actions": [pointer] }));
    }

    /// Makes the system prefer these colours: `light` or `dark`.
    #[track_caller]
    pub fn prefer(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let command =
            json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
        self.command("POST", "/goog/cdp/execute", &command);
    }

    /// What assistive software takes an element for.
    #[track_caller]
    pub fn role(&self, selector: &str) -> String {
        let element = self.find(selector);
        let value = self.command(
            "GET",
            &format!("/element/{element}/computedrole"),
            &json!({}),
        );
        value.as_str().unwrap_or_default().to_owned()
    }

    /// The text a person sees in an element.
    #[track_caller]
    pub fn text(&self, selector: &str) -> String {
        let element = self.find(selector);
        let value = self.command("GET", &format!("/element/{element}/text"), &json!({}));
        value.as_str().unwrap_or_default().to_owned()
    }

    /// An attribute of an element.
    #[track_caller]
    pub fn attribute(&self, selector: &str, name: &str) -> Option<String> {
        let element = self.find(selector);
        let value = self.command(
            "GET",
            &format!("/element/{element}/attribute/{name}"),
            &json!({}),
        );
        value.as_str().map(ToOwned::to_owned)
    }

    /// A property of an element, such as a field's value.
    #[track_caller]
    pub fn property(&self, selector: &str, name: &str) -> Value {
        let element = self.find(selector);
        self.command(
            "GET",
            &format!("/element/{element}/property/{name}"),
            &json!({}),
        )
    }

    /// What assistive software calls an element.
    #[track_caller]
    pub fn label(&self, selector: &str) -> String {
        let element = self.find(selector);
        let value = self.command(
            "GET",
            &format!("/element/{element}/computedlabel"),
            &json!({}),
        );
        value.as_str().unwrap_or_default().to_owned()
    }

    /// How many elements a selector finds.
    #[track_caller]
    pub fn count(&self, selector: &str) -> usize {
        let query = json!({"using": "css selector", "value": selector});
        self.command("POST", "/elements", &query)
            .as_array()
            .map_or(0, Vec::len)
    }

    /// Sets the window's size.
    pub fn resize(&self, width: u32, height: u32) {
        self.command(
            "POST",
            "/window/rect",
            &json!({"width": width, "height": height}),
        );
    }

    /// A picture of the window, as the text of a PNG in base 64.
    pub fn screenshot(&self) -> String {
        self.command("GET", "/screenshot", &json!({}))
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// What the page complained of on the console.
    pub fn complaints(&self) -> Vec<Value> {
        let path = format!("/session/{}/se/log", self.session);
        let log = self.raw("POST", &path, &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries
            .into_iter()
            .filter(|entry| entry["level"] == "SEVERE")
            .collect()
    }

    /// Waits until something holds.
    #[track_caller]
    pub fn wait(&self, what: &str, mut holds: impl FnMut() -> bool) {
        let deadline = Instant::now() + LIVENESS;
        while !holds() {
            if Instant::now() > deadline {
                let status = self.run("return document.getElementById('status')?.textContent");
                let toast = self.run("return document.getElementById('toast')?.textContent");
                panic!(
                    "never: {what}; status {status}, message {toast}, {:?}",
                    self.complaints()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // It may have gone by itself: nothing to do about that.
            let path = format!("/session/{}", self.session);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                self.raw("DELETE", &path, &json!({}))
            }));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

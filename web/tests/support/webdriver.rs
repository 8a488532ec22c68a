//! Headless Chromium, driven by WebDriver through `chromedriver`.

use super::http::request;
use super::picture::Picture;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The key of an element reference in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// How often chromedriver is started until it has a port.
const DRIVER_STARTS: usize = 10;
/// Timeout of every wait: ten times the time of the slowest.
const LIVENESS: Duration = Duration::from_secs(60);

/// Starts chromedriver and returns it with its port.
///
/// It chooses a free port for IPv4 and then needs the same one for IPv6. If another process takes
/// that in between, it ends without a port, and is started again.
fn start_driver() -> (Child, u16) {
    for _ in 0..DRIVER_STARTS {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let out = driver.stdout.take().expect("an output");
        if let Some(port) = port(BufReader::new(out)) {
            return (driver, port);
        }
        driver.wait().expect("chromedriver has ended");
    }
    panic!("chromedriver ended {DRIVER_STARTS} times before it printed its port");
}

/// The port in the first lines that chromedriver prints.
fn port(out: impl BufRead) -> Option<u16> {
    out.lines().map_while(Result::ok).find_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    })
}

/// The browsers that no test uses. Starting one takes longer than most tests.
static IDLE: Mutex<Vec<Session>> = Mutex::new(Vec::new());

/// Ends the browsers that no test uses.
pub fn end_idle() {
    IDLE.lock().expect("no panic while locked").clear();
}

/// A browser with the chromedriver that drives it; ended when dropped.
struct Session {
    driver: Child,
    address: SocketAddr,
    id: String,
}

impl Session {
    fn start() -> Session {
        let (driver, port) = start_driver();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let mut session = Session { driver, address, id: String::new() };
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--force-device-scale-factor=1",
            "--lang=en",
        ];
        let capabilities = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let answer = session.raw("POST", "/session", &capabilities);
        let id = answer["sessionId"].as_str();
        session.id = id.unwrap_or_else(|| panic!("{answer}")).to_owned();
        session
    }

    fn raw(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let headers = [("Content-Type", "application/json")];
        let answer = request(self.address, method, path, &headers, body.as_bytes());
        answer.json()["value"].clone()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.id.is_empty() {
            // The session may already have ended.
            let path = format!("/session/{}", self.id);
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                self.raw("DELETE", &path, &json!({}))
            }));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// A window of a browser, new for each test: without history, storage of the session, emulation.
pub struct Browser {
    /// `None` while it is dropped.
    session: Option<Session>,
}

impl Browser {
    /// Opens a window of this size.
    pub fn open(width: u32, height: u32) -> Browser {
        let idle = IDLE.lock().expect("no panic while locked").pop();
        let browser = Browser { session: Some(idle.unwrap_or_else(Session::start)) };
        let window = browser.command("POST", "/window/new", &json!({"type": "window"}));
        browser.command("DELETE", "/window", &json!({}));
        browser.command("POST", "/window", &json!({"handle": window["handle"]}));
        browser.resize(width, height);
        browser.console_errors();
        browser
    }

    fn session(&self) -> &Session {
        self.session.as_ref().expect("a session until it is dropped")
    }

    /// Sends a command of the session; panics on an error.
    #[track_caller]
    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let session = self.session();
        let value = session.raw(method, &format!("/session/{}{path}", session.id), body);
        assert!(value.get("error").is_none(), "{method} {path} {body}: {value}");
        value
    }

    /// Opens a URL and waits until the script of the page is ready.
    #[track_caller]
    pub fn go(&self, url: &str) {
        self.command("POST", "/url", &json!({ "url": url }));
        self.wait_until_ready();
    }

    /// Loads the page again.
    #[track_caller]
    pub fn reload(&self) {
        self.command("POST", "/refresh", &json!({}));
        self.wait_until_ready();
    }

    #[track_caller]
    fn wait_until_ready(&self) {
        self.wait("the page is ready", || {
            self.run("return document.body.dataset.ready === 'true'") == json!(true)
        });
    }

    /// The current URL.
    pub fn url(&self) -> String {
        self.command("GET", "/url", &json!({})).as_str().unwrap_or_default().to_owned()
    }

    /// Runs the body of a function and returns its result.
    #[track_caller]
    pub fn run(&self, script: &str) -> Value {
        self.command("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Runs the body of an asynchronous function and returns its result.
    #[track_caller]
    pub fn run_async(&self, script: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1]; (async () => {{ {script} }})().then(done, (e) => done(String(e)))"
        );
        let body = json!({"script": script, "args": []});
        self.command("POST", "/execute/async", &body)
    }

    /// Runs a script in every page from now on, before its own ones.
    #[track_caller]
    pub fn run_before_pages(&self, script: &str) {
        let command =
            json!({"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": script}});
        self.command("POST", "/goog/cdp/execute", &command);
    }

    /// Sets the value of a field at once, as pasting does.
    #[track_caller]
    pub fn set_value(&self, selector: &str, text: &str) {
        let script = format!(
            "const e = document.querySelector({}); e.value = {}; e.dispatchEvent(new Event('input', {{ bubbles: true }}))",
            json!(selector),
            json!(text)
        );
        self.run(&script);
    }

    /// Types into a field without clearing it first.
    #[track_caller]
    pub fn type_into(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.command("POST", &format!("/element/{element}/value"), &json!({ "text": text }));
    }

    /// The element of a CSS selector.
    #[track_caller]
    fn find(&self, selector: &str) -> String {
        let query = json!({"using": "css selector", "value": selector});
        let value = self.command("POST", "/element", &query);
        value[ELEMENT].as_str().expect("an element").to_owned()
    }

    /// Clicks an element; fails if it is hidden or covered.
    #[track_caller]
    pub fn click(&self, selector: &str) {
        let element = self.find(selector);
        self.command("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Clears a field and types into it.
    #[track_caller]
    pub fn fill(&self, selector: &str, text: &str) {
        let element = self.find(selector);
        self.command("POST", &format!("/element/{element}/clear"), &json!({}));
        self.command("POST", &format!("/element/{element}/value"), &json!({ "text": text }));
    }

    /// Selects an option by its value.
    #[track_caller]
    pub fn select(&self, selector: &str, value: &str) {
        self.click(&format!("{selector} option[value='{value}']"));
    }

    /// Presses keys; the focused element receives them.
    #[track_caller]
    pub fn press(&self, keys: &[&str]) {
        let strokes = keys.iter().flat_map(|key| {
            let code = match *key {
                "Enter" => "\u{E007}",
                "Escape" => "\u{E00C}",
                "ArrowLeft" => "\u{E012}",
                "ArrowUp" => "\u{E013}",
                "ArrowRight" => "\u{E014}",
                "Home" => "\u{E011}",
                "End" => "\u{E010}",
                "ArrowDown" => "\u{E015}",
                "Tab" => "\u{E004}",
                "Space" => " ",
                other => other,
            };
            [json!({"type": "keyDown", "value": code}), json!({"type": "keyUp", "value": code})]
        });
        let actions =
            [json!({"type": "key", "id": "keys", "actions": strokes.collect::<Vec<_>>()})];
        self.command("POST", "/actions", &json!({ "actions": actions }));
    }

    /// Presses a letter with Control, and with Shift if it is a capital.
    #[track_caller]
    pub fn press_with_control(&self, letter: char) {
        let mut held = vec!["\u{E009}".to_owned()];
        if letter.is_uppercase() {
            held.push("\u{E008}".to_owned());
        }
        held.push(letter.to_lowercase().to_string());
        let down = held.iter().map(|key| json!({"type": "keyDown", "value": key}));
        let up = held.iter().rev().map(|key| json!({"type": "keyUp", "value": key}));
        let strokes: Vec<Value> = down.chain(up).collect();
        let actions = [json!({"type": "key", "id": "keys", "actions": strokes})];
        self.command("POST", "/actions", &json!({ "actions": actions }));
    }

    /// Drags with the mouse from the centre of one element to the centre of another.
    #[track_caller]
    pub fn drag(&self, from: &str, to: &str) {
        self.drag_with("mouse", from, to);
    }

    /// Drags by touch.
    #[track_caller]
    pub fn touch_drag(&self, from: &str, to: &str) {
        self.drag_with("touch", from, to);
    }

    #[track_caller]
    fn drag_with(&self, kind: &str, from: &str, to: &str) {
        let at = |selector: &str| json!({ ELEMENT: self.find(selector) });
        let move_to = |selector: &str, duration: u32| json!({"type": "pointerMove", "duration": duration, "origin": at(selector), "x": 0, "y": 0});
        let steps = [
            move_to(from, 0),
            json!({"type": "pointerDown", "button": 0}),
            move_to(to, 80),
            json!({"type": "pointerUp", "button": 0}),
        ];
        let pointer = json!({"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps});
        self.command("POST", "/actions", &json!({ "actions": [pointer] }));
    }

    /// Presses the right button on one element and releases it on another.
    #[track_caller]
    pub fn right_drag(&self, from: &str, to: &str) {
        let at = |selector: &str| json!({ ELEMENT: self.find(selector) });
        let steps = [
            json!({"type": "pointerMove", "duration": 0, "origin": at(from), "x": 0, "y": 0}),
            json!({"type": "pointerDown", "button": 2}),
            json!({"type": "pointerMove", "duration": 50, "origin": at(to), "x": 0, "y": 0}),
            json!({"type": "pointerUp", "button": 2}),
        ];
        let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps});
        self.command("POST", "/actions", &json!({ "actions": [pointer] }));
    }

    /// Turns the wheel over an element; downwards if `pixels` is positive.
    #[track_caller]
    pub fn turn_wheel(&self, selector: &str, pixels: i32) {
        let origin = json!({ ELEMENT: self.find(selector) });
        let step = json!({"type": "scroll", "origin": origin, "x": 0, "y": 0, "deltaX": 0, "deltaY": pixels, "duration": 0});
        let wheel = json!({"type": "wheel", "id": "wheel", "actions": [step]});
        self.command("POST", "/actions", &json!({ "actions": [wheel] }));
    }

    /// Emulates a screen of this size, also one smaller than a window may be.
    #[track_caller]
    pub fn emulate_screen(&self, width: u32, height: u32) {
        let parameters =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": true});
        let command = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": parameters});
        self.command("POST", "/goog/cdp/execute", &command);
    }

    /// Emulates paper.
    pub fn emulate_print(&self) {
        let command = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}});
        self.command("POST", "/goog/cdp/execute", &command);
    }

    /// Emulates the wish for less motion.
    #[track_caller]
    pub fn reduce_motion(&self) {
        let features = json!([{"name": "prefers-reduced-motion", "value": "reduce"}]);
        let command =
            json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
        self.command("POST", "/goog/cdp/execute", &command);
    }

    /// A picture of an element as it is seen.
    #[track_caller]
    pub fn picture(&self, selector: &str) -> Picture {
        let element = self.find(selector);
        let path = format!("/element/{element}/screenshot");
        let value = self.command("GET", &path, &json!({}));
        Picture::from_base64(value.as_str().unwrap_or_default())
    }

    /// Emulates the colour scheme of the system: `light` or `dark`.
    #[track_caller]
    pub fn set_color_scheme(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        let command =
            json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
        self.command("POST", "/goog/cdp/execute", &command);
    }

    /// The computed ARIA role of an element.
    #[track_caller]
    pub fn role(&self, selector: &str) -> String {
        let element = self.find(selector);
        let value = self.command("GET", &format!("/element/{element}/computedrole"), &json!({}));
        value.as_str().unwrap_or_default().to_owned()
    }

    /// The visible text of an element.
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
        let value =
            self.command("GET", &format!("/element/{element}/attribute/{name}"), &json!({}));
        value.as_str().map(ToOwned::to_owned)
    }

    /// A property of an element, such as the value of a field.
    #[track_caller]
    pub fn property(&self, selector: &str, name: &str) -> Value {
        let element = self.find(selector);
        self.command("GET", &format!("/element/{element}/property/{name}"), &json!({}))
    }

    /// The computed accessible name of an element.
    #[track_caller]
    pub fn label(&self, selector: &str) -> String {
        let element = self.find(selector);
        let value = self.command("GET", &format!("/element/{element}/computedlabel"), &json!({}));
        value.as_str().unwrap_or_default().to_owned()
    }

    /// The number of elements that match a selector.
    #[track_caller]
    pub fn count(&self, selector: &str) -> usize {
        let query = json!({"using": "css selector", "value": selector});
        self.command("POST", "/elements", &query).as_array().map_or(0, Vec::len)
    }

    /// Sets the size of the window.
    pub fn resize(&self, width: u32, height: u32) {
        self.command("POST", "/window/rect", &json!({"width": width, "height": height}));
    }

    /// A screenshot as a PNG in base64.
    pub fn screenshot(&self) -> String {
        self.command("GET", "/screenshot", &json!({})).as_str().unwrap_or_default().to_owned()
    }

    /// The errors in the console.
    pub fn console_errors(&self) -> Vec<Value> {
        let log = self.command("POST", "/se/log", &json!({"type": "browser"}));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.into_iter().filter(|entry| entry["level"] == "SEVERE").collect()
    }

    /// Waits until a condition holds.
    #[track_caller]
    pub fn wait(&self, what: &str, mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + LIVENESS;
        while !condition() {
            if Instant::now() > deadline {
                let status = self.run("return document.getElementById('status')?.textContent");
                let toast = self.run("return document.getElementById('toast')?.textContent");
                panic!(
                    "timeout: {what}; status {status}, message {toast}, {:?}",
                    self.console_errors()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // After a failure, another test gets a fresh one.
        if let Some(session) = self.session.take()
            && !std::thread::panicking()
        {
            IDLE.lock().expect("no panic while locked").push(session);
        }
    }
}

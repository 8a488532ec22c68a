//! The functions that JavaScript calls, and those it provides.
//!
//! A text goes in by [`input`], which returns where JavaScript writes its UTF-8 bytes, and comes
//! out by `print` or `answer`, which are given where it stands. So no pointer is read here.
//! `unsafe` occurs in the declarations: of the names, and of the functions of JavaScript.

#![allow(unsafe_code)]

use saavedra::engine::{DEFAULT_HASH, Engine, EngineError, Platform, embedded_evaluation};
use saavedra::search::clock::Clock;
use saavedra::uci::{LineSession, Next, Signal};
use saavedra_api::engine::RequestEngine;
use saavedra_api::request;
use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

// SAFETY: these are the functions that `instantiate` in `npm/module.js` provides. The pointers they
// are given are of texts that live during the call; they keep none and write nothing.
#[link(wasm_import_module = "saavedra")]
unsafe extern "C" {
    /// Milliseconds since 1970, monotonic.
    safe fn now() -> f64;
    /// Prints UTF-8 text: one or more lines.
    safe fn print(text: *const u8, length: usize);
    /// Takes a message of the engine as UTF-8 JSON.
    safe fn post(text: *const u8, length: usize);
    /// Takes the UTF-8 answer to a request.
    safe fn answer(text: *const u8, length: usize);
    /// The signal to a running search: 0 none, 1 `stop`, 2 `ponderhit`.
    safe fn signal() -> i32;
    /// Reports that the program has failed.
    safe fn fail(text: *const u8, length: usize);
}

thread_local! {
    /// The text of the next call.
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The UCI session, made when the first line comes.
    static SESSION: RefCell<Option<LineSession<Output>>> = const { RefCell::new(None) };
    /// The engine that is asked with JSON, made when the first request comes.
    static ENGINE: RefCell<Option<RequestEngine>> = const { RefCell::new(None) };
}

/// Makes room for a text of this length, and returns where it is to be written.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        input.clear();
        input.resize(length, 0);
        input.as_mut_ptr()
    })
}

/// Takes the text that was written.
fn take_input() -> String {
    let bytes = INPUT.take();
    String::from_utf8(bytes).unwrap_or_else(|e| String::from_utf8_lossy(e.as_bytes()).into_owned())
}

/// Executes the input as a UCI line. Returns 0 after `quit`, 1 if it was executed, 2 if it was
/// refused and has changed nothing.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn uci() -> i32 {
    let line = take_input();
    SESSION.with_borrow_mut(|session| {
        if session.is_none() {
            report_panics();
            let new_session = |engine| LineSession::new(platform(), engine, Output);
            *session = new_engine().map(new_session);
        }
        match session.as_mut().map(|s| s.execute(&line, next_signal)) {
            None | Some(Next::Quit) => 0,
            Some(Next::Refused) => 2,
            Some(_) => 1,
        }
    })
}

/// Answers the input as a request about positions and games.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn request() {
    report_panics();
    let text = with_request(request::answer);
    answer(text.as_ptr(), text.len());
}

/// Executes the input as a request to the engine, which posts its answer.
// SAFETY: no other function of the module has this name.
#[unsafe(no_mangle)]
extern "C" fn engine() {
    report_panics();
    ENGINE.with_borrow_mut(|engine| {
        if engine.is_none() {
            *engine = new_engine().map(RequestEngine::new);
        }
        let Some(engine) = engine else { return };
        let is_stopped = || matches!(next_signal(), Some(Signal::Stop));
        let post = |text: &str| post(text.as_ptr(), text.len());
        with_request(|name, fields| engine.execute(name, fields, is_stopped, post));
    });
}

/// A request is a line with its name, then its fields.
fn with_request<T>(execute: impl FnOnce(&str, &str) -> T) -> T {
    let input = take_input();
    let (name, fields) = input.split_once('\n').unwrap_or((&input, ""));
    execute(name, fields)
}

fn platform() -> Platform {
    Platform { clock: Arc::new(HostClock), has_threads: false }
}

fn new_engine() -> Option<Engine> {
    let engine = embedded_evaluation()
        .and_then(|evaluation| Engine::with_platform(platform(), 1, DEFAULT_HASH, evaluation));
    let report = |error: &EngineError| {
        let text = error.to_string();
        fail(text.as_ptr(), text.len());
    };
    engine.inspect_err(report).ok()
}

fn report_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.to_string();
        fail(text.as_ptr(), text.len());
    }));
}

fn next_signal() -> Option<Signal> {
    match signal() {
        1 => Some(Signal::Stop),
        2 => Some(Signal::PonderHit),
        _ => None,
    }
}

/// The clock of JavaScript.
struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Duration {
        Duration::from_secs_f64(now().max(0.0) / 1000.0)
    }
}

/// The output of the session.
struct Output;

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        print(bytes.as_ptr(), bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! What the tests of the web service share.
#![allow(dead_code, unreachable_pub, reason = "each test program uses its part")]

pub mod http;
pub mod program;
pub mod scene;
pub mod stub;
pub mod vanish;
pub mod webdriver;

use saavedra_web::{App, Config, server};
use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Once};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A server in this process, with the stub for an engine; it stops when dropped.
pub struct Server {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// With the default settings and two engines.
    pub fn start() -> Server {
        Server::with(|_| {})
    }

    /// With settings of the test's own.
    pub fn with(change: impl FnOnce(&mut Config)) -> Server {
        let mut config = Config {
            workers: Some(2),
            ..Config::default()
        };
        change(&mut config);
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
                    .await
                    .expect("a port");
                tell.send(listener.local_addr().expect("an address"))
                    .expect("the test waits");
                let app = App::start(config, Arc::new(stub::StubFactory)).expect("engines");
                server::serve(app, listener, async { drop(stopped.await) }).await;
            });
        });
        let address = told.recv().expect("the server starts");
        Server {
            address,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Tells it to stop and waits for its end.
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            assert!(thread.join().is_ok(), "the server panicked");
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Says, once and past the capture of what tests print, that something is left out here and why.
pub fn skip(what: &str) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        // Without a place to say it there is nobody to hear it.
        let _ = writeln!(std::io::stderr(), "skipped: {what}");
    });
}

/// Waits until something holds; a test fails if that takes unreasonably long.
#[track_caller]
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

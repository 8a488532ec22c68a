//! Helpers shared by the tests of the web service.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part of it")]

pub mod disconnect;
pub mod http;
pub mod page;
pub mod picture;
pub mod program;
pub mod python;
pub mod stub;
pub mod webdriver;

use saavedra_web::{App, Config, server};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// A server in this process with the stub as its engine; stopped when dropped.
pub struct Server {
    pub address: SocketAddr,
    /// The factory of its engines.
    pub factory: stub::StubFactory,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts with the default settings and two engines.
    pub fn start() -> Server {
        Server::with(|_| {})
    }

    /// Starts with changed settings.
    pub fn with(change: impl FnOnce(&mut Config)) -> Server {
        let mut config = Config { workers: Some(2), ..Config::default() };
        change(&mut config);
        let factory = stub::StubFactory::default();
        let engines = Arc::new(factory.clone());
        let (stop, stopped) = oneshot::channel();
        let (address_sender, address_receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let mut builder = tokio::runtime::Builder::new_multi_thread();
            let runtime = builder.worker_threads(2).enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
                let address = listener.local_addr().expect("an address");
                address_sender.send(address).expect("the test waits");
                let app = App::start(config, engines).expect("engines");
                server::serve(app, listener, async { drop(stopped.await) }).await;
            });
        });
        let address = address_receiver.recv().expect("the server starts");
        Server { address, factory, stop: Some(stop), thread: Some(thread) }
    }

    /// Stops the server and waits for its end; fails after thirty seconds.
    #[track_caller]
    pub fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            wait_until("the server ends", || thread.is_finished());
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

/// Waits until a condition holds; fails after thirty seconds.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "timeout: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

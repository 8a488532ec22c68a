//! Load tests with the real engine: throughput, latency, memory.
//!
//! Not part of the normal run, since they occupy two cores for over a minute:
//! `cargo test --release -p saavedra-web --test api -- load:: --ignored --nocapture --test-threads 1`

use crate::support::disconnect::thousand_clients;
use crate::support::http::{Connection, metric};
use crate::support::program::Program;
use crate::support::wait_until;
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

const MOVETIME: Duration = Duration::from_millis(50);
const CLIENTS: usize = 200;
const MEASURED_TIME: Duration = Duration::from_secs(60);
const WARM_UP: Duration = Duration::from_secs(5);

/// The observations of all clients.
#[derive(Default)]
struct Observations {
    answered: AtomicU64,
    refused: AtomicU64,
    errors: Mutex<Vec<String>>,
    /// Response times beyond move time and reported queue time.
    delays: Mutex<Vec<Duration>>,
}

/// Requests best moves over one connection until `stop` is set; obeys Retry-After.
fn client(
    address: SocketAddr,
    index: usize,
    seen: &Observations,
    stop: &AtomicBool,
    counting: &AtomicBool,
) {
    let moves = ["e2e4", "d2d4", "g1f3", "c2c4", "b1c3"];
    let body =
        json!({"moves": [moves[index % moves.len()]], "movetime": MOVETIME.as_millis() as u64});
    let (body, length) = (body.to_string(), body.to_string().len().to_string());
    let headers = [("Content-Type", "application/json"), ("Content-Length", length.as_str())];
    let mut connection = Connection::open(address);
    while !stop.load(Relaxed) {
        let start = Instant::now();
        connection.head("POST", "/api/v1/bestmove", &headers);
        connection.send(body.as_bytes());
        let Some(response) = connection.response() else {
            connection = Connection::open(address);
            seen.errors.lock().unwrap().push("a connection closed".to_owned());
            continue;
        };
        let time = start.elapsed();
        match response.status {
            200 if counting.load(Relaxed) => {
                seen.answered.fetch_add(1, Relaxed);
                let queued = Duration::from_millis(response.json()["queued"].as_u64().unwrap_or(0));
                seen.delays.lock().unwrap().push(time.saturating_sub(MOVETIME + queued));
            }
            200 => {}
            429 => {
                seen.refused.fetch_add(1, Relaxed);
                let seconds = response.header("retry-after").and_then(|text| text.parse().ok());
                thread::sleep(Duration::from_secs(seconds.unwrap_or(1)));
            }
            status => seen.errors.lock().unwrap().push(format!("{status} {}", response.body)),
        }
    }
}

#[test]
#[ignore = "takes two cores for over a minute"]
fn two_hundred_clients_are_served() {
    let program = Program::start();
    let (seen, stop, counting) =
        (Observations::default(), AtomicBool::new(false), AtomicBool::new(false));
    let memory = || metric(program.address, "process_resident_memory_bytes");
    let (before, after, time) = thread::scope(|scope| {
        for index in 0..CLIENTS {
            let (seen, stop, counting) = (&seen, &stop, &counting);
            scope.spawn(move || client(program.address, index, seen, stop, counting));
        }
        thread::sleep(WARM_UP);
        let (before, start) = (memory(), Instant::now());
        counting.store(true, Relaxed);
        thread::sleep(MEASURED_TIME);
        counting.store(false, Relaxed);
        let (after, time) = (memory(), start.elapsed());
        stop.store(true, Relaxed);
        (before, after, time)
    });
    let mut delays = seen.delays.into_inner().unwrap();
    delays.sort();
    let at = |permille: usize| delays[(delays.len() * permille / 1000).min(delays.len() - 1)];
    let rate = seen.answered.load(Relaxed) as f64 / time.as_secs_f64();
    let grown = (after / before - 1.0) * 100.0;
    println!(
        "{rate:.1} searches a second, {} refused with 429; delay {:?} (median), {:?} (99 %), {:?} \
         (99.9 %); memory {:.1} MB, grown by {grown:.1} %",
        seen.refused.load(Relaxed),
        at(500),
        at(990),
        at(999),
        after / 1e6
    );
    let errors = seen.errors.into_inner().unwrap();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(rate >= 30.0, "less than 75 % of 40 searches a second");
    assert!(at(990) <= Duration::from_millis(100), "delayed");
    assert!(grown < 20.0, "memory grew");
    wait_until("no search runs", || metric(program.address, "saavedra_searches_running") == 0.0);
}

#[test]
#[ignore = "a thousand connections"]
fn a_thousand_disconnecting_clients_leave_no_search_running() {
    let program = Program::start();
    thousand_clients(program.address);
    let of = |name| metric(program.address, name);
    let start = Instant::now();
    wait_until("no search runs or is queued", || {
        of("saavedra_searches_running") == 0.0 && of("saavedra_queue_length") == 0.0
    });
    println!(
        "a thousand clients disconnected; {:?} later no search ran; {} searches were cancelled, {} \
         connections are open",
        start.elapsed(),
        of("saavedra_searches_cancelled_total"),
        of("saavedra_connections"),
    );
}

//! The service under load, with the real engine: what it promises of speed, memory and manners.
//!
//! Not part of the usual run, since it takes two cores for over a minute:
//! `cargo test --release -p saavedra-web --test load -- --ignored --nocapture --test-threads 1`

mod support;

use serde_json::json;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};
use support::eventually;
use support::http::{Connection, metric};
use support::program::Program;
use support::vanish::thousand;

const BUDGET: Duration = Duration::from_millis(50);
const CLIENTS: usize = 200;
const MINUTE: Duration = Duration::from_secs(60);
const WARM_UP: Duration = Duration::from_secs(5);

/// What all clients saw.
#[derive(Default)]
struct Seen {
    answered: AtomicU64,
    busy: AtomicU64,
    errors: Mutex<Vec<String>>,
    /// By how much each answer came later than budget and reported queue time.
    late: Mutex<Vec<Duration>>,
}

/// Asks for best moves over one connection until told to stop, obeying Retry-After.
fn client(
    address: SocketAddr,
    number: usize,
    seen: &Seen,
    over: &AtomicBool,
    counting: &AtomicBool,
) {
    let moves = ["e2e4", "d2d4", "g1f3", "c2c4", "b1c3"];
    let body =
        json!({"moves": [moves[number % moves.len()]], "movetime": BUDGET.as_millis() as u64});
    let (body, length) = (body.to_string(), body.to_string().len().to_string());
    let headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", length.as_str()),
    ];
    let mut connection = Connection::open(address);
    while !over.load(Relaxed) {
        let start = Instant::now();
        connection.head("POST", "/api/v1/bestmove", &headers);
        connection.send(body.as_bytes());
        let Some(answer) = connection.answer() else {
            connection = Connection::open(address);
            seen.errors
                .lock()
                .unwrap()
                .push("a connection broke".to_owned());
            continue;
        };
        let time = start.elapsed();
        match answer.status {
            200 if counting.load(Relaxed) => {
                seen.answered.fetch_add(1, Relaxed);
                let queued = Duration::from_millis(answer.json()["queued"].as_u64().unwrap_or(0));
                seen.late
                    .lock()
                    .unwrap()
                    .push(time.saturating_sub(BUDGET + queued));
            }
            200 => {}
            429 => {
                seen.busy.fetch_add(1, Relaxed);
                let seconds = answer
                    .header("retry-after")
                    .and_then(|text| text.parse().ok());
                thread::sleep(Duration::from_secs(seconds.unwrap_or(1)));
            }
            status => seen
                .errors
                .lock()
                .unwrap()
                .push(format!("{status} {}", answer.body)),
        }
    }
}

#[test]
#[ignore = "takes two cores for over a minute"]
fn two_hundred_clients_are_served_fairly() {
    let program = Program::start();
    let (seen, over, counting) = (
        Seen::default(),
        AtomicBool::new(false),
        AtomicBool::new(false),
    );
    let memory = || metric(program.address, "process_resident_memory_bytes");
    let (before, after, time) = thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (seen, over, counting) = (&seen, &over, &counting);
            scope.spawn(move || client(program.address, number, seen, over, counting));
        }
        thread::sleep(WARM_UP);
        let (before, start) = (memory(), Instant::now());
        counting.store(true, Relaxed);
        thread::sleep(MINUTE);
        counting.store(false, Relaxed);
        let (after, time) = (memory(), start.elapsed());
        over.store(true, Relaxed);
        (before, after, time)
    });
    let mut late = seen.late.into_inner().unwrap();
    late.sort();
    let at = |share: usize| late[(late.len() * share / 1000).min(late.len() - 1)];
    let rate = seen.answered.load(Relaxed) as f64 / time.as_secs_f64();
    let grown = (after / before - 1.0) * 100.0;
    println!(
        "{rate:.1} searches a second, {} refused with 429; late by {:?} (median), {:?} (99 %), {:?} \
         (99.9 %); memory {:.1} MB, grown by {grown:.1} %",
        seen.busy.load(Relaxed),
        at(500),
        at(990),
        at(999),
        after / 1e6
    );
    let errors = seen.errors.into_inner().unwrap();
    assert!(errors.is_empty(), "{errors:?}");
    assert!(rate >= 30.0, "less than 75 % of 40 searches a second");
    assert!(at(990) <= Duration::from_millis(100), "late");
    assert!(grown < 20.0, "memory grows");
    eventually("nothing runs", || {
        metric(program.address, "saavedra_searches_running") == 0.0
    });
}

#[test]
#[ignore = "a thousand connections"]
fn a_thousand_clients_that_vanish_leave_no_search_running() {
    let program = Program::start();
    thousand(program.address);
    let of = |name| metric(program.address, name);
    let start = Instant::now();
    eventually("nothing runs or waits", || {
        of("saavedra_searches_running") == 0.0 && of("saavedra_queue_length") == 0.0
    });
    println!(
        "a thousand clients vanished; {:?} later nothing ran; {} searches were stopped, {} \
         connections are open",
        start.elapsed(),
        of("saavedra_searches_cancelled_total"),
        of("saavedra_connections"),
    );
}

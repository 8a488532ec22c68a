//! Clients that start a long request and disconnect.

use super::http::Connection;
use serde_json::json;
use std::net::{Shutdown, SocketAddr};
use std::thread;
use std::time::Duration;

const THREADS: u64 = 20;
const CLIENTS_PER_THREAD: u64 = 50;

/// A thousand clients, twenty at a time.
pub fn thousand_clients(address: SocketAddr) {
    thread::scope(|scope| {
        for thread_index in 1..=THREADS {
            scope.spawn(move || {
                let mut random = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(thread_index);
                for _ in 0..CLIENTS_PER_THREAD {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    connect_and_leave(address, random);
                }
            });
        }
    });
}

/// Disconnects at a random moment: while sending, waiting or reading.
fn connect_and_leave(address: SocketAddr, random: u64) {
    let mut connection = Connection::open(address);
    let body = json!({"fen": "startpos", "movetime": 20_000}).to_string();
    let length = body.len().to_string();
    match random % 4 {
        0 => connection.head("GET", "/api/v1/analysis?fen=startpos&multipv=3", &[]),
        1 => connection.head("POST", "/api/v1/bestmove", &[("Content-Length", &length)]),
        _ => {
            connection.head("POST", "/api/v1/bestmove", &[("Content-Length", &length)]);
            connection.send(body.as_bytes());
        }
    }
    thread::sleep(Duration::from_millis((random >> 8) & 127));
    if (random >> 20) & 1 == 1 {
        connection.stream.shutdown(Shutdown::Both).ok();
    }
}

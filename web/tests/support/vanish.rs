//! Clients that ask for something long and go away.

use super::http::Connection;
use serde_json::json;
use std::net::{Shutdown, SocketAddr};
use std::thread;
use std::time::Duration;

const AT_ONCE: u64 = 20;
const EACH: u64 = 50;

/// A thousand clients, twenty at a time.
pub fn thousand(address: SocketAddr) {
    thread::scope(|scope| {
        for worker in 1..=AT_ONCE {
            scope.spawn(move || {
                let mut random = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(worker);
                for _ in 0..EACH {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    one(address, random);
                }
            });
        }
    });
}

/// Goes away at some moment: while sending, waiting or reading.
fn one(address: SocketAddr, random: u64) {
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

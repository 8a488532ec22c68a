//! What the service counts, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the time histograms, in seconds.
const BOUNDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The service's counters and gauges.
#[derive(Default, Debug)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, String, u16), u64>>,
    request_time: Histogram,
    queue_time: Histogram,
    search_time: Histogram,
    waiting: AtomicU64,
    running: AtomicU64,
    cancelled: AtomicU64,
    nodes: AtomicU64,
    connections: AtomicU64,
}

/// Times, counted by their size.
#[derive(Default, Debug)]
struct Histogram {
    buckets: [AtomicU64; BOUNDS.len()],
    count: AtomicU64,
    microseconds: AtomicU64,
}

impl Histogram {
    fn add(&self, time: Duration) {
        let seconds = time.as_secs_f64();
        for (bucket, bound) in self.buckets.iter().zip(BOUNDS) {
            if seconds <= bound {
                bucket.fetch_add(1, Relaxed);
            }
        }
        self.count.fetch_add(1, Relaxed);
        let microseconds = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.microseconds.fetch_add(microseconds, Relaxed);
    }

    fn write(&self, name: &str, help: &str, out: &mut String) {
        head(out, name, "histogram", help);
        for (bucket, bound) in self.buckets.iter().zip(BOUNDS) {
            line(
                out,
                &format!("{name}_bucket{{le=\"{bound}\"}}"),
                bucket.load(Relaxed),
            );
        }
        let count = self.count.load(Relaxed);
        line(out, &format!("{name}_bucket{{le=\"+Inf\"}}"), count);
        line(
            out,
            &format!("{name}_sum"),
            self.microseconds.load(Relaxed) as f64 / 1e6,
        );
        line(out, &format!("{name}_count"), count);
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn line(out: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "{name} {value}");
}

fn gauge(out: &mut String, name: &str, help: &str, value: u64) {
    head(out, name, "gauge", help);
    line(out, name, value);
}

fn counter(out: &mut String, name: &str, help: &str, value: u64) {
    head(out, name, "counter", help);
    line(out, name, value);
}

impl Metrics {
    /// Counts a request that was answered. The route is a pattern, never what a client sent.
    pub fn answered(&self, method: &str, route: &str, status: u16, time: Duration) {
        let key = (method.to_owned(), route.to_owned(), status);
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry(key).or_default() += 1;
        drop(requests);
        self.request_time.add(time);
    }

    /// Counts a search that ended.
    pub fn searched(&self, nodes: u64, queued: Duration, searched: Duration, cancelled: bool) {
        self.nodes.fetch_add(nodes, Relaxed);
        self.queue_time.add(queued);
        self.search_time.add(searched);
        self.cancelled.fetch_add(u64::from(cancelled), Relaxed);
    }

    /// Notes how many searches wait and run.
    pub fn set_load(&self, waiting: usize, running: usize) {
        self.waiting.store(waiting as u64, Relaxed);
        self.running.store(running as u64, Relaxed);
    }

    /// Counts a connection that began.
    pub fn connected(&self) {
        self.connections.fetch_add(1, Relaxed);
    }

    /// Counts a connection that ended.
    pub fn disconnected(&self) {
        self.connections.fetch_sub(1, Relaxed);
    }

    /// All of it as text.
    pub fn text(&self, workers: usize) -> String {
        let mut out = String::new();
        self.write_requests(&mut out);
        self.write_times(&mut out);
        let load = |value: &AtomicU64| value.load(Relaxed);
        let (queue, running) = ("saavedra_queue_length", "saavedra_searches_running");
        gauge(&mut out, queue, "Searches that wait.", load(&self.waiting));
        gauge(&mut out, running, "Searches that run.", load(&self.running));
        gauge(
            &mut out,
            "saavedra_engines",
            "Engines in the pool.",
            workers as u64,
        );
        gauge(
            &mut out,
            "saavedra_connections",
            "Open connections.",
            load(&self.connections),
        );
        if let Some(bytes) = resident_memory() {
            gauge(
                &mut out,
                "process_resident_memory_bytes",
                "Resident memory.",
                bytes,
            );
        }
        let cancelled = "saavedra_searches_cancelled_total";
        counter(
            &mut out,
            cancelled,
            "Searches stopped early.",
            load(&self.cancelled),
        );
        counter(
            &mut out,
            "saavedra_nodes_total",
            "Nodes searched.",
            load(&self.nodes),
        );
        out
    }

    fn write_times(&self, out: &mut String) {
        self.request_time.write(
            "saavedra_request_seconds",
            "Time until an answer began.",
            out,
        );
        self.queue_time
            .write("saavedra_queue_seconds", "Time a search waited.", out);
        self.search_time
            .write("saavedra_search_seconds", "Time a search ran.", out);
    }

    fn write_requests(&self, out: &mut String) {
        let name = "saavedra_requests_total";
        head(out, name, "counter", "Requests answered.");
        let requests = self
            .requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for ((method, route, status), count) in requests {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            line(out, &format!("{name}{{{labels}}}"), count);
        }
    }
}

/// Resident memory in bytes, where the system tells (Linux).
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

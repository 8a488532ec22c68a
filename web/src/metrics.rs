//! Counters and histograms in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the histogram buckets in seconds.
const BOUNDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// The service's counters and gauges.
#[derive(Default, Debug)]
pub struct Metrics {
    requests: Mutex<BTreeMap<(String, String, u16), u64>>,
    request_time: Histogram,
    queue_time: Histogram,
    search_time: Histogram,
    queued: AtomicU64,
    running: AtomicU64,
    cancelled: AtomicU64,
    nodes: AtomicU64,
    connections: AtomicU64,
}

/// A histogram of durations.
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
        write_head(out, name, "histogram", help);
        for (bucket, bound) in self.buckets.iter().zip(BOUNDS) {
            write_value(
                out,
                &format!("{name}_bucket{{le=\"{bound}\"}}"),
                bucket.load(Relaxed),
            );
        }
        let count = self.count.load(Relaxed);
        write_value(out, &format!("{name}_bucket{{le=\"+Inf\"}}"), count);
        write_value(
            out,
            &format!("{name}_sum"),
            self.microseconds.load(Relaxed) as f64 / 1e6,
        );
        write_value(out, &format!("{name}_count"), count);
    }
}

fn write_head(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn write_value(out: &mut String, name: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "{name} {value}");
}

fn gauge(out: &mut String, name: &str, help: &str, value: u64) {
    write_head(out, name, "gauge", help);
    write_value(out, name, value);
}

fn counter(out: &mut String, name: &str, help: &str, value: u64) {
    write_head(out, name, "counter", help);
    write_value(out, name, value);
}

impl Metrics {
    /// Counts an answered request. `route` is the pattern of the router, not the path of the client.
    pub fn count_request(&self, method: &str, route: &str, status: u16, time: Duration) {
        let key = (method.to_owned(), route.to_owned(), status);
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry(key).or_default() += 1;
        drop(requests);
        self.request_time.add(time);
    }

    /// Counts a finished search.
    pub fn count_search(&self, nodes: u64, queued: Duration, searched: Duration, cancelled: bool) {
        self.nodes.fetch_add(nodes, Relaxed);
        self.queue_time.add(queued);
        self.search_time.add(searched);
        self.cancelled.fetch_add(u64::from(cancelled), Relaxed);
    }

    /// Sets the number of queued and of running searches.
    pub fn set_load(&self, queued: usize, running: usize) {
        self.queued.store(queued as u64, Relaxed);
        self.running.store(running as u64, Relaxed);
    }

    /// Counts an opened connection.
    pub fn connection_opened(&self) {
        self.connections.fetch_add(1, Relaxed);
    }

    /// Counts a closed connection.
    pub fn connection_closed(&self) {
        self.connections.fetch_sub(1, Relaxed);
    }

    /// All metrics as text.
    pub fn text(&self, workers: usize) -> String {
        let mut out = String::new();
        self.write_requests(&mut out);
        self.write_times(&mut out);
        let load = |value: &AtomicU64| value.load(Relaxed);
        let (queue, running) = ("saavedra_queue_length", "saavedra_searches_running");
        gauge(&mut out, queue, "Queued searches.", load(&self.queued));
        gauge(&mut out, running, "Running searches.", load(&self.running));
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
            "Cancelled searches.",
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
            "Time until the response head.",
            out,
        );
        self.queue_time.write(
            "saavedra_queue_seconds",
            "Time of searches in the queue.",
            out,
        );
        self.search_time
            .write("saavedra_search_seconds", "Time of searches.", out);
    }

    fn write_requests(&self, out: &mut String) {
        let name = "saavedra_requests_total";
        write_head(
            out,
            name,
            "counter",
            "Requests by method, route and status.",
        );
        let requests = self
            .requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for ((method, route, status), count) in requests {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            write_value(out, &format!("{name}{{{labels}}}"), count);
        }
    }
}

/// Resident memory in bytes (Linux only).
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

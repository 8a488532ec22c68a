//! Counters, gauges and histograms for `/metrics`, in the text format of OpenMetrics and
//! Prometheus.

use crate::problem::Code;
use prometheus_client::encoding::{EncodeLabelSet, text::encode};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use saavedra::engine::NAME;
use std::time::Duration;

/// The media type of the text.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the histogram buckets in seconds.
const BOUNDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    route: String,
    status: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct RouteLabels {
    route: String,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, EncodeLabelSet)]
struct RejectionLabels {
    reason: &'static str,
}

/// The service's counters, gauges and histograms.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    rejections: Family<RejectionLabels, Counter>,
    request_time: Family<RouteLabels, Histogram, fn() -> Histogram>,
    queue_time: Histogram,
    search_time: Histogram,
    queued: Gauge,
    running: Gauge,
    engines: Gauge,
    reviews_running: Gauge,
    reviews_finished: Counter,
    connections: Gauge,
    resident_memory: Gauge,
    cancelled: Counter,
    nodes: Counter,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::default(),
            requests: Family::default(),
            rejections: Family::default(),
            request_time: Family::new_with_constructor(|| Histogram::new(BOUNDS)),
            queue_time: Histogram::new(BOUNDS),
            search_time: Histogram::new(BOUNDS),
            queued: Gauge::default(),
            running: Gauge::default(),
            engines: Gauge::default(),
            reviews_running: Gauge::default(),
            reviews_finished: Counter::default(),
            connections: Gauge::default(),
            resident_memory: Gauge::default(),
            cancelled: Counter::default(),
            nodes: Counter::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    /// Gives each metric its name and its help. The text adds `_total` to the names of counters.
    fn register(&mut self) {
        macro_rules! register {
            ($($name:literal, $help:literal, $metric:ident;)*) => {
                $(self.registry.register($name, $help, self.$metric.clone());)*
            };
        }
        register! {
            "saavedra_requests", "Requests by method, route and status", requests;
            "saavedra_rejections", "Refused requests by reason", rejections;
            "saavedra_request_seconds", "Time until the response head, by route", request_time;
            "saavedra_queue_seconds", "Time of searches in the queue", queue_time;
            "saavedra_search_seconds", "Time of searches", search_time;
            "saavedra_queue_length", "Queued searches", queued;
            "saavedra_searches_running", "Running searches", running;
            "saavedra_engines", "Engines in the pool", engines;
            "saavedra_reviews_running", "Reviews that are being searched", reviews_running;
            "saavedra_reviews_finished", "Finished reviews", reviews_finished;
            "saavedra_connections", "Open connections", connections;
            "saavedra_searches_cancelled", "Cancelled searches", cancelled;
            "saavedra_nodes", "Nodes searched", nodes;
        }
        let build = Info::new([("version", env!("CARGO_PKG_VERSION")), ("engine", NAME)]);
        self.registry.register("saavedra_build", "Version of the service and its engine", build);
        if resident_memory().is_some() {
            register! { "process_resident_memory_bytes", "Resident memory", resident_memory; }
        }
    }

    /// Counts an answered request. `route` is the pattern of the router, not the path of the
    /// client.
    pub fn count_request(&self, method: &str, route: &str, status: u16, time: Duration) {
        let labels = RequestLabels {
            method: method.to_owned(),
            route: route.to_owned(),
            status: status.into(),
        };
        self.requests.get_or_create(&labels).inc();
        let labels = RouteLabels { route: route.to_owned() };
        self.request_time.get_or_create(&labels).observe(time.as_secs_f64());
    }

    /// Counts a request that was refused, if it was.
    pub fn count_rejection(&self, code: Code) {
        if let Some(reason) = code.rejection() {
            self.rejections.get_or_create(&RejectionLabels { reason }).inc();
        }
    }

    /// Counts a finished search.
    pub fn count_search(&self, nodes: u64, queued: Duration, searched: Duration, cancelled: bool) {
        self.nodes.inc_by(nodes);
        self.queue_time.observe(queued.as_secs_f64());
        self.search_time.observe(searched.as_secs_f64());
        self.cancelled.inc_by(u64::from(cancelled));
    }

    /// Counts a finished review.
    pub fn count_review(&self) {
        self.reviews_finished.inc();
    }

    /// Sets the number of queued and of running searches.
    pub fn set_load(&self, queued: usize, running: usize) {
        self.queued.set(queued as i64);
        self.running.set(running as i64);
    }

    /// Counts an opened connection.
    pub fn connection_opened(&self) {
        self.connections.inc();
    }

    /// Counts a closed connection.
    pub fn connection_closed(&self) {
        self.connections.dec();
    }

    /// All metrics as text; `engines` is the size of the pool, `reviews` the number of running reviews.
    pub fn text(&self, engines: usize, reviews: usize) -> String {
        self.engines.set(engines as i64);
        self.reviews_running.set(reviews as i64);
        if let Some(bytes) = resident_memory() {
            self.resident_memory.set(bytes as i64);
        }
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// Resident memory in bytes (Linux only).
fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

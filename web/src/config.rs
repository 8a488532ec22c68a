//! What a person who starts the service may set.

use clap::{Args, Parser, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// A review has many positions: none may take longer than this.
const MAX_REVIEW_MOVETIME: Duration = Duration::from_secs(10);

/// The best-move service: a web API and a page to play and analyse on.
#[derive(Parser, Debug)]
#[command(name = "saavedra-web", version, about, max_term_width = 100)]
pub struct Command {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// How the log on standard error is written
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// How much is logged: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log_level: tracing::Level,
    /// All that shapes the service itself.
    #[command(flatten)]
    pub config: Config,
}

/// How the log is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// Lines for people.
    Text,
    /// One JSON object a line, for machines.
    Json,
}

/// The service's sizes and limits.
#[derive(Args, Clone, Debug)]
pub struct Config {
    /// Engines that search at the same time, one thread each [default: one a core, at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Hash table of each engine, in MB
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub hash: u32,
    /// Network file to evaluate with, instead of the one built in
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
    /// Searches that may wait for an engine; one more is answered 429
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub queue: u16,
    /// Longest time a search may be expected to wait; longer is answered 429
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub max_wait: u64,
    /// Longest search for a best move; also the cap of searches by nodes or depth
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub max_movetime: u64,
    /// Longest analysis stream
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_analysis: u64,
    /// Largest request body, in kB
    #[arg(long, value_name = "KB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub max_body: u32,
    /// Time a client has to send its headers, to send its body, and to take what we send
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// Connections open at the same time
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections: u32,
    /// Game reviews that are kept, waiting, running or done
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub reviews: u16,
    /// Time that what runs has to end when the service is told to stop
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub grace: u64,
    /// A web page's origin that may use the API, such as `https://example.org`; may be repeated
    #[arg(long, value_name = "ORIGIN")]
    pub allow_origin: Vec<String>,
}

impl Config {
    /// How many engines search at the same time.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
        self.workers.map_or_else(cores, usize::from)
    }

    /// The longest search for a best move.
    pub fn max_movetime(&self) -> Duration {
        Duration::from_millis(self.max_movetime)
    }

    /// The longest search of each position of a review.
    pub fn max_review_movetime(&self) -> Duration {
        self.max_movetime().min(MAX_REVIEW_MOVETIME)
    }

    /// The longest analysis stream.
    pub fn max_analysis(&self) -> Duration {
        Duration::from_secs(self.max_analysis)
    }

    /// The largest body, in bytes.
    pub fn max_body(&self) -> usize {
        self.max_body as usize * 1024
    }

    /// What a slow client is granted for each step.
    pub fn patience(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
}

impl Default for Config {
    fn default() -> Config {
        Command::parse_from(["saavedra-web"]).config
    }
}

//! The command line of the service.

use axum::http::HeaderName;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Maximum time for one position of a review: a review has many positions.
const MAX_REVIEW_MOVETIME: Duration = Duration::from_secs(10);

/// The best-move service: a web API and a page for play and analysis.
#[derive(Parser, Debug)]
#[command(name = "saavedra-web", version, about, max_term_width = 100)]
pub struct Command {
    /// Address and port to listen on; port 0 selects a free port
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Format of the log on standard error
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
    /// Log level: error, warn, info, debug or trace
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log_level: tracing::Level,
    /// Sizes and limits.
    #[command(flatten)]
    pub config: Config,
}

/// An option is set by the environment variable with this prefix and its name: `SAAVEDRA_WEB_LISTEN`.
const VARIABLE_PREFIX: &str = "SAAVEDRA_WEB_";

impl Command {
    /// Reads the options from the command line, and those that are not there from the environment.
    ///
    /// # Errors
    /// A value is invalid, with the name of its option or variable; or help is requested.
    pub fn read() -> Result<Command, clap::Error> {
        let mut command = Command::command().mut_args(with_variable);
        let error = match command.try_get_matches_from_mut(std::env::args_os()) {
            Ok(matches) => return Command::from_arg_matches(&matches),
            Err(error) => error,
        };
        // The help names the variables; an error of the command line does not.
        if !error.use_stderr() || Command::try_parse().is_err() {
            return Err(error);
        }
        let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
            return Err(error);
        };
        let name = option.trim_start_matches("--").split(' ').next().map(variable);
        let message =
            error.to_string().replacen(&format!("'{option}'"), &name.unwrap_or_default(), 1);
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Err(clap::Error::raw(error.kind(), message))
    }
}

/// The name of an option's environment variable.
fn variable(option: &str) -> String {
    VARIABLE_PREFIX.to_owned() + &option.replace('-', "_").to_ascii_uppercase()
}

/// Lets an option be set by its environment variable, unless that is empty.
fn with_variable(option: Arg) -> Arg {
    let name = option.get_long().map(variable);
    match name.filter(|name| std::env::var_os(name).is_none_or(|value| !value.is_empty())) {
        Some(name) => option.env(name).hide_env_values(true),
        None => option,
    }
}

/// The format of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogFormat {
    /// Plain text.
    Text,
    /// One JSON object per line.
    Json,
}

/// Sizes and limits of the service.
#[derive(Args, Clone, Debug)]
pub struct Config {
    /// Engines that search at the same time, one thread each [default: one per core, at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Hash size of each engine in MB
    #[arg(long, value_name = "MB", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub hash: u32,
    /// Network file that replaces the embedded network
    #[arg(long, value_name = "FILE")]
    pub eval_file: Option<PathBuf>,
    /// Folders of Syzygy tablebases, separated as in `PATH`
    #[arg(long, value_name = "PATH")]
    pub syzygy_path: Option<String>,
    /// Maximum number of queued searches of each priority (best moves, positions of reviews,
    /// analyses); further best moves and analyses are answered 429, reviews wait
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub queue: u16,
    /// Maximum expected time of a best move in the queue; one that would wait longer is answered
    /// 429
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub max_wait: u64,
    /// Maximum time of a best-move search, also if it is limited by nodes or depth
    #[arg(long, value_name = "MS", default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub max_movetime: u64,
    /// Maximum time of an analysis stream
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_analysis: u64,
    /// Maximum size of a request body in kB
    #[arg(long, value_name = "KB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub max_body: u32,
    /// Timeout for a client to send its headers, to send its body, and to read the response
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub patience: u64,
    /// Maximum number of open connections
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub connections: u32,
    /// Maximum number of stored game reviews: queued, running and finished
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub reviews: u16,
    /// Maximum search time of a game review
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub max_review: u64,
    /// Time for running requests to finish when the service is stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub grace: u64,
    /// Header in which a trusted proxy sends the address of the client, such as `X-Forwarded-For`
    #[arg(long, value_name = "NAME")]
    pub client_header: Option<HeaderName>,
    /// Host name in requests to accept besides loopback names and the listening address; repeatable,
    /// or separated by commas
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = parse_host)]
    pub host: Vec<String>,
    /// Origin of a web page that may use the API, such as `https://example.org`; repeatable,
    /// or separated by commas
    #[arg(long, value_name = "ORIGIN", value_delimiter = ',', value_parser = parse_origin)]
    pub allow_origin: Vec<String>,
}

impl Config {
    /// The number of engines.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(2, |n| n.get().max(2));
        self.workers.map_or_else(cores, usize::from)
    }

    /// The maximum time of a best-move search.
    pub fn max_movetime(&self) -> Duration {
        Duration::from_millis(self.max_movetime)
    }

    /// The maximum time for one position of a review.
    pub fn max_review_movetime(&self) -> Duration {
        self.max_movetime().min(MAX_REVIEW_MOVETIME)
    }

    /// The maximum search time of a review.
    pub fn max_review(&self) -> Duration {
        Duration::from_secs(self.max_review)
    }

    /// The maximum time of an analysis stream.
    pub fn max_analysis(&self) -> Duration {
        Duration::from_secs(self.max_analysis)
    }

    /// The maximum size of a body in bytes.
    pub fn max_body_bytes(&self) -> usize {
        self.max_body as usize * 1024
    }

    /// The timeout for each step of a client (`--patience`).
    pub fn client_timeout(&self) -> Duration {
        Duration::from_secs(self.patience)
    }
}

/// A host name in lower case, without port.
fn parse_host(text: &str) -> Result<String, String> {
    let valid = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    let name = host_name(text);
    if name.is_empty() || !text.chars().all(valid) {
        return Err("not a host name".to_owned());
    }
    Ok(name.to_ascii_lowercase())
}

/// The name in a `Host` header: without port and final dot.
pub fn host_name(host: &str) -> &str {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => match host.split_once(':') {
            // Several colons: an IPv6 address.
            Some((_, rest)) if rest.contains(':') => host,
            Some((name, _)) => name,
            None => host,
        },
    };
    name.strip_suffix('.').unwrap_or(name)
}

/// An origin as browsers send it: scheme and host in lower case, no default port, no path.
fn parse_origin(text: &str) -> Result<String, String> {
    let lower = text.to_ascii_lowercase();
    let invalid = || format!("not an origin such as https://example.org: {text}");
    let (scheme, rest) = lower.split_once("://").ok_or_else(invalid)?;
    let host = rest.strip_suffix('/').unwrap_or(rest);
    let default_port = match scheme {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let host = match default_port {
        "" => host,
        port => host.strip_suffix(port).unwrap_or(host),
    };
    let valid_scheme = scheme.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let valid_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    let valid = !scheme.is_empty()
        && valid_scheme
        && !host_name(host).is_empty()
        && host.chars().all(valid_host)
        && !host.ends_with(':');
    if !valid {
        return Err(invalid());
    }
    Ok(format!("{scheme}://{host}"))
}

impl Default for Config {
    fn default() -> Config {
        Command::parse_from(["saavedra-web"]).config
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_normalised_or_refused() {
        for (text, origin) in [
            ("https://a", "https://a"),
            ("https://a/", "https://a"),
            ("HTTPS://Example.ORG:443", "https://example.org"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
        ] {
            assert_eq!(parse_origin(text).as_deref(), Ok(origin), "{text}");
        }
        for text in [
            "",
            "*",
            "null",
            "example.org",
            "https://",
            "https://a/b",
            "https://a?b",
            "https://u@a",
            "http://a:",
            "http://:8080",
        ] {
            assert!(parse_origin(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_empty_host_name_is_refused() {
        for text in ["", ".", ":8080", ".:80", "[]"] {
            assert!(parse_host(text).is_err(), "{text}");
        }
        assert_eq!(parse_host("A.Example:80").as_deref(), Ok("a.example"));
    }

    #[test]
    fn host_names_have_no_port() {
        for (host, name) in [
            ("a.example", "a.example"),
            ("a.example:80", "a.example"),
            ("a.example.", "a.example"),
            ("127.0.0.1:8080", "127.0.0.1"),
            ("[::1]:8080", "::1"),
            ("::1", "::1"),
        ] {
            assert_eq!(host_name(host), name, "{host}");
        }
    }
}

//! The best-move service: Saavedra behind a web API, and a page for play and analysis.
//!
//! The path of a request: [`server`] accepts the connection, `middleware` logs the request and
//! checks its origin, [`app`] routes it, `body` and [`request`] read it, [`position`] sets up the
//! game, `pool` queues the search, [`saavedra_api`] describes the result. The service depends on
//! the traits of [`backend`] only; [`engine`] implements them.

pub mod app;
pub mod backend;
mod body;
mod client;
pub mod config;
mod documents;
mod drain;
pub mod engine;
mod metrics;
mod middleware;
mod parser;
mod pool;
pub mod position;
pub mod problem;
pub mod request;
mod reviews;
mod routes;
pub mod server;
mod stream;

pub use app::App;
pub use config::Config;

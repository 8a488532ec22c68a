//! The best-move service: Saavedra behind a web API, and a page for play and analysis.
//!
//! The path of a request: [`server`] accepts the connection, [`middleware`] logs the request and
//! checks its origin, [`app`] routes it, [`body`] and [`request`] read it, [`position`] sets up the
//! game, [`pool`] queues the search, [`saavedra_api`] describes the result. The service depends on
//! the traits of [`backend`] only; [`engine`] implements them.

pub mod app;
pub mod backend;
pub mod body;
pub mod client;
pub mod config;
pub mod documents;
pub mod drain;
pub mod engine;
pub mod metrics;
pub mod middleware;
pub mod parser;
pub mod pool;
pub mod position;
pub mod problem;
pub mod request;
pub mod reviews;
pub mod routes;
pub mod server;
pub mod stream;

pub use app::App;
pub use config::Config;

//! The best-move service: Saavedra behind a web API, and a page to play and analyse on.
//!
//! A request's way: [`server`] accepts the connection, [`guard`] logs it and watches its origin,
//! [`app`] routes it, [`body`] and [`ask`] read it, [`position`] makes a game of it, [`pool`] finds
//! an engine, [`report`] writes the answer. [`think`] is all the service knows of engines; [`engine`] is ours.

pub mod analysis;
pub mod app;
pub mod ask;
pub mod bestmove;
pub mod body;
pub mod config;
pub mod documents;
pub mod engine;
pub mod guard;
pub mod judge;
pub mod metrics;
pub mod moves;
pub mod openapi;
pub mod page;
pub mod patience;
pub mod pool;
pub mod position;
pub mod problem;
pub mod report;
pub mod rest;
pub mod reviews;
pub mod server;
pub mod status;
pub mod think;

pub use app::App;
pub use config::Config;

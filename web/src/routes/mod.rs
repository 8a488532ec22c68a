//! The handlers, one module per route or group of routes.

pub mod analysis;
pub mod bestmove;
pub mod explain;
pub mod health;
pub mod lines;
pub mod moves;
pub mod openapi;
pub mod page;
pub mod pgn;
pub mod review;
pub mod reviews;
pub mod tablebase;

//! The JSON responses of the best-move service, and games as JSON. The web service and the WebAssembly
//! module send the same ones, so the board page does not notice which of them it asks. The feature
//! `openapi` adds their schemas, from which the web service makes its `/openapi.json`; the feature
//! `requests` adds the requests of JavaScript to the WebAssembly module.
//!
//! ```
//! use saavedra_api::RequestedGame;
//!
//! let requested = RequestedGame::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").unwrap();
//! let response = serde_json::to_value(requested.describe(false)).unwrap();
//! assert_eq!(response["turn"], "white");
//! assert_eq!(response["status"], "ongoing");
//! ```

#[cfg(feature = "requests")]
pub mod engine;
#[cfg(feature = "openapi")]
mod explanation;
mod game;
mod pgn;
mod position;
#[cfg(feature = "requests")]
pub mod request;
mod review;
#[cfg(feature = "openapi")]
mod schema;
mod search;
mod searched;
mod tablebase;

#[cfg(feature = "openapi")]
pub use explanation::ExplanationResponse;
pub use game::RequestedGame;
pub use pgn::{GameRecord, Games, MainLines, PgnText, main_lines, read_games, write_games};
pub use position::{MoveResponse, PositionResponse};
pub use review::{ReviewResponse, ReviewStatus};
pub use search::{BestMoveResponse, InfoResponse, Score};
pub use searched::{SearchedPosition, review};
pub use tablebase::TablebaseResponse;

//! The service as one value and its routes.

use crate::config::Config;
use crate::metrics::Metrics;
use crate::pool::Pool;
use crate::problem::Problem;
use crate::reviews::Reviews;
use crate::think::ThinkerFactory;
use crate::{analysis, bestmove, guard, moves, openapi, page, rest, reviews, status};
use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use tower_http::catch_panic::CatchPanicLayer;

/// What all routes share. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// Sizes and limits.
    pub config: Arc<Config>,
    /// The engines.
    pub pool: Pool,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Game reviews.
    pub reviews: Reviews,
    /// Name and version of the engine.
    pub engine: Arc<str>,
    /// The strengths the engine can play at.
    pub elo: Option<RangeInclusive<u32>>,
}

impl App {
    /// Starts the engines.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(config: Config, factory: Arc<dyn ThinkerFactory>) -> std::io::Result<App> {
        let metrics = Arc::new(Metrics::default());
        let wait = Duration::from_secs(config.max_wait);
        let (workers, queue) = (config.workers(), config.queue.into());
        let pool = Pool::start(&factory, workers, queue, wait, Arc::clone(&metrics))?;
        Ok(App {
            reviews: Reviews::new(config.reviews.into()),
            config: Arc::new(config),
            pool,
            metrics,
            engine: factory.name().into(),
            elo: factory.elo(),
        })
    }

    /// All routes, with what is done for each request around them.
    pub fn router(&self) -> Router {
        let api = Router::new()
            .route("/bestmove", post(bestmove::post))
            .route("/moves", post(moves::moves))
            .route("/make", post(moves::make))
            .route("/analysis", get(analysis::get))
            .route("/reviews", post(reviews::post).get(reviews::overview))
            .route("/reviews/{id}", get(reviews::get).delete(reviews::delete));
        Router::new()
            .route("/", get(page::index))
            .route("/assets/{name}", get(page::asset))
            .route("/favicon.ico", get(page::icon))
            .route("/health", get(status::health))
            .route("/metrics", get(status::metrics))
            .route("/openapi.json", get(openapi::get))
            .nest("/api/v1", api)
            .fallback(async || Problem::not_found("There is nothing at this address."))
            .method_not_allowed_fallback(async || {
                let detail = "This address knows other methods: see the header Allow.";
                Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
            })
            .layer(CatchPanicLayer::custom(|_| {
                Problem::internal().into_response()
            }))
            .layer(from_fn_with_state(self.clone(), guard::origin))
            .layer(from_fn(guard::headers))
            .layer(from_fn_with_state(self.clone(), rest::read_on))
            .layer(from_fn_with_state(self.clone(), guard::log))
            .with_state(self.clone())
    }
}

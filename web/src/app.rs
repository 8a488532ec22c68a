//! The state shared by all handlers, and the router.

use crate::backend::{BackendFactory, SearchParameters};
use crate::config::Config;
use crate::metrics::Metrics;
use crate::parser::Parser;
use crate::pool::Pool;
use crate::problem::{Code, Problem};
use crate::request::RequestFields;
use crate::reviews::ReviewStore;
use crate::routes::{
    analysis, bestmove, explain, health, moves, openapi, page, pgn, review, reviews, tablebase,
};
use crate::{client, drain, middleware};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::get;
use axum::{Extension, Router};
use saavedra::eval::Evaluation;
use saavedra_api::RequestedGame;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, watch};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::response::SetMultipleResponseHeadersLayer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The state shared by all handlers. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// Sizes and limits.
    pub config: Arc<Config>,
    /// Creates engines.
    pub factory: Arc<dyn BackendFactory>,
    /// The evaluation that puts reviews and explanations into words.
    pub evaluation: Evaluation,
    /// Permits for explanations at the same time.
    pub explanations: Arc<Semaphore>,
    /// The engines and their queue.
    pub pool: Pool,
    /// Sets up positions.
    pub parser: Parser,
    /// Counters for `/metrics`.
    pub metrics: Arc<Metrics>,
    /// Game reviews.
    pub reviews: ReviewStore,
    /// Permits for groups of positions of reviews that clients drive.
    pub groups: Arc<Semaphore>,
    /// Whether the service is shutting down.
    pub stopping: watch::Sender<bool>,
    /// Name and version of the engine.
    pub engine_name: Arc<str>,
    /// The Elo range of the engine, if its strength can be limited.
    pub elo_range: Option<RangeInclusive<u32>>,
}

impl App {
    /// Starts the engines.
    ///
    /// # Errors
    /// No thread or no memory for an engine.
    pub fn start(config: Config, factory: Arc<dyn BackendFactory>) -> std::io::Result<App> {
        let metrics = Arc::new(Metrics::default());
        let max_wait = Duration::from_secs(config.max_wait);
        let (workers, queue) = (config.workers(), config.queue.into());
        let pool = Pool::start(&factory, workers, queue, max_wait, Arc::clone(&metrics))?;
        Ok(App {
            groups: Arc::new(Semaphore::new(config.reviews.into())),
            reviews: ReviewStore::new(config.reviews.into(), workers + 1),
            config: Arc::new(config),
            evaluation: Evaluation::embedded(),
            explanations: Arc::new(Semaphore::new(workers)),
            pool,
            parser: Parser::new(workers),
            stopping: watch::Sender::new(false),
            metrics,
            engine_name: factory.name().into(),
            elo_range: factory.elo_range(),
            factory,
        })
    }

    /// The game and the search parameters of a request. Without limits the search takes
    /// `default_time`, and never more than `max_time`.
    ///
    /// # Errors
    /// 400 for a limit out of range, 400 or 422 for an invalid position.
    pub(crate) async fn search(
        &self,
        fields: RequestFields,
        default_time: Duration,
        max_time: Duration,
    ) -> Result<(RequestedGame, SearchParameters), Problem> {
        let elo_range = self.elo_range.as_ref();
        let parameters = fields.search_parameters(default_time, max_time, elo_range)?;
        Ok((self.parser.game(fields).await?, parameters))
    }

    /// The routes and the middleware around them.
    pub fn router(&self) -> Router {
        let api = OpenApiRouter::new()
            .routes(routes!(bestmove::post))
            .routes(routes!(moves::moves))
            .routes(routes!(moves::make))
            .routes(routes!(explain::post))
            .routes(routes!(pgn::read))
            .routes(routes!(pgn::write))
            .routes(routes!(pgn::main_lines))
            .routes(routes!(tablebase::post))
            .routes(routes!(analysis::get, analysis::post))
            .routes(routes!(review::search))
            .routes(routes!(review::judge))
            .routes(routes!(reviews::post, reviews::overview))
            .routes(routes!(reviews::get, reviews::delete));
        let (documented, document) = OpenApiRouter::new()
            .routes(routes!(health::health))
            .routes(routes!(health::ready))
            .routes(routes!(health::metrics))
            .routes(routes!(openapi::get))
            .nest("/api/v1", api)
            .split_for_parts();
        let document = Arc::new(openapi::document(&document, self));
        let headers =
            middleware::HEADERS.map(|(name, value)| (name, HeaderValue::from_static(value)).into());
        let headers = SetMultipleResponseHeadersLayer::if_not_present(headers.into());
        documented
            .route("/", get(page::index))
            .route("/assets/{name}", get(page::asset))
            .route("/assets/{version}/{name}", get(page::versioned_asset))
            .route("/favicon.ico", get(page::icon))
            .fallback(async || Problem::not_found("There is no such route."))
            .method_not_allowed_fallback(async || {
                let detail = "The route does not accept this method; see the header Allow.";
                Problem::new(StatusCode::METHOD_NOT_ALLOWED, Code::MethodNotAllowed, detail)
            })
            .layer(Extension(document))
            .layer(middleware::compression())
            .layer(CatchPanicLayer::custom(|_| Problem::internal().into_response()))
            .layer(from_fn_with_state(self.clone(), client::identify))
            .layer(from_fn_with_state(self.clone(), middleware::refuse_when_stopping))
            .layer(from_fn_with_state(self.clone(), middleware::check_origin))
            .layer(from_fn_with_state(self.clone(), middleware::check_host))
            .layer(headers)
            .layer(from_fn_with_state(self.clone(), drain::drain_body))
            .layer(from_fn_with_state(self.clone(), middleware::log))
            .with_state(self.clone())
    }
}

//! `POST /api/v1/moves` and `POST /api/v1/make`: the rules, for those who know none.

use crate::app::App;
use crate::ask::POSITION;
use crate::body;
use crate::position::{Asked, View};
use crate::problem::Problem;
use axum::Json;
use axum::extract::{Request, State};

/// Answers a position's legal moves and state.
///
/// # Errors
/// The request cannot be read, or its position is refused.
pub async fn moves(State(app): State<App>, request: Request) -> Result<Json<View>, Problem> {
    let fields = [&POSITION[..], &["history"]].concat();
    let ask = body::read(request, &app.config, &fields).await?;
    Ok(Json(Asked::new(&ask)?.view(ask.wants_history())))
}

/// Answers the position after a move.
///
/// # Errors
/// The request cannot be read, or its position or move is refused: with the reason.
pub async fn make(State(app): State<App>, request: Request) -> Result<Json<View>, Problem> {
    let fields = [&POSITION[..], &["move"]].concat();
    let ask = body::read(request, &app.config, &fields).await?;
    let Some(text) = &ask.to_make else {
        return Err(Problem::syntax("move", "give a move, as e2e4 or Nf3"));
    };
    let mut asked = Asked::new(&ask)?;
    let m = asked.read_move("move", text)?;
    asked.game.push(m);
    Ok(Json(asked.view_after_move()))
}

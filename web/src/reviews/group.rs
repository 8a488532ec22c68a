//! Searches a group of positions of a game, for a review that the client drives. The service keeps nothing
//! of it, so each group can be searched by another replica.

use super::run::{ReviewEngine, create_engine, search};
use crate::app::App;
use crate::backend::{SearchParameters, SearchTask};
use crate::client::ClientId;
use crate::problem::Problem;
use futures_util::stream::{self, Stream};
use saavedra::analysis::begins_group;
use saavedra_api::{RequestedGame, SearchedPosition};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use utoipa::ToSchema;

/// What the search of a group reports.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum GroupEvent {
    /// A searched position.
    Position(SearchedPosition),
    /// A search failed; the group must be searched again.
    Problem(Problem),
}

/// A group that is being searched. Dropping it stops the search.
struct Group {
    app: App,
    client: ClientId,
    /// The game up to the next position.
    requested: RequestedGame,
    parameters: SearchParameters,
    /// The ply of the last position to be searched, which is the first of the game.
    first_ply: usize,
    engine: Option<ReviewEngine>,
    _permit: OwnedSemaphorePermit,
}

/// Searches the group that has the position after `ply` plies, its last position first, beginning with
/// an empty transposition table, as `saavedra analyse` does.
pub fn search_group(
    app: App,
    client: ClientId,
    mut requested: RequestedGame,
    ply: usize,
    parameters: SearchParameters,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = GroupEvent> {
    let last_ply = requested.game.moves().len();
    let begins = |ply: &usize| begins_group(last_ply - ply);
    let start = (ply..=last_ply).find(begins).unwrap_or(last_ply);
    let first_ply = (0..start).rev().find(begins).map_or(0, |next| next + 1);
    for _ in start..last_ply {
        requested.game.pop();
    }
    let group =
        Group { app, client, requested, parameters, first_ply, engine: None, _permit: permit };
    stream::unfold(Some(group), async |group| {
        let mut group = group?;
        match group.search_next().await {
            Ok(position) => {
                let is_last =
                    position.ply == group.first_ply || group.requested.game.pop().is_none();
                Some((GroupEvent::Position(position), (!is_last).then_some(group)))
            }
            Err(problem) => Some((GroupEvent::Problem(problem), None)),
        }
    })
}

impl Group {
    async fn search_next(&mut self) -> Result<SearchedPosition, Problem> {
        let new_game = self.engine.is_none();
        if new_game {
            let slot = self.app.reviews.slots.acquire(self.client).await;
            let nodes = self.parameters.limits.nodes;
            self.engine = Some(create_engine(&self.app, slot, nodes).await?);
        }
        let Some(engine) = &mut self.engine else {
            return Err(Problem::internal());
        };
        let (game, parameters) = (self.requested.game.clone(), self.parameters.clone());
        let task = SearchTask { new_game, ..SearchTask::new(game, parameters) };
        let found = search(&self.app, self.client, &task, &mut engine.backend).await?;
        let name = &self.app.engine_name;
        Ok(SearchedPosition::new(&self.requested, name, &found.result, found.searched))
    }
}

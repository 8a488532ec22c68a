//! Relabelling: searches the positions of recorded games again, for new scores, and new principal
//! variations where they are recorded.

use super::store::ResumableOutput;
use super::{DataError, FileHeader, GameRecord, NO_SCORE, score_to_record, self_play_limits};
use crate::chess::{Game, Move};
use crate::engine::{EngineError, Searcher, search_in_parallel};
use crate::eval::Evaluation;
use crate::search::SearchRequest;
use std::collections::BTreeMap;
use std::path::Path;

/// The transposition table of a thread, in megabytes.
const HASH: usize = 4;

/// Searches every position with a score again, with the soft node limit of the header, and writes
/// the games with the new scores in the same order. Continues the output of an interrupted run with
/// the same header. The games must have been checked.
///
/// `on_progress` gets the number of games that are done.
///
/// # Errors
/// If memory, a thread or the output fails, or the output of the interrupted run has other games or
/// another header.
pub fn relabel(
    games: &[GameRecord],
    output: &Path,
    header: &FileHeader,
    evaluation: &Evaluation,
    threads: usize,
    on_progress: &mut dyn FnMut(usize),
) -> Result<(), DataError> {
    let (mut output, done) = ResumableOutput::open(output, header)?;
    if done.len() > games.len() || !done.iter().zip(games).all(|(a, b)| has_same_moves(a, b)) {
        return Err(output.other_run_error().into());
    }
    let searchers = (0..threads.max(1)).map(|_| Searcher::new(HASH, evaluation));
    let searchers = searchers.collect::<Result<Vec<Searcher>, EngineError>>()?;
    let mut next = done.len();
    on_progress(next);
    let search = |searcher: &mut Searcher, number: usize| {
        with_new_scores(searcher, &games[number], header.nodes)
    };
    // The games are written in their order.
    let mut waiting = BTreeMap::new();
    search_in_parallel("relabel", searchers, next..games.len(), search, |number, game| {
        waiting.insert(number, game);
        while let Some(game) = waiting.remove(&next) {
            output.write(&game)?;
            next += 1;
        }
        on_progress(next);
        Ok::<_, DataError>(())
    })?;
    Ok(output.finish()?)
}

fn has_same_moves(a: &GameRecord, b: &GameRecord) -> bool {
    let moves =
        |game: &GameRecord| -> Vec<u16> { game.plies.iter().map(|ply| ply.move_bits).collect() };
    a.start == b.start && moves(a) == moves(b)
}

fn with_new_scores(searcher: &mut Searcher, record: &GameRecord, nodes: u32) -> GameRecord {
    let mut new = record.clone();
    let Ok(start) = record.start_position() else {
        return new;
    };
    searcher.clear();
    let mut game = Game::new(start);
    for (number, ply) in new.plies.iter_mut().enumerate() {
        let Some(m) = Move::from_bits(ply.move_bits) else {
            break;
        };
        if ply.score != NO_SCORE
            && let Some(line) =
                searcher.search(&SearchRequest::for_game(&game, self_play_limits(nodes))).line()
        {
            ply.score = score_to_record(line.score.white_view(game.board().turn()).value());
            if let Some(pv) = new.pvs.get_mut(number) {
                *pv = line.pv.iter().map(|m| m.bits()).collect();
            }
        }
        game.push(m);
    }
    new
}

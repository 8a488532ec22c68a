//! New scores for old games: every position searched again.

use super::RunError;
use super::check;
use super::record::{FileHeader, GameRecord, NO_SCORE};
use super::score::{recorded, soft_limits, white_view};
use super::store::{FileError, Output};
use crate::chess::{Game, Move};
use crate::engine::{EngineError, Searcher, spawn_search_thread};
use crate::eval::Evaluation;
use crate::search::Job;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// The hash table of a thread, in megabytes.
const HASH: usize = 4;

/// Searches every position of these games that has a score, with so many nodes as a soft limit,
/// on so many threads, and writes the games with the new scores, in their order. What an
/// interrupted run with the same header has left of the output is kept and gone on with.
///
/// `tell` is told how many games are done. Games that cannot be played must not be among them.
///
/// # Errors
/// If memory, a thread or the output fails, or what is left there is of other games.
pub fn relabel(
    games: &[GameRecord],
    output: &Path,
    header: &FileHeader,
    evaluation: &Evaluation,
    threads: usize,
    tell: &mut dyn FnMut(usize),
) -> Result<(), RunError> {
    let (mut output, done) = Output::resume(output, header)?;
    let is_ours = |(new, old): (&GameRecord, &GameRecord)| {
        let moves = |game: &GameRecord| -> Vec<u16> {
            game.plies.iter().map(|ply| ply.move_bits).collect()
        };
        new.start == old.start && moves(new) == moves(old)
    };
    if done.len() > games.len() || !done.iter().zip(games).all(is_ours) {
        return Err(output.foreign().into());
    }
    let searchers = (0..threads.max(1))
        .map(|_| Searcher::new(HASH, evaluation))
        .collect::<Result<Vec<Searcher>, EngineError>>()?;
    let first = done.len();
    tell(first);
    let next = AtomicUsize::new(first);
    let (sender, relabelled) = mpsc::sync_channel(4 * threads.max(1));
    thread::scope(|scope| {
        for mut searcher in searchers {
            let (next, sender) = (&next, sender.clone());
            spawn_search_thread(scope, "relabeller", move || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    let Some(game) = games.get(number) else {
                        return;
                    };
                    let game = scored(&mut searcher, game, header.nodes);
                    if sender.send((number, game)).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        write_in_order(relabelled, first, &mut output, tell).map_err(RunError::File)
    })?;
    output.finish()?;
    Ok(())
}

fn write_in_order(
    games: mpsc::Receiver<(usize, GameRecord)>,
    first: usize,
    output: &mut Output,
    tell: &mut dyn FnMut(usize),
) -> Result<(), FileError> {
    let mut next = first;
    let mut early = BTreeMap::new();
    for (number, game) in games {
        early.insert(number, game);
        while let Some(game) = early.remove(&next) {
            output.write(&game)?;
            next += 1;
        }
        tell(next);
    }
    Ok(())
}

/// The game with new scores.
fn scored(searcher: &mut Searcher, record: &GameRecord, nodes: u32) -> GameRecord {
    let mut new = record.clone();
    let Ok(start) = record.start_board() else {
        return new;
    };
    debug_assert!(check::replayed(record).is_ok());
    searcher.clear();
    let mut game = Game::new(start);
    for ply in &mut new.plies {
        let Some(m) = Move::from_bits(ply.move_bits) else {
            break;
        };
        if ply.score != NO_SCORE
            && let Some(info) = searcher
                .search(&Job::for_game(&game, soft_limits(nodes)))
                .info
        {
            ply.score = recorded(white_view(info.score, game.board().turn()));
        }
        game.push(m);
    }
    new
}

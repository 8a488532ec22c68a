//! The evaluation for one search thread: accumulator stack and refresh cache.

use std::sync::Arc;

use super::accumulator::{Accumulator, ChangedPieces, Perspective, PieceBitboards};
use super::arch::{OUTPUT_BUCKETS, output_bucket};
use super::forward::centipawns;
use super::network::Network;
use super::simd::Kernel;
use crate::chess::{Board, Color};

/// How many earlier plies are tried as a source for the incremental update.
const MAX_LOOK_BACK: usize = 3;
/// The maximum number of pieces that one move changes (castling). Up to this, the previous entry is
/// used without a search for a nearer one.
const MAX_CHANGES_PER_MOVE: usize = 4;
/// With more changed pieces, the refresh cache is likely to be nearer than the stack.
const MAX_INCREMENTAL_CHANGES: usize = 10;

/// Evaluates positions for one thread.
///
/// The accumulator stack has one entry per ply: the accumulators of both perspectives and the
/// pieces they were computed for. An evaluation compares the board with the entries of the plies
/// just before and applies the changed pieces to one of them. The choice of the entry affects only
/// the speed. There is nothing to push or pop, and a null move, which changes no pieces, reuses its
/// parent's accumulators. A position that is not evaluated, because it is in check or its evaluation
/// is known, costs nothing until it has children: then [`update`](Evaluator::update) computes its
/// accumulators once for all of them.
///
/// When a king crosses between the files d and e, all features of its side's perspective change.
/// That perspective is then refreshed from a cache ("Finny tables"), which keeps the last
/// accumulator of each perspective and orientation with its pieces.
#[derive(Clone, Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    kernel: Kernel,
    /// The accumulator stack, indexed by ply.
    stack: Box<[StackEntry]>,
    /// Indexed by perspective and by whether the files are mirrored.
    refresh_cache: Box<[[RefreshEntry; 2]; 2]>,
    changes: ChangedPieces,
}

/// The accumulators of a position.
#[derive(Clone, Debug)]
struct StackEntry {
    /// White's and Black's.
    accumulators: [Accumulator; 2],
    perspectives: [Perspective; 2],
    pieces: PieceBitboards,
}

/// One perspective's accumulator in one orientation.
#[derive(Clone, Debug)]
struct RefreshEntry {
    accumulator: Accumulator,
    pieces: PieceBitboards,
}

impl Evaluator {
    /// An evaluator for searches up to `max_ply`; deeper plies work, but slower.
    pub fn new(network: Arc<Network>, kernel: Kernel, max_ply: usize) -> Evaluator {
        // The bias is the accumulator of an empty board, in every orientation.
        let accumulator = Accumulator(network.weights().feature_bias);
        let pieces = PieceBitboards::EMPTY;
        let entry = StackEntry {
            accumulators: [accumulator.clone(), accumulator.clone()],
            perspectives: Color::ALL.map(|color| Perspective::new(color, 0)),
            pieces,
        };
        let refresh = RefreshEntry { accumulator, pieces };
        let orientations = [refresh.clone(), refresh];
        Evaluator {
            network,
            kernel,
            stack: vec![entry; max_ply + 1].into_boxed_slice(),
            refresh_cache: Box::new([orientations.clone(), orientations]),
            changes: ChangedPieces::NONE,
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The static evaluation in centipawns from the side to move's view, equal to
    /// [`mod@super::reference`]'s. `ply` is the distance from the root of the search.
    #[inline]
    pub fn evaluate(&mut self, ply: usize, board: &Board) -> i32 {
        let ply = ply.min(self.stack.len() - 1);
        let pieces = PieceBitboards::of(board);
        let changed = self.changes.set(&self.stack[ply.saturating_sub(1)].pieces, &pieces);
        let bucket = output_bucket(board.occupied().count() as usize, OUTPUT_BUCKETS);
        let sum = match self.update_and_forward(ply, board, &pieces, bucket) {
            Some(sum) => sum,
            None => {
                let index = self.update_stack(ply, board, &pieces, changed);
                self.forward(index, board.turn(), bucket)
            }
        };
        centipawns(sum, self.network.weights().output_bias[bucket])
    }

    /// Updates the entry at `ply` from the entry before it and evaluates it, in one pass. `None` if
    /// they differ by more than a move, by castling or by the orientation of a perspective. The
    /// changes must be set.
    #[inline]
    fn update_and_forward(
        &mut self,
        ply: usize,
        board: &Board,
        pieces: &PieceBitboards,
        bucket: usize,
    ) -> Option<i32> {
        let (before, rest) = self.stack.split_at_mut(ply);
        let (source, entry) = (before.last()?, &mut rest[0]);
        let perspectives = Perspective::both(board);
        if source.perspectives != perspectives {
            return None;
        }
        let weights = self.network.weights();
        let [us, them] = &weights.output_weights[bucket];
        let sum = self.kernel.update_and_forward(
            weights,
            &source.accumulators,
            &mut entry.accumulators,
            &self.changes,
            perspectives,
            if board.turn() == Color::White { [us, them] } else { [them, us] },
        )?;
        entry.perspectives = perspectives;
        entry.pieces = *pieces;
        Some(sum)
    }

    /// The output of a stack entry before its bias, from the view of the side to move.
    fn forward(&self, index: usize, turn: Color, bucket: usize) -> i32 {
        let [white, black] = &self.stack[index].accumulators;
        let (us, them) = match turn {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        self.kernel.forward(us, them, &self.network.weights().output_weights[bucket])
    }

    /// Updates the accumulators at `ply` to the board, without an evaluation, so that each child
    /// differs by one move.
    #[inline]
    pub fn update(&mut self, ply: usize, board: &Board) {
        let ply = ply.min(self.stack.len() - 1);
        let pieces = PieceBitboards::of(board);
        if self.stack[ply].pieces != pieces {
            let changed = self.changes.set(&self.stack[ply.saturating_sub(1)].pieces, &pieces);
            self.update_stack(ply, board, &pieces, changed);
        }
    }

    /// Returns the index of a stack entry with the accumulators of these pieces; if there is none,
    /// computes the entry at `ply`. The changes since the entry before it, `changed` pieces, must
    /// be set.
    #[inline]
    fn update_stack(
        &mut self,
        ply: usize,
        board: &Board,
        pieces: &PieceBitboards,
        mut changed: usize,
    ) -> usize {
        let mut source = ply.saturating_sub(1);
        if changed > MAX_CHANGES_PER_MOVE {
            // The parent is a null move, which has no entry of its own, or was not updated.
            source = self.nearest_entry(ply, pieces);
            changed = self.changes.set(&self.stack[source].pieces, pieces);
        }
        if changed == 0 {
            return source;
        }
        let (before, rest) = self.stack.split_at_mut(ply);
        let source = before.get(source).filter(|_| changed <= MAX_INCREMENTAL_CHANGES);
        let entry = &mut rest[0];
        let weights = self.network.weights();
        let perspectives = Perspective::both(board);
        let mut needs_refresh = [true; 2];
        if let Some(source) = source {
            for color in 0..2 {
                let perspective = perspectives[color];
                needs_refresh[color] = source.perspectives[color] != perspective;
                if !needs_refresh[color] {
                    let from = &source.accumulators[color];
                    let to = &mut entry.accumulators[color];
                    self.kernel.update(weights, from, to, &self.changes, perspective);
                }
            }
        }
        entry.perspectives = perspectives;
        entry.pieces = *pieces;
        if needs_refresh != [false; 2] {
            self.refresh(ply, needs_refresh);
        }
        ply
    }

    /// Computes the accumulators of the entry at `ply` from the refresh cache, for the perspectives
    /// that need it. The entry's other fields must be set.
    #[cold]
    fn refresh(&mut self, ply: usize, needs_refresh: [bool; 2]) {
        let StackEntry { accumulators, perspectives, pieces } = &mut self.stack[ply];
        for color in (0..2).filter(|&color| needs_refresh[color]) {
            let (perspective, to) = (perspectives[color], &mut accumulators[color]);
            let cached = &mut self.refresh_cache[color][usize::from(perspective.is_mirrored())];
            self.changes.set(&cached.pieces, pieces);
            let (weights, from) = (self.network.weights(), &cached.accumulator);
            self.kernel.update(weights, from, to, &self.changes, perspective);
            cached.accumulator.clone_from(to);
            cached.pieces = *pieces;
        }
    }

    /// The index of the entry just before `ply` with the fewest changed pieces; `ply` itself if its
    /// entry has these pieces already.
    #[cold]
    fn nearest_entry(&self, ply: usize, pieces: &PieceBitboards) -> usize {
        if self.stack[ply].pieces == *pieces {
            return ply;
        }
        let candidates = ply.saturating_sub(MAX_LOOK_BACK)..ply;
        let distance = |index: &usize| self.stack[*index].pieces.distance(pieces);
        candidates.rev().min_by_key(distance).unwrap_or(ply)
    }
}

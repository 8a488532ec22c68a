//! The evaluation as the search uses it: fast because it remembers what it has computed.

use std::sync::Arc;

use super::accumulator::{Accumulator, Changes, Men, View};
use super::arch::{OUTPUT_BUCKETS, output_bucket};
use super::forward::centipawns;
use super::network::Network;
use super::simd::Kernel;
use crate::chess::{Board, Color};

/// How many plies to look back for a similar board.
const LOOK_BACK: usize = 3;
/// A move changes at most so many men: nothing nearer need be looked for.
const ONE_MOVE: usize = 4;
/// With more changes than this from all boards nearby, the refresh cache is likely to be nearer.
const NEARBY: usize = 10;

/// Evaluates positions for one thread.
///
/// For each ply it keeps the last board evaluated there with the accumulators of both
/// perspectives. A board is evaluated by finding what changed since a board at a ply just before;
/// which one matters only for the speed, because every entry is true for the men it names. So
/// there is nothing to push or to pop, positions that are never evaluated cost nothing, and a null
/// move, which changes no men, uses the accumulators of the position before.
///
/// When a king has crossed between the files d and e, its side's inputs have all changed. Then the
/// start is the last board with such an orientation, out of a cache.
#[derive(Clone, Debug)]
pub struct Evaluator {
    network: Arc<Network>,
    kernel: Kernel,
    /// One for each ply.
    entries: Box<[Entry]>,
    /// Per perspective, first with the files as they are, then mirrored.
    cache: Box<[[Refreshed; 2]; 2]>,
    changes: Changes,
}

/// The accumulators for some men.
#[derive(Clone, Debug)]
struct Entry {
    /// White's and Black's perspective.
    accumulators: [Accumulator; 2],
    views: [View; 2],
    men: Men,
}

/// One perspective's accumulator for some men, in one orientation.
#[derive(Clone, Debug)]
struct Refreshed {
    accumulator: Accumulator,
    men: Men,
}

impl Evaluator {
    /// An evaluator for searches to this ply (from 0, with it included); deeper ones work, slower.
    pub fn new(network: Arc<Network>, kernel: Kernel, max_ply: usize) -> Evaluator {
        // The bias alone is true for an empty board, whichever way it is turned.
        let accumulator = Accumulator(network.weights().feature_bias);
        let men = Men::NONE;
        let entry = Entry {
            accumulators: [accumulator.clone(), accumulator.clone()],
            views: Color::ALL.map(|color| View::new(color, 0)),
            men,
        };
        let refreshed = Refreshed { accumulator, men };
        let perspective = [refreshed.clone(), refreshed];
        Evaluator {
            network,
            kernel,
            entries: vec![entry; max_ply + 1].into_boxed_slice(),
            cache: Box::new([perspective.clone(), perspective]),
            changes: Changes::NONE,
        }
    }

    /// The network it evaluates with.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The kernel it computes with.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The evaluation in centipawns for the side to move, equal to that of
    /// [`mod@super::reference`]. `ply` is the distance from the root of the search.
    #[inline]
    pub fn evaluate(&mut self, ply: usize, board: &Board) -> i32 {
        let index = self.materialize(ply.min(self.entries.len() - 1), board);
        let [white, black] = &self.entries[index].accumulators;
        let (own, other) = match board.turn() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        let bucket = output_bucket(board.occupied().count() as usize, OUTPUT_BUCKETS);
        let weights = self.network.weights();
        let output_weights = &weights.output_weights[bucket];
        let sum = self.kernel.forward(own, other, output_weights);
        centipawns(sum, weights.output_bias[bucket])
    }

    /// Sees to it that some entry holds the board's men, if need be that of the ply, and says
    /// which.
    #[inline]
    fn materialize(&mut self, ply: usize, board: &Board) -> usize {
        let men = Men::of(board);
        let mut base = ply.saturating_sub(1);
        let mut changed = self.changes.set(&self.entries[base].men, &men);
        if changed > ONE_MOVE {
            // The parent was not evaluated: it was in check, or its evaluation was known.
            base = self.nearest(ply, &men);
            changed = self.changes.set(&self.entries[base].men, &men);
        }
        if changed == 0 {
            return base;
        }
        let (before, rest) = self.entries.split_at_mut(ply);
        let base = before.get(base).filter(|_| changed <= NEARBY);
        let entry = &mut rest[0];
        let weights = self.network.weights();
        let views = Color::ALL.map(|color| View::new(color, board.king(color).index()));
        let mut turned = [true; 2];
        if let Some(base) = base {
            for color in 0..2 {
                turned[color] = base.views[color] != views[color];
                if !turned[color] {
                    let (from, to) = (&base.accumulators[color], &mut entry.accumulators[color]);
                    let (changes, view) = (&self.changes, views[color]);
                    self.kernel.update(weights, from, to, changes, view);
                }
            }
        }
        entry.views = views;
        entry.men = men;
        if turned != [false; 2] {
            self.refresh(ply, turned);
        }
        ply
    }

    /// Computes the accumulators of the given perspectives of an entry, whose other fields are
    /// set, from those in the cache.
    #[cold]
    fn refresh(&mut self, ply: usize, perspectives: [bool; 2]) {
        let Entry {
            accumulators,
            views,
            men,
        } = &mut self.entries[ply];
        for color in (0..2).filter(|&color| perspectives[color]) {
            let (view, to) = (views[color], &mut accumulators[color]);
            let cached = &mut self.cache[color][usize::from(view.is_mirrored())];
            self.changes.set(&cached.men, men);
            let (weights, from) = (self.network.weights(), &cached.accumulator);
            self.kernel.update(weights, from, to, &self.changes, view);
            cached.accumulator.clone_from(to);
            cached.men = *men;
        }
    }

    /// Which of the entries just before the ply shares most men; that of the ply itself if it
    /// holds these men already.
    #[cold]
    fn nearest(&self, ply: usize, men: &Men) -> usize {
        if self.entries[ply].men == *men {
            return ply;
        }
        let nearby = ply.saturating_sub(LOOK_BACK)..ply;
        let distance = |index: &usize| self.entries[*index].men.distance(men);
        nearby.rev().min_by_key(distance).unwrap_or(ply)
    }
}

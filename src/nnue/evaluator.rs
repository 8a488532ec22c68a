//! The evaluation as the search uses it: fast because it remembers what it has computed.

use std::sync::Arc;

use super::accumulator::{Accumulator, Changes, Men, distance, men};
use super::arch::{OUTPUT_BUCKETS, output_bucket};
use super::features::Orientation;
use super::forward::centipawns;
use super::network::Network;
use super::simd::Kernel;
use crate::chess::{Board, Color, Side};

/// How many plies to look back for a similar board.
const LOOK_BACK: usize = 3;
/// A move changes at most so many men: nothing nearer need be looked for.
const ONE_MOVE: u32 = 4;
/// With more changes than this from all boards nearby, the refresh cache is likely to be nearer.
const NEARBY: u32 = 10;

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
}

/// The accumulators for some men.
#[derive(Clone, Debug)]
struct Entry {
    /// White's and Black's perspective.
    accumulators: [Accumulator; 2],
    orientations: [Orientation; 2],
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
        let men = [Side::EMPTY; 2];
        let entry = Entry {
            accumulators: [accumulator.clone(), accumulator.clone()],
            orientations: [Orientation::new(false, 0), Orientation::new(true, 0)],
            men,
        };
        let refreshed = Refreshed { accumulator, men };
        let perspective = [refreshed.clone(), refreshed];
        Evaluator {
            network,
            kernel,
            entries: vec![entry; max_ply + 1].into_boxed_slice(),
            cache: Box::new([perspective.clone(), perspective]),
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
    /// [`reference`](super::reference). `ply` is the distance from the root of the search.
    #[inline]
    pub fn evaluate(&mut self, ply: usize, board: &Board) -> i32 {
        let men = men(board);
        let index = self.materialize(ply.min(self.entries.len() - 1), &men);
        let [white, black] = &self.entries[index].accumulators;
        let (own, other) = match board.turn() {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        let bucket = output_bucket(board.occupied().count() as usize, OUTPUT_BUCKETS);
        let weights = self.network.weights();
        let sum = self
            .kernel
            .forward(own, other, &weights.output_weights[bucket]);
        centipawns(sum, weights.output_bias[bucket])
    }

    /// Sees to it that some entry holds these men, if need be that of the ply, and says which.
    #[inline]
    fn materialize(&mut self, ply: usize, men: &Men) -> usize {
        let (nearest, changed) = self.nearest(ply, men);
        if changed == 0 {
            return nearest;
        }
        let weights = self.network.weights();
        let (before, from_ply) = self.entries.split_at_mut(ply);
        let base = before.get(nearest).filter(|_| changed <= NEARBY);
        let base = base.map(|base| (base, Changes::between(&base.men, men)));
        let entry = &mut from_ply[0];
        for color in Color::ALL {
            let index = color.index();
            let orientation = orientation(color, men);
            let to = &mut entry.accumulators[index];
            match &base {
                Some((base, changes)) if base.orientations[index] == orientation => {
                    let inputs = changes.inputs(color, orientation);
                    let from = &base.accumulators[index];
                    self.kernel.update(weights, from, to, &inputs);
                }
                _ => {
                    let cached = &mut self.cache[index][usize::from(orientation.is_mirrored())];
                    let changes = Changes::between(&cached.men, men);
                    let inputs = changes.inputs(color, orientation);
                    self.kernel
                        .update(weights, &cached.accumulator, to, &inputs);
                    cached.accumulator.clone_from(to);
                    cached.men = *men;
                }
            }
            entry.orientations[index] = orientation;
        }
        entry.men = *men;
        ply
    }

    /// The entry just before the ply that shares most men, or that of the ply itself if it holds
    /// these men already; and how many men it does not share.
    #[inline]
    fn nearest(&self, ply: usize, men: &Men) -> (usize, u32) {
        let mut best = (ply, u32::MAX);
        for index in (ply.saturating_sub(LOOK_BACK)..ply).rev() {
            let changed = distance(&self.entries[index].men, men);
            if changed <= ONE_MOVE {
                return (index, changed);
            }
            if changed < best.1 {
                best = (index, changed);
            }
        }
        if self.entries[ply].men == *men {
            best = (ply, 0);
        }
        best
    }
}

/// How the perspective of a colour turns a board with these men.
#[inline(always)]
fn orientation(perspective: Color, men: &Men) -> Orientation {
    let king = men[perspective.index()].king();
    Orientation::new(perspective == Color::Black, king.index() as u8)
}

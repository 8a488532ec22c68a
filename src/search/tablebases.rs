//! Syzygy tablebases in the search. <https://www.chessprogramming.org/Syzygy_Bases>

use super::info::Bound;
use super::node::{NodeState, NodeType};
use super::params;
use super::root_move::RootMove;
use super::score::{DRAW, MAX_PLY, NO_SCORE, TB_WIN, Value};
use super::tt::TtEntry;
use super::worker::Worker;
use crate::chess::{Board, GameStatus, Move};
use crate::tablebase::{RootRank, Tablebase, WdlScore};
use std::cmp::{Ordering, Reverse};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Tablebases, and when to probe them.
#[derive(Clone)]
pub struct Tablebases {
    /// The tablebases.
    pub base: Arc<Tablebase>,
    /// Minimum depth, in plies, to probe positions with the maximum number of pieces; positions
    /// with fewer pieces are always probed.
    pub probe_depth: i32,
    /// Maximum number of pieces to probe.
    pub probe_limit: u32,
    /// Whether the fifty-move rule applies.
    pub fifty_move_rule: bool,
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tablebases(up to {} pieces)", self.max_pieces())
    }
}

impl Tablebases {
    /// These tablebases, probed as by default: at every depth, with the fifty-move rule.
    pub fn new(base: Arc<Tablebase>) -> Tablebases {
        Tablebases { base, probe_depth: 1, probe_limit: 7, fifty_move_rule: true }
    }

    fn max_pieces(&self) -> u32 {
        self.base.max_pieces().min(self.probe_limit)
    }

    /// Whether a position is a draw, its halfmove clock taken as zero; not if only the fifty-move rule
    /// makes it one, nor outside the tablebases.
    pub fn draws(&self, board: &Board) -> bool {
        self.wdl(board) == Some(WdlScore::Draw)
    }

    /// The WDL value of a position for the side to move, its halfmove clock taken as zero; `None`
    /// outside the tablebases.
    fn wdl(&self, board: &Board) -> Option<WdlScore> {
        if board.occupied().count() > self.max_pieces() {
            return None;
        }
        let wdl = self.base.probe_wdl(board)?;
        Some(if self.fifty_move_rule { wdl } else { wdl.without_fifty_moves() })
    }
}

/// The score of a WDL result at `ply`, with this score of a draw.
fn wdl_to_score(wdl: WdlScore, ply: usize, draw_score: Value) -> Value {
    match wdl {
        WdlScore::Win => TB_WIN - ply as Value,
        WdlScore::Loss => ply as Value - TB_WIN,
        // Draws, but the opponent may err.
        WdlScore::CursedWin => draw_score + 1,
        WdlScore::BlessedLoss => draw_score - 1,
        WdlScore::Draw => draw_score,
    }
}

/// The result of a tablebase probe for a node.
pub(super) enum TbProbe {
    /// No result, or none that helps with this window.
    None,
    /// The score of the node: exact, or a bound that is a cutoff.
    Cutoff(Value),
    /// The score is at least this.
    MinScore(Value),
    /// The score is at most this.
    MaxScore(Value),
}

impl Worker {
    /// Ranks the root moves by tablebases. Without MultiPV only the moves of the best rank are
    /// kept. <https://www.chessprogramming.org/Syzygy_Bases>
    pub(super) fn rank_root_moves(&mut self) {
        let Some(tablebases) = self.request.probed_tablebases() else {
            return;
        };
        let (board, keys) = (&self.request.board, &self.request.previous_keys);
        let is_in_tablebases =
            board.occupied().count() <= tablebases.max_pieces() && !board.castling_rights().any();
        if !is_in_tablebases || self.root_moves.is_empty() {
            return;
        }
        let has_repeated = keys.has_repetition(board);
        let mut keys = keys.clone();
        keys.push(board);
        let base = &tablebases.base;
        let ranks = base.rank_root(board, has_repeated, tablebases.fifty_move_rule);
        let Some(mut ranks) = ranks else { return };
        for (m, rank) in &mut ranks {
            if keys.count(&board.make(*m)) >= 2 {
                *rank = RootRank::draw(rank.dtz.map(|_| 0));
            }
        }
        let hits = ranks.len() as u64;
        let rank_of = |root: &RootMove| ranks.iter().find(|(m, _)| *m == root.m).map(|(_, r)| *r);
        for root in &mut self.root_moves {
            let Some(rank) = rank_of(root) else { return };
            root.tb_score = Some(wdl_to_score(rank.wdl, 0, DRAW));
            root.tb_rank = rank.rank;
        }
        // By DTZ among equal ranks; the search may reorder these.
        self.root_moves.sort_by_key(|root| Reverse(rank_of(root)));
        if self.request.multipv == 1 {
            let best = self.root_moves[0].tb_rank;
            self.root_moves.retain(|root| root.tb_rank == best);
        }
        self.shared.counters[self.id].tb_hits.fetch_add(hits, Relaxed);
        // With DTZ the ranks suffice; below the root, WDL would make all these moves look equal.
        if ranks.iter().all(|(_, rank)| rank.dtz.is_some()) {
            self.probes_tablebases = false;
        }
    }

    /// Probes the tablebases for a node. A cutoff is stored in the transposition table.
    /// <https://www.chessprogramming.org/Syzygy_Bases>
    #[inline]
    pub(super) fn probe_tablebases<N: NodeType>(
        &mut self,
        board: &Board,
        node: &NodeState,
    ) -> TbProbe {
        let Some((score, bound)) = self.probe_wdl::<N>(board, node) else {
            return TbProbe::None;
        };
        let is_cutoff = match bound {
            Bound::Exact => true,
            Bound::Lower => score >= node.beta,
            Bound::Upper => score <= node.alpha,
        };
        if is_cutoff {
            let depth = node.depth + params::tb_stored_depth_bonus();
            let entry = TtEntry {
                best_move: None,
                score,
                raw_eval: NO_SCORE,
                depth: depth.min(MAX_PLY as i32 - 1),
                bound: Some(bound),
                tt_pv: N::PV,
            };
            self.shared.tt.store(board.key(), node.ply, entry);
            return TbProbe::Cutoff(score);
        }
        match bound {
            Bound::Lower if N::PV => TbProbe::MinScore(score),
            Bound::Upper if N::PV => TbProbe::MaxScore(score),
            _ => TbProbe::None,
        }
    }

    /// The score of a node by WDL, and its bound type, if the position is in the tablebases.
    #[inline]
    fn probe_wdl<N: NodeType>(
        &mut self,
        board: &Board,
        node: &NodeState,
    ) -> Option<(Value, Bound)> {
        if !self.probes_tablebases {
            return None;
        }
        let tablebases = self.request.probed_tablebases()?;
        let (pieces, max_pieces) = (board.occupied().count(), tablebases.max_pieces());
        if N::ROOT
            || pieces > max_pieces
            || (pieces == max_pieces && node.depth < tablebases.probe_depth)
            || board.halfmove_clock() != 0
            || board.castling_rights().any()
            || node.excluded_move.is_some()
        {
            return None;
        }
        let wdl = tablebases.wdl(board)?;
        let hits = &self.shared.counters[self.id].tb_hits;
        hits.store(hits.load(Relaxed) + 1, Relaxed);
        let bound = match wdl {
            WdlScore::Win => Bound::Lower,
            WdlScore::Loss => Bound::Upper,
            _ => Bound::Exact,
        };
        let score = wdl_to_score(wdl, node.ply, self.draw_score(node.ply));
        Some((score, bound))
    }

    /// Whether the side to move wins by the tablebases (greater), draws or loses; `None` outside.
    pub(super) fn tablebase_result(&self, board: &Board) -> Option<Ordering> {
        Some(match self.request.probed_tablebases()?.wdl(board)? {
            WdlScore::Win => Ordering::Greater,
            WdlScore::CursedWin | WdlScore::Draw | WdlScore::BlessedLoss => Ordering::Equal,
            WdlScore::Loss => Ordering::Less,
        })
    }

    /// Extends a PV of the root with the best moves by tablebases, to the end of the game or until
    /// the time for this is over.
    pub(super) fn extend_tablebase_pv(&self, mut pv: Vec<Move>) -> Vec<Move> {
        let Some(tablebases) = self.request.probed_tablebases() else {
            return pv;
        };
        let end = self.shared.clock.now() + MAX_EXTENSION_TIME;
        let mut keys = self.request.previous_keys.clone();
        let mut board = self.request.board;
        for m in &pv {
            keys.push(&board);
            board = board.make(*m);
        }
        while pv.len() < MAX_PLY
            && board.status() == GameStatus::Ongoing
            && board.occupied().count() <= tablebases.max_pieces()
            && keys.count(&board) < 2
            && self.shared.clock.now() < end
        {
            let base = &tablebases.base;
            let Some(ranks) = base.rank_root(&board, false, tablebases.fifty_move_rule) else {
                break;
            };
            let best = ranks.into_iter().max_by_key(|(_, rank)| *rank);
            // Without DTZ tables all winning moves are equal, and many make no progress.
            let decisive = best.filter(|(_, rank)| {
                rank.dtz.is_some() && matches!(rank.wdl, WdlScore::Win | WdlScore::Loss)
            });
            let Some((m, _)) = decisive else { break };
            pv.push(m);
            keys.push(&board);
            board = board.make(m);
        }
        pv
    }
}

/// Maximum time to extend a PV.
const MAX_EXTENSION_TIME: Duration = Duration::from_millis(5);

//! Endgame tables in the search: what is certain need not be searched.

use super::info::Bound;
use super::node::Node;
use super::score::{DRAW, MAX_PLY, NONE, Score, TB_WIN};
use super::worker::{Job, RootMove, Worker};
use crate::chess::{Board, GameStatus, Move};
use crate::tablebase::{Tablebase, WdlScore};
use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

/// Tablebases, and when to look into them.
#[derive(Clone)]
pub struct Tablebases {
    /// The tables.
    pub base: Arc<Tablebase>,
    /// Positions with as many men as the tables know are looked up from this depth, in plies;
    /// those with fewer always.
    pub probe_depth: i32,
    /// Positions with more men than this are not looked up.
    pub probe_limit: u32,
    /// Whether the fifty-move rule counts.
    pub fifty_move_rule: bool,
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tablebases(up to {} men)", self.most_men())
    }
}

impl Tablebases {
    fn most_men(&self) -> u32 {
        self.base.max_pieces().min(self.probe_limit)
    }
}

/// The score of a table's outcome, so many plies from the root, where a draw is worth this.
fn score_of(wdl: WdlScore, ply: usize, draw: Score) -> Score {
    match wdl {
        WdlScore::Win => TB_WIN - ply as Score,
        WdlScore::Loss => ply as Score - TB_WIN,
        // Better than nothing, should the opponent err; but a draw.
        WdlScore::CursedWin => draw + 1,
        WdlScore::BlessedLoss => draw - 1,
        WdlScore::Draw => draw,
    }
}

impl Worker {
    /// Notes what the outcome of each root move is, and keeps only those that do not make it worse,
    /// unless several lines are wanted.
    pub(super) fn rank_root_by_tables(&mut self, job: &Job) {
        let Some(tables) = &self.tables else { return };
        let (board, history) = (&job.board, &job.previous_keys);
        let is_known =
            board.occupied().count() <= tables.most_men() && !board.castling_rights().any();
        if !is_known || self.root_moves.is_empty() {
            return;
        }
        let repeated = history
            .iter()
            .rev()
            .take(usize::from(board.halfmove_clock()))
            .any(|key| {
                history.iter().filter(|other| *other == key).count() > 1 || *key == board.key()
            });
        let Some(ranks) = tables
            .base
            .rank_root(board, repeated, tables.fifty_move_rule)
        else {
            return;
        };
        let hits = ranks.len() as u64;
        let rank_of = |root: &RootMove| ranks.iter().find(|(m, _)| *m == root.m).map(|(_, r)| *r);
        for root in &mut self.root_moves {
            let Some(rank) = rank_of(root) else { return };
            root.table_score = Some(score_of(rank.wdl, 0, DRAW));
            root.rank = rank.rank;
        }
        // The nearest progress first: among equals the search may choose freely.
        self.root_moves.sort_by_key(|root| Reverse(rank_of(root)));
        if job.multipv == 1 {
            let best = self.root_moves[0].rank;
            self.root_moves.retain(|root| root.rank == best);
        }
        self.shared.counters[self.id]
            .tb_hits
            .fetch_add(hits, Relaxed);
        // Inside, the tables would make all these moves look alike.
        if ranks.iter().all(|(_, rank)| rank.dtz.is_some()) {
            self.tables = None;
        }
    }

    /// What the tables say of a node with this window; a score that decides it is kept.
    #[inline]
    pub(super) fn ask_tables<N: Node>(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        alpha: Score,
        beta: Score,
    ) -> Known {
        let Some((score, bound)) = self.look_up::<N>(board, depth, ply) else {
            return Known::Nothing;
        };
        let decides = match bound {
            Bound::Exact => true,
            Bound::Lower => score >= beta,
            Bound::Upper => score <= alpha,
        };
        if decides {
            let key = board.key();
            let depth = (depth + 6).min(MAX_PLY as i32 - 1);
            self.shared
                .tt
                .store(key, ply, None, score, NONE, depth, Some(bound), N::PV);
            return Known::Score(score);
        }
        match bound {
            Bound::Lower if N::PV => Known::AtLeast(score),
            Bound::Upper if N::PV => Known::AtMost(score),
            _ => Known::Nothing,
        }
    }

    /// The certain score of a node, and what it says, if the tables know the position.
    #[inline]
    fn look_up<N: Node>(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
    ) -> Option<(Score, Bound)> {
        let tables = self.tables.as_ref()?;
        let (men, most) = (board.occupied().count(), tables.most_men());
        if N::ROOT
            || men > most
            || (men == most && depth < tables.probe_depth)
            || board.halfmove_clock() != 0
            || board.castling_rights().any()
            || self.frames[ply].excluded.is_some()
        {
            return None;
        }
        let mut wdl = tables.base.probe_wdl(board)?;
        if !tables.fifty_move_rule {
            wdl = wdl.without_fifty_moves();
        }
        let hits = &self.shared.counters[self.id].tb_hits;
        hits.store(hits.load(Relaxed) + 1, Relaxed);
        let bound = match wdl {
            WdlScore::Win => Bound::Lower,
            WdlScore::Loss => Bound::Upper,
            _ => Bound::Exact,
        };
        Some((score_of(wdl, ply, self.draw_at(ply)), bound))
    }
}

/// What the tables say of a node.
pub(super) enum Known {
    /// Nothing that matters.
    Nothing,
    /// This is its score, or at least on this side of the window.
    Score(Score),
    /// Its score is this or higher.
    AtLeast(Score),
    /// Its score is this or lower.
    AtMost(Score),
}

/// No line is continued for longer than this: it is for people, and costs time.
const LONGEST_EXTENSION: Duration = Duration::from_millis(5);

/// Continues a line through the tables until the game is over: both sides play what the tables call
/// best.
pub(super) fn extend_line(
    tables: &Tablebases,
    root: &Board,
    history: &[u64],
    mut line: Vec<Move>,
) -> Vec<Move> {
    let begin = Instant::now();
    let mut keys = history.to_vec();
    let mut board = *root;
    for m in &line {
        keys.push(board.key());
        board = board.make(*m);
    }
    while line.len() < MAX_PLY
        && board.status() == GameStatus::Ongoing
        && board.occupied().count() <= tables.most_men()
        && keys.iter().filter(|key| **key == board.key()).count() < 2
        && begin.elapsed() < LONGEST_EXTENSION
    {
        let Some(ranks) = tables.base.rank_root(&board, false, tables.fifty_move_rule) else {
            break;
        };
        let best = ranks.into_iter().max_by_key(|(_, rank)| *rank);
        let Some((m, _)) =
            best.filter(|(_, rank)| matches!(rank.wdl, WdlScore::Win | WdlScore::Loss))
        else {
            break;
        };
        line.push(m);
        keys.push(board.key());
        board = board.make(m);
    }
    line
}

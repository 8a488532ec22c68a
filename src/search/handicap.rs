//! Handicaps: a search that errs as a human player does.
//!
//! A human misjudges positions and misses moves: long moves more often than short ones, quiet moves
//! more often than captures, the opponent's more often than their own. Both errors depend only on the
//! position, the move and a seed. So a missed move is missed throughout the search, and a game can be
//! reproduced.
//!
//! No moves are missed in check. Against a lone king nothing is missed or misjudged.

use super::score::Value;
use super::worker::Worker;
use crate::chess::{Board, Move};
use crate::eval::has_lone_king;

/// The errors of a weakened search. (Saavedra) `docs/STRENGTH_LEVELS.md` has the measured strength of
/// each level.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// Maximum evaluation error in centipawns, on a full board; it is smaller with fewer pieces.
    pub max_eval_error: Value,
    /// How often an opponent's short quiet move is missed, per mille; the rates of other moves are
    /// multiples of it.
    pub miss_rate: u32,
    /// Whether a mate in one is never missed.
    pub sees_mate_in_one: bool,
    /// Seed of all errors.
    pub seed: u64,
}

/// A move over at least this many squares is long.
const LONG_MOVE: u8 = 4;
/// Maximum miss rate of a move, per mille.
const MAX_MISS_RATE: u32 = 900;
/// The evaluation error is scaled by (8 + pieces) / 40.
const EVAL_ERROR_BASE: Value = 8;
const EVAL_ERROR_DIVISOR: Value = 40;

/// The miss rate of an opponent's move in percent of [`Handicap::miss_rate`].
const fn miss_percent(is_capture: bool, is_long: bool) -> u32 {
    match (is_capture, is_long) {
        (true, false) => 30,
        (true, true) => 80,
        (false, false) => 100,
        (false, true) => 150,
    }
}

impl Handicap {
    /// The error of the evaluation of this position, in centipawns.
    #[cold]
    pub(super) fn eval_error(&self, board: &Board) -> Value {
        if has_lone_king(board) {
            return 0;
        }
        let pieces = board.occupied().count() as Value;
        let max = self.max_eval_error * (EVAL_ERROR_BASE + pieces) / EVAL_ERROR_DIVISOR;
        let random = self.random(board, 0);
        // The difference of two uniform numbers: small errors are more frequent than large ones.
        let (one, other) = (random & 0xFFFF, random >> 48);
        max * (one as Value - other as Value) / 0xFFFF
    }

    /// Whether a move is missed in this position; `is_own` if it belongs to the side to move at the
    /// root.
    #[cold]
    fn misses_move(&self, board: &Board, m: Move, is_own: bool) -> bool {
        if self.miss_rate == 0 || board.in_check() || has_lone_king(board) {
            return false;
        }
        let is_long = m.from().distance(m.destination()) >= LONG_MOVE;
        let is_capture = board.is_capture(m);
        let percent = miss_percent(is_capture, is_long);
        let percent = if is_own { percent / 2 } else { percent };
        let miss_rate = (self.miss_rate * percent / 100).min(MAX_MISS_RATE);
        self.random(board, m.bits()) % 1000 < u64::from(miss_rate)
    }

    /// Removes the missed moves of the root; at least one move is left.
    pub(super) fn restrict_root_moves(&self, board: &Board, moves: &mut Vec<Move>) {
        let is_mate = |m: &Move| board.make(*m).is_checkmate();
        if self.sees_mate_in_one && moves.iter().any(is_mate) {
            moves.retain(is_mate);
        } else if moves.iter().any(|m| !self.misses_move(board, *m, true)) {
            moves.retain(|m| !self.misses_move(board, *m, true));
        }
    }

    /// A hash of the position, the seed and a move.
    fn random(&self, board: &Board, m: u16) -> u64 {
        let mut x = board.key() ^ self.seed.rotate_left(17) ^ u64::from(m) << 24;
        for factor in [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB] {
            x = (x ^ x >> 31).wrapping_mul(factor);
        }
        x ^ x >> 29
    }
}

/// The moves that the handicap misses at a node.
#[derive(Clone, Copy)]
pub(super) struct MoveFilter {
    handicap: Handicap,
    is_own: bool,
}

impl MoveFilter {
    /// Whether a move is missed in this position.
    pub(super) fn misses(&self, board: &Board, m: Move) -> bool {
        self.handicap.misses_move(board, m, self.is_own)
    }
}

impl Worker {
    /// The moves that the handicap misses at this ply. Root moves are filtered before the search.
    #[inline]
    pub(super) fn move_filter(&self, ply: usize) -> Option<MoveFilter> {
        let handicap = self.request.handicap.filter(|_| ply > 0)?;
        let is_own = ply.is_multiple_of(2);
        Some(MoveFilter { handicap, is_own })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handicap(max_eval_error: Value, miss_rate: u32) -> Handicap {
        Handicap { max_eval_error, miss_rate, sees_mate_in_one: true, seed: 7 }
    }

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a sound position")
    }

    #[test]
    fn evaluation_errors_are_bounded_and_balanced() {
        let handicap = handicap(100, 0);
        let errors: Vec<Value> = Board::startpos()
            .children()
            .flat_map(|(_, child)| {
                child.children().map(|(_, b)| handicap.eval_error(&b)).collect::<Vec<_>>()
            })
            .collect();
        let mean = errors.iter().sum::<Value>() / errors.len() as Value;
        assert!(errors.iter().all(|error| error.abs() <= 100));
        assert!(errors.iter().any(|error| error.abs() > 60));
        assert!(mean.abs() < 15, "{mean}");
    }

    #[test]
    fn long_quiet_and_opponent_moves_are_missed_more_often() {
        let middlegame = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let miss_rate_in = |fen, filter: &dyn Fn(&Move) -> bool, is_own| {
            let board = board(fen);
            let moves = board.legal_moves();
            let moves: Vec<Move> = moves.iter().copied().filter(|m| filter(m)).collect();
            let mut missed = 0;
            for seed in 0..400 {
                let handicap = Handicap { seed, ..handicap(0, 400) };
                missed +=
                    moves.iter().filter(|m| handicap.misses_move(&board, **m, is_own)).count();
            }
            missed * 1000 / (moves.len() * 400)
        };
        let miss_rate =
            |filter: &dyn Fn(&Move) -> bool, is_own| miss_rate_in(middlegame, filter, is_own);
        let start = board(middlegame);
        let is_capture = |m: &Move| start.is_capture(*m);
        let is_long = |m: &Move| m.from().distance(m.destination()) >= LONG_MOVE;
        let short_captures = miss_rate(&|m| is_capture(m) && !is_long(m), false);
        let short_quiets = miss_rate(&|m| !is_capture(m) && !is_long(m), false);
        let own_short_quiets = miss_rate(&|m| !is_capture(m) && !is_long(m), true);
        assert!((80..160).contains(&short_captures), "{short_captures}");
        assert!((360..440).contains(&short_quiets), "{short_quiets}");
        assert!((160..240).contains(&own_short_quiets), "{own_short_quiets}");
        // The king moves two squares, and en passant is a capture.
        let castling = miss_rate(&|m| m.is_castling(), false);
        assert!((360..440).contains(&castling), "{castling}");
        let fen = "4k3/8/8/3pP3/8/8/8/R3K3 w - d6 0 1";
        let en_passant = miss_rate_in(fen, &|m| m.is_en_passant(), false);
        assert!((80..160).contains(&en_passant), "{en_passant}");
    }

    #[test]
    fn no_errors_in_check_or_against_a_lone_king() {
        let handicap = handicap(300, 900);
        let lone_king = "8/8/3k4/8/8/3K4/8/R7 w - - 0 1";
        let in_check = "rnb1kbnr/pppp1ppp/8/4p3/7q/5P2/PPPPP1PP/RNBQKBNR w KQkq - 1 3";
        for fen in [lone_king, in_check] {
            let board = board(fen);
            for m in &board.legal_moves() {
                assert!(!handicap.misses_move(&board, m, false), "{fen}");
            }
        }
        assert_eq!(handicap.eval_error(&board(lone_king)), 0);
    }

    #[test]
    fn root_moves_are_the_mates_or_at_least_one_move() {
        let mate = board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
        for seed in 0..50 {
            let handicap = Handicap { seed, ..handicap(0, 900) };
            let mut moves: Vec<Move> = mate.legal_moves().iter().copied().collect();
            handicap.restrict_root_moves(&mate, &mut moves);
            assert_eq!(moves.len(), 1);
            assert_eq!(mate.uci(moves[0], false), "a1a8");
            let mut moves: Vec<Move> = Board::startpos().legal_moves().iter().copied().collect();
            handicap.restrict_root_moves(&Board::startpos(), &mut moves);
            assert!((1..20).contains(&moves.len()));
        }
    }
}

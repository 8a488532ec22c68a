//! Short handicap: how a search is made to err as a person does.
//!
//! A person misjudges positions, and does not see every move: those over a long way more rarely
//! than those nearby, quiet ones more rarely than captures, the opponent's more rarely than one's
//! own. Both are decided by the position, the move and a seed, so that whoever misses_move a move
//! does so wherever it turns up in the search, and a game can be played again as it was.
//!
//! A player in check looks at all that is legal, and against a king alone sees everything: what
//! wins there is known by heart.

use super::score::Score;
use crate::chess::{Board, Move};
use crate::eval::has_lone_king;

/// What a weakened search sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Handicap {
    /// Evaluations err by at most so many centipawns, usually by less; with few men on the board
    /// they err less.
    pub max_eval_error: Score,
    /// How often an opponent's quiet move nearby is overlooked, in thousandths.
    pub miss_rate: u32,
    /// Whether a mate in one is always seen.
    pub sees_mate_in_one: bool,
    /// Decides what is misjudged and overlooked.
    pub seed: u64,
}

/// Moves over at least so many squares are far.
const FAR: u8 = 4;

impl Handicap {
    /// By how much the evaluation of this position errs.
    pub(super) fn eval_error(&self, board: &Board) -> Score {
        if has_lone_king(board) {
            return 0;
        }
        let men = board.occupied().count() as Score;
        let most = self.max_eval_error * (8 + men) / 40;
        let random = self.random(board, 0);
        // The difference of two numbers: small errors are more frequent than large ones.
        let (one, other) = (random & 0xFFFF, random >> 48);
        most * (one as Score - other as Score) / 0xFFFF
    }

    /// Whether a move of this position is not seen.
    pub(super) fn misses_move(&self, board: &Board, m: Move, is_own: bool) -> bool {
        if self.miss_rate == 0 || board.in_check() || has_lone_king(board) {
            return false;
        }
        let is_far = m.from().distance(m.to()) >= FAR;
        let takes = board.them().occupied().has(m.to());
        let percent = match (takes, is_far) {
            (true, false) => 30,
            (true, true) => 80,
            (false, false) => 100,
            (false, true) => 150,
        };
        let percent = if is_own { percent / 2 } else { percent };
        let thousandths = (self.miss_rate * percent / 100).min(900);
        self.random(board, m.bits()) % 1000 < u64::from(thousandths)
    }

    /// Leaves those moves of the root that are seen; one always is.
    pub(super) fn restrict_root_moves(&self, board: &Board, moves: &mut Vec<Move>) {
        let is_mate = |m: &Move| board.make(*m).is_checkmate();
        if self.sees_mate_in_one && moves.iter().any(is_mate) {
            moves.retain(is_mate);
        } else if moves.iter().any(|m| !self.misses_move(board, *m, true)) {
            moves.retain(|m| !self.misses_move(board, *m, true));
        }
    }

    /// A number without a pattern for a position and a thing about it.
    fn random(&self, board: &Board, thing: u16) -> u64 {
        let mut x = board.key() ^ self.seed.rotate_left(17) ^ u64::from(thing) << 24;
        for factor in [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB] {
            x = (x ^ x >> 31).wrapping_mul(factor);
        }
        x ^ x >> 29
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handicap(error: Score, miss_rate: u32) -> Handicap {
        Handicap {
            max_eval_error: error,
            miss_rate,
            sees_mate_in_one: true,
            seed: 7,
        }
    }

    fn board(fen: &str) -> Board {
        Board::from_fen(fen).expect("a sound position")
    }

    #[test]
    fn errors_are_bounded_and_balanced() {
        let handicap = handicap(100, 0);
        let errors: Vec<Score> = Board::startpos()
            .children()
            .flat_map(|(_, child)| {
                child
                    .children()
                    .map(|(_, b)| handicap.eval_error(&b))
                    .collect::<Vec<_>>()
            })
            .collect();
        let mean = errors.iter().sum::<Score>() / errors.len() as Score;
        assert!(errors.iter().all(|error| error.abs() <= 100));
        assert!(errors.iter().any(|error| error.abs() > 60));
        assert!(mean.abs() < 15, "{mean}");
    }

    #[test]
    fn the_far_and_quiet_and_the_opponents_is_overlooked_more_often() {
        let board = board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        let share = |wanted: &dyn Fn(&Move) -> bool, is_own| {
            let moves = board.legal_moves();
            let moves: Vec<Move> = moves.iter().copied().filter(|m| wanted(m)).collect();
            let mut seen = 0;
            for seed in 0..400 {
                let handicap = Handicap {
                    seed,
                    ..handicap(0, 400)
                };
                seen += moves
                    .iter()
                    .filter(|m| handicap.misses_move(&board, **m, is_own))
                    .count();
            }
            seen * 1000 / (moves.len() * 400)
        };
        let takes = |m: &Move| board.them().occupied().has(m.to());
        let far = |m: &Move| m.from().distance(m.to()) >= FAR;
        let near_captures = share(&|m| takes(m) && !far(m), false);
        let near_quiet = share(&|m| !takes(m) && !far(m), false);
        let own = share(&|m| !takes(m) && !far(m), true);
        assert!((80..160).contains(&near_captures), "{near_captures}");
        assert!((360..440).contains(&near_quiet), "{near_quiet}");
        assert!((160..240).contains(&own), "{own}");
    }

    #[test]
    fn checks_and_elementary_endings_are_seen_through() {
        let handicap = handicap(300, 900);
        for fen in [
            "8/8/3k4/8/8/3K4/8/R7 w - - 0 1",
            "rnb1kbnr/pppp1ppp/8/4p3/7q/5P2/PPPPP1PP/RNBQKBNR w KQkq - 1 3",
        ] {
            let board = board(fen);
            for m in &board.legal_moves() {
                assert!(!handicap.misses_move(&board, m, false), "{fen}");
            }
        }
        assert_eq!(
            handicap.eval_error(&board("8/8/3k4/8/8/3K4/8/R7 w - - 0 1")),
            0
        );
    }

    #[test]
    fn a_mate_is_all_that_is_left_and_something_always_is() {
        let mate = board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1");
        for seed in 0..50 {
            let handicap = Handicap {
                seed,
                ..handicap(0, 900)
            };
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

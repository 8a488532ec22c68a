//! Ranks the root moves so that no win is given away.
//!
//! A win is safe if its next zeroing move or mate comes before the fifty-move rule. Safe wins have
//! equal rank, so the search chooses among them. After a repetition they are ranked by DTZ, so that
//! the win makes progress.

use super::Tablebase;
use super::WdlScore;
use super::table::Dtz;
use saavedra_chess::{Board, Move};
use std::cmp::Ordering;

/// The tablebase rank of a root move.
///
/// Ordered from worst to best: by `rank`, then by `dtz` (the faster win, the slower loss). Always
/// playing a move of the greatest rank never gives away a win or a draw; ranked by WDL tables alone
/// it keeps the win, but may make no progress. Moves of equal `rank` have the same outcome, so the
/// search may choose among them by its own score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RootRank {
    /// Outcome of the move for the side that plays it, with the halfmove clock of the root if the
    /// move was ranked by DTZ. If the fifty-move rule is off, there are no cursed wins and blessed
    /// losses.
    pub wdl: WdlScore,
    /// DTZ of the root if this move is played, in plies, positive for a win; `None` if the move was
    /// ranked by WDL tables alone.
    pub dtz: Option<i32>,
    /// The greater the better.
    pub rank: i32,
}

impl RootRank {
    /// The rank of a move that draws by a rule of the game. `dtz` is 0 or `None`.
    pub const fn draw(dtz: Option<i32>) -> RootRank {
        RootRank { wdl: WdlScore::Draw, dtz, rank: 0 }
    }
}

impl Ord for RootRank {
    fn cmp(&self, other: &RootRank) -> Ordering {
        let distance = |rank: &RootRank| rank.dtz.unwrap_or(0);
        self.rank
            .cmp(&other.rank)
            .then(distance(other).cmp(&distance(self)))
            .then(self.wdl.cmp(&other.wdl))
            .then(self.dtz.cmp(&other.dtz))
    }
}

impl PartialOrd for RootRank {
    fn partial_cmp(&self, other: &RootRank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The root moves with their ranks, in the order of move generation.
pub type RootRanks = Vec<(Move, RootRank)>;

/// Rank of a safe win; its negative is the rank of a loss that the fifty-move rule cannot save.
const WIN_RANK: i32 = 1 << 18;
/// Ranks near this value (or its negative) are wins (or losses) that the fifty-move rule may turn
/// into draws.
const CURSED_RANK: i32 = WIN_RANK / 2;

/// State of the game at the root.
#[derive(Clone, Copy)]
struct RootRules {
    /// Halfmove clock of the root.
    clock: i32,
    /// Whether a position since the last zeroing move has occurred twice.
    repeated: bool,
    /// Whether the fifty-move rule applies.
    fifty_move_rule: bool,
}

impl Tablebase {
    /// Ranks by DTZ; `None` if a probe fails.
    pub(super) fn rank_by_dtz(
        &self,
        board: &Board,
        repeated: bool,
        fifty_move_rule: bool,
    ) -> Option<RootRanks> {
        let rules = RootRules { clock: board.halfmove_clock().into(), repeated, fifty_move_rule };
        board
            .children()
            .map(|(m, child)| {
                let dtz = self.dtz_of_move(board, m, &child)?;
                let is_mate = child.is_checkmate();
                let is_zeroing = child.halfmove_clock() == 0;
                let rank = if is_mate || is_zeroing {
                    rules.rank_zeroing(dtz)
                } else if fifty_move_rule && child.halfmove_clock() >= 100 {
                    RootRank::draw(Some(0))
                } else {
                    rules.rank(dtz)
                };
                Some((m, rank))
            })
            .collect()
    }

    /// Ranks by WDL alone; `None` if a probe fails.
    pub(super) fn rank_by_wdl(&self, board: &Board, fifty_move_rule: bool) -> Option<RootRanks> {
        board
            .children()
            .map(|(m, child)| {
                let is_mate = child.is_checkmate();
                if fifty_move_rule && child.halfmove_clock() >= 100 && !is_mate {
                    return Some((m, RootRank::draw(None)));
                }
                let wdl = -self.wdl(&child)?;
                let wdl = if fifty_move_rule { wdl } else { wdl.without_fifty_moves() };
                let rank = match wdl {
                    WdlScore::Win => WIN_RANK,
                    WdlScore::CursedWin => CURSED_RANK,
                    WdlScore::Draw => 0,
                    WdlScore::BlessedLoss => -CURSED_RANK,
                    WdlScore::Loss => -WIN_RANK,
                };
                let dtz = None;
                Some((m, RootRank { wdl, dtz, rank }))
            })
            .collect()
    }
}

impl RootRules {
    /// The rank of a mate, a capture or a pawn move: the halfmove clock restarts.
    fn rank_zeroing(self, dtz: Dtz) -> RootRank {
        let restarted = RootRules { clock: 0, ..self };
        restarted.rank(dtz)
    }

    /// The rank of a move with this DTZ.
    fn rank(self, distance: Dtz) -> RootRank {
        let dtz = distance.plies;
        // The halfmove clock at the next zeroing move or mate, which may be at most 100. A rounded
        // DTZ may be one ply too small.
        let clock = dtz.abs() + self.clock;
        let in_time = clock <= 99 || (clock == 100 && distance.is_exact);
        let too_late = self.fifty_move_rule && !in_time;
        let (wdl, rank) = match dtz.signum() {
            1 if too_late => (WdlScore::CursedWin, CURSED_RANK - clock),
            1 if self.repeated => (WdlScore::Win, WIN_RANK - dtz),
            1 => (WdlScore::Win, WIN_RANK),
            0 => (WdlScore::Draw, 0),
            // The losing side plays for the fifty-move rule once it is within reach: if twice the
            // DTZ would exceed it.
            _ if self.fifty_move_rule && clock > 100 => {
                (WdlScore::BlessedLoss, clock - CURSED_RANK)
            }
            _ if self.fifty_move_rule && clock - dtz >= 100 => {
                (WdlScore::Loss, clock - CURSED_RANK)
            }
            _ => (WdlScore::Loss, -WIN_RANK),
        };
        let dtz = Some(dtz);
        RootRank { wdl, dtz, rank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(
        plies: i32,
        is_exact: bool,
        clock: i32,
        repeated: bool,
        fifty_move_rule: bool,
    ) -> RootRank {
        let rules = RootRules { clock, repeated, fifty_move_rule };
        rules.rank(Dtz { plies, is_exact })
    }

    #[test]
    fn the_fifty_move_rule_turns_wins_and_losses_into_draws() {
        let cases = [
            // DTZ, whether it is exact, halfmove clock, WDL with the fifty-move rule.
            (1, true, 0, WdlScore::Win),
            (99, false, 0, WdlScore::Win),
            (100, true, 0, WdlScore::Win),
            (100, false, 0, WdlScore::CursedWin),
            (60, true, 40, WdlScore::Win),
            (60, false, 40, WdlScore::CursedWin),
            (59, false, 40, WdlScore::Win),
            (61, true, 40, WdlScore::CursedWin),
            (101, true, 0, WdlScore::CursedWin),
            (250, false, 0, WdlScore::CursedWin),
            (0, true, 99, WdlScore::Draw),
            (-1, true, 0, WdlScore::Loss),
            (-100, true, 0, WdlScore::Loss),
            (-101, false, 0, WdlScore::BlessedLoss),
            (-60, false, 40, WdlScore::Loss),
            (-60, false, 41, WdlScore::BlessedLoss),
        ];
        for (plies, is_exact, clock, wdl) in cases {
            let case = format!("{plies} plies at {clock}");
            let with = rank(plies, is_exact, clock, false, true);
            assert_eq!(with.wdl, wdl, "{case}");
            assert_eq!(with.dtz, Some(plies));
            let without = rank(plies, is_exact, clock, false, false);
            assert_eq!(without.wdl, wdl.without_fifty_moves(), "{case}");
        }
    }

    #[test]
    fn moves_are_ordered_from_the_best_to_the_worst() {
        let at = |plies, clock, repeated| rank(plies, false, clock, repeated, true);
        // Without a repetition safe wins have equal rank, but are ordered by DTZ.
        assert_eq!(at(3, 10, false).rank, at(80, 10, false).rank);
        for repeated in [false, true] {
            let order = [3, 80, 95, 130, 0, -130, -95, -93, -50, -3];
            let ranks = order.map(|plies| at(plies, 10, repeated));
            assert!(ranks.is_sorted_by(|a, b| a > b), "{ranks:?}");
        }
        // The losing side prefers a chance of the fifty-move rule to a slower loss.
        assert!(at(-91, 10, false) > at(-89, 10, false));
        // After a repetition safe wins are ranked by DTZ.
        assert!(at(3, 10, true).rank > at(5, 10, true).rank);
    }

    #[test]
    fn a_capture_restarts_the_halfmove_clock() {
        let rules = RootRules { clock: 99, repeated: false, fifty_move_rule: true };
        for wdl in [1, 101, 0, -101, -1] {
            let dtz = Dtz { plies: wdl, is_exact: true };
            let restarted = rank(wdl, true, 0, false, true);
            assert_eq!(rules.rank_zeroing(dtz), restarted);
        }
    }
}

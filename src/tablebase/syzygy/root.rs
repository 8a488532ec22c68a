//! Ranking the moves of a root, so that no win is thrown away.
//!
//! A win counts as certain if its next capture, pawn move or mate comes before the fifty-move rule.
//! Certain wins rank equally: the search may choose the most natural. But once a position has been
//! on the board twice, only progress counts.

use super::super::{RootRank, RootRanks, WdlScore};
use super::Tablebase;
use super::table::Distance;
use crate::chess::Board;

/// The rank of certain wins; of certain losses its negative.
const CERTAIN: i32 = 1 << 18;
/// Around this rank are wins and, negative, losses that the fifty-move rule may turn into draws.
const UNCERTAIN: i32 = CERTAIN / 2;

/// What the ranks depend on besides the tables.
#[derive(Clone, Copy)]
struct Rules {
    /// Plies since the last capture or pawn move, before the root's move.
    clock: i32,
    repeated: bool,
    rule50: bool,
}

impl Tablebase {
    /// Ranks by distance; `None` if a DTZ table is missing.
    pub(super) fn rank_by_dtz(
        &self,
        board: &Board,
        repeated: bool,
        rule50: bool,
    ) -> Option<RootRanks> {
        let rules = Rules {
            clock: board.halfmove_clock().into(),
            repeated,
            rule50,
        };
        board
            .children()
            .map(|(m, child)| {
                let distance = self.dtz_of_move(board, m, &child)?;
                let is_mate = child.is_checkmate();
                let is_zeroing = child.halfmove_clock() == 0;
                let rank = if is_mate || is_zeroing {
                    rules.at_once(distance)
                } else if rule50 && child.halfmove_clock() >= 100 {
                    drawn(Some(0))
                } else {
                    rules.later(distance)
                };
                Some((m, rank))
            })
            .collect()
    }

    /// Ranks by outcome alone; `None` if a WDL table is missing.
    pub(super) fn rank_by_wdl(&self, board: &Board, rule50: bool) -> Option<RootRanks> {
        board
            .children()
            .map(|(m, child)| {
                let is_mate = child.is_checkmate();
                if rule50 && child.halfmove_clock() >= 100 && !is_mate {
                    return Some((m, drawn(None)));
                }
                let wdl = -self.wdl(&child)?;
                let wdl = if rule50 {
                    wdl
                } else {
                    wdl.without_fifty_moves()
                };
                let rank = match wdl {
                    WdlScore::Win => CERTAIN,
                    WdlScore::CursedWin => UNCERTAIN,
                    WdlScore::Draw => 0,
                    WdlScore::BlessedLoss => -UNCERTAIN,
                    WdlScore::Loss => -CERTAIN,
                };
                let dtz = None;
                Some((m, RootRank { wdl, dtz, rank }))
            })
            .collect()
    }
}

fn drawn(dtz: Option<i32>) -> RootRank {
    let (wdl, rank) = (WdlScore::Draw, 0);
    RootRank { wdl, dtz, rank }
}

impl Rules {
    /// The rank of a mate, a capture or a pawn move: the clock begins anew, whatever it was.
    fn at_once(self, distance: Distance) -> RootRank {
        let begun_anew = Rules { clock: 0, ..self };
        begun_anew.later(distance)
    }

    /// The rank of a move of this distance.
    fn later(self, distance: Distance) -> RootRank {
        let dtz = distance.plies;
        // The clock when the capture, pawn move or mate comes, which must be made by the time it
        // would be 100. A distance that is not exact may be one more.
        let clock = dtz.abs() + self.clock;
        let in_time = clock <= 99 || (clock == 100 && distance.is_exact);
        let too_late = self.rule50 && !in_time;
        let (wdl, rank) = match dtz.signum() {
            1 if too_late => (WdlScore::CursedWin, UNCERTAIN - clock),
            1 if self.repeated => (WdlScore::Win, CERTAIN - dtz),
            1 => (WdlScore::Win, CERTAIN),
            0 => (WdlScore::Draw, 0),
            // A loser hopes for the fifty-move rule as soon as it is in sight: when the winner may
            // waste no more than half of what is left.
            _ if self.rule50 && clock > 100 => (WdlScore::BlessedLoss, clock - UNCERTAIN),
            _ if self.rule50 && clock - dtz >= 100 => (WdlScore::Loss, clock - UNCERTAIN),
            _ => (WdlScore::Loss, -CERTAIN),
        };
        let dtz = Some(dtz);
        RootRank { wdl, dtz, rank }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(plies: i32, is_exact: bool, clock: i32, repeated: bool, rule50: bool) -> RootRank {
        let rules = Rules {
            clock,
            repeated,
            rule50,
        };
        rules.later(Distance { plies, is_exact })
    }

    #[test]
    fn the_fifty_move_rule_decides_what_a_distance_is_worth() {
        let cases = [
            // Distance, exact, clock, and the outcome with the rule.
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
        // Without repetition certain wins are equal in rank, but not in order.
        assert_eq!(at(3, 10, false).rank, at(80, 10, false).rank);
        for repeated in [false, true] {
            let order = [3, 80, 95, 130, 0, -130, -95, -93, -50, -3];
            let ranks = order.map(|plies| at(plies, 10, repeated));
            assert!(ranks.is_sorted_by(|a, b| a > b), "{ranks:?}");
        }
        // The loser does not give a draw by the fifty-move rule away for a slower loss.
        assert!(at(-91, 10, false) > at(-89, 10, false));
        // After a repetition only progress counts.
        assert!(at(3, 10, true).rank > at(5, 10, true).rank);
    }

    #[test]
    fn a_capture_begins_the_count_anew() {
        let rules = Rules {
            clock: 99,
            repeated: false,
            rule50: true,
        };
        for wdl in [1, 101, 0, -101, -1] {
            let distance = Distance {
                plies: wdl,
                is_exact: true,
            };
            let fresh = rank(wdl, true, 0, false, true);
            assert_eq!(rules.at_once(distance), fresh);
        }
    }
}

//! King and pawn against king: all positions, solved once when first asked for.
//! <https://www.chessprogramming.org/KPK>

use crate::chess::attacks;
use crate::chess::{Bitboard, Color, Square};
use std::sync::LazyLock;

/// The pawn's squares from which all can be told by mirroring: files a to d, ranks 2 to 7.
const PAWNS: usize = 24;

/// For each square of the pawn and of its king those squares of the lone king where White, who has
/// the pawn, wins.
type Wins = [[Bitboard; 64]; PAWNS];

/// The wins with each side to move.
struct Solution {
    white_to_move: Wins,
    black_to_move: Wins,
}

static SOLUTION: LazyLock<Box<Solution>> = LazyLock::new(solve);

/// Whether the side with the pawn wins.
pub(super) fn is_won(
    strong: Color,
    turn: Color,
    king: Square,
    pawn: Square,
    lone_king: Square,
) -> bool {
    let mirrored = pawn.file() > 3;
    let seen = |square: Square| {
        let square = square.relative_to(strong);
        if mirrored { square.flip_file() } else { square }
    };
    let wins = match turn == strong {
        true => &SOLUTION.white_to_move,
        false => &SOLUTION.black_to_move,
    };
    wins[index(seen(pawn))][seen(king).index()].has(seen(lone_king))
}

/// The place of a pawn's square in the tables.
fn index(pawn: Square) -> usize {
    usize::from(pawn.rank() - 1) * 4 + usize::from(pawn.file())
}

/// Solves a pawn after the other, those nearest to promotion first: pawns do not go back.
fn solve() -> Box<Solution> {
    let none = [[Bitboard::EMPTY; 64]; PAWNS];
    let mut solution = Box::new(Solution {
        white_to_move: none,
        black_to_move: none,
    });
    for rank in (1..7).rev() {
        for file in 0..4 {
            let pawn = Square::at(file, rank);
            while solution.improve(pawn) {}
        }
    }
    solution
}

impl Solution {
    /// Adds wins that follow from those known; tells whether there were any.
    fn improve(&mut self, pawn: Square) -> bool {
        let mut grown = false;
        let p = index(pawn);
        for king in Square::ALL.into_iter().filter(|king| *king != pawn) {
            let white = self.wins_of_white_to_move(pawn, king);
            grown |= white != self.white_to_move[p][king.index()];
            self.white_to_move[p][king.index()] = white;
            let black = self.wins_of_black_to_move(pawn, king);
            grown |= black != self.black_to_move[p][king.index()];
            self.black_to_move[p][king.index()] = black;
        }
        grown
    }

    /// White wins with a move that leads to a win.
    fn wins_of_white_to_move(&self, pawn: Square, king: Square) -> Bitboard {
        let check = attacks::pawn(Color::White, pawn);
        let mut wins = Bitboard::EMPTY;
        for to in attacks::king(king) & !pawn.bitboard() {
            wins |= self.black_to_move[index(pawn)][to.index()];
        }
        let push = Square::at(pawn.file(), pawn.rank() + 1);
        if push == king {
            return wins & free(pawn, king) & !check;
        }
        if push.rank() == 7 {
            let guarded = attacks::king(push).has(king);
            let takes = if guarded {
                Bitboard::EMPTY
            } else {
                attacks::king(push)
            };
            wins |= !(push.bitboard() | takes);
        } else {
            wins |= self.black_to_move[index(push)][king.index()];
        }
        let leap = Square::at(pawn.file(), (pawn.rank() + 2).min(7));
        if pawn.rank() == 1 && leap != king {
            wins |= self.black_to_move[index(leap)][king.index()] & !push.bitboard();
        }
        wins & free(pawn, king) & !check
    }

    /// Black, to move, is lost if there are moves and all lead to a win of White.
    fn wins_of_black_to_move(&self, pawn: Square, king: Square) -> Bitboard {
        let guarded = attacks::king(king);
        let taken = guarded | attacks::pawn(Color::White, pawn);
        let known = self.white_to_move[index(pawn)][king.index()];
        let is_lost = |lone: &Square| {
            let moves = attacks::king(*lone) & !taken;
            let takes_pawn = moves.has(pawn);
            !takes_pawn && moves.any() && (moves & !known).is_empty()
        };
        free(pawn, king).into_iter().filter(is_lost).collect()
    }
}

/// Where the lone king may stand beside these two.
fn free(pawn: Square, king: Square) -> Bitboard {
    !(attacks::king(king) | king.bitboard() | pawn.bitboard())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 63 % of the positions with White to move are won, as the literature has it: 124 960 with
    /// White and 97 604 with Black to move, counting pawns on all files.
    #[test]
    fn the_numbers_of_wins_are_the_known_ones() {
        let count = |wins: &Wins| -> u32 { wins.iter().flatten().map(|set| set.count()).sum() };
        assert_eq!(2 * count(&SOLUTION.white_to_move), 124_960);
        assert_eq!(2 * count(&SOLUTION.black_to_move), 97_604);
    }
}

//! The KPK bitbase: king and pawn against king, generated at first use
//! (<https://www.chessprogramming.org/KPK>).

use crate::chess::{Bitboard, Color, File, Rank, Square, attacks};
use std::sync::LazyLock;

/// The pawn's squares up to mirroring: files a to d, ranks 2 to 7.
const PAWN_SQUARES: usize = 24;

/// The squares of the lone king where White, who has the pawn, wins: indexed by the squares of the
/// pawn and of the white king.
type Wins = [[Bitboard; 64]; PAWN_SQUARES];

/// The wins, by side to move.
struct Bitbase {
    white_to_move: Wins,
    black_to_move: Wins,
}

static BITBASE: LazyLock<Box<Bitbase>> = LazyLock::new(generate);

/// Whether the side with the pawn wins.
pub(super) fn is_won(
    strong: Color,
    turn: Color,
    king: Square,
    pawn: Square,
    lone_king: Square,
) -> bool {
    let mirrored = pawn.file() > File::D;
    let normalise = |square: Square| {
        let square = square.relative_to(strong);
        if mirrored { square.flip_file() } else { square }
    };
    let wins = if turn == strong { &BITBASE.white_to_move } else { &BITBASE.black_to_move };
    wins[pawn_index(normalise(pawn))][normalise(king).index()].has(normalise(lone_king))
}

/// The index of a pawn's square.
fn pawn_index(pawn: Square) -> usize {
    (pawn.rank().index() - 1) * 4 + pawn.file().index()
}

/// Solves one pawn square after the other, from the seventh rank down: a pawn never moves back.
fn generate() -> Box<Bitbase> {
    let none = [[Bitboard::EMPTY; 64]; PAWN_SQUARES];
    let mut bitbase = Box::new(Bitbase { white_to_move: none, black_to_move: none });
    for rank in Rank::ALL[1..7].iter().rev() {
        for file in &File::ALL[..4] {
            let pawn = Square::new(*file, *rank);
            while bitbase.iterate(pawn) {}
        }
    }
    bitbase
}

impl Bitbase {
    /// One iteration: adds the wins that follow from those found so far. Returns whether there were
    /// any.
    fn iterate(&mut self, pawn: Square) -> bool {
        let mut changed = false;
        let p = pawn_index(pawn);
        for king in Square::ALL.into_iter().filter(|king| *king != pawn) {
            let white = self.wins_of_white_to_move(pawn, king);
            changed |= white != self.white_to_move[p][king.index()];
            self.white_to_move[p][king.index()] = white;
            let black = self.wins_of_black_to_move(pawn, king);
            changed |= black != self.black_to_move[p][king.index()];
            self.black_to_move[p][king.index()] = black;
        }
        changed
    }

    /// White to move wins if some move leads to a win.
    fn wins_of_white_to_move(&self, pawn: Square, king: Square) -> Bitboard {
        let check = attacks::pawn(Color::White, pawn);
        let mut wins = Bitboard::EMPTY;
        for to in attacks::king(king) & !pawn.bitboard() {
            wins |= self.black_to_move[pawn_index(pawn)][to.index()];
        }
        let push = Square::from_index(pawn.index() as u8 + 8);
        if push == king {
            return wins & free(pawn, king) & !check;
        }
        if push.rank() == Rank::Eighth {
            let is_protected = attacks::king(push).has(king);
            let capturers = if is_protected { Bitboard::EMPTY } else { attacks::king(push) };
            wins |= !(push.bitboard() | capturers);
        } else {
            wins |= self.black_to_move[pawn_index(push)][king.index()];
        }
        let double_push = Square::new(pawn.file(), Rank::Fourth);
        if pawn.rank() == Rank::Second && double_push != king {
            wins |= self.black_to_move[pawn_index(double_push)][king.index()] & !push.bitboard();
        }
        wins & free(pawn, king) & !check
    }

    /// Black to move loses if there are legal moves and all lead to a win for White.
    fn wins_of_black_to_move(&self, pawn: Square, king: Square) -> Bitboard {
        let protected = attacks::king(king);
        let attacked = protected | attacks::pawn(Color::White, pawn);
        let wins = self.white_to_move[pawn_index(pawn)][king.index()];
        let is_lost = |lone_king: &Square| {
            let moves = attacks::king(*lone_king) & !attacked;
            let captures_pawn = moves.has(pawn);
            !captures_pawn && moves.any() && (moves & !wins).is_empty()
        };
        free(pawn, king).into_iter().filter(is_lost).collect()
    }
}

/// The squares where the lone king may stand with Black to move, and with White to move unless the
/// pawn attacks them.
fn free(pawn: Square, king: Square) -> Bitboard {
    !(attacks::king(king) | king.bitboard() | pawn.bitboard())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published counts of won positions, for pawns on all files: 124 960 with White to move,
    /// 97 604 with Black to move.
    #[test]
    fn win_counts_equal_the_published_ones() {
        let count = |wins: &Wins| -> u32 { wins.iter().flatten().map(|set| set.count()).sum() };
        assert_eq!(2 * count(&BITBASE.white_to_move), 124_960);
        assert_eq!(2 * count(&BITBASE.black_to_move), 97_604);
    }
}

//! Fortresses, by tablebase.

use super::super::material::{PAWN_VALUE, balance, winning_captures};
use super::{Motif, MotifName, lasting};
use crate::chess::{
    Bitboard, Board, Color, GameStatus, Move, Piece, PieceKind, Setup, Square, attacks,
};
use crate::search::Tablebases;
use std::collections::HashMap;

/// The least material by which the other side is ahead, in centipawns.
const MIN_AHEAD: i32 = 2 * PAWN_VALUE;

/// The number of plies for which the fortress holds against each try.
const PLIES: u32 = 7;

/// The distance up to which the enemy king is brought near.
const NEAR: u8 = 3;

/// The number of positions after which a proof is given up.
const MAX_POSITIONS: usize = 20_000;

/// Fortress: a side is behind by two pawns or more, but the tablebases have a draw. It stays one for seven
/// plies whatever the other side tries, also with the enemy king put on any square near, while the king
/// of the side keeps to the four squares of a corner, and the side needs no check, capture or pawn move.
/// So a draw by perpetual check, by stalemate, or by winning back material is no fortress, nor is one that
/// the enemy king is too far away to prevent. Bishops and knights alone do not count as a lead: they may
/// be unable to mate anyhow. The wrong bishop has a name of its own.
/// (<https://en.wikipedia.org/wiki/Fortress_(chess)>)
pub fn fortress(board: &Board, tablebases: &Tablebases) -> Option<Motif> {
    let ahead = balance(board);
    if ahead.abs() < MIN_AHEAD || board.status() != GameStatus::Ongoing || !tablebases.draws(board)
    {
        return None;
    }
    let holder = if ahead > 0 { !board.turn() } else { board.turn() };
    let (own, other) = (board.side(holder), board.side(!holder));
    let home = corner_of(own.king())?;
    let can_mate = other.orthogonal_sliders() | other.pieces(PieceKind::Pawn);
    let is_wrong_bishop = |motif: &Motif| motif.name == MotifName::WrongBishop;
    if can_mate.is_empty() || lasting(board).iter().any(is_wrong_bishop) {
        return None;
    }
    let with_king = |square, turn| with_king(board, !holder, square, turn);
    let [now, passed] = [board.turn(), holder].map(|turn| with_king(other.king(), turn));
    // A threat that wins material back is no fortress.
    if passed.is_some_and(|at| winning_captures(&at).next().is_some()) {
        return None;
    }
    let mut defence = Defence { holder, home, tablebases, known: HashMap::new() };
    let free = !board.occupied() | other.king().bitboard();
    let near = free.into_iter().filter(|square| square.distance(own.king()) <= NEAR);
    let mut near = near.filter_map(|square| with_king(square, holder));
    let holds =
        now.is_some_and(|at| defence.holds(&at, PLIES)) && near.all(|at| defence.holds_from(&at));
    let men = (own.occupied() & !own.king().bitboard()).into_iter();
    let squares = std::iter::once(own.king()).chain(men).collect();
    holds.then_some(Motif { name: MotifName::Fortress, side: holder, squares, ply: 0 })
}

/// The four squares of the corner where a square is.
fn corner_of(square: Square) -> Option<Bitboard> {
    let corners = [Square::A1, Square::H1, Square::A8, Square::H8].into_iter();
    let mut homes = corners.map(|corner| attacks::king(corner) | corner.bitboard());
    homes.find(|home| home.has(square))
}

/// The position with the king of a side on a square, and `turn` to move; `None` if that is illegal.
fn with_king(board: &Board, side: Color, square: Square, turn: Color) -> Option<Board> {
    let mut setup = Setup::from(board);
    setup.set_piece(board.king(side), None);
    setup.set_piece(square, Some(Piece { color: side, kind: PieceKind::King }));
    setup.set_turn(turn);
    setup.set_en_passant(None);
    setup.set_clocks(0, 1);
    setup.to_board().ok().map(|(board, _)| board)
}

/// The side that holds a fortress, and what has been proved of it.
struct Defence<'a> {
    holder: Color,
    /// The squares of its king.
    home: Bitboard,
    tablebases: &'a Tablebases,
    /// Whether it holds in a position, by its key, for a number of plies.
    known: HashMap<(u64, u32), bool>,
}

impl Defence<'_> {
    /// Whether the fortress holds with the enemy king where it is and the side to move. A position in
    /// which it wins material or is stalemated proves nothing against it.
    fn holds_from(&mut self, board: &Board) -> bool {
        let wins = || winning_captures(board).next().is_some();
        let is_stalemate = board.status() == GameStatus::Stalemate;
        is_stalemate || wins() || self.tablebases.draws(board) && self.holds(board, PLIES)
    }

    /// Whether the side holds a drawn position for a number of plies.
    fn holds(&mut self, board: &Board, plies: u32) -> bool {
        if plies == 0 {
            return true;
        }
        let key = (board.key(), plies);
        if let Some(holds) = self.known.get(&key) {
            return *holds;
        }
        if self.known.len() >= MAX_POSITIONS {
            return false;
        }
        let holds = if board.turn() == self.holder {
            let mut moves = board.children();
            moves.any(|(m, after)| self.is_quiet(board, m, &after) && self.holds(&after, plies - 1))
        } else {
            let tries = board.children().map(|(_, after)| after);
            let tries: Vec<Board> = tries.filter(|after| self.is_try(after)).collect();
            !tries.is_empty() && tries.iter().all(|after| self.holds(after, plies - 1))
        };
        self.known.insert(key, holds);
        holds
    }

    /// Whether a move of the side keeps the draw and needs no check, capture or pawn move.
    fn is_quiet(&self, board: &Board, m: Move, after: &Board) -> bool {
        m.piece() != PieceKind::Pawn
            && !board.is_capture(m)
            && !after.in_check()
            && self.home.has(after.king(self.holder))
            && self.tablebases.draws(after)
    }

    /// Whether the other side has made a try: it has not allowed stalemate, lost material, or worse.
    fn is_try(&self, after: &Board) -> bool {
        after.status() == GameStatus::Ongoing
            && winning_captures(after).next().is_none()
            && self.tablebases.draws(after)
    }
}

//! From tables to the truth about a position.
//!
//! To be small, tables are silent where a capture, a pawn move or en passant decides: there they
//! hold whatever compresses best. The prober tries those moves itself.

use super::super::WdlScore;
use super::Tablebase;
use super::table::{Distance, TableKind};
use crate::chess::{Board, GenType, Move, MoveList, PieceKind};

/// Plies to a capture or pawn move that is made at once.
const fn at_once(wdl: WdlScore) -> Distance {
    let plies = match wdl {
        WdlScore::Win => 1,
        WdlScore::CursedWin => 101,
        WdlScore::Draw => 0,
        WdlScore::BlessedLoss => -101,
        WdlScore::Loss => -1,
    };
    let is_exact = true;
    Distance { plies, is_exact }
}

fn is_capture(board: &Board, m: Move) -> bool {
    board.them().occupied().has(m.to()) || m.is_en_passant()
}

/// Whether the move is one after which no earlier position can come back.
fn is_zeroing(board: &Board, m: Move) -> bool {
    m.piece() == PieceKind::Pawn || is_capture(board, m)
}

impl Tablebase {
    /// The outcome of a position of few men without castling rights.
    pub(super) fn wdl(&self, board: &Board) -> Option<WdlScore> {
        let mut best = WdlScore::Loss;
        let mut moves = MoveList::new();
        board.generate_moves(GenType::Noisy, &mut moves);
        for m in moves.iter().filter(|m| is_capture(board, **m)) {
            best = best.max(-self.wdl(&board.make(*m))?);
            if best == WdlScore::Win {
                return Some(best);
            }
        }
        // The table does not know of en passant. Where there is no other move it would see a
        // stalemate.
        let only_en_passant =
            board.en_passant().is_some() && board.legal_moves().iter().all(|m| m.is_en_passant());
        if only_en_passant {
            return Some(best);
        }
        Some(best.max(self.table_wdl(board)?))
    }

    /// What the table says, which may be less than what a capture achieves.
    fn table_wdl(&self, board: &Board) -> Option<WdlScore> {
        if board.occupied().count() == 2 {
            return Some(WdlScore::Draw);
        }
        self.ask(board, TableKind::Wdl, |table| table.wdl(board))
    }

    /// The plies to the next capture, pawn move or mate.
    pub(super) fn dtz(&self, board: &Board) -> Option<Distance> {
        let (wdl, is_at_once) = self.wdl_with_zeroing(board)?;
        if wdl == WdlScore::Draw || is_at_once {
            return Some(at_once(wdl));
        }
        let asked = self.ask(board, TableKind::Dtz, |table| table.dtz(board, wdl))?;
        asked.or_else(|| self.dtz_by_moves(board, wdl))
    }

    /// The outcome, and whether a capture or pawn move achieves it: then DTZ tables are silent.
    fn wdl_with_zeroing(&self, board: &Board) -> Option<(WdlScore, bool)> {
        let moves = board.legal_moves();
        let mut best = WdlScore::Loss;
        let mut others = false;
        for m in moves.iter() {
            if !is_zeroing(board, *m) {
                others = true;
                continue;
            }
            best = best.max(-self.wdl(&board.make(*m))?);
            if best == WdlScore::Win {
                return Some((best, true));
            }
        }
        if !others && !moves.is_empty() {
            return Some((best, true));
        }
        let table = self.table_wdl(board)?;
        Some((best.max(table), best >= table && best > WdlScore::Draw))
    }

    /// The distance where the table is about the other side to move: one ply is searched.
    fn dtz_by_moves(&self, board: &Board, wdl: WdlScore) -> Option<Distance> {
        let mut best: Option<Distance> = None;
        for (m, child) in board.children() {
            let distance = self.dtz_of_move(board, m, &child)?;
            let counts = distance.plies.signum() == wdl.value().signum();
            // The winner takes the nearest. So does the loser, because his plies are negative.
            if counts && best.is_none_or(|best| distance.plies < best.plies) {
                best = Some(distance);
            }
        }
        // Without moves it is mate.
        Some(best.unwrap_or(at_once(WdlScore::Loss)))
    }

    /// The distance that a legal move leads to, itself counted.
    pub(super) fn dtz_of_move(&self, board: &Board, m: Move, child: &Board) -> Option<Distance> {
        if is_zeroing(board, m) {
            return Some(at_once(-self.wdl(child)?));
        }
        if !child.has_legal_move() {
            return Some(match child.in_check() {
                true => at_once(WdlScore::Win),
                false => at_once(WdlScore::Draw),
            });
        }
        let distance = self.dtz(child)?;
        let plies = -distance.plies;
        Some(Distance {
            plies: plies + plies.signum(),
            ..distance
        })
    }
}

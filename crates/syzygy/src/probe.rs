//! Probing a position: WDL and DTZ from the tables and a small search.
//!
//! Where a capture (in DTZ tables also a pawn move) is best, tables hold whatever compresses best,
//! and they ignore en passant. The probing code tries those moves itself, like Stockfish's
//! `search<CheckZeroingMoves>`.

use super::Tablebase;
use super::WdlScore;
use super::table::{Dtz, TableKind};
use saavedra_chess::{Board, GenType, Move, MoveList, PieceKind};

/// The DTZ if the best move is a zeroing move, from the WDL value it achieves.
const fn dtz_before_zeroing(wdl: WdlScore) -> Dtz {
    let plies = match wdl {
        WdlScore::Win => 1,
        WdlScore::CursedWin => 101,
        WdlScore::Draw => 0,
        WdlScore::BlessedLoss => -101,
        WdlScore::Loss => -1,
    };
    let is_exact = true;
    Dtz { plies, is_exact }
}

/// Whether the move resets the halfmove clock.
fn is_zeroing(board: &Board, m: Move) -> bool {
    m.piece() == PieceKind::Pawn || board.is_capture(m)
}

impl Tablebase {
    /// The WDL value: the best capture or the table, whichever is better.
    pub(super) fn wdl(&self, board: &Board) -> Option<WdlScore> {
        let mut best = WdlScore::Loss;
        let mut moves = MoveList::new();
        board.generate_moves(GenType::Noisy, &mut moves);
        for m in moves.iter().filter(|m| board.is_capture(**m)) {
            best = best.max(-self.wdl(&board.make(*m))?);
            if best == WdlScore::Win {
                return Some(best);
            }
        }
        // Tables ignore en passant. If it is the only legal move, they hold a stalemate.
        let only_en_passant =
            board.en_passant().is_some() && board.legal_moves().iter().all(|m| m.is_en_passant());
        if only_en_passant {
            return Some(best);
        }
        Some(best.max(self.table_wdl(board)?))
    }

    /// The stored WDL value, which is only a lower bound if the best move is a capture.
    fn table_wdl(&self, board: &Board) -> Option<WdlScore> {
        if board.occupied().count() == 2 {
            return Some(WdlScore::Draw);
        }
        self.probe_table(board, TableKind::Wdl, |table| table.wdl(board))
    }

    /// The DTZ of a position.
    pub(super) fn dtz(&self, board: &Board) -> Option<Dtz> {
        let (wdl, zeroing_is_best) = self.wdl_and_zeroing(board)?;
        if wdl == WdlScore::Draw || zeroing_is_best {
            return Some(dtz_before_zeroing(wdl));
        }
        let stored = self.probe_table(board, TableKind::Dtz, |table| table.dtz(board, wdl))?;
        stored.or_else(|| self.dtz_by_search(board, wdl))
    }

    /// The WDL value and whether a capture or pawn move achieves it; the DTZ table holds no valid
    /// value then.
    fn wdl_and_zeroing(&self, board: &Board) -> Option<(WdlScore, bool)> {
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

    /// The DTZ if the table stores only the other side to move: a one-ply search.
    fn dtz_by_search(&self, board: &Board, wdl: WdlScore) -> Option<Dtz> {
        let mut best: Option<Dtz> = None;
        for (m, child) in board.children() {
            let dtz = self.dtz_of_move(board, m, &child)?;
            let keeps_wdl = dtz.plies.signum() == wdl.value().signum();
            // The minimum is the fastest win or, as the DTZ of losses is negative, the slowest
            // loss.
            if keeps_wdl && best.is_none_or(|best| dtz.plies < best.plies) {
                best = Some(dtz);
            }
        }
        // No legal move: checkmate.
        Some(best.unwrap_or(dtz_before_zeroing(WdlScore::Loss)))
    }

    /// The DTZ of `board` if the legal move `m`, which leads to `child`, is played.
    pub(super) fn dtz_of_move(&self, board: &Board, m: Move, child: &Board) -> Option<Dtz> {
        if is_zeroing(board, m) {
            return Some(dtz_before_zeroing(-self.wdl(child)?));
        }
        if !child.has_legal_move() {
            return Some(if child.in_check() {
                dtz_before_zeroing(WdlScore::Win)
            } else {
                dtz_before_zeroing(WdlScore::Draw)
            });
        }
        let dtz = self.dtz(child)?;
        let plies = -dtz.plies;
        Some(Dtz { plies: plies + plies.signum(), ..dtz })
    }
}

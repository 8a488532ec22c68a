//! Staged move picker: TT move, good captures, quiet moves, bad captures. Each stage is generated
//! only when it is reached. <https://www.chessprogramming.org/Move_Ordering>
//!
//! "Captures" here include promotions (see [`is_noisy`]).

use super::handicap::MoveFilter;
use super::history::{Histories, QuietContext};
use super::params;
use crate::chess::{
    Bitboard, Board, Color, GenType, Move, MoveList, PieceKind, SEE_VALUES, attacks,
};

/// The moves that a picker returns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PickMode {
    /// All moves.
    All,
    /// The TT move, and the captures whose static exchange evaluation is at least this.
    Captures(i32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PickStage {
    TtMove,
    GenerateCaptures,
    GoodCaptures,
    GenerateQuiets,
    Quiets,
    BadCaptures,
    Done,
}

/// Returns the legal moves of a node one by one, best first.
/// <https://www.chessprogramming.org/Move_Ordering>
pub(super) struct MovePicker {
    stage: PickStage,
    mode: PickMode,
    tt_move: Option<Move>,
    moves: MoveList,
    scores: [i32; MoveList::CAPACITY],
    next: usize,
    /// The number of bad captures; they are kept at the front of the list.
    bad_captures: usize,
    skip_quiets: bool,
    filter: Option<MoveFilter>,
    has_missed_moves: bool,
}

impl MovePicker {
    /// A move picker without the moves that the filter misses; the TT move must be legal.
    #[inline]
    pub(super) fn new(
        mode: PickMode,
        tt_move: Option<Move>,
        filter: Option<MoveFilter>,
    ) -> MovePicker {
        MovePicker {
            stage: if tt_move.is_some() { PickStage::TtMove } else { PickStage::GenerateCaptures },
            mode,
            tt_move,
            moves: MoveList::new(),
            scores: [0; MoveList::CAPACITY],
            next: 0,
            bad_captures: 0,
            skip_quiets: false,
            filter,
            has_missed_moves: false,
        }
    }

    /// Skips all quiet moves that are left.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Whether the filter has missed a move.
    pub(super) fn has_missed_moves(&self) -> bool {
        self.has_missed_moves
    }

    /// The next move.
    #[inline]
    pub(super) fn next(
        &mut self,
        board: &Board,
        histories: &Histories,
        context: &QuietContext,
    ) -> Option<Move> {
        loop {
            let m = self.next_unfiltered(board, histories, context)?;
            match &self.filter {
                Some(filter) if filter.misses(board, m) => self.has_missed_moves = true,
                _ => return Some(m),
            }
        }
    }

    #[inline]
    fn next_unfiltered(
        &mut self,
        board: &Board,
        histories: &Histories,
        context: &QuietContext,
    ) -> Option<Move> {
        loop {
            match self.stage {
                PickStage::TtMove => {
                    self.stage = PickStage::GenerateCaptures;
                    return self.tt_move;
                }
                PickStage::GenerateCaptures => {
                    board.generate_moves(GenType::Noisy, &mut self.moves);
                    self.score_captures(board, histories);
                    self.stage = PickStage::GoodCaptures;
                }
                PickStage::GoodCaptures => {
                    while let Some(m) = self.select_best() {
                        if self.is_good_capture(board, m) {
                            return Some(m);
                        }
                        // Everything before `next` has been picked: bad captures go to the front.
                        self.moves.swap(self.bad_captures, self.next - 1);
                        self.bad_captures += 1;
                    }
                    self.stage = match self.mode {
                        PickMode::Captures(_) => PickStage::Done,
                        PickMode::All => PickStage::GenerateQuiets,
                    };
                }
                PickStage::GenerateQuiets => {
                    if !self.skip_quiets {
                        let first = self.moves.len();
                        board.generate_moves(GenType::Quiet, &mut self.moves);
                        self.score_quiets(first, board, histories, context);
                        self.next = first;
                    }
                    self.stage = PickStage::Quiets;
                }
                PickStage::Quiets => {
                    if !self.skip_quiets
                        && let Some(m) = self.select_best()
                    {
                        return Some(m);
                    }
                    self.next = 0;
                    self.stage = PickStage::BadCaptures;
                }
                PickStage::BadCaptures => {
                    if self.next >= self.bad_captures {
                        self.stage = PickStage::Done;
                        return None;
                    }
                    self.next += 1;
                    return Some(self.moves[self.next - 1]);
                }
                PickStage::Done => return None,
            }
        }
    }

    /// Whether a capture comes before the quiet moves: its SEE reaches the threshold of the mode;
    /// in mode [`PickMode::All`] it may lose a little, by its ordering score.
    fn is_good_capture(&self, board: &Board, m: Move) -> bool {
        let threshold = match self.mode {
            PickMode::Captures(threshold) => threshold,
            PickMode::All => {
                let score = self.scores[self.next - 1] >> TIE_BREAK_BITS;
                -score / params::good_capture_see_divisor()
            }
        };
        board.see_ge(m, threshold)
    }

    /// Selection sort: the best move of this stage that is left.
    #[inline]
    fn select_best(&mut self) -> Option<Move> {
        while self.next < self.moves.len() {
            // First the highest score (vectorised), then its index. Only the underpromotions to
            // knight and bishop on one square can have equal scores.
            let left = &self.scores[self.next..self.moves.len()];
            let highest = left.iter().fold(i32::MIN, |max, score| max.max(*score));
            let offset = left.iter().position(|score| *score == highest)?;
            let best = self.next + offset;
            let m = self.moves[best];
            self.moves.swap(self.next, best);
            self.scores.swap(self.next, best);
            self.next += 1;
            if Some(m) != self.tt_move {
                return Some(m);
            }
        }
        None
    }

    /// Scores captures: value of the captured piece (MVV) and of the promotion, and capture
    /// history. <https://www.chessprogramming.org/MVV-LVA>
    fn score_captures(&mut self, board: &Board, histories: &Histories) {
        for (i, m) in (&self.moves).into_iter().enumerate() {
            let captured = board.them().piece_at(m.to()).map_or(0, |kind| SEE_VALUES[kind.index()]);
            let promotion = match m.promotion() {
                None => 0,
                Some(PieceKind::Queen) => SEE_VALUES[PieceKind::Queen.index()],
                Some(kind) => {
                    SEE_VALUES[kind.index()] / params::underpromotion_order_divisor()
                        - params::underpromotion_order_penalty()
                }
            };
            let en_passant =
                if m.is_en_passant() { SEE_VALUES[PieceKind::Pawn.index()] } else { 0 };
            let score = params::capture_order_value_factor() * (captured + promotion + en_passant)
                + histories.capture(board, m) / params::capture_order_history_divisor();
            self.scores[i] = with_tie_break(score, board.turn(), m);
        }
    }

    /// Scores quiet moves: quiet history, and a bonus for checks (Stockfish).
    fn score_quiets(
        &mut self,
        first: usize,
        board: &Board,
        histories: &Histories,
        context: &QuietContext,
    ) {
        let checks = check_squares(board);
        let rows = histories.quiet_rows(context);
        for i in first..self.moves.len() {
            let m = self.moves[i];
            let mut score = rows.sum(context, m);
            if checks[m.piece().index()].has(m.to()) {
                score += params::check_order_bonus();
            }
            self.scores[i] = with_tie_break(score, context.color, m);
        }
    }
}

/// The squares from which each kind of piece gives check, in the order of [`PieceKind`].
fn check_squares(board: &Board) -> [Bitboard; 6] {
    let (king, occupied) = (board.them().king(), board.occupied());
    let pawn = attacks::pawn(!board.turn(), king);
    let knight = attacks::knight(king);
    let bishop = attacks::bishop(king, occupied);
    let rook = attacks::rook(king, occupied);
    [pawn, knight, bishop, rook, bishop | rook, Bitboard::EMPTY]
}

const TIE_BREAK_BITS: u32 = 12;

/// A score with the move's squares, relative to the side to move, in its low bits: the order of
/// equal moves must not depend on move generation, so that both colours are searched alike.
#[inline(always)]
fn with_tie_break(score: i32, color: Color, m: Move) -> i32 {
    let (from, to) = (m.from().relative_to(color), m.to().relative_to(color));
    (score << TIE_BREAK_BITS) | (from.index() << 6 | to.index()) as i32
}

/// Whether a move captures or promotes; all other moves are quiet.
#[inline(always)]
pub(super) fn is_noisy(board: &Board, m: Move) -> bool {
    m.is_promotion() || board.is_capture(m)
}

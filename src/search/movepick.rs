//! The order in which moves are tried: the move from the table, good captures, quiet moves by their
//! histories, bad captures. Each stage is generated only when it is reached.

use super::history::{Histories, QuietContext};
use super::params;
use crate::chess::{
    Bitboard, Board, Color, GenType, Move, MoveList, PieceKind, SEE_VALUES, attacks,
};

/// What a picker is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// All moves.
    Search,
    /// Captures and promotions that win at least so many centipawns.
    Captures(i32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Table,
    GenerateNoisy,
    GoodNoisy,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Hands out the legal moves of a node, each once, the most promising first.
pub(super) struct MovePicker {
    step: Step,
    purpose: Purpose,
    table_move: Option<Move>,
    moves: MoveList,
    worth: [i32; MoveList::CAPACITY],
    next: usize,
    /// Captures that lose material wait at the front of the list.
    bad: usize,
    skip_quiets: bool,
}

impl MovePicker {
    /// A picker; the table's move must be legal.
    #[inline]
    pub(super) fn new(purpose: Purpose, table_move: Option<Move>) -> MovePicker {
        MovePicker {
            step: if table_move.is_some() {
                Step::Table
            } else {
                Step::GenerateNoisy
            },
            purpose,
            table_move,
            moves: MoveList::new(),
            worth: [0; MoveList::CAPACITY],
            next: 0,
            bad: 0,
            skip_quiets: false,
        }
    }

    /// No quiet moves any more.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    #[inline]
    pub(super) fn next(
        &mut self,
        board: &Board,
        histories: &Histories,
        quiets: &QuietContext,
    ) -> Option<Move> {
        loop {
            match self.step {
                Step::Table => {
                    self.step = Step::GenerateNoisy;
                    return self.table_move;
                }
                Step::GenerateNoisy => {
                    board.generate_moves(GenType::Noisy, &mut self.moves);
                    self.rate_noisy(board, histories);
                    self.step = Step::GoodNoisy;
                }
                Step::GoodNoisy => {
                    while let Some(m) = self.best_left() {
                        if self.is_good(board, m) {
                            return Some(m);
                        }
                        // Its place is behind the earlier bad ones, all of which have been seen.
                        self.moves.swap(self.bad, self.next - 1);
                        self.bad += 1;
                    }
                    self.step = match self.purpose {
                        Purpose::Captures(_) => Step::Done,
                        Purpose::Search => Step::GenerateQuiet,
                    };
                }
                Step::GenerateQuiet => {
                    if !self.skip_quiets {
                        let first = self.moves.len();
                        board.generate_moves(GenType::Quiet, &mut self.moves);
                        self.rate_quiet(first, board, histories, quiets);
                        self.next = first;
                    }
                    self.step = Step::Quiet;
                }
                Step::Quiet => {
                    if !self.skip_quiets
                        && let Some(m) = self.best_left()
                    {
                        return Some(m);
                    }
                    self.next = 0;
                    self.step = Step::BadNoisy;
                }
                Step::BadNoisy => {
                    if self.next >= self.bad {
                        self.step = Step::Done;
                        return None;
                    }
                    self.next += 1;
                    return Some(self.moves[self.next - 1]);
                }
                Step::Done => return None,
            }
        }
    }

    /// Whether a capture belongs before the quiet moves: it loses no material, or little beside its
    /// worth.
    fn is_good(&self, board: &Board, m: Move) -> bool {
        let threshold = match self.purpose {
            Purpose::Captures(threshold) => threshold,
            Purpose::Search => {
                -(self.worth[self.next - 1] >> TIE_BITS) / params::order_exchange_divisor()
            }
        };
        board.see_ge(m, threshold)
    }

    /// The best of the moves not yet handed out in this stage.
    #[inline]
    fn best_left(&mut self) -> Option<Move> {
        while self.next < self.moves.len() {
            // The highest first, many at once, and then where it stands. (None but the promotions
            // to knight and bishop on one square are equal.)
            let left = &self.worth[self.next..self.moves.len()];
            let highest = left.iter().fold(i32::MIN, |most, worth| most.max(*worth));
            let place = left.iter().position(|worth| *worth == highest)?;
            let best = self.next + place;
            let m = self.moves[best];
            self.moves.swap(self.next, best);
            self.worth.swap(self.next, best);
            self.next += 1;
            if Some(m) != self.table_move {
                return Some(m);
            }
        }
        None
    }

    fn rate_noisy(&mut self, board: &Board, histories: &Histories) {
        for (i, m) in (&self.moves).into_iter().enumerate() {
            let victim = board
                .them()
                .piece_at(m.to())
                .map_or(0, |kind| SEE_VALUES[kind.index()]);
            let promoted = match m.promotion() {
                None => 0,
                Some(PieceKind::Queen) => SEE_VALUES[4],
                // The others are hardly ever wanted.
                Some(kind) => SEE_VALUES[kind.index()] / 8 - 500,
            };
            let en_passant = if m.is_en_passant() { SEE_VALUES[0] } else { 0 };
            let worth = 16 * (victim + promoted + en_passant) + histories.noisy(board, m) / 2;
            self.worth[i] = rank(worth, board.turn(), m);
        }
    }

    fn rate_quiet(
        &mut self,
        first: usize,
        board: &Board,
        histories: &Histories,
        quiets: &QuietContext,
    ) {
        let checks = check_squares(board);
        for i in first..self.moves.len() {
            let m = self.moves[i];
            let mut worth = histories.quiet(quiets, m);
            if checks[m.piece().index()].has(m.to()) {
                worth += params::order_check_bonus();
            }
            self.worth[i] = rank(worth, quiets.color, m);
        }
    }
}

/// From where each kind of piece would attack the hostile king.
fn check_squares(board: &Board) -> [Bitboard; 6] {
    let (king, occupied) = (board.them().king(), board.occupied());
    let them = !board.turn();
    PieceKind::ALL.map(|kind| match kind {
        PieceKind::King => Bitboard::EMPTY,
        _ => attacks::of(kind, them, king, occupied),
    })
}

const TIE_BITS: u32 = 12;

/// A worth in which no two moves of a list are equal, whichever the colour that moves: the order of
/// generation must not decide.
#[inline(always)]
fn rank(worth: i32, color: Color, m: Move) -> i32 {
    let (from, to) = (m.from().relative_to(color), m.to().relative_to(color));
    (worth << TIE_BITS) | (from.index() << 6 | to.index()) as i32
}

/// Whether a move captures or promotes.
#[inline(always)]
pub(super) fn is_noisy(board: &Board, m: Move) -> bool {
    m.is_promotion()
        || m.is_en_passant()
        || (board.them().occupied().has(m.to()) && !m.is_castling())
}

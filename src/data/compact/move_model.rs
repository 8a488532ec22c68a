//! How likely each legal move is, by frozen weights of features that depend on the rules alone.
//!
//! The weights were fitted to self-play games as a multinomial logit. Neither they nor the features
//! ever change: files that were written with them would be lost.

use super::weights::{POWERS, WEIGHTS};
use crate::chess::{Bitboard, Board, Color, Move, PieceKind, Square, attacks};

/// The number of weights of a move.
pub(super) const FEATURES: usize = 13;

// Where the weights of each feature start, and of how many values it is.
const FROM: usize = 0; // 6 kinds, 64 squares
const TO: usize = FROM + 6 * 64; // 6 kinds, 64 squares
const CAPTURE: usize = TO + 6 * 64; // 6 kinds, 7 victims, 2 recaptures
const TARGET: usize = CAPTURE + 6 * 7 * 2; // 6 kinds, 7 attackers, 2 defended, 4 gains
const ORIGIN: usize = TARGET + 6 * 7 * 2 * 4; // 6 kinds, 7 attackers, 2 defended
const CHECK: usize = ORIGIN + 6 * 7 * 2; // 2 checks, 3 risks, 2 captures
const THREAT: usize = CHECK + 2 * 3 * 2; // 6 kinds, 6 targets, 2 risks
const PAWN: usize = THREAT + 6 * 6 * 2; // 8 ranks, 2 passed
const CASTLING: usize = PAWN + 8 * 2; // none, queen side, king side
const EVASION: usize = CASTLING + 3; // 6 kinds, 2 in check, 2 captures
const GUARD: usize = EVASION + 6 * 2 * 2; // 6 kinds, 2 guards, 2 threats
const REPETITION: usize = GUARD + 6 * 2 * 2; // 5 leads, 2 repetitions
const DISTANCE: usize = REPETITION + 5 * 2; // 8 distances, 6 kinds
/// The number of weights.
pub(super) const WEIGHT_COUNT: usize = DISTANCE + 8 * 6;

/// The values of the piece kinds, to compare them.
const VALUES: [u8; 6] = [1, 3, 3, 5, 9, 20];
/// The number of positions in which a repetition is looked for.
const REMEMBERED: usize = 8;

/// What the likelihood of a move depends on besides the board.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// Where the last move arrived.
    last: Option<Square>,
    /// The keys of the last positions before this one, in a ring.
    keys: [u64; REMEMBERED],
    plies: usize,
}

impl History {
    /// Adds a move.
    pub(super) fn push(&mut self, board: &Board, m: Move) {
        self.last = Some(m.destination());
        self.keys[self.plies % REMEMBERED] = board.key();
        self.plies += 1;
    }
}

/// The relative sizes of the probabilities of these legal moves, from 1 to 2^16. `lead` is the level
/// of the last score, from the view of the side to move.
pub(super) fn move_sizes(board: &Board, history: &History, lead: i32, moves: &[Move]) -> Vec<u32> {
    let scene = Scene::new(board, history, lead);
    let weight = |feature: usize| i32::from(WEIGHTS[feature]);
    let sums: Vec<i32> =
        moves.iter().map(|m| scene.features(*m).into_iter().map(weight).sum()).collect();
    let max = sums.iter().copied().max().unwrap_or(0);
    sums.into_iter().map(|sum| power(max.abs_diff(sum))).collect()
}

/// 2^(16 - sixteenths / 16), at least 1.
fn power(sixteenths: u32) -> u32 {
    let power = POWERS[(sixteenths % 16) as usize] >> (sixteenths / 16).min(31);
    power.max(1)
}

/// What all moves of a position have in common.
pub(super) struct Scene<'a> {
    board: &'a Board,
    history: &'a History,
    /// The squares that the opponent's pieces of each kind attack.
    attacked_by: [Bitboard; 6],
    /// The squares that own pieces attack, and those that at least two attack.
    defended: [Bitboard; 2],
    /// Own pieces that a less valuable one attacks, or that are attacked and not defended.
    threatened: Bitboard,
    /// The opponent's pieces that are not defended, or more valuable than a piece of each kind.
    targets: [Bitboard; 6],
    lead: usize,
    in_check: bool,
}

impl Scene<'_> {
    pub(super) fn new<'a>(board: &'a Board, history: &'a History, lead: i32) -> Scene<'a> {
        let (us, them, turn) = (board.us(), board.them(), board.turn());
        let occupied = board.occupied();
        let mut attacked_by = [Bitboard::EMPTY; 6];
        let mut defended = [Bitboard::EMPTY; 2];
        for kind in PieceKind::ALL {
            for square in them.pieces(kind) {
                attacked_by[kind.index()] |= attacks::of(kind, !turn, square, occupied);
            }
            for square in us.pieces(kind) {
                let attacked = attacks::of(kind, turn, square, occupied);
                defended[1] |= defended[0] & attacked;
                defended[0] |= attacked;
            }
        }
        let attacked = attacked_by.into_iter().fold(Bitboard::EMPTY, |all, set| all | set);
        let undefended = them.occupied() & !attacked & !them.pieces(PieceKind::King);
        let (mut threatened, mut targets) = (Bitboard::EMPTY, [undefended; 6]);
        for kind in &PieceKind::ALL[..5] {
            threatened |= us.pieces(*kind) & attacked & !defended[0];
            for lesser in PieceKind::ALL.into_iter().filter(|k| is_less(*k, *kind)) {
                threatened |= us.pieces(*kind) & attacked_by[lesser.index()];
                targets[lesser.index()] |= them.pieces(*kind);
            }
        }
        let lead = [-15, -3, 4, 16].iter().filter(|bound| lead >= **bound).count();
        let in_check = board.in_check();
        Scene { board, history, attacked_by, defended, threatened, targets, lead, in_check }
    }

    /// The least valuable kind of the opponent's pieces that attack the square, from 1; 0 for none.
    fn attacker(&self, square: Square) -> usize {
        self.attacked_by.iter().position(|set| set.has(square)).map_or(0, |kind| kind + 1)
    }

    /// The indices of the weights of a legal move.
    #[inline]
    pub(super) fn features(&self, m: Move) -> [usize; FEATURES] {
        let board = self.board;
        let (them, turn) = (board.them(), board.turn());
        let (piece, from, to) = (m.piece(), m.from(), m.destination());
        let kind = piece.index();
        let victim = if m.is_en_passant() { Some(PieceKind::Pawn) } else { them.piece_at(m.to()) };
        let is_capture = victim.is_some();
        let gain = victim.map_or(0, |victim| {
            1 + usize::from(!is_less(victim, piece)) + usize::from(is_less(piece, victim))
        });
        let attacker = self.attacker(to);
        // A pawn does not attack the square that it is pushed to, nor a castling king the other.
        let is_own_attack = !m.is_castling() && (piece != PieceKind::Pawn || is_capture);
        let is_defended = self.defended[usize::from(is_own_attack)].has(to);
        let is_lesser = attacker > 0 && VALUES[attacker - 1] < VALUES[kind];
        let risk =
            usize::from(attacker > 0) + usize::from(attacker > 0 && (is_lesser || !is_defended));
        let occupied = (board.occupied() & !from.bitboard()) | to.bitboard();
        let arrived = m.promotion().unwrap_or(piece);
        let new_attacks = attacks::of(arrived, turn, to, occupied)
            & !attacks::of(piece, turn, from, board.occupied());
        let targets = new_attacks & self.targets[arrived.index()];
        let target = if targets.is_empty() {
            0
        } else {
            let kinds = PieceKind::ALL[..5].iter();
            kinds.rev().position(|k| (targets & them.pieces(*k)).any()).map_or(0, |back| 5 - back)
        };
        let threatened = self.threatened & !from.bitboard();
        let guards = (new_attacks & threatened).any();
        let is_quiet_piece = !is_capture && piece != PieceKind::Pawn;
        let repeats = is_quiet_piece && self.history.keys.contains(&board.key_after(m));
        [
            FROM + kind * 64 + from.relative_to(turn).index(),
            TO + kind * 64 + to.relative_to(turn).index(),
            CAPTURE
                + (kind * 7 + victim.map_or(6, PieceKind::index)) * 2
                + usize::from(self.history.last == Some(to)),
            TARGET + ((kind * 7 + attacker) * 2 + usize::from(is_defended)) * 4 + gain,
            ORIGIN + (kind * 7 + self.attacker(from)) * 2 + usize::from(self.defended[0].has(from)),
            CHECK + (usize::from(board.gives_check(m)) * 3 + risk) * 2 + usize::from(is_capture),
            THREAT + (kind * 6 + target) * 2 + usize::from(risk == 2),
            PAWN + pawn_feature(board, piece, to),
            CASTLING + usize::from(m.is_castling()) * (1 + usize::from(m.to() > from)),
            EVASION + (kind * 2 + usize::from(self.in_check)) * 2 + usize::from(is_capture),
            GUARD + (kind * 2 + usize::from(guards)) * 2 + usize::from(threatened.any()),
            REPETITION + self.lead * 2 + usize::from(repeats),
            DISTANCE
                + self.history.last.map_or(7, |last| usize::from(last.distance(to))) * 6
                + kind,
        ]
    }
}

/// Whether a piece is less valuable than another.
fn is_less(a: PieceKind, b: PieceKind) -> bool {
    VALUES[a.index()] < VALUES[b.index()]
}

/// The rank that a pawn arrives on, and whether it is a passed pawn there; 0 for other pieces.
fn pawn_feature(board: &Board, piece: PieceKind, to: Square) -> usize {
    if piece != PieceKind::Pawn {
        return 0;
    }
    let file = Bitboard::FILE_A.0 << (to.index() % 8);
    let files = file | (file & !Bitboard::FILE_H.0) << 1 | (file & !Bitboard::FILE_A.0) >> 1;
    let rank = to.relative_to(board.turn()).index() / 8;
    // The ranks beyond, as bits from the first or the last rank on.
    let ahead = match board.turn() {
        Color::White => (!0 << 8) << (8 * rank),
        Color::Black => (!0 >> 8) >> (8 * rank),
    };
    let is_passed = board.them().pieces(PieceKind::Pawn).0 & files & ahead == 0;
    rank * 2 + usize::from(is_passed)
}

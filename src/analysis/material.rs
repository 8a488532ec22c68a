//! Material along a line: what both sides take and promote, netted at a quiet position.

use crate::chess::{Bitboard, Board, Color, Move, PieceKind, SEE_VALUES, Square};

/// The smallest difference that counts as a gain or a loss, in centipawns: a pawn.
pub(super) const PAWN_VALUE: i32 = SEE_VALUES[PieceKind::Pawn.index()];

/// Number of quiet moves in a row that end the forced part of a line.
const QUIET_MOVES: usize = 4;

/// What a line changes in material, for the side that starts it. Equal pieces that both sides lose
/// are netted; a promotion gains the new piece and loses the pawn.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Material {
    /// The pieces gained, the most valuable first.
    pub gained: Vec<PieceKind>,
    /// The pieces lost, the most valuable first.
    pub lost: Vec<PieceKind>,
    /// The pieces that both sides lose, the most valuable first.
    pub traded: Vec<PieceKind>,
    /// The new pieces of the side that starts the line, and of the other, that stay on the board.
    pub promoted: [Option<PieceKind>; 2],
    /// The number of plies up to the quiet position.
    pub plies: usize,
}

impl Material {
    /// The material that a line gains and loses up to a quiet position; `None` if it ends in the
    /// middle of an exchange, so that it proves nothing.
    pub fn of_line(board: &Board, line: &[Move]) -> Option<Material> {
        let end = settled(board, line)?;
        let whole = Material::counted(board, &line[..end]);
        // An even trade at the end is no part of what happens.
        let mut at = *board;
        for (ply, m) in line[..end].iter().enumerate() {
            at = at.make(*m);
            let part = Material::counted(board, &line[..=ply]);
            let is_same = (&part.gained, &part.lost) == (&whole.gained, &whole.lost);
            if is_same && !is_retaken(line, ply) && is_quiet(&at, PAWN_VALUE) {
                return Some(part);
            }
        }
        Some(whole)
    }

    /// The material that a line gains and loses up to the first position where no capture wins
    /// anything, that `agrees` with the score of the line, so that nothing more is to come, and after
    /// which the line gives nothing back; `None` if there is none. An even exchange at its start
    /// counts alone, unless the line `wins` more than a pawn or two, and takes a piece that was safe
    /// before. Only the first `plies` of the line count.
    pub(super) fn up_to(
        board: &Board,
        line: &[Move],
        plies: usize,
        wins: bool,
        agrees: impl Fn(&Board) -> bool,
    ) -> Option<Material> {
        let mut at = *board;
        let stays = |ply: usize| {
            !is_retaken(line, ply) || Material::counted(board, &line[..=ply]).value() == 0
        };
        // The material at each calm position, and whether that agrees.
        let calm = line.iter().enumerate().take(plies).filter_map(|(ply, m)| {
            at = at.make(*m);
            let is_over = !at.has_legal_move();
            let counted = || (Material::counted(board, &line[..=ply]), is_over || agrees(&at));
            (is_over || is_calm(&at, None) && stays(ply)).then(counted)
        });
        let calm: Vec<(Material, bool)> = calm.collect();
        let whole = calm.iter().enumerate().find_map(|(place, (material, agrees))| {
            let value = material.value();
            let given_back = |later: &Material| value.signum() * (value - later.value());
            let is_kept = || calm[place..].iter().all(|(later, _)| given_back(later) < PAWN_VALUE);
            (*agrees && is_kept()).then(|| material.clone())
        });
        let Some(plies) = even_exchange(board, line) else {
            return whole;
        };
        let is_piece = |material: &Material| material.value().abs() >= value(PieceKind::Knight);
        let was_calm = || is_calm(board, Some(line[0].to()));
        let whole = whole.filter(|whole| wins && is_piece(whole) && was_calm());
        Some(whole.unwrap_or_else(|| Material::counted(board, &line[..plies])))
    }

    /// The pieces that a side has more than the other one in a position, and those that it has less.
    pub(super) fn ahead(board: &Board, side: Color) -> Material {
        let surplus = |own: Color| {
            let count = |color, kind| board.side(color).pieces(kind).count() as usize;
            let more = |kind| count(own, kind).saturating_sub(count(!own, kind));
            let kinds = PieceKind::ALL.into_iter().rev();
            kinds.flat_map(|kind| std::iter::repeat_n(kind, more(kind))).collect()
        };
        Material { gained: surplus(side), lost: surplus(!side), ..Material::default() }
    }

    /// The gain in centipawns; negative for a loss.
    pub fn value(&self) -> i32 {
        sum(&self.gained) - sum(&self.lost)
    }

    /// The same for the other side.
    #[must_use]
    pub fn of_other_side(self) -> Material {
        let [own, other] = self.promoted;
        Material { gained: self.lost, lost: self.gained, promoted: [other, own], ..self }
    }

    /// Counts every move of a line.
    fn counted(board: &Board, line: &[Move]) -> Material {
        let mut material = Material { plies: line.len(), ..Material::default() };
        let (mut at, us) = (*board, board.turn());
        // The last new piece of each side, and its square.
        let mut promoted: [Option<(PieceKind, Square)>; 2] = [None; 2];
        for m in line {
            let is_own = at.turn() == us;
            let (gained, lost) = if is_own {
                (&mut material.gained, &mut material.lost)
            } else {
                (&mut material.lost, &mut material.gained)
            };
            let [own, other] = [!is_own, is_own].map(usize::from);
            if let Some((taken, kind)) = captured(&at, *m) {
                gained.push(kind);
                promoted[other] = promoted[other].filter(|(_, square)| *square != taken);
            }
            let moved = promoted[own].filter(|(_, square)| *square == m.from());
            promoted[own] = moved.map(|(kind, _)| (kind, m.to())).or(promoted[own]);
            if let Some(kind) = m.promotion() {
                gained.push(kind);
                lost.push(PieceKind::Pawn);
                promoted[own] = Some((kind, m.to()));
            }
            at = at.make(*m);
        }
        material.promoted = promoted.map(|new| new.map(|(kind, _)| kind));
        material.net();
        material
    }

    /// Moves what both sides lose to `traded`.
    fn net(&mut self) {
        self.gained.retain(|kind| {
            let place = self.lost.iter().position(|lost| lost == kind);
            if let Some(place) = place {
                self.traded.push(self.lost.swap_remove(place));
            }
            place.is_none()
        });
        for (promoted, kept) in self.promoted.iter_mut().zip([&self.gained, &self.lost]) {
            *promoted = promoted.filter(|kind| kept.contains(kind));
        }
        for list in [&mut self.gained, &mut self.lost, &mut self.traded] {
            list.sort_by(|a, b| b.cmp(a));
        }
    }
}

/// The number of plies of a line up to a quiet position; `None` if it has none. A line that ends in
/// the middle of an exchange counts up to its last quiet position. If a pawn hangs all along, it is
/// enough that no piece does.
pub(super) fn settled(board: &Board, line: &[Move]) -> Option<usize> {
    settled_to(board, line, PAWN_VALUE).or_else(|| settled_to(board, line, 2 * PAWN_VALUE))
}

fn settled_to(board: &Board, line: &[Move], threshold: i32) -> Option<usize> {
    let (mut at, mut quiet, mut last) = (*board, 0, None);
    for (ply, m) in line.iter().enumerate() {
        let is_forcing =
            at.in_check() || at.gives_check(*m) || captured(&at, *m).is_some() || m.is_promotion();
        quiet = if is_forcing { 0 } else { quiet + 1 };
        at = at.make(*m);
        let is_over = !at.has_legal_move();
        if is_over || is_quiet(&at, threshold) {
            last = Some(ply + 1);
            if is_over || quiet >= QUIET_MOVES {
                break;
            }
        }
    }
    last
}

/// Whether the line takes back at once what moved at `ply`: static exchange evaluation may see more.
fn is_retaken(line: &[Move], ply: usize) -> bool {
    line.get(ply + 1).is_some_and(|next| next.to() == line[ply].to())
}

/// Whether neither side wins this much at once: the side to move has no such capture or promotion,
/// and is not in check; the other side has them on at most one square, so that they can be parried.
fn is_quiet(board: &Board, threshold: i32) -> bool {
    if board.in_check() || gains(board, threshold).next().is_some() {
        return false;
    }
    let passed = board.make_null();
    let mut targets = gains(&passed, threshold).map(|m| m.to());
    targets.next().is_none_or(|first| targets.all(|other| other == first))
}

/// The number of captures on one square at the start of a line, if both sides lose the same.
fn even_exchange(board: &Board, line: &[Move]) -> Option<usize> {
    let square = line.first()?.to();
    let mut at = *board;
    let takes = |m: &&Move| {
        let takes = m.to() == square && at.is_capture(**m) && !m.is_promotion();
        at = at.make(**m);
        takes
    };
    let plies = line.iter().take_while(takes).count();
    let is_even = plies >= 2 && Material::counted(board, &line[..plies]).value() == 0;
    is_even.then_some(plies)
}

/// Whether neither side is in check or wins anything by a capture or promotion, but on one square.
fn is_calm(board: &Board, except: Option<Square>) -> bool {
    let is_calm = |board: &Board| winning_captures(board).all(|m| Some(m.to()) == except);
    !board.in_check() && is_calm(board) && is_calm(&board.make_null())
}

/// The captures and promotions that win at least a pawn by static exchange evaluation.
pub(super) fn winning_captures(board: &Board) -> impl Iterator<Item = Move> {
    gains(board, PAWN_VALUE)
}

fn gains(board: &Board, threshold: i32) -> impl Iterator<Item = Move> {
    let moves = board.legal_moves();
    moves.into_iter().filter(move |m| {
        (captured(board, *m).is_some() || m.is_promotion()) && board.see_ge(*m, threshold)
    })
}

/// The square and the kind of the piece that a move captures.
pub(super) fn captured(board: &Board, m: Move) -> Option<(Square, PieceKind)> {
    if m.is_en_passant() {
        return Some((Square::new(m.to().file(), m.from().rank()), PieceKind::Pawn));
    }
    // The target of castling is the own rook.
    Some((m.to(), board.them().piece_at(m.to())?))
}

/// The value of a piece in centipawns; a king has none.
pub(super) fn value(kind: PieceKind) -> i32 {
    SEE_VALUES[kind.index()]
}

/// Whether taking a piece of `side` with a piece of this kind wins material: it is worth more, or
/// nothing guards it.
pub(super) fn is_prize(board: &Board, side: Color, target: Square, by: PieceKind) -> bool {
    let Some(kind) = board.side(side).piece_at(target) else {
        return false;
    };
    kind != PieceKind::Pawn && (value(kind) > value(by) || guards(board, side, target).is_empty())
}

/// The pieces of a side that guard a square.
pub(super) fn guards(board: &Board, side: Color, square: Square) -> Bitboard {
    board.side(side).attackers_to(side, square, board.occupied())
}

fn sum(kinds: &[PieceKind]) -> i32 {
    kinds.iter().map(|kind| value(*kind)).sum()
}

/// The material of the side to move less the material of the other side, in centipawns.
pub(super) fn balance(board: &Board) -> i32 {
    let side = |side: &crate::chess::Side| -> i32 {
        PieceKind::ALL.iter().map(|kind| value(*kind) * side.pieces(*kind).count() as i32).sum()
    };
    side(board.us()) - side(board.them())
}

//! Precomputed piece moves: where every piece goes from every square.
//!
//! Leapers and lines are tables made by the compiler. Sliders (rook, bishop) are looked up in one
//! table made by `build.rs`: the index into it is the occupation of the relevant squares, packed
//! by one PEXT instruction where the machine has it, else by a multiplication ("magic bitboards",
//! <https://www.chessprogramming.org/Magic_Bitboards>). Both indices share the layout.
//!
//! [`slow`] computes the same step by step.

pub mod slow;

use super::{Bitboard, Color, PieceKind, Square};

/// How to find a slider's entry: relevant squares, multiplier, shift and the first entry.
struct Slider {
    mask: u64,
    #[cfg_attr(target_feature = "bmi2", allow(dead_code))]
    magic: u64,
    #[cfg_attr(target_feature = "bmi2", allow(dead_code))]
    shift: u32,
    offset: u32,
}

include!(concat!(env!("OUT_DIR"), "/sliders.rs"));

type Table = [Bitboard; 64];

const fn leaper(directions: &[slow::Direction]) -> Table {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(slow::leaps(square, directions));
        square += 1;
    }
    table
}

const fn rays(directions: &[slow::Direction]) -> Table {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(slow::slides(square, directions, 0));
        square += 1;
    }
    table
}

static KNIGHT: Table = leaper(&slow::KNIGHT);
static KING: Table = leaper(&slow::KING);
static PAWN: [Table; 2] = [leaper(&[(-1, 1), (1, 1)]), leaper(&[(-1, -1), (1, -1)])];
static ROOK_RAYS: Table = rays(&slow::ROOK);
static BISHOP_RAYS: Table = rays(&slow::BISHOP);

/// Squares strictly between two squares, by their indices.
static BETWEEN: [Table; 64] = lines(false);
/// All squares of the line through two squares, edge to edge, by their indices.
static LINE: [Table; 64] = lines(true);

const fn lines(whole: bool) -> [Table; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut i = 0;
        while i < slow::KING.len() {
            let direction = slow::KING[i];
            let opposite = (-direction.0, -direction.1);
            let all = slow::ray(from, direction, 0) | slow::ray(from, opposite, 0) | 1 << from;
            let mut passed = 0u64;
            let mut at = from;
            while let Some(to) = slow::step(at, direction) {
                table[from][to] = Bitboard(if whole { all } else { passed });
                passed |= 1 << to;
                at = to;
            }
            i += 1;
        }
        from += 1;
    }
    table
}

/// Squares a pawn of this colour attacks from here.
#[inline(always)]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Squares a knight attacks from here.
#[inline(always)]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares a king attacks from here.
#[inline(always)]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// What a slider reaches among these occupied squares.
#[inline(always)]
fn slides(slider: &Slider, occupied: Bitboard) -> Bitboard {
    #[cfg(target_feature = "bmi2")]
    // SAFETY: this line exists only in builds for machines that have the instruction, and an
    // instruction on numbers touches no memory.
    let packed = unsafe { std::arch::x86_64::_pext_u64(occupied.0, slider.mask) };
    #[cfg(not(target_feature = "bmi2"))]
    let packed = (occupied.0 & slider.mask).wrapping_mul(slider.magic) >> slider.shift;
    let index = slider.offset as usize + packed as usize;
    // SAFETY: a mask of n bits packs to less than 2^n, and from each offset on the table has 2^n
    // entries for its mask (a test goes through all). Against a checked read perft gains 3 %.
    Bitboard(unsafe { *SLIDES.get_unchecked(index) })
}

/// Squares a rook attacks from here when these squares are occupied.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    slides(&ROOKS[square.index()], occupied)
}

/// Squares a bishop attacks from here when these squares are occupied.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    slides(&BISHOPS[square.index()], occupied)
}

/// Squares a queen attacks from here when these squares are occupied.
#[inline(always)]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

/// Squares any piece attacks from here when these squares are occupied.
#[inline(always)]
pub fn of(kind: PieceKind, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match kind {
        PieceKind::Pawn => pawn(color, square),
        PieceKind::Knight => knight(square),
        PieceKind::Bishop => bishop(square, occupied),
        PieceKind::Rook => rook(square, occupied),
        PieceKind::Queen => queen(square, occupied),
        PieceKind::King => king(square),
    }
}

/// Squares a rook reaches from here on an empty board.
#[inline(always)]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

/// Squares a bishop reaches from here on an empty board.
#[inline(always)]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// Squares strictly between two squares of one line; none if they share no line.
#[inline(always)]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole line through two squares, edge to edge; nothing if they share none.
#[inline(always)]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A small generator of random numbers (xorshift), enough for picking occupations.
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn slider_tables_equal_walking_the_rays() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        for square in Square::ALL {
            for _ in 0..2_000 {
                let occupied = random(&mut state) & random(&mut state);
                let i = square.index();
                assert_eq!(
                    rook(square, Bitboard(occupied)).0,
                    slow::slides(i, &slow::ROOK, occupied)
                );
                assert_eq!(
                    bishop(square, Bitboard(occupied)).0,
                    slow::slides(i, &slow::BISHOP, occupied)
                );
            }
        }
    }

    #[test]
    fn no_slider_reads_outside_its_table() {
        let mut end = 0;
        for slider in ROOKS.iter().chain(&BISHOPS) {
            let bits = slider.mask.count_ones();
            assert_eq!(
                slider.offset as usize, end,
                "one after the other, without gap or overlap"
            );
            assert_eq!(
                slider.shift,
                64 - bits,
                "the multiplier's index has as many bits"
            );
            end += 1 << bits;
        }
        assert_eq!(end, SLIDES.len());
    }

    #[test]
    fn between_and_line_follow_the_slow_rays() {
        for a in Square::ALL {
            for b in Square::ALL {
                let shared = slow::KING
                    .iter()
                    .find(|d| slow::ray(a.index(), **d, 0) >> b.index() & 1 != 0);
                let (mut inner, mut whole) = (0, 0);
                if let Some(&d) = shared {
                    inner = slow::ray(a.index(), d, b.bitboard().0) & !b.bitboard().0;
                    whole = slow::ray(a.index(), d, 0)
                        | slow::ray(a.index(), (-d.0, -d.1), 0)
                        | a.bitboard().0;
                }
                assert_eq!(between(a, b).0, inner, "between {a} and {b}");
                assert_eq!(line(a, b).0, whole, "line {a} {b}");
            }
        }
    }

    #[test]
    fn leapers_in_the_corner_and_the_middle() {
        assert_eq!(
            knight(Square::A1),
            Bitboard::from_squares(&[Square::B3, Square::C2])
        );
        assert_eq!(
            king(Square::H8),
            Bitboard::from_squares(&[Square::G8, Square::G7, Square::H7])
        );
        assert_eq!(
            pawn(Color::White, Square::E4),
            Bitboard::from_squares(&[Square::D5, Square::F5])
        );
        assert_eq!(
            pawn(Color::Black, Square::A4),
            Bitboard::from_squares(&[Square::B3])
        );
        assert_eq!(knight(Square::E4).count(), 8);
    }
}

//! Piece encoding: the index of a position in its table.
//!
//! The pieces of a table form groups. The board's symmetries normalise the leading group: three
//! unique pieces, or the two kings, or the pawns of one side. Each further group is a set of equal
//! pieces on the remaining squares. The index is the sum of the groups' own indices, each
//! multiplied by the factor of its group.

use saavedra_chess::{Color, Piece, PieceKind};

/// How the first pieces of a table are encoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeadingGroup {
    /// Three pieces, each the only one of its kind and colour.
    ThreeUnique,
    /// The two kings.
    Kings,
    /// `count` pawns of one side, the leading one on `file` (0 for a to 3 for d) or its mirror
    /// image.
    Pawns { count: usize, file: usize },
}

impl LeadingGroup {
    fn count(self) -> usize {
        match self {
            LeadingGroup::ThreeUnique => 3,
            LeadingGroup::Kings => 2,
            LeadingGroup::Pawns { count, .. } => count,
        }
    }

    /// Number of indices of the group.
    fn size(self) -> u64 {
        match self {
            LeadingGroup::ThreeUnique => UNIQUE_THREE_COUNT,
            LeadingGroup::Kings => KING_PAIRS.count,
            LeadingGroup::Pawns { count, file } => LEADING_PAWNS.sizes[count - 1][file],
        }
    }
}

/// A group of equal pieces after the leading group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Group {
    count: usize,
    factor: u64,
    /// Pawns are encoded without the first rank.
    is_pawns: bool,
}

/// The piece encoding of a subtable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Encoding {
    pieces: Vec<Piece>,
    leading: LeadingGroup,
    leading_factor: u64,
    groups: Vec<Group>,
    size: u64,
}

impl Encoding {
    /// The encoding of these pieces, in the order of the file. `order` holds the positions of the
    /// leading group and, if both sides have pawns, of the other pawns in the product of factors.
    ///
    /// `None` if pieces or order are invalid.
    pub(super) fn new(
        pieces: Vec<Piece>,
        leading: LeadingGroup,
        order: [usize; 2],
    ) -> Option<Encoding> {
        let (first, rest) = pieces.split_at_checked(leading.count())?;
        let is_leading = match leading {
            LeadingGroup::ThreeUnique => {
                first.iter().all(|m| pieces.iter().filter(|o| *o == m).count() == 1)
            }
            LeadingGroup::Kings => {
                first[0].kind == PieceKind::King && first[1].kind == PieceKind::King
            }
            LeadingGroup::Pawns { .. } => first.iter().all(|m| *m == first[0]),
        };
        let mut groups: Vec<Group> = rest
            .chunk_by(|a, b| a == b)
            .map(|equal| Group {
                count: equal.len(),
                factor: 0,
                is_pawns: equal[0].kind == PieceKind::Pawn,
            })
            .collect();
        let other_pawns = groups.first().is_some_and(|group| group.is_pawns);
        let in_order = groups.iter().skip(1).all(|group| !group.is_pawns)
            && rest.iter().all(|m| !first.contains(m));
        if !is_leading || !in_order {
            return None;
        }
        let (leading_factor, size) = set_factors(leading, &mut groups, other_pawns, order)?;
        Some(Encoding { pieces, leading, leading_factor, groups, size })
    }

    /// The pieces in the order in which [`index`](Encoding::index) takes their squares.
    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Number of indices.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The index of the position with the pieces on these squares (a1 is 0); the squares are
    /// normalised and sorted in place. Less than [`size`](Encoding::size).
    pub(super) fn index(&self, squares: &mut [u8]) -> u64 {
        let count = self.leading.count();
        let leading = match self.leading {
            LeadingGroup::ThreeUnique => {
                normalise(squares, count);
                encode_unique_three([squares[0], squares[1], squares[2]])
            }
            LeadingGroup::Kings => {
                normalise(squares, count);
                let first = usize::from(MAP_A1D1D4[usize::from(squares[0])]);
                u64::from(KING_PAIRS.index[first][usize::from(squares[1])])
            }
            LeadingGroup::Pawns { count, .. } => encode_leading_pawns(squares, count),
        };
        let mut index = leading * self.leading_factor;
        let mut start = count;
        for group in &self.groups {
            let end = start + group.count;
            squares[start..end].sort_unstable();
            let (before, equal) = squares[..end].split_at(start);
            index += encode_group(before, equal, group.is_pawns) * group.factor;
            start = end;
        }
        index
    }
}

/// Sets the factors of the groups. Returns the factor of the leading group and the number of
/// indices.
fn set_factors(
    leading: LeadingGroup,
    groups: &mut [Group],
    other_pawns: bool,
    order: [usize; 2],
) -> Option<(u64, u64)> {
    let mut free = 64 - leading.count();
    let mut fixed = vec![order[0]];
    if other_pawns {
        // The other pawns take their squares before the other groups, whatever their order is.
        fixed.push(order[1]);
        free -= groups[0].count;
    }
    let total = groups.len() + 1;
    if fixed.iter().any(|i| *i >= total) || (other_pawns && fixed[0] == fixed[1]) {
        return None;
    }
    let (mut leading_factor, mut size) = (0, 1u64);
    let mut next = fixed.len() - 1;
    for i in 0..total {
        if i == order[0] {
            leading_factor = size;
            size = size.checked_mul(leading.size())?;
        } else if other_pawns && i == order[1] {
            groups[0].factor = size;
            size = size.checked_mul(BINOMIAL[groups[0].count][48 - leading.count()])?;
        } else {
            let group = &mut groups[next];
            group.factor = size;
            size = size.checked_mul(BINOMIAL[group.count][free])?;
            free -= group.count;
            next += 1;
        }
    }
    Some((leading_factor, size))
}

/// The index of a group of equal pieces on the squares that `before` does not occupy. The squares
/// of the group ascend.
#[inline]
fn encode_group(before: &[u8], equal: &[u8], is_pawns: bool) -> u64 {
    let first_rank = if is_pawns { 8 } else { 0 };
    let mut index = 0;
    for (i, square) in equal.iter().enumerate() {
        let taken = before.iter().filter(|other| *other < square).count();
        index += BINOMIAL[i + 1][(usize::from(*square)).saturating_sub(taken + first_rank)];
    }
    index
}

/// Flips the board so that the first piece is in the triangle a1–d1–d4 and the first of the leading
/// pieces that is off the diagonal a1–h8 is below it.
#[inline]
fn normalise(squares: &mut [u8], leading: usize) {
    if squares[0] & 4 != 0 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    if squares[0] & 32 != 0 {
        squares.iter_mut().for_each(|square| *square ^= 56);
    }
    let off_diagonal = squares[..leading].iter().find(|square| !is_diagonal(**square));
    if off_diagonal.is_some_and(|square| is_above(*square)) {
        for square in squares {
            *square = *square >> 3 | (*square & 7) << 3;
        }
    }
}

const fn is_diagonal(square: u8) -> bool {
    square >> 3 == square & 7
}

const fn is_above(square: u8) -> bool {
    square >> 3 > square & 7
}

/// Number of placements of three unique pieces up to symmetry.
const UNIQUE_THREE_COUNT: u64 = 31_332;

/// The index of three unique pieces, the first of them in the triangle a1–d1–d4.
///
/// First come the placements with the first piece off the diagonal, then those with it on the
/// diagonal and the second below, then two on the diagonal, then all three.
#[inline]
fn encode_unique_three([a, b, c]: [u8; 3]) -> u64 {
    const ONE_ON: u64 = 6 * 63 * 62;
    const TWO_ON: u64 = ONE_ON + 4 * 28 * 62;
    const ALL_ON: u64 = TWO_ON + 4 * 7 * 28;
    // Number of earlier pieces on smaller squares, on the whole board and on the diagonal alike.
    let before_b = u64::from(b > a);
    let before_c = u64::from(c > a) + u64::from(c > b);
    let third = u64::from(c) - before_c;
    if !is_diagonal(a) {
        let first = u64::from(MAP_A1D1D4[usize::from(a)]);
        return (first * 63 + u64::from(b) - before_b) * 62 + third;
    }
    let first = u64::from(a >> 3);
    if !is_diagonal(b) {
        return ONE_ON + (first * 28 + u64::from(MAP_B1H1H7[usize::from(b)])) * 62 + third;
    }
    let first_two = first * 7 + u64::from(b >> 3) - before_b;
    if !is_diagonal(c) {
        return TWO_ON + first_two * 28 + u64::from(MAP_B1H1H7[usize::from(c)]);
    }
    ALL_ON + first_two * 6 + u64::from(c >> 3) - before_c
}

/// The index of the leading pawns. The leading pawn comes first; the others are sorted.
#[inline]
fn encode_leading_pawns(squares: &mut [u8], count: usize) -> u64 {
    if squares[0] & 4 != 0 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    squares[1..count].sort_unstable_by_key(|square| MAP_PAWNS[usize::from(*square)]);
    let first = LEADING_PAWNS.base[count - 1][usize::from(squares[0])];
    let others = squares[1..count].iter().enumerate();
    others.fold(first, |index, (i, square)| {
        index + BINOMIAL[i + 1][usize::from(MAP_PAWNS[usize::from(*square)])]
    })
}

/// Moves the leading pawn, that with the greatest [`MAP_PAWNS`], to the front. Returns its file, 0
/// for a or h to 3 for d or e.
#[inline]
pub(super) fn leading_pawn_first(pawns: &mut [u8]) -> usize {
    let order = |square: &u8| MAP_PAWNS[usize::from(*square)];
    let leading = (0..pawns.len()).max_by_key(|i| order(&pawns[*i]));
    if let Some(leading) = leading {
        pawns.swap(0, leading);
    }
    let file = pawns.first().map_or(0, |square| square & 7);
    usize::from(file.min(7 - file))
}

/// Colour and number of the leading pawns: the side with fewer pawns, but at least one, leads;
/// White's if both have equally many.
pub(super) fn leading_pawns(white: usize, black: usize) -> Option<(Color, usize)> {
    match (white, black) {
        (0, 0) => None,
        (0, count) => Some((Color::Black, count)),
        (white, black) if black != 0 && black < white => Some((Color::Black, black)),
        (count, _) => Some((Color::White, count)),
    }
}

/// `BINOMIAL[k][n]`: n choose k.
static BINOMIAL: [[u64; 64]; 7] = binomials();

const fn binomials() -> [[u64; 64]; 7] {
    let mut table = [[0; 64]; 7];
    let mut n = 0;
    while n < 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
}

/// Index of a square in the triangle a1–d1–d4: first the six squares off the diagonal, then the
/// four on it.
static MAP_A1D1D4: [u8; 64] = map_a1d1d4();

const fn map_a1d1d4() -> [u8; 64] {
    let mut table = [0; 64];
    let (mut off, mut on) = (0, 6);
    let mut square = 0u8;
    while square < 32 {
        if square & 7 < 4 && !is_above(square) {
            let next = if is_diagonal(square) { &mut on } else { &mut off };
            table[square as usize] = *next;
            *next += 1;
        }
        square += 1;
    }
    table
}

/// Index of a square in the triangle b1–h1–h7, the 28 squares below the diagonal a1–h8.
static MAP_B1H1H7: [u8; 64] = map_b1h1h7();

const fn map_b1h1h7() -> [u8; 64] {
    let mut table = [0; 64];
    let (mut square, mut next) = (0u8, 0);
    while square < 64 {
        if !is_diagonal(square) && !is_above(square) {
            table[square as usize] = next;
            next += 1;
        }
        square += 1;
    }
    table
}

/// Indices of two kings, the first in the triangle a1–d1–d4, and their number.
struct KingPairs {
    index: [[u16; 64]; 10],
    count: u64,
}

static KING_PAIRS: KingPairs = kings();

/// Placements with both kings on the diagonal come last.
const fn kings() -> KingPairs {
    let mut kings = KingPairs { index: [[0; 64]; 10], count: 0 };
    let map = map_a1d1d4();
    let mut pass = 0;
    while pass < 2 {
        let mut i = 0;
        while i < 10 {
            let mut first = 0u8;
            while first < 64 {
                let mut second = 0u8;
                while second < 64 && has_index(&map, first, i) {
                    let both_on = is_diagonal(first) && is_diagonal(second);
                    let mirrored = is_diagonal(first) && is_above(second);
                    if !touch(first, second) && !mirrored && both_on == (pass == 1) {
                        kings.index[i as usize][second as usize] = kings.count as u16;
                        kings.count += 1;
                    }
                    second += 1;
                }
                first += 1;
            }
            i += 1;
        }
        pass += 1;
    }
    kings
}

/// Whether the square is in the triangle a1–d1–d4 and has this index there.
const fn has_index(map: &[u8; 64], square: u8, index: u8) -> bool {
    square < 32 && square & 7 < 4 && !is_above(square) && map[square as usize] == index
}

/// Whether the squares are equal or adjacent.
const fn touch(a: u8, b: u8) -> bool {
    (a & 7).abs_diff(b & 7) <= 1 && (a >> 3).abs_diff(b >> 3) <= 1
}

/// Order of the pawns' squares; the leading pawn has the greatest value. From the greatest: a2, h2,
/// a3, h3 to h7, then the files b and g, c and f, d and e.
static MAP_PAWNS: [u8; 64] = map_pawns();

const fn map_pawns() -> [u8; 64] {
    let mut table = [0; 64];
    let mut left = 48;
    let mut file = 0;
    while file < 4 {
        let mut rank = 1;
        while rank < 7 {
            left -= 2;
            table[rank * 8 + file] = left + 1;
            table[rank * 8 + 7 - file] = left;
            rank += 1;
        }
        file += 1;
    }
    table
}

/// Maximum number of pawns of one side in a table.
const MAX_PAWNS: usize = 5;

/// For each number of leading pawns less one: the first index for each square of the leading pawn,
/// and the number of indices for each file of it.
struct LeadingPawns {
    base: [[u64; 64]; MAX_PAWNS],
    sizes: [[u64; 4]; MAX_PAWNS],
}

static LEADING_PAWNS: LeadingPawns = leading_pawn_table();

const fn leading_pawn_table() -> LeadingPawns {
    let mut pawns = LeadingPawns { base: [[0; 64]; MAX_PAWNS], sizes: [[0; 4]; MAX_PAWNS] };
    let (order, binomial) = (map_pawns(), binomials());
    let mut others = 0;
    while others < MAX_PAWNS {
        let mut file = 0;
        while file < 4 {
            let mut index = 0;
            let mut rank = 1;
            while rank < 7 {
                let square = rank * 8 + file;
                pawns.base[others][square] = index;
                index += binomial[others][order[square] as usize];
                rank += 1;
            }
            pawns.sizes[others][file] = index;
            file += 1;
        }
        others += 1;
    }
    pawns
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn king_pairs_and_leading_pawns_have_the_published_counts() {
        assert_eq!(KING_PAIRS.count, 462);
        assert_eq!(LEADING_PAWNS.sizes[0], [6; 4]);
        let two: u64 = LEADING_PAWNS.sizes[1].iter().sum();
        // Pairs of pawns on 48 squares up to mirroring: 24 pairs are their own images.
        assert_eq!(two, (48 * 47 / 2 + 24) / 2);
    }

    /// The encoding of three unique pieces is onto, and mirror images have the same index.
    #[test]
    fn three_unique_pieces_use_every_index() {
        let mut seen = HashSet::new();
        let all = || 0..64u8;
        for (a, b, c) in all().flat_map(|a| all().flat_map(move |b| all().map(move |c| (a, b, c))))
        {
            if a == b || b == c || a == c {
                continue;
            }
            let mut squares = [a, b, c];
            normalise(&mut squares, 3);
            let index = encode_unique_three(squares);
            assert!(index < UNIQUE_THREE_COUNT);
            seen.insert(index);
            let mut mirrored = [a ^ 7, b ^ 7, c ^ 7];
            normalise(&mut mirrored, 3);
            assert_eq!(encode_unique_three(mirrored), index);
        }
        assert_eq!(seen.len() as u64, UNIQUE_THREE_COUNT);
    }
}

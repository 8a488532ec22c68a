//! The place of a position in its table: an order of all ways to put the men on the board.
//!
//! The men of a table form groups. The leading group is normalised by the board's symmetries: three
//! different men, or the two kings, or the pawns of one side. Each further group is a set of equal
//! men on the squares that are left. A group's way to stand is a number; the numbers, each times the
//! factor of its group, add up to the index.

use crate::chess::{Color, Piece, PieceKind};

/// How the first men of a table are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lead {
    /// Three men of which each is the only one of its kind and colour.
    Trio,
    /// The two kings.
    Kings,
    /// The pawns of one side, so many, the foremost of them on the file (0 for a to 3 for d) or
    /// its mirror image.
    Pawns { count: usize, file: usize },
}

impl Lead {
    fn count(self) -> usize {
        match self {
            Lead::Trio => 3,
            Lead::Kings => 2,
            Lead::Pawns { count, .. } => count,
        }
    }

    /// How many numbers the group has.
    fn size(self) -> u64 {
        match self {
            Lead::Trio => TRIOS,
            Lead::Kings => KINGS.count,
            Lead::Pawns { count, file } => PAWNS.sizes[count - 1][file],
        }
    }
}

/// A group of equal men behind the leading one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Group {
    count: usize,
    factor: u64,
    /// Pawns, which cannot stand on the first rank.
    is_pawns: bool,
}

/// How the positions of one part of a table are numbered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Layout {
    men: Vec<Piece>,
    lead: Lead,
    lead_factor: u64,
    groups: Vec<Group>,
    size: u64,
}

impl Layout {
    /// The layout for these men, in their order in the file. `places` are where in the product the
    /// leading group and, if both sides have pawns, the other pawns come.
    ///
    /// `None` if the order of men or the places make no sense.
    pub(super) fn new(men: Vec<Piece>, lead: Lead, places: [usize; 2]) -> Option<Layout> {
        let (first, rest) = men.split_at_checked(lead.count())?;
        let leads = match lead {
            Lead::Trio => first
                .iter()
                .all(|m| men.iter().filter(|o| *o == m).count() == 1),
            Lead::Kings => first[0].kind == PieceKind::King && first[1].kind == PieceKind::King,
            Lead::Pawns { .. } => first.iter().all(|m| *m == first[0]),
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
        if !leads || !in_order {
            return None;
        }
        let (lead_factor, size) = factors(lead, &mut groups, other_pawns, places)?;
        Some(Layout {
            men,
            lead,
            lead_factor,
            groups,
            size,
        })
    }

    /// The men in the order in which [`index`](Layout::index) expects their squares.
    pub(super) fn men(&self) -> &[Piece] {
        &self.men
    }

    /// How many positions there are.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The place of the position in which the men stand on these squares (a1 is 0), which are
    /// reordered. Less than [`size`](Layout::size).
    pub(super) fn index(&self, squares: &mut [u8]) -> u64 {
        let count = self.lead.count();
        let number = match self.lead {
            Lead::Trio => {
                into_triangle(squares, count);
                trio([squares[0], squares[1], squares[2]])
            }
            Lead::Kings => {
                into_triangle(squares, count);
                let triangle = usize::from(TRIANGLE[usize::from(squares[0])]);
                u64::from(KINGS.numbers[triangle][usize::from(squares[1])])
            }
            Lead::Pawns { count, .. } => lead_pawns(squares, count),
        };
        let mut index = number * self.lead_factor;
        let mut start = count;
        for group in &self.groups {
            let end = start + group.count;
            squares[start..end].sort_unstable();
            let (before, equal) = squares[..end].split_at(start);
            index += combination(before, equal, group.is_pawns) * group.factor;
            start = end;
        }
        index
    }
}

/// Sets the factors of the groups; tells that of the leading one and the size of all.
fn factors(
    lead: Lead,
    groups: &mut [Group],
    other_pawns: bool,
    places: [usize; 2],
) -> Option<(u64, u64)> {
    let mut free = 64 - lead.count();
    let mut fixed = vec![places[0]];
    if other_pawns {
        // They are numbered before all other groups, wherever their factor comes.
        fixed.push(places[1]);
        free -= groups[0].count;
    }
    let total = groups.len() + 1;
    if fixed.iter().any(|place| *place >= total) || (other_pawns && fixed[0] == fixed[1]) {
        return None;
    }
    let (mut lead_factor, mut size) = (0, 1u64);
    let mut next = fixed.len() - 1;
    for place in 0..total {
        if place == places[0] {
            lead_factor = size;
            size = size.checked_mul(lead.size())?;
        } else if other_pawns && place == places[1] {
            groups[0].factor = size;
            size = size.checked_mul(BINOMIAL[groups[0].count][48 - lead.count()])?;
        } else {
            let group = &mut groups[next];
            group.factor = size;
            size = size.checked_mul(BINOMIAL[group.count][free])?;
            free -= group.count;
            next += 1;
        }
    }
    Some((lead_factor, size))
}

/// The number of a set of equal men on the squares that those before have left, among all such
/// sets. The squares of the set ascend.
#[inline]
fn combination(before: &[u8], equal: &[u8], is_pawns: bool) -> u64 {
    let first_rank = if is_pawns { 8 } else { 0 };
    let mut number = 0;
    for (i, square) in equal.iter().enumerate() {
        let taken = before.iter().filter(|other| *other < square).count();
        number += BINOMIAL[i + 1][(usize::from(*square)).saturating_sub(taken + first_rank)];
    }
    number
}

/// Mirrors all squares so that the first man stands in the triangle a1–d1–d4 and the first of the
/// leading men that is off the diagonal a1–h8 is below it.
#[inline]
fn into_triangle(squares: &mut [u8], leading: usize) {
    if squares[0] & 4 != 0 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    if squares[0] & 32 != 0 {
        squares.iter_mut().for_each(|square| *square ^= 56);
    }
    let off_diagonal = squares[..leading]
        .iter()
        .find(|square| !is_diagonal(**square));
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

/// Ways for three different men to stand, up to symmetry.
const TRIOS: u64 = 31_332;

/// The number of three men, the first in the triangle.
///
/// First come the six triangle squares off the diagonal, with any others; then the four on it, with
/// the second man below it; then with two on it, and last with all three.
#[inline]
fn trio([a, b, c]: [u8; 3]) -> u64 {
    const ONE_ON: u64 = 6 * 63 * 62;
    const TWO_ON: u64 = ONE_ON + 4 * 28 * 62;
    const ALL_ON: u64 = TWO_ON + 4 * 7 * 28;
    // How many of the squares before this one are taken: of the board and of the diagonal alike.
    let before_b = u64::from(b > a);
    let before_c = u64::from(c > a) + u64::from(c > b);
    let third = u64::from(c) - before_c;
    if !is_diagonal(a) {
        let first = u64::from(TRIANGLE[usize::from(a)]);
        return (first * 63 + u64::from(b) - before_b) * 62 + third;
    }
    let first = u64::from(a >> 3);
    if !is_diagonal(b) {
        return ONE_ON + (first * 28 + u64::from(BELOW[usize::from(b)])) * 62 + third;
    }
    let first_two = first * 7 + u64::from(b >> 3) - before_b;
    if !is_diagonal(c) {
        return TWO_ON + first_two * 28 + u64::from(BELOW[usize::from(c)]);
    }
    ALL_ON + first_two * 6 + u64::from(c >> 3) - before_c
}

/// The number of the leading pawns, the foremost of which comes first. Their squares are ordered.
#[inline]
fn lead_pawns(squares: &mut [u8], count: usize) -> u64 {
    if squares[0] & 4 != 0 {
        squares.iter_mut().for_each(|square| *square ^= 7);
    }
    squares[1..count].sort_unstable_by_key(|square| PAWN_ORDER[usize::from(*square)]);
    let first = PAWNS.starts[count - 1][usize::from(squares[0])];
    let others = squares[1..count].iter().enumerate();
    others.fold(first, |number, (i, square)| {
        number + BINOMIAL[i + 1][usize::from(PAWN_ORDER[usize::from(*square)])]
    })
}

/// Brings the foremost of the leading pawns to the front and tells its file, 0 for a or h to 3 for
/// d or e.
#[inline]
pub(super) fn foremost_pawn(pawns: &mut [u8]) -> usize {
    let order = |square: &u8| PAWN_ORDER[usize::from(*square)];
    let foremost = (0..pawns.len()).max_by_key(|i| order(&pawns[*i]));
    if let Some(foremost) = foremost {
        pawns.swap(0, foremost);
    }
    let file = pawns.first().map_or(0, |square| square & 7);
    usize::from(file.min(7 - file))
}

/// Which colour's pawns lead: those of the side that has fewer, but some; of equally many, White's.
pub(super) fn leading_pawns(white: usize, black: usize) -> Option<(Color, usize)> {
    match (white, black) {
        (0, 0) => None,
        (0, count) => Some((Color::Black, count)),
        (white, black) if black != 0 && black < white => Some((Color::Black, black)),
        (count, _) => Some((Color::White, count)),
    }
}

/// `BINOMIAL[k][n]`: how many sets of `k` there are in `n`.
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

/// The numbers of the triangle a1–d1–d4: first its squares off the diagonal, then those on it.
static TRIANGLE: [u8; 64] = triangle();

const fn triangle() -> [u8; 64] {
    let mut table = [0; 64];
    let (mut off, mut on) = (0, 6);
    let mut square = 0u8;
    while square < 32 {
        if square & 7 < 4 && !is_above(square) {
            let next = if is_diagonal(square) {
                &mut on
            } else {
                &mut off
            };
            table[square as usize] = *next;
            *next += 1;
        }
        square += 1;
    }
    table
}

/// The numbers of the 28 squares below the diagonal a1–h8.
static BELOW: [u8; 64] = below();

const fn below() -> [u8; 64] {
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

/// Numbers of two kings, the first in the triangle.
struct Kings {
    numbers: [[u16; 64]; 10],
    count: u64,
}

static KINGS: Kings = kings();

/// Positions in which both kings stand on the diagonal come last.
const fn kings() -> Kings {
    let mut kings = Kings {
        numbers: [[0; 64]; 10],
        count: 0,
    };
    let triangle = triangle();
    let mut pass = 0;
    while pass < 2 {
        let mut number = 0;
        while number < 10 {
            let mut first = 0u8;
            while first < 64 {
                let mut second = 0u8;
                while second < 64 && is_numbered(&triangle, first, number) {
                    let both_on = is_diagonal(first) && is_diagonal(second);
                    let mirrored = is_diagonal(first) && is_above(second);
                    if !touch(first, second) && !mirrored && both_on == (pass == 1) {
                        kings.numbers[number as usize][second as usize] = kings.count as u16;
                        kings.count += 1;
                    }
                    second += 1;
                }
                first += 1;
            }
            number += 1;
        }
        pass += 1;
    }
    kings
}

/// Whether the square is that with the number in the triangle.
const fn is_numbered(triangle: &[u8; 64], square: u8, number: u8) -> bool {
    square < 32 && square & 7 < 4 && !is_above(square) && triangle[square as usize] == number
}

/// Whether the squares are the same or neighbours.
const fn touch(a: u8, b: u8) -> bool {
    (a & 7).abs_diff(b & 7) <= 1 && (a >> 3).abs_diff(b >> 3) <= 1
}

/// How far forward, in the tables' sense, a pawn stands: the a-file before the h-file before the
/// b-file and so on, on each file the second rank before the seventh.
static PAWN_ORDER: [u8; 64] = pawn_order();

const fn pawn_order() -> [u8; 64] {
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

/// Most pawns of one side in a table.
const MAX_PAWNS: usize = 5;

/// Where the numbers of so many leading pawns begin, by the square of the foremost, and how many
/// there are, by its file.
struct LeadingPawns {
    starts: [[u64; 64]; MAX_PAWNS],
    sizes: [[u64; 4]; MAX_PAWNS],
}

static PAWNS: LeadingPawns = leading_pawn_numbers();

const fn leading_pawn_numbers() -> LeadingPawns {
    let mut pawns = LeadingPawns {
        starts: [[0; 64]; MAX_PAWNS],
        sizes: [[0; 4]; MAX_PAWNS],
    };
    let (order, binomial) = (pawn_order(), binomials());
    let mut others = 0;
    while others < MAX_PAWNS {
        let mut file = 0;
        while file < 4 {
            let mut number = 0;
            let mut rank = 1;
            while rank < 7 {
                let square = rank * 8 + file;
                pawns.starts[others][square] = number;
                number += binomial[others][order[square] as usize];
                rank += 1;
            }
            pawns.sizes[others][file] = number;
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
    fn kings_have_the_known_count() {
        assert_eq!(KINGS.count, 462);
        assert_eq!(PAWNS.sizes[0], [6; 4]);
        let two: u64 = PAWNS.sizes[1].iter().sum();
        // Pairs of pawns on 48 squares up to mirroring: 24 pairs are their own images.
        assert_eq!(two, (48 * 47 / 2 + 24) / 2);
    }

    /// All squares of three men give all numbers, and mirror images the same.
    #[test]
    fn trios_use_every_number() {
        let mut seen = HashSet::new();
        let all = || 0..64u8;
        for (a, b, c) in all().flat_map(|a| all().flat_map(move |b| all().map(move |c| (a, b, c))))
        {
            if a == b || b == c || a == c {
                continue;
            }
            let mut squares = [a, b, c];
            into_triangle(&mut squares, 3);
            let number = trio(squares);
            assert!(number < TRIOS);
            seen.insert(number);
            let mut mirrored = [a ^ 7, b ^ 7, c ^ 7];
            into_triangle(&mut mirrored, 3);
            assert_eq!(trio(mirrored), number);
        }
        assert_eq!(seen.len() as u64, TRIOS);
    }
}

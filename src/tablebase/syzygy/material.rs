//! Which men a table is about, and its name: `KRPvKR`.

use crate::chess::{Color, PieceKind, Side};

/// The kinds besides the king in the order of table names.
const NAMED: [PieceKind; 5] = [
    PieceKind::Queen,
    PieceKind::Rook,
    PieceKind::Bishop,
    PieceKind::Knight,
    PieceKind::Pawn,
];

/// Most men of a table.
pub(super) const MAX_MEN: usize = 7;

/// The men of two sides besides their kings: four bits for the count of each kind, in the order of
/// [`PieceKind`], first the one side, then the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Material(u64);

impl Material {
    /// What the two sides have; meaningful if nobody has more than fifteen of a kind.
    #[inline]
    pub(super) fn of(first: &Side, second: &Side) -> Material {
        let count = |side: &Side| {
            PieceKind::ALL[..5].iter().rev().fold(0, |sum, kind| {
                sum << 4 | u64::from(side.pieces(*kind).count())
            })
        };
        Material(count(first) | count(second) << 20)
    }

    /// How many men of the kind the first (White) or the second side (Black) has.
    pub(super) fn count(self, color: Color, kind: PieceKind) -> usize {
        match kind {
            PieceKind::King => 1,
            kind => (self.0 >> (20 * color.index() + 4 * kind.index()) & 15) as usize,
        }
    }

    /// How many men, the kings included.
    pub(super) fn men(self) -> usize {
        let both = |kind| self.count(Color::White, kind) + self.count(Color::Black, kind);
        PieceKind::ALL.into_iter().map(both).sum()
    }

    /// The same men with the sides exchanged.
    pub(super) fn exchanged(self) -> Material {
        Material(self.0 >> 20 | (self.0 & 0xF_FFFF) << 20)
    }

    /// Whether both sides have the same men.
    pub(super) fn is_symmetric(self) -> bool {
        self == self.exchanged()
    }

    /// The men a table name tells, if it is one: the side with more men first, or, of sides with
    /// equally many, the one with the stronger.
    pub(super) fn from_name(name: &str) -> Option<Material> {
        let (first, second) = name.split_once('v')?;
        let (first, second) = (side_of(first)?, side_of(second)?);
        let in_order = first.len() > second.len() || first.len() == second.len() && first <= second;
        if !in_order || first.len() + second.len() + 2 > MAX_MEN {
            return None;
        }
        Some(Material::from_sides(&first, &second))
    }

    fn from_sides(first: &[usize], second: &[usize]) -> Material {
        let count = |side: &[usize]| {
            side.iter()
                .fold(0u64, |sum, named| sum + (1 << (4 * NAMED[*named].index())))
        };
        Material(count(first) | count(second) << 20)
    }

    /// The name of the table.
    pub(super) fn name(self) -> String {
        let side = |color| {
            let letters = NAMED.iter().map(|kind| {
                let letter = kind.letter().to_ascii_uppercase().to_string();
                letter.repeat(self.count(color, *kind))
            });
            letters.collect::<String>()
        };
        format!("K{}vK{}", side(Color::White), side(Color::Black))
    }

    /// All tables of so many men, the strongest first.
    pub(super) fn all(men: usize) -> Vec<Material> {
        let Some(others) = men.checked_sub(2) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for fewer in 0..=others / 2 {
            for first in sides(others - fewer) {
                for second in sides(fewer) {
                    if first.len() > second.len() || first <= second {
                        all.push(Material::from_sides(&first, &second));
                    }
                }
            }
        }
        all
    }
}

/// Reads `KRP` as places in [`NAMED`], which must not descend.
fn side_of(text: &str) -> Option<Vec<usize>> {
    let side: Vec<usize> = text
        .strip_prefix('K')?
        .chars()
        .map(|letter| {
            let letter = |kind: &PieceKind| kind.letter().to_ascii_uppercase() == letter;
            NAMED.iter().position(letter)
        })
        .collect::<Option<_>>()?;
    side.is_sorted().then_some(side)
}

/// All sides of so many men besides the king, as places in [`NAMED`].
fn sides(men: usize) -> Vec<Vec<usize>> {
    if men == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in sides(men - 1) {
        let weakest = shorter.last().copied().unwrap_or(0);
        for named in weakest..NAMED.len() {
            let mut side = shorter.clone();
            side.push(named);
            all.push(side);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_tables_as_published() {
        let counts = [3, 4, 5, 6, 7].map(|men| Material::all(men).len());
        assert_eq!(counts, [5, 30, 110, 365, 1001]);
    }

    #[test]
    fn names_are_read_back() {
        for men in 3..=6 {
            for material in Material::all(men) {
                assert_eq!(material.men(), men);
                assert_eq!(Material::from_name(&material.name()), Some(material));
            }
        }
    }

    #[test]
    fn other_names_are_refused() {
        let foreign = [
            "",
            "K",
            "KvK2",
            "KvKQ",
            "KQvKRR",
            "KPQvK",
            "KRvKQ",
            "kqvk",
            "KQVK",
            "KQvKé",
            "KQQQQQQvK",
            "QvK",
            "KQvK.bak",
        ];
        for name in foreign {
            assert_eq!(Material::from_name(name), None, "{name}");
        }
    }
}

//! The material signature of a table and its name: `KRPvKR`.

use saavedra_chess::{Color, PieceKind, Side};

/// The kinds besides the king in the order of table names.
const NAME_ORDER: [PieceKind; 5] =
    [PieceKind::Queen, PieceKind::Rook, PieceKind::Bishop, PieceKind::Knight, PieceKind::Pawn];

/// Maximum number of pieces of a table, kings included.
pub(super) const MAX_PIECES: usize = 7;

/// The material of two sides: four bits for the count of each kind but the king, in the order of
/// [`PieceKind`], for the first side, then for the second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Material(u64);

impl Material {
    /// The material of two sides. Counts above 15 overflow.
    #[inline]
    pub(super) fn of(first: &Side, second: &Side) -> Material {
        let count = |side: &Side| {
            PieceKind::ALL[..5]
                .iter()
                .rev()
                .fold(0, |sum, kind| sum << 4 | u64::from(side.pieces(*kind).count()))
        };
        Material(count(first) | count(second) << 20)
    }

    /// Number of pieces of the kind that the first (White) or the second side (Black) has.
    pub(super) fn count(self, color: Color, kind: PieceKind) -> usize {
        match kind {
            PieceKind::King => 1,
            kind => (self.0 >> (20 * color.index() + 4 * kind.index()) & 15) as usize,
        }
    }

    /// Number of pieces, kings included.
    pub(super) fn piece_count(self) -> usize {
        let both = |kind| self.count(Color::White, kind) + self.count(Color::Black, kind);
        PieceKind::ALL.into_iter().map(both).sum()
    }

    /// The same material with the sides exchanged.
    pub(super) fn exchanged(self) -> Material {
        Material(self.0 >> 20 | (self.0 & 0xF_FFFF) << 20)
    }

    /// Whether both sides have the same material.
    pub(super) fn is_symmetric(self) -> bool {
        self == self.exchanged()
    }

    /// Parses the name of a table. The side with more pieces comes first; if they have equally
    /// many, the side with the stronger pieces.
    pub(super) fn from_name(name: &str) -> Option<Material> {
        let (first, second) = name.split_once('v')?;
        let (first, second) = (parse_side(first)?, parse_side(second)?);
        let in_order = first.len() > second.len() || first.len() == second.len() && first <= second;
        if !in_order || first.len() + second.len() + 2 > MAX_PIECES {
            return None;
        }
        Some(Material::from_sides(&first, &second))
    }

    fn from_sides(first: &[usize], second: &[usize]) -> Material {
        let count = |side: &[usize]| {
            side.iter().fold(0u64, |sum, named| sum + (1 << (4 * NAME_ORDER[*named].index())))
        };
        Material(count(first) | count(second) << 20)
    }

    /// The name of the table.
    pub(super) fn name(self) -> String {
        let side = |color| {
            let letters = NAME_ORDER.iter().map(|kind| {
                let letter = kind.letter().to_ascii_uppercase().to_string();
                letter.repeat(self.count(color, *kind))
            });
            letters.collect::<String>()
        };
        format!("K{}vK{}", side(Color::White), side(Color::Black))
    }

    /// All tables of this number of pieces, kings included.
    pub(super) fn all(pieces: usize) -> Vec<Material> {
        let Some(others) = pieces.checked_sub(2) else {
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

/// Parses `KRP` as indices in [`NAME_ORDER`], which must not descend.
fn parse_side(text: &str) -> Option<Vec<usize>> {
    let side: Vec<usize> = text
        .strip_prefix('K')?
        .chars()
        .map(|letter| {
            let letter = |kind: &PieceKind| kind.letter().to_ascii_uppercase() == letter;
            NAME_ORDER.iter().position(letter)
        })
        .collect::<Option<_>>()?;
    side.is_sorted().then_some(side)
}

/// All sides of this number of pieces besides the king, as indices in [`NAME_ORDER`].
fn sides(pieces: usize) -> Vec<Vec<usize>> {
    if pieces == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in sides(pieces - 1) {
        let weakest = shorter.last().copied().unwrap_or(0);
        for kind in weakest..NAME_ORDER.len() {
            let mut side = shorter.clone();
            side.push(kind);
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
        let counts = [3, 4, 5, 6, 7].map(|pieces| Material::all(pieces).len());
        assert_eq!(counts, [5, 30, 110, 365, 1001]);
    }

    #[test]
    fn names_round_trip() {
        for pieces in 3..=6 {
            for material in Material::all(pieces) {
                assert_eq!(material.piece_count(), pieces);
                assert_eq!(Material::from_name(&material.name()), Some(material));
            }
        }
    }

    #[test]
    fn invalid_names_are_refused() {
        let invalid = [
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
        for name in invalid {
            assert_eq!(Material::from_name(name), None, "{name}");
        }
    }
}

//! Motifs of chess, found by rule: the tactics of a line, and what is lasting in a position.
//!
//! A detector claims a motif only if the boards of the line prove it: a fork, for example, needs
//! that a forked piece is taken and that material stays won. `docs/EXPLAIN.md` has the definitions,
//! each detector its source.

mod attack;
mod course;
mod defence;
mod mate;
mod pawns;
mod pieces;
mod rescue;

use crate::chess::{Board, Color, Move, Square};
use crate::search::score::Score;
use course::Course;

macro_rules! names {
    ($($name:ident $token:literal $definition:literal $source:literal)*) => {
        /// The name of a motif.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum MotifName {
            $(#[doc = concat!($definition, " (<", $source, ">)")] $name,)*
        }

        impl MotifName {
            /// All names, the most telling first.
            pub const ALL: &[MotifName] = &[$(MotifName::$name),*];

            /// The name in JSON: lower-case words with hyphens.
            pub const fn token(self) -> &'static str {
                match self { $(MotifName::$name => $token,)* }
            }

            /// The motif with this name in JSON.
            pub fn by_token(token: &str) -> Option<MotifName> {
                match token { $($token => Some(MotifName::$name),)* _ => None }
            }

            /// The definition, one sentence.
            pub const fn definition(self) -> &'static str {
                match self { $(MotifName::$name => $definition,)* }
            }
        }
    };
}

names! {
    BackRankMate "back-rank-mate" "A rook or queen mates a king on its back rank behind its own men."
        "https://en.wikipedia.org/wiki/Back-rank_checkmate"
    SmotheredMate "smothered-mate" "A knight mates a king whose neighbouring squares its own men all occupy."
        "https://en.wikipedia.org/wiki/Smothered_mate"
    Mate "mate" "The line mates by force."
        "https://www.chessprogramming.org/Checkmate"
    DoubleCheck "double-check" "Two pieces give check at once."
        "https://www.chessprogramming.org/Double_Check"
    DiscoveredCheck "discovered-check" "A piece moves out of the way of another one, which gives check."
        "https://www.chessprogramming.org/Discovered_Check"
    DiscoveredAttack "discovered-attack" "A piece moves out of the way of another one, which attacks a piece that is lost."
        "https://www.chessprogramming.org/Discovered_Attack"
    Fork "fork" "A piece attacks two or more targets, one of which is lost; mate and the king are targets, pawns are not."
        "https://www.chessprogramming.org/Double_Attack"
    Skewer "skewer" "A slider attacks a valuable piece, which moves and exposes a piece behind it."
        "https://www.chessprogramming.org/Skewer"
    Pin "pin" "A piece cannot move without exposing its king (absolute) or a more valuable piece (relative), and that wins."
        "https://www.chessprogramming.org/Pin"
    TrappedPiece "trapped-piece" "An attacked piece has no move that saves it."
        "https://en.wikipedia.org/wiki/Glossary_of_chess#trapped_piece"
    RemovedDefender "removed-defender" "A capture that wins nothing by itself takes the piece that guarded another piece or a mating square."
        "https://en.wikipedia.org/wiki/Undermining_(chess)"
    OverloadedDefender "overloaded-defender" "A piece guards two things, recaptures for one, and gives up the other."
        "https://www.chessprogramming.org/Overloading"
    Deflection "deflection" "A forced move takes a piece away from what it guards."
        "https://www.chessprogramming.org/Deflection"
    InBetweenMove "in-between-move" "A check or capture comes before a recapture that can wait."
        "https://en.wikipedia.org/wiki/Zwischenzug"
    HangingPiece "hanging-piece" "A piece without a defender is taken, and not in return for another one."
        "https://www.chessprogramming.org/Hanging_Piece"
    Underpromotion "underpromotion" "A pawn promotes to a knight, rook or bishop because a queen would be worse."
        "https://en.wikipedia.org/wiki/Promotion_(chess)#Underpromotion"
    Promotion "promotion" "A pawn promotes, and material is won."
        "https://www.chessprogramming.org/Promotions"
    StalemateTrick "stalemate" "The side with less material saves itself by stalemate."
        "https://en.wikipedia.org/wiki/Stalemate"
    PerpetualCheck "perpetual-check" "Checks without end repeat the position."
        "https://www.chessprogramming.org/Perpetual_Check"
    PassedPawn "passed-pawn" "No enemy pawn stands in front of the pawn, on its file or a neighbouring one; of doubled pawns only the foremost is passed."
        "https://www.chessprogramming.org/Passed_Pawn"
    IsolatedPawn "isolated-pawn" "The neighbouring files have no pawn of its side."
        "https://www.chessprogramming.org/Isolated_Pawn"
    DoubledPawn "doubled-pawn" "Another pawn of its side stands behind it on the same file."
        "https://www.chessprogramming.org/Doubled_Pawn"
    BackwardPawn "backward-pawn" "Its neighbours have advanced past it, and an enemy pawn guards the square in front of it, on a half-open file."
        "https://www.chessprogramming.org/Backward_Pawn"
    Outpost "outpost" "A pawn protects a knight or bishop on the fourth to the sixth rank, and no enemy pawn can ever attack it."
        "https://www.chessprogramming.org/Outposts"
    OpenFile "open-file" "A rook has a file without pawns, the other side has no rook or queen there, and most files have pawns."
        "https://www.chessprogramming.org/Open_File"
    BishopPair "bishop-pair" "Two bishops on squares of both colours against a side without them."
        "https://www.chessprogramming.org/Bishop_Pair"
    BadBishop "bad-bishop" "A developed bishop is hemmed in by its own pawns, fixed on squares of its colour."
        "https://www.chessprogramming.org/Bad_Bishop"
    WeakKing "weak-king" "The enemy queen is on the board; a king has lost its pawns and has an open file before it, and pieces attack its neighbourhood."
        "https://www.chessprogramming.org/King_Safety"
    OppositeBishops "opposite-bishops" "Each side has one bishop, on squares of different colours."
        "https://www.chessprogramming.org/Bishops_of_Opposite_Colors"
}

/// A motif in a line or a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Motif {
    /// Its name.
    pub name: MotifName,
    /// The side whose motif it is: for a tactic the side that profits, for a weakness its owner.
    pub side: Color,
    /// Its squares after the move: first the piece that acts, then its targets.
    pub squares: Vec<Square>,
    /// The index of its move in the line; 0 for what is lasting.
    pub ply: usize,
}

/// The tactical motifs of the side to move in its best line, the most telling first; each once, at
/// its first move. `score` is the score of the line from the view of the side to move.
pub fn motifs(board: &Board, line: &[Move], score: Score) -> Vec<Motif> {
    let Some(course) = Course::new(board, line, score) else {
        return Vec::new();
    };
    let mut found = mate::motifs(&course);
    for ply in course.own_plies() {
        found.extend(attack::motifs(&course, ply));
        found.extend(defence::motifs(&course, ply));
    }
    found.extend(rescue::motifs(&course));
    found.sort_by_key(|motif| (motif.name, motif.ply));
    found.dedup_by_key(|motif| motif.name);
    found
}

/// What is lasting in a position, for both sides: pawns, pieces, kings.
pub fn lasting(board: &Board) -> Vec<Motif> {
    let sides = Color::ALL.into_iter();
    let mut found: Vec<Motif> = sides
        .flat_map(|side| [pawns::motifs(board, side), pieces::motifs(board, side)])
        .flatten()
        .collect();
    found.sort_by_key(|motif| motif.name);
    found
}

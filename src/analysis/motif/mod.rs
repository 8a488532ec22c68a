//! Motifs of chess, found by rule: the tactics of a line, and what is lasting in a position.
//!
//! A detector claims a motif only if the boards of the line prove it: a fork, for example, needs
//! that a forked piece is taken and that material stays won. `docs/EXPLAIN.md` has the definitions,
//! each detector its source.

mod attack;
mod course;
mod defence;
mod fortress;
mod mate;
mod pawns;
mod pieces;
mod rescue;
mod zugzwang;

use crate::chess::{Board, Color, Move, Square};
use crate::search::score::Score;
use course::Course;
pub use fortress::fortress;

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
    Anastasia "anastasia-mate" "A rook or queen mates on the outer file; beside the king stands one of its own men, and a knight guards the squares next to it."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Anastasia's_mate"
    Arabian "arabian-mate" "A rook mates a king in the corner from beside it; a knight guards the rook and the king's other square."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Arabian_mate"
    Boden "boden-mate" "Two bishops on diagonals that cross mate a king among its own men."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Boden's_mate"
    Opera "opera-mate" "A rook that a bishop guards mates an uncastled king on its back rank from beside it."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Opera_mate"
    Legal "legal-mate" "A knight mates a king on its second rank, with another knight and a bishop beside the king."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#L%C3%A9gal's_mate"
    Epaulette "epaulette-mate" "A queen mates along the file; beside the king, on its back rank, stand two of its own men."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Epaulette_mate"
    SwallowsTail "swallows-tail-mate" "A queen mates from beside, before or behind the king; its own men occupy the two squares beyond it that she does not reach."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Swallow's_tail_mate"
    Dovetail "dovetail-mate" "A queen mates diagonally from next to the king; its own men occupy the two squares beyond it that she does not reach."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Dovetail_mate"
    Damiano "damiano-mate" "A queen mates a castled king diagonally from next to it; a pawn on the king's file guards her."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Damiano's_mate"
    Lolli "lolli-mate" "A queen mates a castled king from the square in front of it; a pawn guards her."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Lolli's_mate"
    Hook "hook-mate" "A rook mates from beside the king; a knight guards the rook, a pawn the knight, and a pawn of the king is in its way."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Hook_mate"
    Morphy "morphy-mate" "A bishop mates a king in the corner behind its pawn; a rook guards the next file."
        "https://en.wikipedia.org/wiki/Checkmate_pattern#Morphy's_mate"
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
    Zugzwang "zugzwang" "In an endgame every reply to the move loses something at once, and a pass would not; a king and pawn win only because the other king must move."
        "https://www.chessprogramming.org/Zugzwang"
    Underpromotion "underpromotion" "A pawn promotes to a knight, rook or bishop because a queen would be worse."
        "https://en.wikipedia.org/wiki/Promotion_(chess)#Underpromotion"
    Promotion "promotion" "A pawn promotes, and material is won."
        "https://www.chessprogramming.org/Promotions"
    StalemateTrick "stalemate" "The side with less material saves itself by stalemate."
        "https://en.wikipedia.org/wiki/Stalemate"
    PerpetualCheck "perpetual-check" "Checks without end repeat the position."
        "https://www.chessprogramming.org/Perpetual_Check"
    Fortress "fortress" "The side behind by two pawns or more keeps its king in the corner and draws, wherever the enemy king stands; only tablebases prove it."
        "https://en.wikipedia.org/wiki/Fortress_(chess)"
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
    BadBishop "bad-bishop" "A developed bishop in its own half is hemmed in by its own pawns, fixed on squares of its colour."
        "https://www.chessprogramming.org/Bad_Bishop"
    WrongBishop "wrong-bishop" "All pawns are on a rook file, the bishop does not guard the square where they promote, and the lone enemy king has reached this corner."
        "https://en.wikipedia.org/wiki/Wrong_bishop"
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
        found.extend(zugzwang::motif(&course, ply));
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

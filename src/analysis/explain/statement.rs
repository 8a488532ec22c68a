//! What there is to say about a position and its moves: statements, each of which the boards of a
//! line or a search prove. [`wording`](super::wording) puts them into words.

use super::super::material::{Material, PAWN_VALUE, balance, captured};
use super::super::motif::{Motif, MotifName};
use super::super::{Judgement, line_text};
use crate::chess::{Board, Color, GameStatus, Move, PieceKind, Square};
use crate::eval::Evaluation;
use crate::search::score::Score;

/// What a line does for the side that starts it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    /// The side that starts the line.
    pub(super) side: Color,
    /// The score from its view.
    pub(super) score: Score,
    /// The material that it gains and loses; `None` if the line proves nothing.
    pub(super) material: Option<Material>,
    /// Whether the line begins with checkmate on the board.
    pub(super) is_mated: bool,
    /// Whether the line begins with a capture that makes up for what the side was behind before.
    pub(super) is_regained: bool,
}

/// The line of a search.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The position where it starts.
    pub(super) board: &'a Board,
    /// Its moves.
    pub(super) moves: &'a [Move],
    /// Its score from the view of the side to move.
    pub(super) score: Score,
    /// The evaluation of the search.
    pub(super) evaluation: &'a Evaluation,
}

/// The number of plies of a line that are shown.
const PLIES: std::ops::RangeInclusive<usize> = 5..=13;

impl Line<'_> {
    /// What the line changes in material for the side that starts it, up to where the evaluation
    /// without search agrees with the score. If that is nowhere, the whole line counts, provided
    /// that the score has changed in the same direction. What is not shown does not count.
    pub(super) fn material(&self) -> Option<Material> {
        const TOLERANCE: i32 = 60;
        const CHANGE: i32 = 150;
        let us = self.board.turn();
        // The score less the evaluation of a position; none for mates.
        let change = |at: &Board| {
            let own = Score::from(self.evaluation.evaluate(at));
            let own = if at.turn() == us { own } else { -own };
            Some(self.score.centipawns()? - own.centipawns()?)
        };
        let tolerance = TOLERANCE.max(self.score.centipawns().map_or(0, i32::abs) / 5);
        let agrees = |at: &Board| change(at).is_none_or(|change| change.abs() <= tolerance);
        let gain = change(self.board);
        let wins = gain.is_none_or(|gain| gain.abs() >= 2 * CHANGE);
        let is_true = |material: &Material| {
            let signs = gain.map(|gain| (gain.signum(), gain.abs() >= CHANGE));
            signs.is_none_or(|signs| signs == (material.value().signum(), true))
        };
        // Material that two new pieces of a side change has no simple words.
        let promotes = |ply: usize| self.moves[ply].is_promotion();
        let is_second = |ply: &usize| promotes(*ply) && (*ply % 2..*ply).step_by(2).any(promotes);
        let shown = self.moves.len().min(*PLIES.end());
        let end = (0..shown).find(is_second).unwrap_or(shown);
        Material::up_to(self.board, self.moves, end, wins, agrees)
            .or_else(|| Material::of_line(self.board, &self.moves[..end]).filter(is_true))
    }
}

impl Outcome {
    /// The outcome of a line for the side that starts it.
    pub(super) fn new(line: Line<'_>) -> Outcome {
        let is_mated = line.board.is_checkmate();
        let (side, score) = (line.board.turn(), line.score);
        let material = line.material();
        let is_regained = is_regained(material.as_ref(), line.board, line.moves.first());
        Outcome { side, score, material, is_mated, is_regained }
    }

    /// The outcome of a line for the side that answers its first move. What this move takes counts.
    pub(super) fn of_answer(line: Line<'_>) -> Outcome {
        let (first, answer) = (line.moves.first(), line.moves.get(1));
        let answered = first.map(|m| line.board.make(*m));
        let is_mated = answered.is_some_and(|at| at.is_checkmate());
        let material = answer.and_then(|_| line.material()).map(Material::of_other_side);
        // The answer has not let the first move promote.
        let promotion = first.and_then(|m| m.promotion());
        let is_promotion = |all: &Material| {
            promotion.is_some_and(|kind| all.lost == [kind] && all.gained == [PieceKind::Pawn])
        };
        let material = material.filter(|all| !is_promotion(all));
        // A piece has been lost by the first move rather than won back.
        let is_pawn = material.as_ref().is_some_and(|all| all.gained == [PieceKind::Pawn]);
        let is_regained =
            is_pawn && answered.is_some_and(|at| is_regained(material.as_ref(), &at, answer));
        Outcome { side: !line.board.turn(), score: -line.score, material, is_mated, is_regained }
    }

    /// Whether the side that starts the line mates or wins material.
    pub(super) fn is_gain(&self) -> bool {
        self.score.mate().is_some_and(|moves| moves > 0)
            || self.score.mate().is_none() && self.value() >= PAWN_VALUE
    }

    /// The material gained, in centipawns.
    pub(super) fn value(&self) -> i32 {
        self.material.as_ref().map_or(0, Material::value)
    }
}

/// Whether the first move of a line takes back what the side to move has lost before: it was behind,
/// and is level now, but for a pawn.
fn is_regained(material: Option<&Material>, board: &Board, first: Option<&Move>) -> bool {
    let taken = first.and_then(|m| captured(board, *m));
    material.is_some_and(|material| {
        let is_taken = taken.is_some_and(|(_, kind)| material.gained == [kind]);
        let left = -balance(board) - material.value();
        is_taken && material.lost.is_empty() && (0..=PAWN_VALUE).contains(&left)
    })
}

/// A line as text, and its outcome.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Course {
    pub(super) line: String,
    pub(super) outcome: Outcome,
}

impl Course {
    /// The line up to where its outcome is seen.
    pub(super) fn new(line: Line<'_>) -> Course {
        Course::with(line.board, line.moves, Outcome::new(line))
    }

    /// The same from the answer to its first move on.
    pub(super) fn of_answer(line: Line<'_>) -> Course {
        let board = line.moves.first().map_or(*line.board, |m| line.board.make(*m));
        Course::with(&board, line.moves.get(1..).unwrap_or_default(), Outcome::of_answer(line))
    }

    fn with(board: &Board, line: &[Move], outcome: Outcome) -> Course {
        let seen = outcome.material.as_ref().map_or(0, |material| material.plies);
        let plies = if outcome.score.mate().is_some() { *PLIES.end() } else { seen };
        let plies = plies.clamp(*PLIES.start(), *PLIES.end()).min(line.len());
        Course { line: line_text(board, &line[..plies]), outcome }
    }
}

/// What a move does on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    /// Ends the game, with checkmate or a draw.
    Ends(GameStatus),
    /// Takes the piece on a square.
    Takes(PieceKind, Square),
    /// Begins an exchange of equal value.
    Trades(Material),
    /// A pawn that comes to the centre in the opening.
    TakesCentre,
    Promotes(PieceKind),
    Castles,
    GivesCheck,
    Develops(PieceKind),
    /// Attacks a piece that it could take with profit.
    Attacks(PieceKind, Square),
    /// Guards a piece that was attacked.
    Defends(PieceKind, Square),
    /// Takes the moved piece out of an attack.
    Saves(PieceKind),
    /// Gets something lasting: a passed pawn, an outpost, an open file, the bishop pair.
    Gets(MotifName, Square),
    /// Leaves a side with isolated or doubled pawns.
    Leaves(Color, MotifName, Vec<Square>),
    /// Advances a passed pawn.
    Advances,
    /// Brings the king nearer to the centre in an endgame.
    ActivatesKing,
    /// Puts a rook behind the passed pawn on a square; the side if it is the other one's.
    Behind(Option<Color>, Square),
}

/// How good a move is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rating {
    /// It is not compared with others.
    Unrated,
    /// The proposed best move of a position.
    Proposed,
    Best,
    Only,
    /// Nearly as good as this move.
    Good(String),
    /// A bad move: the scores of the best move and of this one, from White's view.
    Bad(Judgement, Score, Score),
}

/// A motif with the kinds of the pieces on its squares, and the move that begins it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SeenMotif {
    pub(super) name: MotifName,
    pub(super) side: Color,
    /// The move with its number.
    pub(super) text: String,
    /// Whether this move gives check.
    pub(super) is_check: bool,
    /// The squares after the move, and the pieces on them.
    pub(super) squares: Vec<(Square, Option<PieceKind>)>,
}

/// One sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Statement {
    /// The game is over, for this reason.
    Over(String),
    /// How the position stands, from White's view.
    Standing(Score),
    /// What a move does, and how good it is.
    Move {
        text: String,
        deeds: Vec<Deed>,
        rating: Rating,
    },
    /// How the game goes on after a move.
    GoesOn(Course),
    /// The line of a move that there is nothing else to say about.
    MainLine(Course),
    /// What the other side answers to a move.
    Answer(Course),
    /// What the other side wins after this move.
    AnswerTo(String, Course),
    Motif(SeenMotif),
    /// The side that holds a fortress, and the material that the other side is ahead.
    Fortress(Color, Material),
    /// What the side of a move threatens with it.
    Threatens(Course),
    /// What the other side threatens in the position.
    Threat(Course),
    /// A better move.
    Better {
        text: String,
        deeds: Vec<Deed>,
        course: Course,
    },
    /// Two moves with their scores from White's view, the better one first, and whether they are
    /// about equal.
    Compared {
        moves: [String; 2],
        scores: [Score; 2],
        is_equal: bool,
    },
}

impl Statement {
    /// Whether it is a motif that saves a draw.
    pub(super) fn tells_draw(&self) -> bool {
        matches!(self, Statement::Motif(motif) if saves_draw(motif.name))
    }

    /// Whether it is about a move that attacks the piece on a square.
    pub(super) fn tells_attack_on(&self, square: Square) -> bool {
        let is_it = |deed: &Deed| matches!(deed, Deed::Attacks(_, target) if *target == square);
        matches!(self, Statement::Move { deeds, .. } if deeds.iter().any(is_it))
    }
}

/// Whether it is a motif by which a line saves a draw.
pub(super) fn saves_draw(name: MotifName) -> bool {
    matches!(name, MotifName::PerpetualCheck | MotifName::StalemateTrick)
}

/// The motif that tells most, besides mates and promotions, which are told with the line.
pub(super) fn telling_motif(motifs: &[Motif]) -> Option<&Motif> {
    let is_told = |name| matches!(name, MotifName::Mate | MotifName::Promotion);
    motifs.iter().find(|motif| !is_told(motif.name))
}

/// The motif of a line that tells most.
pub(super) fn seen_motif(board: &Board, line: &[Move], motifs: &[Motif]) -> Option<SeenMotif> {
    let motif = telling_motif(motifs)?;
    let before = line[..motif.ply].iter().fold(*board, |at, m| at.make(*m));
    let m = line[motif.ply];
    let after = before.make(m);
    // What is taken is seen before the move, what is attacked after it.
    let kind = |square: &Square| {
        let on = |board: &Board, side| board.side(side).piece_at(*square);
        match motif.name {
            MotifName::HangingPiece => on(&before, !motif.side),
            MotifName::RemovedDefender => on(&before, !motif.side),
            _ => on(&after, !motif.side).or_else(|| on(&after, motif.side)),
        }
    };
    Some(SeenMotif {
        name: motif.name,
        side: motif.side,
        text: line_text(&before, &[m]),
        is_check: after.in_check(),
        squares: motif.squares.iter().map(|square| (*square, kind(square))).collect(),
    })
}

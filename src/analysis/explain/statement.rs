//! What there is to say about a position and its moves: statements, each of which the boards of a
//! line or a search prove. [`wording`](super::wording) puts them into words.

use super::super::material::{Material, PAWN_VALUE, balance, captured, is_prize, winning_captures};
use super::super::motif::{Motif, MotifName, lasting};
use super::super::{Judgement, line_text};
use crate::chess::{Bitboard, Board, Color, Move, PieceKind, Square, attacks};
use crate::eval::{Evaluation, PieceValue, piece_values};
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
        let shown = &self.moves[..self.moves.len().min(*PLIES.end())];
        Material::up_to(self.board, shown, wins, agrees)
            .or_else(|| Material::of_line(self.board, shown).filter(is_true))
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
        let material = line.material().map(Material::of_other_side);
        let is_mated = line.moves.first().is_some_and(|m| line.board.make(*m).is_checkmate());
        let answered = line.moves.first().map(|m| line.board.make(*m));
        let is_regained =
            answered.is_some_and(|board| is_regained(material.as_ref(), &board, line.moves.get(1)));
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

/// Whether the first move of a line takes back what the side to move has lost before.
fn is_regained(material: Option<&Material>, board: &Board, first: Option<&Move>) -> bool {
    let taken = first.and_then(|m| captured(board, *m));
    material.is_some_and(|material| {
        let is_taken = taken.is_some_and(|(_, kind)| material.gained == [kind]);
        is_taken && material.lost.is_empty() && material.value() <= -balance(board)
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
    Checkmates,
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
    /// Puts a rook behind the passed pawn on a square.
    Supports(Square),
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
    Motif(SeenMotif),
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
        squares: motif.squares.iter().map(|square| (*square, kind(square))).collect(),
    })
}

/// What the first move of a line does, the most important first.
pub(super) fn deeds(line: Line<'_>) -> Vec<Deed> {
    const MAX_DEEDS: usize = 3;
    let board = line.board;
    let Some(m) = line.moves.first().copied() else {
        return Vec::new();
    };
    let after = board.make(m);
    if after.is_checkmate() {
        return vec![Deed::Checkmates];
    }
    let material = line.material();
    let mut deeds = Vec::new();
    deeds.extend(m.promotion().map(Deed::Promotes));
    if let Some((square, kind)) = captured(board, m) {
        let is_retaken = line.moves[1..].iter().any(|reply| reply.to() == m.to());
        let trade = material.as_ref().and_then(|material| trade(material, kind, is_retaken));
        deeds.push(trade.map_or(Deed::Takes(kind, square), Deed::Trades));
    }
    deeds.extend(m.is_castling().then_some(Deed::Castles));
    deeds.extend(after.in_check().then_some(Deed::GivesCheck));
    deeds.extend(developed(board, m));
    deeds.extend(takes_centre(board, m).then_some(Deed::TakesCentre));
    if deeds.iter().all(|deed| !matches!(deed, Deed::Trades(_))) {
        deeds.extend(attacked(board, m));
        deeds.extend(defended(board, m));
    }
    deeds.extend(lasting_changes(line, material.as_ref()));
    if deeds.is_empty() {
        deeds.extend(plan(board, m));
    }
    deeds.truncate(MAX_DEEDS);
    deeds
}

/// The exchange that a capture of this kind begins: of equal pieces, or of different ones of equal
/// value. Equal pieces that are taken in two places are no exchange.
fn trade(material: &Material, kind: PieceKind, is_retaken: bool) -> Option<Material> {
    if material.gained.contains(&kind) {
        return (material.value() == 0).then(|| material.clone());
    }
    let traded = vec![kind];
    let is_even = is_retaken && material.traded.contains(&kind);
    is_even.then(|| Material { traded, ..Material::default() })
}

/// The last move of an opening.
const OPENING: u32 = 15;

/// A pawn that comes to one of the four central squares in the opening, beyond its own half only if
/// it is safe there.
fn takes_centre(board: &Board, m: Move) -> bool {
    const CENTRE: Bitboard =
        Bitboard::from_squares(&[Square::D4, Square::E4, Square::D5, Square::E5]);
    let is_new = m.piece() == PieceKind::Pawn && CENTRE.has(m.to()) && !board.is_capture(m);
    let is_safe = || winning_captures(&board.make(m)).all(|reply| reply.to() != m.to());
    is_new && board.fullmove_number() <= OPENING && is_safe()
}

/// A knight or bishop that leaves its back rank in the opening.
fn developed(board: &Board, m: Move) -> Option<Deed> {
    let home = board.turn().back_rank();
    let is_minor = matches!(m.piece(), PieceKind::Knight | PieceKind::Bishop);
    let is_new = board.fullmove_number() <= OPENING && home.has(m.from()) && !home.has(m.to());
    (is_minor && is_new && !board.is_capture(m)).then_some(Deed::Develops(m.piece()))
}

/// What a quiet move is good for in an endgame: a passed pawn, the rook behind it, the king.
fn plan(board: &Board, m: Move) -> Option<Deed> {
    let passed = |board: &Board| {
        let all = lasting(board).into_iter();
        all.filter(|motif| motif.name == MotifName::PassedPawn)
            .map(|motif| (motif.side, motif.squares[0]))
    };
    let (us, after) = (board.turn(), board.make(m));
    let has_queens = board.pieces(PieceKind::Queen).any();
    match m.piece() {
        PieceKind::Pawn => {
            let was_passed = passed(board).any(|pawn| pawn == (us, m.from()));
            (was_passed && m.to().file() == m.from().file()).then_some(Deed::Advances)
        }
        PieceKind::Rook if m.to().file() != m.from().file() => {
            let mut behind = passed(&after).filter(|(side, pawn)| {
                let is_behind = pawn.rank().relative_to(*side) > m.to().rank().relative_to(*side);
                let between = attacks::between(m.to(), *pawn) & after.occupied();
                is_behind && pawn.file() == m.to().file() && between.is_empty()
            });
            behind.next().map(|(_, pawn)| Deed::Supports(pawn))
        }
        PieceKind::King if !has_queens && !board.in_check() => {
            const CENTRE: [Square; 4] = [Square::D4, Square::E4, Square::D5, Square::E5];
            let distance = |from: Square| {
                let steps = CENTRE.into_iter().map(|square| {
                    let ranks = square.rank().distance(from.rank());
                    square.file().distance(from.file()).max(ranks)
                });
                steps.min()
            };
            (distance(m.to()) < distance(m.from())).then_some(Deed::ActivatesKing)
        }
        _ => None,
    }
}

/// A piece that the moved piece attacks, did not attack before, and could take with profit; unless
/// the moved piece can itself be taken. A check is told by itself.
fn attacked(board: &Board, m: Move) -> Option<Deed> {
    let (after, us) = (board.make(m), board.turn());
    let square = m.destination();
    let kind = after.side(us).piece_at(square)?;
    let of = |board: &Board, kind, square| attacks::of(kind, us, square, board.occupied());
    let new = of(&after, kind, square) & !of(board, m.piece(), m.from());
    let is_safe = winning_captures(&after).all(|reply| reply.to() != square);
    let them = after.side(!us);
    let targets = (new & them.occupied()).into_iter();
    let targets =
        targets.filter(|target| *target != them.king() && is_prize(&after, !us, *target, kind));
    let best = targets.max_by_key(|target| them.piece_at(*target))?;
    is_safe.then_some(Deed::Attacks(them.piece_at(best)?, best))
}

/// A piece that the other side could have taken with profit, and cannot after the move.
fn defended(board: &Board, m: Move) -> Option<Deed> {
    let after = board.make(m);
    if board.in_check() || after.in_check() {
        return None;
    }
    let targets = |board: &Board| -> Vec<Square> {
        winning_captures(board).map(|reply| reply.to()).collect()
    };
    let (before, left) = (targets(&board.make_null()), targets(&after));
    if before.contains(&m.from()) && !left.contains(&m.destination()) {
        return Some(Deed::Saves(m.piece()));
    }
    let saved = before.into_iter().find(|target| !left.contains(target) && *target != m.from())?;
    Some(Deed::Defends(after.side(board.turn()).piece_at(saved)?, saved))
}

/// Lasting features that the move, or the exchange that it begins, brings about.
fn lasting_changes(course: Line<'_>, material: Option<&Material>) -> Vec<Deed> {
    const MAX_PLIES: usize = 4;
    let (board, line) = (course.board, course.moves);
    let us = board.turn();
    let plies = match material {
        Some(material) if board.is_capture(line[0]) && material.value() == 0 => material.plies,
        _ => 1,
    };
    if plies > MAX_PLIES {
        return Vec::new();
    }
    let after = line[..plies].iter().fold(*board, |at, m| at.make(*m));
    let before = lasting(board);
    let is_new = |motif: &&Motif| {
        let is_same = |old: &Motif| {
            let files = |motif: &Motif| motif.squares.first().map(|square| square.file());
            old.name == motif.name && old.side == motif.side && files(old) == files(motif)
        };
        !before.iter().any(is_same)
    };
    let features = lasting(&after);
    let mut new: Vec<&Motif> = features.iter().filter(is_new).collect();
    if !new.is_empty() {
        let values = piece_values(&after, course.evaluation);
        new.retain(|motif| is_felt(&values, motif));
    }
    let gets = new.iter().filter(|motif| motif.side == us).filter_map(|motif| {
        let square = *motif.squares.first()?;
        let is_moved = square == line[0].destination();
        let is_good = match motif.name {
            MotifName::PassedPawn | MotifName::BishopPair => true,
            MotifName::Outpost | MotifName::OpenFile => is_moved,
            _ => false,
        };
        is_good.then_some(Deed::Gets(motif.name, square))
    });
    let weak = [MotifName::DoubledPawn, MotifName::IsolatedPawn].into_iter();
    let leaves =
        weak.flat_map(|name| [!us, us].map(|side| (side, name))).filter_map(|(side, name)| {
            let all = new.iter().filter(|motif| (motif.side, motif.name) == (side, name));
            let squares: Vec<Square> =
                all.filter_map(|motif| motif.squares.first().copied()).collect();
            (!squares.is_empty()).then_some(Deed::Leaves(side, name, squares))
        });
    gets.chain(leaves.take(1)).collect()
}

/// Whether the evaluation bears a lasting feature out: without its piece it falls more than without
/// most others of the kind, or less if the feature is a weakness. Bishops compare with knights too. A
/// king is weak if the other side's queen is worth more than its own.
pub(super) fn is_felt(values: &[PieceValue], motif: &Motif) -> bool {
    let median = |is_counted: &dyn Fn(&PieceValue) -> bool| {
        let counted = values.iter().filter(|value| is_counted(value));
        let mut counted: Vec<i32> = counted.filter_map(|value| value.value).collect();
        counted.sort_unstable();
        counted.get(counted.len() / 2).copied()
    };
    let is_own = |value: &PieceValue| motif.squares.contains(&value.square);
    let of_kinds = |kinds: &[PieceKind]| {
        (median(&is_own), median(&|value| !is_own(value) && kinds.contains(&value.piece.kind)))
    };
    let queen = |side| {
        let queen = move |value: &PieceValue| {
            (value.piece.kind, value.piece.color) == (PieceKind::Queen, side)
        };
        median(&queen)
    };
    let minors = &[PieceKind::Knight, PieceKind::Bishop];
    let (higher, lower) = match motif.name {
        MotifName::PassedPawn => of_kinds(&[PieceKind::Pawn]),
        MotifName::OpenFile => of_kinds(&[PieceKind::Rook]),
        MotifName::Outpost | MotifName::BishopPair => of_kinds(minors),
        MotifName::IsolatedPawn | MotifName::DoubledPawn | MotifName::BackwardPawn => {
            let (own, others) = of_kinds(&[PieceKind::Pawn]);
            (others, own)
        }
        MotifName::BadBishop => {
            let (own, others) = of_kinds(minors);
            (others, own)
        }
        MotifName::WeakKing => (queen(!motif.side), queen(motif.side)),
        _ => return true,
    };
    // Without others of the kind there is nothing to compare with.
    higher.zip(lower).is_none_or(|(higher, lower)| higher > lower)
}

/// Whether a lasting feature of a position is worth a word: not what every pawn of an endgame has,
/// nor a doubled pawn of an exchange that is about to be retaken.
pub(super) fn is_telling(board: &Board, motif: &Motif) -> bool {
    const FEW_PAWNS: u32 = 2;
    let (own, other) = (board.side(motif.side), board.side(!motif.side));
    let (own_pawns, other_pawns) = (own.pieces(PieceKind::Pawn), other.pieces(PieceKind::Pawn));
    let square = motif.squares.first().copied();
    let is_pawn_ending =
        board.occupied() == board.pieces(PieceKind::Pawn) | board.pieces(PieceKind::King);
    let takes = |board: &Board| winning_captures(board).any(|m| Some(m.to()) == square);
    let is_taken = || {
        if board.turn() == motif.side {
            !board.in_check() && takes(&board.make_null())
        } else {
            takes(board)
        }
    };
    match motif.name {
        MotifName::PassedPawn => !is_pawn_ending && other_pawns.any(),
        MotifName::Outpost => other_pawns.any(),
        MotifName::DoubledPawn => own_pawns.count() > FEW_PAWNS && !is_taken(),
        MotifName::IsolatedPawn | MotifName::BackwardPawn => own_pawns.count() > FEW_PAWNS,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Piece;

    /// A word is dropped where the values of the pieces contradict it.
    #[test]
    fn lasting_words_need_values_that_bear_them_out() {
        use MotifName::{BadBishop, IsolatedPawn, OpenFile, OppositeBishops, Outpost, PassedPawn};
        let named = |letter: char| {
            let all = PieceKind::ALL
                .into_iter()
                .flat_map(|kind| Color::ALL.map(|color| Piece { color, kind }));
            all.into_iter().find(|piece| piece.letter() == letter).expect("a piece")
        };
        for (name, own, others, expected) in [
            (PassedPawn, ('P', 180), &[('P', 90), ('p', 110)][..], true),
            (PassedPawn, ('P', 80), &[('P', 90), ('p', 110)], false),
            (PassedPawn, ('P', 80), &[('n', 300)], true),
            (IsolatedPawn, ('P', 80), &[('P', 90), ('p', 110)], true),
            (IsolatedPawn, ('P', 180), &[('P', 90), ('p', 110)], false),
            (Outpost, ('N', 350), &[('B', 300), ('n', 320)], true),
            (Outpost, ('N', 250), &[('B', 300), ('n', 320)], false),
            (BadBishop, ('B', 250), &[('N', 300)], true),
            (BadBishop, ('B', 350), &[('N', 300)], false),
            (OpenFile, ('R', 450), &[('r', 500), ('R', 430)], false),
            (OppositeBishops, ('B', 300), &[('b', 300)], true),
        ] {
            let value = |square, (letter, value): (char, i32)| PieceValue {
                square,
                piece: named(letter),
                value: Some(value),
            };
            let motif = Motif { name, side: Color::White, squares: vec![Square::D4], ply: 0 };
            let others = Square::ALL.into_iter().zip(others);
            let mut values: Vec<PieceValue> =
                others.map(|(square, other)| value(square, *other)).collect();
            values.push(value(Square::D4, own));
            assert_eq!(is_felt(&values, &motif), expected, "{name:?} {own:?}");
        }
    }
}

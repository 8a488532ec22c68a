//! Why a move: the best line, what refutes another move, what threatens, what each piece is worth.

use super::{Analyser, AnalysisResult, AnalysisTask, Eval};
use crate::chess::{Board, Move, PieceKind, SEE_VALUES};
use crate::eval::wdl::Wdl;
use crate::eval::{PieceValue, piece_values};
use crate::search::score::{Score, mate_distance, normalised, score_from_tt};
use std::io;

/// A threat is told if it is worth so many centipawns to the side that makes it.
const THREAT: Score = 90;

/// A move that was asked about.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The move.
    pub m: Move,
    /// Its score, from the view of the side that makes it.
    pub score: Score,
    /// How much worse it is than the best move, in normalised centipawns; nothing where mates are about.
    pub worse: Option<Score>,
    /// The best answer and how play goes on; empty if the move ends the game.
    pub refutation: Vec<Move>,
    /// What the answer achieves.
    pub effect: String,
}

/// What there is to say about a position.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position.
    pub board: Board,
    /// The score from the side to move's view.
    pub score: Score,
    /// The win, draw and loss probabilities of the side to move.
    pub wdl: Wdl,
    /// The static evaluation from the side to move's view.
    pub still: Score,
    /// How deep the search went.
    pub depth: u32,
    /// The best line; empty if the game is over.
    pub line: Vec<Move>,
    /// What the best move achieves.
    pub effect: String,
    /// The move asked about, if there was one.
    pub asked: Option<Asked>,
    /// What the other side would do if the side to move passed, and what it achieves.
    pub threat: Option<(Vec<Move>, String)>,
    /// All pieces, from a1 to h8.
    pub pieces: Vec<PieceValue>,
}

impl Explanation {
    /// The score from White's view.
    pub fn eval(&self) -> Eval {
        Eval::new(self.score, self.board.turn())
    }
}

/// The questions whose answers explain a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tag {
    Position,
    Asked(Move),
    Passed,
}

/// Explains a position and, if one is given, a legal move in it. `history` holds the keys of the
/// positions before.
///
/// # Errors
/// There is no memory for the search or no thread to be had.
pub fn explain(
    board: &Board,
    history: &[u64],
    asked: Option<Move>,
    analyser: &Analyser,
) -> io::Result<Explanation> {
    let question = |tag, board: Board, previous_keys: Vec<u64>| AnalysisTask {
        tag,
        board,
        previous_keys,
    };
    let mut questions = vec![question(Tag::Position, *board, history.to_vec())];
    let mut after = history.to_vec();
    after.push(board.key());
    if let Some(m) = asked {
        questions.push(question(Tag::Asked(m), board.make(m), after.clone()));
    }
    // Whoever passes in check loses the king: there is nothing to learn from it.
    if !board.in_check() && board.has_legal_move() {
        questions.push(question(Tag::Passed, board.make_null(), Vec::new()));
    }
    let total = questions.len() as u64;
    let mut answers: Vec<AnalysisResult<Tag>> = Vec::new();
    analyser.analyse(&mut questions.into_iter(), total, &mut |answer, _| {
        answers.push(answer);
    })?;
    let find = |wanted: fn(&Tag) -> bool| answers.iter().find(move |answer| wanted(&answer.tag));
    let mut explanation = of_answer(board, find(|tag| *tag == Tag::Position), analyser);
    if let (Some(m), Some(answer)) = (asked, find(|tag| matches!(tag, Tag::Asked(_)))) {
        explanation.asked = Some(of_asked(board, m, &explanation, answer));
    }
    let passed = find(|tag| *tag == Tag::Passed);
    explanation.threat = passed.and_then(|answer| threat(&explanation, answer));
    Ok(explanation)
}

fn moves<T>(answer: &AnalysisResult<T>) -> Vec<Move> {
    answer
        .lines
        .first()
        .map_or(vec![], |line| line.moves.clone())
}

fn of_answer(
    board: &Board,
    answer: Option<&AnalysisResult<Tag>>,
    analyser: &Analyser,
) -> Explanation {
    let score = answer.map_or(0, |answer| answer.score);
    let line = answer.map_or(vec![], moves);
    Explanation {
        board: *board,
        score,
        wdl: Wdl::from_score(score),
        still: analyser.evaluation.of(board),
        depth: answer.map_or(0, AnalysisResult::depth),
        effect: effect(board, &line, score),
        line,
        asked: None,
        threat: None,
        pieces: piece_values(board, &analyser.evaluation),
    }
}

fn of_asked(board: &Board, m: Move, best: &Explanation, answer: &AnalysisResult<Tag>) -> Asked {
    let is_best = best.line.first() == Some(&m);
    let score = match is_best {
        true => best.score,
        // Counted from here, it is a ply further to a mate.
        false => score_from_tt(-answer.score, 1),
    };
    let no_mates = mate_distance(score).is_none() && mate_distance(best.score).is_none();
    let refutation = match is_best {
        true => best.line[1..].to_vec(),
        false => moves(answer),
    };
    let child = board.make(m);
    Asked {
        m,
        score,
        worse: no_mates.then_some((normalised(best.score) - normalised(score)).max(0)),
        effect: effect(&child, &refutation, -score),
        refutation,
    }
}

/// What the other side would do, if that would help it.
fn threat(explanation: &Explanation, passed: &AnalysisResult<Tag>) -> Option<(Vec<Move>, String)> {
    let line = moves(passed);
    // Passing gives the other side the score it has now, and what a free move is worth.
    let gain = passed.score + explanation.score;
    let mates = mate_distance(passed.score).is_some_and(|moves| moves > 0);
    let effect = effect(&passed.board, &line, passed.score);
    let worth_telling = mates || gain >= THREAT;
    (worth_telling && !line.is_empty()).then_some((line, effect))
}

/// What a line achieves for the side that begins it.
fn effect(board: &Board, line: &[Move], score: Score) -> String {
    if let Some(distance) = mate_distance(score) {
        return match distance {
            0 if board.in_check() => "checkmate".into(),
            1.. => format!("mate in {distance}"),
            _ => format!("mated in {}", -distance),
        };
    }
    let (mut own, mut other) = captures(board, line, 2);
    if value(&own) < value(&other) && score > 0 {
        // What was given up is won back later.
        (own, other) = captures(board, line, usize::MAX);
    }
    let gained = value(&own) - value(&other);
    let names = |kinds: &[PieceKind]| {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
        names.join(", ")
    };
    match (own.is_empty(), other.is_empty()) {
        (false, true) => format!("wins material: {}", names(&own)),
        (false, false) if gained >= SEE_VALUES[0] => {
            format!("wins material: {} for {}", names(&own), names(&other))
        }
        (false, false) if gained > -SEE_VALUES[0] => "exchanges".into(),
        (_, false) => format!("gives up {}", names(&other)),
        _ => String::new(),
    }
}

fn value(kinds: &[PieceKind]) -> i32 {
    kinds.iter().map(|kind| SEE_VALUES[kind.index()]).sum()
}

/// What both sides capture in the beginning of a line: until so many quiet moves follow each other.
/// With two, that is what is forced.
fn captures(board: &Board, line: &[Move], most_quiet: usize) -> (Vec<PieceKind>, Vec<PieceKind>) {
    let (mut own, mut other) = (Vec::new(), Vec::new());
    let mut board = *board;
    let us = board.turn();
    let mut quiet = 0;
    for m in line {
        let captured = match m.is_en_passant() {
            true => Some(PieceKind::Pawn),
            false if m.is_castling() => None,
            false => board.them().piece_at(m.to()),
        };
        let taken = if board.turn() == us {
            &mut own
        } else {
            &mut other
        };
        taken.extend(captured);
        quiet = match captured.is_some() || board.gives_check(*m) || board.in_check() {
            true => 0,
            false => quiet + 1,
        };
        if quiet == most_quiet {
            break;
        }
        board = board.make(*m);
    }
    (own, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(board: &Board, moves: &str) -> Vec<Move> {
        let mut board = *board;
        let read = |text: &str| {
            let m = board.parse_uci(text).expect("legal");
            board = board.make(m);
            m
        };
        moves.split(' ').map(read).collect()
    }

    #[test]
    fn effects_are_told_by_what_is_captured() {
        let cases = [
            (
                "4k3/8/8/3q4/8/4N3/8/4K3 w - - 0 1",
                "e3d5 e8d7",
                400,
                "wins material: queen",
            ),
            (
                "4k3/8/4p3/3q4/8/4N3/8/4K3 w - - 0 1",
                "e3d5 e6d5",
                200,
                "wins material: queen for knight",
            ),
            (
                "4k3/8/4p3/3n4/8/4N3/8/4K3 w - - 0 1",
                "e3d5 e6d5",
                0,
                "exchanges",
            ),
            ("4k3/8/8/8/8/4N3/8/4K3 w - - 0 1", "e3d5 e8d7", 300, ""),
            (
                "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1",
                "a1a8",
                31_999,
                "mate in 1",
            ),
        ];
        for (fen, moves, score, expected) in cases {
            let board = Board::from_fen(fen).expect("a position");
            assert_eq!(
                effect(&board, &line(&board, moves), score),
                expected,
                "{fen}"
            );
        }
    }
}

//! Explains a position: the best line, the refutation of another move, the threat, the value of
//! each piece.

use super::{Analyser, AnalysisResult, AnalysisTask};
use crate::chess::{Board, GameStatus, KeyHistory, Move, PieceKind, SEE_VALUES};
use crate::eval::wdl::Wdl;
use crate::eval::{PieceValue, piece_values};
use crate::search::score::{Score, Value};
use std::io;

/// Minimum gain of a threat that is reported, in centipawns of the evaluation.
const MIN_THREAT: Value = 90;

/// An explained move.
#[derive(Clone, Debug)]
pub struct ExplainedMove {
    /// The move.
    pub m: Move,
    /// Its score from the view of the side that plays it.
    pub score: Score,
    /// Loss compared with the best move in normalised centipawns; `None` if one of the scores is a
    /// mate.
    pub loss_cp: Option<i32>,
    /// The best reply and its continuation; empty if the move ends the game.
    pub refutation: Vec<Move>,
    /// The effect of the reply.
    pub effect: String,
}

/// The explanation of a position.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The position.
    pub board: Board,
    /// The score from the side to move's view.
    pub score: Score,
    /// The win, draw and loss probabilities of the side to move.
    pub wdl: Wdl,
    /// The static evaluation from the side to move's view.
    pub static_eval: Score,
    /// Depth of the search.
    pub depth: u32,
    /// The best line; empty if the game is over.
    pub line: Vec<Move>,
    /// The effect of the best line.
    pub effect: String,
    /// The explanation of a given move.
    pub asked: Option<ExplainedMove>,
    /// The best line of the other side after a null move, and its effect, if it is a threat.
    pub threat: Option<(Vec<Move>, String)>,
    /// All pieces, from a1 to h8.
    pub pieces: Vec<PieceValue>,
}

impl Explanation {
    /// The score from White's view.
    pub fn eval(&self) -> Score {
        self.score.white_view(self.board.turn())
    }
}

/// The searches of an explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TaskKind {
    Position,
    /// The position after a move.
    Move(Move),
    /// The position after a null move.
    NullMove,
}

/// Explains a position and, if one is given, a legal move.
///
/// # Errors
/// A hash table or a thread cannot be created.
pub fn explain(board: &Board, asked: Option<Move>, analyser: &Analyser) -> io::Result<Explanation> {
    let task = |tag, board: Board, previous_keys| AnalysisTask { tag, board, previous_keys };
    let none = KeyHistory::default();
    let mut tasks = vec![task(TaskKind::Position, *board, none.clone())];
    if let Some(m) = asked {
        let root = std::iter::once(board.key()).collect();
        tasks.push(task(TaskKind::Move(m), board.make(m), root));
    }
    // A null move in check is illegal, so there is no threat to search for.
    if !board.in_check() && board.status() == GameStatus::Ongoing {
        tasks.push(task(TaskKind::NullMove, board.make_null(), none));
    }
    let total = tasks.len() as u64;
    let mut results: Vec<AnalysisResult<TaskKind>> = Vec::new();
    analyser.analyse(&mut tasks.into_iter(), total, &mut |result, _| {
        results.push(result);
    })?;
    let find =
        |wanted: fn(&TaskKind) -> bool| results.iter().find(move |result| wanted(&result.tag));
    let mut explanation = explain_position(board, find(|tag| *tag == TaskKind::Position), analyser);
    if let (Some(m), Some(result)) = (asked, find(|tag| matches!(tag, TaskKind::Move(_)))) {
        explanation.asked = Some(explain_move(board, m, &explanation, result));
    }
    let passed = find(|tag| *tag == TaskKind::NullMove);
    explanation.threat = passed.and_then(|result| threat(&explanation, result));
    Ok(explanation)
}

/// The score of a position and its best line. A search goes on when a rule has ended the game as a
/// draw.
fn outcome<T>(result: &AnalysisResult<T>) -> (Score, Vec<Move>) {
    match (result.board.status(), result.lines.first()) {
        (GameStatus::Ongoing, Some(line)) => (result.score, line.pv.clone()),
        _ => (Score::of_game_over(&result.board), Vec::new()),
    }
}

fn explain_position(
    board: &Board,
    result: Option<&AnalysisResult<TaskKind>>,
    analyser: &Analyser,
) -> Explanation {
    let (score, line) = result.map_or((Score::DRAW, vec![]), outcome);
    Explanation {
        board: *board,
        score,
        wdl: Wdl::of_position(board, score.value()),
        static_eval: analyser.evaluation.evaluate(board).into(),
        depth: result.filter(|_| !line.is_empty()).map_or(0, AnalysisResult::depth),
        effect: effect(board, &line, score),
        line,
        asked: None,
        threat: None,
        pieces: piece_values(board, &analyser.evaluation),
    }
}

fn explain_move(
    board: &Board,
    m: Move,
    best: &Explanation,
    result: &AnalysisResult<TaskKind>,
) -> ExplainedMove {
    let is_best = best.line.first() == Some(&m);
    let (score_after, reply) = outcome(result);
    let score = if is_best { best.score } else { score_after.before_move() };
    let centipawns = best.score.centipawns().zip(score.centipawns());
    let refutation = if is_best && best.line.len() > 1 {
        best.line[1..].to_vec()
    } else {
        // A shallow best line ends with the move itself.
        reply
    };
    let child = board.make(m);
    ExplainedMove {
        m,
        score,
        loss_cp: centipawns.map(|(best, asked)| (best - asked).max(0)),
        effect: effect(&child, &refutation, -score),
        refutation,
    }
}

/// The best line after a null move, if it gains enough to be a threat.
fn threat(
    explanation: &Explanation,
    passed: &AnalysisResult<TaskKind>,
) -> Option<(Vec<Move>, String)> {
    let (passed_score, line) = outcome(passed);
    // The gain of the free move: the score after the null move less the score without it. A null
    // move gives up our own tactics; that loss is no threat. So if we have tactics, a threat must
    // win material.
    let (score, static_eval) = (explanation.score.value(), explanation.static_eval.value());
    let gain = passed_score.value() + score.min(static_eval);
    let has_tactics = score >= static_eval + MIN_THREAT;
    let mates = passed_score.mate().is_some_and(|moves| moves > 0);
    let effect = effect(&passed.board, &line, passed_score);
    let is_threat = mates || gain >= MIN_THREAT && !(has_tactics && effect.is_empty());
    (is_threat && !line.is_empty()).then_some((line, effect))
}

/// The effect of a line for the side that starts it.
fn effect(board: &Board, line: &[Move], score: Score) -> String {
    if let Some(distance) = score.mate() {
        return match distance {
            0 if board.in_check() => "checkmate".into(),
            1.. => format!("mate in {distance}"),
            _ => format!("mated in {}", -distance),
        };
    }
    let (mut own, mut other) = captures(board, line, 2);
    if value(&own) < value(&other) && score > Score::DRAW {
        // A sacrifice: the whole line shows what it wins back.
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

/// The captures of both sides at the start of a line, up to `max_quiet` consecutive quiet moves.
/// Two end the forced part of the line.
fn captures(board: &Board, line: &[Move], max_quiet: usize) -> (Vec<PieceKind>, Vec<PieceKind>) {
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
        let taken = if board.turn() == us { &mut own } else { &mut other };
        taken.extend(captured);
        quiet = if captured.is_some() || board.gives_check(*m) || board.in_check() {
            0
        } else {
            quiet + 1
        };
        if quiet == max_quiet {
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
    fn effects_follow_from_captures() {
        let cases = [
            ("4k3/8/8/3q4/8/4N3/8/4K3 w - - 0 1", "e3d5 e8d7", 400, "wins material: queen"),
            (
                "4k3/8/4p3/3q4/8/4N3/8/4K3 w - - 0 1",
                "e3d5 e6d5",
                200,
                "wins material: queen for knight",
            ),
            ("4k3/8/4p3/3n4/8/4N3/8/4K3 w - - 0 1", "e3d5 e6d5", 0, "exchanges"),
            ("4k3/8/8/8/8/4N3/8/4K3 w - - 0 1", "e3d5 e8d7", 300, ""),
            ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", 31_999, "mate in 1"),
        ];
        for (fen, moves, score, expected) in cases {
            let board = Board::from_fen(fen).expect("a position");
            assert_eq!(effect(&board, &line(&board, moves), Score::from(score)), expected, "{fen}");
        }
    }
}

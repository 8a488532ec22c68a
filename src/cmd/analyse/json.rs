//! Analyses as JSON.

use crate::analysis::json::{eval, line, one_move, wdl};
use crate::analysis::motif::MotifName;
use crate::analysis::{
    AnalysisResult, Goal, JudgedMove, Opening, Phase, Review, ReviewedPosition, SideSummary,
    Solution, accuracy, needed_depth,
};
use crate::chess::{Color, Move};
use crate::formats::{Document, Ply, result_text};
use crate::search::PvLine;
use serde_json::{Map, Value, json};

/// A null move, as in UCI.
const NULL_MOVE: &str = "0000";

fn round(number: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    (number * unit).round() / unit
}

/// The tags of a game.
pub(super) fn tags(document: &Document) -> Map<String, Value> {
    let tags = document.tags.iter();
    tags.map(|(name, value)| (name.clone(), json!(value))).collect()
}

/// The start position of a game, and its moves.
pub(super) fn main_line(document: &Document) -> Vec<String> {
    let mut board = *document.tree.start();
    let moves = document.tree.mainline().map(|ply| {
        let text = match ply {
            Ply::Move(m) => board.uci(m, document.chess960),
            Ply::Null => NULL_MOVE.to_owned(),
        };
        board = ply.make(&board);
        text
    });
    std::iter::once(document.tree.start().to_fen()).chain(moves).collect()
}

/// Leaves of each move of a game its notations, its evaluation and its judgement, and the best move
/// if that is another one.
pub(super) fn make_compact(game: &mut Value) {
    let moves = game["moves"].as_array_mut().into_iter().flatten();
    for fields in moves.filter_map(Value::as_object_mut) {
        let played = fields["uci"].clone();
        fields.retain(|name, value| match name.as_str() {
            "uci" | "san" | "eval" | "judgement" => true,
            "why" => !value.is_null(),
            "best" => !value.is_null() && value["uci"] != played,
            _ => false,
        });
    }
}

/// A reviewed game.
pub(super) fn game(
    number: u64,
    document: &Document,
    review: &Review,
    opening: Option<Opening>,
) -> Value {
    let moves: Vec<Value> = review
        .moves
        .iter()
        .enumerate()
        .map(|(ply, judged)| {
            let (before, after) = (&review.positions[ply], &review.positions[ply + 1]);
            judged_move(ply + 1, judged, before, after, document.chess960)
        })
        .collect();
    let side = |color: Color| {
        let mut value = side(&review.sides[color.index()]);
        let phases = Phase::ALL.into_iter().zip(&review.phases);
        let phases: Map<String, Value> = phases
            .map(|(phase, sides)| (phase.name().to_owned(), self::side(&sides[color.index()])))
            .collect();
        value["phases"] = Value::Object(phases);
        value
    };
    let key_moments: Vec<usize> = review.key_moments.iter().map(|ply| ply + 1).collect();
    let start = &review.positions[0];
    json!({
        "game": number,
        "tags": tags(document),
        "result": result_text(document.result),
        "chess960": document.chess960,
        "opening": opening.map(|opening| json!({ "eco": opening.eco, "name": opening.name })),
        "scale": review.scale.name(),
        "start": { "fen": start.board.to_fen(), "eval": eval(start.eval()), "wdl": wdl(start.wdl()) },
        "moves": moves,
        "white": side(Color::White),
        "black": side(Color::Black),
        "key_moments": key_moments,
    })
}

fn side(side: &SideSummary) -> Value {
    let SideSummary { inaccuracies, mistakes, blunders, .. } = *side;
    json!({
        "moves": side.moves,
        "accuracy": side.accuracy.map(|accuracy| round(accuracy, 1)),
        "inaccuracies": inaccuracies,
        "mistakes": mistakes,
        "blunders": blunders,
    })
}

fn judged_move(
    ply: usize,
    judged: &JudgedMove,
    before: &ReviewedPosition,
    after: &ReviewedPosition,
    chess960: bool,
) -> Value {
    let board = &before.board;
    let best = before.pv.first();
    json!({
        "ply": ply,
        "uci": judged.played.map_or(NULL_MOVE.into(), |m| board.uci(m, chess960)),
        "san": judged.played.map_or("--".into(), |m| board.san(m)),
        "fen": after.board.to_fen(),
        "eval": eval(after.eval()),
        "wdl": wdl(after.wdl()),
        "depth": after.depth,
        "nodes": after.nodes,
        "best": best.map(|m| one_move(board, *m, chess960)),
        "line": line(board, &before.pv, chess960),
        "lost": round(judged.loss, 4),
        "accuracy": round(accuracy(judged.loss), 1),
        "judgement": judged.judgement.name(),
        "why": judged.reason.as_ref().map(ToString::to_string),
        "motif": judged.reason.as_ref().and_then(|reason| reason.motif).map(MotifName::token),
    })
}

/// The lines of a position.
pub(super) fn lines(document: &Document, lines: &[PvLine]) -> Value {
    let board = document.tree.start();
    let lines = lines.iter().map(|found| {
        json!({
            "eval": eval(found.score.white_view(board.turn())),
            "depth": needed_depth(found),
            "line": line(board, &found.pv, document.chess960),
        })
    });
    lines.collect()
}

/// An analysed position.
pub(super) fn position<T>(
    document: &Document,
    result: &AnalysisResult<T>,
    tested: Option<(&Goal, Solution)>,
) -> Value {
    let board = &result.board;
    let chess960 = document.chess960;
    let position = ReviewedPosition::new(result);
    let id = document.operation("id").and_then(|id| id.operands.first());
    let mut value = json!({
        "fen": board.to_fen(),
        "id": id,
        "status": board.status().name(),
        "eval": eval(position.eval()),
        "wdl": wdl(position.wdl()),
        "best": result.best().map(|m| one_move(board, m, chess960)),
        "depth": result.depth(),
        "nodes": result.nodes,
        "time_ms": result.time.as_millis() as u64,
        "lines": lines(document, &result.lines),
    });
    if let (Some((goal, solution)), Value::Object(fields)) = (tested, &mut value) {
        let moves = |moves: &[Move]| -> Value {
            moves.iter().map(|m| one_move(board, *m, chess960)).collect()
        };
        fields.insert("bm".into(), moves(&goal.best));
        fields.insert("am".into(), moves(&goal.avoid));
        fields.insert("dm".into(), json!(goal.mate));
        fields.insert("solved".into(), json!(solution.solved));
        let time = solution.time.map(|time| time.as_millis() as u64);
        fields.insert("solved_ms".into(), json!(time));
    }
    value
}

/// The score of a suite.
pub(super) fn score(solved: u64, tested: u64) -> Value {
    json!({ "solved": solved, "of": tested })
}

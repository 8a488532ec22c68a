//! Explanations and exercises as JSON, and the values that all JSON has in common.

use super::motif::Motif;
use super::{ExplainedMove, Explanation, Material, Puzzle, Threat};
use crate::chess::{Board, Move, PieceKind};
use crate::eval::wdl::Wdl;
use crate::formats::Document;
use crate::search::score::Score;
use serde_json::{Value, json};

/// `{"cp": 31}` or `{"mate": 3}`, from White's view.
pub(crate) fn eval(eval: Score) -> Value {
    match eval.mate() {
        Some(moves) => json!({ "mate": moves }),
        None => json!({ "cp": eval.centipawns() }),
    }
}

/// Win, draw and loss probabilities in thousandths, from White's view.
pub(crate) fn wdl(wdl: Wdl) -> Value {
    json!([wdl.win, wdl.draw, wdl.loss])
}

/// A move in both notations.
pub(crate) fn one_move(board: &Board, m: Move, chess960: bool) -> Value {
    json!({ "uci": board.uci(m, chess960), "san": board.san(m) })
}

/// A line of moves in both notations.
pub(crate) fn line(board: &Board, moves: &[Move], chess960: bool) -> Value {
    let mut board = *board;
    let values = moves.iter().map(|m| {
        let value = one_move(&board, *m, chess960);
        board = board.make(*m);
        value
    });
    values.collect()
}

/// An explanation, as `saavedra explain --json` writes it.
pub fn explanation(explanation: &Explanation) -> Value {
    let board = &explanation.board;
    let turn = board.turn();
    let chess960 = board.is_chess960();
    let asked_move = |asked: &ExplainedMove| {
        json!({
            "uci": board.uci(asked.m, chess960),
            "san": board.san(asked.m),
            "eval": eval(asked.score.white_view(turn)),
            "worse_cp": asked.loss_cp,
        })
    };
    let asked = explanation.asked.as_ref().map(asked_move);
    let refutation = explanation.asked.as_ref().map(|asked| {
        let child = board.make(asked.m);
        json!({
            "eval": eval(asked.score.white_view(turn)),
            "effect": asked.effect,
            "line": line(&child, &asked.refutation, chess960),
        })
    });
    let threat = explanation.threat.as_ref().map(|threat: &Threat| {
        let passed = board.make_null();
        json!({ "effect": threat.effect, "line": line(&passed, &threat.line, chess960) })
    });
    let pieces: Vec<Value> = explanation
        .pieces
        .iter()
        .map(|value| {
            json!({
                "square": value.square.to_string(),
                "piece": value.piece.letter().to_string(),
                "value_cp": value.value,
            })
        })
        .collect();
    let best = explanation.line.first();
    json!({
        "fen": board.to_fen(),
        "best": best.map(|m| one_move(board, *m, chess960)),
        "line": line(board, &explanation.line, chess960),
        "effect": explanation.effect,
        "eval": eval(explanation.eval()),
        "static": eval(explanation.static_eval.white_view(turn)),
        "depth": explanation.depth,
        "wdl": wdl(explanation.wdl.white_view(turn)),
        "asked": asked,
        "refutation": refutation,
        "threat": threat,
        "pieces": pieces,
        "compared": explanation.compared.as_ref().map(asked_move),
        "text": explanation.text.join(" "),
        "motifs": motifs(&explanation.motifs),
        "material": explanation.material.as_ref().map(material),
        "lasting": motifs(&explanation.lasting),
    })
}

/// An exercise of a game, as `saavedra puzzles` writes it.
pub fn puzzle(game: &Document, puzzle: &Puzzle) -> Value {
    json!({
        "id": puzzle.id(),
        "fen": puzzle.board.to_fen(),
        "solution": puzzle.uci(game.chess960),
        "themes": puzzle.themes,
        "difficulty": puzzle.difficulty,
        "nodes": puzzle.nodes,
        "game": { "white": game.tag("White"), "black": game.tag("Black"), "ply": puzzle.ply },
    })
}

/// Motifs with their names as tokens.
fn motifs(motifs: &[Motif]) -> Vec<Value> {
    let value = |motif: &Motif| {
        let squares: Vec<String> = motif.squares.iter().map(|square| square.to_string()).collect();
        json!({
            "name": motif.name.token(),
            "side": motif.side.name(),
            "squares": squares,
            "ply": motif.ply,
        })
    };
    motifs.iter().map(value).collect()
}

/// What a line gains and loses, as pieces.
fn material(material: &Material) -> Value {
    let names =
        |kinds: &[PieceKind]| -> Vec<&str> { kinds.iter().map(|kind| kind.name()).collect() };
    json!({
        "gained": names(&material.gained),
        "lost": names(&material.lost),
        "traded": names(&material.traded),
    })
}

//! `saavedra explain`: explains a position and a move.

use super::analyse::json;
use super::files::{self, Output};
use super::{CommandError, CommandResult, terminal};
use crate::analysis::{self, Analyser, Budget, ExplainedMove, Explanation, line_text};
use crate::chess::{Board, Color, GameStatus, Move};
use crate::engine;
use crate::eval::piece_values_text;
use crate::formats::{Drawing, Shape};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Duration;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The position as FEN, or `startpos`.
    fen: String,
    /// A move to compare with the best, as `Nf3` or `g1f3`.
    #[arg(value_name = "MOVE")]
    asked: Option<String>,
    /// Time of each search in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 2000, group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes of each search.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth of each search.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Maximum number of plies shown of a line.
const MAX_PLIES: usize = 9;

const AFTER_HELP: &str = "\
Shows the best line, the refutation of the move, the threat (the best line of the other side after a
null move), and the value of each piece: how much the evaluation drops for its owner if the piece is
removed. Evaluations are from White's view; so are win, draw and loss in JSON.

Examples:
  saavedra explain 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4'
  saavedra explain 'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3' Nf6 --json";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let board = files::parse_board(&arguments.fen)?;
    let asked = match &arguments.asked {
        None => None,
        Some(text) => {
            let parsed = board.parse_move(text);
            Some(parsed.map_err(|error| CommandError::Refused(error.to_string()))?)
        }
    };
    let budget = match (arguments.nodes, arguments.depth) {
        (Some(nodes), _) => Budget::Nodes(nodes),
        (_, Some(depth)) => Budget::Depth(depth),
        _ => Budget::MoveTime(Duration::from_millis(arguments.movetime)),
    };
    let analyser = Analyser {
        threads: std::thread::available_parallelism().map_or(1, |n| n.get()),
        hash: 64,
        multipv: 1,
        budget,
        evaluation: engine::embedded_evaluation()?,
    };
    let explanation = analysis::explain(&board, asked, &analyser)?;
    let mut output = Output::create(None)?;
    let status = board.status();
    let text = match arguments.json {
        false if status != GameStatus::Ongoing => {
            format!("Game over: {}\n", status.text())
        }
        true => format!("{}\n", as_json(&explanation)),
        false => as_text(&explanation),
    };
    output.write_all(text.as_bytes())?;
    output.finish()
}

fn as_json(explanation: &Explanation) -> Value {
    let board = &explanation.board;
    let turn = board.turn();
    let chess960 = board.is_chess960();
    let asked = explanation.asked.as_ref().map(|asked| {
        json!({
            "uci": board.uci(asked.m, chess960),
            "san": board.san(asked.m),
            "eval": json::eval(asked.score.white_view(turn)),
            "worse_cp": asked.loss_cp,
        })
    });
    let refutation = explanation.asked.as_ref().map(|asked| {
        let child = board.make(asked.m);
        json!({
            "eval": json::eval(asked.score.white_view(turn)),
            "effect": asked.effect,
            "line": json::line(&child, &asked.refutation, chess960),
        })
    });
    let threat = explanation.threat.as_ref().map(|(line, effect)| {
        let passed = board.make_null();
        json!({ "effect": effect, "line": json::line(&passed, line, chess960) })
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
        "best": best.map(|m| json::one_move(board, *m, chess960)),
        "line": json::line(board, &explanation.line, chess960),
        "effect": explanation.effect,
        "eval": json::eval(explanation.eval()),
        "static": json::eval(explanation.static_eval.white_view(turn)),
        "depth": explanation.depth,
        "wdl": json::wdl(explanation.wdl.white_view(turn)),
        "asked": asked,
        "refutation": refutation,
        "threat": threat,
        "pieces": pieces,
    })
}

/// The part of a line that is shown.
fn shown(line: &[Move]) -> &[Move] {
    &line[..line.len().min(MAX_PLIES)]
}

/// The effect of a line in parentheses; empty if it has none.
fn in_parentheses(effect: &str) -> String {
    match effect {
        "" => String::new(),
        effect => format!(" ({effect})"),
    }
}

fn as_text(explanation: &Explanation) -> String {
    let board = &explanation.board;
    let mut drawing = Drawing::default();
    let best = explanation.line.first().copied();
    if let Some(m) = explanation.asked.as_ref().map(|asked| asked.m).or(best) {
        let to = m.destination();
        drawing.last_move = Some((m.from(), to));
        drawing.shapes.push(Shape::mark(to, Default::default()));
    }
    let mut rows = vec![("Evaluation", evaluation(explanation))];
    rows.push(match best {
        Some(_) => {
            let line = line_text(board, shown(&explanation.line));
            ("Best", line + &in_parentheses(&explanation.effect))
        }
        None => ("Game over", board.status().text()),
    });
    if let Some(asked) = &explanation.asked {
        rows.extend(move_rows(board, asked, best == Some(asked.m)));
    }
    if let Some((line, effect)) = &explanation.threat {
        let line = line_text(&board.make_null(), shown(line));
        rows.push(("Threat", line + &in_parentheses(effect)));
    }
    rows.push(("White has", piece_values_text(&explanation.pieces, Color::White)));
    rows.push(("Black has", piece_values_text(&explanation.pieces, Color::Black)));
    let mut text = terminal::board(board, &drawing, terminal::wants_colours());
    for (name, value) in rows {
        text += &format!("{name:<12}{value}\n");
    }
    text
}

fn evaluation(explanation: &Explanation) -> String {
    let percent = |thousandths: u32| (thousandths + 5) / 10;
    let wdl = explanation.wdl;
    format!(
        "{} (win {} %, draw {} %, loss {} % for the side to move; depth {}; without search {})",
        explanation.eval(),
        percent(wdl.win),
        percent(wdl.draw),
        percent(wdl.loss),
        explanation.depth,
        explanation.static_eval.white_view(explanation.board.turn())
    )
}

/// The rows for the given move and its refutation.
fn move_rows(board: &Board, asked: &ExplainedMove, is_best: bool) -> [(&'static str, String); 2] {
    let eval = asked.score.white_view(board.turn());
    let worse = match asked.loss_cp {
        _ if is_best => " (the best move)".to_owned(),
        Some(worse) => format!(" ({}.{:02} worse)", worse / 100, worse % 100),
        None => String::new(),
    };
    let said = format!("{} {eval}{worse}", line_text(board, &[asked.m]));
    let child = board.make(asked.m);
    let answer = if asked.refutation.is_empty() {
        child.status().text()
    } else {
        line_text(&child, shown(&asked.refutation)) + &in_parentheses(&asked.effect)
    };
    let name = if is_best { "Goes on" } else { "Answer" };
    [("Move", said), (name, answer)]
}

//! `saavedra explain`: explains a position and its moves.

use super::files::{self, Input, Output};
use super::{CommandError, CommandResult, terminal};
use crate::analysis::{
    self, Analyser, Budget, ExplainedMove, Explanation, Question, Threat, json, line_text,
};
use crate::chess::{Board, Color, GameStatus, KeyHistory, Move, STARTPOS};
use crate::engine::{self, StopFlag};
use crate::eval::piece_values_text;
use crate::formats::{Drawing, Ply, Shape, Tree};
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The position as FEN, or `startpos`; or a file with a game, or `-`.
    #[arg(value_name = "FEN|GAME")]
    position: String,
    /// A move to explain, as `Nf3` or `g1f3`, and another one to compare it with. After a game the
    /// first one is a ply: `17w` is White's 17th move, `17b` Black's, `33` the 33rd ply.
    #[arg(value_name = "MOVE|PLY", num_args = 0..=2)]
    moves: Vec<String>,
    /// Nodes of each search.
    #[arg(long, value_name = "N", group = "budget", default_value_t = analysis::DEFAULT_EXPLANATION_NODES, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Time of each search in milliseconds.
    #[arg(long, value_name = "MS", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Depth of each search.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// Show the lines, the lasting features and the value of each piece too.
    #[arg(long)]
    long: bool,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Maximum number of plies shown of a line.
const MAX_PLIES: usize = 9;

const AFTER_HELP: &str = "\
Says in at most five sentences what a move does, what is wrong with it or what it threatens, and which
move is better. --long adds the lines, what is lasting (pawns, outposts, bishops, kings) and the value of
each piece: how much the evaluation drops for its owner if the piece is removed. Evaluations are from
White's view; so are win, draw and loss in JSON.

Examples:
  saavedra explain 'r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4'
  saavedra explain 'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3' Nf6 g6
  saavedra explain game.pgn 3b --json";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let question = question(&arguments.position, &arguments.moves)?;
    let budget = match (arguments.movetime, arguments.depth) {
        (Some(time), _) => Budget::MoveTime(Duration::from_millis(time)),
        (_, Some(depth)) => Budget::Depth(depth),
        _ => Budget::Nodes(arguments.nodes),
    };
    let explanation = explained(&question, budget, StopFlag::default())?;
    let mut output = Output::create(None)?;
    let status = question.board.status();
    let text = match arguments.json {
        false if status != GameStatus::Ongoing => {
            format!("Game over: {}\n", status.text())
        }
        true => format!("{}\n", json::explanation(&explanation)),
        false => as_text(&explanation, arguments.long),
    };
    output.write_all(text.as_bytes())?;
    output.finish()
}

/// The explanation of a question with this budget for each search.
fn explained(question: &Question, budget: Budget, stop: StopFlag) -> io::Result<Explanation> {
    let evaluation = engine::embedded_evaluation().map_err(io::Error::other)?;
    let analyser = Analyser { stop, ..Analyser::for_explanations(budget, evaluation) };
    analysis::explain(question, &analyser)
}

/// The explanation of a question in the JSON of `saavedra explain --json`.
///
/// # Errors
/// A hash table or a thread cannot be created, or `stop` is set.
pub fn explanation_as_json(
    question: &Question,
    budget: Budget,
    stop: StopFlag,
) -> io::Result<String> {
    explained(question, budget, stop).map(|explanation| json::explanation(&explanation).to_string())
}

/// The question of the arguments: a position and its moves, or a game, a ply, and perhaps a move.
fn question(position: &str, moves: &[String]) -> Result<Question, CommandError> {
    let refused = |text: String| CommandError::Refused(text);
    let parsed = |board: &Board, text: &String| {
        terminal::typed_move(board, text).map_err(|error| refused(error.to_string()))
    };
    let is_file = Path::new(position).is_file() && position != STARTPOS;
    if position != "-" && !is_file && files::format_by_name(position).is_none() {
        let board = files::parse_board(position)?;
        let moves: Result<Vec<Move>, _> = moves.iter().map(|text| parsed(&board, text)).collect();
        return Ok(Question::new(board, moves?));
    }
    let Some((place, other)) = moves.split_first() else {
        return Err(refused("a game needs a ply, as 17b".to_owned()));
    };
    let input = Input::open(position.as_ref())?;
    let format = input.format();
    let (name, reader) = input.into_parts();
    let document = files::documents(format, reader, false).next();
    let document = document.ok_or_else(|| refused(format!("{position}: no game")))?;
    let document = document.map_err(|error| refused(files::message(name.as_deref(), &error)))?;
    let mut question = asked_in_game(&document.tree, place)
        .ok_or_else(|| refused(format!("the game has no move {place}")))?;
    for text in other {
        question.moves.push(parsed(&question.board, text)?);
    }
    Ok(question)
}

/// The position before a ply of the main line of a game, and its move. A place is the number of the
/// ply from 1, or of the move with the side: `17w`, `17b`.
pub fn asked_in_game(tree: &Tree, place: &str) -> Option<Question> {
    let mut board = *tree.start();
    let mut keys = KeyHistory::default();
    for (ply, step) in tree.mainline().enumerate() {
        let number = board.fullmove_number();
        let letter = if board.turn() == Color::White { "w" } else { "b" };
        let is_move = place == format!("{number}{letter}");
        if is_move || place == (ply + 1).to_string() {
            let Ply::Move(m) = step else { return None };
            let previous_keys = keys.reversible(&board);
            return Some(Question { board, previous_keys, moves: vec![m] });
        }
        keys.push(&board);
        board = step.make(&board);
    }
    None
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

fn as_text(explanation: &Explanation, is_long: bool) -> String {
    let board = &explanation.board;
    let mut drawing = Drawing::default();
    let best = explanation.line.first().copied();
    if let Some(m) = explanation.asked.as_ref().map(|asked| asked.m).or(best) {
        let to = m.destination();
        drawing.last_move = Some((m.from(), to));
        drawing.shapes.push(Shape::mark(to, Default::default()));
    }
    let mut text = terminal::board(board, &drawing, terminal::wants_colours());
    text += &format!("{}\n", explanation.text.join("\n"));
    if is_long {
        text.push('\n');
        for (name, value) in rows(explanation) {
            text += &format!("{name:<12}{value}\n");
        }
    }
    text
}

/// The rows of the long text: a name and a value.
fn rows(explanation: &Explanation) -> Vec<(&'static str, String)> {
    let board = &explanation.board;
    let best = explanation.line.first().copied();
    let mut rows = vec![("Evaluation", evaluation(explanation))];
    let line = line_text(board, shown(&explanation.line));
    rows.push(("Best", line + &in_parentheses(&explanation.effect)));
    for asked in [&explanation.asked, &explanation.compared].into_iter().flatten() {
        rows.extend(move_rows(board, asked, best == Some(asked.m)));
    }
    if let Some(Threat { line, effect, .. }) = &explanation.threat {
        let line = line_text(&board.make_null(), shown(line));
        rows.push(("Threat", line + &in_parentheses(effect)));
    }
    for (side, lasting, values) in
        [(Color::White, "White:", "White has"), (Color::Black, "Black:", "Black has")]
    {
        let features = explanation.lasting_text(side);
        rows.extend((!features.is_empty()).then_some((lasting, features)));
        rows.push((values, piece_values_text(&explanation.pieces, side)));
    }
    rows
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

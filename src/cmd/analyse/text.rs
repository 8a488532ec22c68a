//! Analyses as text.

use crate::analysis::{AnalysisResult, Goal, Review, Solution, line_text, needed_depth};
use crate::formats::{Document, result_text};

/// Width of the names of positions in the text output of a suite.
const NAME_WIDTH: usize = 24;

/// The name of a position: its `id` or number.
fn name(number: u64, document: &Document) -> String {
    id(document).unwrap_or_else(|| format!("position {number}"))
}

/// The `id` of an EPD record.
fn id(document: &Document) -> Option<String> {
    let id = document.operation("id")?;
    id.operands.first().map(|id| printable(id))
}

/// A text of the input as a terminal may show it: control characters could change its state.
fn printable(text: &str) -> String {
    text.replace(char::is_control, " ")
}

pub(super) fn suite_text<T>(
    number: u64,
    document: &Document,
    result: &AnalysisResult<T>,
    goal: &Goal,
    solution: Solution,
) -> String {
    let board = &result.board;
    let sans = |moves: &[crate::chess::Move]| {
        let texts: Vec<String> = moves.iter().map(|m| board.san(*m)).collect();
        texts.join(" ")
    };
    let mut goals = Vec::new();
    if !goal.best.is_empty() {
        goals.push(format!("bm {}", sans(&goal.best)));
    }
    if !goal.avoid.is_empty() {
        goals.push(format!("am {}", sans(&goal.avoid)));
    }
    goals.extend(goal.mate.map(|moves| format!("dm {moves}")));
    let status = match (solution.solved, solution.time) {
        (true, Some(time)) => format!("solved {:8.3} s", time.as_secs_f64()),
        (true, None) => "solved".into(),
        (false, _) => "failed           ".into(),
    };
    let found = result.best().map_or("-".into(), |m| board.san(m));
    let eval = result.score.white_view(board.turn());
    format!(
        "{:<NAME_WIDTH$} {status}  {found:<7} {eval:>7}  ({})\n",
        name(number, document),
        goals.join("; ")
    )
}

pub(super) fn position_text<T>(document: &Document, result: &AnalysisResult<T>) -> String {
    let board = &result.board;
    let mut text = format!("{}\n", board.to_fen());
    if let Some(id) = id(document) {
        text += &format!("{id}\n");
    }
    for line in &result.lines {
        let eval = line.score.white_view(board.turn());
        let moves = line_text(board, &line.pv);
        text += &format!("{eval:>7}  depth {:<3} {moves}\n", needed_depth(line));
    }
    if result.lines.is_empty() {
        text += &format!("{}\n", board.status().text());
    }
    text
}

pub(super) fn game_text(document: &Document, review: &Review) -> String {
    let player = |tag| printable(document.tag(tag).unwrap_or("?"));
    let mut text =
        format!("{} – {}  {}\n", player("White"), player("Black"), result_text(document.result));
    for (number, judged) in review.moves.iter().enumerate() {
        let (before, after) = (&review.positions[number], &review.positions[number + 1]);
        let san = judged.played.map_or("--".into(), |m| line_text(&before.board, &[m]));
        let mut line = format!("{san}{}", judged.judgement.symbol());
        line = format!("{line:<16} {:>7}", after.eval().to_string());
        if judged.judgement.nag().is_some() {
            let better = &before.pv[..before.pv.len().min(8)];
            line += &format!("  better {}", line_text(&before.board, better));
            if let Some(reason) = &judged.reason {
                line += &format!("; {reason}");
            }
        }
        text += &format!("{line}\n");
    }
    for (name, side) in ["White", "Black"].into_iter().zip(review.sides) {
        text += &format!("{name}: {}\n", side.text());
    }
    text
}

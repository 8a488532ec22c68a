//! Values as lines for a GUI.

use crate::chess::{Board, Move};
use crate::engine::{Bound, Info, OPTIONS, OptionKind, SearchProgress, SearchResult, Settings};
use crate::eval::wdl::Wdl;
use crate::search::score::{self, normalised};
use std::fmt::Write as _;

/// The answer to `uci`.
pub fn identity() -> String {
    let mut text = format!(
        "id name Saavedra {}\nid author the Saavedra authors\n",
        env!("CARGO_PKG_VERSION")
    );
    for row in OPTIONS {
        let _ = write!(text, "option name {} type ", row.name);
        let _ = match row.kind {
            OptionKind::Check { default } => writeln!(text, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                writeln!(text, "spin default {default} min {min} max {max}")
            }
            OptionKind::Text { default: "" } => writeln!(text, "string default <empty>"),
            OptionKind::Text { default } => writeln!(text, "string default {default}"),
            OptionKind::Button => writeln!(text, "button"),
        };
    }
    #[cfg(feature = "tune")]
    for number in crate::search::params::TUNABLES {
        let crate::search::params::Tunable {
            name,
            default,
            min,
            max,
            ..
        } = number;
        let _ = writeln!(
            text,
            "option name {name} type spin default {default} min {min} max {max}"
        );
    }
    text + "uciok\n"
}

/// A score: `cp 31`, `mate -2`.
pub fn score_text(score: i32) -> String {
    match score::mate_distance(score) {
        Some(moves) => format!("mate {moves}"),
        None => format!("cp {}", normalised(score)),
    }
}

/// An `info` line about a search of this position.
pub fn info(board: &Board, info: &Info, settings: &Settings) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth,
        info.seldepth,
        info.multipv,
        score_text(info.score)
    );
    text.push_str(match info.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if settings.show_wdl {
        let Wdl { win, draw, loss } = Wdl::from_score(info.score);
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let _ = write!(text, " {} pv", effort(&info.progress));
    let mut board = *board;
    for m in &info.pv {
        let _ = write!(text, " {}", board.uci(*m, settings.chess960));
        board = board.make(*m);
    }
    text
}

fn effort(progress: &SearchProgress) -> String {
    format!(
        "nodes {} nps {} hashfull {} tbhits {} time {}",
        progress.nodes,
        progress.nps(),
        progress.hashfull,
        progress.tb_hits,
        progress.time.as_millis()
    )
}

/// The `info` line that only says that we live.
pub fn heartbeat(progress: &SearchProgress) -> String {
    format!("info {}", effort(progress))
}

/// The `info string` line with this text: of readable length, without characters that would break
/// the line.
pub fn remark(text: &str) -> String {
    const MOST: usize = 240;
    let mut line = String::from("info string ");
    for (i, c) in text.chars().enumerate() {
        if i == MOST {
            line.push_str("...");
            break;
        }
        line.push(if c.is_control() { ' ' } else { c });
    }
    line
}

/// The `info` line for a position in which the game is over.
pub fn game_over(board: &Board, settings: &Settings) -> String {
    let (score, chances) = match board.in_check() {
        true => ("mate 0", "0 0 1000"),
        false => ("cp 0", "0 1000 0"),
    };
    if settings.show_wdl {
        return format!("info depth 0 score {score} wdl {chances}");
    }
    format!("info depth 0 score {score}")
}

/// The `bestmove` line.
pub fn best_move(board: &Board, outcome: &SearchResult, chess960: bool) -> String {
    let Some(best) = outcome.best else {
        return "bestmove (none)".to_owned();
    };
    let text = format!("bestmove {}", board.uci(best, chess960));
    let child = board.make(best);
    match outcome.ponder.filter(|m| child.is_legal(*m)) {
        Some(ponder) => format!("{text} ponder {}", child.uci(ponder, chess960)),
        None => text,
    }
}

/// The line about a root move being searched.
pub fn current_move(board: &Board, depth: u32, m: Move, number: usize, chess960: bool) -> String {
    format!(
        "info depth {depth} currmove {} currmovenumber {number}",
        board.uci(m, chess960)
    )
}

//! Formats the output of the engine as UCI lines.

use crate::chess::{Board, Move, Square};
use crate::engine::{Bound, Info, OPTIONS, OptionKind, SearchProgress, SearchResult, Settings};
use crate::eval::wdl::Wdl;
use std::fmt::Write as _;

/// The answer to `uci`: name, author, options, `uciok`.
pub fn identity() -> String {
    let mut text = format!(
        "id name Saavedra {}\nid author the Saavedra authors\n",
        env!("CARGO_PKG_VERSION")
    );
    for option in OPTIONS.iter().filter(|option| option.is_available()) {
        let _ = write!(text, "option name {} type ", option.name);
        let _ = match option.kind {
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
    for tunable in crate::search::params::TUNABLES {
        let crate::search::params::Tunable {
            name,
            default,
            min,
            max,
            ..
        } = tunable;
        let _ = writeln!(
            text,
            "option name {name} type spin default {default} min {min} max {max}"
        );
    }
    text + "uciok"
}

/// The `info` line of a PV line of this position, with the root move that is searched now, if there is
/// one, and its number.
pub fn info(
    board: &Board,
    info: &Info,
    current_move: Option<(Move, usize)>,
    settings: &Settings,
) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        info.depth,
        info.seldepth,
        info.multipv,
        info.shown_score()
    );
    text.push_str(match info.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if settings.show_wdl {
        let Wdl { win, draw, loss } = info.wdl();
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let SearchProgress {
        nodes,
        tb_hits,
        hashfull,
        time,
    } = info.progress;
    let (nps, time) = (info.progress.nps(), time.as_millis());
    let _ = write!(
        text,
        " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tb_hits} time {time}"
    );
    if let Some((m, move_number)) = current_move {
        let m = board.uci(m, settings.chess960);
        let _ = write!(text, " currmove {m} currmovenumber {move_number}");
    }
    text.push_str(" pv");
    let mut board = *board;
    for m in &info.pv {
        let _ = write!(text, " {}", board.uci(*m, settings.chess960));
        board = board.make(*m);
    }
    text
}

/// The `info string` line with this text. Control characters become blanks, a long text is truncated.
pub fn info_string(text: &str) -> String {
    const MAX_LENGTH: usize = 240;
    let mut line = String::from("info string ");
    for (i, c) in text.chars().enumerate() {
        if i == MAX_LENGTH {
            line.push_str("...");
            break;
        }
        line.push(if c.is_control() { ' ' } else { c });
    }
    line
}

/// The `info` line of a position without a legal move.
pub fn game_over(board: &Board, settings: &Settings) -> String {
    let (score, wdl) = match board.in_check() {
        true => ("mate 0", "0 0 1000"),
        false => ("cp 0", "0 1000 0"),
    };
    if settings.show_wdl {
        return format!("info depth 0 score {score} wdl {wdl}");
    }
    format!("info depth 0 score {score}")
}

/// The `bestmove` line.
pub fn best_move(board: &Board, result: &SearchResult, chess960: bool) -> String {
    let Some(best) = result.best else {
        return "bestmove (none)".to_owned();
    };
    let text = format!("bestmove {}", board.uci(best, chess960));
    let child = board.make(best);
    match result.ponder.filter(|m| child.is_legal(*m)) {
        Some(ponder) => format!("{text} ponder {}", child.uci(ponder, chess960)),
        None => text,
    }
}

/// The answer to `d`: a diagram of the board and its FEN.
pub fn board(board: &Board) -> String {
    let mut text = String::new();
    for (rank, squares) in Square::ALL.chunks(8).enumerate().rev() {
        let _ = write!(text, "{} ", rank + 1);
        for square in squares {
            let letter = board.piece_at(*square).map_or('.', |piece| piece.letter());
            let _ = write!(text, " {letter}");
        }
        text.push('\n');
    }
    format!("{text}   a b c d e f g h\nFen: {}", board.to_fen())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_diagram_shows_rank_8_first() {
        let text = board(&Board::startpos());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "8  r n b q k b n r");
        assert_eq!(lines[3], "5  . . . . . . . .");
        assert_eq!(lines[7], "1  R N B Q K B N R");
        assert_eq!(lines[8], "   a b c d e f g h");
        assert!(lines[9].starts_with("Fen: rnbqkbnr/pppppppp/8/8/"));
    }
}

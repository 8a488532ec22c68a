//! Formats the output of the engine as UCI lines.

use super::{OPTIONS, OptionKind, Settings};
use crate::chess::{Board, Move, Square};
use crate::engine::{Bound, NAME, PvLine, Score, SearchProgress, SearchResult};
use crate::eval::wdl::Wdl;
use std::fmt::Write as _;

/// The answer to `uci`: name, author, options, `uciok`.
pub fn identity() -> String {
    let mut text = format!("id name {NAME}\nid author the Saavedra authors\n");
    for option in OPTIONS.iter().filter(|option| option.is_available) {
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
        let crate::search::params::Tunable { name, default, min, max, .. } = tunable;
        let _ =
            writeln!(text, "option name {name} type spin default {default} min {min} max {max}");
    }
    text + "uciok"
}

/// The lines for a person who starts the program at a terminal.
pub fn greeting() -> String {
    format!(
        "{NAME} by the Saavedra authors, a UCI chess engine\n\
         Type help for the commands, quit to leave. To play or to analyse games: saavedra --help"
    )
}

/// The answer to a line without a known command.
pub fn unknown_command(line: &str) -> String {
    format!("Unknown command: '{}'. Type help for more information.", printable(line))
}

/// The `info` line of a PV line of this position and its number from 1, with the root move that is
/// searched now, if there is one, and its number.
pub fn info(
    board: &Board,
    (multipv, line): (usize, &PvLine),
    progress: &SearchProgress,
    current_move: Option<(Move, usize)>,
    settings: &Settings,
) -> String {
    let mut text = format!(
        "info depth {} seldepth {} multipv {multipv} score {}",
        line.depth,
        line.seldepth,
        score(line.score)
    );
    text.push_str(match line.bound {
        Bound::Exact => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    });
    if settings.show_wdl {
        push_wdl(Wdl::of_position(board, line.score.value()), &mut text);
    }
    let SearchProgress { nodes, tb_hits, hashfull, time } = progress;
    let (nps, time) = (progress.nps(), time.as_millis());
    let _ =
        write!(text, " nodes {nodes} nps {nps} hashfull {hashfull} tbhits {tb_hits} time {time}");
    if let Some((m, move_number)) = current_move {
        let m = board.uci(m, settings.chess960);
        let _ = write!(text, " currmove {m} currmovenumber {move_number}");
    }
    text.push_str(" pv");
    for m in &line.pv {
        let _ = write!(text, " {}", board.uci(*m, settings.chess960));
    }
    text
}

/// A score as in UCI: `cp 31`, `mate -2`.
fn score(score: Score) -> String {
    match (score.mate(), score.centipawns().unwrap_or_default()) {
        (Some(moves), _) => format!("mate {moves}"),
        (None, centipawns) => format!("cp {centipawns}"),
    }
}

fn push_wdl(wdl: Wdl, text: &mut String) {
    let Wdl { win, draw, loss } = wdl;
    let _ = write!(text, " wdl {win} {draw} {loss}");
}

/// The `info string` line with this text.
pub fn info_string(text: &str) -> String {
    format!("info string {}", printable(text))
}

/// A text for one line of output: control characters become blanks, a long text is truncated.
fn printable(text: &str) -> String {
    const MAX_LENGTH: usize = 240;
    let mut line = String::new();
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
    let of_game_over = Score::of_game_over(board);
    let mut text = format!("info depth 0 score {}", score(of_game_over));
    if settings.show_wdl {
        push_wdl(Wdl::of_position(board, of_game_over.value()), &mut text);
    }
    text
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
    fn an_info_line_has_all_fields_with_their_values() {
        use crate::search::score::{mate_in, mated_in};
        use std::time::Duration;
        let game = Board::startpos();
        let e4 = game.parse_uci("e2e4").expect("legal");
        let reply = game.make(e4).parse_uci("e7e5").expect("legal");
        let report = |value: i32, bound| {
            let mut line = PvLine::new(value.into(), 7, vec![e4, reply]);
            (line.seldepth, line.bound) = (12, bound);
            line
        };
        let progress = SearchProgress {
            nodes: 3000,
            tb_hits: 4,
            hashfull: 5,
            time: Duration::from_micros(1_500_999),
        };
        let counters = "nodes 3000 nps 1998 hashfull 5 tbhits 4 time 1500";
        let wdl = Settings { show_wdl: true, ..Settings::default() };
        let plain = Settings::default();
        for (score, bound, settings, shown) in [
            (0, Bound::Exact, &plain, "cp 0"),
            (0, Bound::Lower, &plain, "cp 0 lowerbound"),
            (0, Bound::Upper, &plain, "cp 0 upperbound"),
            (mate_in(3), Bound::Exact, &plain, "mate 2"),
            (mated_in(4), Bound::Exact, &plain, "mate -2"),
            (mate_in(3), Bound::Exact, &wdl, "mate 2 wdl 1000 0 0"),
            (mated_in(4), Bound::Exact, &wdl, "mate -2 wdl 0 0 1000"),
        ] {
            let expected =
                format!("info depth 7 seldepth 12 multipv 2 score {shown} {counters} pv e2e4 e7e5");
            let line = report(score, bound);
            let line = info(&game, (2, &line), &progress, None, settings);
            assert_eq!(line, expected);
        }
        let line = report(0, Bound::Exact);
        let line = info(&game, (2, &line), &progress, Some((reply, 9)), &plain);
        assert!(line.contains(" currmove e7e5 currmovenumber 9 pv "), "{line}");
    }

    #[test]
    fn a_long_text_is_cut_and_control_characters_are_blanks() {
        assert_eq!(info_string("a\tb\nc"), "info string a b c");
        let text = |length| "é".repeat(length);
        assert_eq!(info_string(&text(240)), format!("info string {}", text(240)));
        let cut = format!("info string {}...", text(240));
        assert_eq!(info_string(&text(241)), cut);
        assert_eq!(info_string(&text(999)), cut);
    }

    #[test]
    fn a_finished_game_has_the_score_of_its_result() {
        let mate = Board::from_fen("R6k/6pp/8/8/8/8/8/K7 b - - 0 1").expect("legal");
        let stalemate = Board::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").expect("legal");
        for (position, score, wdl) in
            [(mate, "mate 0", "0 0 1000"), (stalemate, "cp 0", "0 1000 0")]
        {
            let mut settings = Settings::default();
            let line = format!("info depth 0 score {score}");
            assert_eq!(game_over(&position, &settings), line);
            settings.show_wdl = true;
            assert_eq!(game_over(&position, &settings), format!("{line} wdl {wdl}"));
        }
    }

    #[test]
    fn a_move_to_ponder_must_be_a_reply_to_the_best_move() {
        let start = Board::startpos();
        let [e4, d4] = ["e2e4", "d2d4"].map(|text| start.parse_uci(text).expect("legal"));
        let reply = start.make(e4).parse_uci("e7e5").expect("legal");
        for (best, ponder, line) in [
            (None, None, "bestmove (none)"),
            (Some(e4), None, "bestmove e2e4"),
            (Some(e4), Some(reply), "bestmove e2e4 ponder e7e5"),
            (Some(e4), Some(d4), "bestmove e2e4"),
        ] {
            let result = SearchResult { best, ponder, ..SearchResult::default() };
            assert_eq!(best_move(&start, &result, false), line);
        }
    }

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

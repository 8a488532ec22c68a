//! Tests of the session.

use super::*;
use crate::chess::Move;

fn session() -> Session<Vec<u8>> {
    let engine = Engine::new().expect("an engine");
    Session::new(engine, Vec::new())
}

impl Session<Vec<u8>> {
    fn execute_all(&mut self, lines: &[&str]) {
        for line in lines {
            self.execute(line);
        }
    }

    /// Handles events until the search has a result.
    fn await_result(&mut self) {
        while let Some(search) = self.search.as_ref().filter(|s| s.result.is_none()) {
            let event = search.events.recv().expect("the search is running");
            self.handle_event(event);
        }
    }

    /// The lines printed since the last call.
    fn printed(&mut self) -> Vec<String> {
        let text = String::from_utf8(std::mem::take(&mut self.output));
        let text = text.expect("output is UTF-8");
        text.lines().map(str::to_owned).collect()
    }
}

#[test]
fn options_set_during_a_search_are_applied_in_their_order() {
    let mut session = session();
    session.execute_all(&[
        "go infinite",
        "setoption name Hash value 4",
        "setoption name MultiPV value 2",
        "setoption name Hash value 8",
        "setoption name MultiPV value 3",
    ]);
    assert_eq!(session.engine.hash(), 16);
    session.end_search();
    assert_eq!(session.engine.hash(), 8);
    assert_eq!(session.settings.multipv, 3);
}

#[test]
fn only_a_limited_number_of_options_is_kept_during_a_search() {
    let mut session = session();
    session.execute_all(&["go infinite"]);
    let long = format!("setoption name BookFile value {}", "x".repeat(MAX_PENDING_LENGTH));
    session.execute_all(&[&long]);
    for _ in 0..=MAX_PENDING_OPTIONS {
        session.execute_all(&["setoption name MultiPV value 2"]);
    }
    assert_eq!(session.pending_options.len(), MAX_PENDING_OPTIONS);
    let printed = session.printed();
    let errors: Vec<&String> = printed.iter().filter(|line| line.contains("error")).collect();
    assert_eq!(errors.len(), 2, "{errors:?}");
    session.execute_all(&["stop"]);
}

#[test]
fn all_parameters_of_go_become_limits() {
    let mut session = session();
    let line = "go wtime 9000 btime 8000 winc 90 binc 80 movestogo 7 depth 6 nodes 500 mate 4 \
                movetime 300 searchmoves e7e5 d7d5";
    let Command::Go(go) = command::parse(line) else {
        panic!("a go command");
    };
    session.execute("position startpos moves e2e4");
    let limits = session.limits(&go);
    let parse = |text| session.game.board().parse_uci(text).expect("a legal move");
    let search_moves: Vec<Move> = ["e7e5", "d7d5"].map(parse).to_vec();
    let expected = Limits {
        depth: Some(6),
        nodes: Some(500),
        soft_nodes: None,
        mate: Some(4),
        move_time: Some(Duration::from_millis(300)),
        clock: Some(ClockTime {
            remaining: Duration::from_millis(8000),
            increment: Duration::from_millis(80),
            moves_to_go: Some(7),
        }),
        search_moves,
        ponder: false,
        infinite: false,
    };
    assert_eq!(limits, expected);
}

#[test]
fn each_side_plays_by_its_own_clock_and_by_the_other_if_it_has_none() {
    let mut session = session();
    for (position, line, remaining, increment) in [
        ("startpos", "go wtime 9 btime 8 winc 7 binc 6", 9, 7),
        ("startpos moves e2e4", "go wtime 9 btime 8 winc 7 binc 6", 8, 6),
        ("startpos", "go btime 8 binc 6", 8, 6),
        ("startpos moves e2e4", "go wtime 9 winc 7", 9, 7),
        ("startpos", "go wtime 9", 9, 0),
        ("startpos", "go wtime 9 btime 8 binc 6", 9, 0),
        ("startpos moves e2e4", "go wtime 9 winc 7 btime 8", 8, 0),
    ] {
        session.execute(&format!("position {position}"));
        let Command::Go(go) = command::parse(line) else {
            panic!("a go command");
        };
        let expected = ClockTime {
            remaining: Duration::from_millis(remaining),
            increment: Duration::from_millis(increment),
            moves_to_go: None,
        };
        let clock = session.limits(&go).clock;
        assert_eq!(clock, Some(expected), "{position} {line}");
    }
}

#[test]
fn a_search_without_a_limit_is_infinite() {
    let mut session = session();
    for (line, infinite) in [
        ("go", true),
        ("go ponder", true),
        ("go searchmoves e2e4", true),
        ("go depth 5 infinite", true),
        ("go wtime 9", false),
        ("go btime 9", false),
        ("go depth 5", false),
        ("go nodes 5", false),
        ("go mate 5", false),
        ("go movetime 5", false),
    ] {
        let Command::Go(go) = command::parse(line) else {
            panic!("a go command");
        };
        assert_eq!(session.limits(&go).infinite, infinite, "{line}");
    }
}

#[test]
fn illegal_and_repeated_searchmoves_are_left_out() {
    let mut session = session();
    let Command::Go(go) = command::parse("go searchmoves e2e4 e2e5 d2d4 e2e4 x") else {
        panic!("a go command");
    };
    let moves = session.limits(&go).search_moves;
    let expected =
        ["e2e4", "d2d4"].map(|text| session.game.board().parse_uci(text).expect("legal"));
    assert_eq!(moves, expected);
    let printed = session.printed();
    assert_eq!(printed.len(), 1, "{printed:?}");
    assert!(printed[0].ends_with(": e2e5 x"), "{printed:?}");
}

#[test]
fn a_refused_position_leaves_the_game_as_it_is() {
    let mut session = session();
    session.execute("position startpos moves e2e4");
    let before = session.game.clone();
    session.execute("position fen 8/8/8/8/8/8/8/8 w - - 0 1 moves e2e4");
    assert_eq!(session.game, before);
    session.execute("position startpos moves e2e4 e2e4 e7e5");
    assert_eq!(session.game, before, "the moves before the illegal one");
    assert_eq!(session.printed().len(), 2);
}

#[test]
fn a_line_with_a_score_follows_ponderhit_also_if_the_search_has_ended() {
    for position in ["startpos", "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"] {
        let mut session = session();
        session.execute(&format!("position {position}"));
        session.execute("go ponder depth 2");
        session.await_result();
        let before = session.printed();
        assert!(before.iter().all(|line| !line.starts_with("bestmove")));
        session.execute("ponderhit");
        let after = session.printed();
        assert_eq!(after.len(), 2, "{after:?}");
        let without_time = |line: Option<&String>| {
            let line = line.expect("a line").split(" nps ").next();
            line.map(str::to_owned)
        };
        assert_eq!(without_time(before.last()), without_time(after.first()));
        assert!(after[0].contains(" score "), "{after:?}");
        assert!(after[1].starts_with("bestmove"), "{after:?}");
    }
}

#[test]
fn all_lines_follow_ponderhit_if_the_search_has_ended() {
    let mut session = session();
    session.execute_all(&["setoption name MultiPV value 3", "go ponder depth 2"]);
    session.await_result();
    session.printed();
    session.execute("ponderhit");
    let after = session.printed();
    for number in 1..=3 {
        let line = format!("info depth 2 seldepth 2 multipv {number} ");
        let is_line = |printed: &String| printed.starts_with(&line);
        assert!(after.iter().any(is_line), "{line}: {after:?}");
    }
    assert!(after.last().is_some_and(|line| line.starts_with("bestmove ")));
}

#[test]
fn options_that_wait_for_the_end_of_a_search_are_not_applied_at_quit() {
    let mut session = session();
    session.execute_all(&["go infinite", "setoption name MultiPV value 2", "quit"]);
    session.end_search();
    assert_eq!(session.settings.multipv, 1);
}

#[test]
fn a_held_result_is_printed_once_before_stop() {
    let mut session = session();
    session.execute("go infinite depth 2");
    session.await_result();
    assert!(!session.printed().is_empty());
    session.execute("stop");
    let after = session.printed();
    assert_eq!(after.len(), 1, "{after:?}");
    session.execute_all(&["setoption name Minimal value true", "go infinite depth 2"]);
    session.await_result();
    assert!(session.printed().is_empty());
    session.execute("stop");
    let after = session.printed();
    assert_eq!(after.len(), 2, "{after:?}");
}

#[test]
fn every_iteration_is_printed_once() {
    let mut session = session();
    session.execute("go depth 4");
    session.await_result();
    let printed = session.printed();
    let depths: Vec<_> = printed.iter().map(|line| line.split(" seldepth").next()).collect();
    let expected = [1, 2, 3, 4].map(|depth| format!("info depth {depth}"));
    let (last, lines) = depths.split_last().expect("lines");
    assert_eq!(lines, expected.each_ref().map(|line| Some(line.as_str())));
    assert!(last.is_some_and(|line| line.starts_with("bestmove ")), "{printed:?}");
}

#[test]
fn position_and_evaluation_are_displayed() {
    let mut session = session();
    session.execute_all(&["position startpos moves e2e4", "d"]);
    let printed = session.printed();
    let fen = "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    assert_eq!(printed.last().map(String::as_str), Some(fen));
    session.execute("eval");
    let printed = session.printed();
    for (line, start) in
        printed.iter().zip(["evaluation ", "pieces of White: ", "pieces of Black: "])
    {
        assert!(line.starts_with(&format!("info string {start}")), "{line}");
    }
    assert_eq!(printed.len(), 3);
}

#[test]
fn a_log_begins_with_the_last_value_of_each_option_and_ends_when_it_is_closed() {
    let name = format!("saavedra-{}-session.log", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let mut session = session();
    session.execute_all(&[
        "setoption name Hash value 4",
        "setoption name MultiPV value 2",
        "setoption name Clear Hash",
        "setoption name hash value 8",
        "setoption name Hash value none",
        &format!("setoption name Log File value {}", path.display()),
        "isready",
        "setoption name Log File value",
        "isready",
    ]);
    let text = std::fs::read_to_string(&path).expect("a log");
    let _ = std::fs::remove_file(&path);
    let without_time = |line: &str| line.split_once(' ').map(|(_, rest)| rest.to_owned());
    let lines: Vec<_> = text.lines().filter_map(without_time).collect();
    let expected = [
        "< setoption name MultiPV value 2",
        "< setoption name hash value 8",
        &format!("< setoption name Log File value {}", path.display()),
        "< isready",
        "> readyok",
        "< setoption name Log File value",
    ];
    assert_eq!(lines, expected);
}

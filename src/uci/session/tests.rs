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
    assert_eq!(session.engine.settings().hash, 16);
    session.end_search();
    assert_eq!(session.engine.settings().hash, 8);
    assert_eq!(session.engine.settings().multipv, 3);
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

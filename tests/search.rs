//! The search: exact limits, the same result twice, both colours alike, mates of the right length.

use saavedra::chess::{Board, Game, Square};
use saavedra::engine::{Engine, Event, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::{Info, Job, Limits, Reporter, SearchResult, Variety, score};
use std::collections::{BTreeMap, HashSet};
use std::sync::mpsc::{Sender, channel};

fn board(fen: &str) -> Board {
    Board::from_fen(fen).expect("a sound position")
}

fn searcher() -> Searcher {
    Searcher::new(16, &Evaluation::embedded()).expect("sixteen megabytes")
}

const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/1b1nbppp/p2pp3/1p6/3NPP2/1BN1Q3/PPP3PP/R4RK1 b - - 3 14",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/r5P1/1R4K1/8 w - - 2 41",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

#[test]
fn the_same_search_twice_is_the_same_to_the_node() {
    let mut first = searcher();
    let mut second = searcher();
    for fen in POSITIONS {
        let job = Job::new(board(fen), Limits::depth(8));
        first.clear();
        let (a, nodes) = (first.search(&job), first.nodes());
        let (b, again) = (second.search(&job), second.nodes());
        assert_eq!((a.best, nodes), (b.best, again), "{fen}");
        second.clear();
    }
}

#[test]
fn a_position_and_its_colour_flipped_one_are_searched_alike() {
    let mut searcher = searcher();
    for fen in POSITIONS {
        let position = board(fen);
        searcher.clear();
        let one = searcher.search(&Job::new(position, Limits::depth(9)));
        let nodes = searcher.nodes();
        searcher.clear();
        let other = searcher.search(&Job::new(position.flipped(), Limits::depth(9)));
        assert_eq!(nodes, searcher.nodes(), "{fen}");
        let score = |outcome: &SearchResult| outcome.info.as_ref().map(|i| i.score);
        assert_eq!(score(&one), score(&other), "{fen}");
    }
}

#[test]
fn nodes_are_never_more_than_asked_for() {
    let mut searcher = searcher();
    for fen in POSITIONS {
        for nodes in [1, 2, 17, 100, 1_000, 5_000] {
            searcher.clear();
            let outcome = searcher.search(&Job::new(board(fen), Limits::nodes(nodes)));
            assert!(
                searcher.nodes() <= nodes,
                "{fen}: {} of {nodes}",
                searcher.nodes()
            );
            let best = outcome.best.expect("a move");
            assert!(board(fen).is_legal(best), "{fen}");
            let info = outcome.info.expect("a line");
            assert_eq!(
                info.pv.first(),
                Some(&best),
                "the line begins with the best move: {fen}"
            );
        }
    }
}

#[test]
fn a_search_that_is_cut_short_claims_no_more_than_the_depth_of_its_line() {
    for fen in POSITIONS {
        let mut searcher = searcher();
        for depth in 1..=6 {
            searcher.clear();
            let info = searcher
                .search(&Job::new(board(fen), Limits::depth(depth)))
                .info;
            let (whole, nodes) = (info.expect("a line"), searcher.nodes());
            assert_eq!(whole.depth, depth, "{fen}");
            // One board more, and the next iteration has begun, but found nothing.
            searcher.clear();
            let cut = searcher.search(&Job::new(board(fen), Limits::nodes(nodes + 1)));
            let cut = cut.info.expect("a line");
            assert_eq!((cut.depth, cut.score), (depth, whole.score), "{fen}");
        }
    }
}

#[test]
fn short_mates_have_their_exact_length() {
    // White to move mates in so many moves; the lines are complete and end in mate.
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1", 2),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        (
            "2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1",
            2,
        ),
        ("8/8/8/8/8/5k2/7q/5K2 b - - 0 1", 1),
    ] {
        let mut searcher = searcher();
        let limits = Limits {
            mate: Some(moves),
            ..Limits::depth(14)
        };
        let outcome = searcher.search(&Job::new(board(fen), limits));
        let info = outcome.info.expect("a line");
        assert_eq!(
            score::mate_distance(info.score),
            Some(moves as i32),
            "{fen}"
        );
        assert_eq!(info.pv.len(), 2 * moves as usize - 1, "{fen}");
        let end = info.pv.iter().fold(board(fen), |board, m| board.make(*m));
        assert!(end.in_check() && !end.has_legal_move(), "{fen}");
    }
}

#[test]
fn a_queen_sacrificed_with_check_is_seen_before_it_comes() {
    // Knight takes d7 allows 16. Qb8+ Nxb8 17. Rd8 mate (Morphy, Paris 1858).
    let before = board("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16");
    let info = searcher().search(&Job::new(before, Limits::depth(12))).info;
    assert_eq!(
        info.map(|info| score::mate_distance(info.score)),
        Some(Some(2))
    );
    let allowing = board("4kb1r/p2B1ppp/4qn2/4p1B1/4P3/1Q6/PPP2PPP/2KR4 b k - 0 15");
    let outcome = searcher().search(&Job::new(allowing, Limits::depth(14)));
    let best = outcome.best.map(|m| (m.from(), m.to()));
    assert_ne!(best, Some((Square::F6, Square::D7)));
}

#[test]
fn a_finished_game_has_no_move() {
    for fen in [
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        let outcome = searcher().search(&Job::new(board(fen), Limits::depth(5)));
        assert_eq!(outcome.best, None, "{fen}");
    }
}

#[test]
fn mate_comes_before_the_fifty_move_rule() {
    let mate_on_the_hundredth_ply = board("7k/8/6K1/8/8/8/8/R7 w - - 99 80");
    let outcome = searcher().search(&Job::new(mate_on_the_hundredth_ply, Limits::depth(6)));
    assert_eq!(
        outcome.info.map(|info| score::mate_distance(info.score)),
        Some(Some(1))
    );
    let one_ply_too_late = board("7k/8/5K2/8/8/8/8/R7 w - - 99 80");
    let outcome = searcher().search(&Job::new(one_ply_too_late, Limits::depth(6)));
    assert_eq!(outcome.info.map(|info| info.score), Some(0));
}

#[test]
fn a_repetition_is_seen_coming() {
    // White is about to be mated, and gives check on e8 and h5 for ever.
    let perpetual = board("6k1/6p1/8/7Q/8/8/qr6/6K1 w - - 0 1");
    let outcome = searcher().search(&Job::new(perpetual, Limits::depth(12)));
    assert_eq!(outcome.info.map(|info| info.score), Some(score::DRAW));
}

#[test]
fn search_moves_restrict_the_root() {
    let position = Board::startpos();
    let only = position.parse_uci("a2a3").expect("legal");
    let limits = Limits {
        search_moves: vec![only],
        ..Limits::depth(6)
    };
    assert_eq!(
        searcher().search(&Job::new(position, limits)).best,
        Some(only)
    );
}

/// The outcome of a search, and what it told on the way.
fn told(searcher: &mut Searcher, job: &Job) -> (SearchResult, Vec<Info>) {
    struct Record(Sender<Info>);
    impl Reporter for Record {
        fn info(&mut self, info: &Info) {
            let _ = self.0.send(info.clone());
        }
    }
    let (sender, infos) = channel();
    let outcome = searcher.search_with(job, Box::new(Record(sender)));
    (outcome, infos.iter().collect())
}

/// The last state of each line, as a GUI shows it.
fn shown(infos: &[Info]) -> Vec<&Info> {
    let mut lines = BTreeMap::new();
    for info in infos {
        lines.insert(info.multipv, info);
    }
    lines.into_values().collect()
}

#[test]
fn lines_cut_short_have_distinct_moves_one_depth_and_the_best_move_first() {
    let mut searcher = searcher();
    for variety in [
        None,
        Some(Variety {
            max_loss: 50,
            seed: 3,
        }),
    ] {
        for fen in POSITIONS {
            for nodes in (1_000..6_000).step_by(379) {
                let mut job = Job::new(board(fen), Limits::nodes(nodes));
                (job.multipv, job.variety) = (4, variety.clone());
                searcher.clear();
                let (outcome, infos) = told(&mut searcher, &job);
                let lines = shown(&infos);
                let case = format!("{fen}, {nodes} nodes, {variety:?}");
                let firsts: HashSet<_> = lines.iter().map(|info| info.pv[0]).collect();
                assert_eq!(firsts.len(), 4, "{case}");
                assert_eq!(Some(lines[0].pv[0]), outcome.best, "{case}");
                assert!(lines.iter().all(|info| info.pv_count == 4), "{case}");
                assert!(lines.iter().all(|l| l.depth == lines[0].depth), "{case}");
            }
        }
    }
}

#[test]
fn several_lines_are_distinct_and_ordered() {
    let mut job = Job::new(board(POSITIONS[1]), Limits::depth(7));
    job.multipv = 4;
    let (_, infos) = told(&mut searcher(), &job);
    let last: Vec<_> = infos.iter().filter(|info| info.depth == 7).collect();
    assert_eq!(
        last.iter().map(|info| info.multipv).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    assert!(last.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let firsts: HashSet<_> = last.iter().map(|info| info.pv[0]).collect();
    assert_eq!(firsts.len(), 4);
}

#[test]
fn two_threads_find_a_legal_move_and_stop_when_told() {
    let mut engine = Engine::with_threads_and_hash(2, 4).expect("an engine");
    for fen in POSITIONS {
        let game = Game::new(board(fen));
        let limits = Limits {
            infinite: true,
            ..Limits::default()
        };
        let search = engine.start(&game, limits);
        search.infos().next().expect("a first line");
        search.stop();
        let best = search.wait().unwrap().best.expect("a move");
        assert!(game.board().is_legal(best), "{fen}");
    }
}

#[test]
fn a_search_ends_with_its_outcome_and_nothing_after() {
    let mut engine = Engine::new().expect("an engine");
    let search = engine.start(&Game::default(), Limits::depth(5));
    let events: Vec<Event> = search.events().collect();
    assert!(matches!(events.last(), Some(Event::Finished(_))));
    let ends = events
        .iter()
        .filter(|event| matches!(event, Event::Finished(_)))
        .count();
    assert_eq!(ends, 1);
}

//! The search: limits, reproducibility, colour symmetry, mate distances, PV lines.

use saavedra::chess::{Board, Game, Square};
use saavedra::engine::{Engine, Event, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::score::Score;
use saavedra::search::{Info, Limits, PvLine, Reporter, SearchRequest, SearchResult, Variety};
use std::collections::HashSet;
use std::sync::mpsc::{Sender, channel};

fn board(fen: &str) -> Board {
    Board::from_fen(fen).expect("a sound position")
}

fn searcher() -> Searcher {
    Searcher::new(16, &Evaluation::embedded()).expect("sixteen megabytes")
}

/// Nodes for a search to find what it must not miss: many times what it needs, and a few seconds.
const AMPLE_NODES: u64 = 500_000;

const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r2q1rk1/1b1nbppp/p2pp3/1p6/3NPP2/1BN1Q3/PPP3PP/R4RK1 b - - 3 14",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/r5P1/1R4K1/8 w - - 2 41",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

#[test]
fn a_search_is_reproducible_to_the_node() {
    let mut first = searcher();
    let mut second = searcher();
    for fen in POSITIONS {
        let request = SearchRequest::new(board(fen), Limits::depth(8));
        first.clear();
        let (a, nodes) = (first.search(&request), first.nodes());
        let (b, again) = (second.search(&request), second.nodes());
        assert_eq!((a.best, nodes), (b.best, again), "{fen}");
        second.clear();
    }
}

/// The score of the best line.
fn score(result: &SearchResult) -> Option<Score> {
    result.line().map(|line| line.score)
}

#[test]
fn a_position_and_its_colour_flipped_mirror_are_searched_alike() {
    let mut searcher = searcher();
    for fen in POSITIONS {
        let position = board(fen);
        searcher.clear();
        let one = searcher.search(&SearchRequest::new(position, Limits::depth(9)));
        let nodes = searcher.nodes();
        searcher.clear();
        let other = searcher.search(&SearchRequest::new(position.flipped(), Limits::depth(9)));
        assert_eq!(nodes, searcher.nodes(), "{fen}");
        assert_eq!(score(&one), score(&other), "{fen}");
    }
}

#[test]
fn the_node_limit_is_never_exceeded() {
    let mut searcher = searcher();
    for fen in POSITIONS {
        for nodes in [1, 2, 17, 100, 1_000, 5_000] {
            searcher.clear();
            let result = searcher.search(&SearchRequest::new(board(fen), Limits::nodes(nodes)));
            assert!(searcher.nodes() <= nodes, "{fen}: {} of {nodes}", searcher.nodes());
            let best = result.best.expect("a move");
            assert!(board(fen).is_legal(best), "{fen}");
            let line = result.line().expect("a PV");
            assert_eq!(line.pv.first(), Some(&best), "the PV begins with the best move: {fen}");
        }
    }
}

#[test]
fn no_iteration_starts_after_the_soft_node_limit() {
    for fen in POSITIONS {
        for soft_nodes in [1, 500, 5_000] {
            let search = |limits| {
                let mut searcher = searcher();
                let result = searcher.search(&SearchRequest::new(board(fen), limits));
                (result.line().expect("a PV").depth, searcher.nodes())
            };
            let limits = Limits { soft_nodes: Some(soft_nodes), ..Limits::default() };
            let (depth, nodes) = search(limits);
            assert!(nodes >= soft_nodes, "{fen}: {nodes} of {soft_nodes}");
            if depth > 1 {
                let (_, before) = search(Limits::depth(depth - 1));
                assert!(before < soft_nodes, "{fen}: {before} of {soft_nodes}");
            }
        }
    }
}

#[test]
fn an_aborted_iteration_does_not_change_the_reported_depth() {
    for fen in POSITIONS {
        let mut searcher = searcher();
        for depth in 1..=6 {
            searcher.clear();
            let result = searcher.search(&SearchRequest::new(board(fen), Limits::depth(depth)));
            let (completed, nodes) = (result.line().expect("a PV"), searcher.nodes());
            assert_eq!(completed.depth, depth, "{fen}");
            // One node more: the next iteration has started, but has no result.
            searcher.clear();
            let aborted =
                searcher.search(&SearchRequest::new(board(fen), Limits::nodes(nodes + 1)));
            let aborted = aborted.line().expect("a PV");
            assert_eq!((aborted.depth, aborted.score), (depth, completed.score), "{fen}");
        }
    }
}

#[test]
fn mate_searches_find_the_exact_distance() {
    // The side to move mates in this many moves; the PV ends with the mate.
    for (fen, moves) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("6k1/pp4p1/2p5/2bp4/8/P5Pb/1P3rrP/2BRRN1K b - - 0 1", 2),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", 2),
        ("8/8/8/8/8/5k2/7q/5K2 b - - 0 1", 1),
    ] {
        let mut searcher = searcher();
        let limits = Limits { mate: Some(moves), ..Limits::nodes(AMPLE_NODES) };
        let result = searcher.search(&SearchRequest::new(board(fen), limits));
        let line = result.line().expect("a PV");
        assert_eq!(line.score.mate(), Some(moves as i32), "{fen}");
        assert_eq!(line.pv.len(), 2 * moves as usize - 1, "{fen}");
        let end = line.pv.iter().fold(board(fen), |board, m| board.make(*m));
        assert!(end.in_check() && !end.has_legal_move(), "{fen}");
    }
}

#[test]
fn a_mate_search_ends_with_a_mate_for_either_side_within_its_moves() {
    let mates = "7k/8/5K2/8/8/8/8/R7 w - - 0 1";
    let is_mated = "8/8/8/8/8/1k6/7r/K7 w - - 0 1";
    for (fen, moves, ends) in
        [(mates, 1, false), (mates, 2, true), (mates, 3, true), (is_mated, 1, true)]
    {
        let limits = Limits { mate: Some(moves), ..Limits::nodes(5_000) };
        let mut searcher = searcher();
        searcher.search(&SearchRequest::new(board(fen), limits));
        let nodes = searcher.nodes();
        assert_eq!(nodes < 5_000, ends, "{fen}: {nodes} nodes");
    }
}

#[test]
fn a_queen_sacrifice_with_check_is_not_pruned() {
    // 15... Nxd7 allows 16. Qb8+ Nxb8 17. Rd8 mate (Morphy, Paris 1858).
    let before = board("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16");
    let limits = Limits::nodes(AMPLE_NODES);
    let result = searcher().search(&SearchRequest::new(before, limits.clone()));
    assert_eq!(score(&result), Some(Score::from_mate(2)));
    let allowing = board("4kb1r/p2B1ppp/4qn2/4p1B1/4P3/1Q6/PPP2PPP/2KR4 b k - 0 15");
    let result = searcher().search(&SearchRequest::new(allowing, limits));
    let best = result.best.map(|m| (m.from(), m.to()));
    assert_ne!(best, Some((Square::F6, Square::D7)));
}

#[test]
fn a_finished_game_has_no_best_move() {
    for fen in [
        "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        let result = searcher().search(&SearchRequest::new(board(fen), Limits::depth(5)));
        assert_eq!(result.best, None, "{fen}");
    }
}

#[test]
fn mate_takes_precedence_over_the_fifty_move_rule() {
    let mate_on_the_hundredth_ply = board("7k/8/6K1/8/8/8/8/R7 w - - 99 80");
    let result =
        searcher().search(&SearchRequest::new(mate_on_the_hundredth_ply, Limits::depth(6)));
    assert_eq!(score(&result), Some(Score::from_mate(1)));
    // The mate in two comes one ply after the draw: by the rule at the root, and within the search.
    for clock in [98, 99] {
        let one_ply_too_late = board(&format!("7k/8/5K2/8/8/8/8/R7 w - - {clock} 80"));
        let result = searcher().search(&SearchRequest::new(one_ply_too_late, Limits::depth(6)));
        assert_eq!(score(&result), Some(Score::DRAW), "{clock}");
    }
    let in_time = board("7k/8/5K2/8/8/8/8/R7 w - - 97 80");
    let result = searcher().search(&SearchRequest::new(in_time, Limits::depth(6)));
    assert_eq!(score(&result), Some(Score::from_mate(2)));
}

#[test]
fn a_perpetual_check_is_a_draw() {
    // White would be mated and gives perpetual check on e8 and h5.
    let perpetual = board("6k1/6p1/8/7Q/8/8/qr6/6K1 w - - 0 1");
    let result = searcher().search(&SearchRequest::new(perpetual, Limits::nodes(AMPLE_NODES)));
    assert_eq!(score(&result), Some(Score::DRAW));
}

#[test]
fn search_moves_restrict_the_root_moves() {
    let position = Board::startpos();
    let only = position.parse_uci("a2a3").expect("legal");
    let limits = Limits { search_moves: vec![only], ..Limits::depth(6) };
    assert_eq!(searcher().search(&SearchRequest::new(position, limits)).best, Some(only));
}

/// The result of a search and all its reports.
fn search_and_record(
    searcher: &mut Searcher,
    request: &SearchRequest,
) -> (SearchResult, Vec<Info>) {
    struct Record(Sender<Info>);
    impl Reporter for Record {
        fn info(&mut self, info: &Info) {
            let _ = self.0.send(info.clone());
        }
    }
    let (sender, infos) = channel();
    let result = searcher.search_with(request, Box::new(Record(sender)));
    (result, infos.iter().collect())
}

#[test]
fn pv_lines_of_an_aborted_iteration_are_consistent() {
    let mut searcher = searcher();
    for variety in [None, Some(Variety { max_loss: 50, seed: 3 })] {
        for fen in POSITIONS {
            for nodes in (1_000..6_000).step_by(379) {
                let mut request = SearchRequest::new(board(fen), Limits::nodes(nodes));
                (request.multipv, request.variety) = (4, variety.clone());
                searcher.clear();
                let (result, infos) = search_and_record(&mut searcher, &request);
                let lines = &infos.last().expect("a report").lines;
                let case = format!("{fen}, {nodes} nodes, {variety:?}");
                let firsts: HashSet<_> = lines.iter().map(|line| line.pv[0]).collect();
                assert_eq!(firsts.len(), 4, "{case}");
                assert_eq!(Some(lines[0].pv[0]), result.best, "{case}");
                assert_eq!(lines.len(), 4, "{case}");
                assert_eq!(lines[1..], result.lines[1..], "{case}");
                assert!(lines.iter().all(|l| l.depth == lines[0].depth), "{case}");
            }
        }
    }
}

#[test]
fn pv_lines_are_distinct_and_sorted_by_score() {
    let mut request = SearchRequest::new(board(POSITIONS[1]), Limits::depth(7));
    request.multipv = 4;
    let (_, infos) = search_and_record(&mut searcher(), &request);
    let last: &[PvLine] = &infos.last().expect("a report").lines;
    assert!(last.iter().all(|line| line.depth == 7));
    assert!(last.windows(2).all(|pair| pair[0].score >= pair[1].score));
    let firsts: HashSet<_> = last.iter().map(|line| line.pv[0]).collect();
    assert_eq!(firsts.len(), 4);
}

#[test]
fn a_search_on_two_threads_can_be_stopped() {
    let mut engine = Engine::with_threads_and_hash(2, 4).expect("an engine");
    for fen in POSITIONS {
        let game = Game::new(board(fen));
        let limits = Limits { infinite: true, ..Limits::default() };
        let search = engine.start(&game, limits);
        search.infos().next().expect("a first PV");
        search.stop();
        let best = search.wait().unwrap().best.expect("a move");
        assert!(game.board().is_legal(best), "{fen}");
    }
}

/// The cells of the heuristics' rows in `docs/SEARCH.md`.
fn documented_heuristics() -> Vec<Vec<String>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/SEARCH.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let rows = text.lines().filter(|line| line.contains(" | `"));
    let cells = |row: &str| {
        let row = row.replace("\\|", "");
        let cells = row.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    rows.map(cells).collect()
}

#[test]
fn every_function_in_the_search_document_exists() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/search");
    let files: Vec<_> = std::fs::read_dir(folder)
        .expect("the sources")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.is_file())
        .collect();
    let sources: String =
        files.iter().map(|path| std::fs::read_to_string(path).expect("a source file")).collect();
    let exists = |name: &str| {
        let name = name.rsplit("::").next().expect("a name");
        let is_file = files.iter().any(|path| path.ends_with(name));
        is_file
            || sources.contains(&format!("fn {name}"))
            || sources.contains(&format!("struct {name}"))
            || sources.contains(&format!("pub {name}: "))
    };
    let heuristics = documented_heuristics();
    assert!(heuristics.len() > 40);
    for row in heuristics {
        assert!(row.len() >= 4 && row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        for name in row[1].split('`').skip(1).step_by(2) {
            assert!(exists(name), "{row:?}");
        }
    }
}

#[test]
fn the_result_is_the_last_event() {
    let mut engine = Engine::new().expect("an engine");
    let search = engine.start(&Game::default(), Limits::depth(5));
    let events: Vec<Event> = search.events().collect();
    assert!(matches!(events.last(), Some(Event::Finished(_))));
    let ends = events.iter().filter(|event| matches!(event, Event::Finished(_))).count();
    assert_eq!(ends, 1);
}

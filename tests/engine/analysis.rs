//! Analysis: planted blunders are judged as blunders, mistakes are explained by their refutations.

use crate::support::{Random, board, random_move};
use saavedra::analysis::{
    Analyser, AnalysisResult, AnalysisTask, Budget, Explanation, Judgement, Question, Review,
    Scale, explain, game_positions, review,
};
use saavedra::chess::{Board, Game, GameStatus, KeyHistory, Move};
use saavedra::engine::{Limits, Searcher, StopFlag};
use saavedra::eval::Evaluation;
use saavedra::formats::Tree;
use saavedra::search::score::{Score, mate_in, mated_in};
use saavedra::search::{PvLine, SearchRequest};
use std::time::Duration;

/// A weak player that searches few nodes.
struct Player(Searcher);

impl Player {
    fn new() -> Player {
        Player(Searcher::new(8, &Evaluation::embedded()).expect("memory"))
    }

    /// The best move and its score.
    fn best(&mut self, board: &Board, nodes: u64) -> Option<(Move, i32)> {
        let outcome = self.0.search(&SearchRequest::new(*board, Limits::nodes(nodes)));
        Some((outcome.best?, outcome.line()?.score.value()))
    }
}

/// A quiet position after a few random moves.
fn opening(player: &mut Player, random: &mut Random) -> Board {
    loop {
        let moves = 6 + random.below(4);
        let mut board = Board::startpos();
        for _ in 0..moves {
            let Some(m) = random_move(&board, random) else {
                break;
            };
            board = board.make(m);
        }
        let balanced = player.best(&board, 5000).is_some_and(|(_, score)| score.abs() < 60);
        if balanced && board.status() == GameStatus::Ongoing {
            return board;
        }
    }
}

/// A game in which one move of each side loses at least a piece, and the plies of these moves.
fn game_with_blunders(player: &mut Player, random: &mut Random) -> (Tree, Vec<usize>) {
    let mut game = Game::new(opening(player, random));
    let mut planted = Vec::new();
    let mut next = 6 + random.below(8);
    while game.moves().len() < 60 && game.status() == GameStatus::Ongoing {
        let board = *game.board();
        let Some((mut m, score)) = player.best(&board, 4000) else {
            break;
        };
        let ply = game.moves().len();
        if planted.len() < 2 && ply >= next && score.abs() < 150 {
            let moves = board.legal_moves();
            let loses = |player: &mut Player, m: Move| {
                player.best(&board.make(m), 8000).is_some_and(|(_, score)| score > 350)
            };
            for _ in 0..moves.len() {
                let candidate = *random.pick(&moves);
                if loses(player, candidate) {
                    m = candidate;
                    planted.push(ply);
                    next = ply + 7;
                    break;
                }
            }
        }
        game.push(m);
    }
    (Tree::from_game(&game), planted)
}

/// The review of a game with this number of nodes per position.
fn judge(tree: &Tree, nodes: u64) -> Review {
    let analyser = Analyser {
        threads: 2,
        hash: 16,
        multipv: 1,
        budget: Budget::Nodes(nodes),
        evaluation: Evaluation::embedded(),
        tablebases: None,
        stop: Default::default(),
    };
    let questions = game_positions(tree);
    let total = questions.len() as u64;
    let mut answers = Vec::new();
    analyser
        .analyse(&mut questions.into_iter(), total, &mut |answer, _| answers.push(answer))
        .expect("answers");
    answers.sort_by_key(|answer| answer.tag);
    review(tree, &answers, Scale::default(), &Evaluation::embedded())
}

/// Reviews games with planted blunders: at least 90 % of them must be judged mistakes or blunders,
/// at most 5 % of the other moves be marked.
fn check_blunders(games: usize, nodes: u64) {
    let (mut player, mut random) = (Player::new(), Random::new(6));
    let (mut planted, mut found, mut others, mut wrong) = (0, 0, 0, 0);
    for _ in 0..games {
        let (tree, plies) = game_with_blunders(&mut player, &mut random);
        let review = judge(&tree, nodes);
        for (ply, judged) in review.moves.iter().enumerate() {
            let marked = judged.judgement >= Judgement::Inaccuracy;
            if plies.contains(&ply) {
                planted += 1;
                found += usize::from(judged.judgement >= Judgement::Mistake);
            } else {
                others += 1;
                wrong += usize::from(marked);
            }
        }
    }
    println!("{found} of {planted} blunders marked, {wrong} of {others} other moves");
    assert!(planted >= games, "{planted} blunders in {games} games");
    assert!(found * 10 >= planted * 9, "{found} of {planted} marked");
    assert!(wrong * 20 <= others, "{wrong} of {others} other moves marked");
}

#[test]
fn planted_blunders_are_marked_and_other_moves_are_not() {
    check_blunders(6, 20_000);
}

#[test]
#[ignore = "the full size: a minute"]
fn planted_blunders_of_twenty_games_are_marked() {
    check_blunders(20, 50_000);
}

fn explained(board: &Board, asked: Move, nodes: u64) -> Explanation {
    let analyser = Analyser {
        threads: 1,
        hash: 8,
        multipv: 1,
        budget: Budget::Nodes(nodes),
        evaluation: Evaluation::embedded(),
        tablebases: None,
        stop: Default::default(),
    };
    explain(&Question::new(*board, [asked]), &analyser).expect("an explanation")
}

/// Position, losing move, refutation, effect of the refutation.
const TRAPS: [[&str; 4]; 10] = [
    // Scholar's mate, fool's mate, back-rank mate, smothered mate.
    [
        "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3",
        "g8f6",
        "h5f7",
        "mate in 1",
    ],
    ["rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2", "g2g4", "d8h4", "mate in 1"],
    ["3r2k1/p4ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "a1a7", "d8d1", "mate in 1"],
    ["r1bqkbnr/pp1npppp/2p5/8/3PN3/8/PPP1QPPP/R1B1KBNR b KQkq - 2 5", "g8f6", "e4d6", "mate in 1"],
    ["rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2", "e8e7", "h5e5", "mate in 1"],
    [
        "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2",
        "g7g6",
        "h5e5",
        "wins a rook",
    ],
    // Légal's mate: the queen is taken, and two minor pieces mate.
    [
        "rn1qkbnr/ppp2p1p/3p2p1/4N3/2B1P1b1/2N5/PPPP1PPP/R1BQK2R b KQkq - 0 5",
        "g4d1",
        "c4f7",
        "mate in 2",
    ],
    // The elephant trap: a false pin.
    [
        "r1bqkb1r/pppn1ppp/5n2/3p2B1/3P4/2N5/PP2PPPP/R2QKBNR w KQkq - 0 6",
        "c3d5",
        "f6d5",
        "wins a knight",
    ],
    [
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 2 3",
        "f3f7",
        "e8f7",
        "wins the queen",
    ],
    ["4k3/8/8/3q4/8/2N5/8/4K3 b - - 0 1", "d5e4", "c3e4", "wins the queen"],
];

#[test]
fn traps_are_explained_by_their_refutations() {
    for [fen, asked, refutation, effect] in TRAPS {
        let position = board(fen);
        let asked = position.parse_uci(asked).expect("legal");
        let asked = explained(&position, asked, 60_000).asked.expect("an answer");
        let child = position.make(asked.m);
        let first = asked.refutation.first().map(|m| child.uci(*m, false));
        assert_eq!(first.as_deref(), Some(refutation), "{fen}");
        assert!(asked.effect.starts_with(effect), "{fen}: {asked:?}");
    }
}

/// Moves that allow a mate in one or hang a piece.
fn planted_mistakes(count: usize) -> Vec<(Board, Move)> {
    let (mut player, mut random) = (Player::new(), Random::new(7));
    let mut found = Vec::new();
    while found.len() < count {
        let mut position = opening(&mut player, &mut random);
        let plies = random.below(30);
        for _ in 0..plies {
            let Some((m, _)) = player.best(&position, 500) else {
                break;
            };
            position = position.make(m);
        }
        let mistakes: Vec<Move> = position
            .legal_moves()
            .into_iter()
            .filter(|m| !refutations(&position.make(*m)).is_empty())
            .collect();
        if !mistakes.is_empty() && !position.in_check() && is_calm(&position) {
            found.push((position, *random.pick(&mistakes)));
        }
    }
    found
}

/// The mates in one; if there are none, the captures that win a piece.
fn refutations(board: &Board) -> Vec<Move> {
    let moves = board.legal_moves();
    let mating: Vec<Move> = moves.iter().copied().filter(|m| mates(board, *m)).collect();
    if mating.is_empty() { winning_captures(board, 300) } else { mating }
}

fn mates(board: &Board, m: Move) -> bool {
    board.make(m).status() == GameStatus::Checkmate
}

/// The captures whose static exchange evaluation is at least `gain`.
fn winning_captures(board: &Board, gain: i32) -> Vec<Move> {
    let wins = |m: &Move| {
        !m.is_castling() && board.them().occupied().has(m.to()) && board.see_ge(*m, gain)
    };
    board.legal_moves().iter().copied().filter(wins).collect()
}

/// Whether there is no mate in one and no winning capture after a null move.
fn is_calm(board: &Board) -> bool {
    let passed = board.make_null();
    let mates = |m: &Move| mates(&passed, *m);
    winning_captures(&passed, 80).is_empty() && !passed.legal_moves().iter().any(mates)
}

#[test]
fn planted_mistakes_are_refuted_by_the_mate_or_capture() {
    let mistakes = planted_mistakes(50);
    let mut named = 0;
    for (position, m) in &mistakes {
        let asked = explained(position, *m, 10_000).asked.expect("an answer");
        let expected = refutations(&position.make(*m));
        match asked.refutation.first() {
            Some(first) if expected.contains(first) => named += 1,
            other => println!("{} {m:?}: {other:?}", position.to_fen()),
        }
    }
    assert!(named >= 45, "{named} of {}", mistakes.len());
}

#[test]
fn proven_mates_are_backed_up_the_game() {
    // A queen sacrifice for a mate in two that the search of the first position missed.
    let mut position = board("4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16");
    let mut game = Game::new(position);
    let mut answers = Vec::new();
    let mut answer = |board: Board, score: i32, best: Option<Move>| {
        let score = Score::from(score);
        let line = |m| PvLine::new(score, 1, vec![m]);
        answers.push(AnalysisResult {
            tag: answers.len(),
            board,
            score,
            lines: best.into_iter().map(line).collect(),
            nodes: 1,
            time: Duration::ZERO,
            best_moves: Vec::new(),
        });
    };
    for (text, score, seen) in
        [("b3b8", 35, false), ("d7b8", -20, true), ("d1d8", mate_in(1), true)]
    {
        let m = position.parse_uci(text).expect("legal");
        let best = if seen { m } else { position.legal_moves()[0] };
        answer(position, score, Some(best));
        game.push(m);
        position = *game.board();
    }
    answer(position, mated_in(0), None);
    let review = review(&Tree::from_game(&game), &answers, Scale::default(), &Evaluation::Material);
    let evals: Vec<String> = review.positions.iter().map(|s| s.eval().to_string()).collect();
    assert_eq!(evals, ["#2", "#1", "#1", "#"]);
    assert_eq!(review.positions[0].pv, game.moves());
    assert!(review.moves.iter().all(|m| m.judgement == Judgement::Best));
}

#[test]
fn a_stopped_analysis_ends() {
    let analyser = Analyser {
        threads: 2,
        hash: 1,
        multipv: 1,
        budget: Budget::MoveTime(Duration::from_secs(1 << 30)),
        evaluation: Evaluation::embedded(),
        tablebases: None,
        stop: StopFlag::default(),
    };
    let tasks = || {
        let previous_keys = KeyHistory::default();
        (0..30).map(move |tag| AnalysisTask {
            tag,
            board: Board::startpos(),
            previous_keys: previous_keys.clone(),
        })
    };
    let stop = analyser.stop.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        stop.set();
    });
    let mut groups = tasks().map(|task| vec![task.clone(), task]);
    let ended = analyser.analyse_groups(&mut groups, 60, &mut |_, _| ());
    assert_eq!(ended.expect_err("it is stopped").kind(), std::io::ErrorKind::Interrupted);
    // What begins later ends too.
    analyser.analyse(&mut tasks(), 30, &mut |_, _| ()).expect_err("it is stopped");
}

#[test]
fn a_single_analysis_equals_one_of_many() {
    let analyser = |evaluation| Analyser {
        threads: 1,
        hash: 1,
        multipv: 1,
        budget: Budget::Depth(5),
        evaluation,
        tablebases: None,
        stop: Default::default(),
    };
    let board = Board::from_fen("8/8/8/3k4/8/8/8/KQ6 w - - 10 40").expect("a sound position");
    let ask = |evaluation: &Evaluation, history: &[u64]| {
        let analyser = analyser(evaluation.clone());
        let question =
            AnalysisTask { tag: (), board, previous_keys: history.iter().copied().collect() };
        let mut among_many = None;
        let one = &mut std::iter::once(question.clone());
        let answered = &mut |answer, _| among_many = Some(answer);
        analyser.analyse(one, 1, answered).expect("an answer");
        let many = among_many.expect("an answer");
        let one = analyser.analyse_one(question).expect("an answer");
        assert_eq!((one.score, &one.lines), (many.score, &many.lines));
        one
    };
    let counted = ask(&Evaluation::Material, &[]);
    let placed = ask(&Evaluation::PieceSquare, &[]);
    assert_ne!(counted.score, placed.score);
    // The best move would repeat the position for the third time.
    let best = placed.best().expect("a move");
    let key = board.make(best).key();
    let again = ask(&Evaluation::PieceSquare, &[key, 0, key, 0, 0]);
    assert_ne!(again.best(), Some(best));
}

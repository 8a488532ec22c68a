//! Explanations tell the truth: even trades are no gains, claims hold by the rules of chess alone.

pub(crate) mod twin;

use crate::endgames::bundled_tablebases;
use crate::support::{Random, board, random_move};
use saavedra::analysis::motif::{MotifName, motifs};
use saavedra::analysis::{Analyser, Budget, Explanation, Question, explain, line_text};
use saavedra::chess::{Board, Color, Game, GameStatus, Move, PieceKind, SEE_VALUES};
use saavedra::engine::{Limits, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::score::Score;
use saavedra::search::{SearchRequest, Tablebases};

fn explained(board: &Board, moves: &[Move], nodes: u64) -> Explanation {
    explained_with(board, moves, nodes, None)
}

fn explained_with(
    board: &Board,
    moves: &[Move],
    nodes: u64,
    tablebases: Option<Tablebases>,
) -> Explanation {
    let analyser = Analyser {
        threads: 1,
        hash: 1,
        multipv: 1,
        budget: Budget::Nodes(nodes),
        evaluation: Evaluation::embedded(),
        tablebases,
        stop: Default::default(),
    };
    explain(&Question::new(*board, moves.iter().copied()), &analyser).expect("an explanation")
}

/// Games of the engine against itself with few nodes, after random openings.
fn games(count: usize, seed: u64) -> Vec<Game> {
    const OPENING: usize = 6;
    const NODES: u64 = 1_500;
    let mut searcher = Searcher::new(1, &Evaluation::embedded()).expect("a searcher");
    let mut random = Random::new(seed);
    let game = |_| {
        let mut game = Game::new(Board::startpos());
        searcher.clear();
        while game.status() == GameStatus::Ongoing && game.moves().len() < 120 {
            let request = SearchRequest::new(*game.board(), Limits::nodes(NODES));
            let m = match game.moves().len() {
                0..OPENING => random_move(game.board(), &mut random),
                _ => searcher.search(&request).best,
            };
            let Some(m) = m else { break };
            game.push(m);
        }
        game
    };
    (0..count).map(game).collect()
}

fn value(kind: PieceKind) -> i32 {
    SEE_VALUES[kind.index()]
}

/// The captures of games that are recaptured, where both sides lose the same value, and static
/// exchange evaluation is even.
fn even_trades(games: &[Game]) -> Vec<(Board, Move)> {
    let mut trades = Vec::new();
    for game in games {
        for (ply, pair) in game.moves().windows(2).enumerate() {
            let (board, [m, next]) = (&game.boards()[ply], [pair[0], pair[1]]);
            let taken = board.them().piece_at(m.to()).filter(|_| !m.is_castling());
            let is_even = taken.is_some_and(|kind| value(kind) == value(m.piece()))
                && !m.is_promotion()
                && next.to() == m.to()
                && board.see_ge(m, 0)
                && !board.see_ge(m, 1);
            if is_even {
                trades.push((*board, m));
            }
        }
    }
    trades
}

#[test]
fn even_trades_are_no_gains() {
    let (mut even, mut wrong) = (0, 0);
    for (board, m) in &even_trades(&games(105, 1)) {
        let told = explained(board, &[*m], 3_000);
        // Where the other side need not recapture, the exchange goes on, or the score changes by a
        // piece, it is no trade.
        let change = told.score.value() - told.static_eval.value();
        let line = told.asked.as_ref().map_or(&[][..], |asked| &asked.refutation);
        let exchange = line.iter().take_while(|reply| reply.to() == m.to()).count();
        if exchange != 1 || change.abs() >= 450 {
            continue;
        }
        even += 1;
        let gain = told.material.as_ref().map_or(0, |material| material.value());
        let asked = told.asked.as_ref().expect("an answer");
        let effect = &asked.effect;
        let is_gain = ["wins ", "loses ", "gives up "].iter().any(|word| effect.starts_with(word));
        if gain != 0 || is_gain {
            wrong += 1;
            let line: Vec<Move> = std::iter::once(*m).chain(asked.refutation.clone()).collect();
            println!("{} {} {effect}", board.to_fen(), line_text(board, &line));
        }
    }
    assert!(even >= 500, "{even} even trades");
    assert_eq!(wrong, 0, "of {even}");
}

/// Claims of explanations, checked one by one.
#[derive(Default)]
struct Claims {
    count: usize,
    wrong: usize,
}

impl Claims {
    fn check(&mut self, is_true: bool, board: &Board, what: &str) {
        self.count += 1;
        if !is_true {
            self.wrong += 1;
            println!("{} {what}", board.to_fen());
        }
    }

    fn of_explanation(&mut self, told: &Explanation) {
        let (board, score) = match &told.asked {
            Some(asked) => (&told.board, asked.score),
            None => (&told.board, told.score),
        };
        let line: Vec<Move> = match &told.asked {
            Some(asked) => std::iter::once(asked.m).chain(asked.refutation.clone()).collect(),
            None => told.line.clone(),
        };
        if let Some(material) = &told.material {
            let end = &twin::boards(board, &line)[material.plies];
            let side = board.turn();
            let gain = twin::material(end, side) - twin::material(board, side);
            self.check(gain == material.value(), board, &format!("{material:?}"));
        }
        for motif in &told.motifs {
            let mates =
                score.mate().is_some_and(|moves| (moves > 0) == (motif.side == board.turn()));
            let is_true = twin::is_seen(motif, board, &line, mates);
            self.check(is_true, board, &format!("{motif:?} {}", line_text(board, &line)));
        }
        for (start, score) in [
            (*board, Some(told.score)),
            (board.make(line[0]), told.asked.as_ref().map(|asked| asked.score.before_move())),
        ] {
            if let Some(moves @ 1..) = score.and_then(|score| score.mate()) {
                let is_true = twin::is_mate_in(&start, moves as u32);
                self.check(is_true, &start, &format!("mate in {moves}"));
            }
        }
        for sentence in &told.text {
            if let Some(is_true) = twin::holds(sentence, told) {
                self.check(is_true, board, sentence);
            }
        }
    }
}

#[test]
fn claims_hold_by_the_rules_alone() {
    const STEP: usize = 5;
    const NODES: u64 = 2_000;
    let mut claims = Claims::default();
    let mut random = Random::new(3);
    let games = games(40, 2);
    let boards = games.iter().flat_map(|game| game.boards().iter().step_by(STEP));
    for (index, board) in boards.filter(|at| at.status() == GameStatus::Ongoing).enumerate() {
        // Good moves, and bad ones with their refutations.
        let asked = random_move(board, &mut random).filter(|_| index % 2 == 1);
        claims.of_explanation(&explained(board, asked.as_slice(), NODES));
    }
    let Claims { count, wrong } = claims;
    println!("{wrong} of {count} claims are wrong");
    assert!(count >= 1_000 && wrong * 200 <= count, "{wrong} of {count} claims are wrong");
}

#[test]
fn the_twin_refuses_planted_sentences() {
    let board = board("r3k3/pp3ppp/8/3N4/8/8/PP3PPP/4K3 w - - 0 30");
    let told = explained(&board, &[], 3_000);
    let cases = [
        (
            "White wins a rook for a knight: 30. Nc7+ Kd7 31. Nxa8 Kc8 32. Kd2 Kb8 33. Ke3 Kxa8.",
            true,
        ),
        (
            "White wins back a rook for a knight: 30. Nc7+ Kd7 31. Nxa8 Kc8 32. Kd2 Kb8 33. Ke3 Kxa8.",
            true,
        ),
        ("White wins the queen: 30. Nc7+ Kd7 31. Nxa8 Kc8.", false),
        ("White wins a rook and two pawns: 30. Nc7+ Kd7 31. Nxa8 Kc8.", false),
        ("White wins a rook: 30. Nc7+ Kd8 31. Nxa7.", false),
        ("White mates in 2: 30. Nc7+ Kd7 31. Nxa8.", false),
        ("Black threatens to win a knight: 30... Rd8 31. Kd2 Rxd5+ 32. Kc3.", true),
        ("Black threatens to win a rook: 30... Rd8 31. Kd2 Rxd5+ 32. Kc3.", false),
    ];
    for (sentence, is_true) in cases {
        assert_eq!(twin::holds(sentence, &told), Some(is_true), "{sentence}");
    }
}

#[test]
fn planted_claims_are_refused() {
    // A line, its score, and what it does not do.
    let cases = [
        // The forked rook is defended by a move that takes the knight.
        ("r3k3/8/3b4/1N6/8/8/8/4K3 w - - 0 1", "Nc7+ Bxc7", -300, "fork"),
        // The queen leaves with check.
        ("4k3/3q4/8/8/8/8/4B3/5K2 w - - 0 1", "Bb5 Qxb5+", -900, "pin"),
        // No mate stands on the board, and the score is none.
        ("6k1/5pp1/7p/8/8/8/8/R3K3 w - - 0 1", "Ra8+ Kh7", 100, "back-rank-mate"),
        // The piece has a defender.
        ("4k3/8/4p3/3n4/8/4N3/8/4K3 w - - 0 1", "Nxd5 exd5", 0, "hanging-piece"),
        // The promoted piece is lost at once.
        ("1r5k/P7/8/8/8/8/8/K7 w - - 0 1", "a8=Q Rxa8+", -500, "promotion"),
    ];
    for (fen, line, score, token) in cases {
        let board = board(fen);
        let mut at = board;
        let read = |san: &str| {
            let m = at.parse_san(san).expect("a legal move");
            at = at.make(m);
            m
        };
        let line: Vec<Move> = line.split(' ').map(read).collect();
        let found = motifs(&board, &line, Score::from(score));
        assert!(found.iter().all(|motif| motif.name.token() != token), "{fen}: {found:?}");
    }
}

#[test]
fn sentences_are_what_a_coach_would_say() {
    let rows = include_str!("../data/explained_sentences.txt").lines();
    let mut wrong = Vec::new();
    for row in rows.filter(|row| !row.is_empty() && !row.starts_with('#')) {
        let [fen, moves, wanted, unwanted] = row.split("; ").collect::<Vec<_>>()[..] else {
            panic!("four columns: {row}");
        };
        let board = board(fen);
        let moves: Vec<Move> =
            moves.split_whitespace().map(|san| board.parse_san(san).expect("legal")).collect();
        let text = explained(&board, &moves, 10_000).text.join("|");
        if !text.contains(wanted) || unwanted != "-" && text.contains(unwanted) {
            wrong.push(format!("{row}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_fortress_is_told_where_tablebases_prove_it() {
    // A position, a move, and what is said of the fortress after it; nothing if empty.
    let cases = [
        (
            "7K/7B/8/8/8/8/8/r2k4 b - - 0 1",
            "Kc1",
            "White holds a fortress: it is a draw although Black has a rook for a bishop.",
        ),
        (
            "4K3/7b/8/8/3R4/8/k7/8 w - - 0 1",
            "Rd1",
            "Black holds a fortress: it is a draw although White has a rook for a bishop.",
        ),
        (
            "K6k/8/8/8/8/7P/7P/8 w - - 0 1",
            "Kb8",
            "Black holds a fortress: it is a draw although White is two pawns ahead.",
        ),
        // A draw, but in the wrong corner; and a move that loses the bishop.
        ("7k/8/8/4b3/8/8/8/1R2K3 w - - 0 1", "Kd2", ""),
        ("8/8/8/8/3B4/5k2/r7/7K w - - 0 1", "Bb2", ""),
    ];
    for (fen, m, sentence) in cases {
        let board = board(fen);
        let m = (!m.is_empty()).then(|| board.parse_san(m).expect("a legal move"));
        let told = explained_with(&board, m.as_slice(), 1_000, Some(bundled_tablebases()));
        let said: Vec<&String> =
            told.text.iter().filter(|line| line.contains("fortress")).collect();
        let expected: Vec<&str> = [sentence].into_iter().filter(|line| !line.is_empty()).collect();
        assert_eq!(said, expected, "{fen} {:?}", told.text);
        let is_named = told.motifs.iter().any(|motif| motif.name == MotifName::Fortress);
        assert_eq!(is_named, !sentence.is_empty(), "{fen}");
        let without = explained(&board, m.as_slice(), 1_000);
        assert!(without.motifs.iter().all(|motif| motif.name != MotifName::Fortress), "{fen}");
    }
}

#[test]
fn lasting_features_that_are_plain_to_see_are_left_out() {
    // A position, and the lasting features of White and Black in words.
    let cases = [
        // Pawn endings and sides without pawns: a passed pawn is plain to see.
        ("7K/8/k1P5/7p/8/8/8/8 w - - 0 1", "", ""),
        ("8/8/8/8/1KP1k3/8/3Q4/8 w - - 5 77", "", ""),
        // A passed pawn of an endgame is not called isolated too.
        ("8/5p2/8/6k1/7p/3R1Pr1/P1K5/8 w - - 0 42", "passed pawn on a2", "passed pawn on h4"),
        ("8/5p2/5k2/3R4/r5p1/6P1/7K/8 w - - 1 54", "", ""),
        // A pawn that is about to be taken is no weakness that lasts.
        ("rnbqkbnr/pp2pppp/2p5/8/3Pp3/2N5/PPP2PPP/R1BQKBNR w KQkq - 0 4", "", ""),
        // Outposts are safe from pawns that there are. The rook on the open file is worth less than
        // the other one.
        ("8/3k4/1p1p4/p3r1p1/1pK4b/8/8/R7 w - - 5 45", "", "doubled b-pawns"),
        // Several of a kind are named together, and a file of two rooks once.
        (
            "3k4/4R3/8/5PB1/p1p5/P1P3P1/1P5P/2K1R3 w - - 0 1",
            "passed pawns on h2, g3 and f5, open e-file",
            "",
        ),
        // A passed pawn is not called isolated too, with queens either.
        (
            "5r1k/pp4pp/2p5/2b1P3/4Pq2/1PB1p3/P3Q1PP/3N2K1 b - - 0 1",
            "isolated pawns on e4 and e5, doubled e-pawns",
            "passed pawn on e3, open f-file",
        ),
        // Without the enemy queen a king in the open is not weak.
        ("6k1/pp6/2n5/7R/8/8/PP6/K4R2 b - - 0 1", "", ""),
    ];
    for (fen, white, black) in cases {
        let board = board(fen);
        let told = explained(&board, &[], 1_000);
        let found = [Color::White, Color::Black].map(|side| told.lasting_text(side));
        assert_eq!(found, [white, black], "{fen}");
    }
}

/// The positions of the guide as Markdown, with what is said of them.
fn guide() -> String {
    const NODES: u64 = 100_000;
    let mut text = String::new();
    let rows = include_str!("../data/explained_positions.txt").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let [name, fen, moves] = row.splitn(3, ';').map(str::trim).collect::<Vec<_>>()[..] else {
            continue;
        };
        let board = board(fen);
        let moves: Vec<Move> =
            moves.split_whitespace().map(|san| board.parse_san(san).expect("legal")).collect();
        let told = explained(&board, &moves, NODES);
        text += &format!("### {name}\n\n`{fen}`\n\n> {}\n", told.text.join("\n> "));
        let sides = [(Color::White, "White"), (Color::Black, "Black")];
        let lasting = sides.map(|(side, name)| (name, told.lasting_text(side)));
        let lasting = lasting.into_iter().filter(|(_, features)| !features.is_empty());
        let lasting: Vec<String> =
            lasting.map(|(name, features)| format!("{name}: {features}.")).collect();
        if !lasting.is_empty() {
            text += &format!("\nLasting: {}\n", lasting.join(" "));
        }
        text.push('\n');
    }
    text
}

#[test]
fn the_guide_shows_what_is_said() {
    let new = guide();
    let place = concat!(env!("CARGO_MANIFEST_DIR"), "/target/explained.md");
    let old = include_str!("../../docs/EXPLAIN.md").split_once("## Positions\n\n");
    let is_same = old.is_some_and(|(_, old)| old.trim() == new.trim());
    if !is_same {
        std::fs::write(place, &new).expect("a file");
    }
    assert!(is_same, "the section Positions of docs/EXPLAIN.md should be {place}");
    for row in MotifName::ALL {
        assert!(include_str!("../../docs/EXPLAIN.md").contains(row.definition()), "{row:?}");
    }
}

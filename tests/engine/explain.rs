//! Explanations tell the truth: even trades are no gains, claims hold by the rules of chess alone.

use crate::support::{Random, board, random_move};
use saavedra::analysis::motif::{MotifName, motifs};
use saavedra::analysis::{Analyser, Budget, Explanation, Question, explain};
use saavedra::chess::{Board, Color, Game, GameStatus, Move, PieceKind, SEE_VALUES};
use saavedra::engine::{Limits, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::SearchRequest;
use saavedra::search::score::Score;

fn explained(board: &Board, moves: &[Move], nodes: u64) -> Explanation {
    let analyser = Analyser {
        threads: 1,
        hash: 1,
        multipv: 1,
        budget: Budget::Nodes(nodes),
        evaluation: Evaluation::embedded(),
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
        // Where the other side need not recapture, or the score changes by a piece, it is no trade.
        let change = told.score.value() - told.static_eval.value();
        let reply = told.asked.as_ref().and_then(|asked| asked.refutation.first().copied());
        if reply.is_none_or(|reply| reply.to() != m.to()) || change.abs() >= 450 {
            continue;
        }
        even += 1;
        let gain = told.material.as_ref().map_or(0, |material| material.value());
        let effect = &told.asked.as_ref().expect("an answer").effect;
        let is_gain = ["wins ", "loses ", "gives up "].iter().any(|word| effect.starts_with(word));
        if gain != 0 || is_gain {
            wrong += 1;
            println!("{} {m} {effect} {:?}", board.to_fen(), told.material);
        }
    }
    assert!(even >= 500, "{even} even trades");
    assert_eq!(wrong, 0, "of {even}");
}

/// The material of White less the material of Black, from the letters of a FEN.
fn counted(board: &Board) -> i32 {
    let fen = board.to_fen();
    let placement = fen.split(' ').next().unwrap_or_default().chars();
    let values = placement.map(|letter| {
        let value = match letter.to_ascii_lowercase() {
            'p' => 100,
            'n' | 'b' => 300,
            'r' => 500,
            'q' => 900,
            _ => 0,
        };
        if letter.is_ascii_uppercase() { value } else { -value }
    });
    values.sum()
}

/// Whether the side to move mates in this number of moves, whatever the other side plays: every
/// move is tried.
pub(crate) fn mates_in(board: &Board, moves: u32) -> bool {
    let is_mated = |board: &Board| board.in_check() && board.legal_moves().is_empty();
    moves > 0
        && board.children().any(|(_, after)| {
            let mut replies = after.children().peekable();
            is_mated(&after)
                || moves > 1
                    && replies.peek().is_some()
                    && replies.all(|(_, at)| mates_in(&at, moves - 1))
        })
}

#[test]
fn claims_hold_by_the_rules_alone() {
    let (mut claims, mut wrong) = (0, 0);
    let mut check = |is_true: bool, what: String| {
        claims += 1;
        if !is_true {
            wrong += 1;
            println!("{what}");
        }
    };
    let games = games(40, 2);
    for board in games.iter().flat_map(|game| game.boards().iter().step_by(5)) {
        if board.status() != GameStatus::Ongoing {
            continue;
        }
        let told = explained(board, &[], 3_000);
        let boards: Vec<Board> = std::iter::once(*board)
            .chain(told.line.iter().scan(*board, |at, m| {
                *at = at.make(*m);
                Some(*at)
            }))
            .collect();
        let sign = if board.turn() == Color::White { 1 } else { -1 };
        if let Some(material) = &told.material {
            let gain = sign * (counted(&boards[material.plies]) - counted(board));
            check(gain == material.value(), format!("{} {material:?}", board.to_fen()));
        }
        if let Some(moves) = told.score.mate().filter(|moves| (1..=2).contains(moves)) {
            check(mates_in(board, moves as u32), format!("{} mate in {moves}", board.to_fen()));
        }
        for motif in &told.motifs {
            let after = &boards[motif.ply + 1];
            let checkers = after.checkers().count();
            let is_true = match motif.name {
                MotifName::DoubleCheck => checkers == 2,
                MotifName::DiscoveredCheck => checkers >= 1,
                MotifName::Promotion => told.line[motif.ply].is_promotion(),
                MotifName::Mate => told.score.mate().is_some_and(|moves| moves > 0),
                // What is attacked is there, and is taken or mate follows.
                MotifName::Fork | MotifName::TrappedPiece => motif.squares[1..]
                    .iter()
                    .all(|square| after.side(!motif.side).occupied().has(*square)),
                _ => continue,
            };
            check(is_true, format!("{} {motif:?}", board.to_fen()));
        }
    }
    assert!(claims >= 300 && wrong * 200 <= claims, "{wrong} of {claims} claims are wrong");
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

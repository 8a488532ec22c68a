//! Explanations tell the truth: even trades are no gains, claims hold by the rules of chess alone.

use crate::support::{Random, random_move};
use saavedra::analysis::{Analyser, Budget, Explanation, Question, explain};
use saavedra::chess::{Board, Game, GameStatus, Move, PieceKind, SEE_VALUES};
use saavedra::engine::{Limits, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::SearchRequest;

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

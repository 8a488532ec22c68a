//! The judgements and accuracies of `saavedra analyse` equal the results of the formulas that lichess has
//! published, computed here in the simplest way from the evaluations in the output.

use crate::support::{saavedra, stderr, stdout};
use serde_json::Value;

/// Six games of Kasparov and Deep Blue and six of beginners on lichess.
const GAMES: &str = include_str!("../data/judged_games.pgn");

/// An evaluation from White's view: centipawns, or moves to mate.
#[derive(Clone, Copy, Debug)]
enum Evaluation {
    Centipawns(f64),
    Mate(i64),
}

fn evaluation(value: &Value) -> Evaluation {
    match value["cp"].as_f64() {
        Some(centipawns) => Evaluation::Centipawns(centipawns),
        None => Evaluation::Mate(value["mate"].as_i64().expect("an evaluation")),
    }
}

fn chances(centipawns: f64) -> f64 {
    2.0 / (1.0 + f64::exp(-0.00368208 * centipawns)) - 1.0
}

/// The name of the error by `Advice.scala` of lichess, from the mover's view (`sign`).
fn error(before: Evaluation, after: Evaluation, sign: f64) -> Option<&'static str> {
    let mate = |n: i64| n as f64 * sign;
    match (before, after) {
        (Evaluation::Centipawns(before), Evaluation::Centipawns(after)) => {
            let loss = sign * (chances(before) - chances(after));
            if loss >= 0.3 {
                Some("blunder")
            } else if loss >= 0.2 {
                Some("mistake")
            } else if loss >= 0.1 {
                Some("inaccuracy")
            } else {
                None
            }
        }
        (Evaluation::Centipawns(before), Evaluation::Mate(n)) if mate(n) < 0.0 => {
            Some(clear(-sign * before))
        }
        (Evaluation::Mate(n), Evaluation::Centipawns(after)) if mate(n) > 0.0 => {
            Some(clear(sign * after))
        }
        (Evaluation::Mate(n), Evaluation::Mate(m)) if mate(n) > 0.0 && mate(m) < 0.0 => {
            Some("blunder")
        }
        _ => None,
    }
}

fn clear(centipawns: f64) -> &'static str {
    if centipawns > 999.0 {
        "inaccuracy"
    } else if centipawns > 700.0 {
        "mistake"
    } else {
        "blunder"
    }
}

/// White's chances in percent, with the cap of accuracies; `sign` belongs to the side that has
/// moved.
fn percent(evaluation: Evaluation, sign: f64) -> f64 {
    let centipawns = match evaluation {
        Evaluation::Centipawns(centipawns) => centipawns.clamp(-1000.0, 1000.0),
        Evaluation::Mate(0) => 1000.0 * sign,
        Evaluation::Mate(n) => 1000.0 * n.signum() as f64,
    };
    50.0 + 50.0 * chances(centipawns)
}

fn accuracy(before: f64, after: f64) -> f64 {
    if after >= before {
        return 100.0;
    }
    (103.1668 * f64::exp(-0.04354 * (before - after)) - 3.1669).clamp(0.0, 100.0)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The weight of the move with this index: the standard deviation of the chances around it.
fn weight(percents: &[f64], index: usize) -> f64 {
    let moves = percents.len() - 1;
    let width = (moves / 10).clamp(2, 8);
    // The first windows are the same, so that there are as many as moves.
    let start = (index + 2).saturating_sub(width);
    let window = &percents[start..(start + width).min(percents.len())];
    let middle = mean(window);
    let squares: Vec<f64> = window.iter().map(|p| (p - middle).powi(2)).collect();
    mean(&squares).sqrt().clamp(0.5, 12.0)
}

#[test]
fn judgements_and_accuracies_equal_the_published_formulas() {
    for nodes in ["300", "2000"] {
        let arguments = ["analyse", "-", "--nodes", nodes, "--hash", "4", "--format", "json"];
        let output = saavedra(&arguments, GAMES);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let text = stdout(&output);
        let mut errors = 0;
        assert_eq!(text.lines().count(), 12);
        for line in text.lines() {
            errors += check(&serde_json::from_str(line).expect("JSON"));
        }
        assert!(errors > 30, "{errors} errors in twelve games");
    }
}

/// Checks a game; the number of its errors.
fn check(game: &Value) -> usize {
    let mut errors = 0;
    let mut before = evaluation(&game["start"]["eval"]);
    let mut percents = vec![percent(before, 1.0)];
    let moves = game["moves"].as_array().expect("moves");
    let mut accuracies = Vec::new();
    for (index, m) in moves.iter().enumerate() {
        let sign = if index % 2 == 0 { 1.0 } else { -1.0 };
        let after = evaluation(&m["eval"]);
        let expected = error(before, after, sign);
        let found = m["judgement"].as_str().expect("a judgement");
        match expected {
            Some(expected) => assert_eq!(found, expected, "{m}"),
            None => assert!(matches!(found, "best" | "good"), "{before:?} {m}"),
        }
        errors += usize::from(expected.is_some());
        percents.push(percent(after, sign));
        let own = |white: f64| if sign > 0.0 { white } else { 100.0 - white };
        let expected = accuracy(own(percents[index]), own(percents[index + 1]));
        let found = m["accuracy"].as_f64().expect("an accuracy");
        assert!((expected - found).abs() < 0.051, "{expected}: {m}");
        accuracies.push(expected);
        before = after;
    }
    for (first, side) in ["white", "black"].into_iter().enumerate() {
        let own: Vec<usize> = (first..moves.len()).step_by(2).collect();
        let weights: Vec<f64> = own.iter().map(|index| weight(&percents, *index)).collect();
        let products = own.iter().zip(&weights).map(|(index, w)| accuracies[*index] * w);
        let weighted = products.sum::<f64>() / weights.iter().sum::<f64>();
        let inverses: Vec<f64> = own.iter().map(|i| 1.0 / accuracies[*i].max(1.0)).collect();
        let expected = (weighted + 1.0 / mean(&inverses)) / 2.0;
        let found = game[side]["accuracy"].as_f64().expect("an accuracy");
        assert!((expected - found).abs() < 0.051, "{side}: {expected} {found}");
    }
    errors
}

/// Repetition and the fifty-move rule end a game, whatever a search of its last position finds.
#[test]
fn games_that_end_by_a_rule_end_in_a_draw() {
    let repetition = "[FEN \"7k/8/8/8/8/8/3Q4/6K1 w - - 0 1\"]\n\n\
        1. Qd1 Kg7 2. Qd2 Kh8 3. Qd1 Kg7 4. Qd2 Kh8 1/2-1/2\n";
    let fifty_moves = "[FEN \"8/8/8/4k3/8/2r5/3QK3/8 w - - 98 80\"]\n\n1. Ke1 Kf6 1/2-1/2\n";
    let arguments = ["analyse", "-", "--nodes", "5000", "--format", "json"];
    // The move that gives the win away, and whether it is an error.
    for (pgn, ply, is_error) in [(repetition, 7, true), (fifty_moves, 2, false)] {
        let output = saavedra(&arguments, pgn);
        let game: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        let moves = game["moves"].as_array().expect("moves");
        let judgement = moves[ply - 1]["judgement"].as_str().expect("a judgement");
        let is_sound = matches!(judgement, "best" | "good");
        assert_eq!(is_sound, !is_error, "{judgement} {}", moves[ply - 1]);
        let last = &moves[moves.len() - 1];
        assert_eq!(last["eval"]["cp"], 0, "{last}");
        assert_eq!(last["wdl"], serde_json::json!([0, 1000, 0]), "{last}");
        assert!(matches!(last["judgement"].as_str(), Some("best" | "good")), "{last}");
    }
    // The same moves in a game that goes on are judged by what follows.
    let unfinished = repetition.replace(" 4. Qd2 Kh8", "");
    let output = saavedra(&arguments, unfinished);
    let game: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    let last = &game["moves"][5]["eval"];
    assert!(last["mate"].is_i64() || last["cp"].as_i64() > Some(900), "{last}");
}

//! Requests of JavaScript that search, with an engine that has no threads.

use crate::request::{Fields, Refusal, answer_json, parse_fields, requested_game};
use crate::{BestMoveResponse, InfoResponse};
use saavedra::analysis::{
    AnalysisResult, AnalysisTask, DEFAULT_EXPLANATION_NODES, DEFAULT_HASH, DEFAULT_PROOF_NODES,
    PUZZLE_HASH, PuzzleFinder, Question, explain_with, hash_for_groups, json,
};
use saavedra::engine::{Engine, Event, Limits, PvLine, SearchProgress, StopFlag};
use saavedra::formats::pgn::Reader;
use saavedra::search::SearchRequest;
use saavedra::uci::Settings;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;

/// An engine without threads that is asked with JSON, and its options. A search runs within the call that asks
/// for it.
///
/// ```
/// use saavedra::engine::{Engine, Platform};
/// use saavedra::eval::Evaluation;
/// use saavedra_api::engine::RequestEngine;
///
/// let platform = Platform { has_threads: false, ..Platform::default() };
/// let engine = Engine::with_platform(platform, 1, 16, Evaluation::embedded())?;
/// let mut engine = RequestEngine::new(engine);
/// let print = |message: &str| println!("{message}");
/// engine.execute("search", r#"{"fen":"startpos","depth":4}"#, || false, print);
/// # Ok::<(), saavedra::engine::EngineError>(())
/// ```
pub struct RequestEngine {
    engine: Engine,
    settings: Settings,
}

impl RequestEngine {
    /// An engine with default options.
    pub fn new(engine: Engine) -> RequestEngine {
        RequestEngine { engine, settings: Settings::default() }
    }

    /// Executes a request: `options` sets options, `newGame` forgets the game before, `explain` explains
    /// a position or a move, `puzzles` finds exercises, `search` searches a game's last position. `post` gets
    /// messages: `{"lines": …}` for each iteration, `{"puzzles": …}` for each game, and last the answer, in
    /// the form of [`request::answer`](crate::request::answer). `is_stopped` is called about every millisecond of a
    /// search.
    pub fn execute(
        &mut self,
        name: &str,
        fields: &str,
        is_stopped: impl FnMut() -> bool + Send + 'static,
        post: impl Fn(&str) + Clone + Send + Sync + 'static,
    ) {
        let begun = parse_fields(fields).and_then(|fields| {
            for (name, value) in &fields.options {
                let set = self.settings.set(&mut self.engine, name, value);
                set.map_err(|error| Refusal::new("options", &error))?;
            }
            match name {
                "options" => Ok(Some(Value::Null)),
                "newGame" => {
                    self.engine.new_game();
                    Ok(Some(Value::Null))
                }
                "explain" => self.explain(&fields).map(Some),
                "puzzles" => self.puzzles(&fields, Box::new(is_stopped), &post).map(Some),
                "search" => self.search(&fields, is_stopped, post.clone()),
                _ => Err(Refusal::unknown(name)),
            }
        });
        if let Some(answer) = begun.transpose() {
            post(&answer_json(answer).to_string());
        }
    }

    /// Explains a position, or a move of it if the request has one, as the web service does.
    fn explain(&self, fields: &Fields) -> Result<Value, Refusal> {
        let requested = requested_game(fields)?;
        let question = Question::in_game(&requested.game, fields.asked_move(&requested)?);
        let nodes = fields.limits().nodes.unwrap_or(DEFAULT_EXPLANATION_NODES);
        let failed = |error: &dyn std::fmt::Display| Refusal::new("request", error);
        let searcher = self.engine.searcher(hash_for_groups(DEFAULT_HASH, Some(nodes)));
        let mut searcher = searcher.map_err(|error| failed(&error))?;
        let explanation = explain_with(&question, self.engine.evaluation(), &mut |tasks| {
            searcher.clear();
            let search = |task: AnalysisTask<_>| {
                let request = SearchRequest {
                    previous_keys: task.previous_keys,
                    ..SearchRequest::new(task.board, Limits::nodes(nodes))
                };
                let found = searcher.search(&request);
                AnalysisResult::new(task.tag, task.board, found, Duration::ZERO)
            };
            Ok(tasks.into_iter().map(search).collect())
        });
        let explanation = explanation.map_err(|error| failed(&error))?;
        Ok(json::explanation(&explanation))
    }

    /// Finds the exercises of games, and posts them game by game; a position occurs once. Returns whether all games were
    /// searched. A stop leaves out the game that it interrupts, for its exercises may be incomplete.
    /// Not generic: so the module has the code once, compiled for size as this crate is.
    fn puzzles(
        &self,
        fields: &Fields,
        mut is_stopped: Box<dyn FnMut() -> bool + Send>,
        post: &dyn Fn(&str),
    ) -> Result<Value, Refusal> {
        let solver = fields.solver()?;
        let games = || Reader::new(fields.pgn.as_bytes());
        // Many games take hours: what cannot be read is refused before they are searched.
        if let Some(error) = games().find_map(Result::err) {
            return Err(Refusal::new("pgn", &error.located("pgn")));
        }
        let searcher = self.engine.searcher(PUZZLE_HASH);
        let searcher = searcher.map_err(|error| Refusal::new("request", &error))?;
        let nodes = fields.limits().nodes.unwrap_or(DEFAULT_PROOF_NODES);
        let stop = StopFlag::default();
        let flag = stop.clone();
        let mut finder = PuzzleFinder::new(searcher, self.engine.evaluation().clone(), nodes)
            .stopped_by(stop.clone())
            .polling(move || {
                if is_stopped() {
                    flag.set();
                }
            });
        let mut known = HashSet::new();
        for game in games().flatten() {
            let mut puzzles = finder.puzzles(&game, &solver);
            if stop.is_set() {
                return Ok(false.into());
            }
            puzzles.retain(|puzzle| known.insert(puzzle.board.key()));
            let puzzles: Vec<Value> = puzzles.iter().map(|p| json::puzzle(&game, p)).collect();
            post(&json!({ "puzzles": puzzles }).to_string());
        }
        Ok(true.into())
    }

    /// Searches, and posts the answer; returns it instead if the game is over.
    fn search(
        &mut self,
        fields: &Fields,
        mut is_stopped: impl FnMut() -> bool + Send + 'static,
        post: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Option<Value>, Refusal> {
        let requested = requested_game(fields)?;
        if !requested.game.board().has_legal_move() {
            return Ok(Some(json!(BestMoveResponse::game_over(&requested))));
        }
        let options = self.settings.search_options(fields.limits());
        let game = requested.game.clone();
        let control = self.engine.start_with(&game, options, move |event| {
            let lines = |lines: &[PvLine], progress: &SearchProgress| {
                let lines = InfoResponse::of_lines(&requested, lines, progress);
                post(&json!({ "lines": lines }).to_string());
            };
            let answer = match event {
                Event::Info(info) if info.is_exact() => return lines(&info.lines, &info.progress),
                Event::Info(_) | Event::CurrentMove { .. } => return,
                Event::Failed(error) => Err(Refusal::new("request", &error)),
                Event::Finished(result) => {
                    lines(&result.lines, &result.progress);
                    let time = result.progress.time;
                    Ok(json!(BestMoveResponse::new(&requested, &result, Duration::ZERO, time)))
                }
            };
            post(&answer_json(answer).to_string());
        });
        if let Some(task) = self.engine.take_pending() {
            task.run(move || {
                if is_stopped() {
                    control.stop();
                }
            });
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saavedra::engine::Platform;
    use saavedra::eval::Evaluation;
    use std::sync::mpsc::channel;

    fn engine() -> RequestEngine {
        let platform = Platform { has_threads: false, ..Platform::default() };
        let engine = Engine::with_platform(platform, 1, 1, Evaluation::PieceSquare);
        RequestEngine::new(engine.expect("an engine"))
    }

    /// The answer, and what is posted before it: lines or exercises.
    fn ask(engine: &mut RequestEngine, name: &str, fields: &Value) -> (Value, Vec<Value>) {
        ask_until(engine, name, fields, || false)
    }

    fn ask_until(
        engine: &mut RequestEngine,
        name: &str,
        fields: &Value,
        is_stopped: fn() -> bool,
    ) -> (Value, Vec<Value>) {
        let (sender, messages) = channel();
        let post = move |message: &str| sender.send(message.to_owned()).expect("a receiver");
        engine.execute(name, &fields.to_string(), is_stopped, post);
        let parse = |text: String| -> Value { serde_json::from_str(&text).expect("JSON") };
        let mut messages: Vec<Value> = messages.try_iter().map(parse).collect();
        let answer = messages.pop().expect("an answer");
        let news = |message: &Value| message.get("lines").unwrap_or(&message["puzzles"]).clone();
        (answer, messages.iter().map(news).collect())
    }

    #[test]
    fn a_search_reports_all_lines_and_last_those_of_its_answer() {
        let options = json!([["MultiPV", "3"]]);
        let fields =
            json!({ "fen": "startpos", "moves": ["e4", "c7c5"], "depth": 5, "options": options });
        let (answer, reports) = ask(&mut engine(), "search", &fields);
        assert!(reports.iter().all(|lines| lines.as_array().is_some_and(|l| l.len() == 3)));
        let last = reports.last().expect("a report");
        assert_eq!(last[0]["depth"], 5);
        assert_eq!(&answer["ok"]["lines"], last);
        assert_eq!(answer["ok"]["bestmove"], last[0]["pv"][0]);
        assert_eq!(answer["ok"]["san"], last[0]["pv_san"][0]);
    }

    #[test]
    fn a_search_without_limits_ends_when_it_is_stopped() {
        let fields = json!({ "fen": "startpos" });
        let (answer, _) = ask_until(&mut engine(), "search", &fields, || true);
        assert!(answer["ok"]["bestmove"].is_string(), "{answer}");
    }

    #[test]
    fn a_game_that_is_over_has_no_best_move() {
        let fields = json!({ "fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "moves": [] });
        let (answer, reports) = ask(&mut engine(), "search", &fields);
        assert_eq!(answer["ok"]["bestmove"], Value::Null);
        assert_eq!(answer["ok"]["status"], "stalemate");
        assert!(reports.is_empty());
    }

    #[test]
    fn a_move_is_explained() {
        let mate = json!({ "fen": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "move": "Ra8" });
        let (answer, _) = ask(&mut engine(), "explain", &mate);
        let text = answer["ok"]["text"].as_str().unwrap_or_default();
        assert!(text.contains("checkmate"), "{answer}");
        assert_eq!(answer["ok"]["asked"]["uci"], "a1a8");
    }

    /// Three games with a mate in one; the second has the position of the first.
    const GAMES: &str = r#"[White "Ann"]
[FEN "6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"]

1... Qa8 2. h3 *

[White "Eve"]
[FEN "6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"]

1... Qa8 2. Rxa8# 1-0

[Black "Bob"]
[FEN "r5k1/5ppp/8/8/8/8/Q4PPP/6K1 w - - 0 1"]

1. Qa1 h6 *
"#;

    #[test]
    fn exercises_are_posted_game_by_game() {
        let mates = |fields: Value| -> (Value, Vec<Vec<Value>>) {
            let (answer, games) = ask(&mut engine(), "puzzles", &fields);
            let is_mate = |puzzle: &&Value| puzzle["themes"][0] == "mate-in-1";
            let mates = |game: &Value| {
                game.as_array().into_iter().flatten().filter(is_mate).cloned().collect()
            };
            (answer, games.iter().map(mates).collect())
        };
        for (side, player, expected) in [
            (Value::Null, Value::Null, [1, 0, 1]),
            ("both".into(), "eve".into(), [0, 1, 0]),
            ("black".into(), Value::Null, [0, 0, 1]),
        ] {
            let fields = json!({ "pgn": GAMES, "nodes": 20_000, "side": side, "player": player });
            let (answer, games) = mates(fields);
            assert_eq!(answer["ok"], true, "{answer}");
            assert_eq!(games.iter().map(Vec::len).collect::<Vec<_>>(), expected, "{side} {player}");
        }
        let (_, games) = mates(json!({ "pgn": GAMES, "nodes": 20_000 }));
        assert_eq!(games[0][0]["solution"], json!(["a1a8"]));
        assert_eq!(games[0][0]["game"], json!({ "white": "Ann", "black": null, "ply": 1 }));
    }

    #[test]
    fn a_stop_leaves_out_the_game_that_it_interrupts() {
        let fields = json!({ "pgn": GAMES, "nodes": 10_000_000_000_u64 });
        let (answer, games) = ask_until(&mut engine(), "puzzles", &fields, || true);
        assert_eq!(answer["ok"], false, "{answer}");
        assert!(games.is_empty());
    }

    #[test]
    fn options_hold_for_the_next_searches() {
        let mut engine = engine();
        ask(&mut engine, "options", &json!({ "options": [["MultiPV", "2"]] }));
        let (answer, _) = ask(&mut engine, "newGame", &json!({}));
        assert_eq!(answer["ok"], Value::Null);
        let (answer, _) = ask(&mut engine, "search", &json!({ "fen": "startpos", "depth": 1 }));
        assert_eq!(answer["ok"]["lines"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn refusals_name_their_reason() {
        for (name, fields, expected) in [
            ("options", json!({ "options": [["Hash", "0"]] }), "Hash takes 1 to"),
            ("options", json!({ "options": [["None", "0"]] }), "there is no option"),
            ("search", json!({ "fen": "startpos", "moves": ["e5"] }), "illegal move"),
            (
                "search",
                json!({ "fen": "startpos", "options": [["MultiPV", "0"]] }),
                "MultiPV takes 1",
            ),
            ("explain", json!({ "fen": "startpos", "move": "e5" }), "illegal move"),
            (
                "puzzles",
                json!({ "pgn": "1. e4 *\n\n1. e4 Ke3 *" }),
                "pgn:3:7: game 2: illegal move",
            ),
            ("puzzles", json!({ "pgn": "1. e4 *", "side": "red" }), "white, black or both"),
            ("none", json!({}), "no request"),
        ] {
            let (answer, _) = ask(&mut engine(), name, &fields);
            let message = answer["error"]["message"].as_str().unwrap_or_default();
            assert!(message.contains(expected), "{name} {fields}: {answer}");
        }
    }
}

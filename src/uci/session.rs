//! The conversation with a GUI.
//!
//! One thread reads lines, one (this) answers them, the engine's own search. This one waits for
//! whichever speaks first and never for the search, so it answers at once at any moment. It alone
//! writes to stdout.

use super::command::{self, Command, Go};
use super::feed::{Feed, Line};
use super::format;
use super::input::{self, Input};
use super::log::Log;
use crate::chess::{Board, Color, Game};
use crate::engine::{
    self, Bound, ClockTime, Engine, Event, Info, Limits, PerftEvent, SearchControl, SearchError,
    SearchProgress, SearchResult,
};
use crate::eval;
use crate::search::score::normalised;
use crossbeam_channel::{Receiver, at, never, select, unbounded};
use log::{debug, warn};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Speaks UCI on stdin and stdout until `quit` or the end of input.
///
/// # Errors
/// If the engine cannot be made.
pub fn run() -> Result<(), engine::EngineError> {
    let engine = Engine::new()?;
    let lines = input::lines()?;
    let mut session = Session::new(engine, io::stdout());
    session.converse(&lines);
    Ok(())
}

/// An event of a search or of perft.
enum Output {
    Search(Event),
    Perft(PerftEvent),
}

/// A search that runs, or whose result waits for a word of the GUI.
struct Running {
    search: SearchControl,
    events: Receiver<Output>,
    /// The position that is searched.
    board: Board,
    /// No best move before `ponderhit` or `stop`.
    ponder: bool,
    /// No best move before `stop`.
    infinite: bool,
    /// The result, when it is there but must wait.
    held: Option<SearchResult>,
    perft: bool,
    feed: Feed,
    /// The line of play printed last, if nothing of the search has been printed since.
    last: Option<Info>,
}

impl Running {
    fn is_held_back(&self) -> bool {
        self.ponder || self.infinite
    }
}

/// A conversation: the engine, the game, and what is going on.
struct Session<W> {
    engine: Engine,
    game: Game,
    running: Option<Running>,
    /// Where the report of a running benchmark comes from.
    bench: Option<Receiver<String>>,
    /// Options set during a search; they come into force after it.
    pending: VecDeque<(String, String)>,
    output: W,
    log: Option<Log>,
    /// What the options were set to.
    set: Vec<(String, String)>,
    /// Whether nobody reads what we write any more.
    deaf: bool,
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Go,
    /// Read nothing until the search is through.
    Wait,
    Quit,
}

impl<W: Write> Session<W> {
    fn new(engine: Engine, output: W) -> Session<W> {
        Session {
            engine,
            game: Game::default(),
            running: None,
            bench: None,
            pending: VecDeque::new(),
            output,
            log: None,
            set: Vec::new(),
            deaf: false,
        }
    }

    /// Answers lines until `quit`, the end of input, or until nobody listens.
    fn converse(&mut self, lines: &Receiver<Input>) {
        let (silence, no_bench) = (never(), never());
        let (mut waiting, mut ended) = (false, false);
        while !self.deaf {
            waiting &= self.will_end_by_itself();
            if ended && !waiting && self.bench.is_none() {
                break;
            }
            let lines = if waiting || ended { &never() } else { lines };
            let running = self.running.as_ref().filter(|r| r.held.is_none());
            let events = running.map_or(&silence, |running| &running.events);
            let due = running.and_then(|running| running.feed.due());
            let timer = due.map_or_else(never, at);
            let bench = self.bench.as_ref().unwrap_or(&no_bench);
            select! {
                recv(lines) -> line => match line {
                    Ok(Input::Line(line)) => match self.hear(&line) {
                        Next::Go => {}
                        Next::Wait => waiting = true,
                        Next::Quit => break,
                    },
                    Ok(Input::TooLong) => self.refuse("a line too long; it is ignored"),
                    Err(_) => {
                        ended = true;
                        // As good as said, and so it is written down.
                        if let Some(log) = &mut self.log {
                            log.write('<', "quit");
                        }
                        self.stop();
                    }
                },
                recv(events) -> event => match event {
                    Ok(event) => self.relay(event),
                    Err(_) => self.fail(SearchError::Panicked),
                },
                recv(timer) -> _ => self.tell(),
                recv(bench) -> report => {
                    self.bench = None;
                    match report {
                        Ok(report) => self.say(&report),
                        Err(_) => self.refuse("the benchmark failed"),
                    }
                }
            }
        }
        self.end_search();
    }

    /// Whether something runs whose end need not be asked for.
    fn will_end_by_itself(&self) -> bool {
        self.running.as_ref().is_some_and(|r| !r.is_held_back()) || self.bench.is_some()
    }

    fn say(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            log.write('>', text);
        }
        let written = self.output.write_all(format!("{text}\n").as_bytes());
        self.deaf |= written.and_then(|()| self.output.flush()).is_err();
    }

    fn remark(&mut self, text: &str) {
        self.say(&format::remark(text));
    }

    /// Says that something is wrong with what was asked for, or with us.
    fn refuse(&mut self, why: &str) {
        warn!("{why}");
        self.remark(&format!("error: {why}"));
    }

    fn hear(&mut self, line: &str) -> Next {
        if let Some(log) = &mut self.log {
            log.write('<', line.trim_end());
        }
        self.answer(line)
    }

    fn answer(&mut self, line: &str) -> Next {
        match command::parse(line) {
            Command::Uci => self.say(format::identity().trim_end()),
            Command::IsReady => self.say("readyok"),
            Command::NewGame => {
                self.end_search();
                self.engine.new_game();
            }
            Command::SetOption { name, value } => {
                if self.running.is_some() {
                    self.pending.push_back((name, value));
                } else {
                    self.set_option(&name, &value);
                }
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Perft(depth) => {
                self.end_search();
                let board = *self.game.board();
                let (sender, events) = unbounded();
                let search = self.engine.start_perft(&board, depth, move |event| {
                    let _ = sender.send(Output::Perft(event));
                });
                self.running = Some(Running {
                    search,
                    events,
                    board,
                    ponder: false,
                    infinite: false,
                    held: None,
                    perft: true,
                    feed: Feed::new(true, Instant::now()),
                    last: None,
                });
            }
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Wait => return Next::Wait,
            Command::Quit => return Next::Quit,
            Command::Display => {
                let board = *self.game.board();
                self.say(&format!("{}\nFen: {}", diagram(&board), board.to_fen()));
            }
            Command::Eval => {
                let (board, evaluation) = (self.game.board(), self.engine.evaluation());
                let score = normalised(evaluation.of(board));
                let values = eval::piece_values(board, evaluation);
                let [white, black] =
                    Color::ALL.map(|color| eval::piece_values_text(&values, color));
                self.remark(&format!(
                    "evaluation {score} centipawns for the side to move"
                ));
                self.remark(&format!("pieces of White: {white}"));
                self.remark(&format!("pieces of Black: {black}"));
            }
            Command::Bench => self.start_bench(),
            Command::Nothing => {}
            Command::Unknown(line) => {
                warn!("unknown command: {line}");
                self.remark(&format!("unknown command: {line}"));
            }
        }
        Next::Go
    }

    /// Runs the benchmark beside the conversation, unless it runs already.
    fn start_bench(&mut self) {
        if self.bench.is_some() {
            return;
        }
        let (sender, report) = unbounded();
        let thread = std::thread::Builder::new().name("bench".to_owned());
        let started = thread.stack_size(engine::STACK_SIZE).spawn(move || {
            let report = engine::bench::text();
            let _ = sender.send(report.unwrap_or_else(|error| error.to_string()));
        });
        match started {
            Ok(_) => self.bench = Some(report),
            Err(error) => self.refuse(&format!("no thread for the benchmark: {error}")),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let result = self.engine.set_option(name, value);
        for remark in self.engine.take_messages() {
            self.remark(&remark);
        }
        match result {
            Err(error) => self.remark(&format!("error: {error}")),
            Ok(()) => {
                self.set.retain(|(set, _)| !set.eq_ignore_ascii_case(name));
                self.set.push((name.to_owned(), value.to_owned()));
            }
        }
        self.open_log();
    }

    /// Opens or closes the log as the options say. It begins with what was set before.
    fn open_log(&mut self) {
        let wanted = self.engine.settings().log_file();
        if wanted != self.log.as_ref().map(Log::path) {
            let opened = wanted.map(Log::open).transpose();
            self.log = opened.unwrap_or_else(|error| {
                self.refuse(&format!("no log: {error}"));
                None
            });
            if let Some(log) = &mut self.log {
                for (name, value) in self.set.iter().filter(|(_, value)| !value.is_empty()) {
                    log.write('<', &format!("setoption name {name} value {value}"));
                }
            }
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let start = match fen.map(Board::from_fen_with_repairs) {
            None => Board::startpos(),
            Some(Ok((board, repairs))) => {
                for repair in repairs {
                    self.remark(&repair.to_string());
                }
                board
            }
            Some(Err(error)) => {
                self.refuse(&format!("{error}; the position stays as it was"));
                return;
            }
        };
        self.game = Game::new(start);
        for m in moves {
            if let Err(error) = self.game.push_uci(m) {
                self.refuse(&format!("{error}; the moves before it stand"));
                return;
            }
        }
        debug!("position {}", self.game.board().to_fen());
    }

    fn go(&mut self, go: &Go) {
        self.end_search();
        let limits = self.limits(go);
        let (ponder, infinite) = (limits.ponder, limits.infinite);
        let board = *self.game.board();
        let (sender, events) = unbounded();
        let search = self.engine.start_with(&self.game, limits, move |event| {
            let _ = sender.send(Output::Search(event));
        });
        self.running = Some(Running {
            search,
            events,
            board,
            ponder,
            infinite,
            held: None,
            perft: false,
            feed: Feed::new(self.engine.settings().minimal, Instant::now()),
            last: None,
        });
    }

    fn limits(&mut self, go: &Go) -> Limits {
        let board = *self.game.board();
        let (own, other) = match board.turn() {
            Color::White => ((go.wtime, go.winc), (go.btime, go.binc)),
            Color::Black => ((go.btime, go.binc), (go.wtime, go.winc)),
        };
        // One clock alone is better than none.
        let clock = own.0.or(other.0).map(|remaining| ClockTime {
            remaining,
            increment: own.1.or(other.1).unwrap_or(Duration::ZERO),
            moves_to_go: go.movestogo,
        });
        let (mut search_moves, mut refused) = (Vec::new(), Vec::new());
        for text in &go.searchmoves {
            match board.parse_uci(text) {
                Ok(m) if search_moves.contains(&m) => {}
                Ok(m) => search_moves.push(m),
                Err(_) => refused.push(text.as_str()),
            }
        }
        if !refused.is_empty() {
            let refused = refused.join(" ");
            self.refuse(&format!("not legal here and not searched: {refused}"));
        }
        let bounded = clock.is_some()
            || go.depth.is_some()
            || go.nodes.is_some()
            || go.mate.is_some()
            || go.movetime.is_some();
        Limits {
            depth: go.depth,
            nodes: go.nodes,
            soft_nodes: None,
            mate: go.mate,
            move_time: go.movetime,
            clock,
            search_moves,
            ponder: go.ponder,
            infinite: go.infinite || !bounded,
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            (running.ponder, running.infinite) = (false, false);
            running.search.stop();
        }
        self.release();
    }

    fn ponder_hit(&mut self) {
        if let Some(running) = self.running.as_mut().filter(|running| running.ponder) {
            running.ponder = false;
            running.search.ponder_hit();
        }
        self.release();
    }

    /// Ends a search that runs, with its best move.
    fn end_search(&mut self) {
        self.stop();
        while let Some(running) = &self.running {
            match running.events.recv() {
                Ok(event) => self.relay(event),
                Err(_) => self.fail(SearchError::Panicked),
            }
        }
    }

    fn relay(&mut self, event: Output) {
        match event {
            Output::Search(event) => self.relay_search(event),
            Output::Perft(event) => self.relay_perft(event),
        }
    }

    fn relay_search(&mut self, event: Event) {
        let Some(running) = &mut self.running else {
            return;
        };
        match event {
            Event::Info(info) => {
                running.feed.note(info);
                self.tell();
            }
            Event::CurrentMove {
                depth,
                m,
                move_number,
            } => {
                running.feed.note_current_move(depth, m, move_number);
                self.tell();
            }
            Event::Finished(result) => self.finish(result),
            Event::Failed(error) => self.fail(error),
        }
    }

    fn relay_perft(&mut self, event: PerftEvent) {
        let Some(running) = &self.running else {
            return;
        };
        match event {
            PerftEvent::Move(m, nodes) => {
                let text = running.board.uci(m, self.engine.settings().chess960);
                self.say(&format!("{text}: {nodes}"));
            }
            PerftEvent::Finished { nodes, complete } => {
                if !complete {
                    self.remark("stopped: not all moves are counted");
                }
                self.say(&format!("\nNodes searched: {nodes}"));
                self.conclude();
            }
            PerftEvent::Failed(error) => self.fail(error),
        }
    }

    /// The search or perft ended without a result.
    fn fail(&mut self, error: SearchError) {
        let Some(running) = &self.running else {
            return;
        };
        let (board, perft) = (running.board, running.perft);
        self.refuse(&error.to_string());
        if perft {
            self.conclude();
        } else {
            self.finish(makeshift(&board));
        }
    }

    /// Prints what is to be told of the search now.
    fn tell(&mut self) {
        let Some(running) = &mut self.running else {
            return;
        };
        let progress = running.search.progress();
        for line in running.feed.take(Instant::now()) {
            self.print(&line, &progress);
        }
    }

    fn print(&mut self, line: &Line, progress: &SearchProgress) {
        let Some(running) = &mut self.running else {
            return;
        };
        let (board, chess960) = (running.board, self.engine.settings().chess960);
        running.last = None;
        let text = match line {
            Line::Info(info) => {
                running.last = Some(info.clone());
                format::info(&board, info, self.engine.settings())
            }
            Line::CurrentMove(depth, m, number) => {
                format::current_move(&board, *depth, *m, *number, chess960)
            }
            Line::Heartbeat => format::heartbeat(progress),
        };
        self.say(&text);
    }

    /// The search has ended: prints its last line, and the best move if it need not wait.
    fn finish(&mut self, outcome: SearchResult) {
        let remarks = self.engine.take_messages();
        for remark in &remarks {
            self.remark(remark);
        }
        let Some(running) = &mut self.running else {
            return;
        };
        if !remarks.is_empty() {
            // The search's own line is to be the last before the best move.
            running.last = None;
        }
        let progress = running.search.progress();
        for info in running.feed.finish() {
            self.print(&Line::Info(info), &progress);
        }
        self.print_final(&outcome);
        if let Some(running) = &mut self.running {
            running.held = Some(outcome);
        }
        self.release();
    }

    /// Prints the line that says how the search ended, unless it stands there already.
    fn print_final(&mut self, outcome: &SearchResult) {
        let Some(running) = &self.running else {
            return;
        };
        let board = running.board;
        let Some(info) = &outcome.info else {
            let line = format::game_over(&board, self.engine.settings());
            self.say(&line);
            return;
        };
        if !running.last.as_ref().is_some_and(|last| same(last, info)) {
            let progress = running.search.progress();
            self.print(&Line::Info(info.clone()), &progress);
        }
    }

    /// Prints the best move if it is there and need not wait.
    fn release(&mut self) {
        let Some(running) = &mut self.running else {
            return;
        };
        if running.is_held_back() {
            return;
        }
        let Some(outcome) = running.held.take() else {
            return;
        };
        let (board, chess960) = (running.board, self.engine.settings().chess960);
        self.say(&format::best_move(&board, &outcome, chess960));
        self.conclude();
    }

    /// The search is over: what was asked for meanwhile comes into force.
    fn conclude(&mut self) {
        self.running = None;
        while let Some((name, value)) = self.pending.pop_front() {
            self.set_option(&name, &value);
        }
    }
}

/// Whether two reports say the same of the same line of play. A bound is not yet a score.
fn same(one: &Info, other: &Info) -> bool {
    let said = |info: &Info| (info.depth, info.score, info.bound, info.multipv);
    said(one) == said(other) && one.pv == other.pv
}

/// What a search that failed is taken to have found: any legal move is better than none.
fn makeshift(board: &Board) -> SearchResult {
    let best = board.legal_moves().first().copied();
    let info = best.map(|m| Info {
        depth: 1,
        seldepth: 1,
        multipv: 1,
        pv_count: 1,
        score: eval::piece_square(board),
        bound: Bound::Exact,
        progress: SearchProgress::default(),
        pv: vec![m],
    });
    SearchResult {
        best,
        ponder: None,
        info,
    }
}

/// The board as letters, for people.
fn diagram(board: &Board) -> String {
    let ranks = board.piece_placement();
    let mut text = String::new();
    for (rank, row) in (1..=8).rev().zip(ranks.split('/')) {
        text.push_str(&format!("{rank} "));
        for c in row.chars() {
            match c.to_digit(10) {
                Some(empty) => text.push_str(&" .".repeat(empty as usize)),
                None => {
                    text.push(' ');
                    text.push(c);
                }
            }
        }
        text.push('\n');
    }
    text + "   a b c d e f g h"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_not_taken_for_the_score_that_ends_a_search() {
        let score = makeshift(&Board::startpos()).info.expect("there are moves");
        let bound = Info {
            bound: Bound::Upper,
            ..score.clone()
        };
        assert!(same(&score, &score));
        assert!(!same(&bound, &score));
    }
}

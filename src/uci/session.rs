//! The UCI session: executes commands, and prints what the engine reports.
//!
//! One thread reads lines, this one executes commands, and the engine searches in its own threads.
//! This thread waits for commands and for events of the engine at the same time, so that it
//! executes each command at once, also during a search. Only this thread writes to standard output.

use super::Settings;
use super::active_search::{ActiveSearch, TaskEvent, fallback_result};
use super::command::{self, Command, Go};
use super::format;
use super::info_throttle::InfoThrottle;
use super::input::{self, Input};
use super::line_session::Signal;
use super::log::Log;
use crate::chess::{Board, Color, Game};
use crate::engine::{
    self, ClockTime, Engine, EngineError, Event, Limits, PendingTask, PerftEvent, SearchError,
    SearchResult,
};
use crate::eval;
use crate::eval::wdl::normalised_cp;
use crossbeam_channel::{Receiver, after, never, select, unbounded};
use log::{debug, warn};
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Runs the UCI protocol on standard input and output until `quit` or the end of input. A person at
/// a terminal is greeted first.
///
/// # Errors
/// If the engine or the input thread cannot be started.
pub fn run() -> Result<(), EngineError> {
    let engine = Engine::new()?;
    let mut session = Session::new(engine, io::stdout());
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        session.print(&format::greeting());
    }
    session.run(&input::read_lines()?);
    Ok(())
}

/// The maximum number of options that are set during a search, and the maximum length in bytes of
/// the name and value of each.
const MAX_PENDING_OPTIONS: usize = 1000;
const MAX_PENDING_LENGTH: usize = 1 << 16;

/// The state of a session.
pub(super) struct Session<W> {
    engine: Engine,
    settings: Settings,
    game: Game,
    search: Option<ActiveSearch>,
    /// Receives the result of a running bench.
    bench: Option<Receiver<Result<String, EngineError>>>,
    /// Options set during a search. They are applied after it, in this order.
    pending_options: VecDeque<(String, String)>,
    output: W,
    /// Whether writing to the output has failed.
    output_closed: bool,
    log: Option<Log>,
    /// The options that were set and their values, for the beginning of a log.
    options_set: Vec<(String, String)>,
}

/// What the session does after a command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Goes on.
    Continue,
    /// The command was refused: it has changed nothing.
    Refused,
    /// Reads no further command until the search has ended.
    Wait,
    /// Ends.
    Quit,
}

impl<W: Write> Session<W> {
    pub(super) fn new(engine: Engine, output: W) -> Session<W> {
        Session {
            engine,
            settings: Settings::default(),
            game: Game::default(),
            search: None,
            bench: None,
            pending_options: VecDeque::new(),
            output,
            output_closed: false,
            log: None,
            options_set: Vec::new(),
        }
    }

    /// Executes commands until `quit`, the end of input, or the output is closed.
    fn run(&mut self, lines: &Receiver<Input>) {
        let (no_search, no_bench) = (never(), never());
        let (mut waiting, mut input_ended) = (false, false);
        let mut next_line: Option<String> = None;
        while !self.output_closed {
            if let Some(line) = next_line.take_if(|line| !self.must_finish_before(line)) {
                match self.execute(&line) {
                    Next::Continue | Next::Refused => {}
                    Next::Wait => waiting = true,
                    Next::Quit => break,
                }
                continue;
            }
            waiting &= self.will_end_without_stop();
            if input_ended && !waiting && self.bench.is_none() && !self.is_perft_running() {
                break;
            }
            let is_blocked = waiting || input_ended || next_line.is_some();
            let lines = if is_blocked { &never() } else { lines };
            let search = self.search.as_ref().filter(|s| s.result.is_none());
            let events = search.map_or(&no_search, |search| &search.events);
            let timer = search.and_then(ActiveSearch::time_until_due).map_or_else(never, after);
            let bench = self.bench.as_ref().unwrap_or(&no_bench);
            select! {
                recv(lines) -> line => match line {
                    Ok(Input::Line(line)) => next_line = Some(line),
                    Ok(Input::TooLong) => self.print_error("line too long, ignored"),
                    Err(_) => {
                        input_ended = true;
                        if let Some(log) = &mut self.log {
                            log.write('<', "quit");
                        }
                        self.quit();
                    }
                },
                recv(events) -> event => match event {
                    Ok(event) => self.handle_event(event),
                    Err(_) => self.fail_search(SearchError::Panicked),
                },
                recv(timer) -> _ => self.print_due_lines(),
                recv(bench) -> result => {
                    self.bench = None;
                    match result {
                        Ok(result) => self.print_bench(result),
                        Err(_) => self.print_error("the bench failed"),
                    }
                }
            }
        }
        self.end_search();
    }

    /// Takes the task that the caller has to run, if the engine has no threads.
    pub(super) fn take_task(&mut self) -> Option<PendingTask> {
        self.engine.take_pending()
    }

    /// Applies the signal, and prints what the search has reported since the last call.
    pub(super) fn advance(&mut self, signal: Option<Signal>) {
        match signal {
            Some(Signal::Stop) => self.stop(),
            Some(Signal::PonderHit) => self.ponder_hit(),
            None => {}
        }
        while let Some(event) = self.search.as_ref().and_then(|s| s.events.try_recv().ok()) {
            self.handle_event(event);
        }
        self.print_due_lines();
    }

    fn is_perft_running(&self) -> bool {
        self.search.as_ref().is_some_and(|search| search.is_perft)
    }

    /// Whether a perft or a bench is finished before this command is executed. Scripts send all
    /// their commands at once and expect whole counts; only `stop` ends a perft.
    fn must_finish_before(&self, line: &str) -> bool {
        let (is_perft, is_bench) = (self.is_perft_running(), self.bench.is_some());
        (is_perft || is_bench)
            && match command::parse(line) {
                Command::Quit => true,
                Command::Go(_) | Command::Perft(_) | Command::NewGame => is_perft,
                _ => false,
            }
    }

    /// Whether a task is running that ends without a `stop`.
    fn will_end_without_stop(&self) -> bool {
        self.search.as_ref().is_some_and(|s| !s.is_bestmove_held()) || self.bench.is_some()
    }

    pub(super) fn print(&mut self, text: &str) {
        if let Some(log) = &mut self.log {
            log.write('>', text);
        }
        let written = self.output.write_all(format!("{text}\n").as_bytes());
        self.output_closed |= written.and_then(|()| self.output.flush()).is_err();
    }

    fn print_lines(&mut self, lines: Vec<String>) {
        for line in lines {
            self.print(&line);
        }
    }

    fn print_info_string(&mut self, text: &str) {
        self.print(&format::info_string(text));
    }

    fn print_error(&mut self, text: &str) {
        warn!("{text}");
        self.print_info_string(&format!("error: {text}"));
    }

    pub(super) fn execute(&mut self, line: &str) -> Next {
        if let Some(log) = &mut self.log {
            log.write('<', line.trim_end());
        }
        match command::parse(line) {
            Command::Uci => self.print(&format::identity()),
            Command::IsReady => self.print("readyok"),
            Command::NewGame => {
                self.end_search();
                self.engine.new_game();
            }
            Command::SetOption { name, value } if self.search.is_some() => {
                self.defer_option(name, value);
            }
            Command::SetOption { name, value } => return self.set_option(&name, &value),
            Command::Position { fen, moves } => return self.set_position(fen.as_deref(), &moves),
            Command::Go(go) => self.go(&go),
            Command::Perft(depth) => self.start_perft(depth),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Wait => return Next::Wait,
            Command::Quit => {
                self.quit();
                return Next::Quit;
            }
            Command::Display => self.print(&format::board(self.game.board())),
            Command::Eval => self.print_evaluation(),
            Command::Bench => self.start_bench(),
            Command::Help => self.print(command::HELP),
            Command::Ignored => {}
            Command::Malformed(line) => {
                self.print_error(&format!("malformed command: {line}"));
                return Next::Refused;
            }
            Command::Unknown(line) => {
                warn!("unknown command: {line}");
                self.print(&format::unknown_command(&line));
                return Next::Refused;
            }
        }
        Next::Continue
    }

    fn print_evaluation(&mut self) {
        let (board, evaluation) = (self.game.board(), self.engine.evaluation());
        let score = normalised_cp(evaluation.evaluate(board));
        let values = eval::piece_values(board, evaluation);
        let [white, black] = Color::ALL.map(|color| eval::piece_values_text(&values, color));
        self.print_info_string(&format!("evaluation {score} centipawns for the side to move"));
        self.print_info_string(&format!("pieces of White: {white}"));
        self.print_info_string(&format!("pieces of Black: {black}"));
    }

    /// Runs the bench in its own thread, unless it is running already.
    fn start_bench(&mut self) {
        if self.bench.is_some() {
            return;
        }
        let (sender, result) = unbounded();
        let thread = std::thread::Builder::new().name("bench".to_owned());
        let started = thread.stack_size(engine::STACK_SIZE).spawn(move || {
            // Fails only after the end of the session.
            let _ = sender.send(engine::bench::text());
        });
        match started {
            Ok(_) => self.bench = Some(result),
            Err(error) => self.print_error(&format!("cannot start a thread for bench: {error}")),
        }
    }

    pub(super) fn print_bench(&mut self, result: Result<String, EngineError>) {
        match result {
            Ok(text) => self.print(&text),
            Err(error) => self.print_error(&error.to_string()),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Next {
        let result = self.settings.set(&mut self.engine, name, value);
        for message in self.engine.take_messages() {
            self.print_info_string(&message);
        }
        let next = match result {
            Err(error) => {
                self.print_info_string(&format!("error: {error}"));
                Next::Refused
            }
            Ok(()) => {
                self.options_set.retain(|(set, _)| !set.eq_ignore_ascii_case(name));
                self.options_set.push((name.to_owned(), value.to_owned()));
                Next::Continue
            }
        };
        self.update_log();
        next
    }

    /// Opens or closes the log if the option `Log File` has changed. A log begins with the options
    /// that were set before, so that it can be replayed.
    fn update_log(&mut self) {
        let path = self.settings.log_file();
        if path == self.log.as_ref().map(Log::path) {
            return;
        }
        let opened = path.map(Log::open).transpose();
        self.log = opened.unwrap_or_else(|error| {
            self.print_error(&format!("cannot open the log: {error}"));
            None
        });
        if let Some(log) = &mut self.log {
            for (name, value) in self.options_set.iter().filter(|(_, v)| !v.is_empty()) {
                log.write('<', &format!("setoption name {name} value {value}"));
            }
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> Next {
        self.game = match fen.map(Board::from_fen_with_repairs) {
            None => Game::default(),
            Some(Ok((board, repairs))) => {
                for repair in &repairs {
                    self.print_info_string(&repair.to_string());
                }
                Game::new(board).with_repairs(&repairs)
            }
            Some(Err(error)) => {
                self.print_error(&format!("{error}; the position is unchanged"));
                return Next::Refused;
            }
        };
        for m in moves {
            if let Err(error) = self.game.push_uci(m) {
                self.print_error(&format!("{error}; earlier moves were played"));
                return Next::Continue;
            }
        }
        debug!("position {}", self.game.board().to_fen());
        Next::Continue
    }

    fn start_perft(&mut self, depth: u32) {
        self.end_search();
        let board = *self.game.board();
        let (sender, events) = unbounded();
        let control = self.engine.start_perft(&board, depth, move |event| {
            let _ = sender.send(TaskEvent::Perft(event));
        });
        self.search = Some(ActiveSearch {
            is_perft: true,
            ..ActiveSearch::new(board, control, events, InfoThrottle::new(true))
        });
    }

    fn go(&mut self, go: &Go) {
        self.end_search();
        let limits = self.limits(go);
        let (ponder, infinite) = (limits.ponder, limits.infinite);
        let board = *self.game.board();
        let (sender, events) = unbounded();
        let options = self.settings.search_options(limits);
        let control = self.engine.start_with(&self.game, options, move |event| {
            let _ = sender.send(TaskEvent::Search(event));
        });
        let throttle = InfoThrottle::new(self.settings.minimal);
        self.search = Some(ActiveSearch {
            ponder,
            infinite,
            ..ActiveSearch::new(board, control, events, throttle)
        });
    }

    fn limits(&mut self, go: &Go) -> Limits {
        let board = *self.game.board();
        let (own, other) = match board.turn() {
            Color::White => ((go.wtime, go.winc), (go.btime, go.binc)),
            Color::Black => ((go.btime, go.binc), (go.wtime, go.winc)),
        };
        // If a GUI sends only the opponent's clock, that is a better estimate than no limit. GUIs
        // leave out an increment of 0.
        let (time, increment) = if own.0.is_some() { own } else { other };
        let clock = time.map(|remaining| ClockTime {
            remaining,
            increment: increment.unwrap_or(Duration::ZERO),
            moves_to_go: go.movestogo,
        });
        let (mut search_moves, mut illegal) = (Vec::new(), Vec::new());
        for text in &go.searchmoves {
            match board.parse_uci(text) {
                Ok(m) if search_moves.contains(&m) => {}
                Ok(m) => search_moves.push(m),
                Err(_) => illegal.push(text.as_str()),
            }
        }
        if !illegal.is_empty() {
            let illegal = illegal.join(" ");
            self.print_error(&format!("illegal searchmoves: {illegal}"));
        }
        let is_limited = clock.is_some()
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
            infinite: go.infinite || !is_limited,
        }
    }

    fn stop(&mut self) {
        if let Some(search) = &mut self.search {
            (search.ponder, search.infinite) = (false, false);
            search.control.stop();
        }
        self.print_best_move();
    }

    /// Stops the search, if any; a perft goes on. Pending options are dropped.
    fn quit(&mut self) {
        self.pending_options.clear();
        if !self.is_perft_running() {
            self.stop();
        }
    }

    fn ponder_hit(&mut self) {
        if let Some(search) = self.search.as_mut().filter(|search| search.ponder) {
            search.ponder_hit();
        }
        self.print_best_move();
    }

    /// Stops the search, if any, and waits until its `bestmove` is printed.
    fn end_search(&mut self) {
        self.stop();
        while let Some(search) = &self.search {
            match search.events.recv() {
                Ok(event) => self.handle_event(event),
                Err(_) => self.fail_search(SearchError::Panicked),
            }
        }
    }

    fn handle_event(&mut self, event: TaskEvent) {
        match event {
            TaskEvent::Search(event) => self.handle_search_event(event),
            TaskEvent::Perft(event) => self.handle_perft_event(event),
        }
    }

    fn handle_search_event(&mut self, event: Event) {
        let Some(search) = &mut self.search else {
            return;
        };
        match event {
            Event::Info(info) => {
                search.throttle.add_info(info);
                self.print_due_lines();
            }
            Event::CurrentMove { m, move_number, .. } => {
                search.throttle.add_current_move(m, move_number);
            }
            Event::Finished(result) => self.finish_search(result),
            Event::Failed(error) => self.fail_search(error),
        }
    }

    fn handle_perft_event(&mut self, event: PerftEvent) {
        let Some(search) = &self.search else {
            return;
        };
        match event {
            PerftEvent::Move(m, nodes) => {
                let text = search.board.uci(m, self.settings.chess960);
                self.print(&format!("{text}: {nodes}"));
            }
            PerftEvent::Finished { nodes, complete } => {
                if complete {
                    self.print(&format!("\nNodes searched: {nodes}"));
                } else {
                    self.print_info_string("perft stopped before all root moves were counted");
                }
                self.close_search();
            }
            PerftEvent::Failed(error) => self.fail_search(error),
        }
    }

    fn print_due_lines(&mut self) {
        if let Some(search) = &mut self.search {
            let lines = search.due_lines(&self.settings);
            self.print_lines(lines);
        }
    }

    /// The search or perft has ended without a result.
    fn fail_search(&mut self, error: SearchError) {
        let Some(search) = &self.search else {
            return;
        };
        let (board, is_perft) = (search.board, search.is_perft);
        self.print_error(&error.to_string());
        if is_perft {
            self.close_search();
        } else {
            self.finish_search(fallback_result(&board));
        }
    }

    /// The search has ended: prints its last lines, and `bestmove` unless it is held.
    fn finish_search(&mut self, result: SearchResult) {
        let messages = self.engine.take_messages();
        for message in &messages {
            self.print_info_string(message);
        }
        let Some(search) = &mut self.search else {
            return;
        };
        if !messages.is_empty() {
            // The line of the best move must be the last one before `bestmove`.
            search.last_line = None;
        }
        search.result = Some(result);
        let lines = search.final_lines(&self.settings);
        self.print_lines(lines);
        self.print_best_move();
    }

    /// Prints `bestmove` if the search has ended and no command is awaited.
    fn print_best_move(&mut self) {
        let Some(search) = self.search.as_mut().filter(|s| !s.is_bestmove_held()) else {
            return;
        };
        let lines = search.final_lines(&self.settings);
        let Some(result) = search.result.take() else {
            return;
        };
        let chess960 = self.settings.chess960;
        let line = format::best_move(&search.board, &result, chess960);
        self.print_lines(lines);
        self.print(&line);
        self.close_search();
    }

    /// Keeps an option that was set during a search until its end.
    fn defer_option(&mut self, name: String, value: String) {
        if name.len() + value.len() > MAX_PENDING_LENGTH {
            self.print_error("the option is too long to be set during a search");
        } else if self.pending_options.len() == MAX_PENDING_OPTIONS {
            self.print_error("too many options were set during the search");
        } else {
            self.pending_options.push_back((name, value));
        }
    }

    /// Removes the search, and applies the options set during it.
    fn close_search(&mut self) {
        self.search = None;
        while let Some((name, value)) = self.pending_options.pop_front() {
            self.set_option(&name, &value);
        }
    }
}

#[cfg(test)]
mod tests;

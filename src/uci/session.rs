//! The conversation with a GUI.
//!
//! One thread reads lines, one (this) answers them, the engine's own search. This one waits for
//! whichever speaks first and never for the search, so it answers at once at any moment. It alone
//! writes to stdout.

use super::command::{self, Command, Go};
use super::format;
use crate::chess::{Board, Color, Game};
use crate::engine::{self, ClockTime, Engine, Event, Limits, Outcome, Search};
use crate::eval;
use crossbeam_channel::{Receiver, bounded, never, select};
use std::collections::VecDeque;
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// Speaks UCI on stdin and stdout until `quit` or the end of input.
///
/// # Errors
/// If the engine cannot be made.
pub fn run() -> Result<(), engine::EngineError> {
    let engine = Engine::new()?;
    let (sender, lines) = bounded(1024);
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            let mut input = io::stdin().lock();
            let mut line = Vec::new();
            loop {
                line.clear();
                match input.read_until(b'\n', &mut line) {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {
                        if sender
                            .send(String::from_utf8_lossy(&line).into_owned())
                            .is_err()
                        {
                            return;
                        }
                    }
                }
            }
        })?;
    let mut session = Session::new(engine, io::stdout());
    session.converse(&lines);
    Ok(())
}

/// A search that runs, or whose result waits for a word of the GUI.
struct Running {
    search: Search,
    /// The position that is searched.
    board: Board,
    /// `go infinite` and `go ponder`: no best move before `stop` or `ponderhit`.
    hold: bool,
    /// The result, when it is there but must wait.
    held: Option<Outcome>,
    perft: bool,
}

/// A conversation: the engine, the game, and what is going on.
struct Session<W> {
    engine: Engine,
    game: Game,
    running: Option<Running>,
    /// Options set during a search; they come into force after it.
    pending: VecDeque<(String, String)>,
    output: W,
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
            pending: VecDeque::new(),
            output,
            deaf: false,
        }
    }

    /// Answers lines until `quit`, the end of input, or until nobody listens.
    fn converse(&mut self, lines: &Receiver<String>) {
        let silent = never();
        let mut waiting = false;
        while !self.deaf {
            waiting &= self.running.as_ref().is_some_and(|r| r.held.is_none());
            let lines = if waiting { &never() } else { lines };
            let running = self
                .running
                .as_ref()
                .filter(|running| running.held.is_none());
            let events = running.map_or(&silent, |running| running.search.events());
            select! {
                recv(lines) -> line => match line.map(|line| self.answer(&line)) {
                    Ok(Next::Go) => {}
                    Ok(Next::Wait) => waiting = true,
                    Ok(Next::Quit) | Err(_) => break,
                },
                recv(events) -> event => match event {
                    Ok(event) => self.relay(event),
                    Err(_) => self.relay(Event::Failed("the search thread is gone".to_owned())),
                },
            }
        }
        self.end_search();
    }

    fn say(&mut self, text: &str) {
        let written = self.output.write_all(format!("{text}\n").as_bytes());
        self.deaf |= written.and_then(|()| self.output.flush()).is_err();
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
                let search = self.engine.start_perft(&board, depth);
                self.running = Some(Running {
                    search,
                    board,
                    hold: false,
                    held: None,
                    perft: true,
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
                let score = eval::piece_square(self.game.board());
                self.say(&format!(
                    "info string evaluation {score} centipawns for the side to move"
                ));
            }
            Command::Bench => {
                self.end_search();
                let report = engine::bench::text();
                self.say(&report);
            }
            Command::Nothing => {}
            Command::Unknown(line) => {
                let shown: String = line.chars().take(80).collect();
                self.say(&format!("info string unknown command: {shown}"));
            }
        }
        Next::Go
    }

    fn set_option(&mut self, name: &str, value: &str) {
        if let Err(error) = engine::set_option(&mut self.engine, name, value) {
            self.say(&format!("info string error: {error}"));
        }
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) {
        let start = match fen.map(Board::from_fen_with_repairs) {
            None => Board::start(),
            Some(Ok((board, repairs))) => {
                for repair in repairs {
                    self.say(&format!("info string {repair}"));
                }
                board
            }
            Some(Err(error)) => {
                self.say(&format!(
                    "info string error: {error}; the position stays as it was"
                ));
                return;
            }
        };
        self.game = Game::new(start);
        for m in moves {
            if let Err(error) = self.game.push_uci(m) {
                self.say(&format!(
                    "info string error: {error}; the moves before it stand"
                ));
                return;
            }
        }
    }

    fn go(&mut self, go: &Go) {
        self.end_search();
        let limits = self.limits(go);
        let hold = limits.infinite || limits.ponder;
        let board = *self.game.board();
        let search = self.engine.start(&self.game, limits);
        self.running = Some(Running {
            search,
            board,
            hold,
            held: None,
            perft: false,
        });
    }

    fn limits(&mut self, go: &Go) -> Limits {
        let board = *self.game.board();
        let (own, other) = match board.turn() {
            Color::White => ((go.wtime, go.winc), (go.btime, go.binc)),
            Color::Black => ((go.btime, go.binc), (go.wtime, go.winc)),
        };
        // One clock alone is better than none.
        let clock = own.0.or(other.0).map(|left| ClockTime {
            left,
            increment: own.1.or(other.1).unwrap_or(Duration::ZERO),
            moves_to_go: go.movestogo,
        });
        let mut search_moves = Vec::new();
        for text in &go.searchmoves {
            match board.parse_uci(text) {
                Ok(m) => search_moves.push(m),
                Err(error) => self.say(&format!("info string error: {error}")),
            }
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
            infinite: go.infinite || (!bounded && !go.ponder),
        }
    }

    fn stop(&mut self) {
        if let Some(running) = &mut self.running {
            running.hold = false;
            running.search.stop();
        }
        self.release();
    }

    fn ponder_hit(&mut self) {
        if let Some(running) = &mut self.running {
            running.hold = false;
            running.search.ponder_hit();
        }
        self.release();
    }

    /// Ends a search that runs, with its best move.
    fn end_search(&mut self) {
        self.stop();
        while let Some(running) = &self.running {
            match running.search.events().recv() {
                Ok(event) => self.relay(event),
                Err(_) => self.relay(Event::Failed("the search thread is gone".to_owned())),
            }
        }
    }

    /// Prints what a search tells.
    fn relay(&mut self, event: Event) {
        let Some(running) = &mut self.running else {
            return;
        };
        let board = running.board;
        let chess960 = self.engine.settings().chess960;
        match event {
            Event::Info(info) => self.say(&format::info(&board, &info, chess960)),
            Event::CurrentMove(depth, m, number) => {
                self.say(&format::current_move(&board, depth, m, number, chess960));
            }
            Event::Divided(m, paths) => self.say(&format!("{}: {paths}", board.uci(m, chess960))),
            Event::Counted(paths) => {
                self.say(&format!("\nNodes searched: {paths}\n"));
                self.conclude();
            }
            Event::Finished(outcome) => {
                running.held = Some(outcome);
                self.release();
            }
            Event::Failed(message) => {
                let perft = running.perft;
                self.say(&format!("info string error: {message}"));
                if !perft {
                    // Any legal move is better than none.
                    let best = board.legal_moves().first().copied();
                    let outcome = Outcome {
                        best,
                        ponder: None,
                        info: None,
                    };
                    self.say(&format::best_move(&board, &outcome, chess960));
                }
                self.conclude();
            }
        }
    }

    /// Prints the best move if it is there and need not wait.
    fn release(&mut self) {
        let Some(running) = &mut self.running else {
            return;
        };
        if running.hold {
            return;
        }
        let Some(outcome) = running.held.take() else {
            return;
        };
        let (board, chess960) = (running.board, self.engine.settings().chess960);
        match &outcome.info {
            Some(info) => self.say(&format::info(&board, info, chess960)),
            None => self.say(format::game_over(&board)),
        }
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

/// The board as letters, for people.
fn diagram(board: &Board) -> String {
    let ranks = board.fen_pieces();
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

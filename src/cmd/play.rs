//! `saavedra play`: a game against the engine in the terminal.

mod draws;

use super::files::{self, Output};
use super::interrupt::Guarded;
use super::{CommandError, CommandResult, terminal};
use crate::analysis::line_text;
use crate::chess::{Board, Color, Game, GameResult, Move, MoveTextError};
use crate::engine::{Engine, Limits, NAME, SearchOptions, Strength};
use crate::formats::{Document, Drawing, Tree, pgn};
use draws::DrawOffers;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Limit the strength of the engine to this Elo, from 1000 on as in the CCRL Blitz list
    /// [default: full strength].
    #[arg(long, value_name = "RATING")]
    elo: Option<u32>,
    /// Your side.
    #[arg(long, alias = "color", value_parser = ["white", "black"], default_value = "white")]
    side: String,
    /// Initial position as FEN, or `startpos` [default: startpos].
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Search time per move in milliseconds.
    #[arg(long, value_name = "MS", default_value_t = 1000, group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// Nodes per move, instead of a time.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search depth in plies, instead of a time.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// Write the finished game as PGN to this file instead of the terminal.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Enter moves as `Nf3`, `nf3` or `g1f3`. Other commands: undo (take back your last move), hint, board, moves,
flip, fen, draw (offer or accept a draw), resign, quit, help. Saavedra takes a draw unless it stands better, and
offers one in a level endgame. When the game ends, also by Ctrl-C, it is printed as PGN.

Examples:
  saavedra play
  saavedra play --side black --elo 1500
  saavedra play --fen '8/8/8/4k3/8/8/3QK3/8 w - - 0 1' -o game.pgn";

const HELP: &str = "\
Moves: Nf3, nf3 or g1f3. Castling: O-O or e1g1.
undo    take back your last move and the reply
hint    show a good move
board   show the board
moves   list the legal moves
flip    turn the board
fen     show the position as FEN
draw    offer a draw, or accept one
resign  resign the game
quit    end the game without a result
";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let board = match &arguments.fen {
        Some(fen) => files::parse_board(fen)?,
        None => Board::startpos(),
    };
    let human = match arguments.side.as_str() {
        "black" => Color::Black,
        _ => Color::White,
    };
    let limits = match (arguments.nodes, arguments.depth) {
        (Some(nodes), _) => Limits::nodes(nodes),
        (_, Some(depth)) => Limits::depth(depth),
        _ => Limits::move_time(Duration::from_millis(arguments.movetime)),
    };
    let record = Record {
        game: Game::new(board),
        human,
        elo: arguments.elo,
        result: None,
        path: arguments.output.clone(),
    };
    let mut session = Session {
        game: record.game.clone(),
        record: Guarded::new(|| Ok::<_, CommandError>(record), Record::keep)?,
        human,
        flipped: human == Color::Black,
        engine: Engine::with_threads_and_hash(1, 64)?,
        strength: strength(arguments.elo)?,
        hint_engine: None,
        draws: DrawOffers::default(),
        limits,
        output: io::stdout(),
    };
    // The game is kept whatever ends it, for example a closed standard output.
    let played = session.play(&mut io::stdin().lock());
    let result = *played.as_ref().unwrap_or(&None);
    session.record.change(|record| record.result = result);
    let written = session.record.finish(|record| record.write());
    written.unwrap_or(Ok(())).and(played.map(drop))
}

/// The game as it is recorded when it ends or is interrupted.
struct Record {
    game: Game,
    human: Color,
    elo: Option<u32>,
    result: Option<GameResult>,
    /// The output file; standard output without one.
    path: Option<PathBuf>,
}

impl Record {
    /// Writes the game as PGN; to standard output too if the file fails: it must not be lost.
    fn write(&self) -> CommandResult {
        let text = pgn::write(&self.document());
        let written = self.path.as_deref().map(|path| Output::put(Some(path), &text));
        if !matches!(written, Some(Ok(()))) {
            Output::put(None, format!("\n{text}"))?;
        }
        written.unwrap_or(Ok(()))
    }

    /// Writes the game after an interruption.
    fn keep(self) {
        if let Err(CommandError::Refused(message)) = self.write() {
            super::report(&message);
        }
    }

    /// The game as a document with its tags.
    fn document(&self) -> Document {
        let mut document = Document::from_tree(Tree::from_game(&self.game));
        document.result = self.result;
        document.set_tag("Event", "Game at the terminal");
        document.set_tag("Date", &date(SystemTime::now()));
        let (white, black) = match self.human {
            Color::White => ("You", NAME),
            Color::Black => (NAME, "You"),
        };
        document.set_tag("White", white);
        document.set_tag("Black", black);
        if let Some(elo) = self.elo {
            let tag = match self.human {
                Color::White => "BlackElo",
                Color::Black => "WhiteElo",
            };
            document.set_tag(tag, &elo.to_string());
        }
        document
    }
}

/// The strength of this Elo.
fn strength(elo: Option<u32>) -> Result<Strength, CommandError> {
    let (min, max) = (Strength::WEAKEST.elo(), Strength::FULL.elo());
    match elo {
        Some(elo) if !(min..=max).contains(&elo) => {
            let reason = format!("--elo {elo}: the range is {min} to {max}");
            Err(CommandError::Refused(reason))
        }
        elo => Ok(elo.map_or(Strength::FULL, Strength::new)),
    }
}

/// A game in progress.
struct Session<W> {
    game: Game,
    record: Guarded<Record>,
    human: Color,
    flipped: bool,
    engine: Engine,
    /// The strength of the engine.
    strength: Strength,
    /// An engine of full strength for hints, created for the first one.
    hint_engine: Option<Engine>,
    draws: DrawOffers,
    limits: Limits,
    output: W,
}

/// A command of the user that ends the prompt.
enum Input {
    Move(Move),
    Undo,
    Draw,
    Resign,
    Quit,
}

impl<W: Write> Session<W> {
    /// Plays the game to its end and returns the result, `None` if it has none.
    fn play(&mut self, input: &mut dyn BufRead) -> Result<Option<GameResult>, CommandError> {
        self.print("Enter a move, or help.\n\n")?;
        self.show_board()?;
        loop {
            if let Some(result) = self.game.result() {
                let reason = self.game.status().text();
                self.print(&format!("{result}: {reason}\n"))?;
                return Ok(Some(result));
            }
            if self.game.board().turn() != self.human {
                self.play_reply()?;
                continue;
            }
            match self.prompt(input)? {
                Input::Move(m) => {
                    self.push(m);
                    self.show_board()?;
                }
                Input::Undo => self.undo()?,
                Input::Draw if self.draws.agrees() => {
                    let result = GameResult::Draw;
                    self.print(&format!("{result}: draw by agreement\n"))?;
                    return Ok(Some(result));
                }
                Input::Draw => self.print("Saavedra plays on.\n")?,
                Input::Resign => {
                    let result = GameResult::win(!self.human);
                    self.print(&format!("{result}: resignation\n"))?;
                    return Ok(Some(result));
                }
                Input::Quit => return Ok(None),
            }
        }
    }

    /// Makes a move in the game and its record.
    fn push(&mut self, m: Move) {
        self.game.push(m);
        self.record.change(|record| record.game.push(m));
    }

    /// Plays the engine's move.
    fn play_reply(&mut self) -> CommandResult {
        let mut options = SearchOptions::from(self.limits.clone());
        options.strength = self.strength;
        let search = self.engine.start(&self.game, options);
        let result = search.wait().map_err(CommandError::refused)?;
        let Some(m) = result.best else {
            return Err(CommandError::Refused("the engine found no move".into()));
        };
        let board = self.game.board();
        let text = line_text(board, &[m]);
        let is_draw_offered = match result.line() {
            Some(line) => self.draws.take(line.score, board.fullmove_number()),
            None => false,
        };
        self.push(m);
        self.print(&format!("Saavedra plays {text}\n\n"))?;
        self.show_board()?;
        if is_draw_offered && self.game.result().is_none() {
            self.print("Saavedra offers a draw. Type draw to accept it, or your move.\n")?;
        }
        Ok(())
    }

    /// Reads commands until one changes the game.
    fn prompt(&mut self, input: &mut dyn BufRead) -> Result<Input, CommandError> {
        loop {
            let move_number = self.game.board().fullmove_number();
            let dots = match self.human {
                Color::White => ".",
                Color::Black => "...",
            };
            self.print(&format!("{move_number}{dots} "))?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                self.print("\n")?;
                return Ok(Input::Quit);
            }
            let line = String::from_utf8_lossy(&line);
            match line.trim() {
                "" => {}
                "undo" | "u" => return Ok(Input::Undo),
                "draw" => return Ok(Input::Draw),
                "resign" => return Ok(Input::Resign),
                "quit" | "q" | "exit" => return Ok(Input::Quit),
                "hint" | "h" => self.hint()?,
                "board" => self.show_board()?,
                "moves" => self.show_moves()?,
                "flip" => {
                    self.flipped = !self.flipped;
                    self.show_board()?;
                }
                "fen" => self.print(&format!("{}\n", self.game.board().to_fen()))?,
                "help" | "?" => self.print(HELP)?,
                text => match terminal::typed_move(self.game.board(), text) {
                    Ok(m) => return Ok(Input::Move(m)),
                    Err(error) => {
                        let reason = reason(&error);
                        self.print(&format!("{reason}; help lists the commands\n"))?;
                    }
                },
            }
        }
    }

    /// Takes back the human's last move and the reply to it.
    fn undo(&mut self) -> CommandResult {
        let boards = &self.game.boards()[..self.game.moves().len()];
        let Some(ply) = boards.iter().rposition(|board| board.turn() == self.human) else {
            return self.print("You have no move to take back.\n");
        };
        while self.game.moves().len() > ply {
            self.game.pop();
            self.record.change(|record| record.game.pop());
        }
        self.draws = DrawOffers::default();
        self.show_board()
    }

    /// Prints the best line of the engine at full strength.
    fn hint(&mut self) -> CommandResult {
        let engine = match &mut self.hint_engine {
            Some(engine) => engine,
            none => none.insert(Engine::with_threads_and_hash(1, 16)?),
        };
        let search = engine.start(&self.game, self.limits.clone());
        let result = search.wait().map_err(CommandError::refused)?;
        let line = match result.line() {
            Some(line) if line.pv.first() == result.best.as_ref() => line.pv.clone(),
            _ => result.best.into_iter().collect(),
        };
        let text = line_text(self.game.board(), &line[..line.len().min(4)]);
        self.print(&format!("Hint: {text}\n"))
    }

    fn show_moves(&mut self) -> CommandResult {
        let board = self.game.board();
        let moves = board.legal_moves();
        let mut texts: Vec<String> = moves.into_iter().map(|m| board.san(m)).collect();
        texts.sort();
        self.print(&format!("{}\n", texts.join(" ")))
    }

    fn show_board(&mut self) -> CommandResult {
        let last = self.game.moves().last();
        let drawing = Drawing {
            last_move: last.map(|m| (m.from(), m.destination())),
            flipped: self.flipped,
            ..Drawing::default()
        };
        let text = terminal::board(self.game.board(), &drawing, terminal::wants_colours());
        self.print(&format!("{text}\n"))
    }

    fn print(&mut self, text: &str) -> CommandResult {
        self.output.write_all(text.as_bytes())?;
        Ok(self.output.flush()?)
    }
}

/// Why a move is refused, without the FEN of the position on the board.
fn reason(error: &MoveTextError) -> String {
    match error {
        MoveTextError::Uci(illegal) => format!("illegal move {}: {}", illegal.text, illegal.reason),
        MoveTextError::San { error, .. } => error.to_string(),
    }
}

/// The date in UTC as PGN writes it: `2026.03.01`.
fn date(now: SystemTime) -> String {
    let days = now.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() / 86_400);
    // Years begin on 1 March here, so that the leap day comes last; 400 years have 146 097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let year = era * 400 + year + u64::from(month >= 10);
    let month = if month < 10 { month + 3 } else { month - 9 };
    format!("{year:04}.{month:02}.{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_gregorian_calendar() {
        let cases = [
            (0, "1970.01.01"),
            (951_782_400, "2000.02.29"),
            (951_868_800, "2000.03.01"),
            (1_735_689_599, "2024.12.31"),
            (1_735_689_600, "2025.01.01"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }
}

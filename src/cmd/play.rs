//! `saavedra play`: a game in the terminal.

use super::explain::parse_move;
use super::files::Output;
use super::{Failure, Outcome, terminal};
use crate::analysis::line_text;
use crate::chess::{Board, Color, Game, GameResult, Move};
use crate::engine::{Engine, EngineError, Limits, set_option};
use crate::formats::{Document, Drawing, Tree, pgn};
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What to play.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// How strong the engine is, as a rating; its full strength if not given.
    #[arg(long, value_name = "RATING")]
    elo: Option<u32>,
    /// The colour you play.
    #[arg(long, value_parser = ["white", "black"], default_value = "white")]
    color: String,
    /// The position to begin with.
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// The engine thinks so many milliseconds about each move.
    #[arg(long, value_name = "MS", default_value_t = 1000, group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: u64,
    /// It makes so many nodes for each move.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// It searches to this depth.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// Write the game to this file when it ends, and not to the terminal.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Moves are typed as `Nf3` or `g1f3`. Other words: undo (takes back your last move), hint, board,
moves, flip, resign, quit, help. When the game ends, it is written as PGN.

Examples:
  saavedra play
  saavedra play --color black --elo 1500
  saavedra play --fen '8/8/8/4k3/8/8/3QK3/8 w - - 0 1' -o game.pgn";

const HELP: &str = "\
A move: Nf3 or g1f3. Castling: O-O or e1g1.
undo    take back your last move and the answer
hint    a good move
board   the board
moves   all legal moves
flip    turn the board
resign  give up
quit    leave the game as it is
";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let board = match &arguments.fen {
        Some(fen) => Board::from_fen(fen).map_err(|error| Failure::Refused(error.to_string()))?,
        None => Board::startpos(),
    };
    let human = match arguments.color.as_str() {
        "black" => Color::Black,
        _ => Color::White,
    };
    let limits = match (arguments.nodes, arguments.depth) {
        (Some(nodes), _) => Limits::nodes(nodes),
        (_, Some(depth)) => Limits::depth(depth),
        _ => Limits::move_time(Duration::from_millis(arguments.movetime)),
    };
    let mut session = Session {
        game: Game::new(board),
        human,
        flipped: human == Color::Black,
        engine: engine(arguments.elo)?,
        adviser: None,
        limits,
        output: io::stdout(),
    };
    let result = session.play(&mut io::stdin().lock())?;
    let text = pgn::write(&session.record(result, arguments.elo));
    match &arguments.output {
        Some(path) => {
            let mut output = Output::create(Some(path))?;
            output.write_all(text.as_bytes())?;
            output.finish()
        }
        None => session.say(&format!("\n{text}")),
    }
}

/// The opponent, at this strength.
fn engine(elo: Option<u32>) -> Result<Engine, Failure> {
    let mut engine = Engine::with(1, 64).map_err(no_engine)?;
    if let Some(elo) = elo {
        for (name, value) in [
            ("UCI_LimitStrength", "true"),
            ("UCI_Elo", &elo.to_string() as &str),
        ] {
            let set = set_option(&mut engine, name, value);
            set.map_err(|error| Failure::Refused(format!("--elo {elo}: {error}")))?;
        }
    }
    Ok(engine)
}

fn no_engine(error: EngineError) -> Failure {
    Failure::Refused(error.to_string())
}

/// A game that is being played.
struct Session<W> {
    game: Game,
    human: Color,
    flipped: bool,
    engine: Engine,
    /// Gives hints, at full strength; made when it is first asked.
    adviser: Option<Engine>,
    limits: Limits,
    output: W,
}

/// What was typed.
enum Typed {
    Move(Move),
    Undo,
    Resign,
    Quit,
}

impl<W: Write> Session<W> {
    /// Plays to the end, and tells how the game ended.
    fn play(&mut self, input: &mut dyn BufRead) -> Result<Option<GameResult>, Failure> {
        self.say("Type a move, or help.\n\n")?;
        self.show_board()?;
        loop {
            if let Some(result) = self.game.result() {
                let reason = self.game.status().name().replace('_', " ");
                self.say(&format!("{result}: {reason}\n"))?;
                return Ok(Some(result));
            }
            if self.game.board().turn() != self.human {
                self.answer()?;
                continue;
            }
            match self.ask(input)? {
                Typed::Move(m) => {
                    self.game.push(m);
                    self.show_board()?;
                }
                Typed::Undo => self.undo()?,
                Typed::Resign => {
                    let result = GameResult::win(!self.human);
                    self.say(&format!("{result}: resignation\n"))?;
                    return Ok(Some(result));
                }
                Typed::Quit => return Ok(None),
            }
        }
    }

    /// The engine's move.
    fn answer(&mut self) -> Outcome {
        let search = self.engine.start(&self.game, self.limits.clone());
        let Some(m) = search.wait().best else {
            return Err(Failure::Refused("the engine found no move".into()));
        };
        let text = line_text(self.game.board(), &[m]);
        self.game.push(m);
        self.say(&format!("Saavedra plays {text}\n\n"))?;
        self.show_board()
    }

    /// Asks until a move is given or the game is to change otherwise.
    fn ask(&mut self, input: &mut dyn BufRead) -> Result<Typed, Failure> {
        loop {
            let number = self.game.board().fullmove_number();
            let dots = match self.human {
                Color::White => ".",
                Color::Black => "...",
            };
            self.say(&format!("{number}{dots} "))?;
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                self.say("\n")?;
                return Ok(Typed::Quit);
            }
            let line = String::from_utf8_lossy(&line);
            match line.trim() {
                "" => {}
                "undo" | "u" => return Ok(Typed::Undo),
                "resign" => return Ok(Typed::Resign),
                "quit" | "q" | "exit" => return Ok(Typed::Quit),
                "hint" | "h" => self.hint()?,
                "board" => self.show_board()?,
                "moves" => self.show_moves()?,
                "flip" => {
                    self.flipped = !self.flipped;
                    self.show_board()?;
                }
                "help" | "?" => self.say(HELP)?,
                text => match parse_move(self.game.board(), text) {
                    Ok(m) => return Ok(Typed::Move(m)),
                    Err(message) => {
                        self.say(&format!("{message}; help lists what can be typed\n"))?
                    }
                },
            }
        }
    }

    /// Takes back the human's last move, and what was answered.
    fn undo(&mut self) -> Outcome {
        let before = |game: &Game| {
            let boards = &game.boards()[..game.moves().len()];
            boards.iter().rposition(|board| board.turn() == self.human)
        };
        let Some(wanted) = before(&self.game) else {
            return self.say("There is no move of yours to take back.\n");
        };
        while self.game.moves().len() > wanted {
            self.game.pop();
        }
        self.show_board()
    }

    /// What the engine would play here at its full strength.
    fn hint(&mut self) -> Outcome {
        let adviser = match &mut self.adviser {
            Some(adviser) => adviser,
            none => none.insert(Engine::with(1, 16).map_err(no_engine)?),
        };
        let found = adviser.start(&self.game, self.limits.clone()).wait();
        let line = match (found.info, found.best) {
            (Some(info), Some(best)) if info.pv.first() == Some(&best) => info.pv,
            (_, best) => best.into_iter().collect(),
        };
        let text = line_text(self.game.board(), &line[..line.len().min(4)]);
        self.say(&format!("Hint: {text}\n"))
    }

    fn show_moves(&mut self) -> Outcome {
        let board = self.game.board();
        let moves = board.legal_moves();
        let mut texts: Vec<String> = moves.into_iter().map(|m| board.san(m)).collect();
        texts.sort();
        self.say(&format!("{}\n", texts.join(" ")))
    }

    fn show_board(&mut self) -> Outcome {
        let drawing = Drawing {
            last_move: self.game.moves().last().map(|m| (m.from(), m.to())),
            flipped: self.flipped,
            ..Drawing::default()
        };
        let text = terminal::board(self.game.board(), &drawing, terminal::wants_colours());
        self.say(&format!("{text}\n"))
    }

    fn say(&mut self, text: &str) -> Outcome {
        self.output.write_all(text.as_bytes())?;
        Ok(self.output.flush()?)
    }

    /// The game as a record.
    fn record(&self, result: Option<GameResult>, elo: Option<u32>) -> Document {
        let mut document = Document::from_tree(Tree::from_game(&self.game));
        document.result = result;
        document.set_tag("Event", "Game at the terminal");
        document.set_tag("Date", &date(SystemTime::now()));
        let program = concat!("Saavedra ", env!("CARGO_PKG_VERSION"));
        let (white, black) = match self.human {
            Color::White => ("You", program),
            Color::Black => (program, "You"),
        };
        document.set_tag("White", white);
        document.set_tag("Black", black);
        if let Some(elo) = elo {
            let tag = match self.human {
                Color::White => "BlackElo",
                Color::Black => "WhiteElo",
            };
            document.set_tag(tag, &elo.to_string());
        }
        document
    }
}

/// The date of a game record, `2026.03.01`, at Greenwich.
fn date(now: SystemTime) -> String {
    let days = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs() / 86_400);
    // Years are counted from the first of March, so that the leap day is their last; 400 years
    // have 146 097 days.
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
    fn dates_are_those_of_the_calendar() {
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

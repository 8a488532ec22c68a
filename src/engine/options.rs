//! The options, each declared in one row: name, kind with default and bounds, help, effect. The
//! listing, the checks, the help text and the README's table derive from it.

use super::{Engine, Strength};
use crate::book::Book;
use crate::eval::Evaluation;
use crate::nnue::network::Network;
#[cfg(feature = "tune")]
use crate::search::params::TUNABLES;
use log::{info, warn};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// What kind of value an option takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// Before it is set.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// Before it is set.
        default: i64,
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// Any text.
    Text {
        /// Before it is set.
        default: &'static str,
    },
    /// No value: it does something.
    Button,
}

/// What an option does with a value that has been checked.
#[derive(Clone, Copy)]
enum Effect {
    Check(fn(&mut Engine, bool) -> Result<(), String>),
    Spin(fn(&mut Engine, i64) -> Result<(), String>),
    Text(fn(&mut Engine, &str) -> Result<(), String>),
    Button(fn(&mut Engine)),
}

/// One option.
pub struct OptionSpec {
    /// Its name, as it is shown; case does not matter when it is set.
    pub name: &'static str,
    /// The values it takes.
    pub kind: OptionKind,
    /// What it is for.
    pub help: &'static str,
    effect: Effect,
}

const MAX_HASH: i64 = 1 << 25;
const MAX_THREADS: i64 = 1024;
const MAX_CONTEMPT: i64 = 500;

/// All options, in the order in which they are listed.
pub static OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: "Hash",
        kind: OptionKind::Spin {
            default: 16,
            min: 1,
            max: MAX_HASH,
        },
        help: "Size of the hash table in megabytes.",
        effect: Effect::Spin(|engine, megabytes| {
            engine
                .set_hash(megabytes as usize)
                .map_err(|error| error.to_string())
        }),
    },
    OptionSpec {
        name: "Threads",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: MAX_THREADS,
        },
        help: "How many threads search.",
        effect: Effect::Spin(|engine, threads| {
            engine
                .set_threads(threads as usize)
                .map_err(|error| error.to_string())
        }),
    },
    OptionSpec {
        name: "Clear Hash",
        kind: OptionKind::Button,
        help: "Empties the hash table.",
        effect: Effect::Button(Engine::clear_hash),
    },
    OptionSpec {
        name: "Ponder",
        kind: OptionKind::Check { default: false },
        help: "The GUI lets the engine think in the opponent's time.",
        effect: Effect::Check(|_, _| Ok(())),
    },
    OptionSpec {
        name: "MultiPV",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 256,
        },
        help: "How many of the best lines are shown.",
        effect: Effect::Spin(|engine, lines| {
            engine.settings.multipv = lines as usize;
            Ok(())
        }),
    },
    OptionSpec {
        name: "Move Overhead",
        kind: OptionKind::Spin {
            default: 10,
            min: 0,
            max: 5000,
        },
        help: "Milliseconds lost on each move between the engine and the clock.",
        effect: Effect::Spin(|engine, milliseconds| {
            engine.settings.move_overhead = milliseconds as u64;
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_Chess960",
        kind: OptionKind::Check { default: false },
        help: "Castling is written as king takes rook.",
        effect: Effect::Check(|engine, on| {
            engine.settings.chess960 = on;
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_ShowWDL",
        kind: OptionKind::Check { default: false },
        help: "Shows the chances to win, draw and lose, in thousandths, behind each score.",
        effect: Effect::Check(|engine, on| {
            engine.settings.show_wdl = on;
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_AnalyseMode",
        kind: OptionKind::Check { default: false },
        help: "For analysis: the opening book is left alone, and no strength held back.",
        effect: Effect::Check(|engine, on| {
            engine.settings.analyse = on;
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_LimitStrength",
        kind: OptionKind::Check { default: false },
        help: "Plays only as strongly as `UCI_Elo` says, with mistakes a person might make.",
        effect: Effect::Check(|engine, on| {
            engine.settings.limit_strength = on;
            engine.clear_hash();
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_Elo",
        kind: OptionKind::Spin {
            default: Strength::FULL.elo() as i64,
            min: Strength::WEAKEST.elo() as i64,
            max: Strength::FULL.elo() as i64,
        },
        help: "How strongly to play if the strength is limited; the most is full strength.",
        effect: Effect::Spin(|engine, elo| {
            engine.settings.elo = elo as u32;
            engine.clear_hash();
            Ok(())
        }),
    },
    OptionSpec {
        name: "Skill Level",
        kind: OptionKind::Spin {
            default: Strength::HIGHEST_SKILL as i64,
            min: 0,
            max: Strength::HIGHEST_SKILL as i64,
        },
        help: "The same range in levels; it counts where the strength is not limited by `UCI_Elo`.",
        effect: Effect::Spin(|engine, level| {
            engine.settings.skill = level as u32;
            engine.clear_hash();
            Ok(())
        }),
    },
    OptionSpec {
        name: "Variety",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: 100,
        },
        help: "Plays any of the four best moves that is at most so many centipawns worse than the best.",
        effect: Effect::Spin(|engine, loss| {
            engine.settings.variety = loss as i32;
            Ok(())
        }),
    },
    OptionSpec {
        name: "Contempt",
        kind: OptionKind::Spin {
            default: 0,
            min: -MAX_CONTEMPT,
            max: MAX_CONTEMPT,
        },
        help: "By how many Elo the engine is stronger than its opponent: a draw is worth less than \
               what is to be expected against a weaker one.",
        effect: Effect::Spin(|engine, elo| {
            engine.settings.contempt = elo as i32;
            engine.clear_hash();
            Ok(())
        }),
    },
    OptionSpec {
        name: "Seed",
        kind: OptionKind::Spin {
            default: 0,
            min: 0,
            max: u32::MAX as i64,
        },
        help: "Decides what is left to chance: mistakes, variety, moves of the book. 0: another each game.",
        effect: Effect::Spin(|engine, seed| {
            engine.settings.seed = seed as u64;
            engine.clear_hash();
            Ok(())
        }),
    },
    OptionSpec {
        name: "OwnBook",
        kind: OptionKind::Check { default: false },
        help: "Plays moves of the book in `BookFile`, as often as it weighs them.",
        effect: Effect::Check(|engine, on| {
            engine.settings.own_book = on;
            Ok(())
        }),
    },
    OptionSpec {
        name: "BookFile",
        kind: OptionKind::Text { default: "" },
        help: "An opening book in Polyglot's format.",
        effect: Effect::Text(|engine, path| {
            engine.book = match path {
                "" => None,
                path => Some(open_book(path)?),
            };
            Ok(())
        }),
    },
    OptionSpec {
        name: "BookDepth",
        kind: OptionKind::Spin {
            default: 20,
            min: 1,
            max: 255,
        },
        help: "The book is used until this move of the game.",
        effect: Effect::Spin(|engine, moves| {
            engine.settings.book_depth = moves as u32;
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_Opponent",
        kind: OptionKind::Text { default: "" },
        help: "Who the opponent is: title, rating, `human` or `computer`, name. It stands in the log.",
        effect: Effect::Text(|engine, opponent| {
            engine.settings.opponent = opponent.to_owned();
            Ok(())
        }),
    },
    OptionSpec {
        name: "UCI_EngineAbout",
        kind: OptionKind::Text { default: ABOUT },
        help: "Who we are; setting it changes nothing.",
        effect: Effect::Text(|_, _| Ok(())),
    },
    OptionSpec {
        name: "EvalFile",
        kind: OptionKind::Text {
            default: "<embedded>",
        },
        help: "A network file to evaluate with; `<embedded>` is the one in the program, `<piece-square>` material and piece-square values.",
        effect: Effect::Text(|engine, name| {
            let evaluation = evaluation(engine, name)?;
            engine
                .set_evaluation(evaluation)
                .map_err(|error| error.to_string())
        }),
    },
    OptionSpec {
        name: "SyzygyPath",
        kind: OptionKind::Text { default: "" },
        help: "Folders of Syzygy endgame tables, separated as in `PATH`.",
        effect: Effect::Text(Engine::open_tablebases),
    },
    OptionSpec {
        name: "SyzygyProbeDepth",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: 100,
        },
        help: "Positions with as many men as the tables know are looked up from this depth.",
        effect: Effect::Spin(|engine, depth| {
            engine.settings.syzygy_probe_depth = depth as i32;
            Ok(())
        }),
    },
    OptionSpec {
        name: "SyzygyProbeLimit",
        kind: OptionKind::Spin {
            default: 7,
            min: 0,
            max: 7,
        },
        help: "Positions with more men are not looked up.",
        effect: Effect::Spin(|engine, men| {
            engine.settings.syzygy_probe_limit = men as u32;
            Ok(())
        }),
    },
    OptionSpec {
        name: "Syzygy50MoveRule",
        kind: OptionKind::Check { default: true },
        help: "Whether wins that the fifty-move rule prevents are draws.",
        effect: Effect::Check(|engine, on| {
            engine.settings.syzygy_fifty_moves = on;
            Ok(())
        }),
    },
    OptionSpec {
        name: "Minimal",
        kind: OptionKind::Check { default: false },
        help: "Of a search only the last line and the best move are printed.",
        effect: Effect::Check(|engine, on| {
            engine.settings.minimal = on;
            Ok(())
        }),
    },
    OptionSpec {
        name: "Log File",
        kind: OptionKind::Text { default: "" },
        help: "The conversation is appended to this file, for `saavedra replay`.",
        effect: Effect::Text(|engine, path| {
            let path = (!path.is_empty()).then(|| PathBuf::from(path));
            if let Some(path) = &path {
                if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
                    return Err(format!("{}: not a file", path.display()));
                }
                let open = OpenOptions::new().append(true).create(true).open(path);
                open.map_err(|error| format!("{}: {error}", path.display()))?;
            }
            engine.settings.log_file = path;
            Ok(())
        }),
    },
];

const ABOUT: &str = concat!(
    "Saavedra ",
    env!("CARGO_PKG_VERSION"),
    ", a chess engine that taught itself; MIT OR Apache-2.0"
);

/// No network is larger, in bytes.
const LARGEST_NETWORK: u64 = 64 << 20;

/// No book is larger, in bytes.
const LARGEST_BOOK: u64 = 1 << 30;

fn open_book(path: &str) -> Result<Book, String> {
    let failed = |error: &dyn fmt::Display| format!("{path}: {error}");
    let file = fs::metadata(path).map_err(|error| failed(&error))?;
    if !file.is_file() || file.len() > LARGEST_BOOK {
        return Err(failed(&"not an opening book"));
    }
    let book = Book::open(path).map_err(|error| failed(&error))?;
    if book.surplus() > 0 || book.entries().is_empty() {
        return Err(failed(&"cut short, or not an opening book"));
    }
    Ok(book)
}

/// What to evaluate with, by the value of `EvalFile`.
fn evaluation(engine: &Engine, name: &str) -> Result<Evaluation, String> {
    match name {
        "" | "<embedded>" => return Ok(Evaluation::embedded_with(engine.kernel)),
        "<piece-square>" => return Ok(Evaluation::PieceSquare),
        _ => {}
    }
    let failed = |error: &dyn fmt::Display| format!("{name}: {error}");
    let file = fs::metadata(name).map_err(|error| failed(&error))?;
    if !file.is_file() || file.len() > LARGEST_NETWORK {
        return Err(failed(&"not a network file"));
    }
    let bytes = fs::read(name).map_err(|error| failed(&error))?;
    let network = Network::load(&bytes).map_err(|error| failed(&error))?;
    Ok(Evaluation::Network(Arc::new(network), engine.kernel))
}

/// Why an option was not set. The old value stays in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionError {
    /// There is no option of this name.
    Unknown(String),
    /// The value is not of the option's kind.
    Value(&'static str, String, &'static str),
    /// The value is outside the bounds.
    Range(&'static str, String, i64, i64),
    /// It could not be put into force.
    Failed(&'static str, String),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown(name) => write!(f, "there is no option {name:?}"),
            OptionError::Value(name, value, wanted) => {
                write!(f, "option {name} takes {wanted}, not {value:?}")
            }
            OptionError::Range(name, value, min, max) => {
                write!(f, "option {name} takes {min} to {max}, not {value}")
            }
            OptionError::Failed(name, why) => write!(f, "option {name} stays as it was: {why}"),
        }
    }
}

impl std::error::Error for OptionError {}

impl Engine {
    /// Sets a UCI option by its name. A search that is still running is stopped first if the option
    /// needs that.
    ///
    /// ```
    /// # let mut engine = saavedra::engine::Engine::new()?;
    /// engine.set_option("Hash", "32")?;
    /// assert_eq!(engine.settings().hash, 32);
    /// assert!(engine.set_option("Hash", "0").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such option or the value is not allowed; nothing changes then.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let result = apply(self, name, value);
        match &result {
            Ok(()) => info!("option {name}: {value:?}"),
            Err(error) => warn!("{error}"),
        }
        result
    }
}

fn apply(engine: &mut Engine, name: &str, value: &str) -> Result<(), OptionError> {
    #[cfg(feature = "tune")]
    if let Some(number) = TUNABLES.iter().find(|number| number.name == name) {
        return match value.parse() {
            Ok(value) if (number.min..=number.max).contains(&value) => {
                number.set(value);
                Ok(())
            }
            _ => {
                let (min, max) = (number.min.into(), number.max.into());
                Err(OptionError::Range(number.name, value.to_owned(), min, max))
            }
        };
    }
    let row = OPTIONS
        .iter()
        .find(|row| row.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| OptionError::Unknown(name.to_owned()))?;
    let failed = |why: String| OptionError::Failed(row.name, why);
    match row.effect {
        Effect::Button(effect) => {
            effect(engine);
            Ok(())
        }
        Effect::Check(effect) => match value.to_ascii_lowercase().as_str() {
            "true" => effect(engine, true).map_err(failed),
            "false" => effect(engine, false).map_err(failed),
            _ => Err(OptionError::Value(
                row.name,
                value.to_owned(),
                "true or false",
            )),
        },
        Effect::Text(effect) => {
            let value = if value == "<empty>" { "" } else { value };
            effect(engine, value).map_err(failed)
        }
        Effect::Spin(effect) => {
            let OptionKind::Spin { min, max, .. } = row.kind else {
                return Err(OptionError::Value(row.name, value.to_owned(), "nothing"));
            };
            let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
            if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
                return Err(OptionError::Value(
                    row.name,
                    value.to_owned(),
                    "a whole number",
                ));
            }
            match value.parse() {
                Ok(number) if (min..=max).contains(&number) => {
                    effect(engine, number).map_err(failed)
                }
                _ => Err(OptionError::Range(row.name, value.to_owned(), min, max)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Settings;

    #[test]
    fn what_the_rows_declare_is_how_engines_begin() {
        let mut engine = Engine::new().expect("an engine");
        assert_eq!(engine.settings(), &Settings::default());
        for row in OPTIONS {
            let default = match row.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Text { default } => default.to_owned(),
                OptionKind::Button => String::new(),
            };
            engine.set_option(row.name, &default).expect(row.name);
        }
        assert_eq!(engine.settings(), &Settings::default());
    }
}

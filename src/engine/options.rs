//! The options, each declared in one row: name, kind with default and bounds, help, effect. The
//! listing, the checks, the help text and the README's table derive from it.

use super::Engine;
#[cfg(feature = "tune")]
use crate::search::params::TUNABLES;
use std::fmt;

/// What the options have set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Megabytes of the hash table.
    pub hash: usize,
    /// Search threads.
    pub threads: usize,
    /// Milliseconds lost on each move between us and the clock.
    pub move_overhead: u64,
    /// How many of the best lines are shown.
    pub multipv: usize,
    /// Castling is written as king takes rook.
    pub chess960: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            hash: 16,
            threads: 1,
            move_overhead: 10,
            multipv: 1,
            chess960: false,
        }
    }
}

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
    Button(fn(&mut Engine)),
}

/// One option.
pub struct OptionRow {
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

/// All options, in the order in which they are listed.
pub static OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "Hash",
        kind: OptionKind::Spin {
            default: 16,
            min: 1,
            max: MAX_HASH,
        },
        help: "Size of the hash table in megabytes.",
        effect: Effect::Spin(|engine, megabytes| {
            let threads = engine.settings.threads;
            engine
                .resize(threads, megabytes as usize)
                .map_err(|error| error.to_string())
        }),
    },
    OptionRow {
        name: "Threads",
        kind: OptionKind::Spin {
            default: 1,
            min: 1,
            max: MAX_THREADS,
        },
        help: "How many threads search.",
        effect: Effect::Spin(|engine, threads| {
            let hash = engine.settings.hash;
            engine
                .resize(threads as usize, hash)
                .map_err(|error| error.to_string())
        }),
    },
    OptionRow {
        name: "Clear Hash",
        kind: OptionKind::Button,
        help: "Empties the hash table.",
        effect: Effect::Button(Engine::clear_hash),
    },
    OptionRow {
        name: "Ponder",
        kind: OptionKind::Check { default: false },
        help: "The GUI lets the engine think in the opponent's time.",
        effect: Effect::Check(|_, _| Ok(())),
    },
    OptionRow {
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
    OptionRow {
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
    OptionRow {
        name: "UCI_Chess960",
        kind: OptionKind::Check { default: false },
        help: "Castling is written as king takes rook.",
        effect: Effect::Check(|engine, on| {
            engine.settings.chess960 = on;
            Ok(())
        }),
    },
];

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

/// Sets an option of an engine that is not searching.
///
/// # Errors
/// If there is no such option or the value does not fit; nothing is changed then.
pub fn set_option(engine: &mut Engine, name: &str, value: &str) -> Result<(), OptionError> {
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

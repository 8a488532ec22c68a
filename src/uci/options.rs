//! The UCI options. Each is declared in one line; [`OPTIONS`], the fields of [`Settings`], their
//! defaults, the checks and all documentation derive from it.

use crate::engine::{
    DEFAULT_HASH, Engine, EngineError, Limits, SearchOptions, Strength, embedded_evaluation,
};
use crate::eval::Evaluation;
#[cfg(feature = "tune")]
use crate::search::params::TUNABLES;
use log::{info, warn};
use std::error::Error;
use std::fmt;
use std::fs::{self, OpenOptions};
use std::path::Path;
use std::time::Duration;

/// The type of an option, with its default and bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// Any text.
    Text {
        /// The default.
        default: &'static str,
    },
    /// No value: setting it runs an action.
    Button,
}

/// One UCI option.
pub struct OptionSpec {
    /// The name as it is listed. Setting an option ignores case.
    pub name: &'static str,
    /// The type, with default and bounds.
    pub kind: OptionKind,
    /// What the option does, in a sentence.
    pub help: &'static str,
    /// Whether the option works on this platform: some need files or threads.
    pub is_available: bool,
    /// Runs before the value is stored, and can refuse it.
    action: fn(&mut Engine, Value<'_>) -> Result<(), EngineError>,
    store: fn(&mut Settings, Value<'_>),
}

/// A value that fits the kind of its option.
#[derive(Clone, Copy)]
enum Value<'a> {
    Check(bool),
    Spin(i64),
    Text(&'a str),
    Button,
}

impl<'a> Value<'a> {
    fn check(self) -> bool {
        matches!(self, Value::Check(true))
    }

    fn spin(self) -> i64 {
        match self {
            Value::Spin(number) => number,
            _ => 0,
        }
    }

    fn text(self) -> &'a str {
        match self {
            Value::Text(text) => text,
            _ => "",
        }
    }

    fn button(self) {}
}

/// One line for each option: the field of [`Settings`] that stores its value (optional), its name,
/// its kind with default and bounds, the condition under which it is available and the action that
/// setting it runs (both optional), its help.
macro_rules! options {
    ($(
        $($field:ident: $type:ident =)? $name:literal,
        $kind:ident $values:tt $(if $condition:ident)? $(=> $action:expr)?, $help:literal;
    )*) => {
        /// The values of the UCI options.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Settings {
            $($(
                #[doc = concat!("`", $name, "`: ", $help)]
                pub $field: $type,
            )?)*
        }

        /// The defaults of the UCI options.
        impl Default for Settings {
            fn default() -> Settings {
                Settings {
                    $($($field: options!(@default $type, $kind $values),)?)*
                }
            }
        }

        /// All UCI options, in the order in which `uci` lists them.
        ///
        /// ```
        /// for option in saavedra::uci::OPTIONS {
        ///     println!("{}: {:?}: {}", option.name, option.kind, option.help);
        /// }
        /// ```
        pub static OPTIONS: &[OptionSpec] = &[$(
            OptionSpec {
                name: $name,
                kind: options!(@kind $kind $values),
                help: $help,
                is_available: true $(&& $condition)?,
                action: |_engine, _value| {
                    $(return $action(_engine, _value.$kind());)?
                    #[allow(unreachable_code)]
                    Ok(())
                },
                store: |_settings, _value| {
                    $(_settings.$field = options!(@convert $type, _value.$kind());)?
                },
            },
        )*];
    };
    (@kind check ($default:expr)) => {
        OptionKind::Check { default: $default }
    };
    (@kind spin ($default:expr, $min:expr, $max:expr)) => {
        OptionKind::Spin { default: $default, min: $min, max: $max }
    };
    (@kind text ($default:expr)) => {
        OptionKind::Text { default: $default }
    };
    (@kind button ()) => {
        OptionKind::Button
    };
    (@default $type:ident, $kind:ident ($default:expr $(, $bound:expr)*)) => {
        options!(@convert $type, $default)
    };
    (@convert bool, $value:expr) => {
        $value
    };
    (@convert String, $value:expr) => {
        String::from($value)
    };
    (@convert $type:ident, $value:expr) => {
        $value as $type
    };
}

/// WebAssembly has neither files nor threads, and addresses of 32 bits.
const HAS_FILES: bool = !cfg!(target_family = "wasm");
const MAX_HASH: i64 = if HAS_FILES { 1 << 25 } else { 1 << 10 };
const MAX_THREADS: i64 = if HAS_FILES { 1024 } else { 1 };
const MAX_CONTEMPT: i64 = 500;
const MIN_ELO: i64 = Strength::WEAKEST.elo() as i64;
const MAX_ELO: i64 = Strength::FULL.elo() as i64;
const MAX_SKILL: i64 = Strength::HIGHEST_SKILL as i64;
/// The maximum of a number in GUIs, which often have 32 bits.
const MAX_SEED: i64 = i32::MAX as i64;

options! {
    "Hash", spin(DEFAULT_HASH as i64, 1, MAX_HASH) => set_hash, "Size of the transposition table in megabytes.";
    "Threads", spin(1, 1, MAX_THREADS) => set_threads, "Number of search threads.";
    "Clear Hash", button() => clear_hash, "Clears the transposition table.";
    "Ponder", check(false), "No effect; tells the GUI that pondering is supported.";
    multipv: usize = "MultiPV", spin(1, 1, 256), "Number of principal variations shown.";
    move_overhead: u64 = "Move Overhead", spin(10, 0, 5000), "Time lost on each move between the engine and the GUI's clock, in milliseconds.";
    chess960: bool = "UCI_Chess960", check(false), "Castling moves are written as king takes rook.";
    show_wdl: bool = "UCI_ShowWDL", check(false), "Adds the probabilities of win, draw and loss to each score, per mille.";
    analyse: bool = "UCI_AnalyseMode", check(false), "Analysis: opening book, strength limits, `Variety` and `Contempt` are off.";
    limit_strength: bool = "UCI_LimitStrength", check(false), "Limits the playing strength to `UCI_Elo`.";
    elo: u32 = "UCI_Elo", spin(MAX_ELO, MIN_ELO, MAX_ELO), "Playing strength if `UCI_LimitStrength` is set, in Elo of the CCRL Blitz list from 1000 on; the maximum is full strength.";
    skill: u32 = "Skill Level", spin(MAX_SKILL, 0, MAX_SKILL), "Playing strength as a level in the range of `UCI_Elo`, if `UCI_LimitStrength` is not set.";
    human_time: bool = "Human Time", check(false) if HAS_FILES, "At limited strength and with a clock, imitates human thinking time.";
    variety: i32 = "Variety", spin(0, 0, 100), "Random choice among the best four moves within this many centipawns of the best one.";
    contempt: i32 = "Contempt", spin(0, -MAX_CONTEMPT, MAX_CONTEMPT), "Elo by which the engine is stronger than its opponent. It avoids draws against weaker opponents.";
    seed: u64 = "Seed", spin(0, 0, MAX_SEED), "Seed of all random choices: handicap, variety, book moves. 0 is a different seed each game.";
    own_book: bool = "OwnBook", check(false) if HAS_FILES, "Plays moves of the opening book, chosen at random by their weights.";
    "BookFile", text("") if HAS_FILES => Engine::open_book, "Opening book in Polyglot format.";
    book_depth: u32 = "BookDepth", spin(20, 1, 255) if HAS_FILES, "Last move number at which the opening book is used.";
    opponent: String = "UCI_Opponent", text(""), "The opponent: title, rating, `human` or `computer`, name. It is only logged.";
    "UCI_EngineAbout", text(ABOUT), "About this engine. Setting it has no effect.";
    "EvalFile", text(EMBEDDED) => load_evaluation, "Network file. `<embedded>` is the network in the program, `<piece-square>` evaluates without a network.";
    "SyzygyPath", text("") if HAS_FILES => Engine::open_tablebases, "Folders of Syzygy tablebases, separated as in `PATH`.";
    syzygy_probe_depth: i32 = "SyzygyProbeDepth", spin(1, 1, 100) if HAS_FILES, "Minimum depth for probing positions with the maximum number of tablebase pieces.";
    syzygy_probe_limit: u32 = "SyzygyProbeLimit", spin(7, 0, 7) if HAS_FILES, "Maximum number of pieces of positions that are probed.";
    syzygy_fifty_moves: bool = "Syzygy50MoveRule", check(true) if HAS_FILES, "Tablebase wins that the fifty-move rule prevents count as draws.";
    minimal: bool = "Minimal", check(false), "Prints only the last PV of a search, with MultiPV all of its PVs, and the best move.";
    log_file: String = "Log File", text("") if HAS_FILES => check_log_file, "Appends input and output to this file, for `saavedra replay`.";
}

const ABOUT: &str = concat!(
    "Saavedra ",
    env!("CARGO_PKG_VERSION"),
    ", a chess engine that taught itself; MIT OR Apache-2.0"
);

/// The value of `EvalFile` for the embedded network.
const EMBEDDED: &str = "<embedded>";

/// The value of `EvalFile` for the evaluation without a network.
const PIECE_SQUARE: &str = "<piece-square>";

fn set_hash(engine: &mut Engine, megabytes: i64) -> Result<(), EngineError> {
    engine.set_hash(megabytes as usize)
}

fn set_threads(engine: &mut Engine, threads: i64) -> Result<(), EngineError> {
    engine.set_threads(threads as usize)
}

fn clear_hash(engine: &mut Engine, (): ()) -> Result<(), EngineError> {
    engine.clear_hash();
    Ok(())
}

fn load_evaluation(engine: &mut Engine, name: &str) -> Result<(), EngineError> {
    match name {
        "" | EMBEDDED => engine.set_evaluation(embedded_evaluation()?),
        PIECE_SQUARE => engine.set_evaluation(Evaluation::PieceSquare),
        path => engine.load_network(path),
    }
}

fn check_log_file(_: &mut Engine, path: &str) -> Result<(), EngineError> {
    if path.is_empty() {
        return Ok(());
    }
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Err(EngineError::file(path, "not a file"));
    }
    let file = OpenOptions::new().append(true).create(true).open(path);
    file.map(drop).map_err(|error| EngineError::file(path, error))
}

impl Settings {
    /// The playing strength.
    fn strength(&self) -> Strength {
        if self.analyse {
            Strength::FULL
        } else if self.limit_strength {
            Strength::new(self.elo)
        } else {
            Strength::of_skill(self.skill)
        }
    }

    /// The options of a search with these limits.
    pub fn search_options(&self, limits: Limits) -> SearchOptions {
        let mut options = SearchOptions::from(limits);
        options.multipv = self.multipv;
        options.strength = self.strength();
        options.human_time = self.human_time;
        options.seed = self.seed;
        options.move_overhead = Duration::from_millis(self.move_overhead);
        options.syzygy_probe_depth = self.syzygy_probe_depth;
        options.syzygy_probe_limit = self.syzygy_probe_limit;
        options.syzygy_fifty_moves = self.syzygy_fifty_moves;
        if !self.analyse {
            options.variety = self.variety;
            options.contempt = self.contempt;
            options.book_depth = self.own_book.then_some(self.book_depth);
        }
        options
    }

    /// The log file, if there is one.
    pub fn log_file(&self) -> Option<&Path> {
        (!self.log_file.is_empty()).then(|| Path::new(&self.log_file))
    }
}

/// Why an option was not set. It keeps its old value.
#[derive(Debug)]
#[non_exhaustive]
pub enum OptionError {
    /// There is no option of this name.
    UnknownName(String),
    /// The value is not of the option's kind.
    WrongKind {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// What the option takes.
        expected: &'static str,
    },
    /// The number is out of bounds.
    OutOfBounds {
        /// The option.
        name: &'static str,
        /// The value.
        value: String,
        /// The minimum.
        min: i64,
        /// The maximum.
        max: i64,
    },
    /// The engine could not apply the value.
    Refused {
        /// The option.
        name: &'static str,
        /// Why.
        source: EngineError,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::UnknownName(name) => write!(f, "there is no option {name:?}"),
            OptionError::WrongKind { name, value, expected } => {
                write!(f, "option {name} takes {expected}, not {value:?}")
            }
            OptionError::OutOfBounds { name, value, min, max } => {
                write!(f, "option {name} takes {min} to {max}, not {value}")
            }
            OptionError::Refused { name, source } => {
                write!(f, "option {name} keeps its value: {source}")
            }
        }
    }
}

impl Error for OptionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            OptionError::Refused { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Settings {
    /// Sets a UCI option of the engine by its name. A running search is stopped first if the option needs that.
    ///
    /// ```
    /// use saavedra::engine::Engine;
    /// use saavedra::uci::Settings;
    ///
    /// let (mut engine, mut settings) = (Engine::new()?, Settings::default());
    /// settings.set(&mut engine, "Hash", "32")?;
    /// assert_eq!(engine.hash(), 32);
    /// assert!(settings.set(&mut engine, "MultiPV", "0").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such option or the value is not allowed; nothing changes then.
    pub fn set(&mut self, engine: &mut Engine, name: &str, value: &str) -> Result<(), OptionError> {
        let result = self.try_set(engine, name, value);
        match &result {
            Ok(()) => info!("option {name}: {value:?}"),
            Err(error) => warn!("{error}"),
        }
        result
    }

    fn try_set(&mut self, engine: &mut Engine, name: &str, value: &str) -> Result<(), OptionError> {
        #[cfg(feature = "tune")]
        if let Some(tunable) = TUNABLES.iter().find(|tunable| tunable.name == name) {
            let (min, max) = (tunable.min.into(), tunable.max.into());
            let number = parse_number(tunable.name, value, min, max)?;
            tunable.set(number as i32);
            return Ok(());
        }
        let spec = OPTIONS
            .iter()
            .find(|spec| spec.is_available && spec.name.eq_ignore_ascii_case(name))
            .ok_or_else(|| OptionError::UnknownName(name.to_owned()))?;
        let value = spec.parse(value)?;
        let name = spec.name;
        (spec.action)(engine, value).map_err(|source| OptionError::Refused { name, source })?;
        (spec.store)(self, value);
        engine.prepare(&self.search_options(Limits::default()));
        Ok(())
    }
}

impl OptionSpec {
    fn parse<'a>(&self, text: &'a str) -> Result<Value<'a>, OptionError> {
        match self.kind {
            OptionKind::Check { .. } if text.eq_ignore_ascii_case("true") => Ok(Value::Check(true)),
            OptionKind::Check { .. } if text.eq_ignore_ascii_case("false") => {
                Ok(Value::Check(false))
            }
            OptionKind::Check { .. } => Err(OptionError::WrongKind {
                name: self.name,
                value: text.to_owned(),
                expected: "true or false",
            }),
            OptionKind::Spin { min, max, .. } => {
                parse_number(self.name, text, min, max).map(Value::Spin)
            }
            OptionKind::Text { .. } if text == "<empty>" => Ok(Value::Text("")),
            OptionKind::Text { .. } => Ok(Value::Text(text)),
            OptionKind::Button => Ok(Value::Button),
        }
    }
}

fn parse_number(name: &'static str, text: &str, min: i64, max: i64) -> Result<i64, OptionError> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return Err(OptionError::WrongKind {
            name,
            value: text.to_owned(),
            expected: "a whole number",
        });
    }
    let number = text.parse().ok();
    number.filter(|number| (min..=max).contains(number)).ok_or_else(|| OptionError::OutOfBounds {
        name,
        value: text.to_owned(),
        min,
        max,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Board, Game};

    #[test]
    fn a_new_engine_has_the_defaults_of_the_options() {
        let mut engine = Engine::new().expect("an engine");
        let mut settings = Settings::default();
        let (threads, hash) = (engine.threads(), engine.hash());
        for spec in OPTIONS {
            let default = match spec.kind {
                OptionKind::Check { default } => default.to_string(),
                OptionKind::Spin { default, .. } => default.to_string(),
                OptionKind::Text { default } => default.to_owned(),
                OptionKind::Button => String::new(),
            };
            settings.set(&mut engine, spec.name, &default).expect(spec.name);
        }
        assert_eq!(settings, Settings::default());
        assert_eq!((engine.threads(), engine.hash()), (threads, hash));
        let default = Settings::default().search_options(Limits::default());
        let expected =
            SearchOptions { move_overhead: default.move_overhead, ..SearchOptions::default() };
        assert_eq!(default, expected);
    }

    #[test]
    fn a_change_of_what_scores_depend_on_clears_the_hash() {
        let mut engine = Engine::new().expect("an engine");
        let mut settings = Settings::default();
        let mut is_cleared_by = |name, value| {
            let options = settings.search_options(Limits::depth(8));
            let search = engine.start(&Game::default(), options);
            search.wait().expect("a result");
            let key = Board::startpos().key();
            let is_used = |engine: &Engine| engine.shared().tt.probe(key, 0, 0).is_some();
            assert!(is_used(&engine), "before {name}");
            settings.set(&mut engine, name, value).expect(name);
            !is_used(&engine)
        };
        for (name, value, is_cleared) in [
            ("Seed", "0", false),
            ("Seed", "7", true),
            ("Contempt", "0", false),
            ("Contempt", "50", true),
            // Contempt is off in analysis.
            ("UCI_AnalyseMode", "true", true),
            ("Contempt", "0", false),
            ("UCI_AnalyseMode", "false", false),
            ("UCI_Elo", "1000", false),
            ("UCI_LimitStrength", "true", true),
            ("UCI_Elo", "1000", false),
            ("UCI_Elo", "2000", true),
            ("UCI_AnalyseMode", "true", true),
            ("Syzygy50MoveRule", "true", false),
            ("SyzygyProbeLimit", "7", false),
            ("SyzygyProbeLimit", "5", true),
            ("MultiPV", "2", false),
        ] {
            assert_eq!(is_cleared_by(name, value), is_cleared, "{name} {value}");
        }
    }

    #[test]
    fn threads_and_hash_do_not_change_each_other() {
        for order in [["Threads", "Hash"], ["Hash", "Threads"]] {
            let mut engine = Engine::new().expect("an engine");
            for name in order {
                let set = Settings::default().set(&mut engine, name, "2");
                set.expect(name);
            }
            assert_eq!((engine.threads(), engine.hash()), (2, 2), "{order:?}");
            assert_eq!(engine.shared().tt.megabytes(), 2, "{order:?}");
        }
    }

    #[test]
    fn bounds_fit_in_32_bits() {
        for option in OPTIONS {
            if let OptionKind::Spin { min, max, .. } = option.kind {
                let fits = |bound| i32::try_from(bound).is_ok();
                assert!(fits(min) && fits(max), "{}: {min} to {max}", option.name);
            }
        }
    }

    #[test]
    fn a_refused_value_changes_nothing() {
        let mut engine = Engine::new().expect("an engine");
        let mut settings = Settings::default();
        for (name, value) in [
            ("Hash", "0"),
            ("Hash", "many"),
            ("MultiPV", "99999999999999999999"),
            ("UCI_ShowWDL", "yes"),
            ("Log File", "/"),
            ("No Such Option", "1"),
        ] {
            settings.set(&mut engine, name, value).expect_err(name);
            assert_eq!(settings, Settings::default(), "{name} {value}");
            assert_eq!(engine.hash(), DEFAULT_HASH, "{name} {value}");
        }
    }
}

//! Imports games of match runners: PGN with the score and depth of each move in a comment.
//!
//! fastchess and cutechess-cli write `{+0.31/12 0.234s}`, `{-M6/24 0.1s}` or `{book}` after a move.
//! Archives of OpenBench have `{+0.31}`, `{+0.31 12/20 234 363004}` (score, depth/selective depth,
//! milliseconds, nodes) or `{unknown}`. Scores are from the view of the side that moves, in
//! displayed pawns.

use super::record::MAX_PLIES;
use super::{
    CheckError, GameRecord, NO_SCORE, PackedPosition, PlyRecord, Termination, check_game,
    score_to_record,
};
use crate::chess::{Board, Color, GameResult};
use crate::formats::{Document, Ply};
use crate::search::score::{Score, TB_WIN_IN_MAX_PLY, Value, mate_in};
use std::fmt;

/// Why a game is not imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The game has no result.
    Unfinished,
    /// The game did not end over the board: the tag `Termination`.
    Termination(String),
    /// The result is a win, but a player's last score favours the other side, and the tag
    /// `Termination` is absent or `normal`. This is probably a loss on time or by a crash.
    Contradiction(GameResult),
    /// No comment has a score.
    NoScores,
    /// The game has a null move.
    NullMove,
    /// The game is longer than a record can be.
    TooLong,
    /// The end of the game contradicts the rules of chess.
    Check(CheckError),
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Unfinished => f.write_str("the game has no result"),
            ImportError::Termination(text) => write!(f, "the game ended by {text}"),
            ImportError::Contradiction(result) => write!(
                f,
                "the result {result} contradicts the last scores: probably a loss on time or by a crash"
            ),
            ImportError::NoScores => f.write_str("no comment of the game has a score"),
            ImportError::NullMove => f.write_str("the game has a null move"),
            ImportError::TooLong => write!(f, "the game is longer than {MAX_PLIES} plies"),
            ImportError::Check(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ImportError {}

/// Converts a game of a match runner to a record. Its moves have been checked by the PGN reader.
///
/// `scale` is the number of centipawns of the evaluation for a displayed pawn: displayed scores are
/// normalised, see [`eval::wdl`](crate::eval::wdl). Plies before the first score are the opening.
///
/// ```
/// use saavedra::data::import_game;
/// use saavedra::formats::pgn::Reader;
///
/// let pgn = "1. f3 {book} e5 {-0.10/9 0.1s} 2. g4 {-M2/9 0.1s} Qh4# {+M1/9 0.1s} 0-1";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()?;
/// let record = import_game(&game, 165.0)?;
/// assert_eq!((record.opening_plies, record.plies[1].score), (1, 17));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The game has no result or no scores, or its end contradicts its result.
pub fn import_game(document: &Document, scale: f64) -> Result<GameRecord, ImportError> {
    let result = document.result.ok_or(ImportError::Unfinished)?;
    let start = *document.tree.start();
    let plies = read_plies(document, scale)?;
    let Some(opening_plies) = plies.iter().position(|ply| ply.score != NO_SCORE) else {
        return Err(ImportError::NoScores);
    };
    let mut record = GameRecord {
        start: (start != Board::startpos()).then(|| PackedPosition::from_board(&start)),
        result,
        termination: Termination::AdjudicatedWin,
        opening_plies: opening_plies as u16,
        plies,
        pvs: Vec::new(),
    };
    let game = record.to_game().map_err(|error| ImportError::Check(error.into()))?;
    record.termination = match Termination::from_status(game.status()) {
        Some(termination) => termination,
        None => adjudication(document, &record)?,
    };
    check_game(&record).map_err(ImportError::Check)?;
    Ok(record)
}

fn read_plies(document: &Document, scale: f64) -> Result<Vec<PlyRecord>, ImportError> {
    let tree = &document.tree;
    let mut turn = tree.start().turn();
    let mut plies = Vec::with_capacity(tree.len());
    for node in tree.mainline_nodes() {
        let node = tree.node(node);
        let m = match node.ply() {
            None => continue,
            Some(Ply::Null) => return Err(ImportError::NullMove),
            Some(Ply::Move(m)) => m,
        };
        if plies.len() == MAX_PLIES {
            return Err(ImportError::TooLong);
        }
        plies.push(PlyRecord {
            move_bits: m.bits(),
            score: parse_comment(&node.comment, scale).map_or(NO_SCORE, |score| {
                score_to_record(Score::from(score).white_view(turn).value())
            }),
        });
        turn = !turn;
    }
    Ok(plies)
}

/// The score in a comment, in centipawns of the evaluation; `None` if it has none.
fn parse_comment(comment: &str, scale: f64) -> Option<Value> {
    let is_separator = |c: char| c.is_whitespace() || c == ',';
    let mut words = comment.split(is_separator).filter(|word| !word.is_empty());
    let with_depth = words.clone().find_map(|word| {
        let (score, depth) = word.split_once('/')?;
        depth.parse::<u32>().ok()?;
        parse_score(score, scale)
    });
    with_depth.or_else(|| {
        let score = words.next()?;
        let is_alone = words.next().is_none_or(is_depth_pair) || score.starts_with(['+', '-']);
        parse_score(score, scale).filter(|_| is_alone)
    })
}

/// Whether a word is the depth and the selective depth of a search: `17/28`.
fn is_depth_pair(word: &str) -> bool {
    let is_depth = |text: &str| text.parse::<u32>().is_ok();
    word.split_once('/').is_some_and(|(depth, selective)| is_depth(depth) && is_depth(selective))
}

/// A score as match runners write it: `+0.31`, `-12.05`, `0.00`, or `+M5` for a mate in five plies.
/// A number without sign and decimal point is a depth, a time or a count.
fn parse_score(text: &str, scale: f64) -> Option<Value> {
    let (sign, size) = match text.split_at_checked(1)? {
        ("+", size) => (1, size),
        ("-", size) => (-1, size),
        _ if text.contains('.') || text.starts_with('M') => (1, text),
        _ => return None,
    };
    if let Some(plies) = size.strip_prefix('M') {
        let plies: u16 = plies.parse().ok()?;
        return Some(sign * mate_in(usize::from(plies)).max(TB_WIN_IN_MAX_PLY));
    }
    if !size.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let pawns: f64 = size.parse().ok()?;
    // Tablebase scores are not normalised.
    let displayed = (100.0 * pawns).round();
    let score = if displayed >= f64::from(TB_WIN_IN_MAX_PLY) {
        displayed.min(f64::from(i16::MAX))
    } else {
        (pawns * scale).round().min(f64::from(TB_WIN_IN_MAX_PLY - 1))
    };
    Some(sign * score as Value)
}

/// The termination of a game whose last position is ongoing.
fn adjudication(document: &Document, record: &GameRecord) -> Result<Termination, ImportError> {
    let tag = document.tag("Termination").unwrap_or_default();
    match tag.to_ascii_lowercase().as_str() {
        "adjudication" => {}
        "" | "normal" => {
            let mut last_scores = record.plies.iter().rev().take(2).map(|ply| ply.score);
            let is_contradiction = |score: i16| match record.result.winner() {
                _ if score == NO_SCORE => false,
                None => false,
                Some(Color::White) => score < 0,
                Some(Color::Black) => score > 0,
            };
            if last_scores.any(is_contradiction) {
                return Err(ImportError::Contradiction(record.result));
            }
        }
        _ => return Err(ImportError::Termination(tag.to_owned())),
    }
    Ok(match record.result {
        GameResult::Draw => Termination::AdjudicatedDraw,
        _ => Termination::AdjudicatedWin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::DECISIVE;
    use crate::formats::pgn::Reader;

    fn import(pgn: &str) -> Result<GameRecord, ImportError> {
        let game = Reader::new(pgn.as_bytes()).next().unwrap().unwrap();
        import_game(&game, 165.0)
    }

    #[test]
    fn scores_are_read_in_all_their_forms() {
        let score = |comment| parse_comment(comment, 165.0);
        assert_eq!(score("+0.31/12 0.234s"), Some(51));
        assert_eq!(score("-1.00/8 12s, n=123, sd=20"), Some(-165));
        assert_eq!(score("0.00/1 0s"), Some(0));
        assert_eq!(score("+0.31/12, line=x"), Some(51));
        assert_eq!(score("-M6/24 0.1s"), Some(-mate_in(6)));
        assert_eq!(score("+M5/24").and_then(|value| Score::from(value).mate()), Some(3));
        assert_eq!(score("+299.90/24 0.1s"), Some(29_990));
        assert_eq!(score("-250.00/24 0.1s"), Some(1 - TB_WIN_IN_MAX_PLY));
        assert_eq!(score("+0.57 17/28 583 363004"), Some(94));
        assert_eq!(score("-1.20 18/20 3 4"), Some(-198));
        assert_eq!(score("0.00 17/28 583 363004"), Some(0));
        assert_eq!(score("-M6 17/28 583 363004"), Some(-mate_in(6)));
        assert_eq!(score("+0.57"), Some(94));
        assert_eq!(score("0.00"), Some(0));
        assert_eq!(score("-.5/9"), score("-0.5/9"));
        assert_eq!(score(".5/9"), Some(83));
        assert_eq!(score("M5"), score("+M5/24"));
        assert_eq!(score("time 3/4, +0.31/12"), Some(51));
        for none in [
            "",
            "book",
            "unknown",
            "/12",
            "ERR/3",
            "+/3",
            "inf/3",
            "NaN/3",
            "é/1",
            "../3",
            "+..5/3",
            "3/4 blunder",
            "17/28 583 363004",
            "12",
            "1.5 seconds",
            "move 12/20",
            "on 2024/11",
        ] {
            assert_eq!(score(none), None, "{none}");
        }
    }

    #[test]
    fn scores_are_stored_from_whites_view() {
        let pgn = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n\
                   1... Kd7 {-2.00/9} 2. e4 {+2.00/9} Kd6 {-2.10/9} 1-0";
        let record = import(pgn).unwrap();
        let scores: Vec<i16> = record.plies.iter().map(|ply| ply.score).collect();
        assert_eq!(scores, [330, 330, 347]);
        assert_eq!(record.termination, Termination::AdjudicatedWin);
        assert!(record.start.is_some_and(|start| start.black_to_move));
    }

    #[test]
    fn the_forms_of_runners_and_archives_have_the_same_scores() {
        for form in ["/12 0.234s", "/12", "", " 12/20 583 363004", "/12, n=363004"] {
            let pgn = format!(
                "1. f3 {{book}} e5 {{+0.57{form}}} 2. g4 {{-1.20{form}}} Qh4# {{+M1{form}}} 0-1"
            );
            let record = import(&pgn).unwrap();
            let scores: Vec<i16> = record.plies.iter().map(|ply| ply.score).collect();
            assert_eq!(scores, [NO_SCORE, -94, -198, -31_999], "{form}");
        }
    }

    /// A large score is no mate, but a score of a tablebase is as certain as one.
    #[test]
    fn only_mate_and_tablebase_scores_are_stored_as_decisive() {
        for (comment, is_decisive) in [
            ("+178.00/20", false),
            ("+179.50/20", false),
            ("+250.00/20", false),
            ("+295.19/20", false),
            ("+295.20/20", true),
            ("+299.90/20", true),
            ("+M5/20", true),
        ] {
            let record = import(&format!("1. e4 {{{comment}}} 1-0")).unwrap();
            let score = record.plies[0].score;
            assert_eq!(score >= DECISIVE, is_decisive, "{comment}: {score}");
            assert!(score > 29_000, "{comment}: {score}");
        }
    }

    #[test]
    fn only_games_that_ended_over_the_board_are_imported() {
        let game = |tag: &str, score: &str, result: &str| {
            import(&format!(
                "[Result \"{result}\"]\n{tag}\n\n1. e4 {{{score}/9}} e5 {{-{score}/9}} {result}"
            ))
        };
        let forfeit = "[Termination \"time forfeit\"]";
        let adjudication = "[Termination \"adjudication\"]";
        assert!(game("", "5.00", "1-0").is_ok());
        assert!(game("", "0.00", "1/2-1/2").is_ok());
        assert!(game(adjudication, "0.00", "0-1").is_ok());
        let error = |tag, score, result| game(tag, score, result).unwrap_err();
        for (score, result, winner) in
            [("5.00", "0-1", GameResult::BlackWins), ("-5.00", "1-0", GameResult::WhiteWins)]
        {
            for tag in ["", "[Termination \"normal\"]"] {
                let contradiction = ImportError::Contradiction(winner);
                assert_eq!(error(tag, score, result), contradiction, "{tag}");
            }
        }
        for result in ["1-0", "0-1"] {
            assert!(game("", "0.00", result).is_ok(), "{result}");
        }
        let termination = ImportError::Termination("time forfeit".into());
        assert_eq!(error(forfeit, "5.00", "1-0"), termination);
        assert_eq!(error("", "5.00", "*"), ImportError::Unfinished);
        assert_eq!(error("", "x", "1-0"), ImportError::NoScores);
        let mate = "1. f3 {+0.00/1} e5 {-0.10/9} 2. g4 {-M2/9} Qh4# {+M1/9} 1-0";
        assert!(matches!(import(mate), Err(ImportError::Check(_))));
    }
}

//! The parts of games that a visitor sees, and those it skips.

use saavedra_chess::GameResult;
use saavedra_formats::pgn::{Comment, Reader, TagValue, Visit, Visitor};
use saavedra_formats::{ErrorKind, FormatError, Location, PgnError, result_text};

/// Writes down what it sees.
#[derive(Default)]
struct Log {
    seen: Vec<String>,
    skips_games: bool,
    skips_variations: bool,
    /// The move that it refuses.
    refused: &'static str,
}

fn visit(skip: bool) -> Visit {
    if skip { Visit::Skip } else { Visit::Read }
}

impl Visitor for Log {
    fn begin_game(&mut self, location: Location) {
        let line = location.line.expect("a line");
        self.seen.push(format!("line {line}"));
    }

    fn tag(&mut self, name: &str, value: TagValue<'_>) -> Result<(), ErrorKind> {
        self.seen.push(format!("{name}={}", value.decode()));
        Ok(())
    }

    fn end_tags(&mut self) -> Visit {
        self.seen.push("moves".into());
        visit(self.skips_games)
    }

    fn san(&mut self, san: &str) -> Result<(), ErrorKind> {
        if san == self.refused {
            return Err(ErrorKind::Empty);
        }
        self.seen.push(san.into());
        Ok(())
    }

    fn nag(&mut self, nag: u8) {
        self.seen.push(format!("${nag}"));
    }

    fn comment(&mut self, comment: Comment<'_>) {
        self.seen.push(format!("{{{}}}", comment.decode()));
    }

    fn begin_variation(&mut self) -> Visit {
        self.seen.push("(".into());
        visit(self.skips_variations)
    }

    fn end_variation(&mut self) {
        self.seen.push(")".into());
    }

    fn result(&mut self, result: Option<GameResult>) {
        self.seen.push(result_text(result).into());
    }

    fn error(&mut self, error: FormatError) -> Result<(), FormatError> {
        self.seen.push(error.located("error"));
        Ok(())
    }

    fn end_game(&mut self) {
        self.seen.push("end".into());
    }
}

/// What a visitor sees of all games, and how many there are.
fn read(text: &str, mut log: Log) -> (usize, String) {
    let mut reader = Reader::new(text.as_bytes());
    let mut games = 0;
    while reader.read_game(&mut log).expect("a game") {
        games += 1;
    }
    assert!(!reader.read_game(&mut log).expect("the end"));
    (games, log.seen.join(" "))
}

const GAMES: &str = "[White \"a \\\"b\\\"\"]\n[Round 7]\n\n1. e4! {x\n y} (1. d4 d5 (1... Nf6) 2. c4) e5 \
                     $14 {[Event \"z\"]} 1-0\n\n{pre}\n[White \"c\"]\n\n1. Nf3+ (1. c4 ; (\n{)}) d5 *\n";

#[test]
fn all_parts_are_seen_in_the_order_of_the_text() {
    let seen = "line 1 White=a \"b\" Round=7 moves e4 $1 {x y} ( d4 d5 ( Nf6 ) c4 ) e5 $14 \
                {[Event \"z\"]} 1-0 end \
                line 7 {pre} White=c moves Nf3 ( c4 {(} {)} ) d5 * end";
    assert_eq!(read(GAMES, Log::default()), (2, seen.into()));
}

#[test]
fn variations_can_be_skipped() {
    let log = Log { skips_variations: true, ..Log::default() };
    let seen = "line 1 White=a \"b\" Round=7 moves e4 $1 {x y} ( e5 $14 {[Event \"z\"]} 1-0 end \
                line 7 {pre} White=c moves Nf3 ( d5 * end";
    assert_eq!(read(GAMES, log), (2, seen.into()));
}

#[test]
fn games_can_be_skipped() {
    let log = Log { skips_games: true, ..Log::default() };
    let seen = "line 1 White=a \"b\" Round=7 moves line 7 {pre} White=c moves";
    assert_eq!(read(GAMES, log), (2, seen.into()));
    let mut reader = Reader::new(GAMES.as_bytes());
    assert!(reader.skip_game().expect("the first game"));
    let second = reader.next().expect("the second game").expect("read");
    assert_eq!(second.location, Location { game: Some(2), ..Location::at(7, 1) });
    assert!(!reader.skip_game().expect("the end"));
}

/// Texts with as many games skipped as read.
#[test]
fn skipped_games_end_where_read_games_end() {
    for text in [
        "",
        "{only a comment}",
        "1. e4 e5 1-0\n\n1. d4 d5 0-1\n",
        "1. e4 e5 1-0 {won}\n\n1. d4 d5 0-1\n",
        "1. e4 e5 1/2-1/2\r\n\r\n1. d4 d5 ½-½\r\n\r\n1. c4 *",
        "1. e4 *\n1. d4 *\n1. c4 *\n",
        "[Event \"a\"]\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n",
        "[Event \"a\"]\n\n1. e4 {\n[Site \"not a tag\"]\n} e5 *\n\n[Event \"b\"]\n\n1. d4 *",
        "1. e4 ; {\n e5 *\n\n1. d4 {x} *\n",
        "[Event \"a\"]\n\n1. e4 e5\n\n[Event \"b\"]\n\n1. d4 d5\n",
    ] {
        let read = read(text, Log::default()).0;
        for length in [0, 1, 7, 200_000] {
            // The result may be anywhere in the part that is read at once.
            let text = text.replace(" 1", &format!("{} 1", " ".repeat(length)));
            let mut reader = Reader::new(text.as_bytes());
            let mut skipped = 0;
            while reader.skip_game().expect("no error") {
                skipped += 1;
            }
            assert_eq!(skipped, read, "{text:.40?}");
        }
    }
}

#[test]
fn a_refused_move_ends_its_variation_or_its_game() {
    let log = |refused| Log { refused, ..Log::default() };
    let text = "1. e4 (1. d4 d5 (1... Nf6) 2. c4) e5 *\n\n1. Nf3 *";
    let seen = "line 1 moves e4 ( d4 error:1:14: game 1: no position found ) e5 * end \
                line 3 moves Nf3 * end";
    assert_eq!(read(text, log("d5")), (2, seen.into()));

    let mut log = log("e5");
    let mut reader = Reader::new(text.as_bytes());
    let error = reader.read_game(&mut log).expect_err("refused");
    let game = |game| Location { game: Some(game), ..Location::at(1, 35) };
    assert_eq!((error.location, error.kind), (game(1), ErrorKind::Empty));
    assert!(reader.read_game(&mut log).expect("the second game"));
    assert!(log.seen.ends_with(&["Nf3".into(), "*".into(), "end".into()]));
}

#[test]
fn a_game_without_legal_moves_is_read_but_not_one_that_is_malformed() {
    let (games, seen) = read("1. e9 Qq5 *", Log::default());
    assert_eq!((games, &*seen), (1, "line 1 moves e9 Qq5 * end"));
    for (text, kind) in [
        ("1. e4 {never closed", PgnError::CommentNotClosed),
        ("1. e4 & *", PgnError::Token("&".into())),
    ] {
        let error = Reader::new(text.as_bytes()).read_game(&mut Log::default());
        assert_eq!(error.expect_err(text).kind, ErrorKind::Pgn(kind), "{text}");
    }
}

//! `saavedra data import`: PGN files of match runners become records; games that cannot be used are
//! reported with their place.

use saavedra::chess::{Board, Color, GameResult, GameStatus, Random};
use saavedra::data::{DECISIVE, GameFile, GameRecord, NO_SCORE, Termination, check_game};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// A folder that is removed when dropped.
struct TempFolder(PathBuf);

impl TempFolder {
    fn new(name: &str) -> TempFolder {
        let name = format!("saavedra-import-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        TempFolder(path)
    }
}

impl Drop for TempFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Imports a text; the program's output and the games.
fn import(name: &str, pgn: &str, options: &[&str]) -> (Output, Vec<GameRecord>) {
    let folder = TempFolder::new(name);
    let (input, out) = (folder.0.join("in.pgn"), folder.0.join("out.games"));
    fs::write(&input, pgn).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_saavedra"))
        .args(["data", "import", "-o"])
        .args([&out, &input])
        .args(options)
        .output()
        .unwrap();
    let games = match GameFile::open(&out) {
        Ok(file) => file.unwrap().games().map(Result::unwrap).collect(),
        Err(_) => Vec::new(),
    };
    let left_over = fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(left_over, 1 + usize::from(out.exists()), "partial files");
    (output, games)
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// As fastchess writes games, with book moves, a mate, and the end of the game in the last comment.
const FASTCHESS: &str = r#"[Event "Fastchess Tournament"]
[Site "?"]
[Date "2026.11.22"]
[Round "1"]
[White "new"]
[Black "base"]
[Result "0-1"]
[GameDuration "00:00:00"]
[PlyCount "4"]
[Termination "normal"]
[TimeControl "1+0.01"]
[ECO "A00"]
[Opening "Barnes Opening"]

1. f3 {book} e5 {+0.42/11 0.021s, n=1234, sd=17} 2. g4 {-M2/9 0.001s, n=70, sd=3}
Qh4# {+M1/240 0.001s, n=40, sd=2, Black mates} 0-1

[Event "Fastchess Tournament"]
[Site "?"]
[Round "1"]
[White "base"]
[Black "new"]
[Result "1/2-1/2"]
[SetUp "1"]
[FEN "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"]
[Termination "adjudication"]

1... e5 {-0.10/12 0.020s} 2. Nf3 {+0.20/12 0.020s, Draw by adjudication} 1/2-1/2
"#;

#[test]
fn games_of_fastchess_become_records() {
    let (output, games) = import("fastchess", FASTCHESS, &["--generation", "7"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2 games, 5 positions\n");
    let [mate, draw] = &games[..] else {
        panic!("two games: {games:?}");
    };
    let scores = |game: &GameRecord| -> Vec<i16> { game.plies.iter().map(|p| p.score).collect() };
    assert_eq!(mate.result, GameResult::BlackWins);
    assert_eq!(mate.termination, Termination::Checkmate);
    assert_eq!(mate.opening_plies, 1);
    // Scores from White's view in centipawns of the evaluation, 151 for a displayed pawn.
    assert_eq!(scores(mate)[..2], [NO_SCORE, -63]);
    assert!(scores(mate)[2..].iter().all(|score| *score <= -DECISIVE));
    assert_eq!(draw.termination, Termination::AdjudicatedDraw);
    assert_eq!((draw.opening_plies, scores(draw)), (0, vec![15, 30]));
    games.iter().for_each(|game| check_game(game).unwrap());
    let (output, games) = import("scale", FASTCHESS, &["--scale", "100"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(games[1].plies[1].score, 20);
}

/// As OpenBench stores games: no move numbers, short comments, no tag `Termination`.
const OPENBENCH: &str = r#"[Event "Fastchess Tournament"]
[White "Saavedra-dev"]
[Black "Saavedra-base"]
[Result "1-0"]
[FEN "nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1"]
[Variant "fischerandom"]
[ScaleFactor "1.0"]
[SetUp "1"]

d4 {+0.31/12} d5 {unknown} Nb3 {+4.25/11, line=depth 3} Nb6 {-5.00/11} 1-0

[Event "Fastchess Tournament"]
[White "Saavedra-dev"]
[Black "Saavedra-base"]
[Result "0-1"]

e4 {+0.31/12} e5 {-0.25/11} Nf3 {+0.40/12} 0-1
"#;

#[test]
fn games_of_openbench_are_read_from_standard_input() {
    let folder = TempFolder::new("openbench");
    let out = folder.0.join("out.games");
    let mut child = Command::new(env!("CARGO_BIN_EXE_saavedra"))
        .args(["data", "import", "-", "-o"])
        .arg(&out)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(OPENBENCH.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    // The second game was lost on time.
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let errors = stderr(&output);
    assert!(errors.starts_with("saavedra: -:12:"), "{errors}");
    assert!(errors.contains("the result 0-1 contradicts the last scores"), "{errors}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "1 games, 3 positions\n");
    let file = GameFile::open(&out).unwrap().unwrap();
    let games: Vec<GameRecord> = file.games().map(Result::unwrap).collect();
    assert!(games[0].start.is_some_and(|start| start.chess960));
    assert_eq!(games[0].termination, Termination::AdjudicatedWin);
    assert_eq!(games[0].plies[1].score, NO_SCORE);
}

#[test]
fn bad_games_are_left_out_with_their_place_and_status_3() {
    let bad = [
        ("1. e4 {+0.10/9} e5 {0.00/9} 2. Ke3 {+0.10/9} 1-0", "Ke3"),
        ("1. e4 {+0.10/9} e5 {0.00/9} *", "the game has no result"),
        ("1. e4 e5 1-0", "no comment of the game has a score"),
        (
            "[Termination \"time forfeit\"]\n\n1. e4 {+0.10/9} e5 {-0.10/9} 1-0",
            "the game ended by time forfeit",
        ),
        (
            "1. f3 {+0.00/1} e5 {-0.10/9} 2. g4 {-M2/9} Qh4# {+M1/9} 1/2-1/2",
            "contradicts the termination checkmate",
        ),
    ];
    for (game, message) in bad {
        let pgn = format!("{FASTCHESS}\n[White \"x\"]\n{game}\n\n{FASTCHESS}");
        let (output, games) = import("bad", &pgn, &[]);
        assert_eq!(output.status.code(), Some(3), "{game}: {output:?}");
        assert_eq!(games.len(), 4, "{game}");
        let errors = stderr(&output);
        assert!(errors.contains(message), "{game}: {errors}");
        assert!(errors.contains("in.pgn:3"), "{game}: {errors}");
    }
    let (output, games) = import("nothing", "no games", &[]);
    assert_eq!((output.status.code(), games.len()), (Some(2), 0), "{output:?}");
}

/// How a runner or an archive writes the score, the depth and other figures of a move.
type CommentForm = fn(score: &str, depth: u64, figure: u64) -> String;

const COMMENT_FORMS: [(&str, CommentForm); 8] = [
    ("fastchess", |score, depth, n| format!("{score}/{depth} 0.{n:03}s, n={n}, sd={depth}")),
    ("fastchess, short", |score, depth, n| format!("{score}/{depth} 0.{n:03}s")),
    ("cutechess", |score, depth, n| format!("{score}/{depth} {n}s")),
    ("cutechess, comment", |score, depth, n| {
        format!("{score}/{depth} {n}s, White makes an illegal move")
    }),
    ("OpenBench, compact", |score, _, _| score.to_owned()),
    ("OpenBench, verbose", |score, depth, n| {
        format!("{score} {depth}/{} {n} {}", depth + 9, 7 * n)
    }),
    ("time first", |score, depth, n| format!("time {n}/40, {score}/{depth}")),
    ("depths only", |score, depth, _| format!("{score} {depth}/{depth}")),
];

/// Imports random games in each form: moves, scores and results are exact.
#[test]
fn scores_of_many_games_in_all_forms_are_exact() {
    for (name, form) in COMMENT_FORMS {
        let mut text = String::new();
        let mut expected: Vec<(GameResult, Vec<(u16, i16)>)> = Vec::new();
        for number in 0..10_000 {
            let mut random = Random::for_game(7, number);
            let (mut board, mut movetext, mut plies) = (Board::startpos(), String::new(), vec![]);
            for _ in 0..10 + random.next_u64() % 30 {
                let moves = board.legal_moves();
                let m = *random.pick(&moves);
                if board.make(m).status() != GameStatus::Ongoing {
                    break;
                }
                let (score, depth) = (random.next_u64() as i16 / 16, 1 + random.next_u64() % 60);
                let pawns = format!("{:+}.{:02}", score / 100, score.unsigned_abs() % 100);
                let pawns = if (-99..0).contains(&score) { pawns.replace('+', "-") } else { pawns };
                let comment = form(&pawns, depth, random.next_u64() % 1000);
                movetext += &format!("{} {{{comment}}} ", board.san(m));
                plies.push((m.bits(), if board.turn() == Color::White { score } else { -score }));
                board = board.make(m);
            }
            // The runner adjudicates for the side that the last scores favour.
            let result = match &plies[plies.len() - 2..] {
                [(_, a), (_, b)] if *a > 0 && *b > 0 => GameResult::WhiteWins,
                [(_, a), (_, b)] if *a < 0 && *b < 0 => GameResult::BlackWins,
                _ => GameResult::Draw,
            };
            let result_text = result.text();
            text += &format!("[Result \"{result_text}\"]\n\n{movetext}{result_text}\n\n");
            expected.push((result, plies));
        }
        let (output, games) = import("forms", &text, &["--scale", "100"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
        assert_eq!(games.len(), expected.len(), "{name}");
        for (game, (result, plies)) in games.iter().zip(&expected) {
            let found: Vec<_> = game.plies.iter().map(|ply| (ply.move_bits, ply.score)).collect();
            assert_eq!((game.result, &found), (*result, plies), "{name}");
        }
    }
}

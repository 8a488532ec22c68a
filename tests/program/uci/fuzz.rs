//! Random and mutated commands: the program must answer, and its memory must not grow.

use super::driver::Engine;
use saavedra::chess::Random;
use std::process::Command;
use std::time::{Duration, Instant};

/// The maximum time of an answer to `isready` on a busy machine.
const MAX_ANSWER_TIME: Duration = Duration::from_secs(20);

const LINES: [&str; 49] = [
    "uci",
    "isready",
    "ucinewgame",
    "stop",
    "stop",
    "ponderhit",
    "d",
    "eval",
    "debug on",
    "register later",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1",
    "position fen 8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "position fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "go infinite",
    "go depth 4",
    "go nodes 500",
    "go movetime 3",
    "go ponder wtime 20 btime 20",
    "go wtime 20 btime 20 winc 1 binc 1 movestogo 2",
    "go mate 1 nodes 300",
    "go searchmoves e2e4 d2d4 depth 2",
    "go perft 2",
    "go depth 3 infinite",
    "setoption name Hash value 1",
    "setoption name Hash value 16",
    "setoption name Threads value 1",
    "setoption name Threads value 2",
    "setoption name Threads value 4",
    "setoption name Clear Hash",
    "setoption name MultiPV value 3",
    "setoption name MultiPV value 1",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_ShowWDL value true",
    "setoption name Minimal value true",
    "setoption name Minimal value false",
    "setoption name Move Overhead value 5",
    "setoption name EvalFile value <piece-square>",
    "setoption name EvalFile value <embedded>",
    "setoption name EvalFile value some.nnue",
    "setoption name SyzygyPath value .",
    "setoption name OwnBook value true",
    "setoption name BookFile value some.bin",
    "setoption name Log File value some.log",
    "setoption name Log File value",
    "setoption name Ponder value true",
];

const WORDS: [&str; 24] = [
    "go",
    "position",
    "fen",
    "moves",
    "startpos",
    "setoption",
    "name",
    "value",
    "depth",
    "-1",
    "0",
    "99999999999999999999",
    "infinite",
    "ponder",
    "e2e4",
    "e7e8q",
    "KQkq",
    "-",
    "w",
    "searchmoves",
    "é\u{1F600}",
    "\u{0}",
    "perft",
    "nodes",
];

/// A command of the list, usually mutated.
fn line(random: &mut Random) -> Vec<u8> {
    let mut line = random.pick(&LINES).as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(line.len() + 1);
        match random.below(6) {
            0 => line.truncate(at),
            1 => line.insert(at, random.below(256) as u8),
            2 if at < line.len() => line[at] = random.below(256) as u8,
            3 => {
                line.push(b' ');
                line.extend_from_slice(random.pick(&WORDS).as_bytes());
            }
            4 => line.splice(at..at, random.pick(&LINES).bytes()).for_each(drop),
            _ => {}
        }
    }
    line.retain(|c| *c != b'\n');
    line
}

/// Whether a line could end the program, write a file outside its folder, or need too much memory.
fn is_out_of_bounds(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line).to_lowercase();
    let has = |word: &str| text.split_whitespace().any(|w| w == word);
    let number = |most: u64| {
        let mut words = text.split_whitespace();
        words.any(|w| w.parse::<f64>().is_ok_and(|n| n > most as f64))
    };
    let ends = has("quit") || has("wait") || has("bench");
    let names = text.contains("file") || text.contains("path");
    let leaves = names && text.contains(['/', '\\', ':', '~']) || text.contains("..");
    let large = (text.contains("hash") && number(64)) || (text.contains("threads") && number(4));
    ends || leaves || large
}

#[cfg(target_os = "linux")]
fn resident_megabytes(engine: &Engine) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id()));
    let text = text.expect("the program is running");
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.expect("a number") >> 10
}

/// Reads the answers to all earlier commands, up to the unique answer to an unknown command.
fn catch_up(engine: &mut Engine, number: usize) {
    engine.send(&format!("catch up {number}"));
    engine.read_until(&format!("Unknown command: 'catch up {number}'"));
}

/// Sends this number of lines. Returns the longest time of an answer after which memory or threads
/// may have been allocated, and of an answer without that.
fn run(lines: usize, seed: u64) -> [Duration; 2] {
    let folder = std::env::temp_dir().join(format!("saavedra-fuzz-{seed}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut random = Random::new(seed);
    let program = env!("CARGO_BIN_EXE_saavedra");
    let mut engine = Engine::spawn(Command::new(program).current_dir(&folder));
    let mut longest = [Duration::ZERO; 2];
    for sent in 0..lines {
        let mut line = line(&mut random);
        while is_out_of_bounds(&line) {
            line = self::line(&mut random);
        }
        line.push(b'\n');
        engine.send_bytes(&line);
        if sent % 16 == 0 {
            let start = Instant::now();
            catch_up(&mut engine, sent);
            let first = start.elapsed();
            engine.sync();
            let then = start.elapsed() - first;
            longest = [longest[0].max(first), longest[1].max(then)];
            assert!(longest[0].max(then) < MAX_ANSWER_TIME, "{longest:?} after {sent} lines");
        }
        #[cfg(target_os = "linux")]
        if sent % 1000 == 0 {
            let used = resident_megabytes(&engine);
            assert!(used < 600, "{used} MB after {sent} lines");
        }
    }
    engine.send("stop");
    engine.send("wait");
    engine.send("setoption name Threads value 1");
    engine.send("setoption name Log File value");
    engine.send("position startpos");
    catch_up(&mut engine, lines);
    assert_ne!(engine.best("go depth 2"), "(none)");
    engine.send("quit");
    engine.read_to_end();
    std::fs::remove_dir_all(&folder).expect("the folder exists");
    longest
}

#[test]
fn two_thousand_random_commands() {
    run(2000, 1);
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_thousand_random_commands() {
    let [first, then] = run(100_000, 2);
    println!("longest answer: {first:?}; without allocation: {then:?}");
}

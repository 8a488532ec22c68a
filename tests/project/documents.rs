//! The commands in the documents. Each `sh` block runs here or is marked `no_run`, and all commands name
//! options that exist. (`web/tests/browser/examples.rs` runs the blocks with requests to the service;
//! `python/tests/test_documents.py` runs the examples in Python.)

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_saavedra");

/// What a fenced block may be.
const LABELS: [&str; 9] =
    ["sh", "sh no_run", "text", "rust", "python", "js", "html", "json", "toml"];

/// What is in a block that the tests of the service run.
const REQUEST: &str = "http://127.0.0.1:8080/api/v1/";

/// A fenced block.
struct Block {
    /// Its document and line.
    place: String,
    label: String,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Adds the documents below a directory.
fn find_documents(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !name.starts_with('.') && !["target", "node_modules"].contains(&name) {
            find_documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The names and texts of all documents.
fn documents() -> Vec<(String, String)> {
    let mut paths = Vec::new();
    find_documents(root(), &mut paths);
    let document = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.strip_prefix(root()).expect("a path below").display().to_string();
        (name.replace('\\', "/"), text)
    };
    paths.into_iter().map(document).collect()
}

/// The fenced blocks of a document, and the prose without them.
fn blocks(name: &str, text: &str) -> (Vec<Block>, String) {
    let (mut blocks, mut prose) = (Vec::new(), String::new());
    let mut open: Option<Block> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (Some(block), None) => block.text += &format!("{line}\n"),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, None) => prose += &format!("{line}\n"),
            (None, Some(label)) => {
                let (place, label) = (format!("{name}:{number}"), label.trim().to_owned());
                open = Some(Block { place, label, text: String::new() });
            }
        }
    }
    assert!(open.is_none(), "{name}: a block has no end");
    (blocks, prose)
}

fn all_blocks() -> Vec<Block> {
    documents().iter().flat_map(|(name, text)| blocks(name, text).0).collect()
}

/// The commands of a shell block: its lines without comments, continued lines joined.
fn commands(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// The arguments of `saavedra` in a command that begins with it.
fn arguments(command: &str) -> Option<&str> {
    let command = command.strip_prefix("target/release/").unwrap_or(command);
    command.strip_prefix("saavedra ")
}

#[test]
fn every_block_has_a_label_and_every_command_runs_or_is_marked() {
    let blocks = all_blocks();
    for Block { place, label, text } in &blocks {
        assert!(LABELS.contains(&label.as_str()), "{place}: label the block as one of {LABELS:?}");
        if label == "sh" && !text.contains(REQUEST) {
            for command in commands(text) {
                let runs = command.starts_with("mkdir ") || arguments(&command).is_some();
                assert!(runs, "{place}: {command}\nLabel the block `sh no_run`.");
            }
        }
    }
    // The tests of the service run these blocks.
    let requests =
        blocks.iter().filter(|block| block.label == "sh" && block.text.contains(REQUEST));
    let mut places: Vec<_> = requests.filter_map(|block| block.place.split(':').next()).collect();
    places.sort_unstable();
    assert_eq!(places, ["README.md", "docs/WEB.md", "docs/WEB.md"]);
}

/// A folder that looks like a clone with the program built, and has files for the examples.
#[cfg(unix)]
fn example_folder() -> PathBuf {
    use std::os::unix::fs::symlink;

    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("target/release")).expect("a folder");
    symlink(PROGRAM, folder.join("target/release/saavedra")).expect("a link");
    for name in ["examples", "perft"] {
        symlink(root().join(name), folder.join(name)).expect("a link");
    }
    let game = "[White \"Ann\"]\n[Black \"Bob\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";
    let files = [
        ("game.pgn", game),
        ("games.pgn", &game.repeat(3)),
        ("wac.epd", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm Ra8#; id \"mate\";\n"),
    ];
    for (name, text) in files {
        fs::write(folder.join(name), text).expect("a file");
    }
    folder
}

#[test]
#[cfg(unix)]
fn the_commands_run_as_they_stand() {
    let folder = example_folder();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", folder.join("target/release").display());
    for Block { place, label, text } in all_blocks() {
        if label != "sh" || text.contains(REQUEST) {
            continue;
        }
        let mut shell = Command::new("sh");
        shell.args(["-eu", "-c", &text]).current_dir(&folder).env("PATH", &path);
        let output = shell.stdin(Stdio::null()).output().expect("a shell");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{place}: {}\n{text}\n{stderr}", output.status);
    }
}

/// The help of a command, `analyse` or `data info`.
fn help(names: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    let Output { status, stdout, stderr } =
        command.args(names).arg("--help").output().expect("it runs");
    assert!(status.success(), "{names:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("UTF-8")
}

/// The options of a command: `--depth`, `-o`.
fn options(words: &[&str]) -> Vec<String> {
    let is_option = |word: &str| {
        word.trim_start_matches('-').starts_with(|c: char| c.is_ascii_lowercase())
            && word.starts_with('-')
    };
    let name = |word: &str| word.split(['=', ']']).next().unwrap_or_default().to_owned();
    let words = words.iter().map(|word| word.trim_start_matches('['));
    words.filter(|word| is_option(word)).map(name).collect()
}

#[test]
fn the_commands_name_options_that_exist() {
    let mut checked = 0;
    for (name, text) in documents() {
        let (blocks, prose) = blocks(&name, &text);
        let shell = blocks.iter().filter(|block| block.label.starts_with("sh"));
        let mut lines: Vec<String> = shell.flat_map(|block| commands(&block.text)).collect();
        // Code between backticks; a paragraph may break it.
        for paragraph in prose.split("\n\n") {
            let code = paragraph.split('`').skip(1).step_by(2);
            lines.extend(code.map(|code| code.replace('\n', " ")));
        }
        for line in lines.iter().flat_map(|line| line.split(" | ")) {
            let Some(arguments) = arguments(line) else { continue };
            let words: Vec<&str> = arguments.split_whitespace().collect();
            let options = options(&words);
            let names = if ["data", "book"].contains(&words[0]) { 2 } else { 1 };
            if options.is_empty() || words.len() < names || words[0].starts_with('-') {
                continue;
            }
            let help = help(&words[..names]);
            let known: Vec<&str> = help.split(|c: char| c.is_whitespace() || c == ',').collect();
            for option in options {
                assert!(known.contains(&option.as_str()), "{name}: {line}: no option {option}");
                checked += 1;
            }
        }
    }
    assert!(checked > 20, "only {checked} options found");
}

//! python-chess, an independent reader of PGN.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Stdio};

const SCRIPT: &str = r#"
import io, json, sys
import chess.pgn
text, games = io.StringIO(sys.stdin.read()), []
while (game := chess.pgn.read_game(text)) is not None:
    nodes = [{"comment": game.comment}]
    waiting = list(reversed(game.variations))
    while waiting:
        node = waiting.pop()
        nodes.append({"san": node.san(), "comment": node.comment, "nags": sorted(node.nags),
                      "arrows": [arrow.pgn() for arrow in node.arrows()]})
        waiting.extend(reversed(node.variations))
    games.append({"headers": dict(game.headers), "errors": [str(e) for e in game.errors], "nodes": nodes,
                  "moves": [move.uci() for move in game.mainline_moves()]})
print(json.dumps(games))
"#;

/// The games of a PGN as python-chess reads them; `None` where it is not installed. `PYTHON` names the interpreter.
pub fn python_chess(text: &str) -> Option<Value> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has_chess = Command::new(&python).args(["-c", "import chess.pgn"]).output();
    if !has_chess.is_ok_and(|output| output.status.success()) {
        eprintln!("python-chess is not installed: this PGN is not read by it");
        return None;
    }
    let mut child = Command::new(&python)
        .args(["-c", SCRIPT])
        .env("PYTHONIOENCODING", "utf-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    child.stdin.take().expect("an input").write_all(text.as_bytes()).expect("read");
    let output = child.wait_with_output().expect("its end");
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

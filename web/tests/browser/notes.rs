//! Notes beside the moves: comments, signs, drawings, tags and the result, and that the saved PGN has them all.

use super::variations::copied;
use crate::Test;
use crate::support::http::post;
use crate::support::page::{PageTest, piece, square};
use crate::support::python::python_chess;
use saavedra::formats::pgn;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) const TESTS: &[Test] = tests![
    what_is_typed_and_drawn_is_in_the_pgn_and_read_by_other_programs,
    notes_belong_to_their_positions,
    each_note_is_undone_and_done_again,
    arrows_and_circles_are_drawn_by_touch_and_by_keys,
    drawings_stay_when_a_piece_is_moved,
];

/// A clock, a variation, and a comment that is in two parts.
const GAME: &str = "[Event \"Cup\"]\n[White \"Anna\"]\n[Black \"Ben\"]\n[Annotator \"old\"]\n\n\
    1. e4 {[%clk 0:10:00]} (1. d4 d5) 1... e5 $2 {two} {parts} 2. Nf3 1-0\n";

/// What is typed and drawn, as it is saved.
const NOTE: &str = "Best by (test); \"x\" [%y Ä 1/2 [%clk 0:10:00] [%csl Ge5] [%cal Gd2d4]";
const TAGS: [(&str, &str); 5] = [
    ("White", "O'Neill, 'X'"),
    ("Round", "3"),
    ("WhiteElo", "1850"),
    ("Studio", "C:\\chess"),
    ("Result", "0-1"),
];

/// Types a comment on the shown position.
#[track_caller]
fn comment(page: &PageTest, text: &str) {
    page.blur();
    page.browser.press(&["c"]);
    page.browser.run("document.getElementById('comment').select()");
    page.browser.type_into("#comment", text);
    page.blur();
}

fn set_sign(page: &PageTest, selector: &str, nag: u32) {
    page.browser.select(selector, &nag.to_string());
}

#[track_caller]
fn load(page: &PageTest) {
    page.load(GAME);
    page.browser.wait("the game", || page.moves().len() == 5);
    comment(page, "A (short) game");
    page.browser.click("#next");
    page.browser.wait("the first move", || page.piece("e4") == piece("wp"));
}

/// Reads a PGN with chess.js, where it is installed: `npm install --prefix target/chess chess.js@1`.
fn chess_js(text: &str) -> Option<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let module = root.join("target/chess/node_modules/chess.js/dist/esm/chess.js");
    if !module.exists() {
        eprintln!("chess.js is not installed: this PGN is not read by it");
        return None;
    }
    let script = format!(
        "import {{ Chess }} from {}; const game = new Chess(); game.loadPgn({});\
         console.log(JSON.stringify({{ moves: game.history(), comments: game.getComments(), headers: game.getHeaders() }}))",
        json!(module),
        json!(text)
    );
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", &script]).stderr(Stdio::inherit());
    let output = node.output().expect("Node runs");
    assert!(output.status.success(), "chess.js does not read it: {text}");
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

fn what_is_typed_and_drawn_is_in_the_pgn_and_read_by_other_programs() {
    let page = PageTest::open("/?engine=");
    load(&page);
    comment(&page, "Best by {test}; \"x\" [%y\nÄ 1/2");
    set_sign(&page, "#glyph", 1);
    set_sign(&page, "#position-glyph", 16);
    page.browser.right_drag(&square("d2"), &square("d4"));
    page.browser.right_drag(&square("e5"), &square("e5"));
    page.browser.click("#edit-tags");
    for (name, value) in
        [("White", "O'Neill, \"X\""), ("Round", "3"), ("WhiteElo", "1850"), ("Annotator", "")]
    {
        page.browser.fill(&format!("#tags [name='{name}']"), value);
    }
    page.browser.fill("#tag-name", "Studio");
    page.browser.fill("#tag-value", "C:\\chess");
    page.browser.select("#result", "0-1");
    page.browser.click("#tags-save");
    page.browser.wait("the result", || copied(&page).ends_with("0-1"));
    assert_eq!(page.browser.text("#bottom-name"), "O'Neill, 'X' (1850)");
    assert_eq!(page.browser.text("#facts"), "Cup, round 3");
    page.browser.reload();
    let text = copied(&page);
    check_by_the_program(&page, &text);
    check_by_python_chess(&text);
    if let Some(game) = chess_js(&text) {
        assert_eq!(game["moves"], json!(["e4", "e5", "Nf3"]));
        let comments = game["comments"].to_string();
        for part in ["Best by (test)", "A (short) game"] {
            assert!(comments.contains(part), "{comments}");
        }
        assert_eq!(game["headers"]["Round"], "3");
    }
    page.assert_no_console_errors();
}

/// The program reads it by its reader and by its API.
fn check_by_the_program(page: &PageTest, text: &str) {
    let games: Vec<_> = pgn::Reader::new(text.as_bytes()).map(|game| game.expect("read")).collect();
    assert_eq!(pgn::write(&games[0]).trim(), text);
    let read = post(page.address(), "/api/v1/pgn/read", &json!({ "pgn": text })).json();
    let game = &read["games"][0];
    assert_eq!(read["games"].as_array().map(Vec::len), Some(1));
    assert!(game["warnings"].as_array().is_none_or(Vec::is_empty), "{game}");
    let read_tag = |name: &str| {
        let tags = game["tags"].as_array().cloned().unwrap_or_default();
        tags.iter().find(|tag| tag[0] == name).map(|tag| tag[1].clone())
    };
    for (name, value) in TAGS {
        assert_eq!(read_tag(name), Some(json!(value)), "{name}");
    }
    assert_eq!(read_tag("Annotator"), None);
    assert_eq!(game["nodes"][0]["after"], json!([{"comment": "A (short) game"}]));
    let after = json!([{"nag": 1}, {"nag": 16}, {"comment": NOTE}]);
    assert_eq!(game["nodes"][1]["after"], after, "one comment");
}

fn check_by_python_chess(text: &str) {
    let Some(games) = python_chess(text) else { return };
    let game = &games[0];
    assert_eq!(game["errors"], json!([]));
    for (name, value) in TAGS {
        // python-chess leaves backslashes as they are written.
        assert_eq!(game["headers"][name], value.replace('\\', "\\\\"));
    }
    assert_eq!(game["nodes"][0]["comment"], "A (short) game");
    let node = &game["nodes"][1];
    assert_eq!((&node["nags"], &node["arrows"]), (&json!([1, 16]), &json!(["Ge5", "Gd2d4"])));
    // It keeps the ends of lines.
    let comment = node["comment"].as_str().map(|text| text.replace('\n', " "));
    assert_eq!(comment.as_deref(), Some(NOTE));
    assert_eq!(game["nodes"].as_array().map(Vec::len), Some(6), "the variation, too");
}

fn notes_belong_to_their_positions() {
    let page = PageTest::open("/?engine=");
    load(&page);
    let value = |selector: &str| page.browser.property(selector, "value");
    comment(&page, "on the first move");
    set_sign(&page, "#glyph", 5);
    assert!(page.moves()[0] == "e4" && page.browser.text("#moves").contains("on the first move"));
    page.blur();
    page.browser.press(&["ArrowRight"]);
    page.browser.wait("the next move", || page.piece("e5") == piece("bp"));
    assert_eq!(page.browser.text("#comment-label"), "Comment on 1… e5");
    assert_eq!((value("#comment"), value("#glyph")), (json!("two parts"), json!("2")));
    // A text that is being typed stays with its move when the wheel goes on.
    page.browser.press(&["c"]);
    page.browser.type_into("#comment", " and more");
    page.browser.turn_wheel("#board", 120);
    page.browser.wait("the last move", || page.piece("f3") == piece("wn"));
    assert_eq!(value("#comment"), "");
    page.blur();
    let text = copied(&page).replace('\n', " ");
    assert!(text.contains("1... e5 $2 {two parts and more} 2. Nf3 1-0"), "{text}");
    page.browser.press(&["Home"]);
    page.browser.wait("the start", || page.piece("e2") == piece("wp"));
    assert_eq!(page.browser.text("#comment-label"), "Comment on the game");
    assert_eq!(value("#comment"), "A (short) game");
    assert_eq!(page.browser.property("#glyph", "disabled"), json!(true));
    page.assert_no_console_errors();
}

fn each_note_is_undone_and_done_again() {
    let page = PageTest::open("/?engine=");
    load(&page);
    let changes: [(&str, &dyn Fn()); 4] = [
        ("a comment", &|| comment(&page, "a long text is one step")),
        ("a sign", &|| set_sign(&page, "#glyph", 3)),
        ("no sign", &|| set_sign(&page, "#glyph", 0)),
        ("the players and the result", &|| {
            page.browser.click("#edit-tags");
            page.browser.fill("#tags [name='Black']", "Carl");
            page.browser.select("#result", "1/2-1/2");
            page.browser.click("#tags-save");
        }),
    ];
    for (what, change) in changes {
        let before = copied(&page);
        change();
        page.browser.wait(what, || copied(&page) != before);
        page.browser.wait("noted", || page.browser.property("#undo", "disabled") == json!(false));
        let after = copied(&page);
        page.browser.click("#undo");
        page.browser.wait(&format!("{what} is undone"), || copied(&page) == before);
        page.browser.click("#redo");
        page.browser.wait(&format!("{what} is done again"), || copied(&page) == after);
    }
    page.browser.click("#last");
    page.wait_for_status("Draw, ½-½");
    page.assert_no_console_errors();
}

fn arrows_and_circles_are_drawn_by_touch_and_by_keys() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    page.browser.press(&["c"]);
    page.browser.click("#pencil");
    page.browser.select("#pencil-colour", "red");
    page.browser.touch_drag(&square("d7"), &square("d5"));
    page.browser.touch_drag(&square("e4"), &square("e4"));
    page.browser.wait("both", || page.browser.count("#arrows .drawn.red") == 2);
    assert_eq!(page.moves(), ["e4"], "no piece has moved");
    let focus = |name: &str| {
        page.browser.run(&format!("document.querySelector({}).focus()", json!(square(name))));
    };
    let spoken = || page.browser.run("return document.getElementById('spoken').textContent");
    focus("b8");
    page.browser.press(&["Enter"]);
    page.browser.wait("a tail", || page.browser.label(&square("b8")).ends_with("selected"));
    focus("c6");
    page.browser.press(&["Enter"]);
    assert_eq!(spoken(), "Arrow from b8 to c6");
    focus("g7");
    page.browser.press(&["Enter", "Enter"]);
    assert_eq!(spoken(), "Circle on g7");
    let text = copied(&page);
    assert!(text.ends_with("1. e4 {[%csl Re4,Rg7] [%cal Rd7d5,Rb8c6]} *"), "{text}");
    page.browser.click("#erase");
    page.browser.wait("nothing", || page.browser.count("#arrows .drawn") == 0);
    // With the pencil put away a finger moves pieces.
    page.browser.click("#pencil");
    page.browser.touch_drag(&square("d7"), &square("d5"));
    page.browser.wait("played", || page.moves() == ["e4", "d5"]);
    page.assert_no_console_errors();
}

fn drawings_stay_when_a_piece_is_moved() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    page.browser.right_drag(&square("d7"), &square("d5"));
    page.play("d7d5");
    assert!(copied(&page).contains("1. e4 {[%cal Gd7d5]} 1... d5"), "{}", copied(&page));
    page.browser.click("#prev");
    page.browser.wait("the arrow", || page.browser.count("#arrows path.drawn") == 1);
    page.assert_no_console_errors();
}

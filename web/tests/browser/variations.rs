//! Variations, PGN in and out, the games of a file.

use crate::Test;
use crate::support::page::{PageTest, piece};
use saavedra::formats::pgn;
use serde_json::json;
use std::path::Path;

pub(crate) const TESTS: &[Test] = tests![
    a_different_move_makes_a_variation_that_can_be_promoted_and_deleted,
    a_pgn_passes_through_the_page_without_loss,
    an_illegal_move_ends_what_is_shown_and_is_named,
    a_null_move_in_check_ends_what_is_shown,
    a_game_with_a_refused_position_does_not_keep_the_others_out,
    a_text_that_is_neither_fen_nor_pgn_is_refused_beside_its_box,
    a_message_about_a_dropped_file_is_seen_while_the_box_is_closed,
    a_file_of_five_hundred_games_is_listed_and_every_game_opens,
];

const TRICKY: &str = include_str!("../modules/tricky.pgn");

/// The PGN that the page copies, without the end of its last line.
pub(crate) fn copied(page: &PageTest) -> String {
    let script = "const { api } = await import('/assets/api.js');\
        const { writeGames } = await import('/assets/pgn.js');\
        const { loadGame } = await import('/assets/storage.js');\
        const { games, index } = await loadGame(history.state.id, api);\
        return (await writeGames(api, [games[index]])).trim()";
    let text = page.browser.run_async(script);
    text.as_str().unwrap_or_default().to_owned()
}

/// The movetext of the copied PGN.
fn movetext(page: &PageTest) -> String {
    let text = copied(page);
    let moves = text.split("\n\n").last().unwrap_or_default();
    moves.replace('\n', " ")
}

fn a_different_move_makes_a_variation_that_can_be_promoted_and_deleted() {
    let page = PageTest::open("/?moves=e2e4,e7e5,g1f3,b8c6&ply=2");
    page.play("f1c4");
    page.play("g8f6");
    assert_eq!(movetext(&page), "1. e4 e5 2. Nf3 (2. Bc4 Nf6) 2... Nc6 *");
    page.blur();
    page.browser.press(&["p"]);
    assert_eq!(movetext(&page), "1. e4 e5 2. Bc4 (2. Nf3 Nc6) 2... Nf6 *");
    // The keys go to the other variation and back.
    page.browser.press(&["ArrowLeft"]);
    page.browser.wait("one move back", || page.piece("g8") == piece("bn"));
    page.browser.press(&["ArrowDown"]);
    page.browser.wait("the other move", || page.piece("f3") == piece("wn"));
    page.browser.click("#delete");
    page.browser.wait("the variation is deleted", || page.moves() == ["e4", "e5", "Bc4", "Nf6"]);
    assert_eq!(page.piece("f3"), None, "the position before it is shown");
    // The same move again is no variation.
    page.play_existing("f1c4");
    assert_eq!(page.moves(), ["e4", "e5", "Bc4", "Nf6"]);
    page.assert_no_console_errors();
}

fn a_pgn_passes_through_the_page_without_loss() {
    let page = PageTest::open("/?engine=");
    page.load(TRICKY);
    page.browser.wait("seven games", || page.browser.count("#games option") == 7);
    // The games as the program writes them.
    let games = pgn::Reader::new(TRICKY.as_bytes()).map(|game| game.expect("a game"));
    let expected: Vec<_> = games.map(|game| pgn::write(&game).trim().to_owned()).collect();
    assert_eq!(copied(&page), expected[0]);
    assert!(copied(&page).contains("($142 2. f4"), "{}", copied(&page));
    page.tab("analyse");
    page.screenshot("web-variations.png");
    for index in [3, 4, 5] {
        page.browser.select("#games", &index.to_string());
        page.browser.wait("another game", || copied(&page) == expected[index]);
    }
    // A null move is shown, and the game goes on after it.
    page.browser.select("#games", "4");
    page.browser.wait("the game with null moves", || page.moves().contains(&"--".to_owned()));
    page.click_move("d5");
    page.browser.wait("after the null move", || page.piece("d5") == piece("bp"));
    page.assert_no_console_errors();
}

fn an_illegal_move_ends_what_is_shown_and_is_named() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 e5 2. Nf3 Nf3 3. Bb5 *");
    page.wait_for_message("no legal move matches \"Nf3\"");
    assert_eq!(page.moves(), ["e4", "e5", "Nf3"]);
    page.blur();
    page.browser.press(&["End"]);
    page.browser.wait("the last legal position", || {
        page.piece("f3") == piece("wn") && page.piece("e5") == piece("bp")
    });
    assert_eq!(movetext(&page), "1. e4 e5 2. Nf3 {Nf3 3. Bb5} *");
    // The message goes when its cause goes.
    page.browser.press(&["Home"]);
    page.browser.wait("no message", || page.browser.text("#toast").is_empty());
}

fn a_null_move_in_check_ends_what_is_shown() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 d5 2. Bb5+ -- 3. Nf3 *");
    page.wait_for_message("null move while in check");
    page.blur();
    page.browser.press(&["End"]);
    page.browser.wait("the last legal position", || {
        page.piece("b5") == piece("wb") && page.piece("f3").is_none()
    });
    page.go(&page.path());
    assert_eq!(page.moves(), ["e4", "d5", "Bb5+"]);
    assert_eq!(movetext(&page), "1. e4 d5 2. Bb5+ {-- 3. Nf3} *");
    page.assert_no_console_errors();
}

fn a_game_with_a_refused_position_does_not_keep_the_others_out() {
    let page = PageTest::open("/?engine=");
    let refused = "[White \"No king\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n\n";
    page.load(&format!("{refused}[White \"Good\"]\n\n1. e4 *\n"));
    page.browser.wait("the second game", || {
        page.browser.text("#bottom-name") == "Good" && page.browser.count("#games option") == 2
    });
    page.wait_for_message("Game 1 is refused: impossible position: white has no king");
    page.browser.click("#toast");
    page.browser.select("#games", "0");
    page.wait_for_message("white has no king");
    assert_eq!(page.browser.property("#games", "value"), json!("1"));
    assert_eq!(page.moves(), ["e4"]);
}

fn a_text_that_is_neither_fen_nor_pgn_is_refused_beside_its_box() {
    let page = PageTest::open("/?engine=");
    for text in ["", "   ", "hello there"] {
        page.load(text);
        page.browser.wait("a message", || !page.browser.text("#toast").is_empty());
        let inside =
            "return document.getElementById('pgn-form').contains(document.getElementById('toast'))";
        assert_eq!(page.browser.run(inside), json!(true), "{text:?}");
        page.browser.click("#toast");
    }
}

fn a_message_about_a_dropped_file_is_seen_while_the_box_is_closed() {
    let page = PageTest::open("/?engine=");
    for (text, message) in [("hello there", "neither"), ("1. e4 *\n\n1. d4 *", "2 games")] {
        let script = format!(
            "const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([{}], 'a.pgn'));\
             document.dispatchEvent(new DragEvent('drop', {{ dataTransfer, cancelable: true }}))",
            json!(text)
        );
        page.browser.run(&script);
        page.wait_for_message(message);
    }
    assert_eq!(page.browser.property("#panel-files", "hidden"), json!(true));
    page.assert_no_console_errors();
}

/// A file of five hundred games: the page goes on to answer while it is read.
fn a_file_of_five_hundred_games_is_listed_and_every_game_opens() {
    let page = PageTest::open("/?engine=");
    let game = "1. e4 {a comment} e5 (1... c5 2. Nf3 d6) 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6";
    let mut text = String::new();
    for number in 1..=500 {
        text +=
            &format!("[White \"White {number}\"]\n[Black \"Black {number}\"]\n\n{game} 1-0\n\n");
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("five-hundred.pgn");
    std::fs::write(&file, text).expect("a temporary file");
    page.browser.run("document.getElementById('file').hidden = false");
    page.tab("files");
    page.browser.type_into("#file", &file.to_string_lossy());
    page.browser.wait("the list", || page.browser.count("#games option") == 500);
    page.browser.select("#games", "499");
    page.browser.wait("the last game", || page.browser.text("#bottom-name") == "White 500");
    page.blur();
    page.browser.press(&["End"]);
    page.browser.wait("its last position", || page.piece("d6") == piece("bp"));
    page.assert_no_console_errors();
}

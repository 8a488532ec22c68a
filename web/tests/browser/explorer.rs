//! The explorer: what was played in the games of the opened files, and what the tablebases have.

use crate::Test;
use crate::support::page::{PageTest, piece};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    moves_are_counted_and_played,
    the_games_of_a_player_and_a_colour_are_counted,
    a_position_is_the_same_whatever_moves_lead_to_it,
    games_of_several_files_are_counted_once_and_kept,
    the_explorer_is_used_by_keyboard_alone,
    the_page_answers_while_thousands_of_games_are_counted,
    the_tablebases_have_their_word,
    nothing_is_cut_off_on_a_phone,
];

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/syzygy/tests/tables");

/// A game as PGN.
fn game(white: &str, black: &str, result: &str, moves: &str) -> String {
    format!(
        "[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
    )
}

/// Five games; the first one is shown.
fn games() -> String {
    [
        game("Ann", "Bob", "1-0", "1. e4 (1. b3 e5) 1... e5 2. Nf3"),
        game("Bob", "Ann", "1-0", "1. e4 c5"),
        game("Cem", "Ann", "1/2-1/2", "1. e4 e5 2. Bc4"),
        game("Cem", "Joanne", "0-1", "1. d4"),
        game("Joanne", "Cem", "*", "1. c4"),
    ]
    .concat()
}

/// Opens a PGN and the explorer.
#[track_caller]
fn open(page: &PageTest, pgn: &str, number: usize) {
    page.load(pgn);
    page.tab("analyse");
    page.browser.run("document.getElementById('explorer').open = true");
    let text = format!("{number} game");
    page.browser.wait(&text, || page.browser.text("#explorer-text").starts_with(&text));
}

/// The rows of the table as a screen reader reads them, the cells separated by bars.
fn rows(page: &PageTest) -> Vec<String> {
    let script = "return [...document.querySelectorAll('#explorer-moves tbody tr')].map((row) => \
        [...row.cells].filter((cell) => cell.checkVisibility()).map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim()).join(' | '))";
    serde_json::from_value(page.browser.run(script)).expect("a list of texts")
}

#[track_caller]
fn wait_for_rows(page: &PageTest, expected: &[&str]) {
    page.browser.wait(&format!("{expected:?}: {:?}", rows(page)), || rows(page) == expected);
}

/// Clicks a move of the table.
fn click_row(page: &PageTest, number: usize) {
    page.browser.click(&format!("#explorer-moves tbody tr:nth-child({number}) button"));
}

fn caption(page: &PageTest) -> String {
    page.browser.text("#explorer-moves caption")
}

fn moves_are_counted_and_played() {
    let page = PageTest::open("/?engine=");
    page.tab("analyse");
    page.browser.click("#explorer summary");
    page.browser.wait("how to open games", || {
        page.browser.text("#explorer-text").starts_with("Open a PGN file")
    });
    open(&page, &games(), 5);
    wait_for_rows(
        &page,
        &[
            "e4 B00 King's Pawn Game | 3 | 2 won by White 1 drawn | 83 %",
            "d4 A40 Queen's Pawn Game | 1 | 1 won by Black | 0 %",
            "c4 A10 English Opening | 1 |  | ",
        ],
    );
    assert_eq!(caption(&page), "5 games have this position. The score is White’s.");
    // A move of the shown game is stepped to.
    click_row(&page, 1);
    page.browser.wait("e4", || page.piece("e4") == piece("wp"));
    wait_for_rows(
        &page,
        &[
            "e5 C20 King's Pawn Game | 2 | 1 won by White 1 drawn | 75 %",
            "c5 B20 Sicilian Defense | 1 | 1 won by White | 100 %",
        ],
    );
    assert_eq!(page.moves(), ["e4", "b3", "e5", "e5", "Nf3"]);
    // Another one begins a variation.
    click_row(&page, 2);
    page.browser.wait("c5", || page.piece("c5") == piece("bp"));
    assert_eq!(page.moves(), ["e4", "b3", "e5", "e5", "c5", "Nf3"]);
    wait_for_rows(&page, &[]);
    assert_eq!(caption(&page), "1 game has this position. The score is White’s.");
    // What is played on the board does not count.
    page.play("g1f3");
    page.browser.wait("no games", || caption(&page) == "No game has this position.");
    page.assert_no_console_errors();
}

fn the_games_of_a_player_and_a_colour_are_counted() {
    let page = PageTest::open("/?engine=");
    open(&page, &games(), 5);
    assert_eq!(page.browser.property("#explorer-colour", "disabled"), json!(true));
    page.browser.fill("#explorer-player", "ann");
    let both = "e4 B00 King's Pawn Game | 3 | 2 won by White 1 drawn | 50 %";
    wait_for_rows(&page, &[both]);
    assert_eq!(caption(&page), "3 games with “ann” have this position. The score is the player’s.");
    page.browser.select("#explorer-colour", "b");
    let black = "e4 B00 King's Pawn Game | 2 | 1 won by White 1 drawn | 25 %";
    wait_for_rows(&page, &[black]);
    page.browser.select("#explorer-colour", "w");
    wait_for_rows(&page, &["e4 B00 King's Pawn Game | 1 | 1 won by White | 100 %"]);
    page.browser.select("#explorer-colour", "b");
    // The choice stays.
    page.browser.press(&["Tab"]);
    page.browser.reload();
    wait_for_rows(&page, &[black]);
    let names =
        "return [...document.querySelectorAll('#explorer-names option')].map((o) => o.value)";
    assert_eq!(page.browser.run(names), json!(["Ann", "Cem", "Bob", "Joanne"]));
    page.browser.fill("#explorer-player", "Zoe");
    wait_for_rows(&page, &[]);
    assert_eq!(caption(&page), "No game with “Zoe” as Black has this position.");
    page.assert_no_console_errors();
}

fn a_position_is_the_same_whatever_moves_lead_to_it() {
    let page = PageTest::open("/?engine=&moves=g1f3,d7d5,d2d4,g8f6");
    let files = [
        game("A", "B", "1-0", "1. d4 Nf6 2. Nf3 d5 3. c4 e6"),
        game("A", "B", "0-1", "1. Nf3 Nf6 2. d4 d5 3. c4 c6"),
        // The position three times.
        game(
            "A",
            "B",
            "1/2-1/2",
            "1. d4 d5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nf6 5. Ng1 Ng8 6. Nf3 Nf6",
        ),
    ];
    open(&page, &files.concat(), 3);
    page.browser.run("history.back()");
    page.browser.wait("the line before", || page.moves() == ["Nf3", "d5", "d4", "Nf6"]);
    wait_for_rows(
        &page,
        &["c4 | 2 | 1 won by White 1 won by Black | 50 %", "Ng1 | 1 | 1 drawn | 50 %"],
    );
    assert_eq!(caption(&page), "3 games have this position. The score is White’s.");
}

fn games_of_several_files_are_counted_once_and_kept() {
    let page = PageTest::open("/?engine=");
    let e4 =
        |games: usize| format!("e4 B00 King's Pawn Game | {games} | {games} won by White | 100 %");
    open(&page, &game("A", "B", "1-0", "1. e4 e5"), 1);
    open(&page, &game("C", "D", "1-0", "1. e4 c5"), 2);
    page.browser.click("#first");
    wait_for_rows(&page, &[&e4(2)]);
    // Moves that are added to the game are not counted when the page is opened again.
    page.browser.click("#last");
    page.play("b1c3");
    page.browser.reload();
    page.browser.click("#first");
    wait_for_rows(&page, &[&e4(2)]);
    open(&page, &game("A", "B", "1-0", "1. e4 e5"), 2);
    page.browser.click("#first");
    wait_for_rows(&page, &[&e4(2)]);
    page.browser.fill("#explorer-player", "b");
    page.browser.click("#explorer-forget");
    page.wait_for_message("Press Forget all games again to forget 2 games.");
    assert!(page.browser.text("#explorer-text").starts_with("2 games"));
    page.browser.click("#explorer-forget");
    wait_for_rows(&page, &[]);
    assert_eq!(page.browser.property("#explorer-player", "value"), json!(""));
    page.browser.reload();
    let text = || page.browser.text("#explorer-text");
    page.browser.wait("no games", || text().starts_with("Open a PGN file"));
    open(&page, &game("A", "B", "1-0", "1. e4 e5"), 1);
    page.assert_no_console_errors();
}

fn the_explorer_is_used_by_keyboard_alone() {
    let page = PageTest::open("/?engine=");
    page.load(&games());
    page.wait_for_message("5 games");
    page.tab("analyse");
    let focus = "return document.activeElement.id || document.activeElement.textContent";
    page.browser.run("document.querySelector('#explorer summary').focus()");
    page.browser.press(&["Enter"]);
    page.browser.wait("the table", || rows(&page).len() == 3);
    page.browser.press(&["Tab"]);
    assert_eq!(page.browser.run(focus), "explorer-player");
    page.browser.press(&["Tab"]);
    assert_eq!(page.browser.run(focus), "e4");
    page.browser.press(&["Enter"]);
    page.browser.wait("e4", || page.piece("e4") == piece("wp"));
    page.browser.wait("the moves after it", || page.browser.run(focus) == "e5");
    page.browser.press(&["Tab", "Enter"]);
    page.browser.wait("c5", || page.piece("c5") == piece("bp"));
    // There is no move left.
    page.browser.wait("the heading", || page.browser.run(focus) == "Explorer");
    let roles = ["#explorer-moves", "#explorer-moves thead th", "#explorer-moves tbody th"];
    page.browser.press(&["ArrowLeft"]);
    wait_for_rows(
        &page,
        &[
            "e5 C20 King's Pawn Game | 2 | 1 won by White 1 drawn | 75 %",
            "c5 B20 Sicilian Defense | 1 | 1 won by White | 100 %",
        ],
    );
    assert_eq!(roles.map(|part| page.browser.role(part)), ["table", "columnheader", "rowheader"]);
    assert_eq!(page.browser.label("#explorer-moves"), caption(&page));
}

fn the_page_answers_while_thousands_of_games_are_counted() {
    let page = PageTest::open("/?engine=");
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5";
    let many: String = (0..3000).map(|i| game(&format!("P{i}"), "Q", "1-0", moves)).collect();
    page.load(&many);
    page.wait_for_message("3000 games");
    page.tab("analyse");
    page.browser.click("#explorer summary");
    let text = || page.browser.text("#explorer-text");
    let mut steps = 0;
    while text() != "3000 games counted." {
        let before = page.piece("e4");
        page.browser.click(if before.is_some() { "#first" } else { "#next" });
        page.browser.wait("a step", || page.piece("e4") != before);
        steps += 1;
    }
    page.browser.click("#first");
    wait_for_rows(&page, &["e4 B00 King's Pawn Game | 3000 | 3000 won by White | 100 %"]);
    println!("{steps} steps while the games were counted");
    page.browser.reload();
    page.browser.wait("the kept games", || text() == "3000 games counted.");
    page.assert_no_console_errors();
}

fn the_tablebases_have_their_word() {
    let path = "/?engine=&fen=8/8/8/3k4/2R5/8/8/4K3+w+-+-+0+1";
    let page = PageTest::with_arguments(path, &["--syzygy-path", TABLES]);
    page.tab("analyse");
    page.browser.click("#explorer summary");
    let word = || page.browser.text("#explorer-tables");
    page.browser.wait("the outcome", || word().starts_with("Tablebase: White to move wins."));
    let all = rows(&page);
    assert!(all[0].contains(" wins (") && all[0].ends_with("|  |  | "), "{all:?}");
    assert!(all.iter().any(|row| row.starts_with("Kd2 draws |")), "{all:?}");
    assert_eq!(all.len(), 19, "every legal move: {all:?}");
    // The games come first.
    let fen = "[FEN \"8/8/8/3k4/2R5/8/8/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n";
    open(&page, &format!("{fen}{}", game("A", "B", "1/2-1/2", "1. Kd2 Kxc4")), 1);
    page.browser.wait("a row of the game", || rows(&page)[0] == "Kd2 draws | 1 | 1 drawn | 50 %");
    click_row(&page, 1);
    page.browser.wait("the next one", || word().starts_with("Tablebase: Black to move draws."));
    // More pieces than the tablebases have.
    page.go("/?engine=");
    assert_eq!(word(), "");
    assert!(!page.browser.text("#explorer").contains("Tablebase"));
    page.assert_no_console_errors();
}

fn nothing_is_cut_off_on_a_phone() {
    let page = PageTest::with_arguments("/?engine=", &["--syzygy-path", TABLES]);
    open(&page, &games(), 5);
    let fen = "[FEN \"8/8/8/3k4/2R5/8/8/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n";
    let scrolled = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
    for (width, height) in [(320, 640), (390, 844), (844, 390), (900, 600), (1280, 720)] {
        page.browser.emulate_screen(width, height);
        page.browser.run("document.getElementById('explorer').scrollIntoView()");
        let panel = page.rectangle("#panel-analyse");
        let table = page.rectangle("#explorer-moves");
        assert!(table[2] <= panel[2], "{width}: {table:?} in {panel:?}");
        assert_eq!(page.browser.run(scrolled), 0, "{width}");
    }
    open(&page, &format!("{fen}{}", game("A", "B", "1/2-1/2", "1. Kd2 Kxc4")), 6);
    page.browser.wait("the outcome", || !page.browser.text("#explorer-tables").is_empty());
    for (width, height) in [(320, 640), (390, 844), (900, 600)] {
        page.browser.emulate_screen(width, height);
        let panel = page.rectangle("#panel-analyse");
        let table = page.rectangle("#explorer-moves");
        assert!(table[2] <= panel[2], "{width}: {table:?} in {panel:?}");
        assert_eq!(page.browser.run(scrolled), 0, "{width}");
    }
}

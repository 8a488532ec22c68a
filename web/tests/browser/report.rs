//! The report of `saavedra analyse` in the browser: what is seen at the sizes of desktops and
//! phones.

use crate::Test;
use crate::support::webdriver::Browser;
use std::path::PathBuf;

pub(crate) const TESTS: &[Test] = tests![
    the_better_move_is_an_arrow_before_the_error,
    a_position_is_shown_again_after_the_moves_of_its_lines,
    everything_fits_on_desktops_and_phones,
    moves_of_the_list_never_overlap,
    the_contents_are_filtered,
    pieces_are_drawn,
];

const GAME: &str = "[White \"Anna\"]\n[Black \"Ben\"]\n\n1. e4 {[%clk 0:10:00]} e5 2. Bc4 Nc6 \
    3. Qh5 Nf6 {[%clk 0:09:11]} 4. Qxf7# 1-0\n";

/// Writes the report of the game and opens it at the position before the blunder 3… Nf6.
fn open(name: &str) -> (Browser, PathBuf) {
    open_report(name, "game.pgn", GAME, "#g1-5")
}

/// Writes the report of a file with this text and opens it.
fn open_report(name: &str, file: &str, text: &str, place: &str) -> (Browser, PathBuf) {
    let browser = Browser::open(1280, 720);
    let folder = std::env::temp_dir().join(format!("saavedra-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (input, output) = (folder.join(file), folder.join("report.html"));
    std::fs::write(&input, text).expect("written");
    let paths = [&input, &output].map(|path| path.to_str().expect("a name"));
    let arguments = ["analyse", paths[0], "--nodes", "3000", "-o", paths[1]];
    assert_eq!(saavedra::cmd::run("saavedra".as_ref(), &arguments), 0);
    browser.emulate_screen(1280, 720);
    browser.go(&format!("file://{}{place}", output.display()));
    (browser, folder)
}

const ARROWS: &str = ".board > svg path";

/// The caption of the board as a screen reader has it.
fn caption(browser: &Browser) -> String {
    let text = browser.run("return document.querySelector('.board figcaption').textContent");
    text.as_str().unwrap_or_default().to_owned()
}

fn the_better_move_is_an_arrow_before_the_error() {
    let (browser, folder) = open("report-arrow");
    assert_eq!(browser.count(ARROWS), 1);
    assert!(browser.text(".status").contains("Next: 3… Nf6??"));
    assert_eq!(browser.text(".player.white time"), "0:10:00");
    let before = caption(&browser);
    assert!(before.starts_with("Last move: d1–h5. Arrow: "), "{before}");
    browser.press(&["ArrowRight"]);
    assert_eq!(browser.count(ARROWS), 0, "after the error");
    assert!(caption(&browser).starts_with("Last move: g8–f6.r1b"));
    assert!(browser.text(".status").starts_with("3… Nf6??"));
    assert_eq!(browser.text(".player.black time"), "0:09:11");
    browser.press(&["ArrowRight"]);
    assert!(browser.text(".status").starts_with("4. Qxf7# #"));
    browser.press(&["ArrowUp"]);
    assert_eq!(browser.count(ARROWS), 1, "back at the position before the error");
    // A move of a line shows its position.
    let fen = || browser.attribute(".board", "data-fen");
    let before = fen();
    browser.click(".errors .line a");
    assert_ne!(fen(), before);
    assert_eq!(fen(), browser.attribute(".errors .line a", "data-fen"));
    assert!(browser.console_errors().is_empty());
    std::fs::remove_dir_all(folder).expect("removed");
}

fn a_position_is_shown_again_after_the_moves_of_its_lines() {
    let text = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - id \"mate\";\n";
    let (browser, folder) = open_report("report-position", "one.epd", text, "");
    let shown = || {
        let board = "return document.querySelector('.board').outerHTML";
        (browser.run(board), browser.count(".line a[aria-current]"))
    };
    let first = shown();
    assert!(caption(&browser).contains("Arrows: f3–f7 (green)."));
    for leave in ["click", "Escape"] {
        browser.click(".lines .line a");
        assert_eq!(
            browser.attribute(".board", "data-fen"),
            browser.attribute(".lines .line a", "data-fen")
        );
        assert!(caption(&browser).contains("Last move: f3–f7."));
        match leave {
            "click" => browser.click(".lines .line a"),
            key => browser.press(&[key]),
        }
        assert_eq!(shown(), first, "{leave}");
    }
    assert!(browser.console_errors().is_empty());
    std::fs::remove_dir_all(folder).expect("removed");
}

fn everything_fits_on_desktops_and_phones() {
    let (browser, folder) = open("report-sizes");
    for (width, height) in [(1280, 720), (390, 844), (844, 390)] {
        browser.emulate_screen(width, height);
        browser.run("scrollTo(0, 0)");
        let seen = browser.run(
            "const inside = (selector) => { const box = document.querySelector(selector).getBoundingClientRect(); \
               return box.left >= 0 && box.right <= innerWidth && box.bottom <= innerHeight && box.width > 0; }; \
             const plot = document.querySelector('.graph').getBoundingClientRect(); \
             const dots = [...document.querySelectorAll('.dot')].map((dot) => dot.getBoundingClientRect()); \
             const moves = [...document.querySelectorAll('.moves a:has(small)')]; \
             return [document.documentElement.scrollWidth <= innerWidth, inside('.board'), inside('.controls'), \
               dots.length > 0 && dots.every((dot) => dot.top - 4 >= plot.top && dot.bottom + 4 <= plot.bottom), \
               moves.length === 7 && moves.every((move) => move.getBoundingClientRect().height < 32)];",
        );
        let all = serde_json::json!([true, true, true, true, true]);
        assert_eq!(seen, all, "{width}×{height}: width, board, controls, dots, lines of moves");
    }
    std::fs::remove_dir_all(folder).expect("removed");
}

/// Even where each move has the longest name, with and without clocks.
fn moves_of_the_list_never_overlap() {
    let moves = "1. e4 {[%clk 0:10:00]} e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 \
        7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5 {[%clk 0:00:09]} *\n";
    let without = moves.replace(" {[%clk 0:10:00]}", "").replace(" {[%clk 0:00:09]}", "");
    for (name, text) in [("clocks", moves), ("bare", &without)] {
        let name = format!("report-moves-{name}");
        let (browser, folder) = open_report(&name, "game.pgn", text, "");
        for is_long in [false, true] {
            if is_long {
                browser.run(
                    "for (const move of document.querySelectorAll('.moves a:has(small)')) { move.className = 'blunder'; \
                       move.querySelector('b').textContent = 'Qa1xb2+??'; \
                       move.querySelector('small').textContent = '−12.34'; }",
                );
            }
            for (width, height) in
                [(1920, 1080), (1280, 720), (1280, 1000), (900, 700), (400, 800), (320, 600)]
            {
                browser.emulate_screen(width, height);
                let overlapping = browser.run(
                    "const box = (element) => { const range = document.createRange(); \
                       range.selectNodeContents(element); return range.getBoundingClientRect(); }; \
                     const list = document.querySelector('.moves').getBoundingClientRect(); \
                     const texts = [...document.querySelectorAll('.moves a:has(small) > *, .moves li > span')] \
                       .map((element) => [element.textContent, box(element)]); \
                     const isAcross = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 \
                       && a.top < b.bottom - 4 && b.top < a.bottom - 4; \
                     return texts.filter(([, a], i) => a.right > list.right + 1 \
                       || texts.some(([, b], j) => i !== j && isAcross(a, b))).map(([text]) => text);",
                );
                let none = serde_json::json!([]);
                assert_eq!(overlapping, none, "{name} {width}×{height}, long: {is_long}");
            }
        }
        std::fs::remove_dir_all(folder).expect("removed");
    }
}

fn the_contents_are_filtered() {
    let games = "[White \"Anna\"]\n[Black \"Ben\"]\n\n1. e4 e5 *\n\n\
        [White \"Cleo\"]\n[Black \"Anna\"]\n\n1. d4 d5 2. c4 e6 *\n";
    let (browser, folder) = open_report("report-filter", "games.pgn", games, "");
    let shown = || {
        browser.run(
            "const isShown = (element) => element.getBoundingClientRect().height > 0; \
             return ['.contents tbody tr', '.game'].map((all) => [...document.querySelectorAll(all)].map(isShown));",
        )
    };
    for (typed, expected) in [
        ("anna", [true, true]),
        ("QUEEN cleo", [false, true]),
        ("ben", [true, false]),
        ("nobody", [false, false]),
        ("", [true, true]),
    ] {
        browser.run(&format!(
            "const field = document.querySelector('.filter input'); field.value = '{typed}'; \
             field.dispatchEvent(new Event('input'));"
        ));
        assert_eq!(shown(), serde_json::json!([expected, expected]), "{typed}");
    }
    assert!(browser.console_errors().is_empty());
    std::fs::remove_dir_all(folder).expect("removed");
}

/// The pieces are drawn, not glyphs of a font.
fn pieces_are_drawn() {
    let (browser, folder) = open("report-pieces");
    let white = browser.picture("td[data-col=e][data-row='1']");
    let fill = white.share(|[red, green, blue]| red > 250 && green > 245 && blue > 230);
    assert!(fill > 0.15, "{fill} of the square is the white king");
    let black = browser.picture("td[data-col=e][data-row='8']");
    let fill = black.share(|[red, green, blue]| red < 70 && green < 60 && blue < 55);
    assert!(fill > 0.15, "{fill} of the square is the black king");
    let empty = browser.picture("td[data-col=e][data-row='6']");
    assert_eq!(empty.share(|[red, ..]| red < 100), 0.0);
    std::fs::remove_dir_all(folder).expect("removed");
}

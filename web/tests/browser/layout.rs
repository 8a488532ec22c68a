//! The layout: the tabs, the board in sight at the sizes of desktops and phones, the dialog for a
//! new game, the printed page.

use crate::Test;
use crate::support::page::PageTest;
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    on_desktops_the_board_stays_in_sight_and_the_lines_are_beside_it,
    on_phones_a_mistake_is_described_directly_under_the_board,
    a_large_screen_is_used,
    a_page_at_high_zoom_has_everything,
    the_arrow_keys_choose_a_tab,
    the_tab_survives_a_reload,
    the_dialog_for_a_new_game_changes_nothing_until_it_is_confirmed,
    the_players_are_named_in_plain_words,
    the_board_and_the_moves_are_printed,
];

const GAME: &str = "/?engine=&moves=e2e4,e7e5,d1h5,g8f6,h5f7,e8f7";
const SCROLLED_ASIDE: &str =
    "const d = document.documentElement; return d.scrollWidth - d.clientWidth";

fn on_desktops_the_board_stays_in_sight_and_the_lines_are_beside_it() {
    let page = PageTest::open(GAME);
    page.review();
    for (width, height) in [(1280, 720), (900, 600), (1920, 1080)] {
        let screen = format!("{width} × {height}");
        page.browser.emulate_screen(width, height);
        page.tab("analyse");
        page.browser.click("#analyse");
        page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
        page.browser.run("scrollTo(0, 0)");
        let board = page.rectangle("#board");
        for selector in ["#lines", "#status", "#analyse", "#flip"] {
            let [left, _, right, bottom] = page.rectangle(selector);
            assert!(
                right <= f64::from(width) && bottom <= f64::from(height),
                "{selector} at {screen}: {right} {bottom}"
            );
            assert!(left >= board[2] || selector == "#flip", "{selector} beside, {screen}");
        }
        page.browser.click("#analyse");
        for tab in page.tabs() {
            page.tab(&tab);
            page.browser.run("scrollTo(0, document.documentElement.scrollHeight)");
            let [left, top, right, bottom] = page.rectangle("#board");
            assert!(
                left >= 0.0
                    && top >= 0.0
                    && right <= f64::from(width)
                    && bottom <= f64::from(height),
                "{tab} at {screen}: {left} {top} {right} {bottom}"
            );
            assert_eq!(page.browser.run(SCROLLED_ASIDE), 0, "{tab} at {screen}");
        }
    }
    page.assert_no_console_errors();
}

fn on_phones_a_mistake_is_described_directly_under_the_board() {
    let page = PageTest::open(GAME);
    page.review();
    for (width, height) in [(390, 844), (360, 740)] {
        page.browser.emulate_screen(width, height);
        page.browser.run("scrollTo(0, 0)");
        page.browser.click("#mistake-prev");
        page.browser.wait("a mistake", || page.browser.text("#assessment").contains("is a"));
        let under = page.rectangle("#flip")[3];
        let [_, top, _, bottom] = page.rectangle("#assessment");
        assert!(top >= under && top - under < 32.0, "{width}: {under} {top}");
        for selector in ["#mistake-prev", "#mistake-next"] {
            let button = page.rectangle(selector);
            assert!(button[1] >= bottom && button[1] - bottom < 16.0, "{selector}: {button:?}");
        }
        let list = page.rectangle("#graph")[1];
        assert!(list > page.rectangle("#mistake-next")[3], "the rest follows");
    }
}

fn a_large_screen_is_used() {
    let page = PageTest::open(GAME);
    page.browser.emulate_screen(1920, 1080);
    for tab in page.tabs() {
        page.tab(&tab);
        let board = page.rectangle("#board");
        assert!(board[2] - board[0] > 850.0, "{tab}: {board:?}");
        let (tools, game) =
            (page.rectangle(&format!("#panel-{tab}")), page.rectangle("#game-card"));
        assert!(game[0] >= tools[2] && game[2] > 1800.0, "beside each other: {tools:?} {game:?}");
        let script = "return document.documentElement.scrollHeight <= innerHeight";
        assert_eq!(page.browser.run(script), json!(true), "{tab} needs no scrolling");
    }
}

/// A window of 1280 × 720 at 400 %.
fn a_page_at_high_zoom_has_everything() {
    let page = PageTest::open(GAME);
    page.browser.emulate_screen(320, 180);
    let board = page.rectangle("#board");
    assert!(board[2] - board[0] > 200.0, "{board:?}");
    for tab in page.tabs() {
        page.tab(&tab);
        assert_eq!(page.browser.run(SCROLLED_ASIDE), 0, "{tab}");
    }
    page.new_game();
    page.browser.wait("a new game", || page.moves().is_empty());
    page.assert_no_console_errors();
}

fn the_arrow_keys_choose_a_tab() {
    let page = PageTest::open("/");
    assert_eq!(page.browser.role("#tabs"), "tablist");
    page.browser.run("document.getElementById('tab-play').focus()");
    let tabs = page.tabs();
    let last = tabs.last().cloned().unwrap_or_default();
    let shown = |name: &str, key: &str| {
        let focus = page.browser.run("return document.activeElement.id.slice(4)");
        assert_eq!(focus, name, "{key}");
        for tab in &tabs {
            let selected = page.browser.attribute(&format!("#tab-{tab}"), "aria-selected");
            let hidden = page.browser.property(&format!("#panel-{tab}"), "hidden");
            assert_eq!(
                (selected.as_deref() == Some("true"), &hidden),
                (tab == name, &json!(tab != name))
            );
        }
        let panel = format!("#panel-{name}");
        assert_eq!(page.browser.role(&panel), "tabpanel");
        assert_eq!(page.browser.label(&panel), page.browser.text(&format!("#tab-{name}")));
    };
    for (key, name) in [
        ("ArrowRight", tabs[1].as_str()),
        ("ArrowLeft", &tabs[0]),
        ("ArrowLeft", &last),
        ("ArrowRight", &tabs[0]),
        ("End", &last),
        ("Home", &tabs[0]),
    ] {
        page.browser.press(&[key]);
        shown(name, key);
    }
    // A number key shows a tab from anywhere.
    page.blur();
    page.browser.press(&["2"]);
    assert_eq!(page.browser.property("#panel-analyse", "hidden"), json!(false));
    page.assert_no_console_errors();
}

fn the_tab_survives_a_reload() {
    let page = PageTest::open("/");
    assert_eq!(page.browser.property("#panel-play", "hidden"), json!(false), "a game to play");
    page.go(GAME);
    assert_eq!(page.browser.property("#panel-analyse", "hidden"), json!(false), "a game to see");
    page.tab("files");
    page.go(&page.path());
    assert_eq!(page.browser.property("#panel-files", "hidden"), json!(false));
}

fn the_dialog_for_a_new_game_changes_nothing_until_it_is_confirmed() {
    let page = PageTest::open("/");
    let described = page.browser.text("#opponent");
    assert_eq!(described, "You play White against Saavedra, 1 second a move.");
    let change = || {
        page.browser.select("#movetime", "100");
        page.browser.click("#human");
        page.browser.run("document.getElementById('strength').focus()");
        page.browser.press(&["Home"]);
        page.browser.select("#engine", "w");
    };
    for leave in ["Escape", "#new-cancel"] {
        page.blur();
        page.browser.press(&["n"]);
        change();
        match leave {
            "Escape" => page.browser.press(&["Escape"]),
            button => page.browser.click(button),
        }
        assert_eq!(page.browser.text("#opponent"), described, "{leave}");
        page.go("/");
        assert_eq!(page.browser.text("#opponent"), described, "{leave} and a reload");
    }
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    page.browser.click("#new");
    change();
    page.browser.click("#new-start");
    page.browser.wait("a new game in which the engine begins", || page.moves().len() == 1);
    let described = page.browser.text("#opponent");
    assert!(described.starts_with("You play Black against Saavedra (Elo "), "{described}");
    assert!(described.ends_with(", 0.1 seconds a move, human-like timing."), "{described}");
    // Without an opponent there is nothing to set.
    page.browser.click("#new");
    page.browser.select("#engine", "");
    assert_eq!(page.browser.property("#engine-settings", "hidden"), json!(true));
    page.browser.click("#new-start");
    page.browser.wait("an empty board", || page.moves().is_empty());
    assert_eq!(page.browser.text("#opponent"), "You play both sides.");
    page.assert_no_console_errors();
}

fn the_players_are_named_in_plain_words() {
    let page = PageTest::open("/");
    let names = || (page.browser.text("#top-name"), page.browser.text("#bottom-name"));
    let pair = |top: &str, bottom: &str| (top.to_owned(), bottom.to_owned());
    assert_eq!(names(), pair("Saavedra", "You"));
    page.go("/?engine=&moves=e2e4");
    assert_eq!(names(), pair("Black", "White"));
    page.load("[White \"Anna\"]\n[Black \"?\"]\n\n1. e4 *");
    page.browser.wait("her name", || names() == pair("Black", "Anna"));
    page.play_on_with(&[("#engine", "b")]);
    page.browser.wait("the engine plays on", || names() == pair("Saavedra", "Anna"));
}

fn the_board_and_the_moves_are_printed() {
    let page = PageTest::open(GAME);
    // Light, then dark: on paper both are black on white.
    page.browser.click("#theme");
    page.browser.click("#theme");
    page.browser.emulate_print();
    let ink =
        page.browser.run("return getComputedStyle(document.querySelector('#moves button')).color");
    assert_eq!(ink, "rgb(0, 0, 0)");
    let seen = |selector: &str| {
        let script = format!("return document.querySelector('{selector}').checkVisibility()");
        page.browser.run(&script) == json!(true)
    };
    for selector in ["#board", "#moves", "#bottom-name"] {
        assert!(seen(selector), "{selector}");
    }
    for selector in ["header", "#flip", "#panel-analyse", "#entry"] {
        assert!(!seen(selector), "{selector}");
    }
}

//! Links that carry a whole game.

use super::variations::copied;
use crate::Test;
use crate::support::page::PageTest;
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    a_link_carries_names_notes_and_variations,
    a_line_of_moves_has_a_short_link,
    a_game_that_is_too_long_is_refused,
    a_link_that_is_not_whole_is_refused,
];

const GAME: &str = "[White \"Änna\"]\n[Black \"Ben \\\"B\\\"\"]\n[Event \"Cup\"]\n\n1. e4 {[%clk 0:10:00] hm \
    [%cal Gd2d4]} (1. d4 d5 (1... Nf6 2. c4 $1 e6) 2. c4) e5 $2 {two} 2. Nf3 {✓} 1-0\n";

/// The link that the page copies; empty if it makes none.
fn link(page: &PageTest) -> String {
    page.tab("files");
    page.browser.run(
        "window.copied = null; navigator.clipboard.writeText = async (text) => { window.copied = text; };\
         document.getElementById('toast').textContent = ''",
    );
    page.browser.click("#copy-link");
    page.browser.wait("an answer", || !page.browser.text("#toast").is_empty());
    page.browser.run("return window.copied ?? ''").as_str().unwrap_or_default().to_owned()
}

fn a_link_carries_names_notes_and_variations() {
    let page = PageTest::open("/?engine=");
    page.load(GAME);
    page.browser.wait("the game", || page.moves().len() == 9);
    page.click_move("e6");
    page.browser.wait("a move in a variation", || page.path().contains("e7e6"));
    page.browser.click("#flip");
    let (text, link) = (copied(&page), link(&page));
    assert!(link.contains("/#game=") && link.len() < 500, "{link}");
    for what in ["another window", "the same page"] {
        match what {
            "another window" => page.go("/?engine=&moves=c2c4"),
            _ => page.new_game(),
        }
        page.browser.run(&format!("location.href = {}", json!(link)));
        page.browser.wait(what, || page.moves().len() == 9);
        assert_eq!(copied(&page), text, "{what}");
        page.browser.wait("the same place", || {
            page.browser.run("return document.querySelector('#moves [aria-current]')?.textContent")
                == "e6"
        });
        let top = "return document.querySelector('#board').firstElementChild.dataset.rank";
        assert_eq!(page.browser.run(top), "1", "the same side");
        assert!(!page.browser.url().contains('#'), "the URL follows the game");
        page.browser.reload();
        assert_eq!(copied(&page), text, "a reload after {what}");
    }
    page.assert_no_console_errors();
}

fn a_line_of_moves_has_a_short_link() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5");
    assert!(link(&page).ends_with("/?moves=e2e4,e7e5"));
    page.browser.click("#prev");
    page.play("c7c5");
    assert!(link(&page).contains("#game="), "a variation needs the whole game");
}

fn a_game_that_is_too_long_is_refused() {
    let page = PageTest::open("/?engine=");
    let words: Vec<String> =
        (0_u64..3_000).map(|i| (i * i * 7_919 % 1_000_003).to_string()).collect();
    page.load(&format!("1. e4 {{{}}} *", words.join(" ")));
    page.browser.wait("the game", || page.moves() == ["e4"]);
    assert_eq!(link(&page), "");
    page.wait_for_message("This game is too long for a link of 8,000 characters. Save it as a PGN");
    page.assert_no_console_errors();
}

fn a_link_that_is_not_whole_is_refused() {
    let page = PageTest::open("/?engine=");
    page.load(GAME);
    page.browser.wait("the game", || page.moves().len() == 9);
    let link = link(&page);
    let cut = &link[..link.find("#game=").expect("a game") + 40];
    for bad in [cut, "/#game=", "/#game=%25%25", "/#game=AAAA&at=9e99.1"] {
        page.go("/?engine=");
        page.browser.run(&format!("location.href = {}", json!(bad)));
        page.wait_for_message("The game in this link cannot be read: the link is not whole.");
        assert!(page.moves().is_empty(), "a new game is shown");
    }
    page.assert_no_console_errors();
}

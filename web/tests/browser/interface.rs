//! The interface: analysis, reviews, colours, sizes, accessible names, keyboard and touch.

use crate::Test;
use crate::support::http::metric;
use crate::support::page::{PageTest, square};

pub(crate) const TESTS: &[Test] = tests![
    analysis_shows_pv_lines_and_arrows_and_stops_with_the_page,
    the_board_works_by_keyboard,
    a_review_marks_the_blunder_and_draws_the_graph,
    every_control_has_an_accessible_name,
    pieces_are_dragged_by_touch,
    the_colour_scheme_of_the_system_is_followed,
    the_page_fits_a_phone_in_light_and_dark,
];

/// What saves a screenshot and checks nothing.
pub(crate) const SCREENSHOTS: &[Test] = tests![the_screenshot_of_the_documentation];

fn analysis_shows_pv_lines_and_arrows_and_stops_with_the_page() {
    let path = "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4,g8f6,d2d4,e5d4,e1g1,f6e4";
    let page = PageTest::open(path);
    page.browser.click("#analyse");
    page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
    page.browser.wait("some depth", || {
        let depth = page.browser.attribute("#effort", "data-depth");
        depth.and_then(|depth| depth.parse::<u32>().ok()).is_some_and(|depth| depth >= 8)
    });
    assert!(page.browser.text("#effort").contains("nodes"));
    assert_eq!(page.browser.count("#arrows path"), 3);
    assert!(
        page.browser.label("#bar").starts_with("Evaluation "),
        "{}",
        page.browser.label("#bar")
    );
    // A click on a move of a PV plays it. Read and clicked in one script, since the PV may change.
    let first = page.browser.run(
        "const b = document.querySelector('#lines li:first-child button'); b.click(); return b.textContent",
    );
    page.browser.wait("the move is played", || page.moves().len() == 11);
    assert_eq!(first, page.moves()[10].as_str());
    page.browser.wait("the new position is analysed", || page.browser.count("#lines li") == 3);
    let running = || metric(page.address(), "saavedra_searches_running");
    page.browser.wait("the search runs", || running() == 1.0);
    page.browser.click("#analyse");
    page.browser.wait("the search has stopped", || running() == 0.0);
    assert_eq!((page.browser.count("#lines li"), page.browser.count("#arrows path")), (0, 0));
    page.browser.click("#analyse");
    page.browser.wait("the search runs again", || running() == 1.0);
    page.browser.run("location.href = 'about:blank'");
    page.browser.wait("leaving the page stops the search", || running() == 0.0);
}

fn the_board_works_by_keyboard() {
    let page = PageTest::open("/");
    page.play_on_with(&[("#engine", "")]);
    page.browser.run("document.querySelector('#board [tabindex=\"0\"]').focus()");
    let focus = || {
        let script =
            "const d = document.activeElement.dataset; return (d.col ?? '') + (d.row ?? '')";
        page.browser.run(script)
    };
    assert_eq!(focus(), "e2");
    assert_eq!(page.browser.label(&square("e2")), "e2, white pawn");
    page.browser.press(&["Enter"]);
    assert_eq!(page.browser.label(&square("e2")), "e2, white pawn, selected");
    assert_eq!(page.browser.label(&square("e4")), "e4, empty, possible target");
    page.browser.press(&["ArrowUp", "ArrowUp", "Enter"]);
    page.browser.wait("played", || page.moves() == ["e4"]);
    assert_eq!(focus(), "e4");
    page.browser.press(&["f"]);
    page.browser.press(&["ArrowLeft"]);
    assert_eq!(focus(), "f4", "the arrow keys follow the flipped board");
    page.browser.press(&["u"]);
    page.browser.wait("taken back", || page.moves().is_empty());
    page.assert_no_console_errors();
}

fn a_review_marks_the_blunder_and_draws_the_graph() {
    let page = PageTest::open("/?moves=f2f3,e7e5,g2g4,d8h4");
    page.review();
    let marks =
        page.browser.run("return document.querySelectorAll('#moves button')[2].dataset.mark");
    assert_eq!(marks, "??");
    assert_eq!(page.browser.count("#graph svg .area"), 1);
    assert!(page.browser.label("#graph").starts_with("Evaluation graph"));
    page.assert_no_console_errors();
}

fn every_control_has_an_accessible_name() {
    let page = PageTest::open("/?moves=e2e4,e7e5");
    let script = "const all = [...document.querySelectorAll('button, input, select, textarea, summary, a, [role]')]\
        .filter(e => e.checkVisibility() && !e.closest('#board [data-col]'));\
        all.forEach((e, n) => { e.dataset.nth = n; }); return all.length";
    let mut all = 0;
    for tab in page.tabs() {
        page.tab(&tab);
        let count = page.browser.run(script).as_u64().unwrap_or_default();
        all += count;
        for nth in 0..count {
            let selector = format!("[data-nth='{nth}']");
            let role = page.browser.role(&selector);
            // Rows and live regions need no name.
            if ["row", "status", "alert", "generic", "none"].contains(&role.as_str()) {
                continue;
            }
            let html = page.browser.property(&selector, "outerHTML");
            assert_ne!(page.browser.label(&selector), "", "{role} without a name: {html}");
        }
    }
    assert!(all > 100, "only {all} controls");
    assert_eq!(page.browser.role("#board"), "grid");
    assert_eq!(page.browser.role(&square("e4")), "gridcell");
    page.tab("analyse");
    assert_eq!(page.browser.role("#analyse"), "switch");
}

fn pieces_are_dragged_by_touch() {
    let page = PageTest::with_size("/", 500, 900);
    page.play_on_with(&[("#engine", "")]);
    page.browser.touch_drag(&square("g1"), &square("f3"));
    page.browser.wait("the knight is dropped", || page.moves() == ["Nf3"]);
    page.browser.touch_drag(&square("e7"), &square("e4"));
    page.browser.touch_drag(&square("e7"), &square("e5"));
    page.browser.wait("the pawn is dropped", || page.moves() == ["Nf3", "e5"]);
    page.assert_no_console_errors();
}

fn the_colour_scheme_of_the_system_is_followed() {
    let page = PageTest::open("/");
    let theme = |scheme: &str| {
        page.browser.set_color_scheme(scheme);
        page.browser.wait(scheme, || {
            page.browser.run("return document.documentElement.dataset.theme") == scheme
        });
        page.browser.run("return getComputedStyle(document.body).backgroundColor")
    };
    let (light, dark) = (theme("light"), theme("dark"));
    assert_ne!(light, dark);
    // The user's choice takes precedence and is stored.
    page.browser.click("#theme");
    page.browser.wait("light by choice", || {
        page.browser.run("return document.documentElement.dataset.theme") == "light"
    });
    page.go("/");
    assert_eq!(page.browser.run("return getComputedStyle(document.body).backgroundColor"), light);
}

fn the_page_fits_a_phone_in_light_and_dark() {
    let page = PageTest::with_size("/?moves=e2e4,e7e5,g1f3", 500, 900);
    for width in [360, 500, 768, 1024, 1440] {
        page.browser.resize(width, 900);
        let script = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
        assert_eq!(page.browser.run(script), 0, "horizontal scrolling at {width}");
    }
    let colour = || page.browser.run("return getComputedStyle(document.body).backgroundColor");
    page.browser.resize(500, 900);
    page.browser.click("#theme");
    let light = colour();
    page.browser.click("#theme");
    assert_ne!(light, colour());
    page.screenshot("web-phone-dark.png");
    page.assert_no_console_errors();
}

/// Takes the screenshot of the documentation: a reviewed game under analysis.
fn the_screenshot_of_the_documentation() {
    let path = "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d4,e5d4,c3d4,c5b4,b1c3,f6e4,e1g1,b4c3,\
                d4d5,c3f6,f1e1,c6e7,e1e4,d7d6,c1g5,f6g5,f3g5,h7h6,d1e2,h6g5,a1e1,c8e6,d5e6,f7f6&ply=20";
    let page = PageTest::with_size(path, 1320, 960);
    page.review();
    page.tab("analyse");
    page.browser.click("#analyse");
    page.browser.wait("some depth", || {
        let depth = page.browser.attribute("#effort", "data-depth");
        depth.and_then(|depth| depth.parse::<u32>().ok()).is_some_and(|depth| depth >= 14)
    });
    page.screenshot("web-analysis.png");
}

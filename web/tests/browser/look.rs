//! What one sees and hears: analysis, reviews, colours, sizes, names, keys and fingers.

use crate::support::http::metric;
use crate::support::scene::{Scene, square};

#[test]
fn analysis_shows_lines_arrows_and_chances_and_stops_with_the_page() {
    let path = "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4,g8f6,d2d4,e5d4,e1g1,f6e4";
    let Some(scene) = Scene::open(path) else {
        return;
    };
    scene.browser.click("#analyse");
    scene
        .browser
        .wait("three lines", || scene.browser.count("#lines li") == 3);
    scene.browser.wait("some depth", || {
        let depth = scene.browser.attribute("#effort", "data-depth");
        depth
            .and_then(|depth| depth.parse::<u32>().ok())
            .is_some_and(|depth| depth >= 8)
    });
    assert!(scene.browser.text("#effort").contains("nodes"));
    assert_eq!(scene.browser.count("#arrows path"), 3);
    assert!(
        scene.browser.label("#bar").starts_with("Evaluation "),
        "{}",
        scene.browser.label("#bar")
    );
    // A move of a line is played by clicking it: read and clicked at once, as the line may change.
    let first = scene.browser.run(
        "const b = document.querySelector('#lines li:first-child button'); b.click(); return b.textContent",
    );
    scene
        .browser
        .wait("it is played", || scene.moves().len() == 11);
    assert_eq!(first, scene.moves()[10].as_str());
    scene.browser.wait("the new position is analysed", || {
        scene.browser.count("#lines li") == 3
    });
    let running = || metric(scene.address(), "saavedra_searches_running");
    scene.browser.wait("it runs", || running() == 1.0);
    scene.browser.click("#analyse");
    scene.browser.wait("it is stopped", || running() == 0.0);
    assert_eq!(
        (
            scene.browser.count("#lines li"),
            scene.browser.count("#arrows path")
        ),
        (0, 0)
    );
    scene.browser.click("#analyse");
    scene.browser.wait("it runs again", || running() == 1.0);
    scene.browser.run("location.href = 'about:blank'");
    scene
        .browser
        .wait("leaving the page stops it", || running() == 0.0);
}

#[test]
fn the_keyboard_alone_is_enough() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.choose("#engine", "");
    scene
        .browser
        .run("document.querySelector('#board [tabindex=\"0\"]').focus()");
    let focus = || {
        let script =
            "const d = document.activeElement.dataset; return (d.col ?? '') + (d.row ?? '')";
        scene.browser.run(script)
    };
    assert_eq!(focus(), "e2");
    assert_eq!(scene.browser.label(&square("e2")), "e2, white pawn");
    scene.browser.press(&["Enter"]);
    assert_eq!(
        scene.browser.label(&square("e2")),
        "e2, white pawn, picked up"
    );
    assert_eq!(
        scene.browser.label(&square("e4")),
        "e4, empty, can be reached"
    );
    scene.browser.press(&["ArrowUp", "ArrowUp", "Enter"]);
    scene.browser.wait("played", || scene.moves() == ["e4"]);
    assert_eq!(focus(), "e4");
    scene.browser.press(&["f"]);
    scene.browser.press(&["ArrowLeft"]);
    assert_eq!(focus(), "f4", "the board is turned, and left with it");
    scene.browser.press(&["u"]);
    scene
        .browser
        .wait("taken back", || scene.moves().is_empty());
    scene.is_quiet();
}

#[test]
fn a_review_marks_the_blunder_and_draws_the_line() {
    let Some(scene) = Scene::open("/?moves=f2f3,e7e5,g2g4,d8h4") else {
        return;
    };
    scene.browser.click("#review");
    scene.browser.wait("it sums up", || {
        scene.browser.text("#summary").contains("accurate")
    });
    let marks = scene
        .browser
        .run("return document.querySelectorAll('#moves button')[2].dataset.mark");
    assert_eq!(marks, "??");
    assert_eq!(scene.browser.count("#graph svg .area"), 1);
    assert!(
        scene
            .browser
            .label("#graph")
            .starts_with("Evaluation graph")
    );
    scene.is_quiet();
}

#[test]
fn everything_one_can_use_has_a_name() {
    let Some(scene) = Scene::open("/?moves=e2e4,e7e5") else {
        return;
    };
    scene.browser.click("#position summary");
    let script = "const all = [...document.querySelectorAll('button, input, select, textarea, summary, a, [role]')]\
        .filter(e => e.checkVisibility() && !e.closest('#board [data-col]'));\
        all.forEach((e, n) => { e.dataset.nth = n; }); return all.length";
    let count = scene.browser.run(script).as_u64().unwrap_or_default();
    assert!(count > 30, "only {count} things to use");
    for nth in 0..count {
        let selector = format!("[data-nth='{nth}']");
        let role = scene.browser.role(&selector);
        // Rows are named by their squares, and what is said aloud is its own name.
        if ["row", "status", "alert", "generic", "none"].contains(&role.as_str()) {
            continue;
        }
        let html = scene.browser.property(&selector, "outerHTML");
        assert_ne!(
            scene.browser.label(&selector),
            "",
            "{role} without a name: {html}"
        );
    }
    assert_eq!(scene.browser.role("#board"), "grid");
    assert_eq!(scene.browser.role(&square("e4")), "gridcell");
    assert_eq!(scene.browser.role("#analyse"), "switch");
}

#[test]
fn a_finger_drags_pieces_too() {
    let Some(scene) = Scene::sized("/", 500, 900) else {
        return;
    };
    scene.browser.choose("#engine", "");
    scene.browser.drag_by_finger(&square("g1"), &square("f3"));
    scene
        .browser
        .wait("the knight is put down", || scene.moves() == ["Nf3"]);
    scene.browser.drag_by_finger(&square("e7"), &square("e4"));
    scene.browser.drag_by_finger(&square("e7"), &square("e5"));
    scene
        .browser
        .wait("the pawn goes two", || scene.moves() == ["Nf3", "e5"]);
    scene.is_quiet();
}

#[test]
fn the_system_s_preference_for_dark_is_followed() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    let theme = |wanted: &str| {
        scene.browser.prefer(wanted);
        scene.browser.wait(wanted, || {
            scene
                .browser
                .run("return document.documentElement.dataset.theme")
                == wanted
        });
        scene
            .browser
            .run("return getComputedStyle(document.body).backgroundColor")
    };
    let (light, dark) = (theme("light"), theme("dark"));
    assert_ne!(light, dark);
    // A choice of one's own goes before, and stays.
    scene.browser.click("#theme");
    scene.browser.wait("light by choice", || {
        scene
            .browser
            .run("return document.documentElement.dataset.theme")
            == "light"
    });
    scene.go("/");
    assert_eq!(
        scene
            .browser
            .run("return getComputedStyle(document.body).backgroundColor"),
        light
    );
}

#[test]
fn it_fits_a_phone_in_light_and_dark() {
    let Some(scene) = Scene::sized("/?moves=e2e4,e7e5,g1f3", 500, 900) else {
        return;
    };
    for width in [360, 500, 768, 1024, 1440] {
        scene.browser.resize(width, 900);
        let script = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
        assert_eq!(
            scene.browser.run(script),
            0,
            "at {width} one must scroll sideways"
        );
    }
    let colour = || {
        scene
            .browser
            .run("return getComputedStyle(document.body).backgroundColor")
    };
    scene.browser.resize(500, 900);
    scene.browser.click("#theme");
    let light = colour();
    scene.browser.click("#theme");
    assert_ne!(light, colour());
    scene.shoot("web-phone-dark.png");
    scene.is_quiet();
}

/// Takes the large picture of the documentation: a reviewed game under analysis.
#[test]
fn the_picture_of_the_documentation() {
    if std::env::var("SAAVEDRA_SCREENSHOTS").is_err() {
        return;
    }
    let path = "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d4,e5d4,c3d4,c5b4,b1c3,f6e4,e1g1,b4c3,\
                d4d5,c3f6,f1e1,c6e7,e1e4,d7d6,c1g5,f6g5,f3g5,h7h6,d1e2,h6g5,a1e1,c8e6,d5e6,f7f6&ply=20";
    let Some(scene) = Scene::sized(path, 1320, 1180) else {
        return;
    };
    scene.browser.click("#review");
    scene.browser.wait("it sums up", || {
        scene.browser.text("#summary").contains("accurate")
    });
    scene.browser.click("#analyse");
    scene.browser.wait("some depth", || {
        let depth = scene.browser.attribute("#effort", "data-depth");
        depth
            .and_then(|depth| depth.parse::<u32>().ok())
            .is_some_and(|depth| depth >= 14)
    });
    scene.shoot("web-analysis.png");
}

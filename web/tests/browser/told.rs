//! What the page tells: messages, results, evaluations, and what it understands.

use crate::Test;
use crate::support::http::metric;
use crate::support::page::{PageTest, piece, square};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    warnings_of_a_file_stay_beside_the_number_of_its_games,
    games_that_are_not_kept_are_named,
    the_result_and_the_tags_of_a_game_are_shown_at_its_end,
    a_finished_game_is_played_on,
    a_lost_connection_is_told_and_switches_the_analysis_off,
    an_analysis_that_the_server_ends_says_why,
    a_hidden_tab_gives_its_engine_back,
    an_evaluation_without_probabilities_leaves_room_for_the_draw,
    moves_are_typed_with_and_without_capitals,
    errors_name_no_field_of_a_request,
    the_keys_are_read_from_the_top_and_the_box_is_beside_its_words,
    an_arrow_is_seen_while_it_is_drawn,
];

fn message(page: &PageTest) -> String {
    page.browser.text("#toast")
}

fn warnings_of_a_file_stay_beside_the_number_of_its_games() {
    let page = PageTest::open("/?engine=");
    let bad = "[Event \"a\"]\n\n1. e4 Ke5 *\n\n";
    let good = "[Event \"b\"]\n\n1. d4 *\n\n";
    let refused = "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n\n";
    let (number, first) = ("3 games.", "no legal move matches \"Ke5\"");
    let other = "What could not be read of 1 other game is in the comments.";
    for (games, parts) in [
        ([bad, good, good], [number, first]),
        ([bad, bad, good], [other, first]),
        ([good, bad, good], [number, other]),
        ([refused, good, good], [number, "Game 1 is refused: impossible position"]),
        ([good, good, good], [number, number]),
    ] {
        page.load(&games.concat());
        page.wait_for_message(parts[0]);
        assert!(message(&page).contains(parts[1]), "{}", message(&page));
        page.new_game();
        page.browser.wait("a new game", || page.browser.count("#games option") == 0);
    }
}

fn games_that_are_not_kept_are_named() {
    let page = PageTest::open("/?engine=");
    let games: String = (0..2_001).map(|i| format!("[Event \"{i}\"]\n\n1. e4 *\n\n")).collect();
    page.load(&games);
    page.wait_for_message("2001 games. The other games of this file are not kept");
    assert_eq!(page.browser.count("#games option"), 2_001);
    page.assert_no_console_errors();
}

fn the_result_and_the_tags_of_a_game_are_shown_at_its_end() {
    let page = PageTest::open("/?engine=");
    let tags = "[Event \"Club Cup\"]\n[Site \"Bonn\"]\n[Date \"????.??.??\"]\n[Round \"3\"]\n\
        [White \"Anna\"]\n[Black \"Ben\"]\n[WhiteElo \"1850\"]\n";
    for (result, termination, status, row) in [
        ("1-0", "Black resigned", "White wins, 1-0 (Black resigned)", "1-0"),
        ("0-1", "Normal", "Black wins, 0-1", "0-1"),
        ("1/2-1/2", "?", "Draw, ½-½", "½-½"),
        ("*", "?", "White to move", "e5"),
    ] {
        page.load(&format!("{tags}[Termination \"{termination}\"]\n\n1. e4 (1. d4) e5 {result}\n"));
        page.browser.wait("the game", || page.moves().len() == 3);
        assert_eq!(page.browser.text("#facts"), "Club Cup, Bonn, round 3");
        assert_eq!(page.browser.text("#bottom-name"), "Anna (1850)");
        page.wait_for_status("White to move");
        for what in ["opened", "loaded again"] {
            page.browser.click("#last");
            page.wait_for_status(status);
            assert_eq!(page.browser.text("#status"), status, "{what}");
            assert!(page.browser.text("#moves").ends_with(row), "{what}");
            page.browser.click("#prev");
            page.wait_for_status("Black to move");
            page.browser.reload();
        }
    }
    page.assert_no_console_errors();
}

fn a_finished_game_is_played_on() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 e5 0-1");
    page.browser.wait("the game", || page.moves() == ["e4", "e5"]);
    page.browser.click("#last");
    page.wait_for_status("Black wins");
    page.play_on_with(&[("#engine", "w"), ("#movetime", "100")]);
    page.browser.wait("the engine moves", || page.moves().len() == 3);
    page.wait_for_status("Black to move");
    page.browser.click("#resign");
    page.wait_for_status("You resigned. White wins");
    page.browser.wait("the result", || page.browser.text("#moves").ends_with("1-0"));
    page.assert_no_console_errors();
}

/// Breaks the stream of the next analysis after its first part, as a lost network does.
const BREAK: &str = "const get = window.fetch; window.fetch = async (...request) => {\
    const answer = await get(...request); if (!String(request[0]).includes('analysis')) return answer;\
    window.fetch = get; const reader = answer.body.getReader(); const { value } = await reader.read();\
    const body = new ReadableStream({ start(to) { to.enqueue(value); setTimeout(() => to.CUT, 300); } });\
    return new Response(body, { headers: answer.headers }); }";

fn a_lost_connection_is_told_and_switches_the_analysis_off() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    for cut in ["error(new TypeError('network error'))", "close()"] {
        page.browser.run(&BREAK.replace("CUT", cut));
        page.browser.click("#analyse");
        page.wait_for_message("The connection to the server was lost.");
        assert!(!message(&page).contains("network error"));
        assert_eq!(page.browser.property("#analyse", "checked"), json!(false), "{cut}");
        assert_eq!(page.browser.text("#effort"), "Stopped");
        page.browser.click("#analyse");
        page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
        page.browser.click("#analyse");
    }
}

fn an_analysis_that_the_server_ends_says_why() {
    let page = PageTest::with_arguments("/?engine=&moves=e2e4", &["--max-analysis", "1"]);
    page.browser.click("#analyse");
    page.browser.wait("its end", || {
        page.browser.text("#effort").ends_with("ended by the time limit of the server")
    });
    assert_eq!(page.browser.count("#lines li"), 3);
}

fn a_hidden_tab_gives_its_engine_back() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    let running = || metric(page.address(), "saavedra_searches_running");
    page.browser.click("#analyse");
    page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
    // Without the delay of half a minute.
    page.browser.run("const set = window.setTimeout; window.setTimeout = (run, delay) => set(run, delay > 10_000 ? 0 : delay)");
    let set_hidden = |hidden: bool| {
        page.browser.run(&format!(
            "Object.defineProperty(document, 'hidden', {{ value: {hidden}, configurable: true }});\
             document.dispatchEvent(new Event('visibilitychange'))"
        ));
    };
    set_hidden(true);
    page.browser.wait("no search", || running() == 0.0);
    assert_eq!(page.browser.text("#effort"), "Paused while the tab is hidden");
    assert_eq!(page.browser.count("#lines li"), 3, "what was found stays");
    set_hidden(false);
    page.browser.wait("the search again", || page.browser.text("#effort").starts_with("Depth"));
    assert_eq!(running(), 1.0);
}

fn an_evaluation_without_probabilities_leaves_room_for_the_draw() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 {[%eval 0.24]} e5 {[%eval -9.8]} 2. Nf3 {[%eval #4]} *");
    page.browser.wait("the game", || page.moves().len() == 3);
    for (label, drawn) in [
        ("Evaluation +0.24, estimated: White wins 8 %, draw 90 %, Black wins 2 %", Some(80.0)),
        ("Evaluation −9.80, estimated: White wins 0 %, draw 0 %, Black wins 100 %", None),
        ("Evaluation +M4: White wins 100 %, draw 0 %, Black wins 0 %", None),
    ] {
        page.browser.click("#next");
        page.browser.wait(label, || page.browser.label("#bar") == label);
        if let Some(percent) = drawn {
            let height = |selector: &str| {
                let [_, top, _, bottom] = page.rectangle(selector);
                bottom - top
            };
            page.browser.wait("a wide grey part", || {
                height("#bar .draw") * 100.0 > height("#bar") * percent
            });
        }
    }
}

fn moves_are_typed_with_and_without_capitals() {
    let page = PageTest::open("/?engine=&fen=r3k2r/1P4p1/1n6/8/2p5/8/1P1BN3/R3K1NR+w+KQkq+-+0+1");
    for (typed, san) in [
        ("bc3", "Bc3"),
        ("o-o", "O-O"),
        ("ng1F3", "Nf3"),
        ("K g8 - f7", "Kf7"),
        ("bxa8=q", "bxa8=Q"),
        ("Nb6xa8", "Nxa8"),
        ("0-0-0!", "O-O-O"),
        ("f8a8", ""),
        ("nC7", "Nc7"),
    ] {
        let before = page.moves();
        page.browser.set_value("#move", typed);
        page.browser.click("#entry button");
        if san.is_empty() {
            page.browser.wait(typed, || !message(&page).is_empty());
            assert_eq!(page.moves(), before);
            continue;
        }
        page.browser.wait(typed, || page.moves().len() > before.len());
        let last = page.moves().last().map(|last| last.trim_end_matches('+').to_owned());
        assert_eq!(last.as_deref(), Some(san), "{typed}");
    }
    // With a capital only the bishop, without one the pawn.
    page.go("/?engine=&fen=4k3/8/8/8/8/2p5/1P1B4/4K3+w+-+-+0+1");
    for (typed, san) in [("Bxc3", "Bxc3"), ("bxc3", "bxc3")] {
        page.browser.set_value("#move", typed);
        page.browser.click("#entry button");
        page.browser.wait(typed, || page.moves() == [san]);
        page.browser.click("#takeback");
        page.browser.wait("taken back", || page.moves().is_empty());
    }
    // A promotion without a piece is to a queen.
    for typed in ["b8", "b7b8", "b8q"] {
        page.go("/?engine=&fen=8/1P6/8/8/8/8/k7/4K3+w+-+-+0+1");
        page.browser.set_value("#move", typed);
        page.browser.click("#entry button");
        page.browser.wait(typed, || page.moves() == ["b8=Q"]);
    }
}

fn errors_name_no_field_of_a_request() {
    let page = PageTest::open("/?engine=");
    let check = |part: &str| {
        page.wait_for_message(part);
        let text = message(&page);
        for field in ["move: ", "moves[", "start: ", "fen: ", "pgn: "] {
            assert!(!text.contains(field), "{text}");
        }
    };
    page.browser.set_value("#move", "Ke4");
    page.browser.click("#entry button");
    check("no legal move");
    page.load("8/8/8/8/8/8/8/8 w - - 0 1");
    check("white has no king");
    page.browser.click("#edit");
    page.browser.fill("#setup-castling", "ZZ");
    page.browser.click("#setup-done");
    check("castling rights");
    page.go("/?engine=&moves=e2e4,e2e4");
    check("illegal move");
}

fn the_keys_are_read_from_the_top_and_the_box_is_beside_its_words() {
    let page = PageTest::open("/?engine=");
    for (width, height) in [(1280, 720), (390, 844)] {
        page.browser.emulate_screen(width, height);
        page.browser.click("#help");
        page.assert_in_view("#keys-title", (width, height));
        let (cell, label) =
            (page.rectangle("#letter-keys"), page.rectangle("label:has(#letter-keys)"));
        let side = cell[3] - cell[1];
        assert!(label[3] - label[1] < 2.0 * side, "on one line: {label:?}");
        assert!(cell[0] - label[0] < side, "at the left: {cell:?} {label:?}");
        page.browser.press(&["Escape"]);
    }
}

fn an_arrow_is_seen_while_it_is_drawn() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    // Notes what is drawn between press and release.
    page.browser.run(
        "window.seen = []; new MutationObserver(() => document.querySelectorAll('#arrows .sketch')\
         .forEach(({ dataset }) => window.seen.push(dataset.move ?? dataset.square)))\
         .observe(document.getElementById('arrows'), { childList: true })",
    );
    page.browser.right_drag(&square("d2"), &square("d4"));
    page.browser.wait("the arrow", || page.browser.count("#arrows path.drawn") == 1);
    let seen = page.browser.run("return [...new Set(window.seen)]");
    let seen = seen.as_array().cloned().unwrap_or_default();
    assert_eq!((seen.first(), seen.last()), (Some(&json!("d2")), Some(&json!("d2d4"))));
    assert_eq!(page.browser.count("#arrows .sketch"), 0);
    assert_eq!(page.piece("d2"), piece("wp"));
    page.assert_no_console_errors();
}

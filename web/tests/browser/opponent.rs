//! Games against the engine: resignation, draw, the end and the rematch.

use crate::Test;
use crate::support::page::{PageTest, piece};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    a_game_can_be_resigned_and_played_again_with_the_other_colour,
    draws_are_offered_on_the_user_s_turn_only,
    the_engine_takes_no_longer_than_the_service_allows,
    the_engine_s_moves_are_not_typed,
    the_engine_moves_although_another_position_is_refused_meanwhile,
    the_banner_shows_a_mate_and_can_be_closed,
    the_sound_switch_and_the_person_s_time_are_stored,
];

fn a_game_can_be_resigned_and_played_again_with_the_other_colour() {
    let page = PageTest::open("/");
    assert_eq!(page.browser.property("#offers", "hidden"), json!(true));
    page.play_on_with(&[("#movetime", "100")]);
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    page.browser.click("#draw");
    page.wait_for_message("declines");
    page.browser.click("#resign");
    page.wait_for_status("You resigned. Black wins");
    assert_eq!(page.browser.property("#banner", "hidden"), json!(false));
    assert_eq!(page.browser.text("#banner-text"), "You resigned. Black wins");
    // The game is over: no piece moves.
    assert_eq!(page.browser.property("#offers", "hidden"), json!(true));
    assert_eq!(page.browser.count("#board .movable"), 0);
    page.browser.fill("#move", "d4");
    page.browser.click("#entry button");
    page.wait_for_message("The game is over.");
    assert_eq!(page.moves().len(), 2);
    let pgn = page.browser.run_async(
        "const { api } = await import('/assets/api.js'); const { writeGames } = await import('/assets/pgn.js');\
         const { loadGame } = await import('/assets/storage.js');\
         return writeGames(api, (await loadGame(history.state.id, api)).games)",
    );
    let pgn = pgn.as_str().unwrap_or_default();
    assert!(pgn.contains("[Result \"0-1\"]") && pgn.trim().ends_with("0-1"), "{pgn}");
    page.browser.click("#rematch");
    page.browser.wait("the engine begins", || {
        page.moves().len() == 1 && page.browser.property("#engine", "value") == json!("w")
    });
    assert_eq!(page.browser.property("#banner", "hidden"), json!(true));
    assert_eq!(page.browser.text("#top-name"), "Saavedra");
    page.assert_no_console_errors();
}

fn draws_are_offered_on_the_user_s_turn_only() {
    let page = PageTest::open("/");
    page.pause_server();
    page.play("e2e4");
    assert_eq!(page.browser.property("#offers", "hidden"), json!(false));
    assert_eq!(page.browser.property("#draw", "disabled"), json!(true));
    page.resume_server();
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    page.browser.wait("a draw can be offered", || {
        page.browser.property("#draw", "disabled") == json!(false)
    });
    page.assert_no_console_errors();
}

fn the_engine_takes_no_longer_than_the_service_allows() {
    let page = PageTest::with_arguments("/", &["--max-movetime", "150"]);
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    page.review();
    page.assert_no_console_errors();
}

fn the_engine_s_moves_are_not_typed() {
    let page = PageTest::open("/");
    page.play_on_with(&[("#movetime", "3000")]);
    page.play("e2e4");
    page.browser.fill("#move", "a6");
    page.browser.click("#entry button");
    page.wait_for_message("It is the engine's turn.");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    assert_ne!(page.moves(), ["e4", "a6"]);
    page.browser.wait("the message goes", || page.browser.text("#toast").is_empty());
    page.assert_no_console_errors();
}

fn the_engine_moves_although_another_position_is_refused_meanwhile() {
    let page = PageTest::open("/");
    page.play_on_with(&[("#movetime", "3000")]);
    page.play("e2e4");
    page.load("8/8/8/8/8/8/8/8 w - - 0 1");
    page.wait_for_message("king");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    let message = page.browser.text("#toast");
    assert!(message.contains("king"), "the error stays: {message}");
}

fn the_banner_shows_a_mate_and_can_be_closed() {
    let page = PageTest::open("/?moves=f2f3,e7e5,g2g4,d8h4&engine=b");
    assert_eq!(page.browser.text("#banner-text"), "Checkmate. Black wins");
    page.browser.click("#banner-close");
    assert_eq!(page.browser.property("#banner", "hidden"), json!(true));
    // A game that is only looked at has no banner.
    page.go("/?moves=f2f3,e7e5,g2g4,d8h4");
    page.wait_for_status("Checkmate. Black wins");
    assert_eq!(page.browser.property("#banner", "hidden"), json!(true));
}

fn the_sound_switch_and_the_person_s_time_are_stored() {
    let page = PageTest::open("/");
    assert_eq!(page.browser.attribute("#sound", "aria-pressed").as_deref(), Some("false"));
    page.browser.click("#sound");
    page.browser.click("#new");
    page.browser.click("#human");
    page.browser.click("#new-apply");
    page.go("/");
    assert_eq!(page.browser.attribute("#sound", "aria-pressed").as_deref(), Some("true"));
    assert_eq!(page.browser.property("#human", "checked"), json!(true));
    // With both, a game goes on as ever.
    page.play_on_with(&[("#movetime", "100")]);
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    assert_eq!(page.piece("e4"), piece("wp"));
    page.assert_no_console_errors();
}

//! The page as a program sees it: parts, headers, the board in the address.

use crate::support::Server;
use crate::support::http::{get, request};

/// The texts of the page's squares by name.
fn squares(page: &str) -> Vec<(String, String)> {
    let of = |square: &str, name: &str| {
        let rest = square.split_once(&format!("{name}=\""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let buttons = page
        .split("<button")
        .filter(|button| button.contains("data-col="));
    buttons
        .map(|button| {
            let name = of(button, "data-col").unwrap_or_default()
                + &of(button, "data-row").unwrap_or_default();
            let text = button
                .split_once('>')
                .and_then(|(_, rest)| rest.split_once('<'));
            (
                name,
                text.map(|(text, _)| text.to_owned()).unwrap_or_default(),
            )
        })
        .collect()
}

#[test]
fn the_page_is_a_board_in_the_documents_format() {
    let server = Server::start();
    let page = get(server.address, "/").body;
    let squares = squares(&page);
    assert_eq!(squares.len(), 64);
    assert_eq!(squares[0], ("a8".to_owned(), "♜".to_owned()));
    assert!(squares.contains(&("e1".to_owned(), "♔".to_owned())));
    assert!(squares.contains(&("e4".to_owned(), String::new())));
    assert!(page.contains("data-turn=\"w\" data-castling=\"KQkq\" data-ep=\"-\""));
}

#[test]
fn the_address_holds_the_position() {
    let server = Server::start();
    for (query, name, text) in [
        ("moves=e2e4,e7e5", "e5", "♟"),
        ("moves=e2e4,e7e5&ply=1", "e7", "♟"),
        ("fen=4k3/8/8/8/8/8/8/4K2R+w+K+-+0+1", "h1", "♖"),
        (
            "fen=4k3/8/8/8/8/8/8/4K2R+w+K+-+0+1&moves=e1g1&engine=b",
            "g1",
            "♔",
        ),
        // What cannot be read shows the start; the script then says why.
        ("fen=nonsense", "e1", "♔"),
        ("moves=e2e5&ply=%00", "e2", "♙"),
    ] {
        let page = get(server.address, &format!("/?{query}"));
        assert_eq!(page.status, 200);
        let found = squares(&page.body)
            .into_iter()
            .find(|(square, _)| square == name);
        assert_eq!(
            found.map(|(_, text)| text).as_deref(),
            Some(text),
            "{query}"
        );
    }
}

#[test]
fn everything_the_page_names_is_served_here_and_nothing_is_loaded_from_elsewhere() {
    let server = Server::start();
    let mut waiting = vec!["/".to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = waiting.pop() {
        let answer = get(server.address, &path);
        assert_eq!(answer.status, 200, "{path}");
        let text = answer.body.replace("http://www.w3.org/", "");
        assert!(
            !text.contains("http://") && !text.contains("https://"),
            "{path} names a site"
        );
        let quoted = text
            .split(['"', '\''])
            .map(|word| word.replace("./", "/assets/"));
        let named = quoted
            .filter(|word| word.starts_with("/assets/"))
            .collect::<Vec<_>>();
        seen.push(path);
        waiting.extend(named.into_iter().filter(|name| !seen.contains(name)));
        waiting.sort();
        waiting.dedup();
    }
    assert!(seen.len() >= 11, "{seen:?}");
}

#[test]
fn parts_that_are_known_are_not_sent_again() {
    let server = Server::start();
    let first = get(server.address, "/assets/app.js");
    let tag = first.header("etag").expect("a tag").to_owned();
    let again = request(
        server.address,
        "GET",
        "/assets/app.js",
        &[("If-None-Match", &tag)],
        b"",
    );
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[test]
fn every_answer_is_safe_to_show() {
    let server = Server::start();
    for path in [
        "/",
        "/assets/app.js",
        "/health",
        "/nowhere",
        "/api/v1/moves",
    ] {
        let answer = get(server.address, path);
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert_eq!(
            answer.header("x-content-type-options"),
            Some("nosniff"),
            "{path}"
        );
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
    let page = get(server.address, "/").body;
    assert!(
        !page.contains("style=\"") && !page.contains(" onclick"),
        "the policy forbids these"
    );
}

#[test]
fn other_sites_may_not_use_the_api_unless_allowed() {
    let origin = "https://friend.example";
    let ask = |server: &Server, method: &str, headers: &[(&str, &str)]| {
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Sec-Fetch-Site", "cross-site"),
        ];
        all.extend(headers);
        request(
            server.address,
            method,
            "/api/v1/moves",
            &all,
            b"{\"fen\":\"startpos\"}",
        )
    };
    let closed = Server::start();
    let refused = ask(&closed, "POST", &[("Origin", origin)]);
    assert_eq!(
        (
            refused.status,
            refused.header("access-control-allow-origin")
        ),
        (403, None)
    );
    let open = Server::with(|config| config.allow_origin = vec![origin.to_owned()]);
    let allowed = ask(&open, "POST", &[("Origin", origin)]);
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), Some(origin));
    let preflight = [
        ("Origin", origin),
        ("Access-Control-Request-Method", "POST"),
    ];
    assert_eq!(ask(&open, "OPTIONS", &preflight).status, 204);
    assert_eq!(
        ask(&open, "POST", &[("Origin", "https://foe.example")]).status,
        403
    );
}

#[test]
fn whose_page_asks_is_told_by_the_browser_or_by_its_origin() {
    let server = Server::start();
    let own = format!("http://{}", server.address);
    let cases: [(&[(&str, &str)], u16); 9] = [
        (&[], 200),
        (&[("Sec-Fetch-Site", "same-origin"), ("Origin", &own)], 200),
        (&[("Sec-Fetch-Site", "none")], 200),
        (&[("Sec-Fetch-Site", "same-site"), ("Origin", &own)], 403),
        (&[("Sec-Fetch-Site", "cross-site")], 403),
        (&[("Origin", &own)], 200),
        (&[("Origin", "http://127.0.0.1:1")], 403),
        (&[("Origin", "https://foe.example")], 403),
        (&[("Origin", "null")], 403),
    ];
    for (headers, status) in cases {
        let body = b"{\"fen\":\"startpos\"}";
        let answer = request(server.address, "POST", "/api/v1/moves", headers, body);
        assert_eq!(answer.status, status, "{headers:?}");
    }
}

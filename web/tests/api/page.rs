//! Tests of the page without a browser: assets, headers, the board of the query.

use crate::support::http::{Connection, get, metric, post, request};
use crate::support::{Server, wait_until};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::io::Read;

/// The names and texts of the squares of the page.
fn squares(page: &str) -> Vec<(String, String)> {
    let of = |square: &str, name: &str| {
        let rest = square.split_once(&format!("{name}=\""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let buttons = page.split("<button").filter(|button| button.contains("data-col="));
    buttons
        .map(|button| {
            let name = of(button, "data-col").unwrap_or_default()
                + &of(button, "data-row").unwrap_or_default();
            let text = button.split_once('>').and_then(|(_, rest)| rest.split_once('<'));
            (name, text.map(|(text, _)| text.to_owned()).unwrap_or_default())
        })
        .collect()
}

#[test]
fn the_page_contains_the_board_as_html() {
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
fn the_query_sets_the_position() {
    let server = Server::start();
    for (query, name, text) in [
        ("moves=e2e4,e7e5", "e5", "♟"),
        ("moves=e2e4,e7e5&ply=1", "e7", "♟"),
        ("fen=4k3/8/8/8/8/8/8/4K2R+w+K+-+0+1", "h1", "♖"),
        ("fen=4k3/8/8/8/8/8/8/4K2R+w+K+-+0+1&moves=e1g1&engine=b", "g1", "♔"),
        // An invalid query shows the start position; the script reports the error.
        ("fen=nonsense", "e1", "♔"),
        ("moves=e2e5&ply=%00", "e2", "♙"),
    ] {
        let page = get(server.address, &format!("/?{query}"));
        assert_eq!(page.status, 200);
        let found = squares(&page.body).into_iter().find(|(square, _)| square == name);
        assert_eq!(found.map(|(_, text)| text).as_deref(), Some(text), "{query}");
    }
}

#[test]
fn all_assets_of_the_page_are_served_and_none_are_external() {
    let server = Server::start();
    let mut pending = vec!["/".to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = pending.pop() {
        let response = get(server.address, &path);
        assert_eq!(response.status, 200, "{path}");
        let text = response.body.replace("http://www.w3.org/", "");
        assert!(
            !text.contains("http://") && !text.contains("https://"),
            "{path} has an external URL"
        );
        let words = text.split(['"', '\'']);
        let named = words.filter_map(asset_path).collect::<Vec<_>>();
        seen.push(path);
        pending.extend(named.into_iter().filter(|name| !seen.contains(name)));
        pending.sort();
        pending.dedup();
    }
    assert!(seen.len() >= 35, "{seen:?}");
}

/// The path of an asset that the page or another asset names.
fn asset_path(word: &str) -> Option<String> {
    // The page names the version of its assets.
    let versioned =
        word.strip_prefix("assets/").map(|rest| rest.rsplit('/').next().unwrap_or(rest));
    let name = versioned.or_else(|| word.strip_prefix("./")).unwrap_or(word);
    let is_file = [".js", ".css", ".svg", ".tsv"].iter().any(|end| name.ends_with(end));
    let is_name = name.chars().all(|c| c.is_ascii_lowercase() || c == '.' || c == '-');
    (is_file && is_name).then(|| format!("/assets/{name}"))
}

#[test]
fn unmodified_assets_are_not_sent_again() {
    let server = Server::start();
    let first = get(server.address, "/assets/app.js");
    let tag = first.header("etag").expect("a tag").to_owned();
    let again = request(server.address, "GET", "/assets/app.js", &[("If-None-Match", &tag)], b"");
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[test]
fn browsers_keep_assets_at_the_addresses_that_change_with_them() {
    let server = Server::start();
    let page = get(server.address, "/").body;
    let (_, rest) = page.split_once("src=\"assets/").expect("a script");
    let (version, _) = rest.split_once('/').expect("a version");
    let asset = |path: &str| {
        let response = get(server.address, path);
        let control = response.header("cache-control").map(ToOwned::to_owned);
        (response.status, control.unwrap_or_default(), response.body)
    };
    let (_, _, text) = asset("/assets/app.js");
    for (path, status, kept) in [
        (format!("/assets/{version}/app.js"), 200, true),
        ("/assets/app.js".to_owned(), 200, false),
        ("/assets/0123456789abcdef/app.js".to_owned(), 200, false),
        (format!("/assets/{version}/none.js"), 404, false),
        ("/assets/%ff/app.js".to_owned(), 404, false),
    ] {
        let (found, control, body) = asset(&path);
        assert_eq!((found, control.contains("immutable")), (status, kept), "{path}");
        assert!(status == 404 || body == text, "{path}");
    }
}

#[test]
fn texts_are_compressed_for_clients_that_accept_it_and_streams_are_not() {
    let server = Server::start();
    let page = get(server.address, "/");
    assert_eq!(page.header("content-encoding"), None);
    let analysis = "/api/v1/analysis?fen=startpos&movetime=50&multipv=20";
    for (method, path, compressed) in [
        ("GET", "/", true),
        ("GET", "/assets/app.js", true),
        ("GET", "/assets/openings.tsv", true),
        ("GET", "/assets/pieces.svg", true),
        ("GET", "/openapi.json", true),
        ("GET", "/metrics", true),
        ("POST", "/api/v1/moves?fen=startpos", true),
        ("GET", "/api/v1/reviews", false),
        ("GET", analysis, false),
        ("POST", analysis, false),
    ] {
        let mut connection = Connection::open(server.address);
        connection.head(method, path, &[("Accept-Encoding", "gzip"), ("Content-Length", "0")]);
        let (status, headers) = connection.response_head().expect("a head");
        let gzip = headers
            .iter()
            .any(|header| *header == ("content-encoding".to_owned(), "gzip".to_owned()));
        assert_eq!((status, gzip), (200, compressed), "{method} {path}");
        if path != "/" {
            continue;
        }
        let mut body = Vec::new();
        while let Some(chunk) = connection.chunk() {
            body.extend(chunk);
        }
        let mut text = String::new();
        GzDecoder::new(&body[..]).read_to_string(&mut text).expect("a text");
        assert_eq!(text, page.body);
    }
}

#[test]
fn the_metrics_have_the_build_the_reviews_and_the_time_of_each_route() {
    let server = Server::start();
    let game = json!({"moves": ["e2e4"], "nodes": 10});
    let found = post(server.address, "/api/v1/review/search", &game).body;
    let found: Vec<Value> =
        found.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(metric(server.address, "saavedra_reviews_finished_total"), 0.0);
    for searched in [&found[..1], &found[..]] {
        let body = json!({"moves": ["e2e4"], "searched": searched});
        assert_eq!(post(server.address, "/api/v1/review/judge", &body).status, 200);
    }
    assert_eq!(metric(server.address, "saavedra_reviews_finished_total"), 1.0, "one is a part");
    let body = json!({"moves": ["e2e4"], "movetime": 10_000}).to_string();
    let length = body.len().to_string();
    let mut running = Connection::open(server.address);
    running.head("POST", "/api/v1/review/search", &[("Content-Length", &length)]);
    running.send(body.as_bytes());
    wait_until("it runs", || metric(server.address, "saavedra_reviews_running") == 1.0);
    drop(running);
    wait_until("it has ended", || metric(server.address, "saavedra_reviews_running") == 0.0);
    let text = get(server.address, "/metrics").body;
    for line in [
        format!("saavedra_build_info{{version=\"{}\"", env!("CARGO_PKG_VERSION")),
        "saavedra_request_seconds_count{route=\"/api/v1/review/judge\"} 2".to_owned(),
    ] {
        assert!(text.contains(&line), "no {line} in {text}");
    }
}

#[test]
fn every_response_has_security_headers() {
    let server = Server::start();
    for path in ["/", "/assets/app.js", "/health", "/nowhere", "/api/v1/moves"] {
        let response = get(server.address, path);
        let policy = response.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'"), "{path}");
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(response.header("access-control-allow-origin"), None, "{path}");
    }
    let page = get(server.address, "/").body;
    assert!(!page.contains("style=\"") && !page.contains(" onclick"), "the policy forbids these");
}

#[test]
fn cross_origin_requests_need_an_allowed_origin() {
    let origin = "https://friend.example";
    let send = |server: &Server, method: &str, headers: &[(&str, &str)]| {
        let mut all = vec![("Content-Type", "application/json"), ("Sec-Fetch-Site", "cross-site")];
        all.extend(headers);
        request(server.address, method, "/api/v1/moves", &all, b"{\"fen\":\"startpos\"}")
    };
    let closed = Server::start();
    let refused = send(&closed, "POST", &[("Origin", origin)]);
    assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, None));
    let open = Server::with(|config| config.allow_origin = vec![origin.to_owned()]);
    let allowed = send(&open, "POST", &[("Origin", origin)]);
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.header("access-control-allow-origin"), Some(origin));
    let preflight = [("Origin", origin), ("Access-Control-Request-Method", "POST")];
    assert_eq!(send(&open, "OPTIONS", &preflight).status, 204);
    assert_eq!(send(&open, "POST", &[("Origin", "https://foe.example")]).status, 403);
}

#[test]
fn cross_origin_requests_are_detected_by_each_header() {
    let server = Server::start();
    let own = format!("http://{}", server.address);
    let own_page = format!("{own}/?fen=startpos");
    let cases: [(&[(&str, &str)], u16); 13] = [
        (&[], 200),
        (&[("Sec-Fetch-Site", "same-origin"), ("Origin", &own)], 200),
        (&[("Sec-Fetch-Site", "none")], 200),
        (&[("Sec-Fetch-Site", "same-site"), ("Origin", &own)], 403),
        (&[("Sec-Fetch-Site", "cross-site")], 403),
        (&[("Origin", &own)], 200),
        (&[("Origin", "http://127.0.0.1:1")], 403),
        (&[("Origin", "https://foe.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Referer", &own)], 200),
        (&[("Referer", &own_page)], 200),
        (&[("Referer", "http://foe.example/page")], 403),
        (&[("Origin", &own), ("Referer", "http://foe.example/")], 200),
    ];
    for (headers, status) in cases {
        let body = b"{\"fen\":\"startpos\"}";
        let response = request(server.address, "POST", "/api/v1/moves", headers, body);
        assert_eq!(response.status, status, "{headers:?}");
    }
}

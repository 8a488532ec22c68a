//! Reports: the pages of `saavedra analyse --format html`.

use crate::analysis::{GAMES, documents};
use crate::support::{folder, saavedra, stderr, stdout};
use saavedra::formats;

#[test]
fn a_page_is_self_contained_and_replaced_when_complete() {
    let folder = folder("report");
    let (games, report) = (folder.join("games.pgn"), folder.join("report.html"));
    std::fs::write(&games, GAMES.replace("Anna", "<Anna> & \"Co\"")).expect("written");
    let paths = [&games, &report].map(|path| path.to_str().expect("a name"));
    let output = saavedra(&["analyse", paths[0], "--nodes", "2000", "-o", paths[1]], "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    let page = std::fs::read_to_string(&report).expect("the page");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        let found = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(outside), "{outside}");
    }
    assert!(!page.contains("<Anna>"));
    // The arrow of the better move is on the position before the error.
    let start = page.find("data-id=\"g1-5\"").expect("the move before");
    let before_error = page[start..].split('>').next().expect("a tag");
    assert!(before_error.contains(" data-best=\""), "{before_error}");
    assert!(before_error.contains(" data-best-name=\"3… "), "{before_error}");
    assert!(before_error.ends_with("data-error=\"3… Nf6??\""), "{before_error}");
    for needed in [
        "data-error=\"3… Nf6??\">",
        "<b>C20</b>",
        "<a href=\"#g2\">",
        "<kbd>",
        "id=\"g1-7\"",
        "id=\"g2-5\"",
        "class=\"graph\"",
        "Key moments",
        "</html>",
    ] {
        assert!(page.contains(needed), "{needed}");
    }
    let names: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
    assert_eq!(names.len(), 2, "nothing else is left: {names:?}");
    // The board of the page can be read: it is the last position of the game.
    let html = formats::by_name("html").expect("a format");
    let first = html.read(Box::new(page.as_bytes())).next().expect("a board");
    let last = documents(GAMES)[0].board();
    assert_eq!(first.expect("a position").board().piece_placement(), last.piece_placement());
}

#[test]
fn a_page_shows_phases_clocks_lines_and_drawn_pieces() {
    let game = "[White \"A\"]\n\n1. e4 {[%clk 0:10:00]} e5 {[%clk 0:09:59]} 2. Qh5 Nc6 3. Bc4 Nf6 {[%clk 0:00:01]} 4. Qxf7# 1-0\n";
    let arguments = ["analyse", "-", "--nodes", "3000", "--format", "html"];
    let page = stdout(&saavedra(&arguments, game));
    for needed in [
        "data-clock=\"0:10:00\"",
        "<time>0:00:01</time>",
        "class=\"phase\"><th scope=\"row\">opening</th>",
        "<use href=\"#piece-king\"/>",
        "<path class=\"mate\"",
        "<path class=\"zero\"",
        ">+3</span>",
        "<b>Nf6??</b> <small>#1</small>",
        "<b>Qxf7#</b> <small>#</small>",
        "role=\"button\" data-fen=\"",
    ] {
        assert!(page.contains(needed), "{needed}");
    }
    for made_up in [">#0<", "\"#0\""] {
        assert!(!page.contains(made_up), "a mate on the board is #");
    }
    assert!(!page.contains("class=\"card contents\""), "one game needs no contents");
    // Dots are inside the picture.
    let dots: Vec<&str> = page.split("class=\"dot ").skip(1).collect();
    assert!(!dots.is_empty());
    for dot in dots {
        let path = dot.split_once("d=\"M").expect("a path").1;
        let numbers: Vec<f64> = path
            .split(['h', ' '])
            .take(2)
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert!((5.0..=595.0).contains(&numbers[0]) && (5.0..=95.0).contains(&numbers[1]));
    }
}

/// Three games of two players: with clocks, with a missed and an allowed tactic, without a result.
const MATCH: &str = "\
[Event \"Club <1>\"]
[Date \"2024.01.02\"]
[White \"Anna\"]
[Black \"Ben\"]
[Result \"1-0\"]
[TimeControl \"300+2\"]

1. e4 {[%clk 0:05:00]} e5 {[%clk 0:05:00]} 2. Qh5 {[%clk 0:04:52]} Nc6 {[%clk 0:04:42]}
3. Bc4 {[%clk 0:04:52]} Nf6 {[%clk 0:04:20]} 4. Qxf7# {[%clk 0:04:50]} 1-0

[Event \"Club <1>\"]
[White \"Ben\"]
[Black \"Anna\"]
[Result \"1/2-1/2\"]

1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. Nxd5 Nxd5 7. Bxd8 Bb4+ 8. Qd2 Bxd2+ 1/2-1/2

[White \"Anna\"]
[Black \"?\"]
[Result \"*\"]

1. e4 e5 2. Nf3 *
";

#[test]
fn a_report_of_a_file_lists_its_games_and_sums_up_its_players() {
    let arguments = ["analyse", "-", "--nodes", "3000", "--format", "html"];
    let page = stdout(&saavedra(&arguments, MATCH));
    let row = |start: &str| {
        let found = page.lines().find(|line| line.contains(start));
        found.unwrap_or_else(|| panic!("{start}")).to_owned()
    };
    for (row, needed) in [
        (row("<a href=\"#g1\">"), &["1-0", "C20</span> King&#39;s Pawn Game", "2024.01.02"][..]),
        (row("<a href=\"#g1\">"), &["Club &lt;1&gt;", " %", "<td>0 – 1</td>"]),
        (row("<a href=\"#g2\">"), &["Ben – Anna", "1/2-1/2", "D51</span> Queen&#39;s Gambit"]),
        (row("<a href=\"#g3\">"), &["Anna – Black", "<td>*</td>"]),
        // Points count the finished games, games all of them.
        (row("<th scope=\"row\">Anna</th><td>"), &["<td>3</td><td>1½/2 <small>+1 =1 −0"]),
        // With two seconds added for each move: 10 + 2 and 0 + 2 + 2 + 2 seconds.
        (row("<th scope=\"row\">Anna</th><td>"), &["<td>5.3 s</td>"]),
        (row("<th scope=\"row\">Ben</th><td>"), &["<td>2</td><td>½/2 <small>+0 =1 −1"]),
        (row("<th scope=\"row\">Ben</th><td>"), &["<td>22.0 s</td>"]),
    ] {
        for needed in needed {
            assert!(row.contains(needed), "{needed}: {row}");
        }
    }
    let (_, ben) = page.split_once("<th scope=\"row\">Ben</th><td>").expect("Ben");
    let (ben, _) = ben.split_once("</tbody>").expect("his summary");
    for needed in [
        "King&#39;s Pawn Game <small>Black</small>: 1 game, 0/1",
        "Queen&#39;s Gambit Declined <small>White</small>: 1 game, ½/1",
        "Allowed: hanging piece 1×.",
    ] {
        assert!(ben.contains(needed), "{needed}: {ben}");
    }
    assert!(!page.contains("<th scope=\"row\">?</th>"), "an unknown player has no summary");
}

#[test]
fn a_folder_gets_an_index_and_a_page_for_each_game() {
    let folder = folder("report-folder");
    let (input, pages) = (folder.join("games.pgn"), folder.join("pages"));
    std::fs::write(&input, MATCH).expect("written");
    let paths = [&input, &pages].map(|path| path.to_str().expect("a name").to_owned());
    let run = |output: &str, extra: &[&str]| {
        let run = ["analyse", &paths[0], "--nodes", "1000", "-o", output];
        saavedra(&[&run[..], extra].concat(), "")
    };
    let read = |name: &str| std::fs::read_to_string(pages.join(name)).expect("a page");
    let made = run(&format!("{}/", paths[1]), &[]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let mut names: Vec<_> = std::fs::read_dir(&pages)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert_eq!(names, ["1.html", "2.html", "3.html", "index.html"], "and nothing else");
    for (name, has, lacks) in [
        ("index.html", &["<a href=\"2.html\">Ben – Anna</a>", "Players"][..], "<article"),
        ("1.html", &["<title>Anna – Ben<", "\"index.html\"", "\"2.html\""], "rel=\"prev\""),
        ("2.html", &["id=\"g2\"", "\"1.html\"", "\"3.html\""], "id=\"g1\""),
        ("3.html", &["id=\"g3\"", "\"2.html\""], "rel=\"next\""),
    ] {
        let page = read(name);
        has.iter().for_each(|needed| assert!(page.contains(needed), "{name}: {needed}"));
        assert!(!page.contains(lacks), "{name}: {lacks}");
    }
    // An existing folder needs no separator, and other formats are refused.
    let index = read("index.html");
    assert!(run(&paths[1], &["--resume"]).status.success());
    assert_eq!(read("index.html"), index);
    let refused = run(&paths[1], &["--format", "pgn"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("pages"), "{}", stderr(&refused));
}

/// The report draws the web page's pieces.
#[test]
fn the_drawings_of_the_pieces_are_the_same_everywhere() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = |file: &str| {
        let text = std::fs::read_to_string(root.join(file)).expect("a picture");
        let paths = text.split(" d=\"").skip(1);
        let paths = paths.map(|rest| rest.split('"').next().expect("a path").to_owned());
        paths.collect::<Vec<_>>()
    };
    let report = paths("src/analysis/page/pieces.svg");
    assert!(report.len() > 10);
    assert_eq!(report, paths("web/assets/pieces.svg"));
}

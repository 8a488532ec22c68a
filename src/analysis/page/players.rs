//! The summaries of the players of a report.

use super::super::players::most_frequent;
use super::super::{PhaseRecord, PlayerSummary, Players, Results};
use crate::analysis::motif::MotifName;
use crate::chess::Color;
use crate::formats::html::escape;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The number of players that are shown.
const MAX_PLAYERS: usize = 100;
/// The number of openings and of motifs of a player.
const MAX_ITEMS: usize = 8;

/// The table of players, those with the most games first, each with openings and motifs.
pub(super) fn players(players: &Players, page: &mut String) {
    if players.is_empty() {
        return;
    }
    let all = players.by_games();
    let shown = &all[..all.len().min(MAX_PLAYERS)];
    let has_time = shown.iter().any(|(_, player)| player.seconds_per_move().is_some());
    *page += "<aside class=\"card players\" aria-label=\"Players\">\n<h2>Players</h2>\n<table>\n\
              <thead><tr><th scope=\"col\">Player</th><th scope=\"col\">Games</th>\
              <th scope=\"col\">Score</th><th scope=\"col\">Accuracy</th>\
              <th scope=\"col\">Opening</th><th scope=\"col\">Middlegame</th>\
              <th scope=\"col\">Endgame</th><th scope=\"col\" class=\"inaccuracy\">?!</th>\
              <th scope=\"col\" class=\"mistake\">?</th><th scope=\"col\" class=\"blunder\">??</th>";
    *page += if has_time { "<th scope=\"col\">Time per move</th>" } else { "" };
    *page += "</tr></thead>\n";
    for (name, player) in shown {
        row(name, player, has_time, page);
    }
    *page += "</table>\n";
    if all.len() > shown.len() {
        let _ = writeln!(
            page,
            "<p class=\"tags\">{} of {} players, those with the most games.</p>",
            shown.len(),
            all.len()
        );
    }
    *page += "</aside>\n";
}

fn row(name: &str, player: &PlayerSummary, has_time: bool, page: &mut String) {
    let percent = |accuracy: Option<f64>| match accuracy {
        Some(accuracy) => format!("{accuracy:.0} %"),
        None => "–".to_owned(),
    };
    let time = |seconds: Option<f64>| match seconds {
        Some(seconds) => format!("{seconds:.1} s"),
        None => "–".to_owned(),
    };
    let _ = write!(
        page,
        "<tbody><tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>",
        escape(name),
        player.results.games,
        score(player.results),
        percent(player.accuracy())
    );
    for phase in &player.phases {
        let _ = write!(page, "<td>{}</td>", percent(phase.mean_accuracy()));
    }
    for count in player.errors {
        let _ = write!(page, "<td>{count}</td>");
    }
    if has_time {
        let _ = write!(page, "<td>{}</td>", time(player.seconds_per_move()));
    }
    *page += "</tr>\n";
    let mut more = openings(&player.openings);
    for (title, counts) in [("Missed", &player.missed), ("Allowed", &player.allowed)] {
        more += &motifs(title, counts);
    }
    if has_time {
        more += &times(&player.phases, time);
    }
    if !more.is_empty() {
        let columns = 10 + usize::from(has_time);
        let _ = writeln!(
            page,
            "<tr class=\"more\"><td colspan=\"{columns}\"><details><summary>Openings and motifs\
             </summary>{more}</details></td></tr>"
        );
    }
    *page += "</tbody>\n";
}

/// Points of the finished games, with wins, draws and losses.
fn score(Results { wins, draws, losses, .. }: Results) -> String {
    let finished = wins + draws + losses;
    if finished == 0 {
        return "–".to_owned();
    }
    let half = if draws % 2 == 1 { "½" } else { "" };
    let points = match wins + draws / 2 {
        0 if !half.is_empty() => String::new(),
        points => points.to_string(),
    };
    format!("{points}{half}/{finished} <small>+{wins} ={draws} −{losses}</small>")
}

/// The openings that were played most, with the results of each.
fn openings(openings: &BTreeMap<(&'static str, Color), Results>) -> String {
    let counts = openings.iter().map(|(key, results)| (*key, results.games)).collect();
    let items = most_frequent(&counts, MAX_ITEMS).into_iter().map(|(key, games)| {
        let side = if key.1 == Color::White { "White" } else { "Black" };
        let games = if games == 1 { "1 game".to_owned() } else { format!("{games} games") };
        let score = openings.get(&key).map_or_else(String::new, |results| score(*results));
        format!("<li>{} <small>{side}</small>: {games}, {score}</li>", escape(key.0))
    });
    let items: String = items.collect();
    if items.is_empty() { items } else { format!("<ul>{items}</ul>") }
}

/// The motifs that were missed or allowed most.
fn motifs(title: &str, counts: &BTreeMap<MotifName, u32>) -> String {
    let items = most_frequent(counts, MAX_ITEMS).into_iter();
    let items: Vec<String> =
        items.map(|(name, count)| format!("{} {count}×", name.token().replace('-', " "))).collect();
    if items.is_empty() { String::new() } else { format!("<p>{title}: {}.</p>", items.join(", ")) }
}

/// The mean time of a move by phase.
fn times(phases: &[PhaseRecord; 3], text: impl Fn(Option<f64>) -> String) -> String {
    if phases.iter().all(|phase| phase.timed == 0) {
        return String::new();
    }
    let [opening, middlegame, endgame] = phases.each_ref().map(|phase| text(phase.mean_seconds()));
    format!("<p>Time per move: opening {opening}, middlegame {middlegame}, endgame {endgame}.</p>")
}

//! The README says what is so. (The feature `tune` has options of its own.)

#![cfg(not(feature = "tune"))]

use saavedra::engine::{OPTIONS, OptionKind};

const README: &str = include_str!("../README.md");

#[test]
fn the_table_of_options_is_that_of_the_engine() {
    let rows = OPTIONS.iter().map(|option| {
        let values = match option.kind {
            OptionKind::Check { default } => format!("`true` or `false` ({default})"),
            OptionKind::Spin { default, min, max } => format!("{min} to {max} ({default})"),
            OptionKind::Text { default: "" } => "text".to_owned(),
            OptionKind::Text { default } => format!("text (`{default}`)"),
            OptionKind::Button => "–".to_owned(),
        };
        format!("| {} | {values} | {} |\n", option.name, option.help)
    });
    let head = "| Option | Values (default) | What it does |\n|---|---|---|\n";
    let table = head.to_owned() + &rows.collect::<String>() + "\n";
    assert!(
        README.contains(&table),
        "README.md should have this table:\n\n{table}"
    );
}

#[test]
fn every_file_the_readme_links_exists() {
    let links = README
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    for link in links.filter(|link| !link.starts_with("http")) {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(link);
        assert!(file.exists(), "README.md links {link}");
    }
}

//! The settings that results depend on. Each output records them, and `--resume` continues no output
//! with others.

use super::Arguments;
use super::output::OutputFormat;
use crate::eval::Evaluation;
use crate::formats::html::escape;
use serde_json::Value;

/// The name of the PGN tag.
pub(super) const TAG: &str = "Analysis";
/// The name of the JSON field.
pub(super) const FIELD: &str = "settings";
/// The start of the line of an HTML page.
const META: &str = "<meta name=\"generator\" content=\"Saavedra, ";

/// The settings as one text, `version 0.2.0, nodes 50000, …`: names with their values. Threads are
/// not among them: games do not depend on their number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Settings(String);

impl Settings {
    /// The settings of an analysis. Only positions that are not games have several lines.
    pub(super) fn new(
        arguments: &Arguments,
        format: OutputFormat,
        has_position: bool,
        evaluation: &Evaluation,
    ) -> Settings {
        let Arguments { movetime, nodes, depth, total_time, hash, multipv, .. } = arguments;
        let budget = match (nodes, depth, total_time) {
            (Some(nodes), ..) => format!("nodes {nodes}"),
            (_, Some(depth), _) => format!("depth {depth}"),
            (.., Some(time)) => format!("total-time {}", time.as_secs_f64()),
            _ => format!("movetime {}", movetime.unwrap_or(super::DEFAULT_MOVETIME)),
        };
        let (version, scale) = (env!("CARGO_PKG_VERSION"), &arguments.scale);
        let mut text =
            format!("version {version}, {evaluation}, {budget}, hash {hash}, scale {scale}");
        if has_position {
            text += &format!(", multipv {multipv}");
        }
        if format == OutputFormat::Json {
            text += if arguments.compact { ", fields compact" } else { ", fields all" };
        }
        Settings(text)
    }

    /// The text for a tag or a field.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The line of the head of an HTML page.
    pub(super) fn meta(&self) -> String {
        format!("{META}{}\">\n", escape(&self.0))
    }

    /// The settings in a line of an HTML page.
    pub(super) fn of_meta(line: &str) -> Option<Settings> {
        let text = line.strip_prefix(META)?.strip_suffix("\">\n")?;
        Some(Settings(text.to_owned()))
    }

    /// The settings in the tags of a PGN game.
    pub(super) fn of_tags(game: &str) -> Option<Settings> {
        let (tags, _) = game.trim_start().split_once("\n\n")?;
        let start = format!("[{TAG} \"");
        let value = |line: &str| line.strip_prefix(&start)?.strip_suffix("\"]").map(str::to_owned);
        tags.lines().find_map(value).map(Settings)
    }

    /// The settings in a JSON document.
    pub(super) fn of_json(document: &Value) -> Option<Settings> {
        document[FIELD].as_str().map(|text| Settings(text.to_owned()))
    }

    /// How an output was made otherwise: `nodes 100, not nodes 200`.
    pub(super) fn difference(&self, earlier: &Settings) -> Option<String> {
        let mut all = [earlier, self].map(|settings| settings.0.split(", "));
        while let [earlier, ours] = all.each_mut().map(Iterator::next)
            && (earlier.is_some() || ours.is_some())
        {
            if earlier != ours {
                let [earlier, ours] = [earlier, ours].map(|setting| setting.unwrap_or("nothing"));
                return Some(format!("{earlier}, not {ours}"));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn the_first_other_setting_is_named_with_both_values() {
        let of = |text: &str| Settings(text.to_owned());
        let ours = of("version 2, nodes 200, hash 32");
        for (earlier, difference) in [
            ("version 2, nodes 200, hash 32", None),
            ("version 1, nodes 100, hash 32", Some("version 1, not version 2")),
            ("version 2, nodes 100, hash 16", Some("nodes 100, not nodes 200")),
            ("version 2, depth 9, hash 32", Some("depth 9, not nodes 200")),
            ("version 2, nodes 200", Some("nothing, not hash 32")),
            ("version 2, nodes 200, hash 32, x 1", Some("x 1, not nothing")),
        ] {
            assert_eq!(ours.difference(&of(earlier)).as_deref(), difference, "{earlier}");
        }
    }
}

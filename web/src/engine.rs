//! Saavedra as a [`Thinker`].

use crate::think::{self, Info, Outcome, Score, Stop, Task, Thinker, ThinkerFactory};
use crossbeam_channel::{never, select, unbounded};
use saavedra::engine::{self, Bound, Engine, Event, Limits, OPTIONS, OptionKind};
use saavedra::eval::wdl::Wdl;
use saavedra::search::score::{mate_distance, normalised};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Makes engines of one thread each.
pub struct Engines {
    /// Megabytes of each engine's hash table.
    pub hash: usize,
    /// The network to evaluate with, instead of the one built in.
    pub eval_file: Option<PathBuf>,
}

impl ThinkerFactory for Engines {
    fn make(&self) -> Result<Box<dyn Thinker>, String> {
        let mut engine =
            Engine::with_threads_and_hash(1, self.hash).map_err(|error| error.to_string())?;
        if let Some(file) = &self.eval_file {
            let file = file.to_str().ok_or("the network's path is not UTF-8")?;
            engine
                .set_option("EvalFile", file)
                .map_err(|error| error.to_string())?;
        }
        Ok(Box::new(Player {
            engine,
            set: Vec::new(),
        }))
    }

    fn name(&self) -> String {
        concat!("Saavedra ", env!("CARGO_PKG_VERSION")).to_owned()
    }

    fn elo(&self) -> Option<RangeInclusive<u32>> {
        let row = OPTIONS.iter().find(|row| row.name == "UCI_Elo")?;
        match row.kind {
            OptionKind::Spin { min, max, .. } => Some(min.try_into().ok()?..=max.try_into().ok()?),
            _ => None,
        }
    }
}

/// An engine, and what its options were last set to.
struct Player {
    engine: Engine,
    set: Vec<(&'static str, String)>,
}

impl Thinker for Player {
    fn think(&mut self, task: &Task, stop: &Stop, report: &mut dyn FnMut(Info)) -> Outcome {
        self.apply(&task.limits);
        self.engine.new_game();
        let limits = Limits {
            depth: task.limits.depth,
            nodes: task.limits.nodes,
            move_time: Some(task.limits.movetime),
            ..Limits::default()
        };
        let (sender, events) = unbounded();
        let search = self.engine.start_with(&task.game, limits, move |event| {
            let _ = sender.send(event);
        });
        let mut lines: Vec<Info> = Vec::new();
        let mut stop = stop.0.clone();
        loop {
            select! {
                recv(events) -> event => match event {
                    Ok(Event::Info(info)) if info.bound == Bound::Exact => {
                        let info = translate(info);
                        keep(&mut lines, &info);
                        report(info);
                    }
                    Ok(Event::Finished(outcome)) => return end(outcome, lines),
                    Ok(Event::Failed(error)) => {
                        tracing::error!(%error, "a search failed");
                        return Outcome { lines, ..Outcome::default() };
                    }
                    Ok(_) => {}
                    Err(_) => return Outcome { lines, ..Outcome::default() },
                },
                recv(stop) -> _ => {
                    search.stop();
                    // It said all it has to say: now only the end is waited for.
                    stop = never();
                }
            }
        }
    }
}

impl Player {
    /// Sets the options that a task needs set otherwise than the one before it.
    fn apply(&mut self, limits: &think::Limits) {
        let limited = limits.elo.is_some();
        self.set("MultiPV", limits.multipv.to_string());
        self.set("UCI_LimitStrength", limited.to_string());
        if let Some(elo) = limits.elo {
            self.set("UCI_Elo", elo.to_string());
        }
    }

    fn set(&mut self, name: &'static str, value: String) {
        let known = self.set.iter().position(|(known, _)| *known == name);
        if known.is_some_and(|index| self.set[index].1 == value) {
            return;
        }
        // Bounds were checked when the request was read.
        if let Err(error) = self.engine.set_option(name, &value) {
            tracing::error!(%error, "a setting was refused");
            return;
        }
        match known {
            Some(index) => self.set[index].1 = value,
            None => self.set.push((name, value)),
        }
    }
}

fn translate(info: engine::Info) -> Info {
    let Wdl { win, draw, loss } = Wdl::from_score(info.score);
    Info {
        multipv: u32::try_from(info.multipv).unwrap_or(u32::MAX),
        depth: info.depth,
        seldepth: info.seldepth,
        score: mate_distance(info.score).map_or(Score::Cp(normalised(info.score)), Score::Mate),
        wdl: Some([win, draw, loss]),
        nodes: info.nodes,
        time: info.time,
        hashfull: Some(info.hashfull),
        pv: info.pv,
    }
}

/// Keeps the last word on each line.
fn keep(lines: &mut Vec<Info>, info: &Info) {
    match lines.iter_mut().find(|line| line.multipv == info.multipv) {
        Some(line) => line.clone_from(info),
        None => lines.push(info.clone()),
    }
}

fn end(outcome: engine::SearchResult, mut lines: Vec<Info>) -> Outcome {
    if let Some(info) = outcome.info.filter(|info| info.multipv == 1) {
        keep(&mut lines, &translate(info));
    }
    lines.sort_by_key(|line| line.multipv);
    let nodes = lines.iter().map(|line| line.nodes).max().unwrap_or(0);
    Outcome {
        best: outcome.best,
        ponder: outcome.ponder,
        lines,
        nodes,
    }
}

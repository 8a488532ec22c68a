//! Saavedra as a [`Backend`].

use crate::backend::{Backend, BackendFactory, SearchParameters, SearchTask, StopSignal};
use crossbeam_channel::{never, select, unbounded};
use saavedra::analysis::DEFAULT_HASH;
use saavedra::engine::{Engine, Event, NAME, Strength};
use saavedra::search::{Info, SearchResult};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Creates engines with one thread each.
pub struct EngineFactory {
    /// Hash size of each engine in megabytes.
    pub hash: usize,
    /// Network file that replaces the embedded network.
    pub eval_file: Option<PathBuf>,
}

impl EngineFactory {
    fn create_with_hash(&self, hash: usize) -> Result<Box<dyn Backend>, String> {
        let mut engine =
            Engine::with_threads_and_hash(1, hash).map_err(|error| error.to_string())?;
        if let Some(file) = &self.eval_file {
            let file = file
                .to_str()
                .ok_or("the path of the network is not UTF-8")?;
            engine
                .set_option("EvalFile", file)
                .map_err(|error| error.to_string())?;
        }
        Ok(Box::new(EngineBackend {
            engine,
            options: Vec::new(),
        }))
    }
}

impl BackendFactory for EngineFactory {
    fn create(&self) -> Result<Box<dyn Backend>, String> {
        self.create_with_hash(self.hash)
    }

    fn create_for_review(&self) -> Result<Box<dyn Backend>, String> {
        self.create_with_hash(DEFAULT_HASH)
    }

    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn elo_range(&self) -> Option<RangeInclusive<u32>> {
        Some(Strength::WEAKEST.elo()..=Strength::FULL.elo())
    }
}

/// An engine and the options set so far.
struct EngineBackend {
    engine: Engine,
    options: Vec<(&'static str, String)>,
}

impl Backend for EngineBackend {
    fn search(
        &mut self,
        task: &SearchTask,
        stop: &StopSignal,
        on_info: &mut dyn FnMut(Info),
    ) -> SearchResult {
        self.set_options(&task.parameters);
        if task.new_game {
            self.engine.new_game();
        }
        let (sender, events) = unbounded();
        let limits = task.parameters.limits.clone();
        let search = self.engine.start_with(&task.game, limits, move |event| {
            // Fails only after the end of this function.
            let _ = sender.send(event);
        });
        let mut stop = stop.0.clone();
        loop {
            select! {
                recv(events) -> event => match event {
                    Ok(Event::Info(info)) if info.is_exact() => on_info(info),
                    Ok(Event::Finished(result)) => return result,
                    Ok(Event::Failed(error)) => {
                        tracing::error!(%error, "a search failed");
                        return SearchResult::default();
                    }
                    Ok(_) => {}
                    Err(_) => return SearchResult::default(),
                },
                recv(stop) -> _ => {
                    search.stop();
                    stop = never();
                }
            }
        }
    }
}

impl EngineBackend {
    /// Sets the options that differ from those of the last search.
    fn set_options(&mut self, parameters: &SearchParameters) {
        let limit_strength = parameters.elo.is_some();
        self.set_option("MultiPV", parameters.multipv.to_string());
        self.set_option("UCI_LimitStrength", limit_strength.to_string());
        if let Some(elo) = parameters.elo {
            self.set_option("UCI_Elo", elo.to_string());
        }
    }

    fn set_option(&mut self, name: &'static str, value: String) {
        let index = self.options.iter().position(|(known, _)| *known == name);
        if index.is_some_and(|index| self.options[index].1 == value) {
            return;
        }
        // The request was checked against the bounds of the options.
        if let Err(error) = self.engine.set_option(name, &value) {
            tracing::error!(%error, "an option was refused");
            return;
        }
        match index {
            Some(index) => self.options[index].1 = value,
            None => self.options.push((name, value)),
        }
    }
}

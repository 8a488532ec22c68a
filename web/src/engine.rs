//! Saavedra as a [`Backend`].

use crate::backend::{Backend, BackendFactory, SearchParameters, SearchTask, StopSignal};
use crossbeam_channel::{never, select, unbounded};
use saavedra::analysis::{DEFAULT_HASH, hash_for_groups};
use saavedra::engine::{Engine, Event, NAME, SearchOptions, Strength};
use saavedra::search::{Info, SearchResult, Tablebases};
use saavedra::tablebase::Tablebase;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

/// Creates engines with one thread each.
pub struct EngineFactory {
    /// Hash size of each engine in megabytes.
    pub hash: usize,
    /// Network file that replaces the embedded network.
    pub eval_file: Option<PathBuf>,
    /// Tablebases that all engines share.
    pub tablebase: Option<Arc<Tablebase>>,
}

/// Opens the tablebases in a list of folders, separated as in `PATH`.
///
/// # Errors
/// A folder has no tablebases.
pub fn open_tablebase(paths: &str) -> Result<Arc<Tablebase>, String> {
    let folders = || std::env::split_paths(paths).filter(|path| !path.as_os_str().is_empty());
    for folder in folders() {
        let (found, problems) = Tablebase::open_folders([folder.clone()]);
        if found.max_pieces() == 0 {
            let reason =
                problems.first().map_or_else(String::new, |problem| format!(" ({problem})"));
            return Err(format!("no Syzygy tablebases in {}{reason}", folder.display()));
        }
    }
    let (tablebase, problems) = Tablebase::open_folders(folders());
    for problem in problems {
        tracing::warn!(%problem, "a tablebase is missing or damaged");
    }
    Ok(Arc::new(tablebase))
}

impl EngineFactory {
    fn create_with_hash(&self, hash: usize) -> Result<Box<dyn Backend>, String> {
        let mut engine =
            Engine::with_threads_and_hash(1, hash).map_err(|error| error.to_string())?;
        if let Some(file) = &self.eval_file {
            let file = file.to_str().ok_or("the path of the network is not UTF-8")?;
            engine.load_network(file).map_err(|error| error.to_string())?;
        }
        engine.set_tablebase(self.tablebase.clone());
        Ok(Box::new(EngineBackend(engine)))
    }
}

impl BackendFactory for EngineFactory {
    fn create(&self) -> Result<Box<dyn Backend>, String> {
        self.create_with_hash(self.hash)
    }

    fn create_for_review(&self, nodes: Option<u64>) -> Result<Box<dyn Backend>, String> {
        self.create_with_hash(hash_for_groups(DEFAULT_HASH, nodes))
    }

    fn name(&self) -> String {
        NAME.to_owned()
    }

    fn elo_range(&self) -> Option<RangeInclusive<u32>> {
        Some(Strength::WEAKEST.elo()..=Strength::FULL.elo())
    }

    fn tablebases(&self) -> Option<Tablebases> {
        self.tablebase.clone().map(Tablebases::new)
    }
}

struct EngineBackend(Engine);

impl Backend for EngineBackend {
    fn search(
        &mut self,
        task: &SearchTask,
        stop: &StopSignal,
        on_info: &mut dyn FnMut(Info),
    ) -> SearchResult {
        let EngineBackend(engine) = self;
        if task.new_game {
            engine.new_game();
        }
        let (sender, events) = unbounded();
        let options = search_options(&task.parameters);
        let search = engine.start_with(&task.game, options, move |event| {
            // Fails only after the end of this function.
            let _ = sender.send(event);
        });
        let mut stop = stop.0.clone();
        loop {
            select! {
                recv(events) -> event => match event {
                    Ok(Event::Info(info)) if info.is_exact() => on_info(info),
                    Ok(Event::Finished(result)) => {
                        for message in engine.take_messages() {
                            tracing::warn!(message, "the engine reports a problem");
                        }
                        return result;
                    }
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

fn search_options(parameters: &SearchParameters) -> SearchOptions {
    let mut options = SearchOptions::from(parameters.limits.clone());
    options.multipv = parameters.multipv as usize;
    options.strength = parameters.elo.map_or(Strength::FULL, Strength::new);
    options
}

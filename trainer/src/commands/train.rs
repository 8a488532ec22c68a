//! `train`: trains a network on game files.

use super::{CommandError, CommandResult, Machine, inspect, print_to_stderr, report};
use indicatif::{ProgressBar, ProgressStyle};
use saavedra::chess::splitmix64;
use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use saavedra::nnue::format::Header;
use saavedra_trainer::checkpoint::{TrainingState, WeightsFile};
use saavedra_trainer::load::{Dataset, Filter, Leaves};
use saavedra_trainer::loss_curve::Point;
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::LearningRateSchedule;
use saavedra_trainer::sample::Sample;
use saavedra_trainer::shuffle::Shuffle;
use saavedra_trainer::train::{InitialModel, Observer, Report, TrainingConfig, run};
use saavedra_trainer::{file, loss_curve, quantisation};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train a network
///
/// Besides the network NAME.nnue it writes NAME.weights (the weights before they were rounded, for
/// --init), NAME.md (the network card: data, settings, losses), NAME.csv (the loss curve) and, during
/// training, NAME.checkpoint.
#[derive(clap::Args, Debug)]
pub(crate) struct Train {
    /// Game files, or folders of them (*.games)
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// The network file to write
    #[arg(long, short)]
    out: PathBuf,
    /// Hidden layer size: neurons per perspective, a multiple of 32; by default as in the embedded
    /// network
    #[arg(long, default_value_t = HIDDEN, value_parser = super::hidden)]
    hidden: usize,
    /// Number of output buckets: 1, 2, 4, 8 or 16; by default as in the embedded network
    #[arg(long, default_value_t = OUTPUT_BUCKETS, value_parser = super::buckets)]
    buckets: usize,
    /// WDL lambda: the weight of the game result in the target, from 0 to 1; the score has
    /// the rest
    #[arg(long, default_value_t = 0.05, value_parser = weight)]
    wdl: f32,
    /// WDL lambda at the end of the run, approached linearly [default: as --wdl]
    #[arg(long, value_parser = weight)]
    wdl_end: Option<f32>,
    /// TD lambda: the share of the later scores of the game in the score of a position, as in TD(λ)
    #[arg(long, default_value_t = 0.0, value_parser = weight)]
    td_lambda: f32,
    /// Train on the leaves of recorded principal variations: the positions at their ends, if quiet,
    /// with the score of the position that was searched. Only games of strong networks have good
    /// leaves
    #[arg(long, value_enum, default_value_t = Leaves::No, hide_possible_values = true, value_name = "no|also|only")]
    leaves: Leaves,
    /// Length of the run in positions, counted in every epoch [default: 100e6]
    #[arg(long, value_parser = super::count, conflicts_with = "epochs")]
    samples: Option<u64>,
    /// Length of the run in epochs, which may be a fraction
    #[arg(long, value_parser = epochs)]
    epochs: Option<f64>,
    /// Learning rate after warm-up
    #[arg(long, default_value_t = 1e-3, value_parser = positive_rate)]
    lr: f32,
    /// Learning rate at the end, after cosine decay
    #[arg(long, default_value_t = 1e-5, value_parser = rate)]
    lr_end: f32,
    /// Weight decay: the share of its value that a parameter loses in a step, divided by the
    /// learning rate. The fewer the games, the higher. With --init, parameters decay towards their
    /// initial values, except new neurons and output buckets, which do not decay; otherwise to 0
    #[arg(long, default_value_t = 0.1, value_parser = rate)]
    weight_decay: f32,
    /// Batch size: positions per step
    #[arg(long, default_value = "16384", value_parser = super::count)]
    batch: u64,
    /// Seed of the initial weights and of the shuffle
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Generation of the network, written into its header
    #[arg(long, default_value_t = 0)]
    generation: u32,
    /// Start from the weights of this network or weights file instead of random ones. It may have
    /// fewer neurons and output buckets: the outputs are the same before the first step
    #[arg(long)]
    init: Option<PathBuf>,
    /// Let all parameters decay to 0, with --init too: for a run on all games that the initial
    /// weights have seen
    #[arg(long)]
    decay_to_zero: bool,
    /// Resume from NAME.checkpoint, if it exists
    #[arg(long)]
    resume: bool,
    /// Minimum ply of positions to train on
    #[arg(long, default_value_t = Filter::default().min_ply)]
    min_ply: usize,
    /// Maximum absolute score of positions to train on, in centipawns
    #[arg(long, default_value_t = Filter::default().max_score)]
    max_score: i16,
    /// Size of the validation set: games of every thousand
    #[arg(long = "held-out", value_name = "GAMES", default_value_t = Filter::default().validation_per_mille)]
    validation_per_mille: u64,
    /// Number of reports (lines of losses) over the run
    #[arg(long, default_value = "40", value_parser = super::count)]
    reports: u64,
    /// Minimum time between checkpoints, in seconds; they are written at reports
    #[arg(long, default_value_t = 30)]
    checkpoint_every: u64,
    #[command(flatten)]
    machine: Machine,
}

/// A number from 0 to 1.
fn weight(text: &str) -> Result<f32, String> {
    number_up_to(1.0, text)
}

/// A length in epochs.
fn epochs(text: &str) -> Result<f64, String> {
    super::positive_up_to(1e6, text)
}

/// A rate that is not negative.
fn rate(text: &str) -> Result<f32, String> {
    number_up_to(1000.0, text)
}

/// A rate above 0.
fn positive_rate(text: &str) -> Result<f32, String> {
    let rate = rate(text)?;
    if rate > 0.0 { Ok(rate) } else { Err("must be above 0".to_string()) }
}

fn number_up_to(max: f32, text: &str) -> Result<f32, String> {
    let not_a_number = |_| format!("{text:?} is not a number");
    let number: f32 = text.parse().map_err(not_a_number)?;
    if (0.0..=max).contains(&number) { Ok(number) } else { Err(format!("from 0 to {max}")) }
}

/// The extensions of the files beside the network.
const BESIDE: [&str; 4] = ["checkpoint", "csv", "md", "weights"];
/// The number of positions on which the quantisation error is measured.
const MEASURED_POSITIONS: usize = 10_000;

impl Train {
    pub(crate) fn run(self) -> CommandResult {
        let threads = self.machine.threads();
        self.check_output()?;
        let data = self.load(threads)?;
        let shape = Shape { hidden: self.hidden, buckets: self.buckets };
        let initial = self.init.as_deref().map(super::weights).transpose()?;
        let start = self.initial_model(initial.as_ref(), shape)?;
        let decay_target = start.clone().filter(|_| !self.decay_to_zero);
        let config = self.config(&data, decay_target, threads)?;
        let run_id = Train::run_id(&config, &data, start.as_ref());
        let state = self.initial_state(start, shape, run_id)?;
        let started = Instant::now();
        let mut monitor = Monitor::new(&self, &config, run_id, state.step);
        let positions = (config.schedule.steps.saturating_sub(state.step) * self.batch) as f64;
        let state = run(&config, &data.train, &data.validation, state, &mut monitor);
        monitor.bar.finish_and_clear();
        let speed = positions / started.elapsed().as_secs_f64();
        let (scored, trained) = initial.map_or((0, 0), |line| (line.scored, line.trained));
        let weights = WeightsFile {
            model: state.model,
            scored: scored + data.counts.positions - data.counts.early,
            trained: trained + data.train.len() as u64,
        };
        self.export(&weights, &data, &config, monitor.points.last(), speed)?;
        // A missing loss curve or checkpoint must not cost the network.
        match monitor.errors.pop() {
            Some(message) => Err(CommandError::input(message)),
            None => Ok(()),
        }
    }

    /// Refuses an output that cannot be written, before the training takes its time.
    fn check_output(&self) -> CommandResult {
        let is_taken = |extension: &&str| {
            let of_output = self.out.extension();
            of_output.is_some_and(|of_output| of_output.eq_ignore_ascii_case(extension))
        };
        if let Some(extension) = BESIDE.into_iter().find(is_taken) {
            let message = format!("the extension {extension} belongs to a file beside the network");
            return Err(CommandError::file(&self.out)(message));
        }
        file::check_writable(&self.out).map_err(CommandError::file(&self.out))
    }

    fn load(&self, threads: usize) -> CommandResult<Dataset> {
        let filter = Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            validation_per_mille: self.validation_per_mille,
            td_lambda: f64::from(self.td_lambda),
            leaves: self.leaves,
        };
        let started = Instant::now();
        let (files, data) = super::load(&self.data, &filter, threads)?;
        let seconds = started.elapsed().as_secs_f64();
        let counts = data.counts;
        print_to_stderr(format_args!("{files} files loaded in {seconds:.1} s\n{counts}"));
        if data.train.is_empty() {
            return Err(CommandError::input(match self.leaves {
                Leaves::Only => "no leaves to train on: are principal variations recorded?",
                Leaves::No | Leaves::Also => "no positions to train on",
            }));
        }
        let correlation = data.counts.correlation();
        if correlation < 0.5 {
            report("warning: scores and results correlate by less than 0.5");
        }
        Ok(data)
    }

    fn config(
        &self,
        data: &Dataset,
        initial: Option<InitialModel>,
        threads: usize,
    ) -> CommandResult<TrainingConfig> {
        let samples = match (self.samples, self.epochs) {
            (Some(samples), _) => samples,
            (None, Some(epochs)) => (epochs * data.train.len() as f64).round().max(1.0) as u64,
            (None, None) => 100_000_000,
        };
        let steps = samples.div_ceil(self.batch);
        Ok(TrainingConfig {
            batch_size: usize::try_from(self.batch).map_err(CommandError::input)?,
            schedule: LearningRateSchedule { max: self.lr, min: self.lr_end.min(self.lr), steps },
            weight_decay: self.weight_decay,
            initial,
            wdl: [self.wdl, self.wdl_end.unwrap_or(self.wdl)],
            seed: self.seed,
            threads,
            kernel: self.machine.kernel()?,
            report_interval: steps.div_ceil(self.reports),
        })
    }

    /// Identifies the settings and data that a checkpoint belongs to: all that affects the result
    /// but the number of threads.
    fn run_id(config: &TrainingConfig, data: &Dataset, start: Option<&InitialModel>) -> u64 {
        let settings = format!(
            "{:?}",
            (
                config.batch_size,
                config.schedule,
                config.weight_decay,
                config.wdl,
                config.seed,
                data.train.len()
            )
        );
        let some = data.train.iter().step_by(data.train.len() / 1000 + 1);
        let labels = some.map(|sample| sample.score as u64 ^ (sample.piece_count() as u64) << 16);
        let start = start.into_iter();
        let is_new = start.clone().flat_map(|start| &start.is_new);
        let values = start.flat_map(|start| &start.model.values);
        settings
            .bytes()
            .map(u64::from)
            .chain(labels)
            .chain(values.map(|value| u64::from(value.to_bits())))
            .chain(is_new.copied().chain([config.initial.is_some()]).map(u64::from))
            .fold(0, |hash, word| splitmix64(hash ^ word))
    }

    /// The network of `--init`, grown to the sizes of the new one.
    fn initial_model(
        &self,
        initial: Option<&WeightsFile>,
        shape: Shape,
    ) -> CommandResult<Option<InitialModel>> {
        let (Some(path), Some(WeightsFile { model, .. })) = (&self.init, initial) else {
            return Ok(None);
        };
        let Some(grown) = model.grow(shape, self.seed) else {
            let Shape { hidden, buckets } = model.shape;
            let message = format!("hidden layer size {hidden}, {buckets} output buckets");
            return Err(CommandError::file(path)(message));
        };
        Ok(Some(InitialModel { model: grown, is_new: shape.new_parameters(model.shape) }))
    }

    /// The initial state: a checkpoint, the weights of a network, or random weights.
    fn initial_state(
        &self,
        start: Option<InitialModel>,
        shape: Shape,
        run_id: u64,
    ) -> CommandResult<TrainingState> {
        let checkpoint = self.output("checkpoint");
        if self.resume && checkpoint.exists() {
            let state = TrainingState::load(&checkpoint, run_id, shape);
            let state = state.map_err(CommandError::file(&checkpoint))?;
            print_to_stderr(format_args!("resumed after {} steps", state.step));
            return Ok(state);
        }
        let model = start.map(|start| start.model);
        Ok(TrainingState::new(model.unwrap_or_else(|| Model::random(shape, self.seed))))
    }

    fn export(
        &self,
        weights: &WeightsFile,
        data: &Dataset,
        config: &TrainingConfig,
        last: Option<&Point>,
        speed: f64,
    ) -> CommandResult {
        let WeightsFile { model, scored, trained } = weights;
        let network = model.quantise(self.generation).map_err(CommandError::check)?;
        let bytes = network.to_bytes();
        let samples = if data.validation.is_empty() { &data.train } else { &data.validation };
        let error = quantisation::measure(model, &network, &sample_of(samples));
        let header = Header::decode(&bytes).map_err(CommandError::check)?;
        let card = format!(
            "# {}\n\n```\n{}\n```\n\n## Data\n\n```\n{}\n```\n\n## Training\n\n```\n\
             positions       {}, {:.0} per second with {} threads, {}\n\
             distinct        {scored} scored, {trained} trained on, with the runs before\n\
             batch size      {}\n\
             learning rate   {:e} to {:e}\n\
             weight decay    {}\n\
             TD lambda       {}\n\
             leaves          {}\n\
             WDL lambda      {} to {}\n\
             seed            {}\n\
             loss            {:.6} training, {:.6} validation\n\
             quantisation    mean error {:.2} cp, maximum {:.1} cp, over {} positions of mean \
             |evaluation| {:.0} cp; adds {:.6} to the loss\n\
             ```\n",
            name(&self.out).to_string_lossy(),
            inspect::card(&header, &network, bytes.len()),
            data.counts,
            config.schedule.steps * config.batch_size as u64,
            speed,
            config.threads,
            config.kernel.name(),
            config.batch_size,
            config.schedule.max,
            config.schedule.min,
            config.weight_decay,
            self.td_lambda,
            format!("{:?}", self.leaves).to_lowercase(),
            config.wdl[0],
            config.wdl[1],
            config.seed,
            last.map_or(f64::NAN, |point| point.losses[0]),
            last.map_or(f64::NAN, |point| point.losses[1]),
            error.mean,
            error.max,
            error.positions,
            error.mean_evaluation,
            error.loss,
        );
        print_to_stderr(card.trim_end());
        if !error.is_small() {
            let mean = error.mean;
            let message = format!("quantisation changes scores by {mean:.1} centipawns on average");
            return Err(CommandError::check(message));
        }
        // The network first: a missing card must not cost it.
        file::write(&self.out, &bytes).map_err(CommandError::file(&self.out))?;
        let weights_file = self.output("weights");
        file::write(&weights_file, &weights.to_bytes())
            .map_err(CommandError::file(&weights_file))?;
        let card_file = self.output("md");
        file::write(&card_file, card.as_bytes()).map_err(CommandError::file(&card_file))?;
        let _ = fs::remove_file(self.output("checkpoint"));
        super::print_to_stdout(self.out.display())
    }

    /// The file beside the network with this extension, instead of `.nnue`.
    fn output(&self, extension: &str) -> PathBuf {
        beside(&self.out, extension)
    }
}

/// The file beside a network with this extension, instead of `.nnue`. Only `.nnue` counts as an
/// extension: `wd0.5` and `wd0.8` are different networks.
fn beside(network: &Path, extension: &str) -> PathBuf {
    let mut name = name(network).to_owned();
    name.push(".");
    name.push(extension);
    network.with_file_name(name)
}

/// The name of a network: its file name without `.nnue`.
fn name(network: &Path) -> &OsStr {
    let has_extension = network.extension().is_some_and(|end| end == "nnue");
    let name = if has_extension { network.file_stem() } else { network.file_name() };
    name.unwrap_or_default()
}

/// A random sample of fixed seed.
fn sample_of(samples: &[Sample]) -> Vec<Sample> {
    let shuffle = Shuffle::new(samples.len(), 7);
    (0..samples.len().min(MEASURED_POSITIONS))
        .map(|index| samples[shuffle.item(index as u64)])
        .collect()
}

/// Shows the progress, writes the loss curve and checkpoints.
struct Monitor<'a> {
    train: &'a Train,
    run_id: u64,
    bar: ProgressBar,
    points: Vec<Point>,
    last_checkpoint: Instant,
    /// The errors with files, which have been printed.
    errors: Vec<String>,
    /// Whether a warning of weights that the network file cannot have was printed.
    has_warned: bool,
    started: Instant,
    positions_at_start: u64,
}

impl<'a> Monitor<'a> {
    fn new(train: &'a Train, config: &TrainingConfig, run_id: u64, step: u64) -> Monitor<'a> {
        let bar = if io::stderr().is_terminal() {
            ProgressBar::new(config.schedule.steps * config.batch_size as u64)
        } else {
            ProgressBar::hidden()
        };
        let template = "{bar:30} {human_pos} of {human_len} positions, {per_sec}, {eta} left {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let positions_at_start = step * config.batch_size as u64;
        bar.set_position(positions_at_start);
        bar.reset_eta();
        // A resumed run continues its loss curve.
        let mut points = Vec::new();
        if step > 0 {
            let csv = fs::read_to_string(train.output("csv")).unwrap_or_default();
            points = loss_curve::parse(&csv);
            points.retain(|point| point.step <= step);
        }
        let now = Instant::now();
        Monitor {
            train,
            run_id,
            bar,
            points,
            last_checkpoint: now,
            errors: Vec::new(),
            has_warned: false,
            started: now,
            positions_at_start,
        }
    }
}

impl Monitor<'_> {
    /// Prints an error with a file when it occurs for the first time.
    fn keep_error(&mut self, path: &Path, written: io::Result<()>) {
        let Err(error) = written else {
            return;
        };
        let CommandError { message, .. } = CommandError::file(path)(error);
        if !self.errors.contains(&message) {
            self.bar.suspend(|| report(&message));
            self.errors.push(message);
        }
    }

    /// Prints a warning once if the network could not be written with these weights: the run would
    /// end without a network.
    fn check_weights(&mut self, model: &Model) {
        if self.has_warned {
            return;
        }
        if let Err(error) = model.quantise(self.train.generation) {
            let message = format!("warning: the present weights cannot be written: {error}");
            self.bar.suspend(|| report(&message));
            self.has_warned = true;
        }
    }
}

impl Observer for Monitor<'_> {
    fn step(&mut self, positions: u64) {
        self.bar.set_position(positions);
    }

    fn report(&mut self, report: &Report, state: &dyn Fn() -> TrainingState) {
        self.points.push(Point::from(report));
        let positions = report.positions - self.positions_at_start;
        let speed = positions as f64 / self.started.elapsed().as_secs_f64();
        let line = format!(
            "{:9.1} M  lr {:.2e}  loss {:.6}  validation {:.6}  {speed:.0} positions/s",
            report.positions as f64 / 1e6,
            report.learning_rate,
            report.train_loss,
            report.validation.mean()
        );
        if self.bar.is_hidden() {
            print_to_stderr(line);
        } else {
            self.bar.println(line);
        }
        let path = self.train.output("csv");
        self.keep_error(&path, file::write(&path, loss_curve::csv(&self.points).as_bytes()));
        let state = state();
        self.check_weights(&state.model);
        if self.last_checkpoint.elapsed() >= Duration::from_secs(self.train.checkpoint_every) {
            let path = self.train.output("checkpoint");
            self.keep_error(&path, state.save(&path, self.run_id));
            self.last_checkpoint = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_of_different_names_share_no_file() {
        for (network, card) in [
            ("games/net.nnue", "games/net.md"),
            ("net", "net.md"),
            ("wd0.5", "wd0.5.md"),
            ("wd0.8", "wd0.8.md"),
        ] {
            assert_eq!(beside(Path::new(network), "md"), Path::new(card));
        }
    }
}

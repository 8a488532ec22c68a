//! `train`: from recorded games to a network file.

use super::{Failure, inspect};
use indicatif::{ProgressBar, ProgressStyle};
use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use saavedra::nnue::format::{Header, Parameters};
use saavedra_trainer::curve::Point;
use saavedra_trainer::load::{self, Data, Filter};
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::Schedule;
use saavedra_trainer::order::{Order, mix};
use saavedra_trainer::sample::Sample;
use saavedra_trainer::state::State;
use saavedra_trainer::train::{Observer, Plan, Report, run};
use saavedra_trainer::{curve, export};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Train a network
///
/// Beside the network NAME.nnue it writes NAME.md (how it was made), NAME.csv and NAME.svg (losses)
/// and, while it runs, NAME.checkpoint.
#[derive(clap::Args, Debug)]
pub(crate) struct Train {
    /// Files of games, or folders with such files (*.games)
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// The network to write
    #[arg(long, short)]
    out: PathBuf,
    /// Neurons of the hidden layer: a multiple of 32; if not said, as many as the engine is built for
    #[arg(long, default_value_t = HIDDEN, value_parser = super::hidden)]
    hidden: usize,
    /// Output buckets: 1, 2, 4, 8 or 16; if not said, those the engine is built for
    #[arg(long, default_value_t = OUTPUT_BUCKETS, value_parser = super::buckets)]
    buckets: usize,
    /// The result's share of the target, from 0 to 1; the rest is the score's
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    wdl: f32,
    /// That share at the end of the run, if it changes
    #[arg(long, value_parser = share)]
    wdl_end: Option<f32>,
    /// Positions to train on in all, each counted as often as it is seen (100e6)
    #[arg(long, value_parser = super::count, conflicts_with = "epochs")]
    samples: Option<u64>,
    /// The same as a number of passes over the data
    #[arg(long, value_parser = super::count)]
    epochs: Option<u64>,
    /// Highest learning rate
    #[arg(long, default_value_t = 1e-3)]
    lr: f32,
    /// Learning rate at the end
    #[arg(long, default_value_t = 1e-5)]
    lr_end: f32,
    /// Positions per step
    #[arg(long, default_value = "16384", value_parser = super::count)]
    batch: u64,
    /// Threads (all of the machine's)
    #[arg(long)]
    threads: Option<usize>,
    /// Seed of the first weights and of the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Generation number to write into the network
    #[arg(long, default_value_t = 0)]
    generation: u32,
    /// Begin with the weights of this network
    #[arg(long)]
    init: Option<PathBuf>,
    /// Go on from NAME.checkpoint, if there is one
    #[arg(long)]
    resume: bool,
    /// First ply to train on
    #[arg(long, default_value_t = Filter::default().min_ply)]
    min_ply: usize,
    /// Largest score to train on, in centipawns
    #[arg(long, default_value_t = Filter::default().max_score)]
    max_score: i16,
    /// Of a thousand games, so many are held out to measure on
    #[arg(long, default_value_t = Filter::default().held_out_per_mille)]
    held_out: u64,
    /// Reports over the run
    #[arg(long, default_value = "40", value_parser = super::count)]
    reports: u64,
    /// Seconds between checkpoints, which are written at reports
    #[arg(long, default_value_t = 30)]
    checkpoint_every: u64,
    /// Instruction set instead of the best one: portable, sse2, avx2, avx512
    #[arg(long)]
    kernel: Option<String>,
}

/// A number from 0 to 1.
fn share(text: &str) -> Result<f32, String> {
    let share: f32 = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    if (0.0..=1.0).contains(&share) {
        Ok(share)
    } else {
        Err("from 0 to 1".to_string())
    }
}

/// Positions that the export is checked on.
const COMPARED: usize = 10_000;

impl Train {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let threads = super::threads(self.threads);
        let data = self.load(threads)?;
        let plan = self.plan(&data, threads)?;
        let shape = Shape {
            hidden: self.hidden,
            buckets: self.buckets,
        };
        let identity = self.identity(&plan, &data);
        let state = self.start(shape, identity)?;
        let started = Instant::now();
        let mut watch = Watch::new(&self, &plan, identity, state.step);
        let seen = (plan.schedule.steps.saturating_sub(state.step) * self.batch) as f64;
        let state = run(&plan, &data.train, &data.held_out, state, &mut watch);
        watch.bar.finish_and_clear();
        if let Some(error) = watch.error.take() {
            return Err(Failure::file(&self.beside("checkpoint"))(error));
        }
        self.export(
            &state.model,
            &data,
            &plan,
            watch.points.last(),
            seen / started.elapsed().as_secs_f64(),
        )
    }

    fn load(&self, threads: usize) -> Result<Data, Failure> {
        let filter = Filter {
            min_ply: self.min_ply,
            max_score: self.max_score,
            held_out_per_mille: self.held_out,
        };
        let files = load::files(&self.data).map_err(Failure::input)?;
        let started = Instant::now();
        let fault = |message: &str| eprintln!("saavedra-trainer: {message}");
        let data = load::load(&files, &filter, threads, &fault).map_err(Failure::input)?;
        let seconds = started.elapsed().as_secs_f64();
        eprintln!(
            "{} files read in {seconds:.1} s\n{}",
            files.len(),
            data.counts
        );
        if data.train.is_empty() {
            return Err(Failure::input("no positions to train on"));
        }
        let correlation = data.counts.correlation();
        if correlation < 0.5 {
            eprintln!("saavedra-trainer: warning: scores and results hardly agree");
        }
        Ok(data)
    }

    fn plan(&self, data: &Data, threads: usize) -> Result<Plan, Failure> {
        let samples = match (self.samples, self.epochs) {
            (Some(samples), _) => samples,
            (None, Some(epochs)) => epochs.saturating_mul(data.train.len() as u64),
            (None, None) => 100_000_000,
        };
        let steps = samples.div_ceil(self.batch);
        Ok(Plan {
            batch: usize::try_from(self.batch).map_err(Failure::input)?,
            schedule: Schedule {
                highest: self.lr,
                lowest: self.lr_end.min(self.lr),
                steps,
            },
            wdl: [self.wdl, self.wdl_end.unwrap_or(self.wdl)],
            seed: self.seed,
            threads,
            kernel: super::kernel(self.kernel.as_deref())?,
            report_every: steps.div_ceil(self.reports),
        })
    }

    /// What a checkpoint must agree with: all that changes the result but the number of threads.
    fn identity(&self, plan: &Plan, data: &Data) -> u64 {
        let settings = format!(
            "{:?}",
            (
                plan.batch,
                plan.schedule,
                plan.wdl,
                plan.seed,
                data.train.len(),
                &self.init
            )
        );
        let some = data.train.iter().step_by(data.train.len() / 1000 + 1);
        let labels = some.map(|sample| sample.score as u64 ^ (sample.men_count() as u64) << 16);
        settings
            .bytes()
            .map(u64::from)
            .chain(labels)
            .fold(0, |hash, word| mix(hash ^ word))
    }

    /// The state to begin with: a checkpoint, another network's weights, or random ones.
    fn start(&self, shape: Shape, identity: u64) -> Result<State, Failure> {
        let checkpoint = self.beside("checkpoint");
        if self.resume && checkpoint.exists() {
            let state = State::load(&checkpoint, identity, shape);
            let state = state.map_err(Failure::file(&checkpoint))?;
            eprintln!("resumed after {} steps", state.step);
            return Ok(state);
        }
        let Some(path) = &self.init else {
            return Ok(State::new(Model::random(shape, self.seed)));
        };
        let bytes = fs::read(path).map_err(Failure::file(path))?;
        let network = Parameters::from_bytes(&bytes).map_err(Failure::file(path))?;
        let model = Model::from_parameters(&network);
        if model.shape != shape {
            let Shape { hidden, buckets } = model.shape;
            let message = format!("it has {hidden} hidden neurons and {buckets} output buckets");
            return Err(Failure::file(path)(message));
        }
        Ok(State::new(model))
    }

    fn export(
        &self,
        model: &Model,
        data: &Data,
        plan: &Plan,
        last: Option<&Point>,
        rate: f64,
    ) -> Result<(), Failure> {
        let network = model.quantise(self.generation).map_err(Failure::check)?;
        let bytes = network.to_bytes();
        let held_out = if data.held_out.is_empty() {
            &data.train
        } else {
            &data.held_out
        };
        let difference = export::compare(model, &network, &some_of(held_out));
        let header = Header::decode(&bytes).map_err(Failure::check)?;
        let card = format!(
            "# {}\n\n```\n{}\n```\n\n## Data\n\n```\n{}\n```\n\n## Training\n\n```\n\
             positions       {}, {:.0} per second with {} threads, {}\n\
             batch           {}\n\
             learning rate   {:e} to {:e}\n\
             wdl             {} to {}\n\
             seed            {}\n\
             loss            {:.6} training, {:.6} held out\n\
             rounding        {:.2} cp on average, {:.1} cp at most, over {} positions of {:.0} cp; \
             adds {:.6} to the loss\n\
             ```\n",
            self.out.file_stem().unwrap_or_default().to_string_lossy(),
            inspect::card(&header, &network, bytes.len()),
            data.counts,
            plan.schedule.steps * plan.batch as u64,
            rate,
            plan.threads,
            plan.kernel.name(),
            plan.batch,
            plan.schedule.highest,
            plan.schedule.lowest,
            plan.wdl[0],
            plan.wdl[1],
            plan.seed,
            last.map_or(f64::NAN, |point| point.losses[0]),
            last.map_or(f64::NAN, |point| point.losses[1]),
            difference.mean,
            difference.largest,
            difference.positions,
            difference.mean_evaluation,
            difference.loss,
        );
        write_whole(&self.beside("md"), card.as_bytes())?;
        write_whole(&self.out, &bytes)?;
        eprint!("{card}");
        let _ = fs::remove_file(self.beside("checkpoint"));
        if !difference.is_small() {
            let mean = difference.mean;
            let message = format!("rounding to integers changed scores by {mean:.1} centipawns");
            return Err(Failure::check(message));
        }
        println!("{}", self.out.display());
        Ok(())
    }

    fn checkpoint_interval(&self) -> Duration {
        Duration::from_secs(self.checkpoint_every)
    }

    fn beside(&self, extension: &str) -> PathBuf {
        self.out.with_extension(extension)
    }
}

/// Some positions from all over the data, the same every time.
fn some_of(samples: &[Sample]) -> Vec<Sample> {
    let order = Order::new(samples.len(), 7);
    (0..samples.len().min(COMPARED))
        .map(|place| samples[order.item(place as u64)])
        .collect()
}

/// Writes beside the file and renames.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    fs::write(&beside, bytes).map_err(Failure::file(path))?;
    fs::rename(&beside, path).map_err(Failure::file(path))
}

/// Shows progress, writes curves and checkpoints.
struct Watch<'a> {
    train: &'a Train,
    identity: u64,
    bar: ProgressBar,
    points: Vec<Point>,
    checkpoint: Instant,
    error: Option<io::Error>,
    started: Instant,
    seen_at_start: u64,
}

impl<'a> Watch<'a> {
    fn new(train: &'a Train, plan: &Plan, identity: u64, step: u64) -> Watch<'a> {
        let bar = if io::stderr().is_terminal() {
            ProgressBar::new(plan.schedule.steps * plan.batch as u64)
        } else {
            ProgressBar::hidden()
        };
        let template = "{bar:30} {human_pos} of {human_len} positions, {per_sec}, {eta} left {msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let seen_at_start = step * plan.batch as u64;
        bar.set_position(seen_at_start);
        bar.reset_eta();
        // A resumed run goes on with its curve.
        let mut points = Vec::new();
        if step > 0 {
            points = curve::parse(&fs::read_to_string(train.beside("csv")).unwrap_or_default());
            points.retain(|point| point.step <= step);
        }
        let now = Instant::now();
        Watch {
            train,
            identity,
            bar,
            points,
            checkpoint: now,
            error: None,
            started: now,
            seen_at_start,
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, seen: u64) {
        self.bar.set_position(seen);
    }

    fn report(&mut self, report: &Report, state: &dyn Fn() -> State) {
        self.points.push(Point::from(report));
        let rate = (report.seen - self.seen_at_start) as f64 / self.started.elapsed().as_secs_f64();
        let line = format!(
            "{:9.1} M  rate {:.2e}  loss {:.6}  held out {:.6}  {rate:.0} positions/s",
            report.seen as f64 / 1e6,
            report.rate,
            report.loss,
            report.held_out.mean()
        );
        if self.bar.is_hidden() {
            eprintln!("{line}");
        } else {
            self.bar.println(line);
        }
        let title = self
            .train
            .out
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let files = [
            ("csv", curve::csv(&self.points)),
            (
                "svg",
                curve::svg(&self.points, &format!("{title}: loss over positions")),
            ),
        ];
        for (extension, text) in files {
            if let Err(error) = fs::write(self.train.beside(extension), text) {
                self.error = Some(error);
            }
        }
        if self.checkpoint.elapsed() >= self.train.checkpoint_interval() {
            let saved = state().save(&self.train.beside("checkpoint"), self.identity);
            self.error = saved.err().or(self.error.take());
            self.checkpoint = Instant::now();
        }
    }
}

//! `speed`: measures training speed.

use super::{CommandResult, Machine};
use saavedra_trainer::checkpoint::TrainingState;
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::LearningRateSchedule;
use saavedra_trainer::synthetic;
use saavedra_trainer::train::{TrainingConfig, run};
use std::fs;
use std::time::Instant;

const POSITIONS: usize = 2_000_000;

/// Measure training speed on random positions
#[derive(clap::Args)]
pub(crate) struct Speed {
    /// Hidden layer size: neurons per perspective
    #[arg(long, default_value = "256", value_parser = super::hidden)]
    hidden: usize,
    /// Number of output buckets
    #[arg(long, default_value = "1", value_parser = super::buckets)]
    buckets: usize,
    /// Pieces on the board
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(2..=32))]
    pieces: u8,
    /// Approximate time to measure, in seconds
    #[arg(long, default_value = "5", value_parser = seconds)]
    seconds: f64,
    /// Batch size: positions per step
    #[arg(long, default_value = "16384", value_parser = super::count)]
    batch: u64,
    #[command(flatten)]
    machine: Machine,
}

/// A time in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    super::positive_up_to(1e5, text)
}

impl Speed {
    pub(crate) fn run(self) -> CommandResult {
        let (threads, kernel) = (self.machine.threads(), self.machine.kernel()?);
        let data = synthetic::samples(POSITIONS, usize::from(self.pieces), 1);
        let shape = Shape { hidden: self.hidden, buckets: self.buckets };
        let measure = |steps: u64| {
            let config = TrainingConfig {
                batch_size: self.batch as usize,
                schedule: LearningRateSchedule { max: 1e-3, min: 1e-5, steps },
                weight_decay: 0.1,
                initial: None,
                wdl: [0.4; 2],
                seed: 1,
                threads,
                kernel,
                report_interval: u64::MAX,
            };
            let state = TrainingState::new(Model::random(shape, 1));
            let (start, cpu) = (Instant::now(), cpu_seconds());
            run(&config, &data, &[], state, &mut ());
            (start.elapsed().as_secs_f64(), cpu_seconds().zip(cpu).map(|(end, start)| end - start))
        };
        // The first run warms up the caches and gives the number of steps for the time.
        let steps = (5.0 * self.seconds / measure(5).0).ceil().clamp(5.0, 1e9) as u64;
        let (time, cpu) = measure(steps);
        let positions = (steps * self.batch) as f64;
        super::print_to_stdout(format_args!(
            "{:.0} positions/s: {} hidden, {} buckets, {} pieces, {threads} threads, {}",
            positions / time,
            self.hidden,
            self.buckets,
            self.pieces,
            kernel.name()
        ))?;
        if let Some(cpu) = cpu {
            let speed = positions / cpu;
            super::print_to_stdout(format_args!("{speed:.0} positions per second of CPU time"))?;
        }
        Ok(())
    }
}

/// The CPU time of this process, on Linux. Other programs on the machine affect it less than the
/// wall clock.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Field 2, the program's name in parentheses, may contain spaces and parentheses.
    let (_, fields) = stat.rsplit_once(')')?;
    // Fields 14 and 15: user and system time in hundredths of a second.
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Some(ticks.sum::<Result<f64, _>>().ok()? / 100.0)
}

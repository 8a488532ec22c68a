//! `speed`: how many positions per second this machine trains on.

use super::Failure;
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::Schedule;
use saavedra_trainer::state::State;
use saavedra_trainer::synthetic;
use saavedra_trainer::train::{Plan, run};
use std::fs;
use std::time::Instant;

const POSITIONS: usize = 2_000_000;

/// Measure positions per second on random positions
#[derive(clap::Args)]
pub(crate) struct Speed {
    /// Neurons of the hidden layer
    #[arg(long, default_value = "256", value_parser = super::hidden)]
    hidden: usize,
    /// Output buckets
    #[arg(long, default_value = "1", value_parser = super::buckets)]
    buckets: usize,
    /// Men on the board
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u8).range(2..=32))]
    men: u8,
    /// Threads (all of the machine's)
    #[arg(long)]
    threads: Option<usize>,
    /// About how long to measure
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Positions per step
    #[arg(long, default_value = "16384", value_parser = super::count)]
    batch: u64,
    /// Instruction set instead of the best one: portable, sse2, avx2, avx512
    #[arg(long)]
    kernel: Option<String>,
}

impl Speed {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let (threads, kernel) = (
            super::threads(self.threads),
            super::kernel(self.kernel.as_deref())?,
        );
        let data = synthetic::samples(POSITIONS, usize::from(self.men), 1);
        let shape = Shape {
            hidden: self.hidden,
            buckets: self.buckets,
        };
        let measure = |steps: u64| {
            let plan = Plan {
                batch: self.batch as usize,
                schedule: Schedule {
                    highest: 1e-3,
                    lowest: 1e-5,
                    steps,
                },
                wdl: [0.4; 2],
                seed: 1,
                threads,
                kernel,
                report_every: u64::MAX,
            };
            let state = State::new(Model::random(shape, 1));
            let (start, cpu) = (Instant::now(), cpu_seconds());
            run(&plan, &data, &[], state, &mut ());
            (
                start.elapsed().as_secs_f64(),
                cpu_seconds().zip(cpu).map(|(end, begin)| end - begin),
            )
        };
        // The first run warms the caches up and tells how many steps fit the time.
        let steps = (5.0 * self.seconds / measure(5).0).ceil().clamp(5.0, 1e9) as u64;
        let (time, cpu) = measure(steps);
        let positions = (steps * self.batch) as f64;
        println!(
            "{:.0} positions/s: {} hidden, {} buckets, {} men, {threads} threads, {}",
            positions / time,
            self.hidden,
            self.buckets,
            self.men,
            kernel.name()
        );
        if let Some(cpu) = cpu {
            println!(
                "{:.0} positions per second of processor time",
                positions / cpu
            );
        }
        Ok(())
    }
}

/// Processor time of this process, which other programs on the machine disturb less than the
/// clock; where the system tells it as Linux does, in hundredths of a second.
fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in parentheses, may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(str::parse::<f64>);
    Some(ticks.sum::<Result<f64, _>>().ok()? / 100.0)
}

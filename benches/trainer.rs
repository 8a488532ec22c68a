//! Training speed on random positions, one thread: `cargo bench -p saavedra-benches --bench trainer`.

#[path = "../trainer/tests/support/synthetic.rs"]
mod synthetic;

use criterion::{Criterion, Throughput};
use saavedra_trainer::checkpoint::TrainingState;
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::LearningRateSchedule;
use saavedra_trainer::simd::Kernel;
use saavedra_trainer::train::{TrainingConfig, run};

const BATCH: usize = 16_384;
const STEPS: u64 = 5;

fn main() {
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let mut group = criterion.benchmark_group("train");
    group.throughput(Throughput::Elements(BATCH as u64 * STEPS));
    let data = synthetic::samples(2_000_000, 20, 1);
    for hidden in [64, 512] {
        let config = TrainingConfig {
            batch_size: BATCH,
            schedule: LearningRateSchedule { max: 1e-3, min: 1e-5, steps: STEPS },
            weight_decay: 0.1,
            initial: None,
            wdl: [0.4; 2],
            seed: 1,
            threads: 1,
            kernel: Kernel::detect(),
            report_interval: u64::MAX,
        };
        let state = || TrainingState::new(Model::random(Shape { hidden, buckets: 1 }, 1));
        group.bench_function(format!("{hidden} neurons"), |bencher| {
            bencher.iter_with_setup(state, |state| run(&config, &data, &[], state, &mut ()));
        });
    }
    group.finish();
}

//! Gradients against finite differences, kernels against each other, and convergence,
//! reproducibility and resumption of runs.

use saavedra::data::statistics::sigmoid;
use saavedra::nnue::arch::SCALE;
use saavedra_trainer::checkpoint::TrainingState;
use saavedra_trainer::gradient::{Loss, UNIT, Weights, Workspace};
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::LearningRateSchedule;
use saavedra_trainer::quantisation;
use saavedra_trainer::sample::Sample;
use saavedra_trainer::simd::Kernel;
use saavedra_trainer::train::{InitialModel, Observer, Report, TrainingConfig, loss, run};
use std::panic::catch_unwind;

const WDL: f32 = 0.3;

/// The sum of losses by plain loops in 64 bits.
fn reference_loss(model: &Model, samples: &[Sample]) -> f64 {
    let losses = samples.iter().map(|sample| {
        let [us, them] = sample.feature_lists();
        let output = model.evaluate(&us, &them, sample.bucket(model.shape.buckets));
        let expected = sigmoid(output * f64::from(SCALE));
        (expected - f64::from(sample.target(WDL))).powi(2)
    });
    losses.sum()
}

#[test]
fn the_loss_on_positions_is_that_of_plain_loops_with_any_number_of_threads() {
    let samples = crate::synthetic::samples(1_000, 12, 4);
    let shape = Shape { hidden: 32, buckets: 4 };
    let model = Model::random(shape, 2).quantised();
    let expected = reference_loss(&model, &samples) / samples.len() as f64;
    for kernel in Kernel::available() {
        for threads in [1, 3] {
            let loss = loss(&model, &samples, WDL, kernel, threads);
            assert_eq!(loss.counts.iter().sum::<u64>(), 1_000);
            let mean = loss.mean();
            assert!((mean - expected).abs() < 1e-3 * expected, "{mean} {expected}");
        }
    }
}

/// The loss and the gradient by a kernel.
fn loss_and_gradient(kernel: Kernel, model: &Model, samples: &[Sample]) -> (f64, Vec<f32>) {
    let copies: Vec<i16> =
        model.values.iter().map(|value| (value * f32::from(UNIT)).round() as i16).collect();
    let hidden = model.shape.hidden;
    let weights = Weights {
        shape: model.shape,
        features: copies.chunks(hidden).take(Shape::OUTPUT_ROW).collect(),
        outputs: model.values.chunks(hidden).skip(Shape::OUTPUT_ROW).collect(),
    };
    let mut gradient = vec![0.0; model.shape.len()];
    let mut workspace = Workspace::new(model.shape);
    let loss = Loss { wdl: WDL, gradient_scale: 1.0 };
    let loss = kernel.add_gradient(&weights, samples, loss, &mut workspace, &mut gradient);
    let mut outputs = 0;
    kernel.evaluate(&weights, samples, &mut workspace, &mut |sample, output| {
        let [us, them] = sample.feature_lists();
        let expected = model.evaluate(&us, &them, sample.bucket(model.shape.buckets));
        assert!((f64::from(output) - expected).abs() < 1e-3, "{output} {expected}");
        outputs += 1;
    });
    assert_eq!(outputs, samples.len());
    (loss, gradient)
}

/// The model with all weights rounded to their 16-bit copies.
fn rounded(mut model: Model) -> Model {
    for value in &mut model.values {
        *value = (*value * f32::from(UNIT)).round() / f32::from(UNIT);
    }
    model
}

#[test]
fn gradients_equal_finite_differences() {
    for (hidden, buckets) in [(32, 1), (96, 8), (160, 2)] {
        let samples = crate::synthetic::samples(40, 12, 5);
        let model = rounded(Model::random(Shape { hidden, buckets }, 9));
        let (loss, gradient) = loss_and_gradient(Kernel::detect(), &model, &samples);
        assert!((loss - reference_loss(&model, &samples)).abs() < 1e-3);
        let largest = gradient.iter().fold(0.0f32, |largest, slope| largest.max(slope.abs()));
        let active = samples[0].feature_lists()[0][3] * hidden;
        let rows = [active, Shape::BIAS_ROW * hidden, Shape::OUTPUT_ROW * hidden];
        let indices = rows.into_iter().flat_map(|row| (row..row + 32).step_by(3));
        let bias = model.shape.output_bias_row() * hidden + samples[0].bucket(buckets);
        for index in indices.chain([bias]) {
            let shifted = |by: f32| {
                let mut shifted = model.clone();
                shifted.values[index] += by;
                reference_loss(&shifted, &samples)
            };
            let step = 1.0 / 8192.0;
            let slope = (shifted(step) - shifted(-step)) / (2.0 * f64::from(step));
            let found = f64::from(gradient[index]);
            let tolerance = 0.01 * slope.abs() + 1e-3 * f64::from(largest);
            assert!(
                (slope - found).abs() < tolerance,
                "parameter {index}: {found}, expected {slope}"
            );
        }
    }
}

#[test]
fn all_kernels_compute_the_same_gradient() {
    for (hidden, buckets) in [(32, 1), (64, 4), (128, 1), (224, 8), (512, 1)] {
        // More than one micro-batch, and not a whole number of them.
        let samples = crate::synthetic::samples(600, 24, 8);
        let model = rounded(Model::random(Shape { hidden, buckets }, 2));
        let (loss, gradient) = loss_and_gradient(Kernel::available()[0], &model, &samples);
        for kernel in Kernel::available() {
            let (other_loss, other) = loss_and_gradient(kernel, &model, &samples);
            assert!((loss - other_loss).abs() < 1e-3, "{}", kernel.name());
            let largest = gradient.iter().fold(0.0f32, |largest, slope| largest.max(slope.abs()));
            for (index, (a, b)) in gradient.iter().zip(&other).enumerate() {
                assert!(
                    (a - b).abs() < 1e-4 * largest,
                    "{}, parameter {index}: {a} {b}",
                    kernel.name()
                );
            }
        }
    }
}

fn config(steps: u64, threads: usize) -> TrainingConfig {
    TrainingConfig {
        batch_size: 512,
        schedule: LearningRateSchedule { max: 3e-3, min: 1e-5, steps },
        weight_decay: 0.1,
        initial: None,
        wdl: [0.0, WDL],
        seed: 4,
        threads,
        kernel: Kernel::detect(),
        report_interval: steps.div_ceil(4),
    }
}

/// Records all reports and the states at them.
#[derive(Default)]
struct Recorder {
    reports: Vec<Report>,
    states: Vec<TrainingState>,
}

impl Observer for Recorder {
    fn report(&mut self, report: &Report, state: &dyn Fn() -> TrainingState) {
        self.reports.push(report.clone());
        self.states.push(state());
    }
}

#[test]
fn a_run_learns_material_and_quantisation_preserves_it() {
    let train = crate::synthetic::samples(40_000, 10, 1);
    let validation = crate::synthetic::samples(2_000, 10, 2);
    let shape = Shape { hidden: 32, buckets: 2 };
    let mut recorder = Recorder::default();
    let start = TrainingState::new(Model::random(shape, 6));
    let end = run(&config(1200, 2), &train, &validation, start, &mut recorder);
    let losses: Vec<f64> = recorder.reports.iter().map(|report| report.validation.mean()).collect();
    assert_eq!(losses.len(), 4);
    assert!(losses.is_sorted_by(|a, b| a > b) && losses[3] < 0.002, "{losses:?}");
    assert!(
        (recorder.reports[3].train_loss - losses[3]).abs() < losses[3],
        "training and validation loss"
    );
    assert_eq!(recorder.states[3], end);
    let network = end.model.quantise(1).expect("no overflow");
    let error = quantisation::measure(&end.model, &network, &validation[..500]);
    assert!(error.is_small(), "{error:?}");
    assert!(error.mean_evaluation > 100.0, "{error:?}");
    // With the output weights of the two perspectives exchanged, as by a layout error, it is large.
    let mut exchanged = network;
    exchanged.output_weights[..64].rotate_left(32);
    assert!(!quantisation::measure(&end.model, &exchanged, &validation[..500]).is_small());
}

#[test]
fn a_run_can_overfit_a_few_positions() {
    let train = crate::synthetic::samples(64, 16, 3);
    let shape = Shape { hidden: 64, buckets: 1 };
    let mut recorder = Recorder::default();
    let config = TrainingConfig { batch_size: 64, wdl: [WDL; 2], ..config(800, 1) };
    run(&config, &train, &train, TrainingState::new(Model::random(shape, 1)), &mut recorder);
    let losses: Vec<f64> = recorder.reports.iter().map(|report| report.validation.mean()).collect();
    assert!(losses[3] < 1e-5, "{losses:?}");
}

#[test]
fn runs_are_reproducible_and_resume_bit_for_bit() {
    let train = crate::synthetic::samples(3_000, 16, 3);
    let shape = Shape { hidden: 32, buckets: 1 };
    for threads in [1, 3] {
        let config = config(24, threads);
        let start = || TrainingState::new(Model::random(shape, 1));
        let mut recorder = Recorder::default();
        let end = run(&config, &train, &[], start(), &mut recorder);
        assert_eq!(run(&config, &train, &[], start(), &mut ()), end);
        let middle = recorder.states[1].clone();
        assert_eq!(middle.step, 12);
        assert_eq!(run(&config, &train, &[], middle, &mut ()), end);
        let other = TrainingConfig { seed: 5, ..config };
        assert_ne!(run(&other, &train, &[], start(), &mut ()), end);
    }
}

/// Panics at the first report.
struct FailingObserver;

impl Observer for FailingObserver {
    fn report(&mut self, _: &Report, _: &dyn Fn() -> TrainingState) {
        panic!("the report fails");
    }
}

/// Without that the other threads would wait for it for ever.
#[test]
fn a_panic_of_one_thread_ends_the_run() {
    let train = crate::synthetic::samples(1_000, 16, 3);
    let shape = Shape { hidden: 32, buckets: 1 };
    for threads in [1, 3] {
        let failed = catch_unwind(|| {
            let state = TrainingState::new(Model::random(shape, 1));
            run(&config(8, threads), &train, &[], state, &mut FailingObserver)
        });
        assert!(failed.is_err(), "{threads} threads");
    }
}

#[test]
fn a_high_weight_decay_keeps_a_run_near_its_initial_network() {
    let train = crate::synthetic::samples(3_000, 16, 3);
    let shape = Shape { hidden: 32, buckets: 2 };
    let initial = Model::random(shape, 1);
    let distance = |weight_decay, threads| {
        let config = TrainingConfig {
            weight_decay,
            initial: Some(InitialModel {
                model: initial.clone(),
                is_new: vec![false; shape.len()],
            }),
            ..config(100, threads)
        };
        let start = TrainingState::new(initial.clone());
        let end = run(&config, &train, &[], start, &mut ());
        let differences = end.model.values.iter().zip(&initial.values);
        differences.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    for threads in [1, 3] {
        let (free, held) = (distance(0.0, threads), distance(300.0, threads));
        assert!(free > 0.05 && held < 0.2 * free, "{free} {held}");
    }
}

/// Output weights of new neurons begin at 0, of new buckets as copies.
#[test]
fn new_neurons_and_buckets_are_trained_while_a_high_weight_decay_holds_the_others() {
    let train = crate::synthetic::samples(3_000, 16, 3);
    let shape = |hidden, buckets| Shape { hidden, buckets };
    let small = Model::random(shape(32, 2), 1);
    for (larger, threads) in [(shape(64, 2), 1), (shape(64, 2), 3), (shape(32, 4), 2)] {
        let model = small.grow(larger, 2).expect("a larger shape");
        let is_new = larger.new_parameters(small.shape);
        let config = TrainingConfig {
            weight_decay: 300.0,
            initial: Some(InitialModel { model: model.clone(), is_new: is_new.clone() }),
            ..config(100, threads)
        };
        let start = TrainingState::new(model.clone());
        let end = run(&config, &train, &[], start, &mut ());
        let distance = |new: bool| {
            let pairs = end.model.values.iter().zip(&model.values).zip(&is_new);
            let chosen = pairs.filter(|(_, is_new)| **is_new == new);
            chosen.fold(0.0, |max, ((a, b), _)| f32::max(max, (a - b).abs()))
        };
        let (new, old) = (distance(true), distance(false));
        assert!(old < 0.2 * new && new > 0.05, "{larger:?}: {old} {new}");
    }
}

#[test]
fn the_number_of_threads_changes_only_rounding() {
    let train = crate::synthetic::samples(3_000, 16, 3);
    let shape = Shape { hidden: 32, buckets: 4 };
    let end = |threads| {
        run(&config(20, threads), &train, &[], TrainingState::new(Model::random(shape, 1)), &mut ())
    };
    let one = end(1);
    // 50 threads are more than there are shards.
    for threads in [2, 5, 50] {
        let many = end(threads);
        let differences =
            one.model.values.iter().zip(&many.model.values).map(|(a, b)| (a - b).abs());
        assert!(differences.fold(0.0, f32::max) < 0.02);
    }
}

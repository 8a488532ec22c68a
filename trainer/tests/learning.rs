//! The mathematics: gradients against finite differences, kernels against each other, and runs that
//! learn, repeat and resume.

use saavedra::nnue::features::MAX_ACTIVE_FEATURES;
use saavedra_trainer::export;
use saavedra_trainer::kernels::{Kernel, Labels, Scratch, UNIT, Weights};
use saavedra_trainer::model::{Model, Shape};
use saavedra_trainer::optimizer::Schedule;
use saavedra_trainer::sample::Sample;
use saavedra_trainer::state::State;
use saavedra_trainer::synthetic;
use saavedra_trainer::train::{Observer, Plan, Report, run};

const WDL: f32 = 0.3;

fn inputs(sample: &Sample) -> [Vec<usize>; 2] {
    let (mut own, mut other) = ([0; MAX_ACTIVE_FEATURES], [0; MAX_ACTIVE_FEATURES]);
    let count = sample.features(&mut own, &mut other);
    [own, other].map(|inputs| inputs[..count].iter().map(|&input| input.into()).collect())
}

/// The sum of losses by obvious loops in 64 bits.
fn slow_loss(model: &Model, samples: &[Sample]) -> f64 {
    let losses = samples.iter().map(|sample| {
        let [own, other] = inputs(sample);
        let output = model.evaluate(&own, &other, sample.bucket(model.shape.buckets));
        let points = 1.0 / (1.0 + (-output).exp());
        (points - f64::from(sample.target(WDL))).powi(2)
    });
    losses.sum()
}

/// The loss and the gradient of a kernel.
fn fast(kernel: Kernel, model: &Model, samples: &[Sample]) -> (f64, Vec<f32>) {
    let copies: Vec<i16> = model
        .values
        .iter()
        .map(|value| (value * f32::from(UNIT)).round() as i16)
        .collect();
    let hidden = model.shape.hidden;
    let weights = Weights {
        shape: model.shape,
        inputs: copies.chunks(hidden).take(Shape::OUTPUT_ROW).collect(),
        outputs: model
            .values
            .chunks(hidden)
            .skip(Shape::OUTPUT_ROW)
            .collect(),
    };
    let mut gradient = vec![0.0; model.shape.len()];
    let mut scratch = Scratch::new(model.shape);
    let labels = Labels {
        wdl: WDL,
        weight: 1.0,
    };
    let loss = kernel.learn(&weights, samples, labels, &mut scratch, &mut gradient);
    let mut outputs = 0;
    kernel.evaluate(&weights, samples, &mut scratch, &mut |sample, output| {
        let [own, other] = inputs(sample);
        let expected = model.evaluate(&own, &other, sample.bucket(model.shape.buckets));
        assert!(
            (f64::from(output) - expected).abs() < 1e-3,
            "{output} {expected}"
        );
        outputs += 1;
    });
    assert_eq!(outputs, samples.len());
    (loss, gradient)
}

/// Values on the grid of the 16-bit copies, so that slow and fast have the same weights.
fn on_grid(mut model: Model) -> Model {
    for value in &mut model.values {
        *value = (*value * f32::from(UNIT)).round() / f32::from(UNIT);
    }
    model
}

#[test]
fn gradients_equal_finite_differences() {
    for (hidden, buckets) in [(32, 1), (96, 8), (160, 2)] {
        let samples = synthetic::samples(40, 12, 5);
        let model = on_grid(Model::random(Shape { hidden, buckets }, 9));
        let (loss, gradient) = fast(Kernel::best(), &model, &samples);
        assert!((loss - slow_loss(&model, &samples)).abs() < 1e-3);
        let largest = gradient
            .iter()
            .fold(0.0f32, |largest, slope| largest.max(slope.abs()));
        let used = inputs(&samples[0])[0][3] * hidden;
        let rows = [used, Shape::BIAS_ROW * hidden, Shape::OUTPUT_ROW * hidden];
        let places = rows.into_iter().flat_map(|row| (row..row + 32).step_by(3));
        let bias = model.shape.output_bias_row() * hidden + samples[0].bucket(buckets);
        for place in places.chain([bias]) {
            let shifted = |by: f32| {
                let mut shifted = model.clone();
                shifted.values[place] += by;
                slow_loss(&shifted, &samples)
            };
            let step = 1.0 / 8192.0;
            let slope = (shifted(step) - shifted(-step)) / (2.0 * f64::from(step));
            let found = f64::from(gradient[place]);
            let tolerance = 0.01 * slope.abs() + 1e-3 * f64::from(largest);
            assert!(
                (slope - found).abs() < tolerance,
                "place {place}: {found}, not {slope}"
            );
        }
    }
}

#[test]
fn all_kernels_compute_the_same() {
    for (hidden, buckets) in [(32, 1), (64, 4), (128, 1), (224, 8), (512, 1)] {
        // More than one micro-batch, and not a whole number of them.
        let samples = synthetic::samples(600, 24, 8);
        let model = on_grid(Model::random(Shape { hidden, buckets }, 2));
        let (loss, gradient) = fast(Kernel::available()[0], &model, &samples);
        for kernel in Kernel::available() {
            let (other_loss, other) = fast(kernel, &model, &samples);
            assert!((loss - other_loss).abs() < 1e-3, "{}", kernel.name());
            let largest = gradient
                .iter()
                .fold(0.0f32, |largest, slope| largest.max(slope.abs()));
            for (place, (a, b)) in gradient.iter().zip(&other).enumerate() {
                assert!(
                    (a - b).abs() < 1e-4 * largest,
                    "{} at {place}: {a} {b}",
                    kernel.name()
                );
            }
        }
    }
}

fn plan(steps: u64, threads: usize) -> Plan {
    Plan {
        batch: 512,
        schedule: Schedule {
            highest: 3e-3,
            lowest: 1e-5,
            steps,
        },
        wdl: [0.0, WDL],
        seed: 4,
        threads,
        kernel: Kernel::best(),
        report_every: steps.div_ceil(4),
    }
}

/// Remembers reports and the states at them.
#[derive(Default)]
struct Recorder {
    reports: Vec<Report>,
    states: Vec<State>,
}

impl Observer for Recorder {
    fn report(&mut self, report: &Report, state: &dyn Fn() -> State) {
        self.reports.push(report.clone());
        self.states.push(state());
    }
}

#[test]
fn a_run_learns_material_and_its_export_keeps_it() {
    let train = synthetic::samples(40_000, 10, 1);
    let held_out = synthetic::samples(2_000, 10, 2);
    let shape = Shape {
        hidden: 32,
        buckets: 2,
    };
    let mut recorder = Recorder::default();
    let start = State::new(Model::random(shape, 6));
    let end = run(&plan(1200, 2), &train, &held_out, start, &mut recorder);
    let losses: Vec<f64> = recorder
        .reports
        .iter()
        .map(|report| report.held_out.mean())
        .collect();
    assert_eq!(losses.len(), 4);
    assert!(
        losses.is_sorted_by(|a, b| a > b) && losses[3] < 0.002,
        "{losses:?}"
    );
    assert!(
        (recorder.reports[3].loss - losses[3]).abs() < losses[3],
        "training and held out"
    );
    assert_eq!(recorder.states[3], end);
    let network = end.model.quantise(1).expect("no overflow");
    let difference = export::compare(&end.model, &network, &held_out[..500]);
    assert!(difference.is_small(), "{difference:?}");
    assert!(difference.mean_evaluation > 100.0, "{difference:?}");
    // The output weights of the two perspectives exchanged: a layout error would be noticed.
    let mut exchanged = network;
    exchanged.output_weights[..64].rotate_left(32);
    assert!(!export::compare(&end.model, &exchanged, &held_out[..500]).is_small());
}

#[test]
fn a_few_positions_are_learned_by_heart() {
    let train = synthetic::samples(64, 16, 3);
    let shape = Shape {
        hidden: 64,
        buckets: 1,
    };
    let mut recorder = Recorder::default();
    let plan = Plan {
        batch: 64,
        wdl: [WDL; 2],
        ..plan(800, 1)
    };
    run(
        &plan,
        &train,
        &train,
        State::new(Model::random(shape, 1)),
        &mut recorder,
    );
    let losses: Vec<f64> = recorder
        .reports
        .iter()
        .map(|report| report.held_out.mean())
        .collect();
    assert!(losses[3] < 1e-5, "{losses:?}");
}

#[test]
fn runs_repeat_bit_by_bit_and_resume_where_they_stopped() {
    let train = synthetic::samples(3_000, 16, 3);
    let shape = Shape {
        hidden: 32,
        buckets: 1,
    };
    for threads in [1, 3] {
        let plan = plan(24, threads);
        let start = || State::new(Model::random(shape, 1));
        let mut recorder = Recorder::default();
        let end = run(&plan, &train, &[], start(), &mut recorder);
        assert_eq!(run(&plan, &train, &[], start(), &mut ()), end);
        let middle = recorder.states[1].clone();
        assert_eq!(middle.step, 12);
        assert_eq!(run(&plan, &train, &[], middle, &mut ()), end);
        let other = Plan { seed: 5, ..plan };
        assert_ne!(run(&other, &train, &[], start(), &mut ()), end);
    }
}

#[test]
fn the_number_of_threads_hardly_matters() {
    let train = synthetic::samples(3_000, 16, 3);
    let shape = Shape {
        hidden: 32,
        buckets: 4,
    };
    let end = |threads| {
        run(
            &plan(20, threads),
            &train,
            &[],
            State::new(Model::random(shape, 1)),
            &mut (),
        )
    };
    let one = end(1);
    // More threads than rows of the parameters can be divided among, too.
    for threads in [2, 5, 50] {
        let many = end(threads);
        let furthest = one
            .model
            .values
            .iter()
            .zip(&many.model.values)
            .map(|(a, b)| (a - b).abs());
        assert!(furthest.fold(0.0, f32::max) < 0.02);
    }
}

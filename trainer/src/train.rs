//! The training loop.
//!
//! A step has two phases with a barrier after each: every thread computes the gradient of its part
//! of the batch, then every thread updates its shard of the parameters. The locks are never
//! contended, because the phases do not overlap; they prove that to the compiler. For a given
//! number of threads a run is reproducible bit for bit, also if it was interrupted and resumed.

use std::ops::Range;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use crate::barrier::{Barrier, BrokenBarrier};
use crate::checkpoint::TrainingState;
use crate::gradient::{Loss, MICRO_BATCH, Weights, Workspace};
use crate::model::{Model, Shape};
use crate::optimizer::{Initial, LearningRateSchedule, Shard};
use crate::sample::{Sample, sigmoid};
use crate::shuffle::Shuffle;
use crate::simd::Kernel;
use saavedra::data::statistics::Correlation;

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct TrainingConfig {
    /// The batch size: positions per step.
    pub batch_size: usize,
    /// The learning rates, and the number of steps.
    pub schedule: LearningRateSchedule,
    /// The rate of the weight decay.
    pub weight_decay: f32,
    /// The network that parameters decay to; without one they decay to 0.
    pub initial: Option<InitialModel>,
    /// The WDL lambda (see [`Loss::wdl`]) at the first step and at the end, linear between.
    pub wdl: [f32; 2],
    /// The seed of the shuffle.
    pub seed: u64,
    /// The number of threads.
    pub threads: usize,
    /// The kernel.
    pub kernel: Kernel,
    /// Steps between reports.
    pub report_interval: u64,
}

/// The network that a run continues from, in the shape of the run.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialModel {
    /// The network.
    pub model: Model,
    /// Whether a parameter is new: it was added when the network grew.
    pub is_new: Vec<bool>,
}

impl TrainingConfig {
    fn wdl_at(&self, step: u64) -> f32 {
        let progress = step as f32 / self.schedule.steps.max(1) as f32;
        self.wdl[0] + (self.wdl[1] - self.wdl[0]) * progress
    }
}

/// The validation loss, by piece count: up to 8, 16, 24 and 32.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValidationLoss {
    /// The sums of losses.
    pub sums: [f64; 4],
    /// The numbers of positions.
    pub counts: [u64; 4],
}

impl ValidationLoss {
    /// The mean loss over all positions; NaN if there are none.
    pub fn mean(&self) -> f64 {
        self.sums.iter().sum::<f64>() / self.counts.iter().sum::<u64>() as f64
    }

    /// The mean loss for each class of piece counts; NaN if it has no positions.
    pub fn class_means(&self) -> [f64; 4] {
        [0, 1, 2, 3].map(|class| self.sums[class] / self.counts[class] as f64)
    }

    fn measure(
        kernel: Kernel,
        weights: &Weights<'_>,
        samples: &[Sample],
        wdl: f32,
        workspace: &mut Workspace,
    ) -> ValidationLoss {
        let mut loss = ValidationLoss::default();
        kernel.evaluate(weights, samples, workspace, &mut |sample, output| {
            loss.add(sample, output, wdl);
        });
        loss
    }

    fn add(&mut self, sample: &Sample, output: f32, wdl: f32) {
        let error = sigmoid(output) - sample.target(wdl);
        let class = piece_class(sample);
        self.sums[class] += f64::from(error * error);
        self.counts[class] += 1;
    }

    fn merge(&mut self, other: &ValidationLoss) {
        for class in 0..4 {
            self.sums[class] += other.sums[class];
            self.counts[class] += other.counts[class];
        }
    }
}

/// The class of a position by piece count: up to 8, 16, 24 and 32.
fn piece_class(sample: &Sample) -> usize {
    (sample.piece_count() - 1) / 8 % 4
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Completed steps.
    pub step: u64,
    /// Positions trained on.
    pub positions: u64,
    /// The learning rate of the last step.
    pub learning_rate: f32,
    /// The mean training loss since the last report.
    pub train_loss: f64,
    /// The validation loss now, with the WDL lambda of the end of the run.
    pub validation: ValidationLoss,
}

/// Receives the progress of a run.
pub trait Observer {
    /// Called after every step with the number of positions trained on.
    fn step(&mut self, _positions: u64) {}
    /// Called at every report; `state` makes the state for a checkpoint.
    fn report(&mut self, _report: &Report, _state: &dyn Fn() -> TrainingState) {}
}

/// Ignores the progress.
impl Observer for () {}

/// The loss of a network on these positions.
pub fn loss(
    model: &Model,
    samples: &[Sample],
    wdl: f32,
    kernel: Kernel,
    threads: usize,
) -> ValidationLoss {
    let mut sum = ValidationLoss::default();
    let add = |loss: &mut ValidationLoss, sample: &Sample, output| loss.add(sample, output, wdl);
    for loss in measure(model, samples, kernel, threads, add) {
        sum.merge(&loss);
    }
    sum
}

/// How expected points agree with the results of the games, by piece count: up to 8, 16, 24 and 32.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    /// Expected points by the network (x) and points of the result (y).
    pub network: [Correlation; 4],
    /// Expected points by the recorded score (x) and points of the result (y).
    pub scores: [Correlation; 4],
}

/// How the outputs of a network and the recorded scores agree with the results.
pub fn agreement(model: &Model, samples: &[Sample], kernel: Kernel, threads: usize) -> Agreement {
    let mut sum = Agreement::default();
    let add = |agreement: &mut Agreement, sample: &Sample, output| {
        let (class, points) = (piece_class(sample), f64::from(sample.result) / 2.0);
        agreement.network[class].add(sigmoid(output).into(), points);
        agreement.scores[class].add(sample.target(0.0).into(), points);
    };
    for agreement in measure(model, samples, kernel, threads, add) {
        for class in 0..4 {
            sum.network[class].merge(&agreement.network[class]);
            sum.scores[class].merge(&agreement.scores[class]);
        }
    }
    sum
}

/// Evaluates positions on several threads. Returns a value for each thread, to which `add` has added
/// its positions with the outputs of the network.
fn measure<T: Default + Send>(
    model: &Model,
    samples: &[Sample],
    kernel: Kernel,
    threads: usize,
    add: impl Fn(&mut T, &Sample, f32) + Sync,
) -> Vec<T> {
    let shape = model.shape;
    let moments = vec![0.0; shape.len()];
    let shard = Shard::new(&model.values, &moments, &moments, shape.output_weights());
    let weights = shard_weights(shape, std::iter::once(&shard));
    let parts = samples.chunks(samples.len().div_ceil(threads.max(1)).max(1));
    thread::scope(|scope| {
        let (weights, add) = (&weights, &add);
        let measure_part = move |part| {
            let mut value = T::default();
            kernel.evaluate(weights, part, &mut Workspace::new(shape), &mut |sample, output| {
                add(&mut value, sample, output);
            });
            value
        };
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || measure_part(part))).collect();
        let values = threads.into_iter().map(|thread| match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        values.collect()
    })
}

/// The rows of all shards.
fn shard_weights<'a>(shape: Shape, shards: impl Iterator<Item = &'a Shard> + Clone) -> Weights<'a> {
    Weights {
        shape,
        features: shards
            .clone()
            .flat_map(|shard| shard.features.chunks_exact(shape.hidden))
            .collect(),
        outputs: shards.flat_map(|shard| shard.outputs.chunks_exact(shape.hidden)).collect(),
    }
}

/// The results of one thread.
struct ThreadResults {
    gradient: Vec<f32>,
    loss: f64,
    validation: ValidationLoss,
}

/// The data that the threads of a run share.
struct Run<'a> {
    config: &'a TrainingConfig,
    shape: Shape,
    train: &'a [Sample],
    validation: &'a [Sample],
    shuffle: Shuffle,
    first_step: u64,
    /// Rows of each shard but the last.
    shard_rows: usize,
    shards: Vec<RwLock<Shard>>,
    results: Vec<RwLock<ThreadResults>>,
    barrier: Barrier,
}

/// Trains from `state` to the last step and returns the state then. The training set is shuffled
/// anew each epoch. If it is empty, `state` is returned unchanged.
pub fn run(
    config: &TrainingConfig,
    train: &[Sample],
    validation: &[Sample],
    state: TrainingState,
    observer: &mut dyn Observer,
) -> TrainingState {
    if train.is_empty() {
        return state;
    }
    let run = Run::new(config, train, validation, &state);
    thread::scope(|scope| {
        // Also if a thread does not start.
        let _guard = run.barrier.guard();
        for thread in 1..config.threads {
            let run = &run;
            scope.spawn(move || {
                let _guard = run.barrier.guard();
                run.work(thread, &mut ())
            });
        }
        // If a thread has panicked, the scope panics at its end.
        let _ = run.work(0, observer);
    });
    run.state(config.schedule.steps.max(state.step))
}

impl<'a> Run<'a> {
    fn new(
        config: &'a TrainingConfig,
        train: &'a [Sample],
        validation: &'a [Sample],
        state: &TrainingState,
    ) -> Run<'a> {
        let shape = state.model.shape;
        let shard_rows = shape.rows().div_ceil(config.threads);
        let parts = |values: &[f32]| -> Vec<Vec<f32>> {
            values.chunks(shard_rows * shape.hidden).map(<[f32]>::to_vec).collect()
        };
        let moments = parts(&state.first_moments).into_iter().zip(parts(&state.second_moments));
        let shards = parts(&state.model.values).into_iter().zip(moments);
        let results = || ThreadResults {
            gradient: vec![0.0; shape.len()],
            loss: 0.0,
            validation: ValidationLoss::default(),
        };
        Run {
            config,
            shape,
            train,
            validation,
            shuffle: Shuffle::new(train.len(), config.seed),
            first_step: state.step,
            shard_rows,
            shards: shards
                .enumerate()
                .map(|(index, (values, (first, second)))| {
                    let Range { start, end } = shape.output_weights();
                    let offset = index * shard_rows * shape.hidden;
                    let [start, end] = [start, end].map(|i| i.saturating_sub(offset));
                    let shard = Shard::new(&values, &first, &second, start..end);
                    let range = offset..offset + values.len();
                    RwLock::new(match &config.initial {
                        None => shard,
                        Some(InitialModel { model, is_new }) => shard.continued_from(Initial {
                            values: &model.values[range.clone()],
                            is_new: &is_new[range],
                        }),
                    })
                })
                .collect(),
            results: (0..config.threads).map(|_| RwLock::new(results())).collect(),
            barrier: Barrier::new(config.threads),
        }
    }

    /// The run of one thread, which keeps a guard of the barrier. Thread 0 reports.
    ///
    /// # Errors
    /// Another thread has panicked.
    fn work(&self, thread: usize, observer: &mut dyn Observer) -> Result<(), BrokenBarrier> {
        let steps = self.config.schedule.steps;
        let mut workspace = Workspace::new(self.shape);
        let mut buffer = Vec::with_capacity(MICRO_BATCH);
        let mut sum = Vec::new();
        let mut reported = self.first_step;
        for step in self.first_step..steps {
            self.compute_gradient(thread, step, &mut workspace, &mut buffer);
            self.barrier.wait()?;
            self.update(thread, step, &mut sum);
            self.barrier.wait()?;
            let completed = step + 1;
            if thread == 0 {
                observer.step(completed * self.config.batch_size as u64);
            }
            if completed.is_multiple_of(self.config.report_interval) || completed == steps {
                self.validate(thread, &mut workspace);
                self.barrier.wait()?;
                if thread == 0 {
                    observer.report(&self.report(completed, reported), &|| self.state(completed));
                }
                // The report reads all losses before they are reset.
                self.barrier.wait()?;
                write(&self.results[thread]).loss = 0.0;
                reported = completed;
            }
        }
        Ok(())
    }

    /// Computes the gradient of this thread's part of the batch.
    fn compute_gradient(
        &self,
        thread: usize,
        step: u64,
        workspace: &mut Workspace,
        buffer: &mut Vec<Sample>,
    ) {
        let shards: Vec<_> = self.shards.iter().map(read).collect();
        let weights = self.weights(&shards);
        let results = &mut *write(&self.results[thread]);
        results.gradient.fill(0.0);
        let TrainingConfig { batch_size, threads, kernel, .. } = *self.config;
        let loss = Loss { wdl: self.config.wdl_at(step), gradient_scale: 1.0 / batch_size as f32 };
        let batch_start = step * batch_size as u64;
        let mut indices = [0; MICRO_BATCH];
        let mut next = batch_size * thread / threads;
        let end = batch_size * (thread + 1) / threads;
        while next < end {
            let stop = end.min(next + MICRO_BATCH);
            buffer.clear();
            // All indices first, so that the cache misses of the samples overlap.
            let items = self.shuffle.items(batch_start + next as u64);
            for (index, item) in indices.iter_mut().zip(items) {
                *index = item;
            }
            buffer.extend(indices[..stop - next].iter().map(|&index| self.train[index]));
            results.loss +=
                kernel.add_gradient(&weights, buffer, loss, workspace, &mut results.gradient);
            next = stop;
        }
    }

    /// Updates this thread's shard with the sum of all threads' gradients.
    fn update(&self, thread: usize, step: u64, sum: &mut Vec<f32>) {
        // There may be more threads than shards.
        let Some(shard) = self.shards.get(thread) else {
            return;
        };
        let shard = &mut *write(shard);
        let start = thread * self.shard_rows * self.shape.hidden;
        let range = start..start + shard.values.len();
        sum.clear();
        sum.extend_from_slice(&read(&self.results[0]).gradient[range.clone()]);
        for results in &self.results[1..] {
            let results = read(results);
            for (sum, &slope) in sum.iter_mut().zip(&results.gradient[range.clone()]) {
                *sum += slope;
            }
        }
        let rate = self.config.schedule.rate(step);
        shard.update(sum, self.config.weight_decay, rate, step);
    }

    /// Computes the validation loss of this thread's part of the validation set.
    fn validate(&self, thread: usize, workspace: &mut Workspace) {
        let shards: Vec<_> = self.shards.iter().map(read).collect();
        let weights = self.weights(&shards);
        let TrainingConfig { threads, kernel, wdl: [_, wdl], .. } = *self.config;
        let all = self.validation.len();
        let part = &self.validation[all * thread / threads..all * (thread + 1) / threads];
        write(&self.results[thread]).validation =
            ValidationLoss::measure(kernel, &weights, part, wdl, workspace);
    }

    /// The report after `step` steps, `last_report` of them before the last report.
    fn report(&self, step: u64, last_report: u64) -> Report {
        let mut validation = ValidationLoss::default();
        let mut loss = 0.0;
        for results in self.results.iter().map(read) {
            validation.merge(&results.validation);
            loss += results.loss;
        }
        let batch_size = self.config.batch_size as u64;
        Report {
            step,
            positions: step * batch_size,
            learning_rate: self.config.schedule.rate(step - 1),
            train_loss: loss / ((step - last_report) * batch_size) as f64,
            validation,
        }
    }

    fn weights<'b>(&self, shards: &'b [RwLockReadGuard<'_, Shard>]) -> Weights<'b> {
        shard_weights(self.shape, shards.iter().map(|shard| &**shard))
    }

    /// The state after `step` steps, concatenated from the shards.
    fn state(&self, step: u64) -> TrainingState {
        let mut state = TrainingState::new(Model { shape: self.shape, values: Vec::new() });
        for shard in self.shards.iter().map(read) {
            state.model.values.extend_from_slice(&shard.values);
            state.first_moments.extend_from_slice(&shard.first_moments);
            state.second_moments.extend_from_slice(&shard.second_moments);
        }
        TrainingState { step, ..state }
    }
}

/// Poisoned locks are ignored: the panic of another thread ends the run anyway.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

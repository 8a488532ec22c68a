//! The training loop.
//!
//! Every step all threads compute the gradients of their part of the batch, meet, update their part
//! of the parameters, and meet again. The locks are never contended, since the two phases are apart;
//! they only let the compiler see that. A run is reproducible bit by bit for a given number of
//! threads, also when it was interrupted and resumed.

use std::sync::{Barrier, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;

use crate::kernels::{Kernel, Labels, MICRO_BATCH, Scratch, Weights};
use crate::model::{Model, Shape};
use crate::optimizer::{Schedule, Shard};
use crate::order::Order;
use crate::sample::{Sample, sigmoid};
use crate::state::State;

/// What a run does, apart from its data.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Positions per step.
    pub batch: usize,
    /// Steps of the run and their learning rates.
    pub schedule: Schedule,
    /// The result's share of the target at the beginning and at the end; linear between.
    pub wdl: [f32; 2],
    /// Seed of the order of positions.
    pub seed: u64,
    /// Threads.
    pub threads: usize,
    /// Instruction set.
    pub kernel: Kernel,
    /// Steps between reports.
    pub report_every: u64,
}

impl Plan {
    fn wdl_at(&self, step: u64) -> f32 {
        let done = step as f32 / self.schedule.steps.max(1) as f32;
        self.wdl[0] + (self.wdl[1] - self.wdl[0]) * done
    }
}

/// Losses of held-out positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HeldOut {
    /// Sums of losses by the number of men: up to 8, up to 16, up to 24, up to 32.
    pub sums: [f64; 4],
    /// How many positions have so many men.
    pub counts: [u64; 4],
}

impl HeldOut {
    /// The mean loss over all positions; not a number if there are none.
    pub fn mean(&self) -> f64 {
        self.sums.iter().sum::<f64>() / self.counts.iter().sum::<u64>() as f64
    }

    fn add(&mut self, sample: &Sample, output: f32, wdl: f32) {
        let error = sigmoid(output) - sample.target(wdl);
        let class = (sample.men_count() - 1) / 8 % 4;
        self.sums[class] += f64::from(error * error);
        self.counts[class] += 1;
    }

    fn merge(&mut self, other: &HeldOut) {
        for class in 0..4 {
            self.sums[class] += other.sums[class];
            self.counts[class] += other.counts[class];
        }
    }
}

/// How a run is going.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Steps done.
    pub step: u64,
    /// Positions seen.
    pub seen: u64,
    /// The learning rate of the last step.
    pub rate: f32,
    /// Mean loss of the training positions since the last report.
    pub loss: f64,
    /// Losses of the held-out positions now. Their targets are those of the end of the run.
    pub held_out: HeldOut,
}

/// Someone who watches a run.
pub trait Observer {
    /// After every step: positions seen.
    fn step(&mut self, _seen: u64) {}
    /// After every report: the report, and how to get the state for a checkpoint.
    fn report(&mut self, _report: &Report, _state: &dyn Fn() -> State) {}
}

/// Watches nothing.
impl Observer for () {}

/// One thread's results.
struct Lane {
    gradient: Vec<f32>,
    loss: f64,
    held_out: HeldOut,
}

/// What the threads of a run share.
struct Run<'a> {
    plan: &'a Plan,
    shape: Shape,
    train: &'a [Sample],
    held_out: &'a [Sample],
    order: Order,
    first_step: u64,
    /// Rows of each shard but the last.
    shard_rows: usize,
    shards: Vec<RwLock<Shard>>,
    lanes: Vec<RwLock<Lane>>,
    barrier: Barrier,
}

/// Trains from `state` to the end of the plan. `train` must not be empty unless there is nothing
/// to do; batches run through it again and again, every time in another order.
pub fn run(
    plan: &Plan,
    train: &[Sample],
    held_out: &[Sample],
    state: State,
    observer: &mut dyn Observer,
) -> State {
    if train.is_empty() {
        return state;
    }
    let run = Run::new(plan, train, held_out, &state);
    thread::scope(|scope| {
        for lane in 1..plan.threads {
            let run = &run;
            scope.spawn(move || run.work(lane, &mut ()));
        }
        run.work(0, observer);
    });
    run.state(plan.schedule.steps.max(state.step))
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, train: &'a [Sample], held_out: &'a [Sample], state: &State) -> Run<'a> {
        let shape = state.model.shape;
        let shard_rows = shape.rows().div_ceil(plan.threads);
        let parts = |values: &[f32]| -> Vec<Vec<f32>> {
            values
                .chunks(shard_rows * shape.hidden)
                .map(<[f32]>::to_vec)
                .collect()
        };
        let moments = parts(&state.first).into_iter().zip(parts(&state.second));
        let shards = parts(&state.model.values).into_iter().zip(moments);
        let lane = || Lane {
            gradient: vec![0.0; shape.len()],
            loss: 0.0,
            held_out: HeldOut::default(),
        };
        Run {
            plan,
            shape,
            train,
            held_out,
            order: Order::new(train.len(), plan.seed),
            first_step: state.step,
            shard_rows,
            shards: shards
                .enumerate()
                .map(|(number, (values, (first, second)))| {
                    let rows = Shape::OUTPUT_ROW.saturating_sub(number * shard_rows);
                    let outputs = rows * shape.hidden;
                    RwLock::new(Shard::new(&values, &first, &second, outputs))
                })
                .collect(),
            lanes: (0..plan.threads).map(|_| RwLock::new(lane())).collect(),
            barrier: Barrier::new(plan.threads),
        }
    }

    /// The whole run of one thread. Thread 0 reports.
    fn work(&self, number: usize, observer: &mut dyn Observer) {
        let steps = self.plan.schedule.steps;
        let mut scratch = Scratch::new(self.shape);
        let mut buffer = Vec::with_capacity(MICRO_BATCH);
        let mut sum = Vec::new();
        let mut reported = self.first_step;
        for step in self.first_step..steps {
            self.learn(number, step, &mut scratch, &mut buffer);
            self.barrier.wait();
            self.update(number, step, &mut sum);
            self.barrier.wait();
            let done = step + 1;
            if number == 0 {
                observer.step(done * self.plan.batch as u64);
            }
            if done.is_multiple_of(self.plan.report_every) || done == steps {
                self.evaluate(number, &mut scratch);
                self.barrier.wait();
                if number == 0 {
                    observer.report(&self.report(done, reported), &|| self.state(done));
                }
                // Losses begin anew only when all of them are read.
                self.barrier.wait();
                write(&self.lanes[number]).loss = 0.0;
                reported = done;
            }
        }
    }

    /// Adds up the gradients of this thread's part of the batch.
    fn learn(&self, number: usize, step: u64, scratch: &mut Scratch, buffer: &mut Vec<Sample>) {
        let shards: Vec<_> = self.shards.iter().map(read).collect();
        let weights = self.weights(&shards);
        let lane = &mut *write(&self.lanes[number]);
        lane.gradient.fill(0.0);
        let Plan {
            batch,
            threads,
            kernel,
            ..
        } = *self.plan;
        let labels = Labels {
            wdl: self.plan.wdl_at(step),
            weight: 1.0 / batch as f32,
        };
        let first = step * batch as u64;
        let mut places = [0; MICRO_BATCH];
        let mut next = batch * number / threads;
        let end = batch * (number + 1) / threads;
        while next < end {
            let stop = end.min(next + MICRO_BATCH);
            buffer.clear();
            // First where, then what: the reads from all over the memory then overlap.
            for (place, item) in places.iter_mut().zip(self.order.items(first + next as u64)) {
                *place = item;
            }
            buffer.extend(places[..stop - next].iter().map(|&place| self.train[place]));
            lane.loss += kernel.learn(&weights, buffer, labels, scratch, &mut lane.gradient);
            next = stop;
        }
    }

    /// Updates this thread's shard with the sum of all threads' gradients.
    fn update(&self, number: usize, step: u64, sum: &mut Vec<f32>) {
        // There may be more threads than shards.
        let Some(shard) = self.shards.get(number) else {
            return;
        };
        let shard = &mut *write(shard);
        let begin = number * self.shard_rows * self.shape.hidden;
        let range = begin..begin + shard.values.len();
        sum.clear();
        sum.extend_from_slice(&read(&self.lanes[0]).gradient[range.clone()]);
        for lane in &self.lanes[1..] {
            let lane = read(lane);
            for (sum, &slope) in sum.iter_mut().zip(&lane.gradient[range.clone()]) {
                *sum += slope;
            }
        }
        shard.update(sum, self.plan.schedule.rate(step), step);
    }

    /// Measures this thread's part of the held-out positions.
    fn evaluate(&self, number: usize, scratch: &mut Scratch) {
        let shards: Vec<_> = self.shards.iter().map(read).collect();
        let weights = self.weights(&shards);
        let Plan {
            threads,
            kernel,
            wdl: [_, wdl],
            ..
        } = *self.plan;
        let all = self.held_out.len();
        let part = &self.held_out[all * number / threads..all * (number + 1) / threads];
        let mut losses = HeldOut::default();
        kernel.evaluate(&weights, part, scratch, &mut |sample, output| {
            losses.add(sample, output, wdl);
        });
        write(&self.lanes[number]).held_out = losses;
    }

    fn report(&self, done: u64, since: u64) -> Report {
        let mut held_out = HeldOut::default();
        let mut loss = 0.0;
        for lane in self.lanes.iter().map(read) {
            held_out.merge(&lane.held_out);
            loss += lane.loss;
        }
        let batch = self.plan.batch as u64;
        Report {
            step: done,
            seen: done * batch,
            rate: self.plan.schedule.rate(done - 1),
            loss: loss / ((done - since) * batch) as f64,
            held_out,
        }
    }

    /// The rows of all shards, as the kernels want them.
    fn weights<'b>(&self, shards: &'b [RwLockReadGuard<'_, Shard>]) -> Weights<'b> {
        let hidden = self.shape.hidden;
        let copies = shards
            .iter()
            .flat_map(|shard| shard.copies.chunks_exact(hidden));
        let values = shards
            .iter()
            .flat_map(|shard| shard.values.chunks_exact(hidden));
        Weights {
            shape: self.shape,
            inputs: copies.take(Shape::OUTPUT_ROW).collect(),
            outputs: values.skip(Shape::OUTPUT_ROW).collect(),
        }
    }

    /// The state after so many steps, put together from the shards.
    fn state(&self, step: u64) -> State {
        let mut state = State::new(Model {
            shape: self.shape,
            values: Vec::new(),
        });
        for shard in self.shards.iter().map(read) {
            state.model.values.extend_from_slice(&shard.values);
            state.first.extend_from_slice(&shard.first);
            state.second.extend_from_slice(&shard.second);
        }
        State { step, ..state }
    }
}

/// A lock that a panicking thread held is as good as any: the panic ends the run anyway.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

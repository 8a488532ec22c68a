//! A thinker for tests: it plays the first legal move, and says at once what it "found".

use saavedra_web::think::{Info, Outcome, Score, Stop, Task, Thinker, ThinkerFactory};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// Makes [`Stub`]s.
pub struct StubFactory;

/// Asked for so many nodes, a [`Stub`] fails.
pub const FAILING: u64 = 666;

/// Plays the first legal move; searches for as long as it is allowed to, or 10 ms if nodes or depth
/// are limited too.
pub struct Stub;

impl ThinkerFactory for StubFactory {
    fn make(&self) -> Result<Box<dyn Thinker>, String> {
        Ok(Box::new(Stub))
    }

    fn name(&self) -> String {
        "Stub 1".to_owned()
    }

    fn elo(&self) -> Option<RangeInclusive<u32>> {
        Some(1000..=2000)
    }
}

impl Thinker for Stub {
    fn think(&mut self, task: &Task, stop: &Stop, report: &mut dyn FnMut(Info)) -> Outcome {
        if task.limits.nodes == Some(FAILING) {
            return Outcome::default();
        }
        let start = Instant::now();
        let quick = task.limits.nodes.is_some() || task.limits.depth.is_some();
        let time = if quick {
            Duration::from_millis(10)
        } else {
            task.limits.movetime
        };
        let moves = task.game.board().legal_moves();
        let mut lines = Vec::new();
        for depth in 1.. {
            lines = (1..)
                .zip(moves.iter().take(task.limits.multipv as usize))
                .map(|(multipv, m)| Info {
                    multipv,
                    depth,
                    seldepth: depth,
                    score: Score::Cp(30 - 10 * multipv as i32),
                    wdl: Some([300, 500, 200]),
                    nodes: u64::from(depth) * 100,
                    time: start.elapsed(),
                    hashfull: None,
                    pv: vec![*m],
                })
                .collect();
            lines.iter().for_each(|info| report(info.clone()));
            // In small steps, so that the end and the call to stop are not missed.
            let step = Instant::now() + Duration::from_millis(20);
            while Instant::now() < step {
                if stop.requested() || start.elapsed() >= time {
                    return Outcome {
                        best: moves.first().copied(),
                        ponder: None,
                        lines,
                        nodes: 100,
                    };
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        Outcome {
            best: moves.first().copied(),
            ponder: None,
            lines,
            nodes: 100,
        }
    }
}

//! Work on several search threads.

use super::{EngineError, spawn_search_thread};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

/// Calls `work` for each number, on one search thread for each worker, and passes the results to
/// `each` on this thread as they come.
///
/// # Errors
/// If a thread cannot be started, or an error of `each`, which ends the work.
pub(crate) fn search_in_parallel<W: Send, T: Send, E: From<EngineError>>(
    name: &str,
    workers: Vec<W>,
    numbers: Range<usize>,
    work: impl Fn(&mut W, usize) -> T + Sync,
    mut each: impl FnMut(usize, T) -> Result<(), E>,
) -> Result<(), E> {
    let (next, end) = (AtomicUsize::new(numbers.start), numbers.end);
    let (sender, results) = mpsc::sync_channel(4 * workers.len());
    thread::scope(|scope| {
        for mut worker in workers {
            let (next, work, sender) = (&next, &work, sender.clone());
            spawn_search_thread(scope, name, move || {
                loop {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= end || sender.send((number, work(&mut worker, number))).is_err() {
                        return;
                    }
                }
            })?;
        }
        drop(sender);
        // When this returns, the receiver is dropped, and threads that want to send a result end.
        results.into_iter().try_for_each(|(number, result)| each(number, result))
    })
}

//! Limits the number of reviews that run at the same time: each has its own engine.

use crate::client::ClientId;
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::Notify;

/// The slots of the running reviews. Cheap to clone.
#[derive(Clone)]
pub struct ReviewSlots {
    shared: Arc<Shared>,
}

struct Shared {
    /// The clients of the running reviews.
    running: Mutex<Vec<ClientId>>,
    released: Notify,
    max: usize,
}

/// A slot of a running review, released when dropped.
pub struct ReviewSlot {
    client: ClientId,
    shared: Arc<Shared>,
}

impl Shared {
    /// Takes a slot. One client may not take the last.
    fn try_acquire(&self, client: ClientId) -> bool {
        let mut running = self.running.lock();
        let own = running.iter().filter(|other| **other == client).count();
        let free = running.len() < self.max && (own + 1 < self.max || self.max == 1);
        if free {
            running.push(client);
        }
        free
    }
}

impl ReviewSlots {
    /// Slots for this many reviews.
    pub fn new(max: usize) -> ReviewSlots {
        ReviewSlots {
            shared: Arc::new(Shared { running: Mutex::default(), released: Notify::new(), max }),
        }
    }

    /// Waits for a slot.
    pub async fn acquire(&self, client: ClientId) -> ReviewSlot {
        loop {
            let released = self.shared.released.notified();
            if self.shared.try_acquire(client) {
                return ReviewSlot { client, shared: Arc::clone(&self.shared) };
            }
            released.await;
        }
    }
}

impl Drop for ReviewSlot {
    fn drop(&mut self) {
        let mut running = self.shared.running.lock();
        if let Some(index) = running.iter().position(|other| *other == self.client) {
            running.swap_remove(index);
        }
        drop(running);
        self.shared.released.notify_waiters();
    }
}

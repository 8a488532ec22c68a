//! Stores reviews by identifier.

use super::slots::ReviewSlots;
use crate::client::ClientId;
use crate::problem::{Code, Problem};
use parking_lot::{Mutex, MutexGuard};
use saavedra_api::{ReviewResponse, ReviewStatus};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tokio::task::AbortHandle;
use utoipa::ToSchema;

/// How long an unread review is stored.
const RETENTION: Duration = Duration::from_secs(3600);
/// After this time unread, an unfinished review may be removed for a new one.
const ABANDONED: Duration = Duration::from_secs(60);
/// Retry-After in seconds when there are too many reviews.
const RETRY_AFTER: u64 = 10;

/// All reviews of this server. Cheap to clone.
#[derive(Clone)]
pub struct ReviewStore {
    jobs: Arc<Mutex<HashMap<String, Arc<ReviewJob>>>>,
    capacity: usize,
    /// Limits the number of running reviews.
    pub(super) slots: ReviewSlots,
}

/// A stored review. Dropping it aborts its task.
pub struct ReviewJob {
    /// The identifier.
    pub id: String,
    client: ClientId,
    response: Mutex<ReviewResponse>,
    created: Instant,
    last_read: Mutex<Instant>,
    read: Arc<Notify>,
    task: Mutex<Option<AbortHandle>>,
}

impl ReviewJob {
    /// The state of the review.
    pub fn response(&self) -> MutexGuard<'_, ReviewResponse> {
        self.response.lock()
    }

    /// The state of the review, for a client that reads it: the review then continues.
    pub fn read(&self) -> ReviewResponse {
        *self.last_read.lock() = Instant::now();
        self.read.notify_waiters();
        self.response().clone()
    }

    /// The time since the review was last read.
    pub fn unread_time(&self) -> Duration {
        self.last_read.lock().elapsed()
    }

    /// Notified when the review is read.
    pub fn read_signal(&self) -> Arc<Notify> {
        Arc::clone(&self.read)
    }

    /// Sets the task that runs the review.
    pub fn set_task(&self, task: AbortHandle) {
        *self.task.lock() = Some(task);
    }

    fn is_finished(&self) -> bool {
        self.response().status.is_finished()
    }

    fn is_queued(&self) -> bool {
        self.response().status == ReviewStatus::Queued
    }
}

impl Drop for ReviewJob {
    fn drop(&mut self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }
}

/// The number of reviews by status. Their identifiers are not listed: they grant access.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Reviews)]
pub struct ReviewCounts {
    queued: usize,
    running: usize,
    done: usize,
    failed: usize,
    most: usize,
}

impl ReviewCounts {
    /// The number of running reviews.
    pub fn running(&self) -> usize {
        self.running
    }
}

impl ReviewStore {
    /// A store for this many reviews, of which at most `max_running` run at the same time.
    pub fn new(capacity: usize, max_running: usize) -> ReviewStore {
        ReviewStore { jobs: Arc::default(), capacity, slots: ReviewSlots::new(max_running) }
    }

    /// Adds a review of this many positions for a client. If the store is full, the oldest finished
    /// review is removed, or else the oldest abandoned one, or else the newest queued one of the
    /// client with the most.
    ///
    /// # Errors
    /// There are too many unfinished reviews, and no other client has at least two more.
    pub fn add(&self, client: ClientId, positions: usize) -> Result<Arc<ReviewJob>, Problem> {
        let mut jobs = self.jobs.lock();
        jobs.retain(|_, job| job.unread_time() < RETENTION);
        if jobs.len() >= self.capacity {
            let oldest = jobs
                .iter()
                .filter(|(_, job)| job.is_finished() || job.unread_time() > ABANDONED)
                .max_by_key(|(_, job)| (job.is_finished(), job.created.elapsed()));
            let oldest = oldest.map(|(id, _)| id.clone());
            let Some(id) = oldest.or_else(|| newest_of_most(&jobs, client)) else {
                return Err(too_many_reviews());
            };
            jobs.remove(&id);
        }
        let id = random_id()?;
        let response = ReviewResponse::new(Some(id.clone()), ReviewStatus::Queued, positions);
        let job = Arc::new(ReviewJob {
            id: id.clone(),
            client,
            response: Mutex::new(response),
            created: Instant::now(),
            last_read: Mutex::new(Instant::now()),
            read: Arc::default(),
            task: Mutex::new(None),
        });
        jobs.insert(id, Arc::clone(&job));
        Ok(job)
    }

    /// The review with this identifier.
    ///
    /// # Errors
    /// 404.
    pub fn find(&self, id: &str) -> Result<Arc<ReviewJob>, Problem> {
        self.jobs.lock().get(id).cloned().ok_or_else(not_found)
    }

    /// Removes a review; a running one is aborted.
    ///
    /// # Errors
    /// 404.
    pub fn remove(&self, id: &str) -> Result<(), Problem> {
        let removed = self.jobs.lock().remove(id);
        removed.map(drop).ok_or_else(not_found)
    }

    /// Removes all reviews; running ones are aborted.
    pub fn clear(&self) {
        self.jobs.lock().clear();
    }

    /// The number of reviews by status.
    pub fn counts(&self) -> ReviewCounts {
        let mut counts = ReviewCounts { most: self.capacity, ..ReviewCounts::default() };
        for job in self.jobs.lock().values() {
            match job.response().status {
                ReviewStatus::Queued => counts.queued += 1,
                ReviewStatus::Running => counts.running += 1,
                ReviewStatus::Done => counts.done += 1,
                ReviewStatus::Failed => counts.failed += 1,
            }
        }
        counts
    }
}

/// The error response if there are too many unfinished reviews.
pub fn too_many_reviews() -> Problem {
    let detail = "There are too many unfinished reviews.";
    Problem::overloaded(Code::TooManyReviews, detail, RETRY_AFTER)
}

/// The newest queued review of the client with the most reviews, if those are at least two more
/// than `client` has.
fn newest_of_most(jobs: &HashMap<String, Arc<ReviewJob>>, client: ClientId) -> Option<String> {
    let mut counts: HashMap<ClientId, usize> = HashMap::new();
    for job in jobs.values() {
        *counts.entry(job.client).or_default() += 1;
    }
    let own = counts.get(&client).copied().unwrap_or(0);
    let (most, _) =
        counts.into_iter().filter(|(_, count)| *count > own + 1).max_by_key(|(_, count)| *count)?;
    jobs.values()
        .filter(|job| job.client == most && job.is_queued())
        .max_by_key(|job| job.created)
        .map(|job| job.id.clone())
}

fn not_found() -> Problem {
    Problem::not_found("There is no such review, or it has expired.")
}

/// A random identifier. Everyone who knows it may read and delete the review.
fn random_id() -> Result<String, Problem> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no random numbers");
        Problem::internal()
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

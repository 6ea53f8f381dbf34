//! How many messages may come in a second. Twice as many may come at once.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::PER_SECOND;

/// Users whose rate is known. Those who have been silent for a while are forgotten first.
const USERS: usize = 10_000;

#[derive(Debug)]
pub(crate) struct Bucket {
    credit: f64,
    at: Instant,
}

impl Bucket {
    pub(crate) fn new() -> Self {
        Self { credit: PER_SECOND * 2.0, at: Instant::now() }
    }

    /// The time to wait until one more is allowed.
    pub(crate) fn take(&mut self) -> Duration {
        self.earn();
        self.credit -= 1.0;
        Duration::from_secs_f64((-self.credit / PER_SECOND).max(0.0))
    }

    /// Takes one if it is allowed now.
    fn try_take(&mut self) -> bool {
        self.earn();
        let is_allowed = self.credit >= 1.0;
        self.credit -= if is_allowed { 1.0 } else { 0.0 };
        is_allowed
    }

    fn earn(&mut self) {
        let now = Instant::now();
        self.credit = (self.credit + now.duration_since(self.at).as_secs_f64() * PER_SECOND).min(PER_SECOND * 2.0);
        self.at = now;
    }
}

/// A bucket for each user.
#[derive(Debug, Default)]
pub(crate) struct Buckets(Mutex<HashMap<String, Bucket>>);

impl Buckets {
    pub(crate) fn try_take(&self, user: &str) -> bool {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= USERS {
            // A bucket that nobody has used for two seconds is full.
            buckets.retain(|_, bucket| bucket.at.elapsed() < Duration::from_secs(2));
        }
        buckets.entry(user.to_owned()).or_insert_with(Bucket::new).try_take()
    }
}

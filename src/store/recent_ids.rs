//! The last ids of messages or calls, each once.

use crate::value::text::boxed;

const MOST: usize = 256;

#[derive(Clone, Debug, Default)]
pub(super) struct RecentIds {
    pub(super) ids: Vec<Box<str>>,
}

impl RecentIds {
    pub(super) fn has(&self, id: &str) -> bool {
        // Those of one client differ at their ends.
        self.ids.iter().any(|own| own.as_bytes().last() == id.as_bytes().last() && **own == *id)
    }

    pub(super) fn push(&mut self, id: &str) {
        if self.has(id) {
            return;
        }
        if self.ids.len() >= MOST {
            self.ids.remove(0);
        }
        self.ids.push(boxed(id));
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.ids.retain(|own| **own != *id);
    }
}

//! Remembers the last ids, up to a fixed number.

use crate::value::text::boxed;

/// So many ids are kept.
const MOST: usize = 256;

/// The last ids, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentIds {
    pub(super) ids: Vec<Box<str>>,
}

impl RecentIds {
    #[inline(never)]
    pub(super) fn has(&self, id: &str) -> bool {
        // Those of one client differ at their ends.
        self.ids.iter().any(|own| own.as_bytes().last() == id.as_bytes().last() && **own == *id)
    }

    #[inline(never)]
    pub(super) fn push(&mut self, id: &str) {
        if self.has(id) {
            return;
        }
        if self.ids.len() >= MOST {
            self.ids.remove(0);
        }
        self.ids.push(boxed(id));
    }

    #[inline(never)]
    pub(super) fn remove(&mut self, id: &str) {
        self.ids.retain(|own| **own != *id);
    }
}

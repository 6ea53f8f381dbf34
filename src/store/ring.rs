//! The last so many ids.

use crate::value::{write_list, write_string};

/// So many ids are kept.
const MOST: usize = 256;

/// The last ids, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring {
    ids: Vec<Box<str>>,
}

impl Ring {
    pub(super) fn has(&self, id: &str) -> bool {
        self.ids.iter().any(|own| **own == *id)
    }

    pub(super) fn push(&mut self, id: &str) {
        if self.has(id) {
            return;
        }
        if self.ids.len() >= MOST {
            self.ids.remove(0);
        }
        self.ids.push(id.into());
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.ids.retain(|own| **own != *id);
    }

    /// Appends the ids as a JSON list.
    pub(super) fn write_json(&self, out: &mut String) {
        write_list(out, &self.ids, |out, id| write_string(out, id));
    }
}

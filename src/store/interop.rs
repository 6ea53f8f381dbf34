//! What other formats and pages ask of an instance: JSON Patch, JSON Merge Patch, conditions.

use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{self, Refusal, Work};
use crate::value::Value;

impl Store {
    /// Applies a JSON Patch (RFC 6902), as text, to an instance. It is atomic whatever the options say.
    pub fn json_patch(&mut self, name: &str, operations: &str) -> Reply {
        self.work(name, operations, Work::JsonPatch)
    }

    /// Applies a JSON Merge Patch (RFC 7396), as text, to an instance.
    pub fn merge_patch(&mut self, name: &str, merge: &str) -> Reply {
        self.work(name, merge, Work::MergePatch)
    }

    pub(super) fn work(&mut self, name: &str, text: &str, work: fn(Value) -> Work) -> Reply {
        let mut out = Outcome::default();
        let result = match self.read(text, self.options.limits.max_call_bytes) {
            Ok(value) => self.perform(name, Task::Work(work(value)), &[], &mut out),
            Err(refusal) => Err(refusal),
        };
        self.reply(name, result, out)
    }

    /// Whether a condition, as patches have them, holds for an instance.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE` where the grammar is left, or `INVALID_INSTANCE`.
    pub fn holds(&mut self, name: &str, condition: &str) -> Result<bool, Refusal> {
        let limits = self.options.limits.clone();
        match self.present(name) {
            Some(instance) => patch::holds(&mut instance.document, instance.held.rules, &limits, condition),
            None => Err(self.unknown(name)),
        }
    }
}

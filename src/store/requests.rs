//! Requests to one instance other than calls: previews, edit scripts, JSON Patch, JSON Merge Patch, conditions.

use super::instance::Instance;
use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{self, Checked, Refusal, Work, check_name};
use crate::value::Value;

impl Store {
    /// What [`Store::apply`] would answer if nothing were pending.
    #[must_use]
    pub fn preview(&self, call: &str) -> Reply {
        let mut out = Outcome::new();
        let (name, task) = match self.read_call(call) {
            Ok(call) => Task::of(call, &mut out),
            Err(refusal) => return Reply::refused(refusal),
        };
        let result = self.try_out(&name, task, &mut out);
        self.reply(&name, result, out)
    }

    /// Does a task to a copy of what is confirmed of an instance.
    fn try_out(&self, name: &str, task: Task<'_>, out: &mut Outcome) -> Checked {
        let mut bare = match self.instance(name) {
            Some(instance) => instance.bare(),
            None if task.makes() => {
                check_name(name)?;
                Instance::absent(name)
            }
            None => return Err(self.unknown(name)),
        };
        let result = bare.beneath(task, &[], &self.options, out);
        self.with_names(name, result)
    }

    /// Makes edits, written as an edit script, all or none. The rules hold for the document that they leave.
    pub fn edit(&mut self, name: &str, script: &str) -> Reply {
        self.work(name, script, Work::Edits)
    }

    /// Applies a JSON Patch (RFC 6902), as text, to an instance. It is atomic whatever the options say.
    pub fn json_patch(&mut self, name: &str, operations: &str) -> Reply {
        self.work(name, operations, Work::JsonPatch)
    }

    /// Applies a JSON Merge Patch (RFC 7396), as text, to an instance.
    pub fn merge_patch(&mut self, name: &str, merge: &str) -> Reply {
        self.work(name, merge, Work::MergePatch)
    }

    fn work(&mut self, name: &str, text: &str, work: fn(Value) -> Work) -> Reply {
        let mut out = Outcome::new();
        let read = self.read("text", text, self.options.limits.max_call_bytes, 0);
        let result = read.and_then(|value| self.perform(name, Task::Work(work(value)), &[], &mut out));
        self.reply(name, result, out)
    }

    /// Whether a condition, as patches have them, holds for an instance.
    ///
    /// # Errors
    /// `INVALID_STRUCTURE` where the grammar is left, or `INVALID_INSTANCE`.
    pub fn holds(&mut self, name: &str, condition: &str) -> Result<bool, Refusal> {
        match self.present(name) {
            Some((document, options)) => patch::holds(document, condition, options),
            None => Err(self.unknown(name)),
        }
    }
}

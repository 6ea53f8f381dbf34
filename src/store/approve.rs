//! What a person is asked first: what a call would change, and the part of it that was agreed to.

use super::Store;
use super::instance::Instance;
use super::reply::{Outcome, Reply};
use super::task::Task;
use crate::patch::{Refusal, Work, check_name};

impl Store {
    /// What [`Store::apply`] would answer if nothing were pending.
    #[must_use]
    pub fn preview(&self, call: &str) -> Reply {
        let call = match self.read_call(call) {
            Ok(call) => call,
            Err(refusal) => return Reply::refused(None, refusal),
        };
        let mut out = Outcome::default();
        let (name, task) = Task::of(call, &mut out);
        let result = self.try_out(&name, task, &mut out);
        self.reply(&name, result, out)
    }

    /// Does a task to a copy of what is confirmed of an instance.
    fn try_out(&self, name: &str, task: Task<'_>, out: &mut Outcome) -> Result<(), Refusal> {
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
}

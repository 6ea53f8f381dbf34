//! What a person is asked first: what a call would change, and the part of it that was agreed to.

use super::Store;
use super::reply::Reply;
use crate::patch::{Call, Target, Work, unknown_instance};

impl Store {
    /// What [`Store::apply`] would answer.
    #[must_use]
    pub fn preview(&self, call: &str) -> Reply {
        let read = self.read(call, self.options.limits.max_call_bytes).and_then(Call::from_value);
        let call = match read {
            Ok(call) => call,
            Err(refusal) => return Reply::refused(None, refusal),
        };
        let name = call.target.name();
        let slot = self.slot(name);
        if slot.is_none() && !matches!(call.target, Target::Create(..)) {
            return self.reply(name.into(), Err(unknown_instance(name, self.names().into_iter())));
        }
        // A store that holds nothing but the instance of the call: nothing can come of what happens to it.
        let mut copy = Self {
            options: self.options.clone(),
            slots: (0..self.slots.len())
                .map(|at| if Some(at) == slot { self.slots.get(at)?.clone() } else { None })
                .collect(),
            names: self.names.clone(),
            order: self.order.clone(),
            ..Self::default()
        };
        copy.apply_call(call)
    }

    /// Makes edits, written as an edit script, all or none. The rules hold for the document that they leave.
    pub fn edit(&mut self, name: &str, script: &str) -> Reply {
        self.work(name, script, Work::Edits)
    }
}

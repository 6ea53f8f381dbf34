//! What a person is asked first: what a call would change, and the part of it that was agreed to.

use super::Store;
use super::instance::Instance;
use super::reply::Reply;
use crate::patch::{Call, Target, Work, unknown_instance};

impl Store {
    /// What [`Store::apply`] would answer if nothing were pending.
    #[must_use]
    pub fn preview(&self, call: &str) -> Reply {
        let read = self.read(call, self.options.limits.max_call_bytes).and_then(Call::from_value);
        let call = match read {
            Ok(call) => call,
            Err(refusal) => return Reply::refused(None, refusal),
        };
        let name = call.target.name();
        let slot = self.slot(name);
        let bare = self.instance(name).map(Instance::bare).filter(Instance::is_present);
        if bare.is_none() && !matches!(call.target, Target::Create(..)) {
            return self.reply(name.into(), Err(unknown_instance(name, self.names().into_iter())));
        }
        // A store that holds nothing but what is confirmed of the instance: nothing can come of what happens to it.
        let mut copy = Self {
            options: self.options.clone(),
            slots: (0..self.slots.len()).map(|_| None).collect(),
            names: self.names.clone(),
            order: self.order.clone(),
            ..Self::default()
        };
        if let Some(place) = slot.and_then(|slot| copy.slots.get_mut(slot)) {
            *place = bare;
        }
        copy.apply_call(call)
    }

    /// Makes edits, written as an edit script, all or none. The rules hold for the document that they leave.
    pub fn edit(&mut self, name: &str, script: &str) -> Reply {
        self.work(name, script, Work::Edits)
    }
}

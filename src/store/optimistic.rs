//! Optimistic calls: shown at once, confirmed or refused by the server later.

use std::sync::Arc;

use super::pending::Pending;
use super::task::unknown_keys;
use super::{Outcome, Reply, Store};
use crate::patch::{Call, Code, PatchError, Refusal};
use crate::value::{Value, sort_by_number};

impl Store {
    /// Takes a call, as text, on top of what is confirmed and of what is pending. It takes effect whole or not at all,
    /// whatever the options say; a refused one is not kept.
    ///
    /// Consecutive sets of one place that the page has not sent are one pending call.
    pub fn apply_optimistic(&mut self, call: &str) -> Reply {
        let read = self.read(call, self.options.limits.max_call_bytes);
        let parsed = read.and_then(|value| Ok((Call::from_value(value.clone())?, value)));
        match parsed {
            Ok((call, value)) => {
                let name: Arc<str> = call.target.name().into();
                let outcome = self.put_on_top(&name, call, value);
                self.reply(name, outcome)
            }
            Err(refusal) => Reply::refused(None, refusal),
        }
    }

    fn put_on_top(&mut self, name: &str, call: Call, sent: Value) -> Result<Outcome, Refusal> {
        let is_full = self.count_pending() >= self.options.limits.max_pending;
        let skipped = unknown_keys(&call);
        let makes = matches!(call.target, crate::patch::Target::Create(..));
        let slot = self.place(name, makes)?;
        let Self { options, slots, calls, .. } = self;
        let Some(instance) = slots.get_mut(slot).and_then(Option::as_mut) else { return Ok(Outcome::default()) };
        let mut outcome = instance.put_on_top(calls, is_full, sent, call, options);
        self.tend(slot);
        if let Ok(outcome) = &mut outcome {
            outcome.skipped.splice(0..0, skipped);
        }
        outcome.map_err(|refusal| self.name_known(name, refusal))
    }

    /// The server has taken a pending call. It joins what is confirmed once all calls before it have.
    pub fn confirm(&mut self, id: &str) -> Reply {
        let Some((slot, place)) = self.find_pending(id) else {
            return if self.settled.has(id) { self.ignored(None) } else { unknown_pending(id) };
        };
        self.settled.push(id);
        let Some(instance) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return unknown_pending(id) };
        if instance.queue.get_mut(place).is_some_and(|pending| std::mem::replace(&mut pending.confirmed, true)) {
            let name = instance.name.clone();
            return self.ignored(Some(&name));
        }
        instance.join();
        let (name, revision, left) = (instance.name.clone(), instance.revision, instance.queue.len());
        self.tend(slot);
        self.reply(name, Ok(Outcome { revision, left, queued: true, turned: true, ..Outcome::default() }))
    }

    /// The server has refused a pending call: what it changed is undone, and the calls after it are applied again.
    pub fn reject(&mut self, id: &str) -> Reply {
        let Some((slot, place)) = self.find_pending(id) else { return unknown_pending(id) };
        self.settled.remove(id);
        self.drop_pending(slot, place)
    }

    pub(super) fn drop_pending(&mut self, slot: usize, place: usize) -> Reply {
        let Self { options, slots, .. } = self;
        let Some(instance) = slots.get_mut(slot).and_then(Option::as_mut) else { return unknown_pending("") };
        let name = instance.name.clone();
        let outcome = instance.drop_pending(place, options);
        self.tend(slot);
        self.forget_lost(&outcome);
        self.reply(name, outcome)
    }

    /// The pending calls of one instance or of all, in the order in which they came, with the names of their instances.
    #[must_use]
    pub fn pending(&self, name: Option<&str>) -> Vec<(&str, &Pending)> {
        let instances = self.slots.iter().flatten().filter(|instance| name.is_none_or(|name| *instance.name == *name));
        let calls = instances.flat_map(|instance| instance.queue.iter().map(|pending| (&*instance.name, pending)));
        let mut calls: Vec<_> = calls.collect();
        sort_by_number(&mut calls, |(_, pending)| pending.number);
        calls
    }

    pub(super) fn count_pending(&self) -> usize {
        self.slots.iter().flatten().map(|instance| instance.queue.len()).sum()
    }

    /// The page has sent a pending call: further sets of the same place are calls of their own. Whether that is news.
    pub fn sent(&mut self, id: &str) -> bool {
        let Some((slot, place)) = self.find_pending(id) else { return false };
        let pending = self.slots.get_mut(slot).and_then(|slot| slot.as_mut()?.queue.get_mut(place));
        pending.is_some_and(|pending| !std::mem::replace(&mut pending.sent, true))
    }

    /// What the server has said of an instance: its document without what is pending.
    #[must_use]
    pub fn confirmed(&self, name: &str) -> Option<Value> {
        self.instance(name)?.confirmed().map(|(value, _)| value)
    }

    /// The changes that lead from the document of an instance to what is confirmed of it; nothing where it is not.
    #[cfg(feature = "store")]
    pub(crate) fn back(&mut self, name: &str) -> Option<Reply> {
        let slot = self.names.get(name)?;
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        let outcome = instance.back()?;
        Some(Reply { instance: Some(instance.name.clone()), outcome: Ok(outcome), available: None })
    }

    /// The slot and the place in its queue of a pending call.
    pub(super) fn find_pending(&self, id: &str) -> Option<(usize, usize)> {
        self.slots.iter().enumerate().find_map(|(slot, instance)| {
            Some((slot, instance.as_ref()?.queue.iter().position(|pending| *pending.id == *id)?))
        })
    }
}

#[cold]
fn unknown_pending(id: &str) -> Reply {
    let message = format!("No pending call has the id \"{}\".", crate::patch::cut(id));
    Reply::refused(None, PatchError::new(Code::UnknownPending, message, "It may be settled: see pending()."))
}

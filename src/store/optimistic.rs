//! Optimistic calls: shown at once, confirmed or refused by the server later.

use super::pending::Pending;
use super::{Outcome, Reply, Store};
use crate::patch::{Call, Code, PatchError, Refusal, Target};
use crate::value::{Value, concat, sort_by_number};

impl Store {
    /// Takes a call, as text, on top of what is confirmed and of what is pending. It takes effect whole or not at all,
    /// whatever the options say; a refused one is not kept.
    ///
    /// Consecutive sets of one place that the page has not sent are one pending call.
    pub fn apply_optimistic(&mut self, call: &str) -> Reply {
        let read = self.read(call, self.options.limits.max_call_bytes);
        let read = read.and_then(|sent| Ok((Call::from_value(sent.clone())?, sent)));
        let (call, sent) = match read {
            Ok(read) => read,
            Err(refusal) => return Reply::refused(None, refusal),
        };
        let name: Box<str> = call.target.name().into();
        let mut out = Outcome::default();
        let result = self.put_on_top(&name, call, sent, &mut out);
        self.reply(&name, result, out)
    }

    fn put_on_top(&mut self, name: &str, call: Call, sent: Value, out: &mut Outcome) -> Result<(), Refusal> {
        let is_full = self.count_pending() >= self.options.limits.max_pending;
        let slot = self.place(name, matches!(call.target, Target::Create(..)))?;
        let Self { options, slots, calls, .. } = self;
        let Some(instance) = slots.get_mut(slot).and_then(Option::as_mut) else { return Ok(()) };
        let result = instance.put_on_top(calls, is_full, sent, call, options, out);
        self.tend(slot, out);
        self.with_names(name, result)
    }

    /// The server has taken a pending call. It joins what is confirmed once all calls before it have.
    pub fn confirm(&mut self, id: &str) -> Reply {
        let Some((slot, index)) = self.find_pending(id) else {
            return if self.settled.has(id) { self.ignored(None) } else { unknown_pending(id) };
        };
        self.settled.push(id);
        let Some(instance) = self.slots.get_mut(slot).and_then(Option::as_mut) else { return unknown_pending(id) };
        let name = instance.name.clone();
        if instance.queue.get_mut(index).is_some_and(|pending| std::mem::replace(&mut pending.confirmed, true)) {
            return self.ignored(Some(&name));
        }
        instance.join();
        let (revision, left) = (instance.revision, instance.queue.len());
        let out = Outcome { revision, left, queued: true, turned: true, ..Outcome::default() };
        self.tend(slot, &out);
        self.reply(&name, Ok(()), out)
    }

    /// The server has refused a pending call: what it changed is undone, and the calls after it are applied again.
    pub fn reject(&mut self, id: &str) -> Reply {
        let Some(reply) = self.drop_pending(id) else { return unknown_pending(id) };
        self.settled.remove(id);
        reply
    }

    /// Drops a pending call, if there is one of this id.
    pub(super) fn drop_pending(&mut self, id: &str) -> Option<Reply> {
        let (slot, index) = self.find_pending(id)?;
        let instance = self.slots.get_mut(slot)?.as_mut()?;
        let name = instance.name.clone();
        let mut out = Outcome::default();
        let result = instance.drop_pending(index, &self.options, &mut out);
        self.tend(slot, &out);
        Some(self.reply(&name, result, out))
    }

    /// The pending calls of one instance or of all, in the order in which they came, with the names of their instances.
    #[must_use]
    pub fn pending(&self, name: Option<&str>) -> Vec<(&str, &Pending)> {
        let mut calls = Vec::new();
        for instance in self.slots.iter().flatten() {
            if name.is_none_or(|name| *instance.name == *name) {
                for pending in &instance.queue {
                    calls.push((&*instance.name, pending));
                }
            }
        }
        sort_by_number(&mut calls, |(_, pending)| pending.number);
        calls
    }

    pub(super) fn count_pending(&self) -> usize {
        self.slots.iter().flatten().map(|instance| instance.queue.len()).sum()
    }

    /// The page has sent a pending call: further sets of the same place are calls of their own. Whether that is news.
    pub fn sent(&mut self, id: &str) -> bool {
        let Some((slot, index)) = self.find_pending(id) else { return false };
        let pending = self.slots.get_mut(slot).and_then(|slot| slot.as_mut()?.queue.get_mut(index));
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
        let out = self.slots.get_mut(slot)?.as_mut()?.back()?;
        Some(self.reply(name, Ok(()), out))
    }

    /// The slot and the index in its queue of a pending call.
    pub(super) fn find_pending(&self, id: &str) -> Option<(usize, usize)> {
        for (slot, instance) in self.slots.iter().enumerate() {
            if let Some(instance) = instance
                && let Some(index) = instance.queue.iter().position(|pending| *pending.id == *id)
            {
                return Some((slot, index));
            }
        }
        None
    }
}

#[cold]
fn unknown_pending(id: &str) -> Reply {
    let message = concat(&["No pending call has the id \"", crate::patch::cut(id), "\"."]);
    Reply::refused(None, PatchError::new(Code::UnknownPending, message, "It may be settled: see pending()."))
}

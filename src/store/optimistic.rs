//! Optimistic calls: shown at once, confirmed or rejected by the server later.

use super::instance::Instance;
use super::pending::Pending;
use super::task::Task;
use super::{Outcome, Reply, Store};
use crate::patch::{Arg, Call, Cause};
use crate::value::{Value, sort_by_number};

impl Store {
    /// Applies a call, given as text, after all pending ones and keeps it pending. It is atomic whatever the options say.
    ///
    /// Consecutive sets of one path that the page has not sent yet are one pending call.
    pub fn apply_optimistic(&mut self, call: &str) -> Reply {
        let value = self.parse_limited("text", call, self.options.limits.max_call_bytes);
        // The queue keeps `json` for the replay of the call.
        let (call, json) = match value.and_then(|json| Ok((Call::from_value(json.clone())?, json))) {
            Ok(call_and_json) => call_and_json,
            Err(refusal) => return Reply::refused(refusal),
        };
        let is_full = self.count_pending() >= self.options.limits.max_pending;
        let mut out = Outcome::new();
        let (name, task) = Task::of(call, &mut out);
        let result = self.slot_for(&name, task.may_create_instance()).and_then(|slot| {
            // Always there: `slot_for` has returned the slot.
            let Some(Some(instance)) = self.slots.get_mut(slot) else { return Ok(()) };
            let result =
                instance.push_pending(&mut self.last_call_number, is_full, json, task, &self.options, &mut out);
            self.update_slot(slot, &out);
            self.list_instances_in_refusal(&name, result)
        });
        self.reply(&name, result, out)
    }

    /// The server has accepted a pending call. It becomes part of the confirmed document once all calls before it are confirmed
    /// too. A repeated confirmation is ignored.
    pub fn confirm(&mut self, id: &str) -> Reply {
        let Some((slot, index, instance)) = self.find_pending(id) else {
            return if self.confirmed_ids.contains(id) { self.ignored_reply(None) } else { unknown_pending(id) };
        };
        let name = instance.name.clone();
        let was_confirmed =
            instance.queue.get_mut(index).is_some_and(|call| std::mem::replace(&mut call.confirmed, true));
        if !was_confirmed {
            instance.commit_confirmed();
        }
        let (revision, pending_count) = (instance.revision, instance.queue.len());
        self.confirmed_ids.push(id);
        if was_confirmed {
            return self.ignored_reply(Some(&name));
        }
        let out = Outcome { revision, pending_count, has_pending: true, pending_changed: true, ..Outcome::new() };
        self.update_slot(slot, &out);
        self.reply(&name, Ok(()), out)
    }

    /// The server has rejected a pending call: its changes are undone, and the calls after it are replayed. If the server
    /// confirmed it before, that is forgotten: a later push with its id is not a repetition.
    pub fn reject(&mut self, id: &str) -> Reply {
        let Some(reply) = self.drop_pending(id) else { return unknown_pending(id) };
        self.confirmed_ids.remove(id);
        reply
    }

    /// Undoes a pending call and replays the calls after it; `None` for an unknown id.
    pub(super) fn drop_pending(&mut self, id: &str) -> Option<Reply> {
        let (slot, _, instance) = self.find_pending(id)?;
        let name = instance.name.clone();
        let mut out = Outcome::new();
        let result = self.perform_in_slot(slot, Task::Nothing, &[id], &mut out);
        Some(self.reply(&name, result, out))
    }

    /// The pending calls of one instance, or of all without a name, oldest first, with the names of their instances.
    /// Drafts, which are pending calls whose text is still arriving, are not among them.
    pub fn pending(&self, name: Option<&str>) -> Vec<(&str, &Pending)> {
        let mut calls = Vec::new();
        for instance in self.slots.iter().flatten() {
            if name.is_none_or(|name| *instance.name == *name) {
                for pending in instance.queue.iter().filter(|pending| !pending.is_draft) {
                    calls.push((&*instance.name, pending));
                }
            }
        }
        sort_by_number(&mut calls, |(_, pending)| pending.number);
        calls
    }

    /// The number of pending calls of all instances, drafts included.
    pub(super) fn count_pending(&self) -> usize {
        self.slots.iter().flatten().map(|instance| instance.queue.len()).sum()
    }

    /// Marks a pending call as sent to the server: later sets of the same path are calls of their own. Returns whether the call
    /// exists and was not marked before.
    pub fn sent(&mut self, id: &str) -> bool {
        let pending = self.find_pending(id).and_then(|(_, index, instance)| instance.queue.get_mut(index));
        pending.is_some_and(|pending| !std::mem::replace(&mut pending.sent, true))
    }

    /// The confirmed document of an instance; `None` if none is confirmed.
    pub fn confirmed(&self, name: &str) -> Option<Value> {
        let confirmed = self.instance(name)?.without_pending();
        confirmed.is_present().then(|| confirmed.document.into_value())
    }

    /// The changes from the shown document of an instance to the confirmed one; `None` if none is confirmed.
    // Only the module `store.wasm` calls it.
    #[cfg(feature = "store")]
    pub(crate) fn changes_to_confirmed(&mut self, name: &str) -> Option<Reply> {
        let slot = self.names.get(name)?;
        let out = self.slots.get_mut(slot)?.as_mut()?.changes_to_confirmed()?;
        Some(self.reply(name, Ok(()), out))
    }

    /// Finds a pending call: the slot of its instance, its index in the queue, and the instance. `None` for an unknown id.
    pub(super) fn find_pending(&mut self, id: &str) -> Option<(usize, usize, &mut Instance)> {
        for (slot, instance) in self.slots.iter_mut().enumerate() {
            if let Some(instance) = instance
                && let Some(index) = instance.queue.iter().position(|pending| *pending.id == *id)
            {
                return Some((slot, index, instance));
            }
        }
        None
    }
}

/// The reply to an id that no pending call has.
fn unknown_pending(id: &str) -> Reply {
    Reply::refused(Cause::NoPending.refuse(&[Arg::Cut(id)]))
}

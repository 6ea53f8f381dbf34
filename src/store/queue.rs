//! The queue of pending calls of an instance: rollback, replay, commit.
//!
//! The document of an instance has its pending calls applied. To change the confirmed state below them, they are rolled back; the
//! task is performed; and they are performed again (*replayed*) or, if the document did not change, only put back (*rolled
//! forward*). A watch of the document finds what all that has changed together.

use std::sync::Arc;

use super::instance::Instance;
use super::pending::Pending;
use super::reply::{NextKey, write_count};
use super::task::Task;
use super::{Options, Outcome};
use crate::counted::count_work;
use crate::edit::Edit;
use crate::patch::{Arg, Call, Cause, Checked, OnError};
use crate::value::text::{boxed, whole_number};
use crate::value::{Path, Step, Value, concat, is_same_json};

impl Instance {
    /// Performs a task on the confirmed state, drops the pending calls in `settles`, and replays the others.
    pub(super) fn apply_under_pending(
        &mut self,
        task: Task,
        settles: &[&str],
        options: &Options,
        out: &mut Outcome,
    ) -> Checked {
        // Loading the same document again changes nothing.
        if let Task::Load(value, status) | Task::Update(value, status) = &task
            && self.queue.is_empty()
            && self.is_present()
            && is_same_json(self.document.value(), value)
        {
            self.status.rules = status.rules;
            let has_changed = false;
            self.record_revision(has_changed, out);
            return Ok(());
        }
        // The watch of a rebase also finds the differences that an update must report.
        if !self.queue.is_empty() || matches!(task, Task::Update(..)) {
            return self.rebase(task, settles, options, out);
        }
        // A load lists no changes.
        let is_load = matches!(task, Task::Load(..));
        self.perform(task, options, options.on_error, out)?;
        self.record_revision(is_load || !out.changes.is_empty(), out);
        Ok(())
    }

    /// Rolls back the pending calls, performs a task, and replays the calls that are not in `settles`. For [`Task::Nothing`] the
    /// calls before the first one in `settles` stay applied, since nothing changes below them. If the task is refused, all is as
    /// before.
    fn rebase(&mut self, task: Task, settles: &[&str], options: &Options, out: &mut Outcome) -> Checked {
        let is_settled = |pending: &Pending| settles.contains(&&*pending.id);
        let first_settled = self.queue.iter().position(is_settled).unwrap_or_default();
        let first_rolled_back = if matches!(task, Task::Nothing) { first_settled } else { 0 };
        let was_present = self.is_present();
        // A load or an update replaces the document without listing changes.
        let replaces_document = task.may_create_instance();
        self.document.watch();
        let mut rolled_back = self.roll_back(first_rolled_back);
        if let Err(refusal) = self.perform(task, options, options.on_error, out) {
            self.roll_forward(rolled_back);
            self.document.end_watch();
            return Err(refusal);
        }
        out.has_pending = !rolled_back.is_empty();
        let count_before = rolled_back.len();
        rolled_back.retain(|pending| !is_settled(pending));
        out.pending_changed = rolled_back.len() < count_before;
        if out.pending_changed || replaces_document || !out.changes.is_empty() {
            self.replay(rolled_back, options, out);
        } else {
            self.roll_forward(rolled_back);
        }
        out.pending_changed |= self.commit_confirmed() || !out.conflicts.is_empty();
        self.end_watch(was_present, out);
        self.record_revision(!out.changes.is_empty(), out);
        Ok(())
    }

    /// Takes the pending calls from `index` on out of the queue, and reverts them, the last one first. The `undo` of each then
    /// makes its changes again.
    pub(super) fn roll_back(&mut self, index: usize) -> Vec<Pending> {
        let mut rolled_back = self.queue.split_off(index);
        for pending in rolled_back.iter_mut().rev() {
            let undo = std::mem::take(&mut pending.undo);
            pending.undo = self.apply_undo(undo);
        }
        rolled_back
    }

    /// Applies the changes of rolled back calls again, without performing the calls. The document must be as it was
    /// after [`Self::roll_back`].
    pub(super) fn roll_forward(&mut self, rolled_back: Vec<Pending>) {
        for mut pending in rolled_back {
            pending.undo = self.apply_undo(pending.undo);
            self.queue.push(pending);
        }
    }

    /// Performs rolled back calls again, on a document that has changed, and puts them back into the queue. A call that is
    /// refused becomes a conflict and is dropped; the others are still performed.
    pub(super) fn replay(&mut self, rolled_back: Vec<Pending>, options: &Options, out: &mut Outcome) {
        for mut pending in rolled_back {
            let mut call_out = Outcome::new();
            let task = Call::from_value(pending.call.clone()).map(|call| Task::of(call, &mut call_out).1);
            match task.and_then(|task| self.perform(task, options, OnError::Rollback, &mut call_out)) {
                Ok(undo) => {
                    out.rebased.push(pending.id.clone());
                    out.pending_changed |= pending.changes != call_out.changes;
                    pending.changes = call_out.changes;
                    pending.undo = undo;
                    self.queue.push(pending);
                }
                Err(refusal) => {
                    // The server has applied a confirmed call, which is missing here: the client must load the document again.
                    let args = [Arg::Text(&refusal.message), Arg::Text(&self.name)];
                    let refusal = if pending.confirmed { Cause::LostOnServer.refuse(&args) } else { refusal };
                    out.conflicts.push((pending.id, refusal));
                }
            }
        }
    }

    /// Removes confirmed calls from the front of the queue, so that their changes become part of the confirmed
    /// document. Returns whether there were any.
    pub(super) fn commit_confirmed(&mut self) -> bool {
        let count = self.queue.iter().position(|pending| !pending.confirmed).unwrap_or(self.queue.len());
        self.queue.drain(..count);
        count > 0
    }

    /// Increments the revision if the document has changed, and reports the revision and the length of the queue.
    pub(super) fn record_revision(&mut self, has_changed: bool, out: &mut Outcome) {
        self.revision += u64::from(has_changed);
        out.revision = self.revision;
        out.pending_count = self.queue.len();
    }

    /// Performs a call and adds it to the queue, or merges it with the last pending call if both set the same path.
    /// `call` is the call as JSON, `task` what it asks for; `last_call_number` is [`super::Store::last_call_number`], from
    /// which the call gets its number. `is_full`: the store has as many pending calls as it may have, so that only a merge succeeds.
    pub(super) fn push_pending(
        &mut self,
        last_call_number: &mut u64,
        is_full: bool,
        call: Value,
        task: Task,
        options: &Options,
        out: &mut Outcome,
    ) -> Checked {
        let undo = self.perform(task, options, OnError::Rollback, out)?;
        let last = self.queue.last_mut().filter(|last| last.can_absorb(&call, &out.changes));
        out.pending_changed = last.is_none() || !out.changes.is_empty();
        let id = if let Some(last) = last {
            last.absorb(call, undo, &out.changes, self.document.value());
            last.id.clone()
        } else if is_full {
            self.apply_undo(undo);
            return Err(Cause::TooManyPending.refuse(&[Arg::Count(options.limits.max_pending)]));
        } else {
            *last_call_number += 1;
            let mut id = concat(&[&options.client_id, "-"]);
            write_count(&mut id, *last_call_number);
            let (id, number, changes): (Arc<str>, _, _) = (id.into(), *last_call_number, out.changes.clone());
            self.queue.push(Pending {
                id: id.clone(),
                number,
                call,
                changes,
                confirmed: false,
                sent: false,
                is_draft: false,
                undo,
            });
            id
        };
        out.pending = Some(id);
        out.has_pending = true;
        self.record_revision(!out.changes.is_empty(), out);
        Ok(())
    }

    /// An outcome with the changes that lead from the shown document to the confirmed one; `None` if the confirmed instance is
    /// absent. In the end nothing has changed.
    #[cfg(feature = "store")]
    pub(super) fn changes_to_confirmed(&mut self) -> Option<Outcome> {
        let mut out = Outcome::new();
        let was_present = self.is_present();
        self.document.watch();
        let rolled_back = self.roll_back(0);
        self.end_watch(was_present, &mut out);
        let is_confirmed = self.is_present();
        self.roll_forward(rolled_back);
        is_confirmed.then_some(out)
    }

    /// Ends a watch of the document, and writes the changes since the watch began to `out`. `was_present` says whether the
    /// instance was present then: a new instance is one change of the whole document, a deleted one a removal.
    pub(super) fn end_watch(&mut self, was_present: bool, out: &mut Outcome) {
        let script = self.document.end_watch();
        out.changes = match (was_present, self.is_present()) {
            (true, true) => script,
            (true, false) => vec![Edit::Remove { path: Path::new() }],
            (false, true) => self.as_change(),
            (false, false) => Vec::new(),
        };
        out.next_keys = next_keys(self.document.value(), &out.changes);
    }
}

/// For each key that was inserted before the end of its object: the key before which JavaScript must insert it. That is the next
/// key of the document `root` that is no integer, since JavaScript lists integer keys first whatever their order here. An
/// integer key, and one after which only such keys follow, has none.
fn next_keys(root: &Value, changes: &[Edit]) -> Vec<NextKey> {
    let mut result = Vec::new();
    for (change_index, change) in changes.iter().enumerate() {
        let Edit::Insert { path, index: Some(_), .. } = change else { continue };
        let Some((Step::Key(key), parent)) = path.split_last() else { continue };
        let Some(Value::Object(object)) = root.at(parent).filter(|_| !is_integer(key)) else { continue };
        let Some(mut position) = object.position(key) else { continue };
        loop {
            position += 1;
            count_work(1);
            let Some((next, _)) = object.at(position) else { break };
            if !is_integer(next) {
                result.push(NextKey { change: change_index, key: boxed(next) });
                break;
            }
        }
    }
    result
}

/// Whether JavaScript treats a key as an array index, from 0 to 2^32 - 2. Objects list such keys first, in numeric order.
fn is_integer(key: &str) -> bool {
    whole_number(key).is_some_and(|number| number < u32::MAX)
}

//! Pending calls of an instance: rolled back, replayed, settled.

use std::sync::Arc;

use super::instance::Instance;
use super::pending::Pending;
use super::reply::write_count;
use super::task::Task;
use super::{Options, Outcome};
use crate::counted::looked_at;
use crate::edit::Edit;
use crate::patch::{Arg, Call, Cause, Checked, OnError};
use crate::value::text::{boxed, whole};
use crate::value::{Path, Step, Value, concat, same};

impl Instance {
    /// Does a task beneath all pending calls, and drops those that it settles.
    pub(super) fn beneath(&mut self, task: Task, settles: &[&str], options: &Options, out: &mut Outcome) -> Checked {
        if let (true, Task::Load(value, status) | Task::Update(value, status)) = (self.queue.is_empty(), &task)
            && self.is_present()
            && same(self.document.value(), value)
        {
            self.status.rules = status.rules;
            self.count(false, out);
            return Ok(());
        }
        if !self.queue.is_empty() || matches!(task, Task::Update(..)) {
            return self.rebase(task, settles, options, out);
        }
        let counts_as_change = matches!(task, Task::Load(..));
        self.perform(task, options, options.on_error, out)?;
        self.count(counts_as_change || !out.changes.is_empty(), out);
        Ok(())
    }

    /// Rolls back the pending calls, those from a settled one on if that is all, does a task, and replays the rest.
    fn rebase(&mut self, task: Task, settles: &[&str], options: &Options, out: &mut Outcome) -> Checked {
        let settled = |pending: &Pending| settles.contains(&&*pending.id);
        let index = if matches!(task, Task::Nothing) { self.queue.iter().position(settled) } else { None };
        let was_present = self.is_present();
        let replaces = task.makes_instance();
        self.document.watch();
        let mut rolled_back = self.roll_back(index.unwrap_or_default());
        if let Err(refusal) = self.perform(task, options, options.on_error, out) {
            self.roll_forward(rolled_back);
            self.document.end_watch();
            return Err(refusal);
        }
        out.has_pending = !rolled_back.is_empty();
        let open = rolled_back.len();
        rolled_back.retain(|pending| !settled(pending));
        out.pending_changed = rolled_back.len() < open;
        if out.pending_changed || replaces || !out.changes.is_empty() {
            self.replay(rolled_back, options, out);
        } else {
            self.roll_forward(rolled_back);
        }
        out.pending_changed |= self.join() || !out.conflicts.is_empty();
        self.end_watch(was_present, out);
        self.count(!out.changes.is_empty(), out);
        Ok(())
    }

    /// Undoes the pending calls from `index` on, the last one first.
    pub(super) fn roll_back(&mut self, index: usize) -> Vec<Pending> {
        let mut rolled_back = self.queue.split_off(index);
        for pending in rolled_back.iter_mut().rev() {
            let undo = std::mem::take(&mut pending.undo);
            pending.undo = self.turn(undo);
        }
        rolled_back
    }

    /// Does again what the pending calls did: nothing has changed beneath them.
    pub(super) fn roll_forward(&mut self, rolled_back: Vec<Pending>) {
        for mut pending in rolled_back {
            pending.undo = self.turn(pending.undo);
            self.queue.push(pending);
        }
    }

    /// Applies pending calls again, each on its own.
    pub(super) fn replay(&mut self, rolled_back: Vec<Pending>, options: &Options, out: &mut Outcome) {
        for mut pending in rolled_back {
            let mut done = Outcome::new();
            let called = Call::from_value(pending.call.clone());
            let called = called.map(|call| Task::of(call, &mut done).1);
            match called.and_then(|task| self.perform(task, options, OnError::Rollback, &mut done)) {
                Ok(undo) => {
                    out.rebased.push(pending.id.clone());
                    out.pending_changed |= pending.changes != done.changes;
                    pending.changes = done.changes;
                    pending.undo = undo;
                    self.queue.push(pending);
                }
                Err(refusal) => {
                    // A call that the server has taken cannot just be dropped: what it has done is on the server.
                    let lost = [Arg::Text(&refusal.message), Arg::Text(&self.name)];
                    let refusal = if pending.confirmed { Cause::LostOnServer.refuse(&lost) } else { refusal };
                    out.conflicts.push((pending.id, refusal));
                }
            }
        }
    }

    /// Calls that the server has taken join what is confirmed, from the front on. Whether any has.
    pub(super) fn join(&mut self) -> bool {
        let open = self.queue.iter().position(|pending| !pending.confirmed).unwrap_or(self.queue.len());
        self.queue.drain(..open);
        open > 0
    }

    /// Counts a change, and tells where the instance stands.
    pub(super) fn count(&mut self, has_changed: bool, out: &mut Outcome) {
        self.revision += u64::from(has_changed);
        out.revision = self.revision;
        out.left = self.queue.len();
    }

    /// Puts a call on top of the pending ones, counted by `pending_ever`, or into the last one that sets the same place.
    pub(super) fn put_on_top(
        &mut self,
        pending_ever: &mut u64,
        is_full: bool,
        sent: Value,
        task: Task,
        options: &Options,
        out: &mut Outcome,
    ) -> Checked {
        let undo = self.perform(task, options, OnError::Rollback, out)?;
        let last = self.queue.last_mut().filter(|last| last.joins(&sent, &out.changes));
        out.pending_changed = last.is_none() || !out.changes.is_empty();
        let id = if let Some(last) = last {
            last.take_in(sent, undo, &out.changes, self.document.value());
            last.id.clone()
        } else if is_full {
            self.turn(undo);
            return Err(Cause::TooManyPending.refuse(&[Arg::Count(options.limits.max_pending)]));
        } else {
            *pending_ever += 1;
            let mut id = concat(&[&options.client_id, "-"]);
            write_count(&mut id, *pending_ever);
            let (id, number, changes): (Arc<str>, _, _) = (id.into(), *pending_ever, out.changes.clone());
            let (own, call) = (id.clone(), sent);
            self.queue.push(Pending {
                id: own,
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
        self.count(!out.changes.is_empty(), out);
        Ok(())
    }

    /// The changes that lead from what the person sees to what is confirmed; `None` where nothing is confirmed.
    #[cfg(feature = "store")]
    pub(super) fn back(&mut self) -> Option<Outcome> {
        let mut out = Outcome::new();
        let was_present = self.is_present();
        self.document.watch();
        let rolled_back = self.roll_back(0);
        self.end_watch(was_present, &mut out);
        let is_confirmed = self.is_present();
        self.roll_forward(rolled_back);
        is_confirmed.then_some(out)
    }

    /// Ends a watch: what has changed for the person since then.
    pub(super) fn end_watch(&mut self, was_present: bool, out: &mut Outcome) {
        let script = self.document.end_watch();
        out.changes = match (was_present, self.is_present()) {
            (true, true) => script,
            (true, false) => vec![Edit::Remove { path: Path::new() }],
            (false, true) => self.as_change(),
            (false, false) => Vec::new(),
        };
        out.keys_behind = keys_behind(self.document.value(), &out.changes);
    }
}

/// The key behind each insertion at an index of an object, as JavaScript orders it: integers come first.
fn keys_behind(root: &Value, changes: &[Edit]) -> Vec<(usize, Box<str>)> {
    let mut all = Vec::new();
    for (number, change) in changes.iter().enumerate() {
        let Edit::Insert { path, index: Some(_), .. } = change else { continue };
        let Some((Step::Key(key), parent)) = path.split_last() else { continue };
        let Some(Value::Object(object)) = root.at(parent).filter(|_| !is_integer(key)) else { continue };
        let Some(mut place) = object.position(key) else { continue };
        loop {
            place += 1;
            looked_at(1);
            let Some((next, _)) = object.at(place) else { break };
            if !is_integer(next) {
                all.push((number, boxed(next)));
                break;
            }
        }
    }
    all
}

/// Whether JavaScript takes a key for an index: such keys come first, in the order of their numbers.
fn is_integer(key: &str) -> bool {
    whole(key).is_some_and(|number| number < u32::MAX)
}

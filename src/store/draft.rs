//! Drafts: calls whose text is still arriving. A draft is a pending call that grows by one patch at a time.
//!
//! Pending calls after a draft, such as the user's, are replayed after each of its patches. A draft ends with [`Store::reject`],
//! or with the complete call ([`Store::commit_draft`]), which is applied like any other call and takes the place of the draft.

use super::instance::Instance;
use super::task::Task;
use super::{Options, Outcome, Reply, Store};
use crate::patch::{Arg, Cause, Checked, OnError, Work};
use crate::value::Value;

impl Store {
    /// Opens a draft of a call, given as JSON text. `pending` of the reply's outcome is the id of the draft.
    pub fn open_draft(&mut self, call: &str) -> Reply {
        let reply = self.apply_optimistic(call);
        let id = reply.outcome.as_ref().ok().and_then(|outcome| outcome.pending.clone());
        if let Some((_, index, instance)) = id.and_then(|id| self.find_pending(&id))
            && let Some(pending) = instance.queue.get_mut(index)
        {
            pending.is_draft = true;
        }
        reply
    }

    /// Adds a patch, given as JSON text, to a draft. A patch that fails leaves the draft unchanged.
    pub fn extend_draft(&mut self, id: &str, patch: &str) -> Reply {
        let patch = match self.parse_limited("text", patch, self.options.limits.max_call_bytes) {
            Ok(patch) => patch,
            Err(refusal) => return Reply::refused(refusal),
        };
        let Some((slot, index, _)) = self.find_pending(id) else {
            return Reply::refused(Cause::NoPending.refuse(&[Arg::Cut(id)]));
        };
        // Looked up again: the instance that `find_pending` returns borrows the whole store, and so the options.
        let Some(Some(instance)) = self.slots.get_mut(slot) else {
            return Reply::refused(Cause::NoPending.refuse(&[Arg::Cut(id)]));
        };
        let (name, mut out) = (instance.name.clone(), Outcome::new());
        let result = instance.extend(index, patch, &self.options, &mut out);
        self.update_slot(slot, &out);
        self.reply(&name, result, out)
    }

    /// Applies a call, given as JSON text, in place of a draft of the same instance: the draft is dropped if the call
    /// succeeds. Both happen in one step, so that the calls after the draft are replayed only once, after the call: they may
    /// depend on what the draft has shown.
    pub fn commit_draft(&mut self, id: &str, call: &str) -> Reply {
        self.apply_settling(call, &[id])
    }
}

impl Instance {
    /// Adds a patch to the pending call at `index`: rolls back the later calls, applies the patch, and replays them.
    fn extend(&mut self, index: usize, patch: Value, options: &Options, out: &mut Outcome) -> Checked {
        // Absent if a later call deletes the instance.
        let was_present = self.is_present();
        // The watch finds what the patch and the replay change together.
        self.document.watch();
        let rolled_back = self.roll_back(index + 1);
        let task = Task::Work(Work::Patches(vec![patch.clone()]));
        let undo = match self.perform(task, options, OnError::Rollback, out) {
            Ok(undo) => undo,
            Err(refusal) => {
                self.roll_forward(rolled_back);
                self.document.end_watch();
                return Err(refusal);
            }
        };
        let has_changed = !out.changes.is_empty();
        if let Some(draft) = self.queue.get_mut(index) {
            // `draft.undo` keeps its status, which is that before the first patch.
            draft.undo.edits.extend(undo.edits);
            draft.changes.append(&mut out.changes);
            if let Value::Object(call) = &mut draft.call
                && let Some(Value::Array(patches)) = call.get_mut("patches")
            {
                patches.insert(patches.len(), patch);
            }
        }
        out.has_pending = true;
        if has_changed {
            self.replay(rolled_back, options, out);
        } else {
            self.roll_forward(rolled_back);
        }
        // The replay has set `pending_changed` if other calls now make other changes. The draft itself is not listed.
        out.pending_changed |= !out.conflicts.is_empty();
        self.end_watch(was_present, out);
        self.record_revision(!out.changes.is_empty(), out);
        Ok(())
    }
}

impl Instance {
    /// A copy of the instance without its drafts, and with the other pending calls that still apply; `None` if it has no
    /// drafts. It is saved instead: drafts are not, since the rest of their text does not arrive after a reload.
    pub(super) fn without_drafts(&self, options: &Options) -> Option<Self> {
        if !self.queue.iter().any(|pending| pending.is_draft) {
            return None;
        }
        let mut copy = self.without_pending();
        let calls = self.queue.iter().filter(|pending| !pending.is_draft).cloned().collect();
        copy.replay(calls, options, &mut Outcome::new());
        Some(copy)
    }
}

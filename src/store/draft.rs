//! Drafts: calls whose text is still arriving. A draft is a pending call that grows by one patch at a time.
//!
//! Pending calls of the user on top of a draft are replayed after each patch. The draft ends with `reject`: the whole call,
//! if it turns out to be valid, is then applied like any other.

use super::instance::Instance;
use super::task::Task;
use super::{Options, Outcome, Reply, Store};
use crate::patch::{Arg, Cause, Checked, OnError, Work};
use crate::value::Value;

impl Store {
    /// Opens a draft of a call, given as text. The reply has its id where that of a pending call stands.
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

    /// Adds a patch, given as text, to a draft. A patch that fails leaves the draft as it was.
    pub fn extend_draft(&mut self, id: &str, patch: &str) -> Reply {
        let patch = match self.parse_limited("text", patch, self.options.limits.max_call_bytes, 0) {
            Ok(patch) => patch,
            Err(refusal) => return Reply::refused(refusal),
        };
        let Some((slot, index, _)) = self.find_pending(id) else {
            return Reply::refused(Cause::NoPending.refuse(&[Arg::Cut(id)]));
        };
        let Some(Some(instance)) = self.slots.get_mut(slot) else {
            return Reply::refused(Cause::NoPending.refuse(&[Arg::Cut(id)]));
        };
        let (name, mut out) = (instance.name.clone(), Outcome::new());
        let result = instance.extend(index, patch, &self.options, &mut out);
        self.update_slot(slot, &out);
        self.reply(&name, result, out)
    }
}

impl Instance {
    /// Adds a patch to the pending call at `index`, under the calls after it.
    fn extend(&mut self, index: usize, patch: Value, options: &Options, out: &mut Outcome) -> Checked {
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
        out.pending_changed |= !out.conflicts.is_empty();
        self.end_watch(true, out);
        self.record_revision(!out.changes.is_empty(), out);
        Ok(())
    }
}

impl Instance {
    /// The instance without drafts, with those pending calls that still apply: what is saved. A draft does not survive a
    /// reload, since the rest of its text will not arrive.
    pub(super) fn without_drafts(&self, options: &Options) -> Option<Self> {
        if !self.queue.iter().any(|pending| pending.is_draft) {
            return None;
        }
        let mut kept = self.without_pending();
        let calls = self.queue.iter().filter(|pending| !pending.is_draft).cloned().collect();
        kept.replay(calls, options, &mut Outcome::new());
        Some(kept)
    }
}

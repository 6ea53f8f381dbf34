//! What a call is answered with.

use std::sync::Arc;

use crate::edit::{Edit, edit_to_json};
use crate::patch::{Reason, Refusal, Skipped};
use crate::value::{write_index, write_list, write_number, write_string};

/// So many names are listed in an answer.
pub(super) const MAX_LISTED: usize = 100;

/// What a call came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Patches that took effect.
    pub applied: usize,
    /// What had no effect, and why.
    pub skipped: Vec<Skipped>,
    /// What changed, in order. A new document is a `set` of the empty path, a deleted one its removal.
    pub changes: Vec<Edit>,
    /// The instance's revision afterwards.
    pub revision: u64,
    /// In the mode that stops at a failure: the failure.
    pub stopped: Option<Refusal>,
    /// Where an insertion into an object belongs in an object as JavaScript orders it: the number of the change, and the
    /// key behind it.
    pub behind: Vec<(usize, Box<str>)>,
    /// Pending calls that were applied again, on top of what changed.
    pub rebased: Vec<Arc<str>>,
    /// Pending calls that no longer apply, and were dropped.
    pub conflicts: Vec<(Arc<str>, Refusal)>,
    /// The pending call that this call has become.
    pub pending: Option<Arc<str>>,
    /// Whether something is pending, or was before.
    pub queued: bool,
    /// Whether other calls are pending than before, or one of them is confirmed.
    pub turned: bool,
    /// How many calls are pending on the instance.
    pub left: usize,
    /// Whether the message was known, or is none of ours.
    pub ignored: bool,
    /// Whether the active instance is another one.
    pub activated: bool,
    /// Ids of blocks that the person should look at.
    pub highlight: Vec<Box<str>>,
    /// What else changed: another instance, whose pending call was settled.
    pub other: Option<Box<Reply>>,
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The instance that the call was about, as far as it could be told.
    pub instance: Option<Arc<str>>,
    /// What it came to.
    pub outcome: Result<Outcome, Refusal>,
    /// With `INVALID_INSTANCE`: the names that there are, the first hundred.
    pub available: Option<Vec<Box<str>>>,
}

impl Reply {
    pub(super) const fn refused(instance: Option<Arc<str>>, refusal: Refusal) -> Self {
        Self { instance, outcome: Err(refusal), available: None }
    }

    /// Whether all went well.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(&self.outcome, Ok(outcome) if outcome.stopped.is_none())
    }

    /// Why the call was refused or stopped.
    #[must_use]
    pub fn error(&self) -> Option<&Refusal> {
        match &self.outcome {
            Ok(outcome) => outcome.stopped.as_ref(),
            Err(refusal) => Some(refusal),
        }
    }

    /// Appends a success as `[instance_name, applied, revision, skipped, changes, rest?]`, and so what stopped beneath
    /// pending calls; anything else as [`Reply::write_json`] does: what is the same in every success need not be written
    /// and read.
    #[cfg(feature = "store")]
    pub(crate) fn write_brief(&self, out: &mut String) {
        let (Some(name), Ok(outcome)) = (&self.instance, &self.outcome) else { return self.write_json(out) };
        if outcome.stopped.is_some() && !outcome.queued {
            return self.write_json(out);
        }
        out.push('[');
        write_string(out, name);
        out.push(',');
        write_index(out, outcome.applied);
        out.push(',');
        write_revision(out, outcome.revision);
        out.push(',');
        write_list(out, &outcome.skipped, skipped_to_json);
        out.push(',');
        outcome.write_changes(out);
        if outcome.has_more() {
            out.push_str(",{\"pending\":");
            write_index(out, outcome.left);
            for (name, flag) in
                [("queued", outcome.queued), ("turned", outcome.turned), ("activated", outcome.activated)]
            {
                if flag {
                    out.push_str(",\"");
                    out.push_str(name);
                    out.push_str("\":true");
                }
            }
            if !outcome.highlight.is_empty() {
                out.push_str(",\"highlight\":");
                write_list(out, &outcome.highlight, |out, id| write_string(out, id));
            }
            if let Some(other) = &outcome.other {
                out.push_str(",\"other\":");
                other.write_brief(out);
            }
            out.push_str(",\"more\":{");
            outcome.write_pending(out);
            if let Some(error) = &outcome.stopped {
                out.push_str(",\"status\":\"error\",\"error\":");
                error.write_json(out);
            }
            out.push_str("}}");
        }
        out.push(']');
    }

    /// Appends the answer as a `PatchResult` of the JavaScript API.
    pub fn write_json(&self, out: &mut String) {
        out.push_str(if self.is_success() { "{\"status\":\"success\"" } else { "{\"status\":\"error\"" });
        if let Some(name) = &self.instance {
            out.push_str(",\"instance_name\":");
            write_string(out, name);
        }
        if let Some(error) = self.error() {
            out.push_str(",\"error\":");
            error.write_json(out);
        }
        if let Some(names) = &self.available {
            out.push_str(",\"available_instances\":");
            write_list(out, names, |out, name| write_string(out, name));
        }
        if let Ok(outcome) = &self.outcome {
            out.push_str(",\"applied\":");
            write_index(out, outcome.applied);
            out.push_str(",\"skipped\":");
            write_list(out, &outcome.skipped, skipped_to_json);
            out.push_str(",\"changes\":");
            outcome.write_changes(out);
            out.push_str(",\"revision\":");
            write_revision(out, outcome.revision);
            if outcome.stopped.is_none() || outcome.queued {
                out.push(',');
                outcome.write_pending(out);
            }
        }
        out.push('}');
    }
}

impl Outcome {
    #[cfg(feature = "store")]
    const fn has_more(&self) -> bool {
        self.queued || self.ignored || self.activated || self.other.is_some() || !self.highlight.is_empty()
    }

    fn write_changes(&self, out: &mut String) {
        let mut behind = self.behind.iter().peekable();
        let mut place = 0;
        write_list(out, &self.changes, |out, edit| {
            let key = behind.next_if(|(number, _)| *number == place).map(|(_, key)| &**key);
            edit_to_json(out, edit, key);
            place += 1;
        });
    }

    /// `"rebased":[…],"conflicts":[…]`, `pendingId` and `ignored` where there is one.
    fn write_pending(&self, out: &mut String) {
        out.push_str("\"rebased\":");
        write_list(out, &self.rebased, |out, id| write_string(out, id));
        out.push_str(",\"conflicts\":");
        write_list(out, &self.conflicts, |out, (id, refusal)| {
            out.push_str("{\"pendingId\":");
            write_string(out, id);
            out.push_str(",\"error\":");
            refusal.write_json(out);
            out.push('}');
        });
        if let Some(id) = &self.pending {
            out.push_str(",\"pendingId\":");
            write_string(out, id);
        }
        if self.ignored {
            out.push_str(",\"ignored\":true");
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no store sees 2^53 changes")]
fn write_revision(out: &mut String, revision: u64) {
    write_number(out, revision as f64);
}

/// `{index, op, path, reason, key?, error?}`; the index is -1 for a key of the call itself.
fn skipped_to_json(out: &mut String, skipped: &Skipped) {
    out.push_str("{\"index\":");
    match skipped.index {
        Some(index) => write_index(out, index),
        None => out.push_str("-1"),
    }
    out.push_str(",\"op\":");
    write_string(out, &skipped.op);
    out.push_str(",\"path\":");
    write_string(out, &skipped.path);
    match &skipped.reason {
        Reason::Condition => out.push_str(",\"reason\":\"condition\""),
        Reason::UnknownKey(key) => {
            out.push_str(",\"reason\":\"unknown_key\",\"key\":");
            write_string(out, key);
        }
        Reason::Failed(refusal) => {
            out.push_str(",\"reason\":\"failed\",\"error\":");
            refusal.write_json(out);
        }
    }
    out.push('}');
}

//! What a call is answered with.

use std::sync::Arc;

use super::saved::write_count;
use crate::edit::{Edit, edit_to_json};
use crate::patch::{Reason, Refusal, Skipped};
use crate::value::{put, write_index, write_list, write_string, write_strings};

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

    /// Appends a success as `[instance_name, applied, revision, skipped, changes, rest?]`, its changes as
    /// [`Outcome::write_flat`] does, and so what stopped beneath pending calls; anything else as [`Reply::write_json`] does: what is the same in every success need not be written
    /// and read.
    #[cfg(feature = "store")]
    pub(crate) fn write_brief(&self, out: &mut String) {
        let (Some(name), Ok(outcome)) = (&self.instance, &self.outcome) else { return self.write_json(out) };
        if outcome.stopped.is_some() && !outcome.queued {
            return self.write_json(out);
        }
        put(out, "[");
        write_string(out, name);
        put(out, ",");
        write_index(out, outcome.applied);
        put(out, ",");
        write_count(out, outcome.revision);
        put(out, ",");
        write_list(out, &outcome.skipped, skipped_to_json);
        put(out, ",");
        outcome.write_flat(out);
        if outcome.has_more() {
            put(out, ",{\"pending\":");
            write_index(out, outcome.left);
            for (flag, key) in [
                (outcome.queued, ",\"queued\":true"),
                (outcome.turned, ",\"turned\":true"),
                (outcome.activated, ",\"activated\":true"),
            ] {
                put(out, if flag { key } else { "" });
            }
            if !outcome.highlight.is_empty() {
                put(out, ",\"highlight\":");
                write_strings(out, &outcome.highlight);
            }
            if let Some(other) = &outcome.other {
                put(out, ",\"other\":");
                other.write_brief(out);
            }
            put(out, ",\"more\":{");
            let comma = outcome.write_pending(out, false);
            if let Some(error) = &outcome.stopped {
                put(out, comma);
                put(out, "\"status\":\"error\",\"error\":");
                error.write_json(out);
            }
            put(out, "}}");
        }
        put(out, "]");
    }

    /// Appends the answer as a `PatchResult` of the JavaScript API.
    pub fn write_json(&self, out: &mut String) {
        put(out, if self.is_success() { "{\"status\":\"success\"" } else { "{\"status\":\"error\"" });
        if let Some(name) = &self.instance {
            put(out, ",\"instance_name\":");
            write_string(out, name);
        }
        if let Some(error) = self.error() {
            put(out, ",\"error\":");
            error.write_json(out);
        }
        if let Some(names) = &self.available {
            put(out, ",\"available_instances\":");
            write_strings(out, names);
        }
        if let Ok(outcome) = &self.outcome {
            put(out, ",\"applied\":");
            write_index(out, outcome.applied);
            put(out, ",\"skipped\":");
            write_list(out, &outcome.skipped, skipped_to_json);
            put(out, ",\"changes\":");
            outcome.write_changes(out);
            put(out, ",\"revision\":");
            write_count(out, outcome.revision);
            if outcome.stopped.is_none() || outcome.queued {
                put(out, ",");
                outcome.write_pending(out, true);
            }
        }
        put(out, "}");
    }
}

impl Outcome {
    #[cfg(feature = "store")]
    const fn has_more(&self) -> bool {
        self.queued || self.ignored || self.activated || self.other.is_some() || !self.highlight.is_empty()
    }

    fn write_changes(&self, out: &mut String) {
        let mut place = 0;
        write_list(out, &self.changes, |out, edit| {
            edit_to_json(out, edit, self.next(place));
            place += 1;
        });
    }

    /// The key behind what a change inserts, where that is known.
    fn next(&self, change: usize) -> Option<&str> {
        let place = self.behind.binary_search_by_key(&change, |(number, _)| *number).ok()?;
        self.behind.get(place).map(|(_, key)| &**key)
    }

    /// Appends the changes as one list without keys: of each the number of its kind, its path, and what that kind has
    /// besides. `readChanges` in `src/js/store/reply.ts` reads it.
    #[cfg(feature = "store")]
    fn write_flat(&self, out: &mut String) {
        put(out, "[");
        for (place, edit) in self.changes.iter().enumerate() {
            put(out, if place > 0 { "," } else { "" });
            let (kind, index) = match edit {
                Edit::Set { .. } => ("0,", None),
                Edit::Insert { index: None, .. } => ("1,", None),
                Edit::Insert { index, .. } => ("2,", *index),
                Edit::Remove { .. } => ("3,", None),
                Edit::Move { index: None, .. } => ("4,", None),
                Edit::Move { index, .. } => ("5,", *index),
            };
            put(out, kind);
            crate::value::path_to_json(out, edit.path());
            match edit {
                Edit::Set { value, .. } | Edit::Insert { value, .. } => {
                    put(out, ",");
                    value.write_json(out);
                }
                Edit::Move { from, .. } => {
                    put(out, ",");
                    crate::value::path_to_json(out, from);
                }
                Edit::Remove { .. } => {}
            }
            if let Some(index) = index {
                put(out, ",");
                write_index(out, index);
            }
            if kind == "2," {
                put(out, ",");
                match self.next(place) {
                    Some(key) => write_string(out, key),
                    None => put(out, "null"),
                }
            }
        }
        put(out, "]");
    }

    /// `"rebased":[…],"conflicts":[…]`, with `all` even if there is none; `pendingId` and `ignored` where there is one. Returns
    /// what comes before a further key.
    #[inline(never)]
    fn write_pending(&self, out: &mut String, all: bool) -> &'static str {
        let mut comma = "";
        if all || !self.rebased.is_empty() || !self.conflicts.is_empty() {
            put(out, "\"rebased\":");
            write_list(out, &self.rebased, |out, id| write_string(out, id));
            put(out, ",\"conflicts\":");
            write_list(out, &self.conflicts, |out, (id, refusal)| {
                put(out, "{\"pendingId\":");
                write_string(out, id);
                put(out, ",\"error\":");
                refusal.write_json(out);
                put(out, "}");
            });
            comma = ",";
        }
        if let Some(id) = &self.pending {
            put(out, comma);
            put(out, "\"pendingId\":");
            write_string(out, id);
            comma = ",";
        }
        if self.ignored {
            put(out, comma);
            put(out, "\"ignored\":true");
            comma = ",";
        }
        comma
    }
}

/// `{index, op, path, reason, key?, error?}`; the index is -1 for a key of the call itself.
fn skipped_to_json(out: &mut String, skipped: &Skipped) {
    put(out, "{\"index\":");
    match skipped.index {
        Some(index) => write_index(out, index),
        None => put(out, "-1"),
    }
    put(out, ",\"op\":");
    write_string(out, &skipped.op);
    put(out, ",\"path\":");
    write_string(out, &skipped.path);
    match &skipped.reason {
        Reason::Condition => put(out, ",\"reason\":\"condition\""),
        Reason::UnknownKey(key) => {
            put(out, ",\"reason\":\"unknown_key\",\"key\":");
            write_string(out, key);
        }
        Reason::Failed(refusal) => {
            put(out, ",\"reason\":\"failed\",\"error\":");
            refusal.write_json(out);
        }
    }
    put(out, "}");
}

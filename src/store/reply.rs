//! The answer to a call, and its JSON.

use std::sync::Arc;

use crate::edit::{Edit, edit_to_json};
use crate::patch::{Reason, Refusal, Skipped};
use crate::value::{put, put_char, write_index, write_list, write_number, write_string, write_strings};

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
    /// Numbers of insertions into objects, and the key behind each as JavaScript orders an object.
    pub keys_behind: Vec<(usize, Box<str>)>,
    /// Pending calls that were applied again, on top of what changed.
    pub rebased: Vec<Arc<str>>,
    /// Pending calls that no longer apply, and were dropped.
    pub conflicts: Vec<(Arc<str>, Refusal)>,
    /// The pending call that this call has become.
    pub pending: Option<Arc<str>>,
    /// Whether something is pending, or was before.
    pub has_pending: bool,
    /// Whether other calls are pending than before, or one of them is confirmed.
    pub pending_changed: bool,
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
    pub(super) const fn refused(refusal: Refusal) -> Self {
        Self { instance: None, outcome: Err(refusal), available: None }
    }

    /// Whether all went well.
    pub const fn is_success(&self) -> bool {
        matches!(&self.outcome, Ok(outcome) if outcome.stopped.is_none())
    }

    /// Why the call was refused or stopped.
    pub fn error(&self) -> Option<&Refusal> {
        match &self.outcome {
            Ok(outcome) => outcome.stopped.as_ref(),
            Err(refusal) => Some(refusal),
        }
    }

    /// Appends a success as `[instance_name, applied, revision, skipped, changes, rest?]`: what is the same in every one need
    /// not be written and read. So goes also a call that stopped while others are pending. Anything else as `write_json`.
    #[cfg(feature = "store")]
    pub(crate) fn write_brief(&self, out: &mut String) {
        let (Some(name), Ok(outcome)) = (&self.instance, &self.outcome) else { return self.write_json(out) };
        if outcome.stopped.is_some() && !outcome.has_pending {
            return self.write_json(out);
        }
        write_string(put_char(out, '['), name);
        write_index(put_char(out, ','), outcome.applied);
        write_count(put_char(out, ','), outcome.revision);
        write_list(put_char(out, ','), &outcome.skipped, skipped_to_json);
        outcome.write_flat(put_char(out, ','));
        if outcome.has_more() {
            write_index(put(out, ",{\"pending\":"), outcome.left);
            for (flag, key) in [
                (outcome.has_pending, ",\"hasPending\":true"),
                (outcome.pending_changed, ",\"pendingChanged\":true"),
                (outcome.activated, ",\"activated\":true"),
            ] {
                put(out, if flag { key } else { "" });
            }
            if !outcome.highlight.is_empty() {
                write_strings(put(out, ",\"highlight\":"), &outcome.highlight);
            }
            if let Some(other) = &outcome.other {
                other.write_brief(put(out, ",\"other\":"));
            }
            outcome.write_pending(put(out, ",\"more\":"), false);
            if let Some(error) = &outcome.stopped {
                error.write_json(put(begin_member(out), "\"status\":\"error\",\"error\":"));
            }
            put(out, if out.as_bytes().last() == Some(&b':') { "{}}" } else { "}}" });
        }
        put_char(out, ']');
    }

    /// Appends the answer as a `PatchResult` of the JavaScript API.
    pub fn write_json(&self, out: &mut String) {
        put(out, if self.is_success() { "{\"status\":\"success\"" } else { "{\"status\":\"error\"" });
        if let Some(name) = &self.instance {
            write_string(put(out, ",\"instance_name\":"), name);
        }
        if let Some(error) = self.error() {
            error.write_json(put(out, ",\"error\":"));
        }
        if let Some(names) = &self.available {
            write_strings(put(out, ",\"available_instances\":"), names);
        }
        if let Ok(outcome) = &self.outcome {
            write_index(put(out, ",\"applied\":"), outcome.applied);
            write_list(put(out, ",\"skipped\":"), &outcome.skipped, skipped_to_json);
            outcome.write_changes(put(out, ",\"changes\":"));
            write_count(put(out, ",\"revision\":"), outcome.revision);
            if outcome.stopped.is_none() || outcome.has_pending {
                outcome.write_pending(out, true);
            }
        }
        put_char(out, '}');
    }
}

impl Outcome {
    /// Nothing yet. Not inline: it is asked for in a dozen places.
    pub(super) fn new() -> Self {
        Self::default()
    }

    #[cfg(feature = "store")]
    const fn has_more(&self) -> bool {
        self.has_pending || self.ignored || self.activated || self.other.is_some() || !self.highlight.is_empty()
    }

    fn write_changes(&self, out: &mut String) {
        let mut place = 0;
        write_list(out, &self.changes, |out, edit| {
            edit_to_json(out, edit, self.key_behind(place));
            place += 1;
        });
    }

    /// The key behind what a change inserts, where that is known: its `next`.
    fn key_behind(&self, change: usize) -> Option<&str> {
        let place = self.keys_behind.binary_search_by_key(&change, |(number, _)| *number).ok()?;
        self.keys_behind.get(place).map(|(_, key)| &**key)
    }

    /// Appends of each change its kind's number, its path, and the rest, for `readChanges` in `src/js/store/reply.ts`.
    /// A move with an index comes only from an edit script, such as a proposal's in a saved text.
    #[cfg(feature = "store")]
    fn write_flat(&self, out: &mut String) {
        put_char(out, '[');
        for (place, edit) in self.changes.iter().enumerate() {
            if place > 0 {
                put_char(out, ',');
            }
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
                Edit::Set { value, .. } | Edit::Insert { value, .. } => value.write_json(put_char(out, ',')),
                Edit::Move { from, .. } => crate::value::path_to_json(put_char(out, ','), from),
                Edit::Remove { .. } => {}
            }
            if let Some(index) = index {
                write_index(put_char(out, ','), index);
            }
            if kind == "2," {
                match self.key_behind(place) {
                    Some(key) => write_string(put_char(out, ','), key),
                    None => _ = put(out, ",null"),
                }
            }
        }
        put_char(out, ']');
    }

    /// `"rebased":[…],"conflicts":[…]`, with `all` even if there is none; `pendingId` and `ignored` where there is one.
    fn write_pending(&self, out: &mut String, all: bool) {
        if all || !self.rebased.is_empty() || !self.conflicts.is_empty() {
            write_list(put(begin_member(out), "\"rebased\":"), &self.rebased, |out, id| write_string(out, id));
            write_list(put(out, ",\"conflicts\":"), &self.conflicts, |out, (id, refusal)| {
                write_string(put(out, "{\"pendingId\":"), id);
                refusal.write_json(put(out, ",\"error\":"));
                put_char(out, '}');
            });
        }
        if let Some(id) = &self.pending {
            write_string(put(begin_member(out), "\"pendingId\":"), id);
        }
        if self.ignored {
            put(begin_member(out), "\"ignored\":true");
        }
    }
}

/// What comes before a member of an object: behind a colon the object begins.
fn begin_member(out: &mut String) -> &mut String {
    let separator = if out.as_bytes().last() == Some(&b':') { '{' } else { ',' };
    put_char(out, separator)
}

/// `{index, op, path, reason, key?, error?}`; the index is -1 for a key of the call itself.
fn skipped_to_json(out: &mut String, skipped: &Skipped) {
    match skipped.index {
        Some(index) => write_index(put(out, "{\"index\":"), index),
        None => _ = put(out, "{\"index\":-1"),
    }
    write_string(put(out, ",\"op\":"), &skipped.op);
    write_string(put(out, ",\"path\":"), &skipped.path);
    match &skipped.reason {
        Reason::Condition => _ = put(out, ",\"reason\":\"condition\""),
        Reason::UnknownKey(key) => write_string(put(out, ",\"reason\":\"unknown_key\",\"key\":"), key),
        Reason::Failed(refusal) => refusal.write_json(put(out, ",\"reason\":\"failed\",\"error\":")),
    }
    put_char(out, '}');
}

pub(super) fn write_count(out: &mut String, count: u64) {
    write_number(out, count as f64);
}

//! The reply to a call, and its two forms as JSON: [`Reply::write_json`] for the API, and `write_brief`, a shorter one, which
//! `src/js/store/reply.ts` reads.

use std::sync::Arc;

#[cfg(feature = "store")]
use super::wire::{ChangeKind, ChangePart};
use crate::edit::{Edit, edit_to_json};
use crate::patch::{Reason, Refusal, Skipped, Warning, show_path};
use crate::value::{put, put_char, write_index, write_list, write_number, write_string, write_strings};

/// The most existing names that a reply lists.
pub(super) const MAX_LISTED_NAMES: usize = 100;

/// The effects of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The number of applied patches.
    pub applied: usize,
    /// The patches and keys of the call without effect, and why.
    pub skipped: Vec<Skipped>,
    /// Parts of the call that took effect, but probably do not do what their author meant.
    pub warnings: Vec<Warning>,
    /// The changes, in order. A new document is a `set` of the empty path, a deleted one its removal.
    pub changes: Vec<Edit>,
    /// The instance's revision afterwards.
    pub revision: u64,
    /// With [`OnError::Stop`](crate::patch::OnError::Stop): the failure.
    pub stopped: Option<Refusal>,
    /// For insertions of keys among `changes`: where JavaScript inserts them. Sorted by the change.
    pub next_keys: Vec<NextKey>,
    /// The ids of the pending calls that were replayed after the change.
    pub rebased: Vec<Arc<str>>,
    /// The ids of the pending calls that were dropped because they no longer apply, and why.
    pub conflicts: Vec<(Arc<str>, Refusal)>,
    /// If the call is pending: the id of the pending call that it has become, or of which it is a part.
    pub pending: Option<Arc<str>>,
    /// Whether calls are pending on the instance, or were before.
    pub has_pending: bool,
    /// Whether the list of pending calls has changed, or one of them was confirmed.
    pub pending_changed: bool,
    /// The number of calls that are pending on the instance.
    pub pending_count: usize,
    /// Whether the message was ignored: it was received before, or does not concern documents.
    pub ignored: bool,
    /// Whether the active instance has changed.
    pub activated: bool,
    /// The ids of blocks to highlight.
    pub highlight: Vec<Box<str>>,
    /// The reply about another instance, whose pending call was settled.
    pub other: Option<Box<Reply>>,
}

/// The key before which JavaScript must insert a new key. JavaScript lists integer keys first in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextKey {
    /// The index of the insertion among the changes.
    pub change: usize,
    /// The key.
    pub key: Box<str>,
}

/// The reply to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The name of the call's instance; absent if the call could not be parsed, or names a pending call that is not known.
    pub instance: Option<Arc<str>>,
    /// The effects, or why the call was refused.
    pub outcome: Result<Outcome, Refusal>,
    /// With `INVALID_INSTANCE`: the first hundred existing names.
    pub available: Option<Vec<Box<str>>>,
}

impl Reply {
    /// The reply to a call that could not be parsed, or to an unknown id.
    pub(super) const fn refused(refusal: Refusal) -> Self {
        Self { instance: None, outcome: Err(refusal), available: None }
    }

    /// Whether the call was applied, all of it except what it skipped.
    pub const fn is_success(&self) -> bool {
        matches!(&self.outcome, Ok(outcome) if outcome.stopped.is_none())
    }

    /// Why the call was refused or stopped; `None` for a success.
    pub fn error(&self) -> Option<&Refusal> {
        match &self.outcome {
            Ok(outcome) => outcome.stopped.as_ref(),
            Err(refusal) => Some(refusal),
        }
    }

    /// Appends a success as `[instance_name, applied, revision, skipped, changes, rest?, warnings?]`, which is shorter to write
    /// and to parse than an object. `rest` is an object with what few replies have, and null if only `warnings` follow. A call
    /// that stopped while others are pending has the same form. Other replies are written by [`Reply::write_json`].
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
        outcome.write_flat_changes(put_char(out, ','));
        if outcome.has_rest() {
            write_index(put(out, ",{\"pending\":"), outcome.pending_count);
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
            // `more` has the members that the API's result has too. Its brace is written with its first member.
            outcome.write_pending(put(out, ",\"more\":"), EmptyLists::LeftOut);
            if let Some(error) = &outcome.stopped {
                error.write_json(put(begin_member(out), "\"status\":\"error\",\"error\":"));
            }
            let has_no_member = out.as_bytes().last() == Some(&b':');
            put(out, if has_no_member { "{}}" } else { "}}" });
        }
        if !outcome.warnings.is_empty() {
            let separator = if outcome.has_rest() { "," } else { ",null," };
            write_list(put(out, separator), &outcome.warnings, warning_to_json);
        }
        put_char(out, ']');
    }

    /// Appends the reply as a `PatchResult` of the JavaScript API.
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
            if !outcome.warnings.is_empty() {
                write_list(put(out, ",\"warnings\":"), &outcome.warnings, warning_to_json);
            }
            outcome.write_changes(put(out, ",\"changes\":"));
            write_count(put(out, ",\"revision\":"), outcome.revision);
            // A call that stopped has these members only if calls are pending.
            if outcome.stopped.is_none() || outcome.has_pending {
                outcome.write_pending(out, EmptyLists::Written);
            }
        }
        put_char(out, '}');
    }
}

/// What [`Outcome::write_pending`] does with lists that are all empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EmptyLists {
    Written,
    #[cfg(feature = "store")]
    LeftOut,
}

impl Outcome {
    /// An outcome without effects.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Whether [`Reply::write_brief`] writes `rest`.
    #[cfg(feature = "store")]
    const fn has_rest(&self) -> bool {
        self.has_pending || self.ignored || self.activated || self.other.is_some() || !self.highlight.is_empty()
    }

    /// Appends the changes as the objects of the JavaScript API.
    fn write_changes(&self, out: &mut String) {
        let mut change = 0;
        write_list(out, &self.changes, |out, edit| {
            edit_to_json(out, edit, self.next_key(change));
            change += 1;
        });
    }

    /// The key before which JavaScript inserts the key of the change at this index; `None` if it appends that key, or the change
    /// is another one.
    pub(super) fn next_key(&self, change: usize) -> Option<&str> {
        let index = self.next_keys.binary_search_by_key(&change, |next| next.change).ok()?;
        self.next_keys.get(index).map(|next| &*next.key)
    }

    /// Appends `"rebased":[…],"conflicts":[…]`, and `pendingId` and `ignored` if set. `out` ends with a member, or with the colon
    /// before an object whose first member this is.
    fn write_pending(&self, out: &mut String, empty_lists: EmptyLists) {
        if empty_lists == EmptyLists::Written || !self.rebased.is_empty() || !self.conflicts.is_empty() {
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

#[cfg(feature = "store")]
impl Outcome {
    /// Appends the changes as one JSON list: of each the number of its [`ChangeKind`], its path, and the parts of that kind.
    fn write_flat_changes(&self, out: &mut String) {
        let mut separator = '[';
        for (change, edit) in self.changes.iter().enumerate() {
            let kind = kind_of(edit);
            write_index(put_char(out, separator), kind as usize);
            crate::value::path_to_json(put_char(out, ','), edit.path());
            for part in kind.parts() {
                self.write_part(put_char(out, ','), *part, edit, change);
            }
            separator = ',';
        }
        put(out, if self.changes.is_empty() { "[]" } else { "]" });
    }

    /// Appends a part of an edit, which is the change at the index `change`.
    fn write_part(&self, out: &mut String, part: ChangePart, edit: &Edit, change: usize) {
        match (part, edit) {
            (ChangePart::Value, Edit::Set { value, .. } | Edit::Insert { value, .. }) => value.write_json(out),
            (ChangePart::From, Edit::Move { from, .. }) => crate::value::path_to_json(out, from),
            (ChangePart::Index, Edit::Insert { index, .. } | Edit::Move { index, .. }) => {
                write_index(out, index.unwrap_or_default());
            }
            (ChangePart::Next, _) => match self.next_key(change) {
                Some(key) => write_string(out, key),
                None => _ = put(out, "null"),
            },
            // Not reached: `kind_of` names only parts that the edit has.
            _ => _ = put(out, "null"),
        }
    }
}

/// The kind of an edit, whose parts the edit has.
#[cfg(feature = "store")]
const fn kind_of(edit: &Edit) -> ChangeKind {
    match edit {
        Edit::Set { .. } => ChangeKind::Set,
        Edit::Insert { index: None, .. } => ChangeKind::Insert,
        Edit::Insert { .. } => ChangeKind::InsertAt,
        Edit::Remove { .. } => ChangeKind::Remove,
        Edit::Move { index: None, .. } => ChangeKind::Move,
        Edit::Move { .. } => ChangeKind::MoveTo,
    }
}

/// Begins a member of an object: after a colon, the first one of a new object, with its `{`; else a further one, with `,`.
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

/// `{index, path, code, message, solution}`
fn warning_to_json(out: &mut String, warning: &Warning) {
    write_index(put(out, "{\"index\":"), warning.index);
    write_string(put(out, ",\"path\":"), &show_path(&warning.path));
    put_char(put(put(out, ",\"code\":\""), warning.code.name()), '"');
    write_string(put(out, ",\"message\":"), &warning.message);
    write_string(put(out, ",\"solution\":"), &warning.solution);
    put_char(out, '}');
}

/// Appends a count, which as a JSON number is exact up to 2^53.
pub(super) fn write_count(out: &mut String, count: u64) {
    write_number(out, count as f64);
}

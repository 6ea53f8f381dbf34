//! A pending call: shown before the server has confirmed or rejected it. Consecutive sets of one place become one call.

use std::sync::Arc;

use crate::edit::{Edit, script_to_json};
use crate::patch::{PathExpr, Rules};
use crate::value::text::boxed;
use crate::value::{Value, put, put_char, write_string};

/// A call that is applied after the confirmed ones.
#[derive(Clone, Debug)]
pub struct Pending {
    /// `<client id>-<n>`
    pub id: Arc<str>,
    /// The number of the call in the store: pending calls are sorted by it.
    pub(super) number: u64,
    /// The call, as it was sent.
    pub call: Value,
    /// The changes that it made after the calls before it.
    pub changes: Vec<Edit>,
    /// The server has confirmed it, but not yet a call before it.
    pub confirmed: bool,
    /// The page has sent it.
    pub sent: bool,
    /// Its text is still arriving: patches may be added to it, and it is neither listed, sent nor saved.
    pub(super) is_draft: bool,
    pub(super) undo: Undo,
}

/// The state of an instance beside its document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstanceStatus {
    pub(super) present: bool,
    pub(super) rules: Rules,
    /// The approximate bytes of the document's text.
    pub(super) bytes: usize,
}

/// The edits that undo a change. After they are applied, the edits that make it again.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// Applied from the last to the first.
    pub(super) edits: Vec<Edit>,
    /// The status after the edits.
    pub(super) status: InstanceStatus,
}

impl Pending {
    /// Appends the call as a `PendingCall` of the JavaScript API.
    pub fn write_json(&self, instance: &str, out: &mut String) {
        write_string(put(out, "{\"pendingId\":"), &self.id);
        write_string(put(out, ",\"instance_name\":"), instance);
        self.call.write_json(put(out, ",\"call\":"));
        script_to_json(put(out, ",\"changes\":"), &self.changes);
        self.write_flags(out);
        put_char(out, '}');
    }

    pub(super) fn write_flags(&self, out: &mut String) {
        put(out, if self.confirmed { ",\"confirmed\":true" } else { ",\"confirmed\":false" });
        put(out, if self.sent { ",\"sent\":true" } else { ",\"sent\":false" });
    }

    /// Whether a later call can become part of this one: both only set the same place, and this one is not sent yet.
    pub(super) fn can_absorb(&self, call: &Value, changes: &[Edit]) -> bool {
        let is_inside = match (&*self.changes, changes) {
            ([], _) | (_, []) => true,
            ([Edit::Set { path, .. } | Edit::Insert { path, .. }], [Edit::Set { path: inner, .. }]) => {
                inner.starts_with(path)
            }
            _ => false,
        };
        if self.sent || self.confirmed || self.is_draft || !is_inside {
            return false;
        }
        let place = path_of_only_set(call);
        place.is_some() && place == path_of_only_set(&self.call)
    }

    /// Makes a later call part of this one. `now` is the document after it. A call that changed nothing is dropped.
    pub(super) fn absorb(&mut self, call: Value, next: Undo, changes: &[Edit], now: &Value) {
        if changes.is_empty() {
            return;
        }
        if let [Edit::Set { path, value } | Edit::Insert { path, value, .. }] = &mut *self.changes {
            *value = now.at(path).cloned().unwrap_or_default();
        } else {
            self.changes = changes.to_vec();
            self.undo.edits = next.edits;
        }
        self.call = call;
    }
}

/// The path of a call that consists of one `set`.
fn path_of_only_set(call: &Value) -> Option<PathExpr> {
    let patches = call.get("patches")?.as_array()?;
    let patch = patches.get(0)?;
    let is_plain = patches.len() == 1 && call.as_object()?.len() == 2 && patch.as_object()?.len() == 3;
    if !is_plain || patch.get("op")?.as_str()? != "set" {
        return None;
    }
    patch.get("value")?;
    PathExpr::parse(patch.get("path")?.as_str()?, crate::limits::DEEPEST).ok()
}

/// The most ids that are kept.
const MAX_RECENT: usize = 256;

/// The most recent ids of messages or calls, without duplicates.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentIds {
    pub(super) ids: Vec<Box<str>>,
}

impl RecentIds {
    pub(super) fn contains(&self, id: &str) -> bool {
        // Ids of one client differ in their last bytes.
        self.ids.iter().any(|own| own.as_bytes().last() == id.as_bytes().last() && **own == *id)
    }

    pub(super) fn push(&mut self, id: &str) {
        if self.contains(id) {
            return;
        }
        if self.ids.len() >= MAX_RECENT {
            self.ids.remove(0);
        }
        self.ids.push(boxed(id));
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.ids.retain(|own| **own != *id);
    }
}

//! A pending call: shown before the server has confirmed or rejected it. Consecutive sets of one path, as while the user types,
//! become one call.

use std::sync::Arc;

use crate::edit::{Edit, script_to_json};
use crate::patch::{PathExpr, Rules};
use crate::value::text::boxed;
use crate::value::{Value, put, put_char, write_string};

/// A call whose changes are shown, but not part of the confirmed document.
#[derive(Clone, Debug)]
pub struct Pending {
    /// `<client id>-<number>`
    pub id: Arc<str>,
    /// The number of the call among all calls of the store that have ever been pending: pending calls are sorted by it.
    pub(super) number: u64,
    /// The call, as it was sent.
    pub call: Value,
    /// The changes that the call made to the document with the earlier pending calls applied.
    pub changes: Vec<Edit>,
    /// Whether the server has confirmed the call, but not yet a call before it.
    pub confirmed: bool,
    /// Whether the page has sent the call to the server.
    pub sent: bool,
    /// Whether the text of the call is still arriving: patches may be added to it, and it is neither listed, sent nor saved.
    pub(super) is_draft: bool,
    /// Reverts the call; while the call is rolled back, makes its changes again.
    pub(super) undo: Undo,
}

/// The state of an instance beside its document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstanceStatus {
    /// Whether the instance is there. Otherwise its document means nothing.
    pub(super) is_present: bool,
    pub(super) rules: Rules,
    /// The approximate bytes of the document's JSON, as [`crate::value::measure`] counts them.
    pub(super) bytes: usize,
}

/// What [`super::instance::Instance::apply_undo`] applies to revert a change. It returns the opposite, also an `Undo`.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// Inverse edits, in the order of the edits that they revert: the last one is applied first.
    pub(super) edits: Vec<Edit>,
    /// The status of the instance once they are applied.
    pub(super) status: InstanceStatus,
}

impl Pending {
    /// Appends the call as a `PendingCall` of the JavaScript API. `instance` is the name of its instance.
    pub fn write_json(&self, instance: &str, out: &mut String) {
        write_string(put(out, "{\"pendingId\":"), &self.id);
        write_string(put(out, ",\"instance_name\":"), instance);
        self.call.write_json(put(out, ",\"call\":"));
        script_to_json(put(out, ",\"changes\":"), &self.changes);
        self.write_flags(out);
        put_char(out, '}');
    }

    /// Appends the members `confirmed` and `sent`.
    pub(super) fn write_flags(&self, out: &mut String) {
        put(out, if self.confirmed { ",\"confirmed\":true" } else { ",\"confirmed\":false" });
        put(out, if self.sent { ",\"sent\":true" } else { ",\"sent\":false" });
    }

    /// Whether a later call, which made `changes`, can become part of this one: both only set the same path, and the page has
    /// not sent this one yet.
    pub(super) fn can_absorb(&self, call: &Value, changes: &[Edit]) -> bool {
        // If this call made one change, the other one's must be in the value that it set: the undo of this call then reverts
        // both. The first set of a path may insert missing parents around the value; the second one sets the value inside.
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
        let path = path_of_only_set(call);
        path.is_some() && path == path_of_only_set(&self.call)
    }

    /// Makes a later call part of this one, which [`Self::can_absorb`] it. `undo` and `changes` are those of the later call,
    /// `document` is the document after it. A later call that changed nothing leaves no trace.
    pub(super) fn absorb(&mut self, call: Value, undo: Undo, changes: &[Edit], document: &Value) {
        if changes.is_empty() {
            return;
        }
        if let [Edit::Set { path, value } | Edit::Insert { path, value, .. }] = &mut *self.changes {
            *value = document.at(path).cloned().unwrap_or_default();
        } else {
            // This call changed nothing.
            self.changes = changes.to_vec();
            self.undo.edits = undo.edits;
        }
        self.call = call;
    }
}

/// The path of a call that consists of one `set`; `None` for any other call.
fn path_of_only_set(call: &Value) -> Option<PathExpr> {
    let patches = call.get("patches")?.as_array()?;
    let patch = patches.get(0)?;
    // The call has nothing but a name and patches, the patch nothing but `op`, `path` and `value`: no condition, for example.
    let has_no_more = patches.len() == 1 && call.as_object()?.len() == 2 && patch.as_object()?.len() == 3;
    if !has_no_more || patch.get("op")?.as_str()? != "set" {
        return None;
    }
    patch.get("value")?;
    PathExpr::parse(patch.get("path")?.as_str()?, crate::limits::DEPTH_CEILING).ok()
}

/// The most ids that are kept. A repetition of a message whose id is older is not noticed.
const MAX_RECENT: usize = 256;

/// The most recent ids of messages or calls, without duplicates.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentIds {
    /// The oldest first.
    pub(super) ids: Vec<Box<str>>,
}

impl RecentIds {
    pub(super) fn contains(&self, id: &str) -> bool {
        // The last bytes first, which is faster: ids of one client begin alike.
        self.ids.iter().any(|known| known.as_bytes().last() == id.as_bytes().last() && **known == *id)
    }

    /// Adds an id; the oldest one is dropped if there are too many.
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
        self.ids.retain(|known| **known != *id);
    }
}

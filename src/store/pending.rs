//! A pending call: it is shown before the server has settled it, and can be taken back. Sets of the same place in a row become one.

use std::sync::Arc;

use crate::edit::{Edit, script_to_json};
use crate::patch::{PathExpr, Rules};
use crate::value::text::boxed;
use crate::value::{Value, put, put_char, write_string};

/// A call on top of what is confirmed.
#[derive(Clone, Debug)]
pub struct Pending {
    /// `<one per store>-<n>`
    pub id: Arc<str>,
    /// How many calls the store had seen with it: they are sorted by this.
    pub(super) number: u64,
    /// The call, as it was sent.
    pub call: Value,
    /// What it has changed, on top of the calls before it.
    pub changes: Vec<Edit>,
    /// The server has taken it, but a call before it is still open.
    pub confirmed: bool,
    /// The page has sent it.
    pub sent: bool,
    /// Its text is still arriving: patches may be added to it, and it is neither listed, sent nor saved.
    pub(super) is_draft: bool,
    pub(super) undo: Undo,
}

/// What belongs to a document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InstanceStatus {
    pub(super) present: bool,
    pub(super) rules: Rules,
    /// About the bytes of the document's text.
    pub(super) bytes: usize,
}

/// How something is taken back, or, once it has been, done again.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// The last one is made first.
    pub(super) edits: Vec<Edit>,
    /// What belongs to the document that they lead to.
    pub(super) status: InstanceStatus,
}

impl Pending {
    /// Appends the call as a `PendingCall` of the JavaScript API.
    pub fn write_json(&self, instance: &str, out: &mut String) {
        write_string(put(out, "{\"pendingId\":"), &self.id);
        write_string(put(out, ",\"instance_name\":"), instance);
        self.call.write_json(put(out, ",\"call\":"));
        script_to_json(put(out, ",\"changes\":"), &self.changes);
        self.write_marks(out);
        put_char(out, '}');
    }

    pub(super) fn write_marks(&self, out: &mut String) {
        put(out, if self.confirmed { ",\"confirmed\":true" } else { ",\"confirmed\":false" });
        put(out, if self.sent { ",\"sent\":true" } else { ",\"sent\":false" });
    }

    /// Whether a call on top of this one may become part of it: both only set the same place, and this one is not sent.
    pub(super) fn joins(&self, call: &Value, changes: &[Edit]) -> bool {
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
        let place = place_set(call);
        place.is_some() && place == place_set(&self.call)
    }

    /// Takes such a call in, after which the document is `now`. Setting the same value again does not change the pending call.
    pub(super) fn take_in(&mut self, call: Value, next: Undo, changes: &[Edit], now: &Value) {
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

/// The place of a call that is nothing but one `set`.
fn place_set(call: &Value) -> Option<PathExpr> {
    let patches = call.get("patches")?.as_array()?;
    let patch = patches.get(0)?;
    let is_plain = patches.len() == 1 && call.as_object()?.len() == 2 && patch.as_object()?.len() == 3;
    if !is_plain || patch.get("op")?.as_str()? != "set" {
        return None;
    }
    patch.get("value")?;
    PathExpr::parse(patch.get("path")?.as_str()?, crate::limits::DEEPEST).ok()
}

/// So many of the last ids are kept.
const MOST: usize = 256;

/// The last ids of messages or calls, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentIds {
    pub(super) ids: Vec<Box<str>>,
}

impl RecentIds {
    pub(super) fn has(&self, id: &str) -> bool {
        // Those of one client differ at their ends.
        self.ids.iter().any(|own| own.as_bytes().last() == id.as_bytes().last() && **own == *id)
    }

    pub(super) fn push(&mut self, id: &str) {
        if self.has(id) {
            return;
        }
        if self.ids.len() >= MOST {
            self.ids.remove(0);
        }
        self.ids.push(boxed(id));
    }

    pub(super) fn remove(&mut self, id: &str) {
        self.ids.retain(|own| **own != *id);
    }
}

//! Calls that are shown before the server has settled them.

use std::sync::Arc;

use super::coalesce::place_set;
use super::instance::Held;
use super::task::Done;
use crate::edit::{Edit, script_to_json};
use crate::patch::PathExpr;
use crate::value::{Value, write_string};

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
    pub(super) undo: Undo,
    /// The place of a call that is nothing but one `set`: what typing makes.
    pub(super) place: Option<PathExpr>,
}

/// How something is taken back, or, once it has been, done again.
#[derive(Clone, Debug)]
pub(super) enum Undo {
    /// Inverse edits, and by how many bytes the document had grown.
    Edits(Vec<Edit>, isize),
    /// What an instance held before it was made or deleted.
    Whole(Box<Held>),
}

impl Pending {
    /// A call that has just been applied.
    pub(super) fn new(id: Arc<str>, number: u64, call: Value, done: Done) -> Self {
        let place = place_set(&call);
        let Done { changes, undo, .. } = done;
        Self { id, number, call, changes, confirmed: false, sent: false, undo, place }
    }

    /// The value that a call sets which is nothing but one `set`.
    pub(super) fn value(&self) -> Option<&Value> {
        self.call.get("patches")?.as_array()?.get(0)?.get("value")
    }

    /// Appends the call as a `PendingCall` of the JavaScript API.
    pub fn write_json(&self, instance: &str, out: &mut String) {
        out.push_str("{\"pendingId\":");
        write_string(out, &self.id);
        out.push_str(",\"instance_name\":");
        write_string(out, instance);
        out.push_str(",\"call\":");
        self.call.write_json(out);
        out.push_str(",\"changes\":");
        script_to_json(out, &self.changes);
        self.write_marks(out);
        out.push('}');
    }

    pub(super) fn write_marks(&self, out: &mut String) {
        for (name, flag) in [("confirmed", self.confirmed), ("sent", self.sent)] {
            out.push_str(",\"");
            out.push_str(name);
            out.push_str(if flag { "\":true" } else { "\":false" });
        }
    }
}

impl Default for Undo {
    fn default() -> Self {
        Self::Edits(Vec::new(), 0)
    }
}

//! A pending call: it is shown before the server has settled it.

use std::sync::Arc;

use super::instance::Contents;
use crate::edit::{Edit, script_to_json};
use crate::value::{Value, put, put_char, write_string};

/// A call on top of what is confirmed.
#[derive(Debug)]
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
}

/// How something is taken back, or, once it has been, done again.
#[derive(Clone, Debug)]
pub(super) enum Undo {
    /// Edits, of which the last is made first, and by how many bytes they make the document grow.
    Edits(Vec<Edit>, isize),
    /// What an instance held before it was made or deleted.
    Whole(Box<Contents>),
}

impl Pending {
    /// A call that has just been applied.
    pub(super) const fn new(id: Arc<str>, number: u64, call: Value, changes: Vec<Edit>, undo: Undo) -> Self {
        Self { id, number, call, changes, confirmed: false, sent: false, undo }
    }

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
}

impl Default for Undo {
    fn default() -> Self {
        Self::Edits(Vec::new(), 0)
    }
}

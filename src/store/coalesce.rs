//! Coalesces typing: optimistic sets of the same place, one after another, become one pending call.

use super::pending::{Pending, Undo};
use crate::edit::Edit;
use crate::patch::PathExpr;
use crate::value::Value;

impl Pending {
    /// Whether a call that has just been applied on top of this one may become part of it: both do nothing but set the
    /// same place, and this one has not been sent.
    pub(super) fn joins(&self, call: &Value, changes: &[Edit]) -> bool {
        let is_inside = match (&*self.changes, changes) {
            ([], _) | (_, []) => true,
            ([Edit::Set { path, .. } | Edit::Insert { path, .. }], [Edit::Set { path: inner, .. }]) => {
                inner.starts_with(path)
            }
            _ => false,
        };
        if self.sent || self.confirmed || !is_inside {
            return false;
        }
        let place = place_set(call);
        place.is_some() && place == place_set(&self.call)
    }

    /// Takes such a call in, after which the document is `now`. Setting the same value again does not change the pending call.
    pub(super) fn take_in(&mut self, call: Value, next: Undo, changes: &[Edit], now: &Value) {
        let (Undo::Edits(edits, growth), Undo::Edits(more, grown)) = (&mut self.undo, next) else { return };
        if changes.is_empty() {
            return;
        }
        if let [Edit::Set { path, value } | Edit::Insert { path, value, .. }] = &mut *self.changes {
            *value = now.at(path).cloned().unwrap_or_default();
        } else {
            self.changes = changes.to_vec();
            *edits = more;
        }
        *growth += grown;
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

//! Typing: one place set again and again is one pending call.

use super::pending::{Pending, Undo};
use crate::edit::Edit;
use crate::patch::PathExpr;
use crate::value::{Step, Value};

impl Pending {
    /// Whether a call that has just been applied on top of this one may become part of it: both do nothing but set the
    /// same place, and this one has not been sent.
    pub(super) fn takes(&self, next: &Self) -> bool {
        if self.sent || self.confirmed || self.place.is_none() || self.place != next.place {
            return false;
        }
        match (self.changes.as_slice(), next.changes.as_slice()) {
            (_, []) | ([], _) => true,
            ([Edit::Set { path, value } | Edit::Insert { path, value, .. }], [Edit::Set { path: at, .. }]) => {
                at.strip_prefix(path.as_slice()).is_some_and(|rest| value.at(rest).is_some())
            }
            _ => false,
        }
    }

    /// Takes such a call in.
    pub(super) fn take_in(&mut self, next: Self) {
        let (Undo::Edits(inverses, growth), Undo::Edits(more, grown)) = (&mut self.undo, next.undo) else { return };
        match (self.changes.as_mut_slice(), next.changes.as_slice()) {
            // It sets what is there already.
            (_, []) => return,
            (
                [Edit::Set { path, value: own } | Edit::Insert { path, value: own, .. }],
                [Edit::Set { path: at, value }],
            ) => {
                if let Some(own) = at.strip_prefix(path.as_slice()).and_then(|rest| at_mut(own, rest)) {
                    own.clone_from(value);
                }
            }
            _ => {
                self.changes = next.changes;
                *inverses = more;
            }
        }
        *growth += grown;
        self.call = next.call;
    }
}

/// The place of a call that is nothing but one `set`.
pub(super) fn place_set(call: &Value) -> Option<PathExpr> {
    let patches = call.get("patches")?.as_array()?;
    if patches.len() != 1 || call.as_object()?.len() != 2 {
        return None;
    }
    plain_set(patches.get(0)?).map(|(path, _)| path)
}

/// The place and the value of a patch that is nothing but a `set`.
pub(super) fn plain_set(patch: &Value) -> Option<(PathExpr, &Value)> {
    if patch.as_object()?.len() != 3 || patch.get("op")?.as_str()? != "set" {
        return None;
    }
    let value = patch.get("value")?;
    PathExpr::parse(patch.get("path")?.as_str()?, crate::limits::DEEPEST).ok().map(|path| (path, value))
}

fn at_mut<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match (value, step) {
        (Value::Object(object), Step::Key(key)) => object.get_mut(key),
        (Value::Array(items), Step::Index(index)) => items.get_mut(*index),
        _ => None,
    })
}

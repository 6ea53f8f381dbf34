//! Merging objects: patches with `merge`, and JSON Merge Patch (RFC 7396).

use crate::edit::Edit;
use crate::value::{Object, Path, Step, Value};

/// Plans the edits that merge `entries` into `target`, the object at `path`. With `deep`, by RFC 7396: objects inside are merged
/// too, and null removes a key. Otherwise each entry replaces the value of its key. `path` is extended during the call and
/// restored at its end.
pub(super) fn merge(target: &Object, path: &mut Path, entries: Object, deep: bool, edits: &mut Vec<Edit>) {
    for (key, value) in entries {
        let present = target.get(&key);
        path.push(Step::Key(key));
        let edit = match (present, value) {
            (Some(Value::Object(target)), Value::Object(entries)) if deep => {
                merge(target, path, entries, deep, edits);
                None
            }
            (present, Value::Null) if deep => present.map(|_| Edit::Remove { path: path.clone() }),
            (present, value) => {
                let value = if deep { without_nulls(value) } else { value };
                match present {
                    Some(present) if *present == value => None,
                    Some(_) => Some(Edit::Set { path: path.clone(), value }),
                    None => Some(Edit::Insert { path: path.clone(), index: None, value }),
                }
            }
        };
        edits.extend(edit);
        path.pop();
    }
}

/// The value that a merge patch makes of nothing: the patch without the keys that it would remove.
pub(super) fn without_nulls(patch: Value) -> Value {
    let Value::Object(entries) = patch else { return patch };
    let mut kept = Object::new();
    for (key, entry) in entries {
        if entry != Value::Null {
            kept.set(&key, without_nulls(entry));
        }
    }
    Value::Object(kept)
}

//! Merging objects: patches with `merge`, and JSON Merge Patch (RFC 7396).

use crate::edit::Edit;
use crate::value::{Object, Path, Step, Value};

/// Plans the edits that merge entries into the object at `path`. With `deep`, by RFC 7396.
pub(super) fn merge(own: &Object, path: &mut Path, entries: Object, deep: bool, edits: &mut Vec<Edit>) {
    for (key, value) in entries {
        let known = own.get(&key);
        path.push(Step::Key(key));
        let edit = match (known, value) {
            (Some(Value::Object(own)), Value::Object(entries)) if deep => {
                merge(own, path, entries, deep, edits);
                None
            }
            (known, Value::Null) if deep => known.map(|_| Edit::Remove { path: path.clone() }),
            (known, value) => {
                let value = if deep { without_nulls(value) } else { value };
                match known {
                    Some(known) if *known == value => None,
                    Some(_) => Some(Edit::Set { path: path.clone(), value }),
                    None => Some(Edit::Insert { path: path.clone(), index: None, value }),
                }
            }
        };
        edits.extend(edit);
        path.pop();
    }
}

/// A merge patch as a new value: without the keys that it would remove.
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

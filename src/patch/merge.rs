//! Merging objects: patches with `merge`, and JSON Merge Patch (RFC 7396).

use crate::edit::Edit;
use crate::value::{Object, Path, Step, Value};

/// How objects are merged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MergeMode {
    /// Each entry replaces the value of its key.
    Shallow,
    /// By RFC 7396: objects inside are merged too, and null removes a key.
    MergePatch,
}

/// Plans the edits that merge `entries` into `target`, the object at `path`. `path` is extended during the call and restored at
/// its end.
pub(super) fn merge(target: &Object, path: &mut Path, entries: Object, mode: MergeMode, edits: &mut Vec<Edit>) {
    let is_merge_patch = mode == MergeMode::MergePatch;
    for (key, value) in entries {
        let old_value = target.get(&key);
        path.push(Step::Key(key));
        let edit = match (old_value, value) {
            (Some(Value::Object(target)), Value::Object(entries)) if is_merge_patch => {
                merge(target, path, entries, mode, edits);
                None
            }
            (old_value, Value::Null) if is_merge_patch => old_value.map(|_| Edit::Remove { path: path.clone() }),
            (old_value, value) => {
                let value = if is_merge_patch { without_nulls(value) } else { value };
                match old_value {
                    Some(old_value) if *old_value == value => None,
                    Some(_) => Some(Edit::Set { path: path.clone(), value }),
                    None => Some(Edit::Insert { path: path.clone(), index: None, value }),
                }
            }
        };
        edits.extend(edit);
        path.pop();
    }
}

/// The value that a merge patch creates at a path without a value: the patch without the keys that it would remove.
pub(super) fn without_nulls(patch: Value) -> Value {
    let Value::Object(entries) = patch else { return patch };
    let mut object = Object::new();
    for (key, entry) in entries {
        if entry != Value::Null {
            object.set(&key, without_nulls(entry));
        }
    }
    Value::Object(object)
}

//! Edits as JSON: the edit script.

use super::Edit;
use crate::value::{Step, path_to_json, write_index};

/// Appends an edit as a `Change` of the JavaScript API:
/// `{"kind":"set","path":["a",0],"value":…}`, likewise `insert` (with `index` for a key that is not the last),
/// `remove`, and `move` with `from`.
pub fn edit_to_json(out: &mut String, edit: &Edit) {
    let head = |out: &mut String, kind: &str, path: &[Step]| {
        out.push_str("{\"kind\":\"");
        out.push_str(kind);
        out.push_str("\",\"path\":");
        path_to_json(out, path);
    };
    let place = |out: &mut String, index: Option<usize>| {
        if let Some(index) = index {
            out.push_str(",\"index\":");
            write_index(out, index);
        }
    };
    match edit {
        Edit::Set { path, value } => {
            head(out, "set", path);
            out.push_str(",\"value\":");
            value.write_json(out);
        }
        Edit::Insert { path, index, value } => {
            head(out, "insert", path);
            place(out, *index);
            out.push_str(",\"value\":");
            value.write_json(out);
        }
        Edit::Remove { path } => head(out, "remove", path),
        Edit::Move { from, path, index } => {
            head(out, "move", path);
            place(out, *index);
            out.push_str(",\"from\":");
            path_to_json(out, from);
        }
    }
    out.push('}');
}

/// Appends a list of edits as a JSON list.
pub fn script_to_json(out: &mut String, edits: &[Edit]) {
    out.push('[');
    for (place, edit) in edits.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        edit_to_json(out, edit);
    }
    out.push(']');
}

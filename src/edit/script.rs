//! Edits as JSON. A list of them is an edit script.

use super::Edit;
use crate::value::{Path, Step, Value, path_to_json, put, put_char, write_index, write_list, write_string};

/// Appends an edit as a `Change` of the JavaScript API: `{"kind":"set","path":["a",0],"value":…}`. The other kinds are
/// `insert`, `remove`, and `move` (with `from`). An inserted or moved key has `index` unless it is the last of its object.
/// `next_key` is written as `next`: the key that follows the inserted key in JavaScript's order of keys, which puts integer
/// keys first. `None` writes no `next`.
pub fn edit_to_json(out: &mut String, edit: &Edit, next_key: Option<&str>) {
    let (kind, index, value) = match edit {
        Edit::Set { value, .. } => ("set", None, Some(value)),
        Edit::Insert { index, value, .. } => ("insert", *index, Some(value)),
        Edit::Remove { .. } => ("remove", None, None),
        Edit::Move { index, .. } => ("move", *index, None),
    };
    put(put(out, "{\"kind\":\""), kind);
    path_to_json(put(out, "\",\"path\":"), edit.path());
    if let Some(index) = index {
        write_index(put(out, ",\"index\":"), index);
    }
    if let Some(key) = next_key {
        write_string(put(out, ",\"next\":"), key);
    }
    if let Edit::Move { from, .. } = edit {
        path_to_json(put(out, ",\"from\":"), from);
    }
    if let Some(value) = value {
        value.write_json(put(out, ",\"value\":"));
    }
    put_char(out, '}');
}

/// Reads the JSON that [`edit_to_json`] writes; `None` if it is no edit. `next` is ignored.
pub fn edit_from_value(edit: &Value) -> Option<Edit> {
    let path = path_from_value(edit.get("path")?)?;
    let index = if let Some(index) = edit.get("index") { Some(index.as_index()?) } else { None };
    Some(match edit.get("kind")?.as_str()? {
        "set" => Edit::Set { path, value: edit.get("value")?.clone() },
        "insert" => Edit::Insert { path, index, value: edit.get("value")?.clone() },
        "remove" => Edit::Remove { path },
        "move" => Edit::Move { from: path_from_value(edit.get("from")?)?, path, index },
        _ => return None,
    })
}

/// Reads a list of keys and indexes; `None` if a step is neither.
fn path_from_value(path: &Value) -> Option<Path> {
    let steps = path.as_array()?;
    let mut path = Path::new();
    for step in steps {
        path.push(match step {
            Value::String(key) => Step::from(&**key),
            step => Step::Index(step.as_index()?),
        });
    }
    Some(path)
}

/// Appends a list of edits as a JSON list.
pub fn script_to_json(out: &mut String, edits: &[Edit]) {
    let no_next_key = None;
    write_list(out, edits, |out, edit| edit_to_json(out, edit, no_next_key));
}

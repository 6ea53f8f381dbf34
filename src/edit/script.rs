//! Edits as JSON: the edit script.

use super::Edit;
use crate::value::{Path, Step, Value, path_to_json, write_index, write_list};

/// Appends an edit as a `Change` of the JavaScript API:
/// `{"kind":"set","path":["a",0],"value":…}`, likewise `insert` (with `index` for a key that is not the last),
/// `remove`, and `move` with `from`. `behind` is the key before which an insertion stands where integers come first.
pub fn edit_to_json(out: &mut String, edit: &Edit, behind: Option<&str>) {
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
            if let Some(key) = behind {
                out.push_str(",\"next\":");
                crate::value::write_string(out, key);
            }
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

/// Reads an edit as [`edit_to_json`] writes it.
#[must_use]
pub fn edit_from_value(edit: &Value) -> Option<Edit> {
    let path = path_from_value(edit.get("path")?)?;
    let index = match edit.get("index") {
        Some(index) => Some(to_index(index)?),
        None => None,
    };
    Some(match edit.get("kind")?.as_str()? {
        "set" => Edit::Set { path, value: edit.get("value")?.clone() },
        "insert" => Edit::Insert { path, index, value: edit.get("value")?.clone() },
        "remove" => Edit::Remove { path },
        "move" => Edit::Move { from: path_from_value(edit.get("from")?)?, path, index },
        _ => return None,
    })
}

fn path_from_value(path: &Value) -> Option<Path> {
    let Value::Array(steps) = path else { return None };
    let step = |step: &Value| match step {
        Value::String(key) => Some(Step::from(&**key)),
        step => to_index(step).map(Step::Index),
    };
    steps.iter().map(step).collect()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below 2^32")]
fn to_index(value: &Value) -> Option<usize> {
    let number = value.as_number()?;
    (number.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&number)).then_some(number as usize)
}

/// Appends a list of edits as a JSON list.
pub fn script_to_json(out: &mut String, edits: &[Edit]) {
    write_list(out, edits, |out, edit| edit_to_json(out, edit, None));
}

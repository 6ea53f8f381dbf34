//! Texts: what differs, a part of it, two changes together, one piece replaced. Arguments come as one JSON list.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::diff::{TextOptions, apply_hunks, merge, text_diff as diff, write_hunks};
use crate::files::{EditFailure, edit};
use crate::value::{Object, Value, parse};

/// No list of arguments is nested deeper than `["before", "after", [0, 1]]`.
const DEPTH: usize = 4;

/// Reads `[before, after, context, words]`; answers hunks.
#[wasm_bindgen]
#[must_use]
pub fn text_diff(bytes: usize) -> usize {
    answer(bytes, |given, out| {
        let options = TextOptions { context: number(given, 2), words: number(given, 3) != 0 };
        write_hunks(&diff(text(given, 0), text(given, 1), options), out);
    })
}

/// Reads `[before, after, context, [index]]`; answers the text before with these hunks made.
#[wasm_bindgen]
#[must_use]
pub fn choose_hunks(bytes: usize) -> usize {
    answer(bytes, |given, out| {
        let options = TextOptions { context: number(given, 2), words: false };
        let chosen = item(given, 3).as_array().map_or(0, crate::value::Array::len);
        let chosen: Vec<usize> = (0..chosen).map(|index| number(item(given, 3), index)).collect();
        out.push_str(&apply_hunks(text(given, 0), text(given, 1), options, &chosen));
    })
}

/// Reads `[base, one, other]`; answers the text with both changes as JSON, `null` if they overlap.
#[wasm_bindgen]
#[must_use]
pub fn merge_texts(bytes: usize) -> usize {
    answer(bytes, |given, out| {
        let merged = merge(text(given, 0), text(given, 1), text(given, 2));
        merged.map_or(Value::Null, Value::from).write_json(out);
    })
}

/// Reads `[text, old, new]`; answers the new text as JSON, or `{matches, lines?, nearest?: {line, text}}`.
#[wasm_bindgen]
#[must_use]
pub fn edit_text(bytes: usize) -> usize {
    answer(bytes, |given, out| {
        let answer = match edit(text(given, 0), text(given, 1), text(given, 2)) {
            Ok(text) => text.into(),
            Err(EditFailure::Several(matches, lines)) => {
                let lines: Vec<Value> = lines.into_iter().map(count).collect();
                object([("matches", count(matches)), ("lines", lines.into())])
            }
            Err(EditFailure::NotFound(None)) => object([("matches", count(0))]),
            Err(EditFailure::NotFound(Some(found))) => {
                let nearest = object([("line", count(found.line)), ("text", found.text.into())]);
                object([("matches", count(0)), ("nearest", nearest)])
            }
        };
        answer.write_json(out);
    })
}

fn answer(bytes: usize, write: impl FnOnce(&Value, &mut String)) -> usize {
    let given = with_text(bytes, |text| parse(text, DEPTH)).unwrap_or_default();
    respond(|out| write(&given, out))
}

fn item(given: &Value, index: usize) -> &Value {
    given.as_array().and_then(|items| items.get(index)).unwrap_or(&Value::Null)
}

fn text(given: &Value, index: usize) -> &str {
    item(given, index).as_str().unwrap_or_default()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "JavaScript sends counts")]
fn number(given: &Value, index: usize) -> usize {
    item(given, index).as_number().unwrap_or_default() as usize
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn count(number: usize) -> Value {
    Value::Number(number as f64)
}

fn object<const COUNT: usize>(fields: [(&str, Value); COUNT]) -> Value {
    Value::Object(fields.into_iter().collect::<Object>())
}

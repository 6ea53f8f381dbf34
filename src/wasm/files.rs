//! What a file tool does to a text.
//!
//! The input is a line with a JSON list of the lengths of the texts in UTF-16 units, and the texts, each with a line break
//! behind it, so that neither side escapes what may be long.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::files::{EditFailure, edit};
use crate::value::{Object, Value, parse};

/// The texts `text`, `old` and `new`; answers `=` and the new text, or `{matches, lines?, nearest?: {line, text}}`.
#[wasm_bindgen]
#[must_use]
pub fn edit_text(bytes: usize) -> usize {
    answer(bytes, |[text, old, new], out| {
        let failure = match edit(text, old, new) {
            Ok(text) => {
                out.push('=');
                out.push_str(&text);
                return;
            }
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
        failure.write_json(out);
    })
}

fn answer(bytes: usize, write: impl FnOnce([&str; 3], &mut String)) -> usize {
    with_text(bytes, |input| {
        let (line, mut rest) = input.split_once('\n').unwrap_or_default();
        let lengths = parse(line, 1).unwrap_or_default();
        let lengths = lengths.as_array().into_iter().flat_map(|list| list.iter()).map(number);
        let mut texts = [""; 3];
        for (text, length) in texts.iter_mut().zip(lengths) {
            let (own, behind) = rest.split_at(bytes_of(rest, length));
            *text = own;
            rest = behind.get(1..).unwrap_or_default();
        }
        respond(|out| write(texts, out))
    })
}

/// How many bytes the first `units` UTF-16 units have.
fn bytes_of(text: &str, units: usize) -> usize {
    if text.as_bytes().get(..units).is_some_and(<[u8]>::is_ascii) {
        return units;
    }
    let mut seen = 0;
    let mut chars = text.char_indices();
    let found = chars.find(|(_, c)| {
        seen += c.len_utf16();
        seen > units
    });
    found.map_or(text.len(), |(place, _)| place)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "JavaScript sends counts")]
fn number(value: &Value) -> usize {
    value.as_number().unwrap_or_default() as usize
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn count(number: usize) -> Value {
    Value::Number(number as f64)
}

fn object<const COUNT: usize>(fields: [(&str, Value); COUNT]) -> Value {
    Value::Object(fields.into_iter().collect::<Object>())
}

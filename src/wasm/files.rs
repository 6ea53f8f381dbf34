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
    with_text(bytes, |input| {
        let [text, old, new] = texts(input);
        let edited = edit(text, old, new);
        respond(|out| match edited {
            Ok(text) => {
                out.push('=');
                out.push_str(&text);
            }
            Err(failure) => told(failure).write_json(out),
        })
    })
}

fn told(failure: EditFailure<'_>) -> Value {
    let mut told = Object::new();
    match failure {
        EditFailure::Several(matches, lines) => {
            let mut numbers = Vec::new();
            for line in lines {
                numbers.push(count(line));
            }
            told.set("matches", count(matches));
            told.set("lines", Value::from(numbers));
        }
        EditFailure::NotFound(found) => {
            told.set("matches", count(0));
            if let Some(found) = found {
                let mut nearest = Object::new();
                nearest.set("line", count(found.line));
                nearest.set("text", found.text.into());
                told.set("nearest", nearest.into());
            }
        }
    }
    told.into()
}

fn texts(input: &str) -> [&str; 3] {
    let end = input.bytes().position(|byte| byte == b'\n').unwrap_or(input.len());
    let lengths = parse(input.get(..end).unwrap_or_default(), 1).unwrap_or_default();
    let mut rest = input.get(end + 1..).unwrap_or_default();
    let mut texts = [""; 3];
    let Some(lengths) = lengths.as_array() else { return texts };
    for (text, length) in texts.iter_mut().zip(lengths.iter()) {
        let bytes = bytes_of(rest, length.as_number().unwrap_or_default());
        *text = rest.get(..bytes).unwrap_or_default();
        rest = rest.get(bytes + 1..).unwrap_or_default();
    }
    texts
}

/// How many bytes the first `units` UTF-16 units have.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "JavaScript sends counts")]
fn bytes_of(text: &str, units: f64) -> usize {
    let mut left = units as usize;
    if text.as_bytes().get(..left).is_some_and(<[u8]>::is_ascii) {
        return left;
    }
    for (place, c) in text.char_indices() {
        if left < c.len_utf16() {
            return place;
        }
        left -= c.len_utf16();
    }
    text.len()
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn count(number: usize) -> Value {
    Value::Number(number as f64)
}

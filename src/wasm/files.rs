//! What a file tool does to a text.
//!
//! The input is a JSON list of lengths in UTF-16 units, and a line for each text, so that nothing is escaped.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::files::{EditFailure, edit};
use crate::value::text::{head, tail};
use crate::value::{parse, put, write_index, write_list, write_string};

/// The texts `text`, `old` and `new`; answers `=` and the new text, or `{matches, lines?, nearest?: {line, text}}`.
#[wasm_bindgen]
pub fn edit_text(bytes: usize) -> usize {
    with_text(bytes, |input| {
        let [text, old, new] = texts(input);
        let edited = edit(text, old, new);
        respond(|out| match edited {
            Ok(text) => {
                out.push('=');
                out.push_str(&text);
            }
            Err(failure) => tell(&failure, out),
        })
    })
}

fn tell(failure: &EditFailure<'_>, out: &mut String) {
    put(out, "{\"matches\":");
    match failure {
        EditFailure::Several(matches, lines) => {
            write_index(out, *matches);
            write_list(put(out, ",\"lines\":"), lines, |out, line| write_index(out, *line));
        }
        EditFailure::NotFound(None) => write_index(out, 0),
        EditFailure::NotFound(Some(found)) => {
            write_index(put(out, "0,\"nearest\":{\"line\":"), found.line);
            write_string(put(out, ",\"text\":"), found.text);
            put(out, "}");
        }
    }
    put(out, "}");
}

fn texts(input: &str) -> [&str; 3] {
    let end = input.bytes().position(|byte| byte == b'\n').unwrap_or(input.len());
    let lengths = parse(head(input, end), 1).unwrap_or_default();
    let mut rest = tail(input, end + 1);
    let mut texts = [""; 3];
    let Some(lengths) = lengths.as_array() else { return texts };
    for (text, length) in texts.iter_mut().zip(lengths.iter()) {
        let bytes = bytes_of(rest, length.as_number().unwrap_or_default());
        *text = head(rest, bytes);
        rest = tail(rest, bytes + 1);
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

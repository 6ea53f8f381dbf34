//! Edits of texts: [`crate::files::edit`] as an export.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::files::{Difference, EditFailure, EditFix, Review, edit};
use crate::value::{parse, put, put_char, write_hex, write_index, write_list, write_string};

/// The texts `text`, `old` and `new` as a JSON list. Answers JSON, a line break and the new text, of which the JSON is the list
/// of fixes: `[{code, message, position}]`; or, of a text that is not edited, only `{matches, lines?, nearest?, difference?}`.
#[wasm_bindgen]
pub fn edit_text(bytes: usize, is_reviewed: bool) -> usize {
    with_text(bytes, |input| {
        let texts = parse(input, 1).unwrap_or_default();
        let text = |place| texts.as_array().and_then(|texts| texts.get(place)?.as_str()).unwrap_or_default();
        let review = if is_reviewed { Review::ByUser } else { Review::None };
        let edited = edit(text(0), text(1), text(2), review);
        respond(|out| match edited {
            Ok(edited) => {
                write_list(out, &edited.fixes, write_fix);
                put(put(out, "\n"), &edited.text);
            }
            Err(failure) => write_failure(&failure, out),
        })
    })
}

fn write_fix(out: &mut String, EditFix { kind, position }: &EditFix) {
    write_string(put(out, "{\"code\":"), kind.name());
    write_string(put(out, ",\"message\":"), kind.meaning());
    write_index(put(out, ",\"position\":{\"offset\":"), position.offset);
    write_index(put(out, ",\"line\":"), position.line);
    write_index(put(out, ",\"column\":"), position.column);
    put(out, "}}");
}

fn write_failure(failure: &EditFailure<'_>, out: &mut String) {
    put(out, "{\"matches\":");
    match failure {
        EditFailure::Several { count, lines } => {
            write_index(out, *count);
            write_list(put(out, ",\"lines\":"), lines, |out, line| write_index(out, *line));
        }
        EditFailure::NotFound { nearest, difference } => {
            write_index(out, 0);
            if let Some(found) = nearest {
                write_index(put(out, ",\"nearest\":{\"line\":"), found.line);
                write_string(put(out, ",\"text\":"), found.text);
                put(out, "}");
            }
            if let Some(Difference { position, found, sent }) = difference {
                write_index(put(out, ",\"difference\":{\"line\":"), position.line);
                write_index(put(out, ",\"column\":"), position.column);
                write_char(put(out, ",\"found\":"), *found);
                write_char(put(out, ",\"sent\":"), *sent);
                put(out, "}");
            }
        }
    }
    put(out, "}");
}

/// A code point as `"U+00A0"`; `null` for none.
fn write_char(out: &mut String, char: Option<char>) {
    match char {
        None => _ = put(out, "null"),
        Some(char) => {
            write_hex(put(out, "\"U+"), char.into());
            put_char(out, '"');
        }
    }
}

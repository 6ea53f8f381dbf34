//! What a file tool does to a text.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::files::{EditFailure, edit};
use crate::value::{parse, put, write_index, write_list, write_string};

/// The texts `text`, `old` and `new` as a JSON list; answers `=` and the new text, or `{matches, lines?, nearest?: {line, text}}`.
#[wasm_bindgen]
pub fn edit_text(bytes: usize) -> usize {
    with_text(bytes, |input| {
        let texts = parse(input, 1).unwrap_or_default();
        let text = |place| texts.as_array().and_then(|texts| texts.get(place)?.as_str()).unwrap_or_default();
        let edited = edit(text(0), text(1), text(2));
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

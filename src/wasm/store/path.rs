//! The path grammar, without a store.

use wasm_bindgen::prelude::*;

use super::super::io::{respond, with_text};
use crate::patch::{PathExpr, Refusal};
use crate::value::{parse, put, put_char, write_string};

/// Reads the path in the input: `{"ok":true,"segments":[…]}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
#[must_use]
pub fn parse_path(bytes: usize, open: bool) -> usize {
    let path = with_text(bytes, |text| {
        let path = PathExpr::parse(text, crate::limits::DEEPEST)?;
        if open { Ok(path) } else { path.check_page().map(|()| path) }
    });
    respond(|out| match path {
        Ok(path) => path.write_json(out),
        Err(refusal) => refused(out, &refusal),
    })
}

/// Writes the segments in the input as a path: `{"ok":true,"text":…}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
#[must_use]
pub fn format_path(bytes: usize) -> usize {
    let text = with_text(bytes, |text| parse(text, 4).ok()).and_then(|list| PathExpr::from_json(&list));
    let text = text.map(|path| path.to_text());
    respond(|out| match text {
        Some(Ok(text)) => {
            write_string(put(out, "{\"ok\":true,\"text\":"), &text);
            put_char(out, '}');
        }
        Some(Err(refusal)) => refused(out, &refusal),
        None => _ = put(out, "{\"ok\":false}"),
    })
}

fn refused(out: &mut String, refusal: &Refusal) {
    refusal.write_json(put(out, "{\"ok\":false,\"error\":"));
    put_char(out, '}');
}

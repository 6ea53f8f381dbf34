//! The path grammar, without a store.

use wasm_bindgen::prelude::*;

use super::super::io::{respond, with_text};
use crate::patch::{PathExpr, Refusal};
use crate::value::parse;

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
            out.push_str("{\"ok\":true,\"text\":");
            crate::value::write_string(out, &text);
            out.push('}');
        }
        Some(Err(refusal)) => refused(out, &refusal),
        None => out.push_str("{\"ok\":false}"),
    })
}

fn refused(out: &mut String, refusal: &Refusal) {
    out.push_str("{\"ok\":false,\"error\":");
    refusal.write_json(out);
    out.push('}');
}

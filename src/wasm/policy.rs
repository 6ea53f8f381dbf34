//! `checkPath`: its arguments come as one JSON text, its answer goes as one.

use crate::value::text::owned;
use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::policy::{CheckedPath, Policy, Refusal, check_path as check};
use crate::value::{Value, parse, put, write_list, write_string};

/// No argument is nested deeper than `{policy: {roots: []}}`.
const DEPTH: usize = 8;

/// Reads `{path, policy?}`; answers `{ok: true, path, warnings}`, `{ok: false, reason, message}` or, for a bad policy,
/// `{misuse}`.
#[wasm_bindgen]
#[must_use]
pub fn check_path(bytes: usize) -> usize {
    with_text(bytes, |question| respond(|out| answer(question, out)))
}

fn answer(question: &str, out: &mut String) {
    let question = parse(question, DEPTH);
    let policy = match &question {
        Ok(question) => Policy::from_value(question.get("policy").unwrap_or(&Value::Null)),
        Err(_) => Err(owned("The policy is nested too deeply.")),
    };
    match policy {
        Err(fault) => {
            put(out, "{\"misuse\":");
            write_string(out, &fault);
        }
        Ok(policy) => {
            let path = question.as_ref().ok().and_then(|question| question.get("path")?.as_str()).unwrap_or_default();
            match check(path, &policy) {
                Ok(CheckedPath { path, warnings }) => {
                    put(out, "{\"ok\":true,\"path\":");
                    write_string(out, &path);
                    put(out, ",\"warnings\":");
                    write_list(out, warnings, |out, warning| write_string(out, &warning));
                }
                Err(Refusal { reason, message }) => {
                    put(out, "{\"ok\":false,\"reason\":");
                    write_string(out, reason);
                    put(out, ",\"message\":");
                    write_string(out, &message);
                }
            }
        }
    }
    put(out, "}");
}

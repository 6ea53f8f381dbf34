//! The export behind `checkPath` in JavaScript. Arguments and result each cross as one JSON text.

use crate::value::text::owned;
use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::policy::{CheckedPath, Policy, Refusal, check_path as check};
use crate::value::{Value, parse, put, write_list, write_string};

/// The maximum depth of the arguments: more than the 3 of `{policy: {roots: []}}`, so that an error names a value that is nested
/// deeper.
const DEPTH: usize = 8;

/// Parses `{path, policy?}`, given as the first `bytes` of the input buffer. Writes `{ok: true, path, warnings}`,
/// `{ok: false, reason, message}` or, for an invalid policy, `{misuse}`, and returns the length in bytes.
#[wasm_bindgen]
pub fn check_path(bytes: usize) -> usize {
    with_text(bytes, |question| respond(|out| answer(question, out)))
}

/// Appends the answer to the question `{path, policy?}`.
fn answer(question: &str, out: &mut String) {
    let too_deep = |_| owned("The policy is nested too deeply.");
    let result = parse(question, DEPTH).map_err(too_deep).and_then(|question| {
        let policy = Policy::from_value(question.get("policy").unwrap_or(&Value::Null))?;
        Ok(check(question.get("path").and_then(Value::as_str).unwrap_or_default(), &policy))
    });
    match result {
        Err(fault) => write_string(put(out, "{\"misuse\":"), &fault),
        Ok(Ok(CheckedPath { path, warnings })) => {
            write_string(put(out, "{\"ok\":true,\"path\":"), &path);
            write_list(put(out, ",\"warnings\":"), warnings, |out, warning| write_string(out, &warning));
        }
        Ok(Err(Refusal { reason, message })) => {
            write_string(put(out, "{\"ok\":false,\"reason\":"), reason);
            write_string(put(out, ",\"message\":"), &message);
        }
    }
    put(out, "}");
}

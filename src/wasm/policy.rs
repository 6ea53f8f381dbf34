//! `checkPath`: its arguments come as one JSON text, its answer goes as one.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::policy::{Policy, check_path as check};
use crate::value::{Object, Value, parse};

/// No argument is nested deeper than `{policy: {roots: []}}`.
const DEPTH: usize = 8;

/// Reads `{path, policy?}`; answers `{ok: true, path, warnings}`, `{ok: false, reason, message}` or, for a bad policy,
/// `{misuse}`.
#[wasm_bindgen]
#[must_use]
pub fn check_path(bytes: usize) -> usize {
    let answer = with_text(bytes, answer);
    respond(|out| answer.write_json(out))
}

fn answer(question: &str) -> Value {
    let mut answer = Object::new();
    let policy = match parse(question, DEPTH) {
        Ok(question) => match Policy::from_value(question.get("policy").unwrap_or(&Value::Null)) {
            Ok(policy) => Ok((policy, question)),
            Err(fault) => Err(fault),
        },
        Err(_) => Err("The policy is nested too deeply.".to_owned()),
    };
    match policy {
        Err(fault) => drop(answer.set("misuse", fault.into())),
        Ok((policy, question)) => {
            let path = question.get("path").and_then(Value::as_str).unwrap_or_default();
            let checked = check(path, &policy);
            answer.set("ok", checked.is_ok().into());
            match checked {
                Ok(checked) => {
                    let mut warnings = Vec::new();
                    for warning in checked.warnings {
                        warnings.push(warning.into());
                    }
                    answer.set("path", checked.path.into());
                    answer.set("warnings", Value::from(warnings));
                }
                Err(refusal) => {
                    answer.set("reason", refusal.reason.into());
                    answer.set("message", refusal.message.into());
                }
            }
        }
    }
    answer.into()
}

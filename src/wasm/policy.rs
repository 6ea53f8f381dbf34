//! `checkPath`: its arguments come as one JSON text, its answer goes as one.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::policy::{Policy, Refusal, check_path as check};
use crate::value::{Object, Value, parse};

/// No argument is nested deeper than `{policy: {roots: []}}`.
const DEPTH: usize = 8;

/// Reads `{path, policy?}`; answers `{ok: true, path, warnings}`, `{ok: false, reason, message}` or, for a bad policy,
/// `{misuse}`.
#[wasm_bindgen]
#[must_use]
pub fn check_path(bytes: usize) -> usize {
    answer(bytes, |arguments| {
        let policy = Policy::from_value(arguments.get("policy").unwrap_or(&Value::Null))?;
        Ok(check(text(arguments, "path")?, &policy).map(|checked| {
            let warnings: Vec<Value> = checked.warnings.into_iter().map(Value::from).collect();
            vec![("path", checked.path.into()), ("warnings", warnings.into())]
        }))
    })
}

type Fields = Vec<(&'static str, Value)>;

fn answer(bytes: usize, run: impl FnOnce(&Value) -> Result<Result<Fields, Refusal>, String>) -> usize {
    let result = with_text(bytes, |text| match parse(text, DEPTH) {
        Ok(arguments) => run(&arguments),
        Err(_) => Err("The policy is nested too deeply.".to_owned()),
    });
    let fields = match result {
        Ok(Ok(fields)) => [vec![("ok", true.into())], fields].concat(),
        Ok(Err(refusal)) => {
            vec![("ok", false.into()), ("reason", refusal.reason.into()), ("message", refusal.message.into())]
        }
        Err(misuse) => vec![("misuse", misuse.into())],
    };
    let mut object = Object::new();
    for (key, value) in fields {
        object.set(key, value);
    }
    respond(|out| Value::from(object).write_json(out))
}

fn text<'a>(arguments: &'a Value, key: &str) -> Result<&'a str, String> {
    arguments.get(key).and_then(Value::as_str).ok_or_else(|| format!("The {key} must be a string."))
}

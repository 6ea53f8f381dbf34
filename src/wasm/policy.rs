//! `checkPath`.

use wasm_bindgen::prelude::*;

use super::url::{answer, text};
use crate::block::policy::{Policy, check_path as check};
use crate::value::Value;

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

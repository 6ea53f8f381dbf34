//! `checkPath` and `safeUrl` take their arguments as one JSON text, and answer with one.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::policy::Refusal;
use crate::block::url::{UrlKind, safe_url as safe};
use crate::value::{Object, Value, parse};

/// No argument is nested deeper than `{policy: {roots: []}}`.
const DEPTH: usize = 8;

/// Reads `{url, kind}`; answers `{ok: true, url}`, `{ok: false, reason, message}` or, for an unknown kind, `{misuse}`.
#[wasm_bindgen]
#[must_use]
pub fn safe_url(bytes: usize) -> usize {
    answer(bytes, |arguments| {
        let kind = UrlKind::from_name(text(arguments, "kind")?).ok_or("The kind of a URL is \"link\" or \"image\".")?;
        Ok(safe(text(arguments, "url")?, kind).map(|url| vec![("url", url.into())]))
    })
}

type Fields = Vec<(&'static str, Value)>;

pub(super) fn answer(bytes: usize, run: impl FnOnce(&Value) -> Result<Result<Fields, Refusal>, String>) -> usize {
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

pub(super) fn text<'a>(arguments: &'a Value, key: &str) -> Result<&'a str, String> {
    arguments.get(key).and_then(Value::as_str).ok_or_else(|| format!("The {key} must be a string."))
}

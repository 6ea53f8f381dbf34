//! The first document of a new instance.

use super::call::Dialect;
use super::rules::Rules;
use crate::value::{Object, Value, parse};

const SNAKE: &str =
    r#"{"page_key":"","state":{"params":{},"runtime":{}},"layout":{"type":"single"},"blocks":[],"actions":[]}"#;
const CAMEL: &str = r#"{"meta":{"pageKey":"","step":{"current":1,"total":1},"status":"idle"},
"state":{"params":{},"runtime":{}},"layout":{"type":"single"},"blocks":[],"actions":[]}"#;

/// The document of a new instance, before its call's patches: its page key in the call's dialect, and nothing else.
#[must_use]
pub fn document(name: &str, dialect: Dialect) -> Value {
    let (text, key) = match dialect {
        Dialect::Snake => (SNAKE, "page_key"),
        Dialect::Camel => (CAMEL, "pageKey"),
    };
    let mut document = parse(text, 4).unwrap_or_default();
    if let Value::Object(parts) = &mut document {
        match parts.get_mut("meta") {
            Some(Value::Object(meta)) => meta.set(key, name.into()),
            _ => parts.set(key, name.into()),
        };
    }
    document
}

/// A first document with the parts of a page's document that it leaves out. A free document is whole as it is; of the
/// two spellings of the page key one is enough.
pub(super) fn complete(mut document: Object, started: &Value, rules: Rules) -> Object {
    let keyed = document.contains("page_key") || document.contains("meta");
    if let (Rules::Ui, Value::Object(started)) = (rules, started) {
        for (part, value) in started.iter() {
            let is_other_key = keyed && matches!(part, "page_key" | "meta");
            if !is_other_key && !document.contains(part) {
                document.set(part, value.clone());
            }
        }
    }
    document
}

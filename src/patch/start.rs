//! What a new instance starts from.

use super::call::Dialect;
use super::rules::Rules;
use crate::value::{Object, Value};

/// The document of a new instance, before its call's patches: its page key in the call's dialect, and nothing else.
#[must_use]
pub fn document(name: &str, dialect: Dialect) -> Value {
    let object = |entries: Vec<(&str, Value)>| Value::Object(entries.into_iter().collect());
    let key = match dialect {
        Dialect::Snake => ("page_key", Value::from(name)),
        Dialect::Camel => {
            let step = object(vec![("current", Value::Number(1.0)), ("total", Value::Number(1.0))]);
            ("meta", object(vec![("pageKey", name.into()), ("step", step), ("status", "idle".into())]))
        }
    };
    object(vec![
        key,
        ("state", object(vec![("params", object(Vec::new())), ("runtime", object(Vec::new()))])),
        ("layout", object(vec![("type", "single".into())])),
        ("blocks", Vec::new().into()),
        ("actions", Vec::new().into()),
    ])
}

/// A first document with the parts of a page's document that it leaves out. A free document is whole as it is; of the
/// two spellings of the page key one is enough.
pub(super) fn complete(mut document: Object, started: &Value, rules: Rules) -> Object {
    let keyed = document.contains("page_key") || document.contains("meta");
    if let (Rules::Ui, Value::Object(started)) = (rules, started) {
        for (part, value) in started.iter() {
            let is_key = matches!(part, "page_key" | "meta");
            let there = document.contains(part) || (is_key && keyed);
            if !there {
                document.set(part, value.clone());
            }
        }
    }
    document
}

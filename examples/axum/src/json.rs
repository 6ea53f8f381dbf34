//! JSON values of messages and entries.

use genui_patch::value::{Object, Value, parse};

use crate::limits;

/// An object with these members.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let mut object = Object::new();
    for (key, value) in members {
        object.set(key, value);
    }
    Value::Object(object)
}

/// The object with another member.
pub(crate) fn with(mut value: Value, key: &str, member: Value) -> Value {
    if let Value::Object(object) = &mut value {
        object.set(key, member);
    }
    value
}

/// Numbers of entries stay below 2^53.
pub(crate) fn number(count: u64) -> Value {
    Value::Number(count as f64)
}

/// A whole number that is not negative.
pub(crate) fn as_count(value: &Value) -> Option<u64> {
    let number = value.as_number()?;
    (number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number)).then_some(number as u64)
}

pub(crate) fn read(text: &str) -> Option<Value> {
    parse(text, limits::DEPTH).ok()
}

/// The text of a member.
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str()
}

/// `{code, message, solution}`
pub(crate) fn error(code: &str, message: &str, solution: &str) -> Value {
    object([("code", code.into()), ("message", message.into()), ("solution", solution.into())])
}

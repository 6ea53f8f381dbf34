//! Equality of two values by their JSON text: the order of keys counts.

use super::Value;

/// Equal, and with the keys of every object in the same order: the texts of the two are the same.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((x, a), (y, b))| x == y && same(a, b))
        }
        _ => a == b,
    }
}

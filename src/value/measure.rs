//! The size of a value, for the limits.

use super::Value;

/// The size of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// The approximate bytes of the JSON text: escapes do not count, a number counts 8, `null` and booleans count 4.
    pub bytes: usize,
    /// The value itself and all values in it.
    pub values: usize,
    /// How deep lists and objects are nested; 0 for a scalar.
    pub depth: usize,
    /// Whether it contains an infinite number, e.g. from the text `1e400`.
    pub infinite: bool,
}

/// Measures a value in one walk.
pub fn measure(value: &Value) -> Measure {
    match value {
        Value::Null | Value::Bool(_) => scalar(4),
        Value::Number(number) => Measure { infinite: !number.is_finite(), ..scalar(8) },
        // Two quotes.
        Value::String(text) => scalar(text.len() + 2),
        Value::Array(items) => items.iter().fold(EMPTY, Measure::with_child),
        Value::Object(object) => object.iter().fold(EMPTY, |sum, (key, value)| {
            let sum = sum.with_child(value);
            // Two quotes and the colon.
            Measure { bytes: sum.bytes + key.len() + 3, ..sum }
        }),
    }
}

/// An empty list or object: two brackets.
const EMPTY: Measure = Measure { bytes: 2, values: 1, depth: 1, infinite: false };

const fn scalar(bytes: usize) -> Measure {
    Measure { bytes, values: 1, depth: 0, infinite: false }
}

impl Measure {
    /// The size of a list or object after one more child, with a comma.
    fn with_child(self, child: &Value) -> Self {
        let child = measure(child);
        Self {
            bytes: self.bytes + child.bytes + 1,
            values: self.values + child.values,
            depth: self.depth.max(child.depth + 1),
            infinite: self.infinite || child.infinite,
        }
    }
}

//! How big a value is, for the limits.

use super::Value;

/// The size of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// About the bytes of its JSON text: escapes are not counted, a number counts 8.
    pub bytes: usize,
    /// How many lists and objects stand inside each other; 0 for a scalar.
    pub depth: usize,
    /// Whether a number is in it that JSON cannot write, such as the one that `1e400` reads as.
    pub infinite: bool,
}

/// Measures a value in one walk.
pub fn measure(value: &Value) -> Measure {
    match value {
        Value::Null | Value::Bool(_) => Measure { bytes: 4, ..Measure::default() },
        Value::Number(number) => Measure { bytes: 8, depth: 0, infinite: !number.is_finite() },
        Value::String(text) => Measure { bytes: text.len() + 2, ..Measure::default() },
        Value::Array(items) => items.iter().fold(Measure { bytes: 2, depth: 1, infinite: false }, Measure::around),
        Value::Object(object) => {
            object.iter().fold(Measure { bytes: 2, depth: 1, infinite: false }, |sum, (key, value)| {
                let sum = sum.around(value);
                Measure { bytes: sum.bytes + key.len() + 3, ..sum }
            })
        }
    }
}

impl Measure {
    fn around(self, inner: &Value) -> Self {
        let inner = measure(inner);
        Self {
            bytes: self.bytes + inner.bytes + 1,
            depth: self.depth.max(inner.depth + 1),
            infinite: self.infinite || inner.infinite,
        }
    }
}

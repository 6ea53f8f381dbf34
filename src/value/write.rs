//! Writes values as JSON text, like `JSON.stringify`.

use super::scan::run_length;
use super::text::{put, put_char};
use super::{Step, Value, write_index, write_number};

impl Value {
    /// Appends the compact JSON text of the value. An infinite number becomes `1e999`, which parses as infinite.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => write_number(out, *number),
            Self::String(text) => write_string(out, text),
            Self::Array(items) => write_list(out, items, |out, item| item.write_json(out)),
            Self::Object(object) => {
                out.push('{');
                for (index, (key, value)) in object.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(out, key);
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }
}

/// Appends a JSON list; `write_item` appends each of its items.
pub(crate) fn write_list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write_item: impl FnMut(&mut String, T),
) {
    // The text before the next item: the bracket before the first one, then a comma.
    let mut separator = '[';
    for item in items {
        write_item(put_char(out, separator), item);
        separator = ',';
    }
    put(out, if separator == '[' { "[]" } else { "]" });
}

/// Appends strings as a JSON list.
pub(crate) fn write_strings(out: &mut String, texts: &[Box<str>]) {
    write_list(out, texts, |out, text| write_string(out, text));
}

/// Appends a path as a JSON list of keys and indexes.
pub fn path_to_json(out: &mut String, path: &[Step]) {
    write_list(out, path, |out, step| match step {
        Step::Key(key) => write_string(out, key),
        Step::Index(index) => write_index(out, *index),
    });
}

/// Appends a string with quotes and escapes.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    loop {
        let run = run_length(rest.as_bytes(), b'"');
        out.push_str(rest.get(..run).unwrap_or_default());
        let Some(byte) = rest.as_bytes().get(run) else { break };
        write_escape(out, *byte);
        rest = rest.get(run + 1..).unwrap_or_default();
    }
    out.push('"');
}

/// Appends the escape of a byte: a quote, a backslash, or a control character.
pub(crate) fn write_escape(out: &mut String, byte: u8) {
    let escape = match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0c => "\\f",
        _ => "\\u00",
    };
    out.push_str(escape);
    let lacks_digits = escape.len() > 2;
    if lacks_digits {
        for digit in [byte >> 4, byte & 15] {
            out.push(char::from_digit(digit.into(), 16).unwrap_or_default());
        }
    }
}

/// Whether two values have the same JSON text: they are equal, and the order of keys counts.
pub(crate) fn is_same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_json(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|((x, a), (y, b))| x == y && is_same_json(a, b))
        }
        _ => a == b,
    }
}

//! JSON text out of values, as `JSON.stringify` writes it.

use std::fmt::Write as _;

use super::Value;

impl Value {
    /// Appends the compact JSON text of the value. An infinite number, which only text can bring in, is written as
    /// `1e999`, so that it reads back as what it was.
    pub fn write_json(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => write_number(out, *number),
            Self::String(text) => write_string(out, text),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
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

/// Appends a string with its quotes, escaped where JSON asks for it.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut clean = 0;
    for (place, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(text.get(clean..place).unwrap_or_default());
        clean = place + 1;
        if escape.is_empty() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{byte:04x}");
        } else {
            out.push_str(escape);
        }
    }
    out.push_str(text.get(clean..).unwrap_or_default());
    out.push('"');
}

/// Appends a number as ECMAScript's `Number::toString` writes it (ECMA-262, 6.1.6.1.20).
pub fn write_number(out: &mut String, number: f64) {
    if !number.is_finite() {
        out.push_str(if number > 0.0 { "1e999" } else { "-1e999" });
        return;
    }
    if number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0 {
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2^53")]
        write_integer(out, number as i64);
        return;
    }
    // Rust's `{:e}` gives the shortest digits that read back the same, which is what ECMAScript asks for.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if number < 0.0 {
        out.push('-');
    }
    let split = usize::try_from(point.clamp(0, count)).unwrap_or_default();
    let (whole, fraction) = digits.split_at(split);
    match point {
        ..=-6 | 22.. => {
            let (first, rest) = digits.split_at(1);
            out.push_str(first);
            if !rest.is_empty() {
                out.push('.');
                out.push_str(rest);
            }
            let _ = write!(out, "e{}{}", if point > 0 { '+' } else { '-' }, (point - 1).abs());
        }
        -5..=0 => {
            out.push_str("0.");
            (point..0).for_each(|_| out.push('0'));
            out.push_str(&digits);
        }
        1..=21 => {
            out.push_str(whole);
            if fraction.is_empty() {
                (count..point).for_each(|_| out.push('0'));
            } else {
                out.push('.');
                out.push_str(fraction);
            }
        }
    }
}

fn write_integer(out: &mut String, integer: i64) {
    let mut digits = [0_u8; 20];
    let mut place = digits.len();
    let mut rest = integer.unsigned_abs();
    loop {
        place -= 1;
        #[expect(clippy::cast_possible_truncation, reason = "a digit")]
        if let Some(digit) = digits.get_mut(place) {
            *digit = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if integer < 0 {
        out.push('-');
    }
    out.push_str(std::str::from_utf8(digits.get(place..).unwrap_or_default()).unwrap_or_default());
}

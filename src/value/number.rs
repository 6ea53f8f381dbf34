//! Numbers in JSON text: read exactly, written as ECMAScript writes them.
//!
//! Most numbers are short: their digits and their power of ten are exact doubles, so one product or quotient of the two is
//! rounded correctly. The platform converts the others.

use crate::platform;

/// 10^22 is the largest power of ten that is a double.
const MAX_POWER: u32 = 22;
/// Below this every integer is a double.
const EXACT: u64 = 1 << 53;

/// Reads a number of the JSON grammar (RFC 8259, section 6); `None` for anything else.
pub(super) fn parse_number(text: &str) -> Option<f64> {
    let mut rest = text.as_bytes();
    let negative = skip_one_of(&mut rest, b"-");
    let mut digits = Digits::default();
    let zero = rest.first() == Some(&b'0');
    let whole = digits.read(&mut rest);
    if whole == 0 || (zero && whole > 1) {
        return None;
    }
    let mut exponent = 0_i64;
    if skip_one_of(&mut rest, b".") {
        let fraction = digits.read(&mut rest);
        if fraction == 0 {
            return None;
        }
        exponent = -i64::try_from(fraction).unwrap_or(i64::MAX);
    }
    if skip_one_of(&mut rest, b"eE") {
        let minus = rest.first() == Some(&b'-');
        skip_one_of(&mut rest, b"+-");
        let mut power = Digits::default();
        if power.read(&mut rest) == 0 {
            return None;
        }
        // More than 6 digits are beyond every double, so any large power does.
        let power = if power.count > 6 { 1_000_000 } else { i64::try_from(power.value).unwrap_or_default() };
        exponent = exponent.saturating_add(if minus { -power } else { power });
    }
    if !rest.is_empty() {
        return None;
    }
    let power = u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX);
    if digits.count > 19 || digits.value >= EXACT || power > MAX_POWER {
        // `+ 0.0` turns -0 into 0.
        return Some(platform::parse_decimal(text) + 0.0);
    }
    let value = digits.value as f64;
    let value = if exponent < 0 { value / power_of_ten(power) } else { value * power_of_ten(power) };
    Some(if negative && value != 0.0 { -value } else { value })
}

pub(crate) fn is_number(text: &str) -> bool {
    parse_number(text).is_some()
}

/// Decimal digits without leading zeros. `value` is exact for up to 19 digits.
#[derive(Default)]
struct Digits {
    value: u64,
    count: u32,
}

impl Digits {
    /// Removes the digits at the front of a text, and returns how many there were.
    fn read(&mut self, text: &mut &[u8]) -> usize {
        let mut length = 0;
        while let Some((digit @ b'0'..=b'9', rest)) = text.split_first() {
            self.value = self.value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'));
            self.count += u32::from(self.count > 0 || *digit != b'0');
            *text = rest;
            length += 1;
        }
        length
    }
}

/// Removes the first byte of a text if it is one of `bytes`. Returns whether it was.
fn skip_one_of(text: &mut &[u8], bytes: &[u8]) -> bool {
    match text.split_first() {
        Some((first, rest)) if bytes.contains(first) => {
            *text = rest;
            true
        }
        Some(_) | None => false,
    }
}

fn power_of_ten(power: u32) -> f64 {
    (0..power).fold(1.0, |product, _| product * 10.0)
}

/// Appends a number as ECMAScript's `Number::toString` writes it (ECMA-262, 6.1.6.1.20).
pub fn write_number(out: &mut String, number: f64) {
    if !number.is_finite() {
        out.push_str(if number > 0.0 { "1e999" } else { "-1e999" });
        return;
    }
    let size = number.abs();
    if !(1e-6..1e15).contains(&size) && size != 0.0 {
        platform::write_decimal(out, number);
        return;
    }
    // The fewest decimal places with which a short decimal is exactly this double.
    for places in 0..=9 {
        let power = power_of_ten(places);
        let scaled = (size * power).round();
        if scaled < 1e15 && scaled / power == size {
            if number < 0.0 {
                out.push('-');
            }
            write_short(out, scaled as u64, places as usize);
            return;
        }
    }
    platform::write_decimal(out, number);
}

/// Appends an index or a count.
pub fn write_index(out: &mut String, index: usize) {
    write_short(out, index as u64, 0);
}

/// Appends an integer that counts units of 10^-`places`.
fn write_short(out: &mut String, mut units: u64, places: usize) {
    let mut text = [0_u8; 24];
    let mut at = text.len();
    let mut written = 0;
    while units > 0 || written <= places {
        for char in [Some(b'0' + (units % 10) as u8), (places > 0 && written + 1 == places).then_some(b'.')] {
            if let Some(char) = char
                && let Some(cell) = text.get_mut(at - 1)
            {
                *cell = char;
                at -= 1;
            }
        }
        units /= 10;
        written += 1;
    }
    out.push_str(std::str::from_utf8(text.get(at..).unwrap_or_default()).unwrap_or_default());
}

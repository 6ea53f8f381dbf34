//! Numbers in JSON text: read exactly, written as ECMAScript writes them.
//!
//! Most numbers are short: their digits and their power of ten are exact doubles, so one product or quotient of the two is
//! rounded correctly. The platform converts the others.

use crate::platform;

/// 10^22 is the largest power of ten that is exactly a double.
const MAX_POWER: u32 = 22;
/// Every integer below this is exactly a double.
const INEXACT_FROM: u64 = 1 << 53;
/// Every number that has at most this many decimal digits fits into a `u64`.
const MAX_DIGITS: u32 = 19;

/// Reads a number of the JSON grammar (RFC 8259, section 6); `None` for anything else.
pub(super) fn parse_number(text: &str) -> Option<f64> {
    let mut rest = text.as_bytes();
    let is_negative = skip_one_of(&mut rest, b"-");
    let mut digits = Digits::default();
    let starts_with_zero = rest.first() == Some(&b'0');
    let whole_length = digits.read(&mut rest);
    if whole_length == 0 || (starts_with_zero && whole_length > 1) {
        return None;
    }
    let mut exponent = 0_i64;
    if skip_one_of(&mut rest, b".") {
        let fraction_length = digits.read(&mut rest);
        if fraction_length == 0 {
            return None;
        }
        // `digits` is now the number without its point.
        exponent = -i64::try_from(fraction_length).unwrap_or(i64::MAX);
    }
    if skip_one_of(&mut rest, b"eE") {
        let is_power_negative = rest.first() == Some(&b'-');
        skip_one_of(&mut rest, b"+-");
        let mut power = Digits::default();
        if power.read(&mut rest) == 0 {
            return None;
        }
        // No fraction is long enough to outweigh a power with more digits. Fewer digits than `MAX_DIGITS` fit into an `i64`.
        const HUGE_POWER: i64 = 1_000_000_000_000_000_000;
        let power = if power.count < MAX_DIGITS { power.value as i64 } else { HUGE_POWER };
        exponent = exponent.saturating_add(if is_power_negative { -power } else { power });
    }
    if !rest.is_empty() {
        return None;
    }
    let power = u32::try_from(exponent.unsigned_abs()).unwrap_or(u32::MAX);
    let are_digits_exact = digits.count <= MAX_DIGITS && digits.value < INEXACT_FROM;
    if !are_digits_exact || power > MAX_POWER {
        // `+ 0.0` turns -0 into 0.
        return Some(platform::parse_decimal(text) + 0.0);
    }
    let value = digits.value as f64;
    let value = if exponent < 0 { value / power_of_ten(power) } else { value * power_of_ten(power) };
    // `-0` is read as 0.
    Some(if is_negative && value != 0.0 { -value } else { value })
}

pub(crate) fn is_number(text: &str) -> bool {
    parse_number(text).is_some()
}

/// Decimal digits that have been read.
#[derive(Default)]
struct Digits {
    /// The number that they write, which is correct for up to [`MAX_DIGITS`] digits.
    value: u64,
    /// Their number without leading zeros.
    count: u32,
}

impl Digits {
    /// Adds the digits at the front of a text, and removes them from it. Returns how many there were, with leading zeros.
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

/// 10^`power`, exact up to [`MAX_POWER`].
fn power_of_ten(power: u32) -> f64 {
    (0..power).fold(1.0, |product, _| product * 10.0)
}

/// Appends a number as ECMAScript's `Number::toString` writes it (ECMA-262, 6.1.6.1.20). JSON has no infinity: it is written as
/// `1e999` or `-1e999`, which are read as infinite.
pub fn write_number(out: &mut String, number: f64) {
    if !number.is_finite() {
        out.push_str(if number > 0.0 { "1e999" } else { "-1e999" });
        return;
    }
    let size = number.abs();
    // Below 1e-6, ECMAScript writes an exponent; large numbers have more digits than the loop below can prove to be right.
    if !(1e-6..MAX_SHORT).contains(&size) && size != 0.0 {
        platform::write_decimal(out, number);
        return;
    }
    // ECMAScript writes the shortest decimal that is read as this double. No two decimals of at most 15 digits are read as the
    // same double, so the first that is found is the shortest. More than nine decimal places are rare.
    for places in 0..=9 {
        let power = power_of_ten(places);
        let units = (size * power).round();
        if units < MAX_SHORT && units / power == size {
            if number < 0.0 {
                out.push('-');
            }
            write_short(out, units as u64, places as usize);
            return;
        }
    }
    platform::write_decimal(out, number);
}

/// Integers below this have at most 15 digits.
const MAX_SHORT: f64 = 1e15;

/// Appends an index or a count.
pub fn write_index(out: &mut String, index: usize) {
    let decimal_places = 0;
    write_short(out, index as u64, decimal_places);
}

/// Appends a number of units of 10^-`places`: 1234 units with 2 places are `12.34`.
///
/// It fills a buffer from its end, the last digit first, with the point after `places` digits. There is at least one digit
/// before the point.
fn write_short(out: &mut String, mut units: u64, places: usize) {
    // The 20 digits of the largest `u64`, and a point, fit.
    let mut buffer = [0_u8; 24];
    // The text is written from its end: it begins here so far.
    let mut start = buffer.len();
    let mut digits = 0;
    while units > 0 || digits <= places {
        let digit = b'0' + (units % 10) as u8;
        units /= 10;
        digits += 1;
        let point = (places > 0 && digits == places).then_some(b'.');
        for char in [Some(digit), point] {
            if let Some(char) = char
                && let Some(cell) = buffer.get_mut(start - 1)
            {
                *cell = char;
                start -= 1;
            }
        }
    }
    out.push_str(std::str::from_utf8(buffer.get(start..).unwrap_or_default()).unwrap_or_default());
}

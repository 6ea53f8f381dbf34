//! Portable approvals: a user's decision, signed by a server of rooms, that another process checks before it executes a call.
//!
//! An approval is the JSON object that `room.approval(id)` of the npm package's server returns: `{proposal, digest, decision,
//! edits, user, time, signature}`, with `expires` where the server has set `approvalAge`. Its digest is that of the exact call
//! and of the number of the log's entry that proposed it; its signature, HMAC-SHA-256, covers everything else in it.
//!
//! ```
//! use genui_patch::approval::{ApprovalCheck, verify_approval};
//! use genui_patch::value::parse;
//! use std::time::SystemTime;
//!
//! let key = "a key of at least thirty-two characters";
//! let call = parse(r#"{"instance_name": "page", "patches": []}"#, 128).unwrap();
//! let approval = parse(r#"{"decision": "approved", "digest": "…", "signature": "…"}"#, 128).unwrap();
//! let check = ApprovalCheck { keys: &[key], call: &call, revision: 7, max_age: None, now: SystemTime::now() };
//! assert_eq!(verify_approval(&approval, &check), Ok(false));
//! ```

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::value::{Object, Value, utf16_len, write_index, write_list, write_string};

/// The least length of a key, in UTF-16 units as JavaScript counts them.
const MIN_KEY_LENGTH: usize = 32;
/// The bytes of a signature, and of a SHA-256.
const HASH_BYTES: usize = 32;

/// What [`verify_approval`] checks an approval against.
#[derive(Clone, Copy, Debug)]
pub struct ApprovalCheck<'a> {
    /// The keys of the server, the newest first: while keys rotate, two. At least 32 characters each.
    pub keys: &'a [&'a str],
    /// The call that is to be executed.
    pub call: &'a Value,
    /// The number of the log's entry that proposed it: `entry` of the proposal.
    pub revision: usize,
    /// The time after the decision in which an approval is valid. `None`: it does not expire, unless it has a member `expires`.
    pub max_age: Option<Duration>,
    /// The time at which it is checked: `SystemTime::now()`, which WebAssembly does not have.
    pub now: SystemTime,
}

/// The error of a list of keys that is empty, or has a key that is too short to be secure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyError;

impl std::fmt::Display for KeyError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the keys must be a list of strings of at least 32 characters each")
    }
}

impl std::error::Error for KeyError {}

/// Whether an approval is signed by one of the keys, approves, and is about exactly this call at this revision.
///
/// It is the same function as `verifyApproval` of the npm package, with two exceptions, in both of which it says no: a call
/// with a lone surrogate, which a string of Rust cannot hold, and, with `max_age` or `expires`, a time not in the form of
/// RFC 3339, which the package's server writes.
///
/// # Errors
/// Keys that are missing or too short.
pub fn verify_approval(approval: &Value, check: &ApprovalCheck<'_>) -> Result<bool, KeyError> {
    if check.keys.is_empty() || check.keys.iter().any(|key| utf16_len(key) < MIN_KEY_LENGTH) {
        return Err(KeyError);
    }
    let Value::Object(approval) = approval else { return Ok(false) };
    let text = |key: &str| approval.get(key).and_then(Value::as_str);
    let Some(signature) = text("signature").and_then(read_signature) else { return Ok(false) };
    if text("decision") != Some("approved") || text("digest") != Some(&digest_of(check.call, check.revision)) {
        return Ok(false);
    }
    if let Some(max_age) = check.max_age {
        let Some(decision_time) = text("time").and_then(milliseconds_of) else { return Ok(false) };
        if milliseconds_since_epoch(check.now) - decision_time
            > i128::try_from(max_age.as_millis()).unwrap_or(i128::MAX)
        {
            return Ok(false);
        }
    }
    if let Some(expires) = approval.get("expires") {
        let Some(expiry_time) = expires.as_str().and_then(milliseconds_of) else { return Ok(false) };
        if milliseconds_since_epoch(check.now) >= expiry_time {
            return Ok(false);
        }
    }
    let mut signed_text = String::new();
    let excluded_key = Some("signature");
    write_canonical_object(&mut signed_text, approval, excluded_key);
    Ok(check.keys.iter().any(|key| {
        // Never fails: HMAC takes keys of any length.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key.as_bytes()) else { return false };
        mac.update(signed_text.as_bytes());
        // The comparison takes the same time wherever the two differ.
        mac.verify_slice(&signature).is_ok()
    }))
}

/// The SHA-256 of a call and of the number of the log's entry that proposed it, as hexadecimal digits in lower case.
pub fn digest_of(call: &Value, revision: usize) -> String {
    let mut text = String::from("{\"call\":");
    write_canonical(&mut text, call);
    text.push_str(",\"revision\":");
    write_index(&mut text, revision);
    text.push('}');
    let mut digits = String::with_capacity(2 * HASH_BYTES);
    for byte in Sha256::digest(text.as_bytes()) {
        digits.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default()));
    }
    digits
}

/// Appends JSON text that does not depend on the order of keys: they are sorted, and there is no whitespace.
fn write_canonical(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => write_list(out, items, write_canonical),
        Value::Object(object) => write_canonical_object(out, object, None),
        // As JSON.stringify writes it.
        Value::Number(number) if !number.is_finite() => out.push_str("null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.write_json(out),
    }
}

/// Appends an object as [`write_canonical`] does, without the member of `excluded_key`.
fn write_canonical_object(out: &mut String, object: &Object, excluded_key: Option<&str>) {
    let mut members: Vec<(&str, &Value)> = object.iter().filter(|(key, _)| Some(*key) != excluded_key).collect();
    // JavaScript compares UTF-16 units, which differs from the order of characters beyond U+FFFF.
    members.sort_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    out.push('{');
    for (index, (key, value)) in members.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write_string(out, key);
        out.push(':');
        write_canonical(out, value);
    }
    out.push('}');
}

/// The bytes of 64 hexadecimal digits in lower case; `None` for any other text.
fn read_signature(text: &str) -> Option<[u8; HASH_BYTES]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    let mut bytes = [0; HASH_BYTES];
    if text.len() != 2 * HASH_BYTES {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = digits else { return None };
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

/// The milliseconds from 1970 to a time; negative before 1970.
fn milliseconds_since_epoch(time: SystemTime) -> i128 {
    let to_milliseconds = |duration: Duration| i128::try_from(duration.as_millis()).unwrap_or(i128::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => to_milliseconds(after),
        Err(before) => -to_milliseconds(before.duration()),
    }
}

/// The milliseconds from 1970 to a time in the form of RFC 3339, such as `2026-11-24T08:30:00.000Z`; `None` for another form.
/// Leap seconds are refused, and digits after the third of a fraction are ignored.
fn milliseconds_of(time: &str) -> Option<i128> {
    let mut rest = time;
    let year = take_number(&mut rest, 4, "-", 0..=9_999)?;
    let month = take_number(&mut rest, 2, "-", 1..=12)?;
    let day = take_number(&mut rest, 2, "T", 1..=days_of(year, month))?;
    let hour = take_number(&mut rest, 2, ":", 0..=23)?;
    let minute = take_number(&mut rest, 2, ":", 0..=59)?;
    let second = take_number(&mut rest, 2, "", 0..=59)?;
    let mut millisecond = 0;
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
        // Three digits: `.5` is 500 milliseconds.
        let digits = fraction.bytes().take(length).chain(std::iter::repeat(b'0')).take(3);
        millisecond = digits.fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        let has_digits = length > 0;
        rest = fraction.get(length..).filter(|_| has_digits)?;
    }
    // The minutes by which the local time is ahead of UTC.
    let offset = match rest.as_bytes().first()? {
        b'Z' if rest.len() == 1 => 0,
        sign @ (b'+' | b'-') => {
            rest = rest.get(1..)?;
            let minutes = take_number(&mut rest, 2, ":", 0..=23)? * 60 + take_number(&mut rest, 2, "", 0..=59)?;
            rest.is_empty().then_some(if *sign == b'+' { minutes } else { -minutes })?
        }
        _ => return None,
    };
    let minutes = (days_before(year, month) + day - 1) * 24 * 60 + hour * 60 + minute - offset;
    Some((minutes * 60 + second) * 1_000 + millisecond)
}

/// Takes a number of `digits` digits, and the `separator` after it, from the front of a text; `None` if they are not there, or if
/// the number is out of `range`.
fn take_number(rest: &mut &str, digits: usize, separator: &str, range: std::ops::RangeInclusive<i128>) -> Option<i128> {
    let (number, others) = rest.split_at_checked(digits)?;
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    *rest = others.strip_prefix(separator)?;
    number.parse().ok().filter(|number| range.contains(number))
}

/// The days of a month.
const fn days_of(year: i128, month: i128) -> i128 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from 1970-01-01 to the first day of a month; negative before 1970.
fn days_before(year: i128, month: i128) -> i128 {
    /// The days of the years 1 to 1969.
    const TO_1970: i128 = 719_162;
    // The years from 1 on that are complete, and their leap days.
    let full_years = year - 1;
    let leap_days = full_years / 4 - full_years / 100 + full_years / 400;
    365 * full_years + leap_days - TO_1970 + (1..month).map(|month| days_of(year, month)).sum::<i128>()
}

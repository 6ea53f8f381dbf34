//! Where data stands in a model: the forms in which messages and bindings write it.

use super::Protocol;
use crate::value::{pointer, write_list, write_string};

/// What a path must not lead through.
const REFUSED: [&str; 3] = ["__proto__", "prototype", "constructor"];

/// The segments of a path. A JSON Pointer, with or without its first `/`; in GULF also dots and brackets:
/// `user.addresses[0].street` is `/user/addresses/0/street`. Nothing, `/` and `.` mean the model as a whole, or, in an
/// item of a template, the item.
#[must_use]
pub fn segments(text: &str, protocol: Protocol) -> Option<Vec<String>> {
    if matches!(text, "" | "/" | ".") {
        return Some(Vec::new());
    }
    let found = if text.starts_with('/') {
        pointer(text.strip_suffix('/').unwrap_or(text))?
    } else if protocol == Protocol::Gulf && !text.contains('/') {
        dotted(text)?
    } else {
        pointer(&format!("/{}", text.strip_suffix('/').unwrap_or(text)))?
    };
    let refused = |segment: &String| REFUSED.contains(&segment.as_str()) || segment.chars().any(char::is_control);
    if found.iter().any(refused) { None } else { Some(found) }
}

/// Appends segments as a JSON list.
pub fn write_segments(out: &mut String, segments: &[String]) {
    write_list(out, segments, |out, segment| write_string(out, segment));
}

fn dotted(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for part in text.split('.') {
        let mut pieces = part.split('[');
        let name = pieces.next().unwrap_or_default();
        if !name.is_empty() {
            found.push(name.to_owned());
        } else if !part.starts_with('[') {
            return None;
        }
        for piece in pieces {
            let index = piece.strip_suffix(']')?;
            if index.is_empty() || !index.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            found.push(index.to_owned());
        }
    }
    Some(found)
}

/// A segment as an index: digits without a zero before them.
pub(super) fn index(segment: &str) -> Option<usize> {
    let plain = segment == "0" || !segment.starts_with('0');
    if plain && !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit()) {
        // What is longer than any list is an index all the same, and over every limit.
        Some(segment.parse().unwrap_or(usize::MAX))
    } else {
        None
    }
}

//! Takes a layer of escapes off JSON that was escaped once too often: `{\"tool\": \"write_file\"}`.

use super::{first, part};
use crate::block::context::first_object;
use crate::value::is_quote;

/// The text with one layer of escapes less, if all of it is escaped alike.
///
/// What has real line breaks in its strings, or escapes of two kinds, may mean its backslashes: it stays as it is.
pub(super) fn unescaped(text: &str, is_block: bool) -> Option<String> {
    // What goes before a block is no part of it.
    let start = if is_block { first_object(text).unwrap_or_default() } else { 0 };
    let text = text.get(start..)?;
    // Quotes of other kinds are there as they should be: then it is their texts that are escaped.
    let before = part(text, 0..text.find(is_quote)?).strip_suffix('\\')?.trim_ascii_start();
    if !matches!(first(before), b'{' | b'[') && (is_block || !before.is_empty()) {
        return None;
    }
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied();
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut plain, mut twice) = (false, false, false);
    let (mut kept, mut at) = (0, 0);
    while let Some(own) = byte(at) {
        if own != b'\\' {
            if own == b'"' || (own == b'\n' && in_string) {
                return None;
            }
            at += 1;
            continue;
        }
        out.push_str(part(text, kept..at));
        let escaped = byte(at + 1)?;
        at += 2;
        kept = at;
        let line = matches!(escaped, b'n' | b't' | b'r');
        plain |= line && in_string;
        match escaped {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'/' => out.push('/'),
            b'"' => {
                in_string = !in_string;
                out.push('"');
            }
            // What follows is an escape of the inner text: a quote there does not end its string.
            b'\\' => {
                twice |= in_string;
                out.push('\\');
                match byte(at)? {
                    b'\\' if matches!(byte(at + 1)?, b'"' | b'\\') => {
                        kept = at + 1;
                        at += 2;
                    }
                    b'\\' | b'"' => return None,
                    _ => at += 1,
                }
            }
            _ => return None,
        }
        if plain && twice {
            return None;
        }
    }
    out.push_str(part(text, kept..text.len()));
    (!in_string).then_some(out)
}

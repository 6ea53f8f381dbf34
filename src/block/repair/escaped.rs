//! Removes a layer of escapes from JSON that was escaped once too often: `{\"tool\": \"write_file\"}`.

use super::{first_byte, part};
use crate::block::context::first_possible_call;
use crate::value::is_quote;

/// The text without one layer of escapes; `None` unless all of it is escaped alike.
///
/// In a text with raw line breaks in its strings, or with escapes of two kinds, the backslashes may be intended.
pub(super) fn remove_escape_layer(text: &str, is_block: bool) -> Option<String> {
    // Prose before the block is dropped.
    let start = if is_block { first_possible_call(text).unwrap_or_default() } else { 0 };
    let text = text.get(start..)?;
    // The first quote must be escaped. If it is not, as around a string in single quotes, the escapes belong to the strings.
    let before_quote = part(text, 0..text.find(is_quote)?).strip_suffix('\\')?.trim_ascii_start();
    // The text must begin with a list or an object; outside blocks it may also be a single string.
    if !matches!(first_byte(before_quote), b'{' | b'[') && (is_block || !before_quote.is_empty()) {
        return None;
    }
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied();
    let mut out = String::with_capacity(text.len());
    // The escapes in strings of the inner text: of line breaks and tabs, e.g. `\n`, and of backslashes, e.g. `\\n`.
    let (mut in_string, mut has_line_escape, mut has_inner_escape) = (false, false, false);
    // The text before `copied_to` is in `out`, unescaped.
    let (mut copied_to, mut at) = (0, 0);
    while let Some(current) = byte(at) {
        if current != b'\\' {
            // A quote without a backslash, or a raw line break in a string: not all of the text is escaped.
            if current == b'"' || (current == b'\n' && in_string) {
                return None;
            }
            at += 1;
            continue;
        }
        out.push_str(part(text, copied_to..at));
        let escaped_byte = byte(at + 1)?;
        at += 2;
        copied_to = at;
        has_line_escape |= in_string && matches!(escaped_byte, b'n' | b't' | b'r');
        match escaped_byte {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'/' => out.push('/'),
            b'"' => {
                in_string = !in_string;
                out.push('"');
            }
            // An escaped backslash begins an escape of the inner text. The character that this escape stands for is passed
            // over here, so that a quote does not end the string.
            b'\\' => {
                has_inner_escape |= in_string;
                out.push('\\');
                match byte(at)? {
                    // `\\\"` is the inner `\"`, `\\\\` the inner `\\`: the third backslash is dropped.
                    b'\\' if matches!(byte(at + 1)?, b'"' | b'\\') => {
                        copied_to = at + 1;
                        at += 2;
                    }
                    b'\\' | b'"' => return None,
                    _ => at += 1,
                }
            }
            _ => return None,
        }
        // Escapes of two kinds: `\n` would become a raw line break in a string, `\\n` an escaped one.
        if has_line_escape && has_inner_escape {
            return None;
        }
    }
    out.push_str(part(text, copied_to..text.len()));
    (!in_string).then_some(out)
}

//! JSON that was escaped once too often: `{\"tool\": \"write_file\"}`.

use super::Dialect;
use crate::block::lead::first_object;
use crate::value::is_quote;

/// The text with one layer of escapes less, if all of it is escaped alike.
///
/// What has real line breaks in its strings, or escapes of two kinds, may mean its backslashes: it stays as it is.
pub(super) fn unescaped(text: &str, dialect: Dialect) -> Option<String> {
    // What goes before a block is no part of it.
    let start = if dialect == Dialect::Block { first_object(text).unwrap_or_default() } else { 0 };
    let text = text.get(start..)?;
    // Quotes of other kinds are there as they should be: then it is their texts that are escaped.
    let first = text.find(is_quote)?;
    let before = text.get(..first)?.strip_suffix('\\')?.trim_start();
    let may_be = before.starts_with(['{', '[']) || (dialect == Dialect::Json && before.is_empty());
    if !may_be {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut in_string = false;
    let (mut plain, mut twice) = (false, false);
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {}
            '"' | '\n' if in_string || char == '"' => return None,
            _ => {
                out.push(char);
                continue;
            }
        }
        let escaped = chars.next()?;
        match escaped {
            '"' => {
                in_string = !in_string;
                out.push('"');
            }
            '\\' => {
                // What follows is an escape of the inner text: a quote there does not end its string.
                twice |= in_string;
                out.push('\\');
                match chars.next()? {
                    '\\' => out.push(match chars.next()? {
                        char @ ('"' | '\\') => char,
                        _ => return None,
                    }),
                    '"' => return None,
                    char => out.push(char),
                }
            }
            'n' | 't' | 'r' => {
                plain |= in_string;
                out.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    _ => '\r',
                });
            }
            '/' => out.push('/'),
            _ => return None,
        }
        if plain && twice {
            return None;
        }
    }
    (!in_string).then_some(out)
}

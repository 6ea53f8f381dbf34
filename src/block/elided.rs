//! Finds placeholders for omitted code in the text of a file, such as `// rest of the code unchanged`. Writing them would
//! delete that code.

use crate::value::text::{
    after_line, before_line, contains, find_line, head, line_length, owned, tail, trim_bytes, trim_end, trim_start,
};

// Each table has one text per line.

/// The beginnings of placeholder comments, in lower case.
const PHRASES: &str = "\
    rest of\nthe rest of\nexisting code\nprevious code\nremaining code\nthe remaining\n\
    other code\nsame as above\nsame as before\nunchanged\nno changes\ncode unchanged\nkeep existing\n\
    keep the existing\n";

/// Such a comment also contains one of these words, unlike prose such as `rest of the world`.
const WORDS: &str = "\
    code\nfile\nunchanged\nexisting\nas above\nas before\nsame\nremains\nfunction\nmethod\nclass\ncomponent\n\
    content\nimplementation\n";

/// Marks with which a comment begins, and those that may close it. `<` is that of a placeholder such as `<same as above>`.
const OPENERS: &str = "//\n#\n/*\n<!--\n--\n{/*\n%\n;\n<\n*\n(*\n\"\"\"\n";
const CLOSERS: &str = "*/}\n*/\n-->\n>\n*)\n\"\"\"\n";

/// Marks before and after the words of a comment.
const LEADING_MARKS: &str = ".\n…\n \n[\n(\n";
const TRAILING_MARKS: &str = ".\n…\n \n]\n)\n:\n";

/// Lines that are nothing but dots.
const DOTS: &str = "...\n…\n[...]\n(...)\n[…]\n";

/// Endings of paths: in files of these languages, `...` alone in a line is code.
const DOTS_ARE_CODE_ENDINGS: &str = ".py\n.pyi\n.yaml\n.yml\n";
/// Endings of paths: these files are prose, in which only `<!-- … -->` is a comment.
const PROSE_ENDINGS: &str = ".md\n.mdx\n.txt\n.rst\n.adoc\n.csv\n";

/// The first placeholder line of a file's text: its number, counted from 1, and the line without its line break; `None` if there
/// is none. A text that is one placeholder and nothing else counts in every language.
pub(super) fn elided_line<'t>(text: &'t str, path: &str) -> Option<(usize, &'t str)> {
    let whole = trim(text);
    let is_only_placeholder = !contains(whole, "\n") && (is_dots(whole) || is_elided(whole));
    let (dots_are_code, is_prose) =
        (before_line(path, DOTS_ARE_CODE_ENDINGS).is_some(), before_line(path, PROSE_ENDINGS).is_some());
    let (mut rest, mut number) = (text, 0);
    while !rest.is_empty() {
        let line = head(rest, line_length(rest));
        rest = tail(rest, line.len());
        number += 1;
        if begins_with_word(line) {
            continue;
        }
        let trimmed = trim(line);
        let is_placeholder = match is_prose {
            true => trimmed.starts_with("<!--") && is_elided(trimmed),
            false => is_dots(trimmed) && !dots_are_code || is_elided(trimmed),
        };
        if is_only_placeholder && !trimmed.is_empty() || is_placeholder {
            return Some((number, trim_bytes(line, b"\r\n")));
        }
    }
    None
}

/// A text without whitespace at both ends.
fn trim(text: &str) -> &str {
    trim_end(trim_start(text))
}

/// Whether a line begins with a letter or a digit, as most lines of code do. Placeholders do not, so such a line needs no search
/// in the tables.
fn begins_with_word(line: &str) -> bool {
    trim_start(line).as_bytes().first().is_some_and(u8::is_ascii_alphanumeric)
}

/// Whether a line is nothing but dots, perhaps in brackets.
fn is_dots(line: &str) -> bool {
    find_line(DOTS, &mut |dots| line == dots).is_some()
}

/// Whether a line is a placeholder comment, such as `// ... existing code ...` or `<same as above>`.
fn is_elided(line: &str) -> bool {
    let Some(inner) = after_line(line, OPENERS) else { return false };
    let mut inner = owned(trim(before_line(inner, CLOSERS).unwrap_or(inner)));
    inner.make_ascii_lowercase();
    let mut words = &*inner;
    while let Some(rest) = after_line(words, LEADING_MARKS) {
        words = rest;
    }
    while let Some(rest) = before_line(words, TRAILING_MARKS) {
        words = rest;
    }
    // The comment has only marks, e.g. `// ...`.
    if words.is_empty() {
        return contains(&inner, "...") || contains(&inner, "…");
    }
    let names_part =
        after_line(words, PHRASES).is_some() && find_line(WORDS, &mut |word| contains(words, word)).is_some();
    names_part && words.len() < MAX_PLACEHOLDER
}

/// A comment of this many bytes or more is no placeholder: it says something of its own.
const MAX_PLACEHOLDER: usize = 100;

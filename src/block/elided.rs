//! Finds marks in the text of a file that stand for parts that the model left out: written so, the file would lose them.

/// Beginnings of phrases, in lower case, that stand for code in a comment of its own.
const PHRASES: &[&str] = &[
    "rest of",
    "the rest of",
    "... rest",
    "existing code",
    "... existing",
    "previous code",
    "remaining code",
    "the remaining",
    "other code",
    "same as above",
    "same as before",
    "unchanged",
    "no changes",
    "code unchanged",
    "keep existing",
    "keep the existing",
];

/// Words of which one must stand in such a comment too, so that prose such as `rest of the world` is none.
const WORDS: &[&str] = &[
    "code",
    "file",
    "unchanged",
    "existing",
    "as above",
    "as before",
    "same",
    "remains",
    "function",
    "method",
    "class",
    "component",
    "content",
    "implementation",
];

/// Marks with which a comment begins, and those that may close it.
const OPENERS: &[&str] = &["//", "#", "/*", "<!--", "--", "{/*", "%", ";", "<", "*", "(*", "\"\"\""];
const CLOSERS: &[&str] = &["*/}", "*/", "-->", ">", "*)", "\"\"\""];

/// Endings of paths at which `...` in a line of its own is code, and those at which only markup can hold a comment.
const DOTS_ARE_CODE: &[&str] = &[".py", ".pyi", ".yaml", ".yml"];
const PROSE: &[&str] = &[".md", ".mdx", ".txt", ".rst", ".adoc", ".csv"];

/// The first line of the text of a file, counted from 1, that stands for a part that was left out.
pub(super) fn elided_line(text: &str, path: &str) -> Option<usize> {
    let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
    let whole = text.trim();
    if is_dots(whole) || is_elided(whole) && !whole.contains('\n') {
        return Some(1);
    }
    let (dots_are_code, is_prose) = (ends(DOTS_ARE_CODE), ends(PROSE));
    let is_mark = |line: &str| {
        let line = line.trim();
        match is_prose {
            true => line.starts_with("<!--") && is_elided(line),
            false => is_dots(line) && !dots_are_code || is_elided(line),
        }
    };
    text.lines().position(is_mark).map(|line| line + 1)
}

fn is_dots(line: &str) -> bool {
    matches!(line, "..." | "…" | "[...]" | "(...)" | "[…]")
}

/// Whether a line is a comment that stands for a part, such as `// ... existing code ...` or `<same as above>`.
fn is_elided(line: &str) -> bool {
    let Some(inner) = OPENERS.iter().find_map(|opener| line.strip_prefix(opener)) else { return false };
    let inner =
        CLOSERS.iter().find_map(|closer| inner.strip_suffix(closer)).unwrap_or(inner).trim().to_ascii_lowercase();
    let words = inner.trim_start_matches(['.', '…', ' ', '[', '(']).trim_end_matches(['.', '…', ' ', ']', ')', ':']);
    if words.is_empty() {
        return inner.contains("...") || inner.contains('…');
    }
    let names_part =
        PHRASES.iter().any(|phrase| words.starts_with(phrase)) && WORDS.iter().any(|word| words.contains(word));
    names_part && words.len() < LONGEST
}

/// A longer comment says something of its own.
const LONGEST: usize = 100;

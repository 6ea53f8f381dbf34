//! The table of fixes, and the list of those that a repair applied.

use crate::block::code;
use crate::codes::codes;
use crate::value::{Position, concat, decimal};

// Each row: the kind, its code, and its message.
codes! {
    /// The kind of a fix: the code on which programs can branch.
    FixKind;
    Blank "BLANK" "Replaced whitespace that JSON does not allow",
    Prose "PROSE" "Removed text around the JSON",
    Comment "COMMENT" "Removed a comment",
    TrailingComma "TRAILING_COMMA" "Removed a trailing comma",
    ExtraComma "EXTRA_COMMA" "Removed a comma too many",
    MissingComma "MISSING_COMMA" "Inserted a missing comma",
    MissingColon "MISSING_COLON" "Put a colon after the key",
    Quotes "QUOTES" "Replaced the quotes around a string",
    UnquotedKey "UNQUOTED_KEY" "Put a key into quotes",
    UnquotedString "UNQUOTED_STRING" "Put a string into quotes",
    UnescapedQuote "UNESCAPED_QUOTE" "Escaped a quote inside a string",
    ControlCharacter "CONTROL_CHARACTER" "Escaped a line break or control character inside a string",
    InvalidEscape "INVALID_ESCAPE" "Rewrote an escape that JSON does not know",
    FullWidth "FULL_WIDTH" "Replaced full-width punctuation",
    Literal "LITERAL" "Replaced a literal of another language",
    Number "NUMBER" "Rewrote a number",
    Concatenation "CONCATENATION" "Joined strings",
    MissingCloser "MISSING_CLOSER" "Added a missing closing bracket",
    ExtraCloser "EXTRA_CLOSER" "Removed a closing bracket that closes nothing",
    ExtraOpener "EXTRA_OPENER" "Removed an opening bracket too many",
    Ellipsis "ELLIPSIS" "Removed an ellipsis",
    Wrapper "WRAPPER" "Removed a function call around a value",
    List "LIST" "Made a list of several values",
    EscapedTwice "ESCAPED_TWICE" "Unescaped JSON that was escaped once too often",
    ToolAlias "TOOL_ALIAS" "Replaced another name of the tool",
    FieldAlias "FIELD_ALIAS" "Replaced another name of a field",
    ContentObject "CONTENT_OBJECT" "Wrote an object as the text of the JSON file",
}

/// One change that a repair made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The kind of change.
    pub kind: FixKind,
    /// The change, in a few words for people, e.g. `Removed a comment (2 times)`.
    pub message: String,
    /// Its position in the text that was repaired; in a block, counted from the first character of the JSON.
    pub position: Position,
}

/// A fix while the repair runs. Fixes of one kind inside one string share one mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: FixKind,
    /// The byte offset of the first of its fixes in the text that is repaired.
    pub(super) offset: usize,
    /// The number of fixes, at least 1.
    pub(super) count: usize,
}

/// The fixes that `marks` record, sorted by offset, with their lines and columns in `text`.
pub(super) fn fixes_of(text: &str, marks: &[Mark]) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = Vec::new();
    for Mark { kind, offset, count } in marks.iter().copied() {
        let times = if count > 1 { concat(&[" (", &decimal(count), " times)"]) } else { String::new() };
        // The offset in bytes, until `fill_positions` replaces the position.
        let position = Position { offset, line: 0, column: 0 };
        let fix = Fix { kind, message: concat(&[kind.meaning(), &times]), position };
        // The marks come nearly in order: only some are recorded late, e.g. that of an opening parenthesis when it is closed.
        fixes.insert(fixes.partition_point(|earlier| earlier.position.offset <= offset), fix);
    }
    code::fill_positions(text, &mut fixes.iter_mut().map(|fix| &mut fix.position));
    fixes
}

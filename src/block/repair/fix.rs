//! The kinds of fixes, in one table, and a fix that a repair made.

use crate::block::code;
use crate::value::{Position, concat, decimal};

macro_rules! fixes {
    ($($(#[doc = $doc:literal])+ $kind:ident $name:literal $message:literal,)+) => {
        /// What a repair did, for programs. Each has a name that JavaScript sees.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FixKind {
            $($(#[doc = $doc])+ $kind,)+
        }

        /// The names of all fixes, in the order of the table.
        pub const FIXES: &[&str] = &[$($name),+];

        impl FixKind {
            /// The name that JavaScript sees.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)+
                }
            }

            /// One sentence for people.
            const fn message(self) -> &'static str {
                match self {
                    $(Self::$kind => $message,)+
                }
            }
        }
    };
}

fixes! {
    /// A byte order mark, or a blank that JSON does not know.
    Blank "BLANK" "Replaced a blank that JSON does not know",
    /// Text before or after the JSON.
    Prose "PROSE" "Removed text around the JSON",
    /// A comment.
    Comment "COMMENT" "Removed a comment",
    /// A comma before a closing bracket.
    TrailingComma "TRAILING_COMMA" "Removed a trailing comma",
    /// A comma too many.
    ExtraComma "EXTRA_COMMA" "Removed a comma too many",
    /// No comma between two entries.
    MissingComma "MISSING_COMMA" "Inserted a missing comma",
    /// No colon after a key, or `=` or `=>` in its place.
    MissingColon "MISSING_COLON" "Put a colon after the key",
    /// Other quotes around a string.
    Quotes "QUOTES" "Replaced the quotes around a string",
    /// A key without quotes.
    UnquotedKey "UNQUOTED_KEY" "Put a key into quotes",
    /// A string without quotes.
    UnquotedString "UNQUOTED_STRING" "Put a string into quotes",
    /// A quote inside a string.
    UnescapedQuote "UNESCAPED_QUOTE" "Escaped a quote inside a string",
    /// A line break, a tab, another control character inside a string.
    ControlCharacter "CONTROL_CHARACTER" "Escaped a line break or control character inside a string",
    /// A backslash that escapes nothing: it is part of the text.
    InvalidEscape "INVALID_ESCAPE" "Kept a backslash that escapes nothing as text",
    /// `True`, `False`, `None`, `undefined`.
    Literal "LITERAL" "Replaced a literal of another language",
    /// `.5`, `5.`, `+5`.
    Number "NUMBER" "Rewrote a number",
    /// `"a" + "b"`
    Concatenation "CONCATENATION" "Joined strings",
    /// A closing bracket that is not there.
    MissingCloser "MISSING_CLOSER" "Added a missing closing bracket",
    /// A closing bracket that closes nothing.
    ExtraCloser "EXTRA_CLOSER" "Removed a closing bracket that closes nothing",
    /// Two braces where there should be one.
    ExtraOpener "EXTRA_OPENER" "Removed an opening bracket too many",
    /// `...` in the place of entries.
    Ellipsis "ELLIPSIS" "Removed an ellipsis",
    /// `name(…)` around a value.
    Wrapper "WRAPPER" "Removed a function call around a value",
    /// Several values, of which a list was made.
    List "LIST" "Made a list of several values",
    /// Backslashes before all quotes.
    EscapedTwice "ESCAPED_TWICE" "Unescaped JSON that was escaped once too often",
    /// The closing fence.
    MissingFence "MISSING_FENCE" "Added the closing fence",
    /// Another name of a tool.
    ToolAlias "TOOL_ALIAS" "Replaced another name of the tool",
    /// Another name of a field.
    FieldAlias "FIELD_ALIAS" "Replaced another name of a field",
    /// An object where the text of a JSON file is expected.
    ContentObject "CONTENT_OBJECT" "Wrote an object as the text of the JSON file",
}

/// One thing that a repair did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it is.
    pub kind: FixKind,
    /// One sentence.
    pub message: String,
    /// Where it was done, counted from the first character of the JSON.
    pub position: Position,
}

/// A fix with a byte offset; several of one kind in a row count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) kind: FixKind,
    pub(super) offset: usize,
    pub(super) count: usize,
}

/// The fixes of a text, in its order, with their positions.
pub(super) fn fixes_of(text: &str, marks: &[Mark]) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = Vec::new();
    for Mark { kind, offset, count } in marks.iter().copied() {
        let times = if count > 1 { concat(&[" (", &decimal(count), " times)"]) } else { String::new() };
        let fix =
            Fix { kind, message: concat(&[kind.message(), &times]), position: Position { offset, line: 0, column: 0 } };
        fixes.insert(fixes.partition_point(|own| own.position.offset <= offset), fix);
    }
    code::fill_positions(text, &mut fixes.iter_mut().map(|fix| &mut fix.position));
    fixes
}

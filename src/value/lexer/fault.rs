//! The syntax faults of JSON: their kinds and messages.

use std::fmt;

use super::Container;
use crate::value::text::cut;
use crate::value::{concat, decimal, write_hex};

/// The tokens that the grammar allows next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Expect {
    #[default]
    Value,
    /// After `[`.
    ValueOrClose,
    /// After a comma in an object.
    Key,
    /// After `{`.
    KeyOrClose,
    Colon,
    /// The second string of a concatenation, after a `+`, which only a tolerant lexer reads.
    Joint,
    /// After a value in this list or object.
    CommaOrClose(Container),
    /// After the outermost value.
    End,
}

impl Expect {
    /// What a message says that it expected.
    const fn name(self) -> &'static str {
        match self {
            Self::Value => "a value",
            Self::ValueOrClose => "a value or `]`",
            Self::Key => "a key in double quotes",
            Self::KeyOrClose => "a key in double quotes or `}`",
            Self::Colon => "a colon",
            Self::Joint => "a string",
            Self::CommaOrClose(Container::Array) => "`,` or `]`",
            Self::CommaOrClose(Container::Object) => "`,` or `}`",
            Self::End => "the end of the text",
        }
    }
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A character that the grammar does not allow here.
    Unexpected(char),
    /// The text ends before the value does.
    UnexpectedEnd,
    /// The text ends inside a string.
    OpenString,
    /// A control character inside a string.
    Control(char),
    /// A backslash before a character that has no escape.
    Escape,
    /// `\u` without four hexadecimal digits.
    UnicodeEscape,
    /// Not a number of the JSON grammar.
    Number(Box<str>),
    /// An unknown word, or a key without quotes.
    Word(Box<str>),
    /// A comma before this closing character.
    TrailingComma(char),
    /// `/` or `#`, which a tolerant lexer takes for the beginning of a comment.
    Comment,
    /// Lists and objects are nested deeper than this limit.
    TooDeep(usize),
}

/// The first fault of a text, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The byte offset in the whole text, from its first piece on.
    pub offset: usize,
    /// The tokens that were expected instead.
    pub(crate) expect: Expect,
}

impl Fault {
    /// The message: the unexpected text and the expected tokens.
    pub fn sentence(&self) -> String {
        let expect = self.expect.name();
        // The message is "Unexpected ", `before`, `quoted_text`, `after`, ", expected ", `expect`.
        let mut quoted_text = String::new();
        let (before, after, expect) = match &self.kind {
            FaultKind::Unexpected(char) => {
                quoted_text.push(*char);
                ("`", "`", expect)
            }
            FaultKind::UnexpectedEnd => ("end of the text", "", expect),
            FaultKind::OpenString => ("end of the text inside a string", "", "\""),
            FaultKind::Control('\n' | '\r') => ("line break inside a string", "", "\\n"),
            FaultKind::Control('\t') => ("tab inside a string", "", "\\t"),
            FaultKind::Control(char) => {
                // E.g. "Unexpected control character U+001F inside a string, expected \u001f".
                write_hex(&mut quoted_text, (*char).into());
                let escape_digits = quoted_text.to_ascii_lowercase();
                let beginning = "Unexpected control character U+";
                return concat(&[beginning, &quoted_text, " inside a string, expected \\u", &escape_digits]);
            }
            FaultKind::Escape => ("escape", "", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"),
            FaultKind::UnicodeEscape => ("escape", "", "\\u and four hexadecimal digits"),
            FaultKind::Number(text) => {
                quoted_text.push_str(excerpt(text));
                ("`", "`", "a JSON number")
            }
            FaultKind::Word(text) => {
                quoted_text.push_str(excerpt(text));
                ("`", "`", expect)
            }
            FaultKind::TrailingComma(char) => {
                quoted_text.push(*char);
                ("`", "` after a comma", expect)
            }
            FaultKind::Comment => ("comment", "", expect),
            FaultKind::TooDeep(limit) => return concat(&["Nested deeper than ", &decimal(*limit), " levels"]),
        };
        concat(&["Unexpected ", before, &quoted_text, after, ", expected ", expect])
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sentence())
    }
}

/// The beginning of a word, short enough for a message.
fn excerpt(text: &str) -> &str {
    cut(text, 40)
}

//! What can be wrong with a JSON text.

use std::fmt;

use super::Container;

/// What the grammar allows next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// A value.
    Value,
    /// A value, or the end of the list.
    ValueOrClose,
    /// A key.
    Key,
    /// A key, or the end of the object.
    KeyOrClose,
    /// The colon after a key.
    Colon,
    /// A string that goes on where the last one ended, after a `+`.
    Joint,
    /// A comma, or the end of this list or object.
    CommaOrClose(Container),
    /// Nothing more.
    End,
}

impl fmt::Display for Expect {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Value => "a value",
            Self::ValueOrClose => "a value or `]`",
            Self::Key => "a key in double quotes",
            Self::KeyOrClose => "a key in double quotes or `}`",
            Self::Colon => "a colon",
            Self::Joint => "a string",
            Self::CommaOrClose(Container::Array) => "`,` or `]`",
            Self::CommaOrClose(Container::Object) => "`,` or `}`",
            Self::End => "the end of the text",
        })
    }
}

/// What is wrong.
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
    /// A word that is no literal, or a key without quotes.
    Word(Box<str>),
    /// A comma before this closing character.
    TrailingComma(char),
    /// `//` or `/*`
    Comment,
    /// More lists and objects inside each other than this limit.
    TooDeep(usize),
}

/// The first fault of a text, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The byte offset in all that was fed.
    pub offset: usize,
    /// What was expected instead.
    pub expect: Expect,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expect = &self.expect;
        match &self.kind {
            FaultKind::Unexpected(char) => write!(out, "Unexpected `{char}`, expected {expect}"),
            FaultKind::UnexpectedEnd => write!(out, "Unexpected end of the text, expected {expect}"),
            FaultKind::OpenString => out.write_str("Unexpected end of the text inside a string, expected \""),
            FaultKind::Control('\n' | '\r') => out.write_str("Unexpected line break inside a string, expected \\n"),
            FaultKind::Control('\t') => out.write_str("Unexpected tab inside a string, expected \\t"),
            FaultKind::Control(char) => {
                let code = u32::from(*char);
                write!(out, "Unexpected control character U+{code:04X} inside a string, expected \\u{code:04x}")
            }
            FaultKind::Escape => {
                out.write_str("Unexpected escape, expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
            }
            FaultKind::UnicodeEscape => out.write_str("Unexpected escape, expected \\u and four hexadecimal digits"),
            FaultKind::Number(text) => write!(out, "Unexpected `{}`, expected a JSON number", shown(text)),
            FaultKind::Word(text) => write!(out, "Unexpected `{}`, expected {expect}", shown(text)),
            FaultKind::TrailingComma(char) => write!(out, "Unexpected `{char}` after a comma, expected {expect}"),
            FaultKind::Comment => write!(out, "Unexpected comment, expected {expect}"),
            FaultKind::TooDeep(limit) => write!(out, "Nested deeper than {limit} levels"),
        }
    }
}

/// A word, cut to a length that a message can carry.
fn shown(text: &str) -> &str {
    text.char_indices().nth(40).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

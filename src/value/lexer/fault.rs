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
    ValueOrClose,
    Key,
    KeyOrClose,
    Colon,
    /// The second string of a concatenation, after a `+`.
    Joint,
    CommaOrClose(Container),
    End,
}

impl Expect {
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
    /// `//` or `/*`
    Comment,
    /// Lists and objects are nested deeper than this limit.
    TooDeep(usize),
}

/// The first fault of a text, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The byte offset in all that was fed.
    pub offset: usize,
    /// The tokens that were expected instead.
    pub(crate) expect: Expect,
}

impl Fault {
    /// The message: the unexpected text and the expected tokens.
    pub fn sentence(&self) -> String {
        let expect = self.expect.name();
        let mut found = String::new();
        let (before, after, expect) = match &self.kind {
            FaultKind::Unexpected(char) => {
                found.push(*char);
                ("`", "`", expect)
            }
            FaultKind::UnexpectedEnd => ("end of the text", "", expect),
            FaultKind::OpenString => ("end of the text inside a string", "", "\""),
            FaultKind::Control('\n' | '\r') => ("line break inside a string", "", "\\n"),
            FaultKind::Control('\t') => ("tab inside a string", "", "\\t"),
            FaultKind::Control(char) => {
                write_hex(&mut found, (*char).into());
                let code = found.to_ascii_lowercase();
                let (before, between) = ("Unexpected control character U+", " inside a string, expected \\u");
                return concat(&[before, &found, between, &code]);
            }
            FaultKind::Escape => ("escape", "", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"),
            FaultKind::UnicodeEscape => ("escape", "", "\\u and four hexadecimal digits"),
            FaultKind::Number(text) => {
                found.push_str(shown(text));
                ("`", "`", "a JSON number")
            }
            FaultKind::Word(text) => {
                found.push_str(shown(text));
                ("`", "`", expect)
            }
            FaultKind::TrailingComma(char) => {
                found.push(*char);
                ("`", "` after a comma", expect)
            }
            FaultKind::Comment => ("comment", "", expect),
            FaultKind::TooDeep(limit) => return concat(&["Nested deeper than ", &decimal(*limit), " levels"]),
        };
        concat(&["Unexpected ", before, &found, after, ", expected ", expect])
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.sentence())
    }
}

/// The beginning of a word, short enough for a message.
fn shown(text: &str) -> &str {
    cut(text, 40)
}

//! The syntax beyond JSON that a tolerant lexer reads: comments, `=` for a colon, strings joined by `+`, keys without quotes,
//! and strings in single quotes, backticks and typographic quotes.
//!
//! A strict lexer never calls the functions of this file. Each of these tokens is recorded as a fault where it begins, and
//! *misled* means that it has become unknown which text is inside strings: see [`Lexer::is_misled`].

use super::{
    Comment, Expect, FaultKind, Lexer, Role, Sink, Stop, Token, blank_lines_length, char_len, is_word, word_length,
};
use crate::value::scan::blanks;
use crate::value::text::find;

impl Lexer {
    /// A lexer that records the first fault and continues.
    pub fn tolerant(max_depth: usize) -> Self {
        Self { tolerant: true, ..Self::strict(max_depth) }
    }

    /// The length of a prefix that [`Lexer::feed`] reads without a call of the sink, and without a stop other than
    /// [`Stop::Line`]: whitespace, part of a word, a comment. 0 if the first character may cause either.
    pub(crate) fn silent_length(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        match self.token {
            // A word at the end of what is fed stays pending, so it is silent if no more than the word is fed.
            Token::None if bytes.first().is_some_and(|byte| is_word(*byte)) => word_length(text),
            Token::None => blanks(text),
            Token::Number | Token::Word => word_length(text),
            Token::Comment(Comment::Line) => find(text, "\n").unwrap_or(text.len()),
            Token::Comment(Comment::Block { is_after_star }) => comment_length(bytes, is_after_star),
            _ => 0,
        }
    }

    /// Reads a token, or a part of one, that is not JSON; returns the number of bytes consumed and whether the lexer stops.
    /// `None` if the strict rules apply.
    pub(super) fn foreign_token(&mut self, text: &str, first: u8, sink: &mut dyn Sink) -> Option<(usize, Stop)> {
        match self.token {
            Token::None => self.foreign_structure(text, first, sink),
            Token::Comment(comment) => Some(self.comment(comment, text, first)),
            Token::String if matches!(self.quote, TYPOGRAPHIC_SINGLE | TYPOGRAPHIC_DOUBLE) => {
                Some(match self.typographic_run(text, sink) {
                    0 => self.end_run(text, sink),
                    length => (length, Stop::Input),
                })
            }
            _ => None,
        }
    }

    /// Reads a line feed, or the beginning of a comment or of a string that is not in double quotes, or `=` for a colon.
    fn foreign_structure(&mut self, text: &str, first: u8, sink: &mut dyn Sink) -> Option<(usize, Stop)> {
        let kind = match first {
            b'\n' => return Some((blank_lines_length(text), Stop::Line)),
            b'/' => {
                self.token = Token::Comment(Comment::Slash);
                FaultKind::Comment
            }
            b'#' => {
                self.doubt();
                self.token = Token::Comment(Comment::Line);
                FaultKind::Comment
            }
            // Perhaps `<!--`.
            b'<' => {
                self.token = Token::Comment(Comment::HtmlOpener(1));
                FaultKind::Unexpected('<')
            }
            b'=' if matches!(self.expect, Expect::Colon) => {
                self.expect = Expect::Value;
                FaultKind::Unexpected('=')
            }
            b'\'' | b'`' | 0x80.. => {
                let char = text.chars().next()?;
                let quote = foreign_quote(char)?;
                self.record_fault(FaultKind::Unexpected(char), self.offset);
                // Backticks where no value is expected may be a fence.
                self.is_misled |= char == '`' && !self.awaits_value();
                return Some((char_len(text), self.begin_string(quote, sink)));
            }
            _ => return None,
        };
        Some((1, self.record_fault(kind, self.offset)))
    }

    /// Reads one character of a comment, or a run of characters that do not matter to it.
    fn comment(&mut self, comment: Comment, text: &str, first: u8) -> (usize, Stop) {
        // The length of what is read, and the comment after it: `None` if it has ended. With a length of 0, the character belongs
        // to the next token.
        let (length, next_comment) = match comment {
            Comment::Slash => match first {
                b'/' => (1, Some(Comment::Line)),
                b'*' => (1, Some(Comment::Block { is_after_star: false })),
                _ => (0, None),
            },
            Comment::Line => match find(text, "\n") {
                None => (text.len(), Some(comment)),
                Some(end) => (end, None),
            },
            Comment::Block { is_after_star } => match comment_length(text.as_bytes(), is_after_star) {
                0 if is_after_star && first == b'/' => (1, None),
                0 => (1, Some(Comment::Block { is_after_star: first == b'*' })),
                run => (run, Some(Comment::Block { is_after_star: false })),
            },
            Comment::HtmlOpener(length) => match b"<!--".get(length) {
                Some(expected) if *expected != first => {
                    self.is_misled = true;
                    (0, None)
                }
                _ if length + 1 < "<!--".len() => (1, Some(Comment::HtmlOpener(length + 1))),
                _ => (1, Some(Comment::Html { dashes: 0 })),
            },
            Comment::Html { dashes } => {
                let run = text.bytes().position(|byte| matches!(byte, b'-' | b'>' | b'\n')).unwrap_or(text.len());
                let next_comment = match first {
                    b'>' if dashes >= 2 => None,
                    b'-' => Some(Comment::Html { dashes: dashes + 1 }),
                    _ => Some(Comment::Html { dashes: 0 }),
                };
                // Without a run, the first character is one of the three.
                (run.max(1), next_comment)
            }
        };
        self.token = next_comment.map_or(Token::None, Token::Comment);
        let ends_line = first == b'\n' && matches!(comment, Comment::Block { .. } | Comment::Html { .. });
        (length, if ends_line { Stop::Line } else { Stop::Input })
    }

    /// Continues after a word that has been recorded as a fault: it is a key without quotes, the `+` between two strings, an
    /// unknown word in place of a value, or is ignored.
    pub(super) fn foreign_word(&mut self, word: &str, sink: &mut dyn Sink) -> Stop {
        if self.awaits_key() {
            sink.string(Role::Key, word, self.start);
            (self.expect, self.is_key_bare) = (Expect::Colon, true);
        } else if word == "+" && matches!(self.expect, Expect::CommaOrClose(_)) {
            self.expect = Expect::Joint;
        } else {
            self.doubt();
            // An unknown word in place of a value counts as the value.
            if self.awaits_value() {
                return self.value_ends();
            }
        }
        Stop::Input
    }

    /// Reads a run of a string in typographic quotes, up to a control character, a backslash or a closing quote, which may also
    /// be an ASCII quote: `"` for double quotes, `'` or a backtick for single ones. Returns the length of the run.
    fn typographic_run(&mut self, text: &str, sink: &mut dyn Sink) -> usize {
        let quote = self.quote;
        let is_closing_quote = |char| match foreign_quote(char) {
            Some(b'\'' | b'`') => quote == TYPOGRAPHIC_SINGLE,
            None => char == '"' && quote == TYPOGRAPHIC_DOUBLE,
            typographic => typographic == Some(quote),
        };
        let ends_run = |char| matches!(char, '\0'..' ' | '\\') || is_closing_quote(char);
        let length = text.char_indices().find(|(_, char)| ends_run(*char)).map_or(text.len(), |(offset, _)| offset);
        if length > 0 {
            self.end_high_surrogate(sink);
            sink.text(text.get(..length).unwrap_or_default());
        }
        length
    }
}

/// The length of the text of a block comment up to the next star or line feed; 0 if it begins with one of them, or with the
/// slash that ends the comment.
fn comment_length(bytes: &[u8], is_after_star: bool) -> usize {
    let ends_run = |byte: &u8| matches!(byte, b'*' | b'\n');
    if is_after_star && bytes.first() == Some(&b'/') {
        0
    } else {
        bytes.iter().position(ends_run).unwrap_or(bytes.len())
    }
}

/// The values of [`Lexer`]'s `quote` for strings in typographic quotes. No character begins with one of these bytes.
const TYPOGRAPHIC_DOUBLE: u8 = 0x80;
const TYPOGRAPHIC_SINGLE: u8 = 0x81;

/// Whether `char` is a typographic double quote.
pub(crate) const fn is_typographic_double(char: char) -> bool {
    matches!(char, '“' | '”' | '„' | '‟')
}

/// Whether `char` is a typographic single quote, or an acute accent used as one.
pub(crate) const fn is_typographic_single(char: char) -> bool {
    matches!(char, '‘' | '’' | '‚' | '‛' | '´')
}

/// The value of `quote` for a string that begins with this quote; `None` for other characters.
const fn foreign_quote(char: char) -> Option<u8> {
    Some(match char {
        '\'' => b'\'',
        '`' => b'`',
        _ if is_typographic_double(char) => TYPOGRAPHIC_DOUBLE,
        _ if is_typographic_single(char) => TYPOGRAPHIC_SINGLE,
        _ => return None,
    })
}

/// Whether `char` is a quote of any kind.
pub(crate) const fn is_quote(char: char) -> bool {
    char == '"' || foreign_quote(char).is_some()
}

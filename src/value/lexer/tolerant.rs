//! The syntax beyond JSON that a tolerant lexer reads: comments, `=` for a colon, sums of strings, keys without quotes, and strings in
//! single quotes, backticks and typographic quotes.
//!
//! A strict lexer never calls this layer.

use super::{Comment, Expect, FaultKind, Lexer, Role, Sink, Stop, Token, char_len, is_word, lines, word_length};
use crate::value::scan::blanks;
use crate::value::text::find;

impl Lexer {
    /// A lexer that records the first fault and continues.
    pub fn tolerant(max_depth: usize) -> Self {
        Self { tolerant: true, ..Self::strict(max_depth) }
    }

    /// The length of the prefix that [`Lexer::feed`] reads without a call of the sink and without a stop: blanks, part of a
    /// word, a comment.
    pub(crate) fn silent_length(&self, text: &str) -> usize {
        let bytes = text.as_bytes();
        match self.token {
            Token::None if bytes.first().is_some_and(|byte| is_word(*byte)) => word_length(text),
            Token::None => blanks(text),
            Token::Number | Token::Word => word_length(text),
            Token::Comment(Comment::Line) => find(text, "\n").unwrap_or(text.len()),
            Token::Comment(Comment::Block(star)) => comment_length(bytes, star),
            _ => 0,
        }
    }

    /// Reads a token that is not JSON; `None` if the strict lexer is to read the text.
    pub(super) fn foreign_token(&mut self, text: &str, first: u8, sink: &mut dyn Sink) -> Option<(usize, Stop)> {
        match self.token {
            Token::None => self.foreign_structure(text, first, sink),
            Token::Comment(comment) => Some(self.comment(comment, text, first)),
            Token::String if self.quote >= 0x80 => Some(match self.typographic(text, sink) {
                0 => self.end_run(text, sink),
                run => (run, Stop::Input),
            }),
            _ => None,
        }
    }

    fn foreign_structure(&mut self, text: &str, first: u8, sink: &mut dyn Sink) -> Option<(usize, Stop)> {
        let kind = match first {
            b'\n' => return Some((lines(text), Stop::Line)),
            b'/' => {
                self.token = Token::Comment(Comment::Slash);
                FaultKind::Comment
            }
            b'#' => {
                self.doubt();
                self.token = Token::Comment(Comment::Line);
                FaultKind::Comment
            }
            b'<' => {
                self.token = Token::Comment(Comment::Tag(1));
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
                // Backticks are fences too.
                self.is_misled |= char == '`' && !self.awaits_value();
                return Some((char_len(text), self.begin_string(quote, sink)));
            }
            _ => return None,
        };
        Some((1, self.record_fault(kind, self.offset)))
    }

    fn comment(&mut self, comment: Comment, text: &str, first: u8) -> (usize, Stop) {
        let (length, next) = match comment {
            Comment::Slash => match first {
                b'/' => (1, Some(Comment::Line)),
                b'*' => (1, Some(Comment::Block(false))),
                _ => (0, None),
            },
            Comment::Line => match find(text, "\n") {
                None => (text.len(), Some(comment)),
                Some(end) => (end, None),
            },
            Comment::Block(star) => match comment_length(text.as_bytes(), star) {
                0 if star && first == b'/' => (1, None),
                0 => (1, Some(Comment::Block(first == b'*'))),
                run => (run, Some(Comment::Block(false))),
            },
            Comment::Tag(length) => match b"<!--".get(length) {
                Some(due) if *due != first => {
                    self.is_misled = true;
                    (0, None)
                }
                _ if length < 3 => (1, Some(Comment::Tag(length + 1))),
                _ => (1, Some(Comment::Html(0))),
            },
            Comment::Html(dashes) => {
                let run = text.bytes().position(|byte| matches!(byte, b'-' | b'>' | b'\n')).unwrap_or(text.len());
                let next = match first {
                    b'>' if dashes >= 2 => None,
                    b'-' => Some(Comment::Html(dashes + 1)),
                    _ => Some(Comment::Html(0)),
                };
                (run.max(1), next)
            }
        };
        self.token = next.map_or(Token::None, Token::Comment);
        let ends_line = first == b'\n' && matches!(comment, Comment::Block(_) | Comment::Html(_));
        (length, if ends_line { Stop::Line } else { Stop::Input })
    }

    /// Continues after a word that is neither a number nor a literal, and that has been recorded as a fault.
    pub(super) fn foreign_word(&mut self, word: &str, sink: &mut dyn Sink) -> Stop {
        if self.awaits_key() {
            sink.string(Role::Key, word, self.start);
            (self.expect, self.bare_key) = (Expect::Colon, true);
        } else if word == "+" && matches!(self.expect, Expect::CommaOrClose(_)) {
            self.expect = Expect::Joint;
        } else {
            self.doubt();
            if self.awaits_value() {
                return self.value_ends();
            }
        }
        Stop::Input
    }

    /// Reads a run of a string in typographic quotes, which a plain quote also ends.
    fn typographic(&mut self, text: &str, sink: &mut dyn Sink) -> usize {
        let quote = self.quote;
        let ends = |char| match foreign_quote(char) {
            Some(b'\'' | b'`') => quote == ONE_STROKE,
            None => char == '"' && quote == TWO_STROKES,
            closer => closer == Some(quote),
        };
        let special = |char| matches!(char, '\0'..' ' | '\\') || ends(char);
        let run = text.char_indices().find(|(_, char)| special(*char)).map_or(text.len(), |(place, _)| place);
        if run > 0 {
            self.end_high_surrogate(sink);
            sink.text(text.get(..run).unwrap_or_default());
        }
        run
    }
}

/// The length of a block comment up to the next star or line break; 0 if the text begins with one of them, or if it begins
/// with the slash that ends the comment. `star` says whether a star is before the text.
fn comment_length(bytes: &[u8], star: bool) -> usize {
    let ends = |byte: &u8| matches!(byte, b'*' | b'\n');
    if star && bytes.first() == Some(&b'/') { 0 } else { bytes.iter().position(ends).unwrap_or(bytes.len()) }
}

/// The values of `quote` for strings in typographic quotes: bytes that begin no character.
const TWO_STROKES: u8 = 0x80;
const ONE_STROKE: u8 = 0x81;

/// Whether `char` is a typographic double quote.
pub(crate) const fn has_two_strokes(char: char) -> bool {
    matches!(char, '“' | '”' | '„' | '‟')
}

/// Whether `char` is a typographic single quote, or an acute accent used as one.
pub(crate) const fn has_one_stroke(char: char) -> bool {
    matches!(char, '‘' | '’' | '‚' | '‛' | '´')
}

/// The value of `quote` for a string that begins with this quote; `None` for other characters.
const fn foreign_quote(char: char) -> Option<u8> {
    Some(match char {
        '\'' => b'\'',
        '`' => b'`',
        _ if has_two_strokes(char) => TWO_STROKES,
        _ if has_one_stroke(char) => ONE_STROKE,
        _ => return None,
    })
}

/// Whether `char` is a quote of any kind.
pub(crate) const fn is_quote(char: char) -> bool {
    char == '"' || foreign_quote(char).is_some()
}

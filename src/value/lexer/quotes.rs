//! Foreign quotes in a tolerant reading: single ones, backticks, typographic ones.

use super::{Lexer, Sink, char_len};

/// What stands for the quotes of a string in typographic quotes: bytes with which no character begins.
const TWO_STROKES: u8 = 0x80;
const ONE_STROKE: u8 = 0x81;

/// Whether it is a typographic quote of two strokes.
pub(crate) const fn has_two_strokes(char: char) -> bool {
    matches!(char, '“' | '”' | '„' | '‟')
}

/// Whether it is a typographic quote of one stroke, or what is written for one.
pub(crate) const fn has_one_stroke(char: char) -> bool {
    matches!(char, '‘' | '’' | '‚' | '‛' | '´')
}

/// What stands for the quotes of the string that begins with such a quote.
pub(super) const fn foreign_quote(char: char) -> Option<u8> {
    Some(match char {
        '\'' => b'\'',
        '`' => b'`',
        _ if has_two_strokes(char) => TWO_STROKES,
        _ if has_one_stroke(char) => ONE_STROKE,
        _ => return None,
    })
}

/// Whether a string may begin or end with it.
pub(crate) const fn is_quote(char: char) -> bool {
    char == '"' || foreign_quote(char).is_some()
}

/// How long the quote at a place is that ends a string in such quotes.
pub(super) fn quote_length(quote: u8, text: &str, place: usize) -> usize {
    if quote < 0x80 { 1 } else { char_len(text.get(place..).unwrap_or_default()) }
}

impl Lexer {
    /// Takes what is plain of a string in typographic quotes, which plain ones end too.
    pub(super) fn typographic(&mut self, text: &str, quote: u8, sink: &mut dyn Sink) -> usize {
        let ends = |char| match foreign_quote(char) {
            Some(b'\'' | b'`') => quote == ONE_STROKE,
            None => char == '"' && quote == TWO_STROKES,
            own => own == Some(quote),
        };
        let special = |char| matches!(char, '\0'..' ' | '\\') || ends(char);
        let run = text.char_indices().find(|(_, char)| special(*char)).map_or(text.len(), |(place, _)| place);
        if run > 0 {
            self.lone_half(sink);
            sink.text(text.get(..run).unwrap_or_default());
        }
        run
    }
}

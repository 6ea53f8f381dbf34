//! Which words differ between the lines that went and those that came.

use std::ops::Range;

use super::lines::{Numbers, bare};
use super::sequence::spans;

/// Changed ranges within each line, in UTF-16 units.
pub(super) type Ranges = Vec<Vec<[usize; 2]>>;

/// Of more lines at a stretch nobody looks for words.
const MOST: usize = 1000;

struct Token<'a> {
    line: usize,
    from: usize,
    to: usize,
    text: &'a str,
}

/// The ranges of the old lines and of the new ones. Nothing where so little stayed that marking the rest says nothing.
pub(super) fn words(old: &[&str], new: &[&str], budget: &mut usize) -> Option<(Ranges, Ranges)> {
    if old.is_empty() || new.is_empty() || old.len() + new.len() > MOST {
        return None;
    }
    let mut numbers = Numbers::default();
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let mut number = |tokens: &[Token<'_>]| tokens.iter().map(|token| numbers.of(token.text)).collect::<Vec<_>>();
    let spans = spans(&number(&old_tokens), &number(&new_tokens), budget);
    let gone = marks(&old_tokens, spans.iter().map(|span| span.old.clone()));
    let come = marks(&new_tokens, spans.iter().map(|span| span.new.clone()));
    let kept: usize =
        old_tokens.iter().zip(&gone).filter(|(token, gone)| !**gone && !is_blank(token.text)).map(size).sum();
    let whole = |tokens: &[Token<'_>]| -> usize {
        tokens.iter().filter(|token| !is_blank(token.text)).map(|token| token.to - token.from).sum()
    };
    if kept * 4 < whole(&old_tokens).min(whole(&new_tokens)) || kept == 0 {
        return None;
    }
    Some((ranges(&old_tokens, gone, old.len()), ranges(&new_tokens, come, new.len())))
}

fn size((token, _): (&Token<'_>, &bool)) -> usize {
    token.to - token.from
}

/// The tokens of the lines, less their ends: a word, a run of blanks, or one other character.
fn tokens<'a>(lines: &[&'a str]) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    for (line, text) in lines.iter().enumerate() {
        let text = bare(text);
        let mut rest = text.char_indices().peekable();
        let mut from = 0;
        while let Some((start, first)) = rest.next() {
            let kind = kind(first);
            let (mut end, mut to) = (start + first.len_utf8(), from + first.len_utf16());
            while let Some((place, next)) = rest.next_if(|(_, next)| kind != Kind::Other && self::kind(*next) == kind) {
                (end, to) = (place + next.len_utf8(), to + next.len_utf16());
            }
            tokens.push(Token { line, from, to, text: text.get(start..end).unwrap_or_default() });
            from = to;
        }
    }
    tokens
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Word,
    Blank,
    Other,
}

/// Letters beyond ASCII belong to words, but those of scripts that write no blanks between words stand alone. Emoji keep
/// together what joins them.
const fn kind(c: char) -> Kind {
    match c {
        ' ' | '\t' => Kind::Blank,
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Kind::Word,
        '\u{fe00}'..='\u{fe0f}' => Kind::Word,
        '\0'..='\x7f' | '\u{2e80}'..='\u{ffff}' => Kind::Other,
        _ => Kind::Word,
    }
}

fn is_blank(text: &str) -> bool {
    text.starts_with([' ', '\t'])
}

/// Which tokens changed. A blank between two that did counts too: one range reads better than two.
fn marks(tokens: &[Token<'_>], spans: impl Iterator<Item = Range<usize>>) -> Vec<bool> {
    let mut marks = vec![false; tokens.len()];
    let mut last: Option<usize> = None;
    for span in spans.filter(|span| !span.is_empty()) {
        let from = match last {
            Some(end) if end + 1 == span.start && tokens.get(end).is_some_and(|token| is_blank(token.text)) => end,
            _ => span.start,
        };
        last = Some(span.end);
        marks.get_mut(from..span.end).unwrap_or_default().fill(true);
    }
    marks
}

fn ranges(tokens: &[Token<'_>], marks: Vec<bool>, lines: usize) -> Ranges {
    let mut ranges: Ranges = vec![Vec::new(); lines];
    for (token, _) in tokens.iter().zip(marks).filter(|(_, changed)| *changed) {
        let Some(line) = ranges.get_mut(token.line) else { continue };
        match line.last_mut() {
            Some(last) if last[1] == token.from => last[1] = token.to,
            _ => line.push([token.from, token.to]),
        }
    }
    ranges
}

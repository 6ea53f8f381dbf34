//! Finds which quotes delimit strings, where a single character of the text is wrong.
//!
//! A quote that was lost or added turns all behind it inside out: what was text is read as structure. So the text is read
//! from its beginning up to the first fault, and from its end up to the first character that is no structure: the damage
//! is in between. Each way to undo it there is tried. If exactly one works, it is what was meant; if several do, or a
//! quote is missing, the repair gives up.
//!
//! Raw line breaks and invalid escapes in strings are no damage here: they do not say where a string ends.

use std::cell::Cell;

use super::part;
use super::walk::{Walk, WalkContext, is_structure, is_word};
use crate::value::concat;

/// What is known of the quotes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// All are those of strings.
    Sound,
    /// All but those from one place to another, which belong to the text of a string.
    But(usize, usize),
    /// One is missing, or one is too many and nobody knows which.
    Unclear,
    /// More is wrong than one character.
    Unknown,
}

/// An edit that may undo the damage: it replaces the text between two places.
#[derive(Clone, Copy, Debug)]
pub(super) struct DamageEdit {
    start: usize,
    end: usize,
    with: &'static str,
    /// The longest string that was passed before it.
    string: (usize, usize),
}

impl DamageEdit {
    pub(super) fn apply(&self, text: &str) -> String {
        concat(&[part(text, 0..self.start), self.with, part(text, self.end..text.len())])
    }

    /// Whether what a number was cannot be seen from the text's structure.
    pub(super) fn is_number(&self) -> bool {
        self.with == NUMBER
    }
}

/// What a damaged character outside of strings may have been.
const WITH: &[&str] = &[",", ":", "{", "}", "[", "]", VALUE, ""];

/// Some value: one that no call has.
const VALUE: &str = "-7e77";

/// A number that lost a digit to the damage.
const NUMBER: &str = "-7e78";

/// All tries together take so many steps, and one more for each byte of the text: then nobody knows.
const STEPS: usize = 1 << 15;

/// A longer word is not taken for what one damage has made of two.
const LONGEST_WORD: usize = 32;

impl Quotes {
    /// What the quotes of a text are from a place on, and how one damage outside of strings may be undone.
    pub(super) fn of(text: &str, from: usize, max_depth: usize) -> (Self, Vec<DamageEdit>) {
        let shared = WalkContext { longest: Cell::default(), left: Cell::new(text.len() + STEPS) };
        let start = Walk::new(text, from, max_depth, &shared);
        let mut edits = Vec::new();
        let quotes = if start.reads_to_its_end() {
            Self::Sound
        } else if start.is_odd() {
            start.odd()
        } else {
            start.even(&mut edits)
        };
        (if shared.left.get() == 0 { Self::Unclear } else { quotes }, edits)
    }
}

/// Whether a text that begins outside of strings ends in one.
pub(super) fn has_open_quote(text: &str) -> bool {
    Walk::new(text, 0, 0, &WalkContext::default()).is_odd()
}

/// Whether a text with its damage undone has the same structure as another: their strings and words are one character each.
pub(super) fn are_alike(undone: &str, edit: &DamageEdit, other: &str, shared: &WalkContext) -> bool {
    let own = WalkContext { longest: Cell::new(edit.string), ..WalkContext::default() };
    let mut one = Walk::new(undone, 0, 0, &own);
    let mut other = Walk::new(other, 0, 0, shared);
    loop {
        let token = one.token();
        if token != other.token() {
            return false;
        }
        if token == 0 {
            return true;
        }
    }
}

/// Whether what stands here would be the rest of an escape, if it is none but these and `\u`.
pub(super) fn ends_escape(text: &[u8], letters: &[u8]) -> bool {
    match text {
        [b'u', digits @ ..] => hexes(digits) == 4,
        [first, ..] => letters.contains(first),
        [] => false,
    }
}

/// How many digits of an escape stand here.
pub(super) fn hexes(text: &[u8]) -> usize {
    text.iter().take(4).take_while(|digit| digit.is_ascii_hexdigit()).count()
}

impl Walk<'_> {
    /// Whether the number of quotes is odd.
    fn is_odd(&self) -> bool {
        let (mut at, mut is_odd) = (self.at, false);
        while let Some(quote) = self.string_end(at) {
            at = quote + 1;
            is_odd = !is_odd;
        }
        is_odd
    }

    /// Whether between two strings more stands than structure, or less. Strings are whatever is between two quotes.
    fn is_doubtful(&self) -> bool {
        let mut at = self.at;
        loop {
            let (mut is_between, mut is_over) = (at == self.at, false);
            loop {
                let length = self.word_length(at);
                match self.bytes.get(at) {
                    None => return false,
                    Some(b'"') => break,
                    Some(b',' | b':') => is_between = true,
                    Some(b'}' | b']') => is_over = true,
                    Some(b'{' | b'[') => is_between |= is_over,
                    Some(_) if length > 0 && !self.is_value(at, length) => return true,
                    Some(_) => {}
                }
                at += length.max(1);
            }
            match self.string_end(at + 1) {
                Some(end) if is_between => at = end + 1,
                _ => return true,
            }
        }
    }

    /// As many quotes as there should be: none was lost or added, but where more is wrong. Each way to undo one damage
    /// outside of strings is noted.
    fn even(mut self, edits: &mut Vec<DamageEdit>) -> Quotes {
        let is_doubtful = self.is_doubtful();
        let (mut pair, mut is_twice) = (None, false);
        let mut gap = self.at;
        let mut last = self;
        loop {
            self.blanks();
            let at = self.at;
            if self.shared.left.get() == 0 {
                return Quotes::Unclear;
            }
            // A comma before a closer is a trailing comma: nothing was lost behind it.
            let before = self.bytes.get(..gap).unwrap_or_default().trim_ascii_end();
            let is_trailing = matches!(self.bytes.get(at), Some(b'}' | b']')) && before.last() == Some(&b',');
            for with in WITH {
                let may_be = !(with.is_empty() || is_trailing && *with == VALUE);
                if may_be && self.is_sound_after(at, with) {
                    edits.push(self.edit(gap, gap, with));
                }
            }
            match self.bytes.get(at) {
                None => break,
                Some(b'"') => {
                    // A backslash between these two quotes may have become the first of them.
                    let end = self.string_end(at + 1).unwrap_or(at);
                    if self.bytes.get(end + 1) == Some(&b'"') && self.is_sound_string(at, end + 2) {
                        is_twice |= pair.replace((end, end + 1)).is_some();
                    }
                }
                Some(_) => self.undo_word(&last, edits),
            }
            last = self;
            if !self.step() {
                break;
            }
            gap = self.at;
        }
        match pair {
            None if edits.is_empty() && is_doubtful => Quotes::Unknown,
            None => Quotes::Sound,
            Some((from, to)) if edits.is_empty() && !is_twice => Quotes::But(from, to),
            Some(_) => Quotes::Unclear,
        }
    }

    fn edit(&self, start: usize, end: usize, with: &'static str) -> DamageEdit {
        let longest = self.shared.longest.get();
        DamageEdit { start, end, with, string: if longest.1 < start { longest } else { (0, 0) } }
    }

    /// Notes what the word, the bracket, the comma or colon that stands here may have been.
    fn undo_word(&self, last: &Self, edits: &mut Vec<DamageEdit>) {
        let at = self.at;
        let word = self.word_length(at);
        let end = at + word.max(1);
        let mut note = |walk: &Self, start: usize, end: usize, with: &'static str| {
            if walk.is_sound_after(end, with) {
                edits.push(walk.edit(start, end, with));
            }
        };
        let is_comment = self.bytes.get(at) == Some(&b'#');
        let is_garbage = word > 0 && !is_comment && !self.is_value(at, word);
        if is_garbage {
            note(self, at, end, VALUE);
        }
        if word == 0 {
            // It may have been a digit of the number beside it; but a comma before a closer is a trailing comma.
            let before = last.word_length(last.at);
            let number = end + self.word_length(end);
            note(self, at, number, NUMBER);
            let rest = self.bytes.get(end..).unwrap_or_default().trim_ascii_start();
            let is_trailing = self.bytes.get(at) == Some(&b',') && matches!(rest, [b'}' | b']', ..]);
            if before > 0 && last.at + before == at && !is_trailing {
                note(last, last.at, number, NUMBER);
            }
        }
        if is_garbage && word <= LONGEST_WORD || word == 0 {
            for (place, char) in part(self.text, at..end).char_indices() {
                let mut before = *self;
                if place == 0 || self.is_value(at, place) && before.value_ends() {
                    for with in WITH {
                        note(&before, at + place, at + place + char.len_utf8(), with);
                    }
                }
            }
        }
    }

    /// One quote too few or too many: what it may have been, behind a place and up to the first fault.
    fn odd(mut self) -> Quotes {
        let damage = self.damage();
        let mut text = None;
        loop {
            self.blanks();
            let at = self.at;
            let Some(byte) = self.bytes.get(at) else { break };
            // A backslash may hide the quote behind it.
            if *byte == b'\\' || self.shared.left.get() == 0 {
                return Quotes::Unclear;
            }
            if *byte != b'"' {
                // The first quote of a string may be missing here.
                if at >= damage && self.is_sound_string(at, at) {
                    return Quotes::Unclear;
                }
                if !self.step() {
                    break;
                }
                continue;
            }
            let is_stray = at > damage && WITH.iter().any(|with| self.is_sound_after(at + 1, with));
            let end = self.string_end(at + 1);
            if is_stray || self.may_end_in(at, damage, end.unwrap_or(self.bytes.len())) {
                return Quotes::Unclear;
            }
            let Some(end) = end else { break };
            if end > damage && self.is_sound_string(at, end + 1) && text.replace(end).is_some() {
                return Quotes::Unclear;
            }
            if !self.step() {
                break;
            }
        }
        match text {
            None => Quotes::Unknown,
            Some(place) if self.may_be_more(place + 1) => Quotes::Unclear,
            Some(place) => Quotes::But(place, place),
        }
    }

    /// Whether all is sound from a place on, with something put before it.
    fn is_sound_after(&self, at: usize, with: &str) -> bool {
        let with = with.as_bytes().first();
        if with.is_some_and(|byte| self.next(*byte).is_none()) {
            return false;
        }
        let mut walk = Walk { at, ..*self };
        with.is_none_or(|byte| walk.structure(*byte)) && walk.reads_to_its_end()
    }

    /// Whether all is sound if a string that begins at a place ends with the first quote from another on.
    fn is_sound_string(&self, start: usize, from: usize) -> bool {
        self.string_end(from).is_some_and(|end| self.is_sound_behind(start, end + 1))
    }

    /// Whether all is sound if a string that begins at a place ends somewhere before another, with structure behind it.
    fn may_end_in(&self, start: usize, damage: usize, end: usize) -> bool {
        let places = (damage.max(start + 1)..end).rev();
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or_default();
        let mut places = places.take_while(|at| is_structure(byte(*at)) && self.pay(1));
        places.any(|at| !is_word(byte(at)) && self.is_sound_behind(start, at))
    }

    /// Whether all is sound if a string goes from one place to another.
    fn is_sound_behind(&self, start: usize, end: usize) -> bool {
        let mut walk = Walk { at: end, ..*self };
        walk.string_ends(start) && walk.reads_to_its_end()
    }

    /// Whether what stands behind a quote may be a comment, or the quote the backslash of an escape. Nobody writes a
    /// backspace or a form feed.
    fn may_be_more(&self, at: usize) -> bool {
        let rest = self.bytes.get(at..).unwrap_or_default();
        matches!(rest.trim_ascii_start(), [b'#', ..] | [b'/', b'/' | b'*', ..]) || ends_escape(rest, b"nrt")
    }

    /// Where the damage is at the least, if a quote is lost or added: read from the end, all behind it is strings and
    /// structure.
    fn damage(&self) -> usize {
        let mut in_string = false;
        for place in (self.at..self.bytes.len()).rev() {
            let before = self.bytes.get(..place).unwrap_or_default().iter().rev();
            match self.bytes.get(place) {
                Some(b'"') if before.take_while(|byte| **byte == b'\\').count() % 2 == 0 => in_string = !in_string,
                Some(byte) if !in_string && !is_structure(*byte) => return place,
                _ => {}
            }
        }
        self.at
    }
}

//! Finds the quote that ends a string.
//!
//! A closing quote is a candidate. It ends the string if the text after it reads as the rest of the value: the next key with
//! its colon, or the closing brackets and the end. The first candidate needs nothing else. After quotes that belong to the
//! text, e.g. `"content": "say "hi" to"}`, a candidate of a call must be confirmed by a probe: a reader that continues
//! from there to the end of the block and accepts few faults. Quotes of a text come in pairs: after an odd number of them a
//! candidate is the end only if the text ends with a line break, as files do. A text never contains a neighbouring key.

use super::last;
use super::lookahead::{KeyAhead, Separator};
use super::quotes::{Quote, StringRole, is_name_byte};
use super::syntax::Repairer;
use super::unrepairable::{Doubt, Repaired, Unrepairable};
use crate::counted::count_work;
use crate::value::Container;
use crate::value::text::contains;

/// The end of a string.
#[derive(Clone, Copy, Debug)]
pub(super) struct StringEnd {
    /// The offset of its closing quote.
    pub(super) place: usize,
    /// The number of escaped double quotes in it.
    escaped: usize,
    /// The number of unescaped quotes in it.
    pub(super) inner: usize,
    /// The offset of the first of those, if there are any.
    pub(super) first_inner: usize,
}

/// The text after a quote that may end a string.
#[derive(Clone, Copy, Debug)]
enum Follow {
    /// Not the rest of a value: the quote belongs to the text.
    Text,
    /// A doubtful continuation, accepted only if no other quote ends the string: e.g. `]` in an object, or prose.
    Odd,
    /// A continuation that needs a repair: e.g. `=` after the key.
    Loose,
    /// A comma and a key, or a known key without its comma.
    Key,
    /// The next item of a list, or the next call.
    Item,
    /// The closing brackets of all that is open, and nothing else.
    Closed,
    /// The end of the text, with this number of lists and objects open.
    Cut(usize),
}

/// All probes of a text together read at most this many times its length; after that no candidate is confirmed.
const PROBES: usize = 2;

/// Bytes after which a quote opens a string of code, e.g. `print("`.
const BEFORE_QUOTES: &[u8] = b"([{=,:+ \t";

impl Repairer<'_> {
    /// Finds the end of the string whose text begins at `start`; `None` if a partial text ends inside it.
    pub(super) fn string_end(&self, quote: Quote, start: usize, role: StringRole) -> Repaired<Option<StringEnd>> {
        let is_block = self.rules.is_block();
        let mut found = StringEnd { place: start, escaped: 0, inner: 0, first_inner: 0 };
        // The first candidate, if nothing but a doubtful continuation follows it: used if no other candidate is the end.
        let mut first = None;
        // Whether a key or a joined string follows a quote in the text that was not taken for its end: then the end is doubtful.
        let mut has_neighbour = false;
        // Unescaped quotes in the current line of the text: quotes of code come in pairs within a line, too.
        let mut in_line: usize = 0;
        let mut is_first_line = true;
        let mut place = start;
        loop {
            place = self.next_special(quote.kind, place);
            match self.byte(place) {
                0 if place >= self.text.len() => break,
                b'\\' => {
                    found.escaped += usize::from(self.byte(place + 1) == b'"');
                    if self.byte(place + 1) == b'n' {
                        in_line = 0;
                    }
                    place += 2;
                    continue;
                }
                b'\n' => (in_line, is_first_line) = (0, false),
                _ => {}
            }
            let length = self.closing(quote, place);
            if length == 0 || self.is_apostrophe(place, place + length) {
                place += self.char(place).len_utf8().max(1);
                continue;
            }
            found.place = place;
            let is_clean = found.inner == 0;
            if role == StringRole::Key || self.rules.partial {
                return Ok(Some(found));
            }
            let after = place + length;
            let follow = self.follow(after, is_clean);
            let is_even = found.inner.is_multiple_of(2);
            let is_end = match follow {
                Follow::Text => false,
                Follow::Key | Follow::Item | Follow::Closed | Follow::Loose if is_clean => true,
                Follow::Odd | Follow::Cut(_) if is_clean => {
                    first = Some((found, follow));
                    false
                }
                Follow::Closed if !is_block => true,
                Follow::Key | Follow::Closed | Follow::Item if self.is_probe() || !is_block => is_even,
                Follow::Key | Follow::Closed | Follow::Item => self.probe(after),
                Follow::Cut(open) => {
                    let is_whole = self.rules.complete && is_even && open < self.stack.len();
                    is_whole && self.may_be_cut(start, place, open)
                }
                Follow::Loose | Follow::Odd => false,
            };
            if is_end {
                let is_whole = !is_block || self.ends_line(start, place) || self.is_balanced(start, place, follow);
                let is_sure = is_clean || !has_neighbour && is_whole && self.is_paired(start, found);
                return if is_sure { Ok(Some(found)) } else { Err(Unrepairable::Ambiguous(Doubt::End)) };
            }
            has_neighbour |= in_line.is_multiple_of(2) && self.is_neighbour(after, is_first_line);
            if is_clean {
                found.first_inner = place;
            }
            found.inner += 1;
            in_line += 1;
            place = after;
        }
        match first {
            // Ambiguous: the string ends at this quote, or the quote belongs to a text that was cut off.
            Some((first, Follow::Cut(open))) if !self.may_be_cut(start, first.place, open) => {
                Err(Unrepairable::Ambiguous(Doubt::End))
            }
            Some((first, _)) => Ok(Some(first)),
            None if self.rules.partial => Ok(None),
            None => Err(Unrepairable::NoFix),
        }
    }

    /// Whether the quote is an apostrophe inside a word, e.g. `it's`.
    pub(super) fn is_apostrophe(&self, place: usize, after: usize) -> bool {
        let is_letter = matches!(self.byte(after), b'A'..=b'Z' | b'a'..=b'z' | 0xc3..=0xdf);
        is_letter && matches!(self.char(place), '\'' | '’') && is_name_byte(self.byte(place - 1))
    }

    /// Whether a string on the next line is joined: `"a\n" +`, or without a plus as in Python. Code does not join empty
    /// strings, so `"" + "a"` counts too.
    fn joins(&self, after: usize, is_first_line: bool) -> bool {
        let plus = self.after_blanks(after);
        let is_empty = self.ends_empty_string(after);
        if is_first_line && !is_empty && self.quote(plus).is_some() && contains(self.part(after, plus), "\n") {
            return true;
        }
        let next = self.after_blanks(plus + 1);
        self.byte(plus) == b'+' && self.quote(next).is_some() && (is_empty || contains(self.part(plus, next), "\n"))
    }

    /// Whether the string that ends before `after` is empty: its two quotes are all of it.
    fn ends_empty_string(&self, after: usize) -> bool {
        self.last.string + 2 == after
    }

    /// Whether the text ends with a line break, as files do. Strings of code do not end there.
    fn ends_line(&self, start: usize, place: usize) -> bool {
        let text = self.part(start, place);
        text.ends_with('\n') || text.ends_with("\\n")
    }

    /// Whether the text closes its own brackets, if the brackets after the quote might belong to it, e.g. `f({"a": "b"})`.
    fn is_balanced(&self, start: usize, place: usize, follow: Follow) -> bool {
        let next = self.after_blanks(place + 1);
        // The number of unclosed brackets at which the text may claim a bracket after the quote.
        let unbalanced = match follow {
            Follow::Closed | Follow::Cut(_) if !self.rules.doubtful => return true,
            Follow::Closed | Follow::Cut(_) => self.stack.len(),
            _ => 1,
        };
        !matches!(self.byte(next), b'}' | b']') || depth(self.part(start, place)) < unbalanced
    }

    /// Whether the quotes of a text come in pairs, or its end is certain without pairs.
    fn is_paired(&self, start: usize, found: StringEnd) -> bool {
        // One quote of a pair was not escaped, e.g. `go("bar\", 1)`.
        let is_inside = found.first_inner > start && found.first_inner + 1 < found.place;
        let is_even = found.inner.is_multiple_of(2) || is_inside && (found.inner + found.escaped).is_multiple_of(2);
        is_even || self.is_inch(found) || found.inner > 1 && self.ends_line(start, found.place)
    }

    /// Whether a key or a joined string follows a quote: then no text continues past that quote.
    fn is_neighbour(&self, after: usize, is_first_line: bool) -> bool {
        if self.joins(after, is_first_line) {
            return true;
        }
        let mut at = self.after_blanks(after);
        if !self.rules.is_block() && self.byte(at) == b':' {
            // The string is a key.
            return true;
        }
        let has_comma = self.byte(at) == b',';
        let has_line = contains(self.part(after, at), "\n");
        if has_comma {
            at = self.after_blanks(at + 1);
        } else if at > after && matches!(self.quotes_between(at, self.after_comments(at), after), 2 | 4) {
            // A comment.
            return true;
        }
        let quoted = self.quote(at).is_some();
        let Some((start, stop, mut end)) = self.key_text(at) else { return false };
        let is_name = self.part(start, stop).bytes().all(is_name_byte);
        // A key without its first quote, e.g. `, path": "a.txt"`.
        end += usize::from(!quoted && self.byte(end) == b'"');
        let end = self.after_blanks(end);
        match self.byte(end) {
            b':' => has_comma || has_line || quoted,
            b'=' => has_comma && self.byte(end + 1) != b'=',
            b',' | b'}' | b']' => has_comma && quoted && is_name,
            _ => false,
        }
    }

    /// Whether the only quote of a text is not a quotation mark, e.g. `a 5" pipe` or `'"'`.
    fn is_inch(&self, found: StringEnd) -> bool {
        let at = found.first_inner;
        let (before, after) = (self.byte(at - 1), self.byte(at + 1));
        let ends_word = matches!(after, b' ' | b',' | b'.' | b';' | b')') || is_name_byte(after);
        found.inner == 1 && (before.is_ascii_alphanumeric() && ends_word || before == after && before == b'\'')
    }

    /// Classifies the text after a quote. If quotes of the text precede it (`!is_clean`), neither comments nor surplus
    /// brackets are accepted.
    fn follow(&self, after: usize, is_clean: bool) -> Follow {
        // A comment with a quote may be text, as in `color: "#fff"`.
        let skip_comments = |at: usize| {
            let next = self.after_comments(at);
            let quotes = self.quotes_between(at, next, after);
            let is_comment = is_clean && at > after && quotes.is_multiple_of(2);
            let is_text = self.rules.is_block() && quotes > 0 && !is_comment;
            if is_text { self.after_blanks(at) } else { next }
        };
        let mut at = skip_comments(after);
        let mut open = self.stack.len();
        let mut is_odd = false;
        loop {
            let is_next = open == self.stack.len();
            let container = open.checked_sub(1).and_then(|top| self.stack.get(top)).map(|frame| frame.container);
            let byte = self.sign(at);
            let follow = match (byte, container) {
                (0, _) if at >= self.text.len() => {
                    if open == 0 {
                        Follow::Closed
                    } else {
                        Follow::Cut(open)
                    }
                }
                (b'}' | b']', _) => match self.closed_by(byte, open) {
                    Some(depth) if is_clean || depth + 1 == open => {
                        is_odd |= depth + 1 != open;
                        open = depth;
                        at = skip_comments(self.after_sign(at));
                        continue;
                    }
                    _ if is_clean || open == 0 && self.only_closers(at) => {
                        is_odd = is_clean;
                        at = skip_comments(self.after_sign(at));
                        continue;
                    }
                    _ => Follow::Text,
                },
                (b',', _) => {
                    let next = skip_comments(self.after_sign(at));
                    match (self.sign(next), container) {
                        (0, _) if next >= self.text.len() => {
                            if open == 0 {
                                Follow::Closed
                            } else {
                                Follow::Cut(open)
                            }
                        }
                        (b'}' | b']', Some(_)) => {
                            at = next;
                            continue;
                        }
                        (b'{', Some(Container::Object)) if self.is_item() => Follow::Item,
                        (_, Some(Container::Object)) => match self.key_at(next) {
                            Some(key)
                                if key.separator == Separator::Sound && (is_clean || self.is_like_others(key)) =>
                            {
                                Follow::Key
                            }
                            Some(key) if is_clean && (key.quoted || self.is_known(key.name)) => Follow::Loose,
                            _ if is_clean && matches!(self.byte(next), b',' | b'.') => Follow::Loose,
                            _ if is_clean && !is_next && !self.rules.is_block() => Follow::Loose,
                            _ => Follow::Text,
                        },
                        (_, Some(Container::Array)) if self.begins_item(next) => Follow::Item,
                        (b'{', None) => Follow::Item,
                        _ if is_clean => Follow::Loose,
                        _ => Follow::Text,
                    }
                }
                (b'{', None) if is_clean || self.is_call_at(at) => Follow::Item,
                (b'+', _) if is_next && self.quote(skip_comments(at + 1)).is_some() => self.joined(after, at),
                (b'`' | b'~', None) if is_clean && self.run(at, byte, 3) == 3 => Follow::Odd,
                (_, None) if is_clean && self.quote(at).is_none() && byte != b'\\' => {
                    if self.rules.is_block() {
                        Follow::Odd
                    } else {
                        Follow::Loose
                    }
                }
                (_, None) => Follow::Text,
                (b')', Some(Container::Array)) if is_clean && !self.rules.is_block() => Follow::Loose,
                (b')' | b';', _) if self.wrappers > 0 => Follow::Loose,
                (_, Some(Container::Object)) => match self.key_at(at) {
                    Some(key) if is_next && key.separator == Separator::Sound && self.is_known(key.name) => Follow::Key,
                    Some(key) if is_clean && at > after && (key.quoted || self.is_known(key.name)) => Follow::Loose,
                    _ => Follow::Text,
                },
                (_, Some(Container::Array)) if is_clean && at > after && self.begins_item(at) => Follow::Loose,
                (_, Some(Container::Array)) => Follow::Text,
            };
            return match follow {
                Follow::Key | Follow::Item | Follow::Closed | Follow::Loose if is_odd => Follow::Odd,
                follow => follow,
            };
        }
    }

    /// Whether a key is a name, and has quotes if the keys before it have.
    fn is_like_others(&self, key: KeyAhead<'_>) -> bool {
        key.is_name && (key.quoted || self.has_bare_keys)
    }

    /// Classifies a `+` before another string. Code does not join an empty string in its line, e.g. `"" + "a"`.
    fn joined(&self, after: usize, plus: usize) -> Follow {
        let is_empty = self.ends_empty_string(after);
        let has_line = contains(self.part(after, self.after_comments(plus + 1)), "\n");
        if self.rules.is_block() && is_empty && !has_line { Follow::Text } else { Follow::Loose }
    }

    /// Counts the quotes in `from..to` that equal the quote before `after`.
    fn quotes_between(&self, from: usize, to: usize, after: usize) -> usize {
        let quote = self.byte(after - 1);
        self.part(from, to).bytes().filter(|byte| *byte == quote).count()
    }

    /// Whether an item of a list may begin here.
    fn begins_item(&self, at: usize) -> bool {
        matches!(self.byte(at), b'.' | b'a'..=b'z' | b'A'..=b'Z') || self.begins_value(at)
    }

    /// Whether an object begins here whose first key is one of a tool.
    fn is_call_at(&self, at: usize) -> bool {
        self.byte(at) == b'{' && self.is_known_at(self.after_comments(at + 1))
    }

    /// Whether the whole text from `after` on reads as the rest of the value.
    fn probe(&self, after: usize) -> bool {
        if self.lookups.probed.get() > PROBES * self.text.len() {
            return false;
        }
        let mut probe = self.probe_from(after);
        let reads = probe.walk().is_ok();
        self.lookups.probed.set(self.lookups.probed.get() + probe.at - after + 1);
        reads
    }

    /// Whether a string may end where the text ends, with lists and objects open: not if its quote may open a string of
    /// code that was cut off, e.g. `"content": "print("`.
    fn may_be_cut(&self, start: usize, place: usize, open: usize) -> bool {
        let text = self.part(start, place);
        let begins = text.is_empty() || BEFORE_QUOTES.contains(&last(text)) || ends_with_prefix(text.as_bytes());
        let is_part = matches!(last(text), b'(' | b'=' | b'+' | b' ' | b'\t' | b',' | b':');
        // If quotes are not escaped in this block, a text may begin with one.
        let is_nothing = self.has_inferred_end && text.is_empty();
        !begins || !self.rules.is_block() || open < self.stack.len() && !is_part && !is_nothing
    }
}

/// The number of brackets that a text leaves open.
fn depth(text: &str) -> usize {
    count_work(text.len());
    text.bytes().fold(0, |depth: usize, byte| match byte {
        b'{' | b'[' => depth + 1,
        b'}' | b']' => depth.saturating_sub(1),
        _ => depth,
    })
}

/// Whether a text ends with the prefix of a Python string, e.g. the `f` of `f"…"`.
fn ends_with_prefix(text: &[u8]) -> bool {
    let name = text.len() - text.iter().rev().take(3).take_while(|byte| is_name_byte(**byte)).count();
    let prefix = text.get(name..).unwrap_or_default();
    let is_prefix = |byte: &u8| matches!(byte, b'f' | b'F' | b'r' | b'R' | b'b' | b'B' | b'u' | b'U');
    matches!(prefix.len(), 1 | 2) && name > 0 && prefix.iter().all(is_prefix)
}

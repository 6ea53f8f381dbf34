//! Finds the quote that ends a string, although quotes inside it may be unescaped, e.g. in `"content": "say "hi" to"}`.
//!
//! - A *candidate* is an unescaped quote that may close the string: each of the three after `say `. [`Follow`] classifies the text
//!   after it. If that is no rest of a value, e.g. `hi` or ` to`, the candidate is an *inner quote*, which belongs to the text.
//! - The first candidate is *clean*: no inner quotes precede it. It is the end if a rest of the value follows, e.g. `, "path":` or
//!   `}`. If what follows is *doubtful*, e.g. `]` in an object, it is the end only if no later candidate is.
//! - After inner quotes, a *probe* must confirm the end in a block: a second repairer that reads on from there to the end of the
//!   block, writes nothing and accepts few faults. In a probe and outside of blocks, an even number of inner quotes confirms it.
//! - A confirmed end is *ambiguous*, and the repair fails, if a key seems to follow an inner quote, if the text may own the bracket
//!   after the end, e.g. `"f("a", {"}`, or if an inner quote has no partner, e.g. `"a "b"}`; texts that end with a line break, as
//!   files do, may have such quotes.

use super::last_byte;
use super::lookahead::{KeyAhead, KeySpan, Separator};
use super::quotes::{Quote, StringRole, is_name_byte};
use super::syntax::Repairer;
use super::unrepairable::{Doubt, RepairResult, Unrepairable};
use crate::counted::count_work;
use crate::value::Container;
use crate::value::text::contains;

/// The end of a string, or a candidate for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct StringEnd {
    /// The offset of its closing quote.
    pub(super) quote_at: usize,
    /// The number of escaped double quotes in the string.
    escaped_quotes: usize,
    /// The number of unescaped quotes in the string.
    pub(super) inner_quotes: usize,
    /// The offset of the first unescaped quote in the string; 0 without any.
    pub(super) first_inner: usize,
}

/// The text after a quote that may end a string.
#[derive(Clone, Copy, Debug)]
enum Follow {
    /// Not the rest of a value: the quote belongs to the text.
    Text,
    /// Accepted only after a clean candidate, and only if no other quote ends the string: e.g. `]` in an object, or prose.
    Doubtful,
    /// A continuation that needs a repair: e.g. `=` after the key.
    Loose,
    /// A comma and a key, or a known key without its comma.
    Key,
    /// The next item of a list, or the next call.
    Item,
    /// The closing brackets of all that is open, and the end of the text.
    Closed,
    /// The end of the text, with this number of lists and objects still open.
    Cut(usize),
}

/// Once the probes of a text have read more than this many times its length, none is begun and no candidate is confirmed.
const MAX_PROBED_LENGTHS: usize = 2;

/// Bytes after which a quote opens a string of code, e.g. `print("`.
const BEFORE_QUOTES: &[u8] = b"([{=,:+ \t";

impl Repairer<'_> {
    /// Finds the end of the string whose text begins at `start`; `None` if a partial text ends inside it.
    ///
    /// The candidates are judged in the order of the text, as the head of this file says. The first confirmed one is the end; if
    /// there is none, the clean one with a doubtful continuation.
    pub(super) fn string_end(&self, quote: Quote, start: usize, role: StringRole) -> RepairResult<Option<StringEnd>> {
        let is_block = self.rules.is_block();
        let mut candidate = StringEnd { quote_at: start, escaped_quotes: 0, inner_quotes: 0, first_inner: 0 };
        // The first candidate, if nothing but a doubtful continuation follows it: used if no other candidate is the end.
        let mut fallback = None;
        // Whether an inner quote may be the end as well: see `may_end_before`.
        let mut has_other_end = false;
        // Unescaped quotes in the current line of the text: quotes of code come in pairs within a line, too.
        let mut quotes_in_line: usize = 0;
        let mut is_first_line = true;
        let mut at = start;
        loop {
            at = self.next_special(quote.kind, at);
            match self.byte(at) {
                0 if at >= self.text.len() => break,
                b'\\' => {
                    candidate.escaped_quotes += usize::from(self.byte(at + 1) == b'"');
                    // An escaped line break.
                    if self.byte(at + 1) == b'n' {
                        quotes_in_line = 0;
                    }
                    at += 2;
                    continue;
                }
                b'\n' => (quotes_in_line, is_first_line) = (0, false),
                _ => {}
            }
            let length = self.closing(quote, at);
            if length == 0 || self.is_apostrophe(at, at + length) {
                at += self.char(at).len_utf8();
                continue;
            }
            candidate.quote_at = at;
            // Whether this is the first candidate, before which there are no inner quotes.
            let is_clean = candidate.inner_quotes == 0;
            // The first closing quote ends a key, and any string of a partial text.
            if role == StringRole::Key || self.rules.is_partial {
                return Ok(Some(candidate));
            }
            let after = at + length;
            let follow = self.follow(after, is_clean);
            let is_even = candidate.inner_quotes.is_multiple_of(2);
            let is_end = match follow {
                Follow::Text => false,
                Follow::Key | Follow::Item | Follow::Closed | Follow::Loose if is_clean => true,
                Follow::Doubtful | Follow::Cut(_) if is_clean => {
                    fallback = Some((candidate, follow));
                    false
                }
                Follow::Closed if !is_block => true,
                // A probe starts no other probe, so that the time stays linear. Outside blocks there are no probes.
                Follow::Key | Follow::Closed | Follow::Item if self.is_probe() || !is_block => is_even,
                Follow::Key | Follow::Closed | Follow::Item => self.probe(after),
                Follow::Cut(open_count) => {
                    // Without a bracket after it, the quote may belong to a text that was cut off.
                    let has_closer = open_count < self.stack.len();
                    self.rules.is_complete && is_even && has_closer && self.may_end_at_cut(start, at, open_count)
                }
                Follow::Loose | Follow::Doubtful => false,
            };
            if is_end {
                // Whether no bracket after the quote belongs to the text.
                let has_own_brackets =
                    !is_block || self.ends_line(start, at) || self.is_balanced(self.part(start, at), after, follow);
                let is_sure = is_clean || !has_other_end && has_own_brackets && self.is_paired(start, candidate);
                return if is_sure { Ok(Some(candidate)) } else { Err(Unrepairable::Ambiguous(Doubt::End)) };
            }
            // Asked only after an even number of quotes in the line: after an odd number this quote closes a literal of code, and
            // code follows it, no key.
            has_other_end |= quotes_in_line.is_multiple_of(2) && self.may_end_before(after, is_first_line);
            if is_clean {
                candidate.first_inner = at;
            }
            candidate.inner_quotes += 1;
            quotes_in_line += 1;
            at = after;
        }
        match fallback {
            // Ambiguous: the string ends at this quote, or the quote belongs to a text that was cut off.
            Some((end, Follow::Cut(open_count))) if !self.may_end_at_cut(start, end.quote_at, open_count) => {
                Err(Unrepairable::Ambiguous(Doubt::End))
            }
            Some((end, _)) => Ok(Some(end)),
            None if self.rules.is_partial => Ok(None),
            None => Err(Unrepairable::NoFix),
        }
    }

    /// Whether the quote at `quote_at`, which ends before `after`, is an apostrophe inside a word, e.g. `it's`.
    pub(super) fn is_apostrophe(&self, quote_at: usize, after: usize) -> bool {
        // 0xc3 to 0xdf begin the letters that have two bytes, e.g. `é`.
        let is_letter = matches!(self.byte(after), b'A'..=b'Z' | b'a'..=b'z' | 0xc3..=0xdf);
        is_letter && matches!(self.char(quote_at), '\'' | '’') && is_name_byte(self.byte(quote_at - 1))
    }

    /// Whether a string on the next line is joined to the one that ends before `after`: `"a\n" +`; or without a plus as in
    /// Python, but only to a string of one line that is not empty. `"" + "a"` in one line counts too: [`Self::classify_plus`] takes
    /// it for code, but code rarely joins empty strings.
    fn joins_next_string(&self, after: usize, is_first_line: bool) -> bool {
        let plus = self.after_blanks(after);
        let is_empty = self.ends_empty_string(after);
        if is_first_line && !is_empty && self.quote(plus).is_some() && contains(self.part(after, plus), "\n") {
            return true;
        }
        let next = self.after_blanks(plus + 1);
        self.byte(plus) == b'+' && self.quote(next).is_some() && (is_empty || contains(self.part(plus, next), "\n"))
    }

    /// Whether the last string is empty and ends before `after`: its two quotes are all of it.
    fn ends_empty_string(&self, after: usize) -> bool {
        self.last.string + 2 == after
    }

    /// Whether the text ends with a line break, as files do. Strings of code do not end there.
    fn ends_line(&self, start: usize, quote_at: usize) -> bool {
        let text = self.part(start, quote_at);
        text.ends_with('\n') || text.ends_with("\\n")
    }

    /// Whether the text closes its own brackets, so that none after its closing quote, which ends before `after`, belongs to it,
    /// e.g. `f({"a": "b"})`.
    fn is_balanced(&self, text: &str, after: usize, follow: Follow) -> bool {
        // The text may own the brackets after the quote if it leaves at least this many open.
        let min_unclosed = match follow {
            // The brackets before the end of the block belong to the call.
            Follow::Closed | Follow::Cut(_) if !self.rules.has_doubtful_end => return true,
            // The text may go on after what seems the end of the block. Then it owns all the brackets that seem to close the call.
            Follow::Closed | Follow::Cut(_) => self.stack.len(),
            // The call goes on after the bracket: the text may own that one.
            _ => 1,
        };
        !matches!(self.byte(self.after_blanks(after)), b'}' | b']') || unclosed_brackets(text) < min_unclosed
    }

    /// Whether the quotes of a text come in pairs, or its end is certain without pairs: after a line break and more than one
    /// quote, or if the only quote is no quotation mark.
    fn is_paired(&self, start: usize, end: StringEnd) -> bool {
        let StringEnd { quote_at, escaped_quotes, inner_quotes, first_inner } = end;
        // One quote of a pair was not escaped, e.g. `go("bar\", 1)`; not at the start or the end of the text.
        let is_inside = first_inner > start && first_inner + 1 < quote_at;
        let is_even = inner_quotes.is_multiple_of(2) || is_inside && (inner_quotes + escaped_quotes).is_multiple_of(2);
        let ends_like_file = || inner_quotes > 1 && self.ends_line(start, quote_at);
        is_even || self.is_inch(end) || ends_like_file()
    }

    /// Whether the quote before `after` may end the string since a key, a joined string, or a comment seems to follow it.
    fn may_end_before(&self, after: usize, is_first_line: bool) -> bool {
        if self.joins_next_string(after, is_first_line) {
            return true;
        }
        let mut at = self.after_blanks(after);
        if !self.rules.is_block() && self.byte(at) == b':' {
            // The string is a key.
            return true;
        }
        let has_comma = self.byte(at) == b',';
        let has_line_break = contains(self.part(after, at), "\n");
        if has_comma {
            at = self.after_blanks(at + 1);
        } else if at > after && matches!(self.quotes_between(at, self.after_comments(at), after), 2 | 4) {
            // A comment with one or two quoted words, where a comma is missing. With any other number of quotes, what looks like a
            // comment is taken for text of the string.
            return true;
        }
        let is_quoted = self.quote(at).is_some();
        let Some(KeySpan { start, stop, mut end }) = self.key_span(at) else { return false };
        let is_name = self.part(start, stop).bytes().all(is_name_byte);
        // A key without its first quote, e.g. `, path": "a.txt"`.
        end += usize::from(!is_quoted && self.byte(end) == b'"');
        let end = self.after_blanks(end);
        match self.byte(end) {
            // A word and a colon alone may be text.
            b':' => has_comma || has_line_break || is_quoted,
            // An equals sign in place of the colon, but not the comparison `==` of code.
            b'=' => has_comma && self.byte(end + 1) != b'=',
            // A name in quotes that is an item, or a key whose colon and value are missing.
            b',' | b'}' | b']' => has_comma && is_quoted && is_name,
            _ => false,
        }
    }

    /// Whether the only quote of a text is not a quotation mark, e.g. `a 5" pipe` or `'"'`.
    fn is_inch(&self, end: StringEnd) -> bool {
        let inner = end.first_inner;
        let (before, after) = (self.byte(inner - 1), self.byte(inner + 1));
        let follows_unit = matches!(after, b' ' | b',' | b'.' | b';' | b')') || is_name_byte(after);
        end.inner_quotes == 1 && (before.is_ascii_alphanumeric() && follows_unit || before == after && before == b'\'')
    }

    /// Classifies the text after the quote that ends before `after`. If quotes of the text precede it (`!is_clean`), no comments
    /// with quotes are accepted, and surplus brackets only at the end of the text.
    ///
    /// The walk first passes closing brackets; each of them lowers `open_count`, the number of lists and objects that are still
    /// open. The first other token is then judged by the innermost of these: after a comma as a key or an item, else as the end
    /// of the text, a missing comma, or text.
    fn follow(&self, after: usize, is_clean: bool) -> Follow {
        // In a block, a comment with quotes may be text, as in `color: "#fff"`. It is surely a comment only after a clean candidate
        // and a bracket or a comma, and with an even number of quotes in it.
        let skip_comments = |at: usize| {
            let next = self.after_comments(at);
            let quotes = self.quotes_between(at, next, after);
            let is_surely_comment = is_clean && at > after && quotes.is_multiple_of(2);
            let may_be_text = self.rules.is_block() && quotes > 0 && !is_surely_comment;
            if may_be_text { self.after_blanks(at) } else { next }
        };
        let mut at = skip_comments(after);
        let mut open_count = self.stack.len();
        // Whether a bracket was passed that closes nothing, or that also closes lists and objects whose own brackets are missing.
        let mut is_doubtful = false;
        loop {
            // Whether no bracket has closed anything yet.
            let is_in_container = open_count == self.stack.len();
            let container = open_count.checked_sub(1).and_then(|top| self.stack.get(top)).map(|frame| frame.container);
            let byte = self.ascii_byte(at);
            let follow = match (byte, container) {
                (0, _) if at >= self.text.len() => end_of_text(open_count),
                (b'}' | b']', _) => match self.closed_by(byte, open_count) {
                    Some(index) if is_clean || index + 1 == open_count => {
                        let closes_innermost = index + 1 == open_count;
                        is_doubtful |= !closes_innermost;
                        open_count = index;
                        at = skip_comments(self.after_punctuation(at));
                        continue;
                    }
                    // A surplus bracket. After inner quotes it is accepted only at the end of the text, and without doubt.
                    _ if is_clean || open_count == 0 && self.only_closers(at) => {
                        is_doubtful |= is_clean;
                        at = skip_comments(self.after_punctuation(at));
                        continue;
                    }
                    _ => Follow::Text,
                },
                (b',', _) => {
                    let next = skip_comments(self.after_punctuation(at));
                    match (self.ascii_byte(next), container) {
                        (0, _) if next >= self.text.len() => end_of_text(open_count),
                        // A trailing comma.
                        (b'}' | b']', Some(_)) => {
                            at = next;
                            continue;
                        }
                        // The item of the list lacks its closing bracket.
                        (b'{', Some(Container::Object)) if self.is_list_item() => Follow::Item,
                        (_, Some(Container::Object)) => match self.key_at(next) {
                            Some(key)
                                if key.separator == Separator::Colon && (is_clean || self.is_like_others(key)) =>
                            {
                                Follow::Key
                            }
                            Some(key) if is_clean && (key.is_quoted || self.is_known_key(key.name)) => Follow::Loose,
                            // A second comma, or an ellipsis.
                            _ if is_clean && matches!(self.byte(next), b',' | b'.') => Follow::Loose,
                            // After a closing bracket the string has surely ended, whatever the next key is.
                            _ if is_clean && !is_in_container && !self.rules.is_block() => Follow::Loose,
                            _ => Follow::Text,
                        },
                        (_, Some(Container::Array)) if self.begins_item(next) => Follow::Item,
                        (b'{', None) => Follow::Item,
                        _ if is_clean => Follow::Loose,
                        _ => Follow::Text,
                    }
                }
                (b'{', None) if is_clean || self.is_call_at(at) => Follow::Item,
                (b'+', _) if is_in_container && self.quote(skip_comments(at + 1)).is_some() => {
                    self.classify_plus(after, at)
                }
                // A fence, or other text after the value at the top.
                (b'`' | b'~', None) if is_clean && self.run(at, byte, 3) == 3 => Follow::Doubtful,
                (_, None) if is_clean && self.quote(at).is_none() && byte != b'\\' => {
                    if self.rules.is_block() {
                        Follow::Doubtful
                    } else {
                        Follow::Loose
                    }
                }
                (_, None) => Follow::Text,
                // The end of a list in parentheses, or of a function call around the value.
                (b')', Some(Container::Array)) if is_clean && !self.rules.is_block() => Follow::Loose,
                (b')' | b';', _) if self.wrappers > 0 => Follow::Loose,
                // A missing comma.
                (_, Some(Container::Object)) => match self.key_at(at) {
                    Some(key)
                        if is_in_container && key.separator == Separator::Colon && self.is_known_key(key.name) =>
                    {
                        Follow::Key
                    }
                    Some(key) if is_clean && at > after && (key.is_quoted || self.is_known_key(key.name)) => {
                        Follow::Loose
                    }
                    _ => Follow::Text,
                },
                (_, Some(Container::Array)) if is_clean && at > after && self.begins_item(at) => Follow::Loose,
                (_, Some(Container::Array)) => Follow::Text,
            };
            return match follow {
                Follow::Key | Follow::Item | Follow::Closed | Follow::Loose if is_doubtful => Follow::Doubtful,
                follow => follow,
            };
        }
    }

    /// Whether a key is a name, and has quotes if the keys before it have.
    fn is_like_others(&self, key: KeyAhead<'_>) -> bool {
        key.is_name && (key.is_quoted || self.has_bare_keys)
    }

    /// Classifies the `+` at `plus`, which another string follows. In a block, `"" + "a"` in one line is code, and so is `"+"`,
    /// e.g. `split("+")`: models that join strings put blanks around the plus. In both cases the quote before the plus belongs to
    /// the text.
    fn classify_plus(&self, after: usize, plus: usize) -> Follow {
        let next = self.after_comments(plus + 1);
        let is_empty = self.ends_empty_string(after) && !contains(self.part(after, next), "\n");
        let has_no_blanks = next == after + 1;
        if self.rules.is_block() && (is_empty || has_no_blanks) { Follow::Text } else { Follow::Loose }
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
        self.byte(at) == b'{' && self.is_known_key_at(self.after_comments(at + 1))
    }

    /// Whether the whole text from `after` on reads as the rest of the value. False if the probes are over `MAX_PROBED_LENGTHS`.
    fn probe(&self, after: usize) -> bool {
        if self.lookups.probed_bytes.get() > MAX_PROBED_LENGTHS * self.text.len() {
            return false;
        }
        let mut probe = self.probe_from(after);
        let is_rest = probe.walk().is_ok();
        self.lookups.probed_bytes.set(self.lookups.probed_bytes.get() + probe.at - after + 1);
        is_rest
    }

    /// Whether the quote at `quote_at` may end its string although the text ends with `open_count` lists and objects open: not if
    /// the quote may open a string of code that was cut off, e.g. `"content": "print("`.
    fn may_end_at_cut(&self, start: usize, quote_at: usize, open_count: usize) -> bool {
        let text = self.part(start, quote_at);
        let may_open = text.is_empty() || BEFORE_QUOTES.contains(&last_byte(text)) || ends_with_prefix(text.as_bytes());
        // Code goes on after these; after the other bytes of `BEFORE_QUOTES` and prefixes, closing brackets decide.
        let surely_goes_on = matches!(last_byte(text), b'(' | b'=' | b'+' | b' ' | b'\t' | b',' | b':');
        // An inferred end shows that an earlier string of this block has unescaped quotes; then this text may begin with one.
        let begins_text = self.has_inferred_end && text.is_empty();
        let has_closer = open_count < self.stack.len();
        !may_open || !self.rules.is_block() || has_closer && !surely_goes_on && !begins_text
    }
}

/// What follows a quote if the text ends while `open_count` lists and objects are open.
const fn end_of_text(open_count: usize) -> Follow {
    if open_count == 0 { Follow::Closed } else { Follow::Cut(open_count) }
}

/// The number of brackets that a text leaves open. A closing bracket without an opening one does not count.
fn unclosed_brackets(text: &str) -> usize {
    count_work(text.len());
    text.bytes().fold(0, |count: usize, byte| match byte {
        b'{' | b'[' => count + 1,
        b'}' | b']' => count.saturating_sub(1),
        _ => count,
    })
}

/// Whether a text ends with the prefix of a Python string, e.g. the `f` of `f"…"`.
fn ends_with_prefix(text: &[u8]) -> bool {
    // The prefix is a word of one or two letters that does not begin the text. A third letter makes it another word.
    let word_length = text.iter().rev().take(3).take_while(|byte| is_name_byte(**byte)).count();
    let word_start = text.len() - word_length;
    let word = text.get(word_start..).unwrap_or_default();
    let is_prefix = |byte: &u8| matches!(byte, b'f' | b'F' | b'r' | b'R' | b'b' | b'B' | b'u' | b'U');
    matches!(word_length, 1 | 2) && word_start > 0 && word.iter().all(is_prefix)
}

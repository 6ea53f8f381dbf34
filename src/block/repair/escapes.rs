//! Decides what the backslashes of an invalid string mean: escapes of JSON, or code whose backslashes were not escaped.
//!
//! [`Facts`] counts the evidence in one pass over the string, [`Facts::reading`] decides by it. If the evidence is
//! contradictory, the string is ambiguous and the repair fails.

use super::quotes::{QuoteKind, hexes};
use super::unrepairable::{Doubt, RepairResult, Unrepairable};
use crate::counted::count_work;

/// Characters whose backslashes are counted: the double quote, and those that other languages escape and JSON does not.
const MARKS: [u8; 5] = *b"\"'`$_";
// Indexes in `MARKS`.
const DOUBLE: usize = 0;
const DOLLAR: usize = 3;

/// The meaning of the backslashes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backslashes {
    /// The author escaped as JSON does: `\n` is a line break, `\\` a backslash. An escape that JSON does not know keeps its
    /// backslash.
    Escape,
    /// The author escaped no backslashes: `\n` is two characters of code.
    Code,
    /// Line breaks and tabs are escaped, backslashes are not: `\n` is a line break, `\d` and `\\` are code.
    Single,
}

/// The reading of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EscapeReading {
    pub(super) backslashes: Backslashes,
    /// For each of `MARKS`: whether a backslash before it is dropped.
    dropped: [bool; MARKS.len()],
}

impl EscapeReading {
    /// JSON outside tool blocks: an escape of another language loses its backslash, e.g. `{"a": "it\'s"}`; only `\_` keeps it.
    pub(super) const PLAIN: Self = Self { backslashes: Backslashes::Escape, dropped: [true, true, true, true, false] };

    /// Whether a backslash before this byte is dropped.
    pub(super) fn drops(&self, byte: u8) -> bool {
        MARKS.iter().zip(self.dropped).any(|(mark, dropped)| *mark == byte && dropped)
    }
}

/// The numbers of occurrences of a character in a string: without backslashes before it, with an odd and with an even number.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    none: usize,
    odd: usize,
    even: usize,
}

impl Count {
    /// Whether an odd number of backslashes, which escapes the character, precedes each occurrence.
    const fn is_always_escaped(self) -> bool {
        self.none == 0 && self.even == 0 && self.odd > 0
    }

    /// Whether the character is escaped in some places and not in others.
    const fn is_mixed(self) -> bool {
        self.odd > 0 && self.none + self.even > 0
    }
}

/// The evidence contradicts itself.
const CONTRADICTION: Unrepairable = Unrepairable::Ambiguous(Doubt::Escapes);

/// Whether the numbers of `"`, of `\"`, of `'` and of backticks in a part of a line are odd.
type Parities = [bool; 4];
// Indexes in `Parities`.
const PLAIN_DOUBLE: usize = 0;
const ESCAPED_DOUBLE: usize = 1;
const SINGLE: usize = 2;
const BACKTICK: usize = 3;

/// The numbers of escapes of letters (`\n`, `\t`, `\r`, `\u00e9`): inside string literals of code, e.g. `print("a\n")`, and
/// outside. Inside, the author may have meant the escape of the code; outside, it is more likely one of JSON.
#[derive(Clone, Copy, Debug, Default)]
struct LetterEscapes {
    inside: usize,
    outside: usize,
    /// Escapes outside whose line has unpaired quotes before or after them.
    unsure: usize,
}

/// The counts of the current line, which ends at a raw line break or, in a string without these, at `\n` or `\r`.
#[derive(Default)]
struct LineQuotes {
    /// The quotes in it so far.
    quotes: Parities,
    /// For each escape of a letter in it: the parities of the quotes before it.
    letter_escapes: Vec<Parities>,
    /// The numbers of escaped quotes in it: at 0 those outside literals, at 1 those inside.
    escaped_quotes: [usize; 2],
    /// In a string without raw line breaks: the parities of the previous line.
    previous_line: Option<Parities>,
}

/// Evidence of how the author of a string escaped it.
#[derive(Default)]
pub(super) struct Facts {
    /// The occurrences of each of `MARKS`.
    marks: [Count; MARKS.len()],
    raw_line_breaks: usize,
    /// Escapes of letters, counted with `"` as the delimiter of literals (at `PLAIN_DOUBLE`), and with `\"`.
    letters: [LetterEscapes; 2],
    /// Escaped quotes in lines whose other quotes come in pairs: at 0 those outside the pairs, at 1 those inside, e.g.
    /// `"say \"hi\""`.
    escaped_quotes: [usize; 2],
    /// Escapes that JSON does not have, e.g. `\d`; also `\b` and `\f`, which in a file are regular expressions, not control
    /// characters.
    unknown_escapes: usize,
    /// `/` and `\/`.
    slashes: Count,
    /// Runs of two or more backslashes.
    doubled_runs: usize,
    /// Three or more backslashes before a letter, e.g. `C:\\\\\new`: an escaped backslash and an escape, or code.
    has_mixed_run: bool,
    /// `\t` at the start of a line: implies that the author escaped the text.
    has_tab_indent: bool,
    /// `\'` between letters, as in `don\'t`.
    has_apostrophe: bool,
    /// `\\n`, `\\t` or `\\r`; or, without raw line breaks, `\t` in the middle of a line. Both are ambiguous if the author did not
    /// escape backslashes.
    has_unsure_backslash: bool,
}

impl Facts {
    /// Collects the evidence from the text between the quotes of a string.
    ///
    /// One pass, line by line. A run of backslashes is judged by the character after it: a mark is counted by the length of the
    /// run; after an odd run a letter is an escape, which is counted with the quotes of its line, or an escape that JSON does not
    /// have.
    pub(super) fn of(body: &str, kind: QuoteKind) -> Self {
        let bytes = body.as_bytes();
        count_work(bytes.len());
        let has_raw_breaks = bytes.contains(&b'\n');
        let mut facts = Self::default();
        let mut line = LineQuotes::default();
        let (mut at, mut line_start) = (0, 0);
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        let no_backslashes = 0;
        while let Some(byte) = bytes.get(at).copied() {
            match byte {
                b'\n' => {
                    facts.raw_line_breaks += 1;
                    facts.end_line(&mut line);
                    line_start = at + 1;
                }
                b'\\' => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let run = rest.iter().take_while(|byte| **byte == b'\\').count();
                    let start = at;
                    at += run;
                    let Some(next) = bytes.get(at).copied() else { break };
                    facts.count_mark(bytes, at, run, kind);
                    facts.doubled_runs += usize::from(run > 1);
                    if next == b'"' {
                        // Only a single backslash makes a delimiter of literals of it, but any odd run escapes it.
                        line.quotes[ESCAPED_DOUBLE] ^= run == 1;
                        line.escaped_quotes[usize::from(line.quotes[PLAIN_DOUBLE])] += run % 2;
                        at += 1;
                        continue;
                    }
                    if MARKS.contains(&next) {
                        let is_in_word = start > 0 && is_letter(bytes.get(start - 1)) && is_letter(bytes.get(at + 1));
                        facts.has_apostrophe |= next == b'\'' && is_in_word;
                        at += 1;
                        continue;
                    }
                    // Escaped backslashes: the next character is no escape.
                    if run % 2 == 0 {
                        facts.has_unsure_backslash |= matches!(next, b'n' | b't' | b'r');
                        continue;
                    }
                    facts.has_mixed_run |= run > 2;
                    let is_unicode = next == b'u' && hexes(bytes.get(at + 1..).unwrap_or_default()) == 4;
                    let is_known = is_unicode || matches!(next, b'n' | b't' | b'r' | b'/');
                    at += 1;
                    match next {
                        b'/' => facts.slashes.odd += 1,
                        // After an indentation by `\t`, the line still has not begun.
                        b't' if start == line_start => {
                            facts.has_tab_indent = true;
                            line_start = at;
                        }
                        b't' if !has_raw_breaks => {
                            facts.has_unsure_backslash = true;
                            line.letter_escapes.push(line.quotes);
                        }
                        // These separate the lines of a text without raw line breaks.
                        b'n' | b'r' if !has_raw_breaks => {
                            // Consecutive line breaks count as one.
                            if start > line_start {
                                facts.end_line(&mut line);
                            }
                            line_start = at;
                        }
                        _ if is_known => line.letter_escapes.push(line.quotes),
                        // A broken escape of JSON, e.g. `\uD80g`.
                        b'u' if hexes(bytes.get(at..).unwrap_or_default()) > 0 => {}
                        _ => facts.unknown_escapes += 1,
                    }
                    continue;
                }
                b'/' => facts.slashes.none += 1,
                b'"' => {
                    facts.count_mark(bytes, at, no_backslashes, kind);
                    // `^=` changes odd to even and back.
                    line.quotes[PLAIN_DOUBLE] ^= true;
                }
                b'\'' | b'`' | b'$' | b'_' => {
                    facts.count_mark(bytes, at, no_backslashes, kind);
                    // An apostrophe in a word opens nothing.
                    let is_in_word = at > 0 && is_letter(bytes.get(at - 1)) && is_letter(bytes.get(at + 1));
                    line.quotes[SINGLE] ^= byte == b'\'' && !is_in_word;
                    line.quotes[BACKTICK] ^= byte == b'`';
                }
                _ => {}
            }
            at += 1;
        }
        facts.end_line(&mut line);
        facts
    }

    /// Counts the character at `at` if it is one of [`MARKS`]; `run` is the number of backslashes before it.
    fn count_mark(&mut self, bytes: &[u8], at: usize, run: usize, kind: QuoteKind) {
        let Some(index) = bytes.get(at).and_then(|byte| MARKS.iter().position(|mark| mark == byte)) else { return };
        // In a template literal only the dollar sign of `${` has a meaning.
        if index == DOLLAR && kind == QuoteKind::Back && bytes.get(at + 1) != Some(&b'{') {
            return;
        }
        let Some(count) = self.marks.get_mut(index) else { return };
        match run {
            0 => count.none += 1,
            run if run % 2 == 1 => count.odd += 1,
            _ => count.even += 1,
        }
    }

    /// Adds the evidence of a line at its end.
    fn end_line(&mut self, line: &mut LineQuotes) {
        for quotes_before in std::mem::take(&mut line.letter_escapes) {
            // The quotes after the escape: those of the whole line without those before it.
            let mut quotes_after = line.quotes;
            quotes_after.iter_mut().zip(quotes_before).for_each(|(after, before)| *after ^= before);
            self.count_escape(quotes_before, quotes_after);
        }
        let quotes = std::mem::take(&mut line.quotes);
        let escaped_quotes = std::mem::take(&mut line.escaped_quotes);
        // If the other quotes are not in pairs, inside and outside are not known.
        if !quotes[PLAIN_DOUBLE] {
            self.escaped_quotes.iter_mut().zip(escaped_quotes).for_each(|(sum, count)| *sum += count);
        }
        // The escape `\n` that separates two lines counts, too, with the quotes of the line before it and of the one after it.
        if self.raw_line_breaks == 0
            && let Some(quotes_of_previous) = line.previous_line.replace(quotes)
        {
            self.count_escape(quotes_of_previous, quotes);
        }
    }

    /// Counts an escape of a letter: it is inside a literal if its line has an odd number of one kind of quotes before it and
    /// after it.
    fn count_escape(&mut self, quotes_before: Parities, quotes_after: Parities) {
        // `double` is `PLAIN_DOUBLE`, then `ESCAPED_DOUBLE`.
        for (double, counts) in self.letters.iter_mut().enumerate() {
            let is_odd = |kind: usize| quotes_before.get(kind) == Some(&true) && quotes_after.get(kind) == Some(&true);
            let is_inside = is_odd(double) || is_odd(SINGLE) || is_odd(BACKTICK);
            counts.inside += usize::from(is_inside);
            counts.outside += usize::from(!is_inside);
            let is_unpaired = |kind: usize| quotes_before.get(kind) != quotes_after.get(kind);
            let has_unpaired = is_unpaired(double) || is_unpaired(SINGLE) || is_unpaired(BACKTICK);
            counts.unsure += usize::from(!is_inside && has_unpaired);
        }
    }

    /// Decides the reading of the string; fails if the evidence contradicts itself.
    ///
    /// First it collects signs that backslashes are code (`is_code`) and that they are escapes (`is_escaped`,
    /// `has_outer_escape`). Then it decides for each of `MARKS` whether its backslash is dropped. Where only one of the two sides
    /// has signs, it wins; with signs of both, raw line breaks decide, or the string is ambiguous.
    pub(super) fn reading(&self, kind: QuoteKind) -> RepairResult<EscapeReading> {
        let [double, ..] = self.marks;
        let is_double = kind == QuoteKind::Double;
        let escapes_quotes = double.none == 0 && double.odd > 0;
        let LetterEscapes { inside, outside, unsure } =
            if escapes_quotes { self.letters[ESCAPED_DOUBLE] } else { self.letters[PLAIN_DOUBLE] };
        let has_raw_breaks = self.raw_line_breaks > 0;

        // Evidence that backslashes are code, and evidence that they are escapes.
        let (mut is_code, mut is_escaped) = (self.unknown_escapes > 0 || self.slashes.is_mixed(), self.has_tab_indent);
        if is_double {
            if double.none > 0 && double.odd > 0 {
                // Whether there are escaped quotes outside pairs of raw quotes, and inside.
                match self.escaped_quotes.map(|count| count > 0) {
                    // E.g. `print("say \"hi\"")`: the author did not escape the quotes of the literal.
                    [false, true] => is_code = true,
                    // No line shows which quotes are pairs. With raw line breaks and several raw quotes the text is raw, too.
                    [false, false] => is_code = has_raw_breaks && double.none > 1,
                    [true, true] if has_raw_breaks && self.escaped_quotes[0] < self.escaped_quotes[1] => is_code = true,
                    [true, true] => return Err(CONTRADICTION),
                    // E.g. `<a href=\"x\">say "hi"</a>`: some quotes were not escaped.
                    [true, false] => {}
                }
            }
            // E.g. `print(\"say \\"hi\\"\")`: the author escaped quotes, but no backslashes.
            is_code |= escapes_quotes && double.even > 0;
            // E.g. `import x from \\"y\\"`: escaped twice, or not at all.
            if double.even > 0 && double.none + double.odd == 0 {
                return Err(CONTRADICTION);
            }
        }
        let mut dropped = [false; MARKS.len()];
        dropped[DOUBLE] = is_double && escapes_quotes;
        let mut has_unclear_mark = false;
        for (index, count) in self.marks.iter().enumerate() {
            let must_be_escaped =
                kind.quote_to_escape() == MARKS.get(index).copied() || index == DOLLAR && kind == QuoteKind::Back;
            // The double quote of a string in double quotes is decided above.
            if index == DOUBLE && is_double || count.odd == 0 {
                continue;
            }
            if count.is_mixed() {
                // E.g. `'it\'s'`: code with a literal of its own.
                is_code = true;
            } else if count.is_always_escaped() && (must_be_escaped || count.odd > 1) {
                // E.g. `It\'s what we don\'t say.`
                dropped[index] = true;
                is_escaped |= must_be_escaped && kind == QuoteKind::Back;
            } else {
                // E.g. `don\'t` alone: dropped only in a word, and if other escapes show that the author escaped.
                let shows_escaping = escapes_quotes || !has_raw_breaks && outside > 1;
                dropped[index] = shows_escaping && self.has_apostrophe;
                has_unclear_mark |= !dropped[index];
            }
        }
        if has_raw_breaks && inside > 0 && outside == 0 {
            if self.has_mixed_run && !is_code {
                return Err(CONTRADICTION);
            }
            // E.g. a file with raw line breaks in which `print("a\n")` is code.
            is_code = true;
        }
        let has_outer_escape = outside > 0;

        let backslashes = match (is_code, is_escaped || has_outer_escape) {
            (true, false) => Backslashes::Code,
            (true, true) if has_raw_breaks => {
                // A raw file with `\n` in its comments or regular expressions.
                if is_escaped || outside >= self.raw_line_breaks {
                    return Err(CONTRADICTION);
                }
                Backslashes::Code
            }
            (true, true) => {
                if inside + unsure > 0 || self.has_unsure_backslash {
                    return Err(CONTRADICTION);
                }
                // E.g. `import re\nre.match("\d")`: line breaks are escaped, the backslashes of the code are not.
                Backslashes::Single
            }
            (false, _) if has_raw_breaks && inside > 0 && outside > 0 => {
                // Literals over several lines, in a text whose line breaks are mostly escaped.
                if outside < self.raw_line_breaks && !is_escaped {
                    return Err(CONTRADICTION);
                }
                Backslashes::Escape
            }
            // A raw text with a few escapes outside literals, which may be code, e.g. in a comment.
            (false, true)
                if is_double && has_raw_breaks && double.none > 0 && !is_escaped && outside < self.raw_line_breaks =>
            {
                return Err(CONTRADICTION);
            }
            (false, true) => Backslashes::Escape,
            // Neither line breaks nor quotes are escaped, so backslashes are not either.
            (false, false) if is_double && has_raw_breaks && double.none > 0 && double.odd == 0 => Backslashes::Code,
            (false, false) if self.doubled_runs > 0 && has_raw_breaks => match kind {
                QuoteKind::Double if escapes_quotes => Backslashes::Escape,
                QuoteKind::Back => Backslashes::Escape,
                // Three or more doubled backslashes show that each was escaped, e.g. `/\\d+/`; one or two may be code.
                _ if self.doubled_runs > 2 => Backslashes::Escape,
                _ => return Err(CONTRADICTION),
            },
            (false, false) => Backslashes::Escape,
        };
        if backslashes == Backslashes::Code {
            // Code keeps its backslashes, except before quotes that delimit the string.
            for (index, dropped) in dropped.iter_mut().enumerate() {
                *dropped &= index == DOUBLE && is_double;
            }
        } else if has_unclear_mark && backslashes == Backslashes::Escape {
            return Err(CONTRADICTION);
        }
        Ok(EscapeReading { backslashes, dropped })
    }
}

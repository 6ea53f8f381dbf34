//! What the backslashes of a string mean that is not sound JSON: escapes of JSON, or code that nobody escaped.
//!
//! [`Facts`] counts what a string shows of its author in one walk, [`Facts::reading`] decides by them. Where they contradict each
//! other the string is ambiguous, and the repair gives up.

use super::strings::{QuoteKind, hexes, is_name};
use super::syntax::Fail;
use crate::counted::looked_at;

/// Characters before which people and models put a backslash that JSON does not know, and the double quote.
const MARKS: [u8; 5] = *b"\"'`$_";
const DOUBLE: usize = 0;
const DOLLAR: usize = 3;

/// What a backslash means in a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backslashes {
    /// The author escaped as JSON does: `\n` is a line break, `\\` a backslash. An escape that JSON does not know keeps its
    /// backslash.
    Escape,
    /// The author escaped no backslash: `\n` is two characters of code.
    Code,
    /// Line breaks and tabs are escaped, backslashes are not: `\n` is a line break, `\d` and `\\` are code.
    Single,
}

/// How a string is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) backslashes: Backslashes,
    /// For each of `MARKS`: whether a backslash before it is no part of the text.
    dropped: [bool; MARKS.len()],
}

impl Reading {
    /// JSON at large: only what other languages escape too loses its backslash, e.g. `{"a": "it\'s"}`.
    pub(super) const PLAIN: Self = Self { backslashes: Backslashes::Escape, dropped: [true, true, true, true, false] };

    /// Whether a backslash before this byte is no part of the text.
    pub(super) fn drops(&self, byte: u8) -> bool {
        MARKS.iter().zip(self.dropped).any(|(mark, dropped)| *mark == byte && dropped)
    }
}

/// How often a character stands in a string, by the number of backslashes before it.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    none: usize,
    odd: usize,
    even: usize,
}

impl Count {
    const fn is_always_escaped(self) -> bool {
        self.none == 0 && self.even == 0 && self.odd > 0
    }

    const fn is_mixed(self) -> bool {
        self.odd > 0 && self.none + self.even > 0
    }
}

/// Whether the numbers of `"`, of `\"`, of `'` and of backticks in a part of a line are odd.
type Parities = [bool; 4];

/// How many escapes of letters (`\n`, `\t`, `\r`, `\u00e9`) stand inside of a literal of the code, e.g. `print("a\n")`, and how many
/// do not.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    inside: usize,
    outside: usize,
    /// How many of those outside stand between quotes that do not pair up in their lines.
    unsure: usize,
}

/// The line that is being read.
#[derive(Default)]
struct Line {
    quotes: Parities,
    /// The escapes of letters in it: what stands before each.
    letters: Vec<Parities>,
    /// How many quotes in it are escaped: outside of literals, and inside.
    escaped: [usize; 2],
    /// Where no line break is raw: what stands in the line before the escaped line break that began this one.
    previous: Option<Parities>,
}

/// What a string shows of how its author escaped it.
#[derive(Default)]
pub(super) struct Facts {
    marks: [Count; MARKS.len()],
    raw_line_breaks: usize,
    /// Escapes of letters, where `"` delimits literals and where `\"` does.
    letters: [Places; 2],
    /// Escaped quotes in lines whose other quotes come in pairs, outside of those pairs and inside: e.g. `"say \"hi\""`.
    escaped_quotes: [usize; 2],
    /// Escapes that JSON does not know, e.g. `\d`; `\b` and `\f`, which nobody means.
    unknown: usize,
    /// `/` and `\/`.
    slashes: Count,
    /// Two backslashes or more.
    doubled: usize,
    /// `\\\"`: an escaped quote of code, escaped.
    triple: bool,
    /// `\t` at the beginning of a line: only who escapes writes indentation like this.
    indents: bool,
    /// Three backslashes or more before a letter: an escaped backslash and an escape, or not.
    mixed_run: bool,
    /// `\'` between letters, as in `don\'t`.
    in_word: bool,
    /// `\\n`, or a tab or carriage return in the middle of a line: where backslashes are single, what these are is not known.
    unsure_backslashes: bool,
    /// A name with an escape of JSON and one that JSON does not know, e.g. `C:\Users\new`.
    mixed_name: bool,
}

impl Facts {
    /// Reads the text between the quotes of a string.
    pub(super) fn of(body: &str, kind: QuoteKind) -> Self {
        let bytes = body.as_bytes();
        looked_at(bytes.len());
        let has_raw = bytes.contains(&b'\n');
        let mut facts = Self::default();
        let mut line = Line::default();
        let (mut at, mut line_start) = (0, 0);
        // Where the last escape ended, and whether JSON knows it.
        let mut last_escape: Option<(usize, bool)> = None;
        let is_letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphabetic);
        while let Some(byte) = bytes.get(at).copied() {
            match byte {
                b'\n' => {
                    facts.raw_line_breaks += 1;
                    facts.line_ends(&mut line);
                    line_start = at + 1;
                }
                b'\\' => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let run = rest.iter().take_while(|byte| **byte == b'\\').count();
                    let start = at;
                    at += run;
                    let Some(next) = bytes.get(at).copied() else { break };
                    facts.mark(bytes, at, run, kind);
                    facts.doubled += usize::from(run > 1);
                    if next == b'"' {
                        line.quotes[1] ^= run == 1;
                        line.escaped[usize::from(line.quotes[0])] += run % 2;
                        facts.triple |= run == 3;
                        at += 1;
                        continue;
                    }
                    if MARKS.contains(&next) {
                        let is_word = start > 0 && is_letter(bytes.get(start - 1)) && is_letter(bytes.get(at + 1));
                        facts.in_word |= next == b'\'' && is_word;
                        at += 1;
                        continue;
                    }
                    if run % 2 == 0 {
                        facts.unsure_backslashes |= matches!(next, b'n' | b't' | b'r');
                        continue;
                    }
                    facts.mixed_run |= run > 2;
                    let is_unicode = next == b'u' && hexes(bytes.get(at + 1..).unwrap_or_default()) == 4;
                    let is_known = is_unicode || matches!(next, b'n' | b't' | b'r' | b'/');
                    if let Some((end, was_known)) = last_escape
                        && was_known != is_known
                        && next != b'/'
                        && bytes.get(end..start).is_some_and(|name| name.iter().all(|byte| is_name_part(*byte)))
                    {
                        facts.mixed_name = true;
                    }
                    at += 1;
                    last_escape = Some((at, is_known));
                    match next {
                        b'/' => facts.slashes.odd += 1,
                        b't' if start == line_start => {
                            facts.indents = true;
                            line_start = at;
                        }
                        b't' if !has_raw => {
                            facts.unsure_backslashes = true;
                            line.letters.push(line.quotes);
                        }
                        b'n' | b'r' if !has_raw => {
                            // Line breaks in a row are one.
                            if start > line_start {
                                facts.line_ends(&mut line);
                            }
                            line_start = at;
                        }
                        _ if is_known => line.letters.push(line.quotes),
                        // A broken escape of JSON, e.g. `\uD80g`.
                        b'u' if hexes(bytes.get(at..).unwrap_or_default()) > 0 => {}
                        _ => facts.unknown += 1,
                    }
                    continue;
                }
                b'/' => facts.slashes.none += 1,
                b'"' => {
                    facts.mark(bytes, at, 0, kind);
                    line.quotes[0] ^= true;
                }
                b'\'' | b'`' | b'$' | b'_' => {
                    facts.mark(bytes, at, 0, kind);
                    // An apostrophe in a word opens nothing.
                    let in_word = at > 0 && is_letter(bytes.get(at - 1)) && is_letter(bytes.get(at + 1));
                    line.quotes[2] ^= byte == b'\'' && !in_word;
                    line.quotes[3] ^= byte == b'`';
                }
                _ => {}
            }
            at += 1;
        }
        facts.line_ends(&mut line);
        facts
    }

    fn mark(&mut self, bytes: &[u8], at: usize, run: usize, kind: QuoteKind) {
        let Some(place) = bytes.get(at).and_then(|byte| MARKS.iter().position(|mark| mark == byte)) else { return };
        // In a template literal only the dollar sign of `${` has a meaning.
        if place == DOLLAR && kind == QuoteKind::Back && bytes.get(at + 1) != Some(&b'{') {
            return;
        }
        let Some(count) = self.marks.get_mut(place) else { return };
        match run {
            0 => count.none += 1,
            run if run % 2 == 1 => count.odd += 1,
            _ => count.even += 1,
        }
    }

    fn line_ends(&mut self, line: &mut Line) {
        for before in std::mem::take(&mut line.letters) {
            let mut after = line.quotes;
            after.iter_mut().zip(before).for_each(|(after, before)| *after ^= before);
            self.place(before, after);
        }
        let quotes = std::mem::take(&mut line.quotes);
        let escaped = std::mem::take(&mut line.escaped);
        if !quotes[0] {
            self.escaped_quotes.iter_mut().zip(escaped).for_each(|(all, own)| *all += own);
        }
        if self.raw_line_breaks == 0
            && let Some(before) = line.previous.replace(quotes)
        {
            self.place(before, quotes);
        }
    }

    /// An escape is inside of a literal if an odd number of one kind of quotes stands before it in its line, and one after it.
    fn place(&mut self, before: Parities, after: Parities) {
        for (own, places) in self.letters.iter_mut().enumerate() {
            let is_odd = |kind: usize| before.get(kind) == Some(&true) && after.get(kind) == Some(&true);
            let is_inside = is_odd(own) || is_odd(2) || is_odd(3);
            places.inside += usize::from(is_inside);
            places.outside += usize::from(!is_inside);
            let is_half = |kind: usize| before.get(kind) != after.get(kind);
            places.unsure += usize::from(!is_inside && (is_half(own) || is_half(2) || is_half(3)));
        }
    }

    /// Decides how the string is to be read.
    pub(super) fn reading(&self, kind: QuoteKind) -> Result<Reading, Fail> {
        let [double, ..] = self.marks;
        let is_double = kind == QuoteKind::Double;
        let escapes_quotes = double.none == 0 && double.odd > 0;
        let Places { inside, outside, unsure } = if escapes_quotes { self.letters[1] } else { self.letters[0] };
        let has_raw = self.raw_line_breaks > 0;

        // Signs that backslashes are code, and signs that they are escapes.
        let (mut is_code, mut is_escaped) = (self.unknown > 0 || self.slashes.is_mixed(), self.indents);
        if is_double {
            if double.none > 0 && double.odd > 0 {
                match self.escaped_quotes.map(|count| count > 0) {
                    // E.g. `print("say \"hi\"")`: the author did not escape the quotes of the literal.
                    [false, true] => is_code = true,
                    [false, false] => is_code = has_raw && double.none > 1,
                    [true, true] if has_raw && self.escaped_quotes[0] < self.escaped_quotes[1] => is_code = true,
                    [true, true] => return Err(Fail::Ambiguous),
                    // E.g. `<a href=\"x\">say "hi"</a>`: some were forgotten.
                    [true, false] => {}
                }
            }
            // E.g. `print(\"say \\"hi\\"\")`: the author escaped quotes, but no backslashes.
            is_code |= escapes_quotes && double.even > 0;
            is_escaped |= escapes_quotes && self.triple && !is_code;
            // E.g. `import x from \\"y\\"`: escaped twice, or not at all.
            if double.even > 0 && double.none + double.odd == 0 {
                return Err(Fail::Ambiguous);
            }
        }
        let mut dropped = [false; MARKS.len()];
        dropped[DOUBLE] = is_double && escapes_quotes;
        let mut is_single = false;
        for (place, count) in self.marks.iter().enumerate() {
            let is_own = kind.delimiter() == MARKS.get(place).copied() || place == DOLLAR && kind == QuoteKind::Back;
            if place == DOUBLE && is_double || count.odd == 0 {
                continue;
            }
            if count.is_mixed() {
                // E.g. `'it\'s'`: code with a literal of its own.
                is_code = true;
            } else if count.is_always_escaped() && (is_own || count.odd > 1) {
                // E.g. `It\'s what we don\'t say.`
                dropped[place] = true;
                is_escaped |= is_own && kind == QuoteKind::Back;
            } else {
                // E.g. `don\'t` alone: dropped only in a word, and if other escapes show that the author escaped.
                let shows = escapes_quotes || !has_raw && outside > 1;
                dropped[place] = shows && self.in_word;
                is_single |= !dropped[place];
            }
        }
        if has_raw && inside > 0 && outside == 0 {
            if self.mixed_run && !is_code {
                return Err(Fail::Ambiguous);
            }
            // E.g. a file with raw line breaks in which `print("a\n")` is code.
            is_code = true;
        }
        let escapes_lines = outside > 0;

        let backslashes = match (is_code, is_escaped || escapes_lines) {
            (true, false) => Backslashes::Code,
            (true, true) if has_raw => {
                // A raw file whose comments or regular expressions speak of `\n`.
                if is_escaped || outside >= self.raw_line_breaks {
                    return Err(Fail::Ambiguous);
                }
                Backslashes::Code
            }
            (true, true) => {
                if inside + unsure > 0 || self.mixed_name || self.unsure_backslashes {
                    return Err(Fail::Ambiguous);
                }
                Backslashes::Single
            }
            (false, _) if has_raw && inside > 0 && outside > 0 => {
                // Literals over several lines, in a text whose line breaks are mostly escaped.
                if outside < self.raw_line_breaks && !is_escaped {
                    return Err(Fail::Ambiguous);
                }
                Backslashes::Escape
            }
            (false, true)
                if is_double && has_raw && double.none > 0 && !is_escaped && outside < self.raw_line_breaks =>
            {
                return Err(Fail::Ambiguous);
            }
            (false, true) => Backslashes::Escape,
            (false, false) if is_double && has_raw && double.none > 0 && double.odd == 0 => Backslashes::Code,
            (false, false) if self.doubled > 0 && has_raw => match kind {
                QuoteKind::Double if escapes_quotes => Backslashes::Escape,
                QuoteKind::Back => Backslashes::Escape,
                // Each backslash of the code is doubled: one or two may be so by chance, e.g. `/\\\\d+/`.
                _ if self.doubled > 2 => Backslashes::Escape,
                _ => return Err(Fail::Ambiguous),
            },
            (false, false) => Backslashes::Escape,
        };
        if backslashes == Backslashes::Code {
            // What is code keeps its backslashes, but for the quotes that delimit the string.
            for (place, dropped) in dropped.iter_mut().enumerate() {
                *dropped &= place == DOUBLE && is_double;
            }
        } else if is_single && backslashes == Backslashes::Escape {
            return Err(Fail::Ambiguous);
        }
        Ok(Reading { backslashes, dropped })
    }
}

const fn is_name_part(byte: u8) -> bool {
    is_name(byte) || matches!(byte, b'-' | b'.')
}

//! Finds a piece that differs from a text only in how characters were typed: blanks at line ends, typographic quotes, …

use super::edit::find_all;
use crate::codes::codes;
use crate::counted::looked_at;
use crate::platform::compose;
use crate::value::text::{find, is_space, part, tail};
use crate::value::{Position, put, put_char};

codes! {
    "A difference between a piece and a text for which an edit is still made, for programs." EditFixKind;
    TrailingBlanks "TRAILING_BLANKS" "Blanks at the end of a line differ",
    LineEnds "LINE_ENDS" "Line ends differ",
    NoBreakSpaces "NO_BREAK_SPACES" "A no-break space stands for a space, or the reverse",
    Accents "ACCENTS" "Accents are composed in one text, and separate characters in the other",
    Quotes "TYPOGRAPHIC_QUOTES" "A typographic quote stands for a plain one, or the reverse",
    Dashes "TYPOGRAPHIC_DASHES" "A typographic dash stands for a hyphen, or the reverse",
}

/// A difference that an edit has overlooked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditFix {
    /// What differs.
    pub kind: EditFixKind,
    /// Where in the text it differs first.
    pub position: Position,
}

/// The first character in which a piece differs from the place of the text that it probably means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the text.
    pub position: Position,
    /// The character of the text there; `None` at its end.
    pub found: Option<char>,
    /// The character of the piece there; `None` at its end.
    pub sent: Option<char>,
}

/// The differences that a comparison overlooks: a bit for each [`EditFixKind`], [`UNFIXED`] and [`GOES_ON`].
type Overlooked = u8;

const FIXED: Overlooked = (1 << EditFixKind::ALL.len()) - 1;
/// Differences that are named in errors and never fixed: invisible characters, kinds and numbers of blanks, ellipses.
const UNFIXED: Overlooked = 1 << EditFixKind::ALL.len();

/// The text goes on where it ends, so that blanks there are not at the end of a line.
const GOES_ON: Overlooked = UNFIXED << 1;

const fn bit(kind: EditFixKind) -> Overlooked {
    1 << kind as u8
}

/// The only place of a text that is like a piece but for differences that are fixed: its first byte, and the one after it.
pub(super) fn only_place(text: &str, piece: &str) -> Option<(usize, usize)> {
    match places(text, piece, FIXED) {
        (1, place) => place,
        _ => None,
    }
}

/// Whether a piece has two lines that are not blank: by chance alone hardly anything else is like it.
pub(super) fn has_two_lines(piece: &str) -> bool {
    find(form(piece, FIXED).trim(), "\n").is_some()
}

/// The differences between a piece and the place that is like it.
pub(super) fn fixes(text: &str, piece: &str, (from, to): (usize, usize)) -> Vec<EditFix> {
    let place = part(text, from..to);
    let end = if place.ends_with(is_blank) { GOES_ON } else { 0 };
    let differs = |overlooked| {
        let (ours, theirs) = (form(place, overlooked | end), form(piece, overlooked | end));
        let same = ours.bytes().zip(theirs.bytes()).take_while(|(one, other)| one == other).count();
        (same < ours.len().max(theirs.len())).then_some(same)
    };
    let fix = |kind, same| {
        let mut offset = to;
        let mut length = 0;
        walk(place, (FIXED & !bit(kind)) | end, &mut |start, _, out| {
            if length <= same && same < length + out.len() {
                offset = from + start;
            }
            length += out.len();
        });
        EditFix { kind, position: Position::of(text, offset) }
    };
    let mut fixes: Vec<EditFix> = Vec::new();
    for kind in EditFixKind::ALL.iter().copied() {
        if let Some(same) = differs(FIXED & !bit(kind)) {
            fixes.push(fix(kind, same));
        }
    }
    if fixes.is_empty() {
        // Two kinds of fixes can each explain one difference, such as a no-break space at the end of a line.
        let alone = EditFixKind::ALL.iter().copied().find(|kind| differs(bit(*kind)).is_none());
        fixes.push(fix(alone.unwrap_or(EditFixKind::TrailingBlanks), differs(0).unwrap_or_default()));
    }
    fixes
}

/// The first character in which a piece differs from the first place that is like it but for what is hard to see.
pub(super) fn difference(text: &str, piece: &str) -> Option<Difference> {
    let like = |overlooked| places(text, piece, overlooked).1;
    let (from, _) = like(FIXED).or_else(|| like(FIXED | UNFIXED))?;
    let mut sent = visible(piece);
    for (at, found) in visible(tail(text, from)) {
        let own = sent.next().map(|(_, char)| char);
        if own != Some(found) {
            return Some(Difference { position: Position::of(text, from + at), found: Some(found), sent: own });
        }
    }
    let sent = sent.next().map(|(_, char)| char)?;
    Some(Difference { position: Position::of(text, text.len()), found: None, sent: Some(sent) })
}

/// The characters of a text with their places, of a CRLF the second alone.
fn visible(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(at, char)| *char != '\r' || text.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// At how many places a text is like a piece, and the first of them.
fn places(text: &str, piece: &str, overlooked: Overlooked) -> (usize, Option<(usize, usize)>) {
    let (wanted, whole) = (form(piece, overlooked), form(text, overlooked));
    if wanted.trim().is_empty() {
        return (0, None);
    }
    let (count, starts) = find_all(&whole, &wanted);
    let (mut first, mut length) = (starts.first().copied(), wanted.len());
    if piece.ends_with(is_blank) {
        // Blanks at the end of the piece stand before other text, or else at the end of a line.
        let longer = form(piece, overlooked | GOES_ON);
        if let Some(start) = find_all(&whole, &longer).1.first().copied() {
            (first, length) = (Some(start), longer.len());
        } else {
            first = first.filter(|(start, _)| matches!(whole.as_bytes().get(start + length), None | Some(b'\n')));
        }
    }
    let Some((start, _)) = first else { return (count, None) };
    let (mut from, mut to) = (None, None);
    let mut place = 0;
    walk(text, overlooked, &mut |at, next, out| {
        if out.is_empty() {
            return;
        }
        if place == start {
            from = Some(at);
        }
        place += out.len();
        if place == start + length {
            to = Some(next);
        }
    });
    (count, from.zip(to))
}

/// A text without the differences that are overlooked.
fn form(text: &str, overlooked: Overlooked) -> String {
    let mut out = String::with_capacity(text.len());
    walk(text, overlooked, &mut |_, _, part| _ = put(&mut out, part));
    out
}

/// Gives the pieces of a text, in order: where each begins and ends, and what it is without differences that are overlooked.
fn walk(text: &str, overlooked: Overlooked, take: &mut dyn FnMut(usize, usize, &str)) {
    looked_at(text.len());
    let is_overlooked = |kind| overlooked & bit(kind) != 0;
    let is_unfixed = overlooked & UNFIXED != 0;
    let mut at = 0;
    let mut at_line_start = true;
    let mut one = String::new();
    while let Some(char) = tail(text, at).chars().next() {
        let end = at + char.len_utf8();
        let after = text.as_bytes().get(end);
        if is_blank(char) {
            let run = tail(text, at).find(|char| !is_blank(char)).map_or(text.len(), |length| at + length);
            let is_trailing = match text.as_bytes().get(run) {
                None => overlooked & GOES_ON == 0,
                Some(next) => matches!(next, b'\n' | b'\r'),
            };
            if is_trailing && is_overlooked(EditFixKind::TrailingBlanks) {
                take(at, run, "");
            } else if is_unfixed {
                take(at, run, if at_line_start { "" } else { " " });
            } else {
                for (place, char) in part(text, at..run).char_indices() {
                    one.clear();
                    let is_space = is_overlooked(EditFixKind::NoBreakSpaces) && is_no_break_space(char);
                    put_char(&mut one, if is_space { ' ' } else { char });
                    take(at + place, at + place + char.len_utf8(), &one);
                }
            }
            (at, at_line_start) = (run, false);
            continue;
        }
        if is_overlooked(EditFixKind::Accents) && tail(text, end).starts_with(is_mark) {
            let marks = tail(text, end).find(|char| !is_mark(char)).map_or(text.len(), |length| end + length);
            take(at, marks, &compose(part(text, at..marks)));
            (at, at_line_start) = (marks, false);
            continue;
        }
        let plain = match char {
            '\r' if after == Some(&b'\n') => "",
            '\r' if is_overlooked(EditFixKind::LineEnds) => "\n",
            '\u{85}' | '\u{2028}' | '\u{2029}' if is_unfixed => "\n",
            '‘' | '’' | '‚' | '‛' if is_overlooked(EditFixKind::Quotes) => "'",
            '“' | '”' | '„' | '‟' if is_overlooked(EditFixKind::Quotes) => "\"",
            '\u{2010}'..='\u{2015}' | '\u{2212}' if is_overlooked(EditFixKind::Dashes) => "-",
            '…' if is_unfixed => "...",
            char if is_unfixed && is_invisible(char) => "",
            _ => part(text, at..end),
        };
        take(at, end, plain);
        at_line_start = plain == "\n" || (at_line_start && plain.is_empty());
        at = end;
    }
}

/// Blanks within a line.
fn is_blank(char: char) -> bool {
    is_space(char) && !matches!(char, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

const fn is_no_break_space(char: char) -> bool {
    matches!(char, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Characters that change the one before them: combining marks, and the vowels and finals of Korean syllables.
const fn is_mark(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{1160}'..='\u{11ff}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}' | '\u{fe20}'..='\u{fe2f}')
}

/// Characters that are not seen: control characters, zero-width and bidirectional ones, variation selectors.
fn is_invisible(char: char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\r'))
        || matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

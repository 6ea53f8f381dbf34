//! Finds a place that differs from a piece only in how characters were typed: blanks at line ends, typographic quotes, …

use std::ops::Range;

use super::search::find_all;
use crate::codes::codes;
use crate::counted::count_work;
use crate::platform::compose;
use crate::value::text::{find, is_space, part, tail};
use crate::value::{Position, put, put_char};

codes! {
    /// A difference between `old_string` and the text of the file in spite of which an edit is made.
    EditFixKind;
    TrailingBlanks "TRAILING_BLANKS" "Blanks at the end of a line differ",
    LineEnds "LINE_ENDS" "Line ends differ",
    NoBreakSpaces "NO_BREAK_SPACES" "A no-break space stands for a space, or the reverse",
    Accents "ACCENTS" "Accents are composed in one text, and separate characters in the other",
    Quotes "TYPOGRAPHIC_QUOTES" "A typographic quote stands for a plain one, or the reverse",
    Dashes "TYPOGRAPHIC_DASHES" "A typographic dash stands for a hyphen, or the reverse",
}

/// A difference between a piece and the place that it replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditFix {
    /// The kind of the difference.
    pub kind: EditFixKind,
    /// Where in the text it differs first.
    pub position: Position,
}

/// The first character in which a piece differs from a similar place of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the text.
    pub position: Position,
    /// The character of the text there; `None` at its end.
    pub found: Option<char>,
    /// The character of the piece there; `None` at its end.
    pub sent: Option<char>,
}

/// The differences that a comparison ignores: a bit for each [`EditFixKind`], [`UNFIXED`] and [`CONTINUES`].
type Ignored = u8;

/// All differences that an edit fixes.
const FIXED: Ignored = (1 << EditFixKind::ALL.len()) - 1;
/// Differences that errors report and edits never fix: invisible characters, kinds and numbers of blanks, ellipses.
const UNFIXED: Ignored = 1 << EditFixKind::ALL.len();

/// Other text follows, so blanks at the end of this text are not at the end of a line.
const CONTINUES: Ignored = UNFIXED << 1;

const fn bit(kind: EditFixKind) -> Ignored {
    1 << kind as u8
}

/// The only place of a text that differs from a piece at most in ways that are fixed.
pub(super) fn only_place(text: &str, piece: &str) -> Option<Range<usize>> {
    let places = places(text, piece, FIXED);
    places.first.filter(|_| places.count == 1)
}

/// Whether a piece has two lines that are not blank: a place that equals both is hardly there by chance.
pub(super) fn has_two_lines(piece: &str) -> bool {
    find(normalized(piece, FIXED).trim(), "\n").is_some()
}

/// The differences between a piece and the place that [`only_place`] finds.
pub(super) fn fixes(text: &str, piece: &str, place: Range<usize>) -> Vec<EditFix> {
    let own = part(text, place.clone());
    let end = if own.ends_with(is_blank) { CONTINUES } else { 0 };
    // How many normalized bytes are the same before the first difference.
    let same_bytes = |ignored| {
        let (ours, theirs) = (normalized(own, ignored | end), normalized(piece, ignored | end));
        let same = ours.bytes().zip(theirs.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
        (same < ours.len().max(theirs.len())).then_some(same)
    };
    let fix = |kind, same| {
        let mut offset = place.end;
        let mut length = 0;
        normalize(own, (FIXED & !bit(kind)) | end, &mut |from, out| {
            if length <= same && same < length + out.len() {
                offset = place.start + from.start;
            }
            length += out.len();
        });
        EditFix { kind, position: Position::of(text, offset) }
    };
    let mut fixes: Vec<EditFix> = Vec::new();
    for kind in EditFixKind::ALL.iter().copied() {
        if let Some(same) = same_bytes(FIXED & !bit(kind)) {
            fixes.push(fix(kind, same));
        }
    }
    if fixes.is_empty() {
        // Two kinds of fixes can each explain one difference, such as a no-break space at the end of a line.
        let alone = EditFixKind::ALL.iter().copied().find(|kind| same_bytes(bit(*kind)).is_none());
        fixes.push(fix(alone.unwrap_or(EditFixKind::TrailingBlanks), same_bytes(0).unwrap_or_default()));
    }
    fixes
}

/// The first character in which a piece differs from the first place whose differences are hard to see.
pub(super) fn difference(text: &str, piece: &str) -> Option<Difference> {
    let first = |ignored| places(text, piece, ignored).first;
    let from = first(FIXED).or_else(|| first(FIXED | UNFIXED))?.start;
    let mut sent = visible(piece);
    for (at, found) in visible(tail(text, from)) {
        let expected = sent.next().map(|(_, char)| char);
        if expected != Some(found) {
            return Some(Difference { position: Position::of(text, from + at), found: Some(found), sent: expected });
        }
    }
    let sent = sent.next().map(|(_, char)| char)?;
    Some(Difference { position: Position::of(text, text.len()), found: None, sent: Some(sent) })
}

/// The characters of a text with their offsets, without the CR of CRLF.
fn visible(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(at, char)| *char != '\r' || text.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// The result of [`places`]: how many there are, and the first one as a range of the text.
struct Places {
    count: usize,
    first: Option<Range<usize>>,
}

/// Finds the places of a text that equal a piece apart from the differences to ignore.
fn places(text: &str, piece: &str, ignored: Ignored) -> Places {
    let (wanted, whole) = (normalized(piece, ignored), normalized(text, ignored));
    if wanted.trim().is_empty() {
        return Places { count: 0, first: None };
    }
    let found = find_all(&whole, &wanted);
    let count = found.count;
    let (mut first, mut length) = (found.first.first().map(|found| found.start), wanted.len());
    if piece.ends_with(is_blank) {
        // Blanks at the end of the piece are followed by other text, or they are at the end of a line.
        let longer = normalized(piece, ignored | CONTINUES);
        if let Some(found) = find_all(&whole, &longer).first.first() {
            (first, length) = (Some(found.start), longer.len());
        } else {
            first = first.filter(|start| matches!(whole.as_bytes().get(start + length), None | Some(b'\n')));
        }
    }
    let Some(start) = first else { return Places { count, first: None } };
    let (mut from, mut to) = (None, None);
    let mut written = 0;
    normalize(text, ignored, &mut |source, out| {
        if out.is_empty() {
            return;
        }
        if written == start {
            from = Some(source.start);
        }
        written += out.len();
        if written == start + length {
            to = Some(source.end);
        }
    });
    Places { count, first: from.zip(to).map(|(from, to)| from..to) }
}

/// The result of [`normalize`] as one text.
fn normalized(text: &str, ignored: Ignored) -> String {
    let mut out = String::with_capacity(text.len());
    normalize(text, ignored, &mut |_, part| _ = put(&mut out, part));
    out
}

/// Rewrites a text so that differences to ignore vanish. `emit` gets each piece of the result and where in the text it is from.
fn normalize(text: &str, ignored: Ignored, emit: &mut dyn FnMut(Range<usize>, &str)) {
    count_work(text.len());
    let is_ignored = |kind| ignored & bit(kind) != 0;
    let is_unfixed = ignored & UNFIXED != 0;
    let mut at = 0;
    let mut at_line_start = true;
    let mut buffer = String::new();
    while let Some(char) = tail(text, at).chars().next() {
        let end = at + char.len_utf8();
        let after = text.as_bytes().get(end);
        if is_blank(char) {
            let run = tail(text, at).find(|char| !is_blank(char)).map_or(text.len(), |length| at + length);
            let is_trailing = match text.as_bytes().get(run) {
                None => ignored & CONTINUES == 0,
                Some(next) => matches!(next, b'\n' | b'\r'),
            };
            if is_trailing && is_ignored(EditFixKind::TrailingBlanks) {
                emit(at..run, "");
            } else if is_unfixed {
                emit(at..run, if at_line_start { "" } else { " " });
            } else {
                for (place, char) in part(text, at..run).char_indices() {
                    buffer.clear();
                    let is_space = is_ignored(EditFixKind::NoBreakSpaces) && is_no_break_space(char);
                    put_char(&mut buffer, if is_space { ' ' } else { char });
                    emit(at + place..at + place + char.len_utf8(), &buffer);
                }
            }
            (at, at_line_start) = (run, false);
            continue;
        }
        if is_ignored(EditFixKind::Accents) && tail(text, end).starts_with(is_mark) {
            let marks = tail(text, end).find(|char| !is_mark(char)).map_or(text.len(), |length| end + length);
            emit(at..marks, &compose(part(text, at..marks)));
            (at, at_line_start) = (marks, false);
            continue;
        }
        let plain = match char {
            '\r' if after == Some(&b'\n') => "",
            '\r' if is_ignored(EditFixKind::LineEnds) => "\n",
            '\u{85}' | '\u{2028}' | '\u{2029}' if is_unfixed => "\n",
            '‘' | '’' | '‚' | '‛' if is_ignored(EditFixKind::Quotes) => "'",
            '“' | '”' | '„' | '‟' if is_ignored(EditFixKind::Quotes) => "\"",
            '\u{2010}'..='\u{2015}' | '\u{2212}' if is_ignored(EditFixKind::Dashes) => "-",
            '…' if is_unfixed => "...",
            char if is_unfixed && is_invisible(char) => "",
            _ => part(text, at..end),
        };
        emit(at..end, plain);
        at_line_start = plain == "\n" || (at_line_start && plain.is_empty());
        at = end;
    }
}

/// Whitespace within a line.
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

/// Invisible characters: control characters, zero-width and bidirectional ones, variation selectors.
fn is_invisible(char: char) -> bool {
    (char.is_control() && !matches!(char, '\n' | '\r'))
        || matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

//! Finds a place that differs from a piece only in how characters were typed: blanks at line ends, typographic quotes, …
//!
//! The *piece* is the text that an edit is to replace, a *place* is a range of the file's text. Both are compared in a normalized
//! form, in which the differences to ignore vanish.

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

/// The first character in which a piece differs from a place of the text that is equal apart from differences that are hard to
/// see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where in the text.
    pub position: Position,
    /// The character of the text there; `None` at its end.
    pub found: Option<char>,
    /// The character of the piece there; `None` at its end.
    pub sent: Option<char>,
}

/// The differences that a comparison ignores: a bit for each [`EditFixKind`], and [`UNFIXED`]. [`CONTINUES`] is a further bit.
type Ignored = u8;

/// All differences that an edit fixes.
const FIXED: Ignored = (1 << EditFixKind::ALL.len()) - 1;
/// Differences that errors report and edits never fix: invisible characters, kinds and numbers of blanks, ellipses.
const UNFIXED: Ignored = 1 << EditFixKind::ALL.len();
/// No difference is ignored.
const NOTHING: Ignored = 0;

/// A bit for [`normalize`]: other text follows the text, so blanks at its end are not at the end of a line.
const CONTINUES: Ignored = UNFIXED << 1;

/// The bit of a kind in [`Ignored`].
const fn bit(kind: EditFixKind) -> Ignored {
    1 << kind as u8
}

/// The only place of a text that has no differences from a piece but [`FIXED`] ones; `None` if none exists, or more than one.
pub(super) fn only_place(text: &str, piece: &str) -> Option<Range<usize>> {
    let result = places(text, piece, FIXED);
    result.first_place.filter(|_| result.count == 1)
}

/// Whether a piece has at least two lines, blank ones around it not counted: a place that equals both is hardly there by chance.
pub(super) fn has_two_lines(piece: &str) -> bool {
    find(normalized(piece, FIXED).trim(), "\n").is_some()
}

/// The differences between a piece and the place that [`only_place`] finds, one of each kind, in the order of the kinds.
///
/// A kind is listed if piece and place still differ when all other kinds are ignored. Its position is that of the first byte
/// that then differs.
pub(super) fn fixes(text: &str, piece: &str, place: Range<usize>) -> Vec<EditFix> {
    let place_text = part(text, place.clone());
    // Blanks at the end of the place were matched as blanks before other text, see `places`.
    let continuation = if place_text.ends_with(is_blank) { CONTINUES } else { NOTHING };
    // How many normalized bytes are the same before the first difference; `None` if there is no difference.
    let same_bytes = |ignored| {
        let normal_place = normalized(place_text, ignored | continuation);
        let normal_piece = normalized(piece, ignored | continuation);
        let same_len = normal_place.bytes().zip(normal_piece.bytes()).take_while(|(one, other)| one == other).count();
        (same_len < normal_place.len().max(normal_piece.len())).then_some(same_len)
    };
    // The fix of this kind at the first difference that is not ignored; `None` if there is no difference.
    let fix_at = |kind, ignored| {
        let same_len = same_bytes(ignored)?;
        let mut offset = place.end;
        let mut length = 0;
        normalize(place_text, ignored | continuation, &mut |source, normal| {
            if length <= same_len && same_len < length + normal.len() {
                offset = place.start + source.start;
            }
            length += normal.len();
        });
        Some(EditFix { kind, position: Position::of(text, offset) })
    };
    let kinds = EditFixKind::ALL.iter().copied();
    let mut fixes: Vec<EditFix> = kinds.clone().filter_map(|kind| fix_at(kind, FIXED & !bit(kind))).collect();
    if fixes.is_empty() {
        // A difference can be of two kinds, e.g. a no-break space at the end of a line: then either kind suffices.
        let sufficient_kind = kinds.clone().find(|kind| same_bytes(bit(*kind)).is_none());
        fixes.extend(fix_at(sufficient_kind.unwrap_or(EditFixKind::TrailingBlanks), NOTHING));
    }
    fixes
}

/// The first character in which a piece differs from the first place whose differences are hard to see; `None` without such a
/// place. Differences that edits fix are looked for first.
pub(super) fn difference(text: &str, piece: &str) -> Option<Difference> {
    let first_place = |ignored| places(text, piece, ignored).first_place;
    let start = first_place(FIXED).or_else(|| first_place(FIXED | UNFIXED))?.start;
    let mut piece_chars = chars_without_cr(piece);
    for (offset, text_char) in chars_without_cr(tail(text, start)) {
        let sent = piece_chars.next().map(|(_, char)| char);
        if sent != Some(text_char) {
            return Some(Difference { position: Position::of(text, start + offset), found: Some(text_char), sent });
        }
    }
    // The text ends before the piece.
    let sent = piece_chars.next().map(|(_, char)| char)?;
    Some(Difference { position: Position::of(text, text.len()), found: None, sent: Some(sent) })
}

/// The characters of a text with their offsets, without the CR of CRLF.
fn chars_without_cr(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(at, char)| *char != '\r' || text.as_bytes().get(at + 1) != Some(&b'\n'))
}

/// The result of [`places`].
struct Places {
    /// The number of places, blanks at the end of the piece not compared.
    count: usize,
    /// The first place as a range of the text; `None` if none exists, if the blanks at the end of the piece do not match, or if
    /// the place begins or ends within characters that [`normalize`] emits as one part.
    first_place: Option<Range<usize>>,
}

/// Finds the places of a text that equal a piece apart from the differences to ignore: searches for the normalized piece in the
/// normalized text, then looks up where in the text the first occurrence comes from. A blank piece is nowhere.
fn places(text: &str, piece: &str, ignored: Ignored) -> Places {
    let (normal_piece, normal_text) = (normalized(piece, ignored), normalized(text, ignored));
    if normal_piece.trim().is_empty() {
        return Places { count: 0, first_place: None };
    }
    let occurrences = find_all(&normal_text, &normal_piece);
    let count = occurrences.count;
    let (mut start, mut length) = (occurrences.listed.first().map(|occurrence| occurrence.start), normal_piece.len());
    if piece.ends_with(is_blank) {
        // In the text, blanks at the end of the piece are before other text, or else they must be at the end of a line.
        let with_blanks = normalized(piece, ignored | CONTINUES);
        if let Some(occurrence) = find_all(&normal_text, &with_blanks).listed.first() {
            (start, length) = (Some(occurrence.start), with_blanks.len());
        } else {
            start = start.filter(|start| matches!(normal_text.as_bytes().get(start + length), None | Some(b'\n')));
        }
    }
    let Some(start) = start else { return Places { count, first_place: None } };
    let (mut place_start, mut place_end) = (None, None);
    let mut normal_length = 0;
    normalize(text, ignored, &mut |source, normal| {
        if normal.is_empty() {
            return;
        }
        if normal_length == start {
            place_start = Some(source.start);
        }
        normal_length += normal.len();
        if normal_length == start + length {
            place_end = Some(source.end);
        }
    });
    Places { count, first_place: place_start.zip(place_end).map(|(start, end)| start..end) }
}

/// The result of [`normalize`] as one text.
fn normalized(text: &str, ignored: Ignored) -> String {
    let mut out = String::with_capacity(text.len());
    normalize(text, ignored, &mut |_, part| _ = put(&mut out, part));
    out
}

/// Rewrites a text so that differences to ignore vanish. `emit` gets each part of the result, and the range of the text that it
/// comes from.
///
/// Runs of blanks come first: those at the end of a line are dropped, or all are made one space, or no-break spaces become
/// spaces. Then a character with combining marks is composed. Any other character is mapped on its own. The CR of CRLF is always
/// dropped.
fn normalize(text: &str, ignored: Ignored, emit: &mut dyn FnMut(Range<usize>, &str)) {
    count_work(text.len());
    let is_ignored = |kind| ignored & bit(kind) != 0;
    let is_unfixed = ignored & UNFIXED != 0;
    // The offset of the current character.
    let mut at = 0;
    let mut is_line_start = true;
    let mut buffer = String::new();
    while let Some(char) = tail(text, at).chars().next() {
        let end = at + char.len_utf8();
        let next_byte = text.as_bytes().get(end);
        if is_blank(char) {
            let run_end = tail(text, at).find(|char| !is_blank(char)).map_or(text.len(), |length| at + length);
            let is_trailing = match text.as_bytes().get(run_end) {
                None => ignored & CONTINUES == 0,
                Some(next) => matches!(next, b'\n' | b'\r'),
            };
            if is_trailing && is_ignored(EditFixKind::TrailingBlanks) {
                emit(at..run_end, "");
            } else if is_unfixed {
                emit(at..run_end, if is_line_start { "" } else { " " });
            } else {
                for (distance, char) in part(text, at..run_end).char_indices() {
                    buffer.clear();
                    let becomes_space = is_ignored(EditFixKind::NoBreakSpaces) && is_no_break_space(char);
                    put_char(&mut buffer, if becomes_space { ' ' } else { char });
                    emit(at + distance..at + distance + char.len_utf8(), &buffer);
                }
            }
            (at, is_line_start) = (run_end, false);
            continue;
        }
        if is_ignored(EditFixKind::Accents) && tail(text, end).starts_with(is_mark) {
            let marks_end = tail(text, end).find(|char| !is_mark(char)).map_or(text.len(), |length| end + length);
            emit(at..marks_end, &compose(part(text, at..marks_end)));
            (at, is_line_start) = (marks_end, false);
            continue;
        }
        let normal = match char {
            '\r' if next_byte == Some(&b'\n') => "",
            '\r' if is_ignored(EditFixKind::LineEnds) => "\n",
            '\u{85}' | '\u{2028}' | '\u{2029}' if is_unfixed => "\n",
            '‘' | '’' | '‚' | '‛' if is_ignored(EditFixKind::Quotes) => "'",
            '“' | '”' | '„' | '‟' if is_ignored(EditFixKind::Quotes) => "\"",
            '\u{2010}'..='\u{2015}' | '\u{2212}' if is_ignored(EditFixKind::Dashes) => "-",
            '…' if is_unfixed => "...",
            char if is_unfixed && is_invisible(char) => "",
            _ => part(text, at..end),
        };
        emit(at..end, normal);
        // Dropped characters at the start of a line do not end its indentation.
        is_line_start = normal == "\n" || (is_line_start && normal.is_empty());
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

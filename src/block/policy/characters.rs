//! The classes of characters that the rules check. The tables are copied from the Unicode data: a few dozen rows need no crate.

use crate::value::text::owned;
use crate::value::write_hex;

/// Whether a character is a control character: C0, DEL, C1, a line or paragraph separator, or the byte order mark.
pub(super) fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

/// Whether a character is in one of these ranges, given as pairs of first and last character. No range contains ASCII.
fn is_within(ranges: &str, c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    let mut bounds = ranges.chars();
    while let (Some(first), Some(last)) = (bounds.next(), bounds.next()) {
        if first <= c && c <= last {
            return true;
        }
    }
    false
}

/// Whether a character is invisible: one with the property `Default_Ignorable_Code_Point` (zero-width, bidi controls, fillers,
/// variation selectors, tags), an interlinear mark, or the Braille blank.
pub(super) fn is_invisible(c: char) -> bool {
    is_within(
        "\u{ad}\u{ad}\u{34f}\u{34f}\u{61c}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{180b}\u{180f}\u{200b}\u{200f}\
         \u{202a}\u{202e}\u{2060}\u{206f}\u{2800}\u{2800}\u{3164}\u{3164}\u{fe00}\u{fe0f}\u{feff}\u{feff}\u{ffa0}\u{ffa0}\
         \u{fff0}\u{fffb}\u{1bca0}\u{1bca3}\u{1d173}\u{1d17a}\u{e0000}\u{e0fff}",
        c,
    )
}

/// Whether the invisible character `c` is part of an emoji: U+FE0F after a pictograph or before the keycap U+20E3, U+200D between
/// pictographs. People name files with emoji, and there the characters change what is shown.
pub(super) fn is_emoji_part(before: char, c: char, after: char) -> bool {
    match c {
        '\u{fe0f}' => is_pictograph(before) || after == '\u{20e3}',
        '\u{200d}' => (is_pictograph(before) || before == '\u{fe0f}') && is_pictograph(after),
        _ => false,
    }
}

/// Whether a character is in a Unicode block that contains emoji. The other characters of these blocks are harmless here.
fn is_pictograph(c: char) -> bool {
    is_within(
        "©©®®‼‼⁉⁉™™ℹℹ\u{2190}\u{21ff}\u{2300}\u{27bf}\u{2900}\u{297f}\u{2b00}\u{2bff}\u{3030}\u{3030}\u{303d}\u{303d}\
         \u{3297}\u{3297}\u{3299}\u{3299}\u{1f000}\u{1faff}",
        c,
    )
}

/// Whether people, or a program that normalises, take a character for `/`, `\` or `.`.
///
/// The first two lines are all characters whose NFKC form is or contains one of the three (computed with Python's
/// `unicodedata`); the rest are strokes and operators that look like a slash on their own. Letters that do (`丿`, `ノ`)
/// are writing, not disguise.
pub(super) fn is_look_alike(c: char) -> bool {
    is_within(
        "\u{2024}\u{2026}\u{2100}\u{2101}\u{2105}\u{2106}\u{2488}\u{249b}\u{33c2}\u{33c2}\u{33c7}\u{33c7}\u{33d8}\u{33d8}\
         \u{fe19}\u{fe19}\u{fe30}\u{fe30}\u{fe52}\u{fe52}\u{fe68}\u{fe68}\u{ff0e}\u{ff0f}\u{ff3c}\u{ff3c}\u{1f100}\u{1f100}\
         \u{1735}\u{1735}\u{2041}\u{2041}\u{2044}\u{2044}\u{2215}\u{2216}\u{244a}\u{244a}\u{2571}\u{2572}\u{27cb}\u{27cb}\
         \u{27cd}\u{27cd}\u{29f5}\u{29f9}\u{2afb}\u{2afb}\u{2afd}\u{2afd}\u{2e4a}\u{2e4a}\u{3033}\u{3033}\u{31d3}\u{31d4}\
         \u{1d16d}\u{1d16d}\u{1f67c}\u{1f67d}",
        c,
    )
}

/// The characters that a file system may take for a character of `.git`, or of `git~1`, its short name on Windows. Each line
/// begins with that character.
///
/// All characters whose casefolded NFKC form is one of these (Python's `unicodedata`, and Unicode 16's outlined letters); also
/// those whose form is several dots (`‥…︙︰`), and the Turkish i's.
const GIT_LETTERS: &str = "gᴳᵍℊⒼⓖＧｇ🄶\u{1ccdc}\niᴵᵢⁱℐℑℹⅈⅠⅰⒾⓘＩｉ🄸\u{1ccde}ıİ\ntᵀᵗₜⓉⓣＴｔ🅃\u{1cce9}\n\
    .․﹒．‥…︙︰\n~～\n1¹₁①１🯱\u{1ccf1}\n";

/// The character of `.git` or `git~1` that a file system may take `c` for; else `c`, in lower case if it is ASCII.
pub(super) fn git_letter(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    // The mathematical alphabets: thirteen times A to Z and a to z, then five times 0 to 9.
    let number = c as u32;
    let index = match c {
        '\u{1d400}'..='\u{1d6a3}' => (number - 0x1d400) % 26,
        '\u{1d7ce}'..='\u{1d7ff}' => 26 + (number - 0x1d7ce) % 10,
        // Neither a letter nor a digit of these.
        _ => 36,
    };
    match index {
        // The seventh letter is g, and so on; the digits follow the 26 letters.
        6 => return 'g',
        8 => return 'i',
        19 => return 't',
        27 => return '1',
        _ => {}
    }
    // The first character of the current line.
    let mut letter = None;
    for variant in GIT_LETTERS.chars() {
        if variant == c {
            return letter.unwrap_or(c);
        }
        letter = if variant == '\n' { None } else { letter.or(Some(variant)) };
    }
    c
}

/// A text as a file system that ignores case may read it: in upper, then lower case (`ſ` becomes `s`, the Kelvin sign `k`),
/// without invisible characters.
pub(super) fn fold(text: &str) -> Vec<char> {
    let mut visible = String::new();
    for c in text.chars() {
        if !is_invisible(c) {
            visible.push(c);
        }
    }
    crate::platform::fold_case(&visible).chars().collect()
}

/// Formats a text for a message: quoted, shortened, invisible and direction-changing characters escaped.
pub(super) fn quote(text: &str) -> String {
    /// The characters of the text that are shown; an ellipsis stands for the rest.
    const MAX_SHOWN: usize = 60;
    let mut out = String::from("\"");
    for (index, c) in text.chars().enumerate() {
        if index == MAX_SHOWN {
            out.push('…');
            break;
        }
        if is_control(c) || is_invisible(c) {
            out.push_str(&code_point(c));
        } else {
            out.push(c);
        }
    }
    out.push('"');
    out
}

/// A character as `U+202E`.
pub(super) fn code_point(c: char) -> String {
    let mut out = owned("U+");
    write_hex(&mut out, c.into());
    out
}

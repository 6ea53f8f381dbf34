//! The rules of the path policy: one table with a check for each, in the order in which a person would name what is wrong.

use super::characters::{code_point, git_letter, is_control, is_emoji_part, is_invisible, is_look_alike, quote};
use super::normal::{Normal, is_separator};
use crate::counted::count_work;
use crate::value::text::{head, line, tail, trim_start};
use crate::value::{concat, decimal, find};

/// Why a path was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The name of the rule that refused the path, one of [`RULES`].
    pub reason: &'static str,
    /// The problem with the path, as a sentence for users and models.
    pub message: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// The longest path, in bytes of UTF-8: `PATH_MAX` of Linux.
const PATH_BYTES: usize = 4096;
/// The longest segment, in bytes of UTF-8: `NAME_MAX` nearly everywhere.
const SEGMENT_BYTES: usize = 255;

/// Stands for the offending part in the sentence of a rule.
const GAP: &str = "{}";

/// Declares each rule once: its reason, by which a policy also turns it off, and a sentence for the author of the path,
/// with [`GAP`].
macro_rules! rules {
    ($($rule:ident = $name:literal, $message:literal;)+) => {
        /// A reason for which a path is refused.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum PathRule {
            $($rule,)+
        }

        /// The names of the rules, in the order in which they are tried.
        pub const RULES: &[&str] = &[$($name,)+];

        /// The sentences, one line for each rule.
        const MESSAGES: &str = concat!($($message, "\n"),+);
    };
}

// Rules about where a path leads come first, then hidden characters, then names that only some systems refuse, then the
// host's own rules.
rules! {
    PathLength = "path-length", "The path has {} bytes; 4096 are allowed.";
    ControlCharacter = "control-character", "The path contains the control character {}.";
    LoneSurrogate = "lone-surrogate", "The path contains {}, which stands for half a character or broken text.";
    UrlScheme = "url-scheme", "The path {} is a URL; a path within the workspace is expected.";
    Absolute = "absolute", "The path {} is absolute; write it relative to the workspace.";
    Home = "home", "The path {} begins with ~, a home directory; write it relative to the workspace.";
    Empty = "empty", "The path {} names no file.";
    OutsideRoot = "outside-root", "The path {} leaves the workspace.";
    PercentEncoding = "percent-encoding",
        "The path contains {}; write paths without percent-encoding.";
    GitDirectory = "git-directory", "The segment {} is git's own directory.";
    DeviceName = "device-name", "The segment {} is a device on Windows.";
    InvisibleCharacter = "invisible-character", "The path contains the invisible character {}.";
    LookAlike = "look-alike", "The path contains {}, which is easily taken for a separator or a dot.";
    Variable = "variable", "The path contains {}, which is read as a variable.";
    ReservedCharacter = "reserved-character", "The path contains {}, which not all systems allow in names.";
    Directory = "directory", "The path {} names a directory, not a file.";
    TrailingDotOrBlank = "trailing-dot-or-blank", "The segment {} ends in a dot or a blank, which some systems drop.";
    LeadingBlank = "leading-blank", "The segment {} begins with a blank.";
    SegmentLength = "segment-length", "The segment {} has more than 255 bytes.";
    OutsideRoots = "outside-roots", "The path {} is in none of the directories that are allowed.";
    Denied = "denied", "The path {} is denied by the host.";
}

/// The first rule of the table that finds something, and the part of the path in which it does.
pub(super) struct Search<'a> {
    /// The rules that are turned off: bit `n` is rule `n` of the table, as in `Policy::off`.
    pub(super) off: u32,
    /// `None` as long as no rule finds anything.
    pub(super) finding: Option<(PathRule, &'a str)>,
}

impl<'a> Search<'a> {
    /// Records whether a rule finds something in a part of the path; an earlier rule of the table replaces a later one. Not
    /// inline, since it is called in two dozen places.
    #[inline(never)]
    pub(super) fn check(&mut self, rule: PathRule, finds: bool, part: &'a str) {
        let is_off = self.off & 1 << rule as u32 != 0;
        if finds && !is_off && self.finding.is_none_or(|(earlier, _)| rule < earlier) {
            self.finding = Some((rule, part));
        }
    }

    /// Refuses the path if a rule has found something.
    #[inline(never)]
    pub(super) fn refuse(&self) -> Result<(), Refusal> {
        let Some((rule, part)) = self.finding else { return Ok(()) };
        let index = rule as usize;
        let message = line(MESSAGES, index);
        let gap = find(message, GAP).unwrap_or_default();
        let point = code_point(part.chars().next().unwrap_or_default());
        let shown = match rule {
            PathRule::PathLength => decimal(part.len()),
            PathRule::ControlCharacter | PathRule::LoneSurrogate | PathRule::InvisibleCharacter => point,
            PathRule::LookAlike => concat(&[&quote(part), " (", &point, ")"]),
            _ => quote(part),
        };
        let message = concat(&[head(message, gap), &shown, tail(message, gap + GAP.len())]);
        Err(Refusal { reason: RULES.get(index).copied().unwrap_or_default(), message })
    }

    /// Checks the length of a path. If it is too long, nothing else need be checked: no rule comes before this one.
    pub(super) fn check_length(&mut self, path: &'a str) -> Result<(), Refusal> {
        self.check(PathRule::PathLength, path.len() > PATH_BYTES, path);
        self.refuse()
    }

    /// Applies all rules that do not depend on the host's roots and denials, except for the length of the path.
    ///
    /// `normal` has the segments of `written`, and `text` is the normalised path. The rules on how a path begins apply to both
    /// `written` and `text`, since `./~/x` is normalised to `~/x`.
    pub(super) fn check_text(&mut self, written: &'a str, normal: &Normal<'a>, text: &str) {
        for text in [written, text] {
            // A reader does not see the blanks before a path, e.g. in ` /etc`.
            if let Some(rule) = rule_of_beginning(trim_start(text)) {
                let finds = true;
                self.check(rule, finds, written);
            }
        }
        let is_blank = |segment: &&str| segment.chars().all(|c| c.is_whitespace() || is_invisible(c));
        self.check(PathRule::Empty, normal.segments.iter().all(is_blank), written);
        self.check(PathRule::OutsideRoot, normal.segments.first() == Some(&".."), written);
        self.check(PathRule::Directory, matches!(normal.written.last(), Some(&("" | "." | ".."))), written);
        for segment in &normal.written {
            count_work(segment.len());
            let (start, end) = (trim_start(segment), trim_end(segment));
            self.check(PathRule::GitDirectory, is_git(segment), segment);
            self.check(PathRule::DeviceName, is_device(segment), segment);
            self.check(PathRule::TrailingDotOrBlank, !matches!(*segment, "." | "..") && end != *segment, segment);
            self.check(PathRule::LeadingBlank, start != *segment, segment);
            self.check(PathRule::SegmentLength, segment.len() > SEGMENT_BYTES, segment);
        }
        self.check_characters(written);
    }

    /// Applies the rules about single characters, percent-encodings and variables.
    fn check_characters(&mut self, text: &'a str) {
        let mut current = '\0';
        let mut rest = text.chars();
        loop {
            let tail = rest.as_str();
            let Some(c) = rest.next() else { return };
            count_work(1);
            let previous = std::mem::replace(&mut current, c);
            // None of the rules finds anything that begins with a letter or a digit.
            if c.is_ascii_alphanumeric() {
                continue;
            }
            let after = rest.clone().next().unwrap_or_default();
            let char = head(tail, c.len_utf8());
            self.check(PathRule::ControlCharacter, is_control(c), char);
            // U+FFFD replaces a lone surrogate where a string of JavaScript becomes UTF-8.
            self.check(PathRule::LoneSurrogate, c == char::REPLACEMENT_CHARACTER, char);
            self.check(PathRule::InvisibleCharacter, is_invisible(c) && !is_emoji_part(previous, c, after), char);
            self.check(PathRule::LookAlike, is_look_alike(c), char);
            let (encoding, variable) = (encoding_length(tail), variable_length(tail));
            self.check(PathRule::PercentEncoding, encoding > 0, head(tail, encoding));
            self.check(PathRule::Variable, variable > 0, head(tail, variable));
            self.check(PathRule::ReservedCharacter, matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*'), char);
        }
    }
}

/// The rule that the beginning of a text breaks; `None` if it begins like a path within the workspace.
fn rule_of_beginning(text: &str) -> Option<PathRule> {
    let mut chars = text.chars();
    let first = chars.next()?;
    // Windows lets any letter be a drive, and beyond ASCII nearly all is letters.
    let may_be_drive = first.is_ascii_alphabetic() || !first.is_ascii();
    if is_url(text) {
        Some(PathRule::UrlScheme)
    } else if text.bytes().next().is_some_and(is_separator) || (may_be_drive && chars.next() == Some(':')) {
        Some(PathRule::Absolute)
    } else if first == '~' {
        Some(PathRule::Home)
    } else {
        None
    }
}

/// Schemes that make a URL without `//`.
const SCHEMES: &str = "about blob chrome content data file filesystem ftp ftps git http https intent jar javascript mailto npm \
                       resource sftp sms ssh tel urn vbscript view-source ws wss";

/// Whether a word is one of a list, without regard to case.
fn is_in(list: &str, word: &str) -> bool {
    list.as_bytes().split(|byte| *byte == b' ').any(|entry| entry.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether a text begins with a scheme and `://`, or with one of [`SCHEMES`] and a colon.
fn is_url(text: &str) -> bool {
    let Some(end) = text.bytes().position(|byte| byte == b':') else { return false };
    let (scheme, rest) = (head(text, end), tail(text, end + 1));
    let begins_scheme = |byte: u8| byte.is_ascii_alphabetic();
    let is_in_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    // One letter is a drive.
    end > 1
        && scheme.bytes().next().is_some_and(begins_scheme)
        && scheme.bytes().all(is_in_scheme)
        && (rest.starts_with("//") || is_in(SCHEMES, scheme))
}

/// Percent-encodings of `.`, `/`, `\`, `%` and DEL; `%c0` and `%c1`, which begin only overlong forms; `%u00` and `%uff`,
/// which some servers decode to the same characters.
const ENCODED: &str = "%2e %2f %5c %25 %7f %c0 %c1 %u00 %uff";

/// The length of an encoding at the beginning of a text that is one of [`ENCODED`], or of a control character (`%00` to `%1f`);
/// else 0.
fn encoding_length(text: &str) -> usize {
    match text.as_bytes() {
        [b'%', b'0' | b'1', digit, ..] if digit.is_ascii_hexdigit() => 3,
        // The entries of the list have three or four bytes.
        [b'%', ..] => [3, 4].into_iter().find(|length| is_in(ENCODED, head(text, *length))).unwrap_or_default(),
        _ => 0,
    }
}

/// Whether a segment is `.git` to some file system:
///
/// - without regard to case, e.g. `.GIT` (macOS, Windows);
/// - with invisible characters in it, e.g. U+200C (HFS+);
/// - in letters that normalise to it, e.g. the full-width `.ｇｉｔ` (APFS);
/// - with dots and blanks after it, or the name of a stream, e.g. `.git. ` and `.git::$INDEX_ALLOCATION` (NTFS);
/// - as its short name, e.g. `git~1` (FAT, NTFS).
fn is_git(segment: &str) -> bool {
    let mut name = String::new();
    for c in segment.chars() {
        let c = git_letter(c);
        if c == ':' {
            break;
        }
        if !is_invisible(c) {
            name.push(c);
        }
    }
    let name = trim_end(trim_start(&name));
    // Short names end with any number.
    match name.strip_prefix("git~") {
        Some(number) => !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()),
        None => name == ".git",
    }
}

/// A text without the dots and blanks at its end.
fn trim_end(text: &str) -> &str {
    let mut rest = text;
    while let Some(c) = rest.chars().next_back()
        && (c == '.' || c.is_whitespace())
    {
        rest = head(rest, rest.len() - c.len_utf8());
    }
    rest
}

/// The names of devices on Windows, besides `com` and `lpt` with a digit after them.
const DEVICES: &str = "con prn aux nul clock$ conin$ conout$";

/// Whether a segment names a device on Windows, which compares the text before the first dot or colon, without trailing blanks.
fn is_device(segment: &str) -> bool {
    let end = segment.bytes().position(|byte| matches!(byte, b'.' | b':')).unwrap_or(segment.len());
    let name = trim_end(head(segment, end));
    // Whether a digit follows `com` or `lpt`; to Windows, the superscript digits are equal to the plain ones.
    let has_number =
        || matches!(tail(name, 3), "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³");
    // The first letters of all devices. Most names begin with another one, and need no comparison.
    let begins_device = |first: u8| matches!(first.to_ascii_lowercase(), b'a' | b'c' | b'l' | b'n' | b'p');
    name.bytes().next().is_some_and(begins_device)
        && (is_in(DEVICES, name) || (is_in("com lpt", head(name, 3)) && has_number()))
}

/// The length of a shell expansion at the beginning of a text, or 0. `price$.txt`, `$lib` and `100%` are plain names.
fn variable_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut end = 1;
    while matches!(bytes.first(), Some(b'$' | b'%')) && bytes.get(end).is_some_and(is_name) {
        end += 1;
    }
    count_work(end);
    match bytes {
        // `${NAME}`, `$NAME` and, on Windows, `%NAME%`.
        [b'$', b'{', ..] => 2,
        [b'$', first, ..] if first.is_ascii_uppercase() => end,
        [b'%', first, ..] if is_name(first) && !first.is_ascii_digit() && bytes.get(end) == Some(&b'%') => end + 1,
        _ => 0,
    }
}

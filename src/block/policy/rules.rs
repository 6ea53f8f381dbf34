//! The rules: one table, in the order in which a person would name what is wrong.

use super::Policy;
use super::characters::{code_point, fold, git_letter, invisible, is_control, is_invisible, is_look_alike, quote};
use super::normal::{Normal, SEPARATORS, segments};

/// The longest path, in bytes of UTF-8: `PATH_MAX` of Linux.
const PATH_BYTES: usize = 4096;
/// The longest segment, in bytes of UTF-8: `NAME_MAX` nearly everywhere.
const SEGMENT_BYTES: usize = 255;

/// A reason for which a path is refused.
pub(super) struct Rule {
    /// The reason; also the name by which a policy turns it off.
    pub(super) name: &'static str,
    /// What it refuses.
    pub(super) refuses: &'static str,
    /// The sentence for whoever wrote the path; `{}` is what was found.
    pub(super) message: &'static str,
    /// What is at fault, if something is.
    pub(super) finds: fn(&Subject<'_>, &Policy) -> Option<String>,
}

/// A path as it was written and as it would be handed on.
pub(super) struct Subject<'a> {
    pub(super) written: &'a str,
    pub(super) normal: &'a Normal<'a>,
    /// The text of `normal`. Rules on how a path begins hold for both: `./~/x` is `~/x`.
    pub(super) text: &'a str,
}

/// All rules. What decides where a path leads comes first, then what hides in it, then what only some systems refuse,
/// then what the host asked for.
pub(super) const RULES: [Rule; 21] = [
    Rule {
        name: "path-length",
        refuses: "paths over 4096 bytes",
        message: "The path has {} bytes; 4096 are allowed.",
        finds: |path, _| (path.written.len() > PATH_BYTES).then(|| path.written.len().to_string()),
    },
    Rule {
        name: "control-character",
        refuses: "control characters, NUL, line separators and the byte order mark",
        message: "The path contains the control character {}.",
        finds: |path, _| path.written.chars().find(|c| is_control(*c)).map(code_point),
    },
    Rule {
        name: "lone-surrogate",
        refuses: "lone surrogates, which arrive as U+FFFD",
        message: "The path contains {}, which stands for half a character or broken text.",
        finds: |path, _| path.written.chars().find(|c| *c == char::REPLACEMENT_CHARACTER).map(code_point),
    },
    Rule {
        name: "url-scheme",
        refuses: "URLs: a known scheme, or any before //",
        message: "The path {} is a URL; a path within the workspace is expected.",
        finds: |path, _| beginning(path, is_url),
    },
    Rule {
        name: "absolute",
        refuses: "absolute paths: a leading / or \\, a drive, a server",
        message: "The path {} is absolute; write it relative to the workspace.",
        finds: |path, _| beginning(path, is_absolute),
    },
    Rule {
        name: "home",
        refuses: "a leading ~",
        message: "The path {} begins with ~, a home directory; write it relative to the workspace.",
        finds: |path, _| beginning(path, |text| text.starts_with('~')),
    },
    Rule {
        name: "empty",
        refuses: "paths that are empty, blank, or the workspace itself",
        message: "The path {} names no file.",
        finds: |path, _| {
            let blank = |own: &&str| own.chars().all(|c| c.is_whitespace() || is_invisible(c));
            path.normal.segments.iter().all(blank).then(|| quote(path.written))
        },
    },
    Rule {
        name: "outside-root",
        refuses: "\"..\" that leaves the workspace",
        message: "The path {} leaves the workspace.",
        finds: |path, _| path.normal.leaves().then(|| quote(path.written)),
    },
    Rule {
        name: "percent-encoding",
        refuses: "percent-encoded separators, dots, percent signs and control characters, overlong and %u forms too",
        message: "The path contains {}, which hides another character; write paths without percent-encoding.",
        finds: |path, _| encoded(path.written).map(quote),
    },
    Rule {
        name: "git-directory",
        refuses: "the directory .git, however it is spelled",
        message: "The segment {} is git's own directory.",
        finds: |path, _| segment(path, is_git),
    },
    Rule {
        name: "device-name",
        refuses: "Windows device names, with or without an extension",
        message: "The segment {} is a device on Windows.",
        finds: |path, _| segment(path, is_device),
    },
    Rule {
        name: "invisible-character",
        refuses: "zero-width, bidi and other invisible characters outside emoji",
        message: "The path contains the invisible character {}.",
        finds: |path, _| invisible(path.written).map(code_point),
    },
    Rule {
        name: "look-alike",
        refuses: "characters that look like or normalise to a separator or a dot",
        message: "The path contains {}, which is easily taken for a separator or a dot.",
        finds: |path, _| {
            path.written.chars().find(|c| is_look_alike(*c)).map(|c| format!("\"{c}\" ({})", code_point(c)))
        },
    },
    Rule {
        name: "variable",
        refuses: "$UPPER, ${ and %NAME%",
        message: "The path contains {}, which is read as a variable.",
        finds: |path, _| variable(path.written).map(quote),
    },
    Rule {
        name: "reserved-character",
        refuses: "< > : \" | ? *",
        message: "The path contains {}, which not all systems allow in names.",
        finds: |path, _| path.written.matches(['<', '>', ':', '"', '|', '?', '*']).next().map(quote),
    },
    Rule {
        name: "directory",
        refuses: "a separator, . or .. at the end",
        message: "The path {} names a directory, not a file.",
        finds: |path, _| {
            let last = segments(path.written).next_back()?;
            matches!(last, "" | "." | "..").then(|| quote(path.written))
        },
    },
    Rule {
        name: "trailing-dot-or-blank",
        refuses: "segments that end in a dot or a blank",
        message: "The segment {} ends in a dot or a blank, which some systems drop.",
        finds: |path, _| {
            let ends = |c: char| c == '.' || c.is_whitespace();
            segments(path.written).find(|own| !matches!(*own, "." | "..") && own.ends_with(ends)).map(quote)
        },
    },
    Rule {
        name: "leading-blank",
        refuses: "segments that begin with a blank",
        message: "The segment {} begins with a blank.",
        finds: |path, _| segment(path, |own| own.starts_with(char::is_whitespace)),
    },
    Rule {
        name: "segment-length",
        refuses: "segments over 255 bytes",
        message: "The segment {} has more than 255 bytes.",
        finds: |path, _| segment(path, |own| own.len() > SEGMENT_BYTES),
    },
    Rule {
        name: "outside-roots",
        refuses: "paths outside the policy's roots",
        message: "The path {} is in none of the directories that are allowed.",
        finds: |path, policy| (!policy.is_in_roots(path.normal)).then(|| quote(path.text)),
    },
    Rule {
        name: "denied",
        refuses: "paths that the policy denies",
        message: "The path {} is denied by the host.",
        finds: |path, policy| {
            let denied = !policy.denies.is_empty() && {
                let folded: Vec<Vec<char>> = path.normal.segments.iter().map(|own| fold(own)).collect();
                policy.denies.iter().any(|glob| glob.matches(&folded))
            };
            denied.then(|| quote(path.text))
        },
    },
];

/// Blanks before it do not change what a person sees in it.
fn beginning(path: &Subject<'_>, is_bad: fn(&str) -> bool) -> Option<String> {
    (is_bad(path.written.trim_start()) || is_bad(path.text.trim_start())).then(|| quote(path.written))
}

fn segment(path: &Subject<'_>, is_bad: fn(&str) -> bool) -> Option<String> {
    segments(path.written).find(|own| is_bad(own)).map(quote)
}

/// Schemes that make a URL without `//`.
const SCHEMES: &str = "about blob chrome content data file filesystem ftp ftps git http https intent jar javascript \
    mailto npm resource sftp sms ssh tel urn vbscript view-source ws wss";

fn is_url(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut chars = scheme.chars();
    let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic());
    // One letter is a drive.
    let is_scheme = first && scheme.len() > 1 && chars.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    is_scheme && (rest.starts_with("//") || SCHEMES.split(' ').any(|known| known.eq_ignore_ascii_case(scheme)))
}

fn is_absolute(text: &str) -> bool {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if SEPARATORS.contains(&first) => true,
        // Windows lets any letter be a drive, and beyond ASCII nearly all is letters.
        Some(first) => (first.is_ascii_alphabetic() || !first.is_ascii()) && chars.next() == Some(':'),
        None => false,
    }
}

/// What percent-encoding hides: `.`, `/`, `\`, `%`, DEL; `%c0` and `%c1`, which begin overlong forms only; `%u00` and
/// `%uff`, by which some servers write the same characters.
const ENCODED: [&str; 9] = ["%2e", "%2f", "%5c", "%25", "%7f", "%c0", "%c1", "%u00", "%uff"];

fn encoded(text: &str) -> Option<&str> {
    text.match_indices('%').find_map(|(place, _)| {
        let rest = text.get(place..).unwrap_or_default();
        let known =
            || ENCODED.iter().find_map(|known| rest.get(..known.len()).filter(|own| own.eq_ignore_ascii_case(known)));
        let is_control = matches!(rest.as_bytes(), [_, b'0' | b'1', digit, ..] if digit.is_ascii_hexdigit());
        if is_control { rest.get(..3) } else { known() }
    })
}

/// `.git` as some file system reads it: without case (all), without what is not seen (HFS+), normalised (APFS), with dots,
/// blanks and a stream's name after it (NTFS), by its short name (FAT, NTFS).
fn is_git(segment: &str) -> bool {
    let folded: String =
        segment.chars().filter(|c| !is_invisible(*c)).map(|c| git_letter(c).to_ascii_lowercase()).collect();
    let name = folded.split(':').next().unwrap_or_default();
    let name = name.trim_start().trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    match name.strip_prefix("git~") {
        Some(number) => !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()),
        None => name == ".git",
    }
}

const DEVICES: [&str; 7] = ["con", "prn", "aux", "nul", "clock$", "conin$", "conout$"];

/// Windows looks at what stands before the first dot or colon, less the blanks at its end.
fn is_device(segment: &str) -> bool {
    let name = segment.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let port = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    let mut number = port.unwrap_or_default().chars();
    let is_port = matches!((number.next(), number.next()), (Some('0'..='9' | '¹' | '²' | '³'), None));
    is_port || DEVICES.contains(&name.as_str())
}

/// The first thing that a shell would replace. `price$.txt`, `$lib` and `100%` are names.
fn variable(text: &str) -> Option<&str> {
    text.match_indices(['$', '%']).find_map(|(place, sign)| {
        let rest = text.get(place + 1..).unwrap_or_default();
        let name = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let first = rest.chars().next().unwrap_or_default();
        let length = match sign {
            "$" if first == '{' => Some(1),
            "$" if first.is_ascii_uppercase() => Some(name),
            "%" if (first.is_ascii_alphabetic() || first == '_')
                && rest.get(name..).is_some_and(|end| end.starts_with('%')) =>
            {
                Some(name + 1)
            }
            _ => None,
        };
        length.and_then(|length| text.get(place..=place + length))
    })
}

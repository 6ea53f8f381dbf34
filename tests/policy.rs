//! The path policy: the fixture table, and properties of every text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/policy_table.rs"]
mod policy_table;

use genui_patch::block::policy::{CheckedPath, Policy, RULES, check_path};
use genui_patch::counted::steps as steps_so_far;
use policy_table::{compare, fixtures, path_row, policy};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn paths() {
    let rows = fixtures(include_str!("fixtures/paths.json"));
    let reasons: Vec<&str> = rows.iter().filter_map(|row| row["reason"].as_str()).collect();
    for name in RULES.iter().filter(|name| **name != "path-length") {
        assert!(reasons.contains(name), "no row for {name}");
    }
    compare(rows, |row| path_row(row["path"].as_str().unwrap(), row.get("policy")));
}

#[test]
fn a_path_may_have_4096_bytes() {
    let policy = Policy::default();
    let path = "abc/".repeat(1023) + "abcd";
    assert_eq!(path.len(), 4096);
    assert_eq!(check_path(&path, &policy).unwrap(), CheckedPath { path: path.clone(), warnings: vec![] });
    assert_eq!(check_path(&(path + "e"), &policy).unwrap_err().reason, "path-length");
    assert_eq!(check_path(&"é".repeat(2049), &policy).unwrap_err().reason, "path-length");
}

/// All characters whose casefolded NFKC form is the letter, from Python's `unicodedata`.
const GIT_LETTERS: [(&str, &str); 4] = [
    (".", "․﹒．"),
    ("g", "ᴳᵍℊⒼⓖＧｇ𝐆𝐠𝐺𝑔𝑮𝒈𝒢𝓖𝓰𝔊𝔤𝔾𝕘𝕲𝖌𝖦𝗀𝗚𝗴𝘎𝘨𝙂𝙜𝙶𝚐🄶"),
    ("i", "ᴵᵢⁱℐℑℹⅈⅠⅰⒾⓘＩｉ𝐈𝐢𝐼𝑖𝑰𝒊𝒾𝓘𝓲𝔦𝕀𝕚𝕴𝖎𝖨𝗂𝗜𝗶𝘐𝘪𝙄𝙞𝙸𝚒🄸"),
    ("t", "ᵀᵗₜⓉⓣＴｔ𝐓𝐭𝑇𝑡𝑻𝒕𝒯𝓉𝓣𝓽𝔗𝔱𝕋𝕥𝕿𝖙𝖳𝗍𝗧𝘁𝘛𝘵𝙏𝙩𝚃𝚝🅃"),
];

#[test]
fn git_is_found_in_every_alphabet() {
    let policy = Policy::default();
    for (plain, letters) in GIT_LETTERS {
        for letter in letters.chars() {
            let path = format!("a/{}/x", ".git".replace(plain, &letter.to_string()));
            assert_eq!(check_path(&path, &policy).unwrap_err().reason, "git-directory", "{path}");
        }
    }
    for digit in "¹₁①１𝟏𝟙𝟣𝟭𝟷🯱".chars() {
        assert_eq!(check_path(&format!("git~{digit}"), &policy).unwrap_err().reason, "git-directory");
    }
}

#[test]
fn a_path_that_normalises_to_a_separator_or_a_dot_is_refused() {
    let found = "․‥…℀℁℅℆⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛㏂㏇㏘︙︰﹒﹨．／＼🄀";
    for c in found.chars() {
        assert_eq!(check_path(&format!("a{c}b"), &Policy::default()).unwrap_err().reason, "look-alike", "{c}");
    }
}

#[test]
fn a_bad_policy_is_named() {
    let names = RULES.join(", ");
    for (option, expected) in [
        (json!([]), "policy must be an object, not an array.".to_owned()),
        (json!("strict"), "policy must be an object, not a string.".to_owned()),
        (json!({"root": ["a"]}), "policy has no option \"root\"; the options are roots, denies, off.".to_owned()),
        (json!({"roots": "src"}), "policy.roots must be a list of strings, not a string.".to_owned()),
        (json!({"denies": ["a", 1]}), "policy.denies[1] must be a string, not a number.".to_owned()),
        (json!({"off": [null]}), "policy.off[0] must be a string, not null.".to_owned()),
        (json!({"roots": null}), "policy.roots must be a list of strings, not null.".to_owned()),
        (json!({"off": {}}), "policy.off must be a list of strings, not an object.".to_owned()),
        (json!({"off": ["dots"]}), format!("policy.off: there is no rule \"dots\"; the rules are {names}.")),
        (json!({"roots": [""]}), "policy.roots[0] (\"\") is blank; \".\" is the whole workspace.".to_owned()),
        (
            json!({"roots": ["src", "src/**"]}),
            "policy.roots[1] (\"src/**\") is a glob; roots are directories.".to_owned(),
        ),
        (json!({"denies": [""]}), "policy.denies[0] (\"\") names no file.".to_owned()),
        (json!({"denies": ["*.{pem,key}"]}), notation("*.{pem,key}")),
        (json!({"denies": ["!a"]}), notation("!a")),
    ] {
        assert_eq!(policy(&option).err(), Some(expected), "{option}");
    }
    for option in [json!(null), json!({}), json!({"off": []}), json!({"denies": ["{a}", "a[b]"]})] {
        assert_eq!(policy(&option).err(), None, "{option}");
    }
}

fn notation(glob: &str) -> String {
    format!("policy.denies[0] (\"{glob}\") uses a notation that globs do not have here: they know *, ** and ?.")
}

#[test]
fn messages_show_what_was_found_and_hide_nothing() {
    let policy = Policy::default();
    for (path, expected) in [
        ("a\u{202e}b", "The path contains the invisible character U+202E."),
        ("a/b\u{0}", "The path contains the control character U+0000."),
        ("../a", "The path \"../a\" leaves the workspace."),
        ("src/AUX.h", "The segment \"AUX.h\" is a device on Windows."),
        ("a/$HOME/b", "The path contains \"$HOME\", which is read as a variable."),
        ("a%APPDATA%b", "The path contains \"%APPDATA%\", which is read as a variable."),
        ("a／b", "The path contains \"／\" (U+FF0F), which is easily taken for a separator or a dot."),
        ("/\u{202e}x", "The path \"/U+202Ex\" is absolute; write it relative to the workspace."),
    ] {
        assert_eq!(check_path(path, &policy).unwrap_err().message, expected);
    }
}

/// The number of bytes, characters and pairs that are examined for a path.
fn steps(path: &str, policy: &Policy) -> usize {
    let before = steps_so_far();
    let _ = check_path(path, policy);
    steps_so_far() - before
}

#[test]
fn the_work_grows_as_the_path_does() {
    let any_length = policy(&json!({ "off": ["path-length"] })).unwrap();
    let lenient = policy(&json!({ "off": RULES })).unwrap();
    for piece in ["../", "a/../", "%", "%a", "$", "$A", "a:", "//", "\\", "\u{200d}", "👩\u{200d}", " ", ".", "&", "~"]
    {
        let path = piece.repeat(200_000);
        // A path over the length limit is refused without being read.
        assert!(steps(&path, &Policy::default()) <= 4, "{piece:?}");
        for policy in [&any_length, &lenient] {
            let taken = steps(&path, policy);
            assert!(taken <= 8 * path.len(), "{piece:?}: {taken} steps");
            assert!(
                cfg!(not(debug_assertions)) || taken >= path.chars().count(),
                "{piece:?}: {taken} steps are not all"
            );
        }
    }
}

#[test]
fn a_glob_is_compared_no_more_often_than_its_length_says() {
    let globs = ["*a".repeat(40) + "c", "**/a/".repeat(20) + "c"];
    let most = 2 * globs.iter().map(String::len).sum::<usize>();
    let policy = policy(&json!({ "off": ["path-length", "segment-length"], "denies": globs })).unwrap();
    for piece in ["a", "a/"] {
        let path = piece.repeat(10_000) + "b";
        assert!(check_path(&path, &policy).is_ok());
        let taken = steps(&path, &policy);
        assert!(taken <= most * path.len(), "{piece:?}: {taken} steps");
    }
}

/// Texts similar to paths: the characters that the rules look for, with plain pieces between them.
fn nearly_path() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec!["a", "b.ts", "src", "docs", "é", "文", "1", "-"]),
        6 => prop::sample::select(vec!["/", "/", "\\", "//", "./", "../", "..", "."]),
        3 => prop::sample::select(vec![
            " ", "~", ":", "C:", "%2e", "%", "$", "$A", "${", "con", "nul.", ".git", "git~1", "\u{200d}", "\u{fe0f}", "👩", "❤",
            "…", "\u{202e}", "\0", "\n", "http:", "*", "?", "\u{fffd}", "\u{a0}",
        ]),
        1 => prop::char::any().prop_map(|c| &*String::from(c).leak()),
    ];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

fn some_rules() -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(RULES.to_vec(), 0..=RULES.len())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn what_is_taken_is_a_plain_relative_path(path in prop_oneof![nearly_path(), ".*"]) {
        if let Ok(CheckedPath { path, .. }) = check_path(&path, &Policy::default()) {
            prop_assert!(!path.starts_with(['/', '~']) && !path.contains('\\') && path.len() <= 4096);
            prop_assert!(!path.chars().any(char::is_control));
            for segment in path.split('/') {
                prop_assert!(!matches!(segment, "" | "." | "..") && !segment.eq_ignore_ascii_case(".git"));
                prop_assert_eq!(segment.trim(), segment);
                prop_assert!(!segment.ends_with('.') && segment.len() <= 255);
            }
        }
    }

    #[test]
    fn the_result_is_a_fixed_point(path in prop_oneof![nearly_path(), ".*"], off in some_rules()) {
        for option in [json!({}), json!({ "off": off }), json!({"off": off, "roots": ["src", "."], "denies": ["docs", "b*"]})] {
            let policy = policy(&option).unwrap();
            if let Ok(CheckedPath { path, .. }) = check_path(&path, &policy) {
                prop_assert_eq!(check_path(&path, &policy), Ok(CheckedPath { path, warnings: vec![] }));
            }
        }
    }

    #[test]
    fn with_every_rule_off_every_text_is_taken(path in prop_oneof![nearly_path(), ".*"]) {
        let off = RULES;
        let lenient = policy(&json!({ "off": off })).unwrap();
        prop_assert!(check_path(&path, &lenient).is_ok());
    }

    #[test]
    fn globs_match_as_the_definition_says(glob in "[ab*?/]{1,7}", path in "[ab/]{1,9}") {
        let (Ok(policy), Ok(checked)) = (policy(&json!({ "denies": [glob] })), check_path(&path, &Policy::default())) else {
            return Ok(());
        };
        prop_assert_eq!(check_path(&path, &policy).is_err(), denies(&glob, &checked.path));
    }
}

/// The meaning of a glob, implemented without regard to running time.
fn denies(glob: &str, path: &str) -> bool {
    let mut pattern: Vec<&str> = glob.split('/').filter(|part| !part.is_empty()).collect();
    if !glob.trim_end_matches('/').contains('/') {
        pattern.insert(0, "**");
    }
    if !pattern.last().is_some_and(|last| last.contains(['*', '?'])) {
        pattern.push("**");
    }
    segments_match(&pattern, &path.split('/').collect::<Vec<_>>())
}

fn segments_match(pattern: &[&str], path: &[&str]) -> bool {
    match pattern {
        [] => path.is_empty(),
        ["**", rest @ ..] => (0..=path.len()).any(|from| segments_match(rest, &path[from..])),
        [part, rest @ ..] => path
            .split_first()
            .is_some_and(|(own, below)| text_matches(part.as_bytes(), own.as_bytes()) && segments_match(rest, below)),
    }
}

fn text_matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|from| text_matches(rest, &text[from..])),
        [part, rest @ ..] => {
            text.split_first().is_some_and(|(own, below)| (*part == b'?' || part == own) && text_matches(rest, below))
        }
    }
}

//! What differs between texts, and edits of them: the fixture table, and what holds for all texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/text_table.rs"]
mod text_table;

use std::time::{Duration, Instant};

use genui_patch::diff::{Hunk, LineKind, TextOptions, apply_hunks, merge, text_diff};
use genui_patch::files::{EditFailure, edit, nearest};
use proptest::prelude::*;

#[test]
fn texts() {
    let failures = text_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Texts of a few different lines, so that many are alike.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "", "  d", "é ☃", "one two  three", "one 2 three", "x.y(z);"]),
        1 => Just("😀 a"),
    ];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    let lines = prop::collection::vec((line, end).prop_map(|(line, end)| format!("{line}{end}")), 0..14);
    (lines, prop::sample::select(vec!["", "", "a", "last"])).prop_map(|(lines, rest)| lines.concat() + rest)
}

fn options() -> impl Strategy<Value = TextOptions> {
    (0..4_usize, any::<bool>()).prop_map(|(context, words)| TextOptions { context, words })
}

/// One side of the hunks, put into the text of the other side's lines.
fn made(text: &str, hunks: &[Hunk<'_>], chosen: impl Fn(usize) -> bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::new();
    let mut from = 0;
    for (index, hunk) in hunks.iter().enumerate() {
        out.extend(lines[from..hunk.old.start].iter().copied());
        let left = if chosen(index) { LineKind::Removed } else { LineKind::Added };
        for line in hunk.lines.iter().filter(|line| line.kind != left) {
            out.push_str(line.text);
            out.push_str(line.end);
        }
        from = hunk.old.end;
    }
    out.extend(lines[from..].iter().copied());
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn hunks_lead_from_one_text_to_the_other(before in text(), after in text(), options in options()) {
        let hunks = text_diff(&before, &after, options);
        prop_assert_eq!(made(&before, &hunks, |_| true), after.clone());
        prop_assert_eq!(made(&before, &hunks, |_| false), before.clone());
        prop_assert_eq!(hunks.is_empty(), before == after);
        for hunk in &hunks {
            let count = |other| hunk.lines.iter().filter(|line| line.kind != other).count();
            prop_assert_eq!(hunk.old.len(), count(LineKind::Added));
            prop_assert_eq!(hunk.new.len(), count(LineKind::Removed));
            for line in &hunk.lines {
                prop_assert!(!line.text.ends_with('\n') && ["\n", "\r\n", ""].contains(&line.end));
                let units: Vec<u16> = line.text.encode_utf16().collect();
                let mut last = 0;
                for (place, [from, to]) in line.words.iter().flatten().enumerate() {
                    prop_assert!(from < to && *to <= units.len() && (place == 0 || last < *from));
                    prop_assert!(String::from_utf16(&units[*from..*to]).is_ok());
                    last = *to;
                }
                prop_assert!(line.words.is_none() || (options.words && line.kind != LineKind::Same));
            }
        }
    }

    #[test]
    fn what_is_not_marked_is_in_both_texts(before in text(), after in text()) {
        for hunk in text_diff(&before, &after, TextOptions { context: 0, words: true }) {
            let rest = |kind| -> Option<String> {
                let lines = hunk.lines.iter().filter(|line| line.kind == kind);
                let mut rest = String::new();
                for line in lines {
                    let units: Vec<u16> = line.text.encode_utf16().collect();
                    let mut from = 0;
                    for [start, end] in line.words.as_ref()? {
                        rest.push_str(&String::from_utf16_lossy(&units[from..*start]));
                        from = *end;
                    }
                    rest.push_str(&String::from_utf16_lossy(&units[from..]));
                }
                rest.retain(|c| c != ' ');
                Some(rest)
            };
            if let (Some(gone), Some(come)) = (rest(LineKind::Removed), rest(LineKind::Added)) {
                prop_assert_eq!(gone, come);
            }
        }
    }

    #[test]
    fn chosen_hunks_are_made_and_no_others(
        before in text(), after in text(), options in options(), chosen in prop::collection::vec(any::<bool>(), 14),
    ) {
        let hunks = text_diff(&before, &after, options);
        let indexes: Vec<usize> = (0..hunks.len()).filter(|index| chosen[*index]).collect();
        let part = apply_hunks(&before, &after, options, &indexes);
        prop_assert_eq!(&part, &made(&before, &hunks, |index| chosen[index]));
        prop_assert_eq!(apply_hunks(&before, &after, options, &[]), before.clone());
        let all: Vec<usize> = (0..hunks.len()).collect();
        prop_assert_eq!(apply_hunks(&before, &after, options, &all), after);
    }

    #[test]
    fn merging_is_even_handed(base in text(), one in text(), other in text()) {
        prop_assert_eq!(merge(&base, &one, &other), merge(&base, &other, &one));
        prop_assert_eq!(merge(&base, &one, &base), Some(one.clone()));
        prop_assert_eq!(merge(&base, &one, &one), Some(one));
    }

    #[test]
    fn changes_far_apart_merge(base in text(), one in text(), other in text()) {
        let wall = "=1=\n=2=\n=3=\n";
        let (one, other) = (one + "\n", other + "\n");
        let base = base + "\n";
        let whole = |head: &str, tail: &str| format!("{head}{wall}{tail}");
        let merged = merge(&whole(&base, &base), &whole(&one, &base), &whole(&base, &other));
        prop_assert_eq!(merged, Some(whole(&one, &other)));
    }

    #[test]
    fn an_edit_replaces_the_only_place(
        head in text(), piece in "[a-c \n]{1,6}", tail in text(), new in "[a-z$&\\\\\n]{0,6}",
    ) {
        let text = format!("{head}{piece}{tail}").replace('\r', "");
        let count = (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(&piece)).count();
        match edit(&text, &piece, &new) {
            Ok(made) => {
                prop_assert_eq!(count, 1);
                prop_assert_eq!(&made, &text.replacen(&piece, &new, 1));
                // The same file with the other line ends is edited alike, and keeps them.
                let windows = text.replace('\n', "\r\n");
                if text.contains('\n') {
                    prop_assert_eq!(edit(&windows, &piece, &new), Ok(made.replace('\n', "\r\n")));
                }
            }
            Err(EditFailure::Several(found, _)) => prop_assert_eq!(found, count),
            Err(EditFailure::NotFound(_)) => prop_assert_eq!(count, 0),
        }
    }

    #[test]
    fn the_nearest_text_is_in_the_text(text in text(), piece in text()) {
        if let Some(found) = nearest(&text, &piece) {
            let line = text.lines().nth(found.line - 1).unwrap();
            prop_assert!(text.contains(found.text) && found.text.starts_with(line));
        }
    }
}

#[test]
fn hostile_texts_take_no_time() {
    let mut state = 1_u64;
    let mut next = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut lines = |most: u64, count: usize| -> String { (0..count).map(|_| format!("{}\n", next(most))).collect() };
    let letters = (lines(2, 250_000), lines(2, 250_000));
    let different = (lines(u64::MAX >> 33, 120_000), lines(u64::MAX >> 33, 120_000));
    let many = (lines(1000, 120_000), lines(1000, 120_000));
    let giant = (many.0.replace('\n', " "), many.1.replace('\n', " "));
    let dots = (".,".repeat(250_000), ",,.".repeat(170_000));
    let equal = ("a\n".repeat(500_000), "a\n".repeat(500_001));
    for (name, (before, after)) in [
        ("letters", letters),
        ("different", different),
        ("many", many),
        ("giant", giant),
        ("dots", dots),
        ("equal", equal),
    ] {
        let begun = Instant::now();
        let options = TextOptions::default();
        let hunks = text_diff(&before, &after, options);
        assert_eq!(made(&before, &hunks, |_| true), after);
        assert!(begun.elapsed() < Duration::from_secs(10), "{name} {:?}", begun.elapsed());
        println!("{name} {:?}, {} hunks", begun.elapsed(), hunks.len());
    }
    let begun = Instant::now();
    let text = "a".repeat(1 << 20);
    assert_eq!(edit(&text, &"a".repeat(1 << 19), ""), Err(EditFailure::Several((1 << 19) + 1, vec![1; 10])));
    assert!(matches!(edit(&text, &("a".repeat(1 << 19) + "b"), ""), Err(EditFailure::NotFound(_))));
    assert!(nearest(&"a b\r\n".repeat(1 << 18), &"a c\n".repeat(1 << 18)).is_some());
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
}

//! Edits of texts: the fixture table, and properties of all texts.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/text_table.rs"]
mod text_table;

use genui_patch::counted::steps;
use genui_patch::files::{EditFailure, EditFixKind, Review, edit, nearest};
use proptest::prelude::*;

#[test]
fn texts() {
    let failures = text_table::failures();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Texts of a few different lines, so that many lines are equal.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "", "  d", "é ☃", "one two  three", "one 2 three", "x.y(z);"]),
        1 => Just("😀 a"),
    ];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    let lines = prop::collection::vec((line, end).prop_map(|(line, end)| format!("{line}{end}")), 0..14);
    (lines, prop::sample::select(vec!["", "", "a", "last"])).prop_map(|(lines, rest)| lines.concat() + rest)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn an_edit_replaces_the_only_place(
        head in text(), piece in "[a-c \n]{1,6}", tail in text(), new in "[a-z$&\\\\\n]{0,6}",
    ) {
        let text = format!("{head}{piece}{tail}").replace('\r', "");
        let count = (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(&piece)).count();
        match edit(&text, &piece, &new, Review::None) {
            Ok(made) => {
                prop_assert_eq!((count, made.fixes), (1, vec![]));
                prop_assert_eq!(&made.text, &text.replacen(&piece, &new, 1));
                // The same edit on the file with the other line ends keeps them.
                let windows = text.replace('\n', "\r\n");
                if text.contains('\n') {
                    let edited = edit(&windows, &piece, &new, Review::ByUser).map(|edited| edited.text);
                    prop_assert_eq!(edited, Ok(made.text.replace('\n', "\r\n")));
                }
            }
            Err(EditFailure::Several { count: found, .. }) => prop_assert_eq!(found, count),
            Err(EditFailure::NotFound { .. }) => prop_assert_eq!(count, 0),
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

/// A reference implementation: the text without the differences that edits fix.
fn plain(text: &str) -> String {
    let mut out = text.replace("\r\n", "\n").replace(['\r'], "\n");
    for (from, to) in [("\u{a0}", " "), ("’", "'"), ("“", "\""), ("—", "-"), ("e\u{301}", "é")] {
        out = out.replace(from, to);
    }
    let mut lines = out.split('\n').map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    // The end of the piece counts as the end of a line only if the text has a line end there.
    if let Some(last) = lines.last_mut() {
        *last = out.rsplit('\n').next().unwrap().to_owned();
    }
    lines.join("\n")
}

/// Spellings in the searched text, each with the spelling in the file.
const TYPED: [[&str; 2]; 8] =
    [["a", "a"], ["\n", "\n"], ["\n", "  \n"], [" ", "\u{a0}"], ["'", "’"], ["\"", "“"], ["-", "—"], ["é", "e\u{301}"]];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_fix_is_made_only_where_one_place_is_alike(
        parts in prop::collection::vec((0..TYPED.len(), 0..2_usize, 0..2_usize), 1..8),
        around in prop::collection::vec((0..TYPED.len(), 0..2_usize), 0..10),
        is_reviewed in any::<bool>(),
    ) {
        let place: String = parts.iter().map(|(row, column, _)| TYPED[*row][*column]).collect();
        let piece: String = parts.iter().map(|(row, _, column)| TYPED[*row][*column]).collect();
        let (head, tail) = around.split_at(around.len() / 2);
        let [head, tail] = [head, tail].map(|own| own.iter().map(|(row, column)| TYPED[*row][*column]).collect::<String>());
        let text = [&*head, "|", &place, "|", &tail].concat();
        let review = if is_reviewed { Review::ByUser } else { Review::None };
        let old = ["|", &*piece, "|"].concat();
        let is_exact = text.matches(&*old).count() == 1;
        match edit(&text, &old, "NEW\n’", review) {
            // The bars occur nowhere else, and the text around the place stays unchanged.
            Ok(made) => {
                prop_assert_eq!(made.text, [&*head, "NEW\n’", &tail].concat());
                prop_assert_eq!(made.fixes.is_empty(), is_exact);
                prop_assert_eq!(plain(&old), plain(&["|", &*place, "|"].concat()));
                prop_assert!(is_exact || is_reviewed || plain(&piece).trim().contains('\n') || plain(&old).contains('\n'));
                for fix in made.fixes {
                    prop_assert!(text[head.len()..].encode_utf16().count() + head.encode_utf16().count() >= fix.position.offset);
                }
            }
            Err(EditFailure::NotFound { difference, .. }) => {
                prop_assert!(!is_exact && !is_reviewed && !plain(&old).contains('\n'));
                // The refusal shows the difference, so that the next call need not repeat it.
                let difference = difference.unwrap();
                prop_assert_ne!(difference.found, difference.sent);
            }
            Err(failure) => prop_assert!(false, "{failure:?}"),
        }
    }

    #[test]
    fn a_piece_that_is_alike_in_two_places_is_in_none(
        parts in prop::collection::vec((0..TYPED.len(), 0..2_usize, 0..2_usize, 0..2_usize), 1..8),
    ) {
        let typed = |column: fn(&(usize, usize, usize, usize)) -> usize| {
            let inner: String = parts.iter().map(|part| TYPED[part.0][column(part)]).collect();
            ["|", &*inner, "|"].concat()
        };
        let (one, two, piece) = (typed(|part| part.1), typed(|part| part.2), typed(|part| part.3));
        let text = [&*one, "\n", &two].concat();
        let exact = (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(&piece)).count();
        let made = edit(&text, &piece, "", Review::ByUser);
        prop_assert_eq!(made.is_ok(), exact == 1, "{:?}", made);
        if let Ok(made) = made {
            prop_assert!(made.fixes.is_empty());
        }
    }
}

#[test]
fn each_kind_of_fix_has_a_row() {
    let table: serde_json::Value = serde_json::from_str(include_str!("fixtures/text.json")).unwrap();
    let rows = table["edit"].as_array().unwrap();
    let fixes: Vec<_> = rows.iter().flat_map(|row| row["is"]["fixes"].as_array().into_iter().flatten()).collect();
    for kind in EditFixKind::ALL {
        assert!(fixes.iter().any(|fix| fix[0] == kind.name()), "{kind}");
    }
}

#[test]
fn the_work_is_linear_in_the_lengths_of_the_texts() {
    let text = "a".repeat(1 << 20);
    let lines = ("a b\r\n".repeat(1 << 18), "a c\n".repeat(1 << 18));
    let before = steps();
    let several = Err(EditFailure::Several { count: (1 << 19) + 1, lines: vec![1; 10] });
    assert_eq!(edit(&text, &"a".repeat(1 << 19), "", Review::ByUser), several);
    for rest in ["b", "\u{301}", " ", "\u{a0}"] {
        let piece = "a".repeat(1 << 19) + rest;
        assert!(matches!(edit(&text, &piece, "", Review::ByUser), Err(EditFailure::NotFound { .. })));
    }
    for run in [" ", "\u{a0}", "\u{301}", "\r", "’", "\u{200b}"] {
        let (text, piece) = (run.repeat(1 << 13), run.repeat(1 << 12));
        assert!(edit(&text, &format!("a{piece}"), "", Review::ByUser).is_err());
    }
    assert!(nearest(&lines.0, &lines.1).is_some());
    let taken = steps() - before;
    assert!(taken < 24 * (2 * text.len() + (2 << 19) + lines.0.len() + lines.1.len()), "{taken} steps");
    assert!(cfg!(not(debug_assertions)) || taken > 2 * text.len() + lines.0.len(), "{taken} steps are not all");
}

//! What differs, as hunks: changed lines with a few unchanged ones around them.

use std::ops::Range;

use super::lines::{Lines, bare};
use super::sequence::Span;
use super::words::words;
use crate::value::{write_index, write_string};

/// Steps of all searches over words of one diff.
const WORD_BUDGET: usize = 1_000_000;

/// How a diff is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// Unchanged lines around a change. Default: 3.
    pub context: usize,
    /// Whether changed words are found. Default: true.
    pub words: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { context: 3, words: true }
    }
}

/// Changed lines with unchanged ones around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk<'a> {
    /// The lines in the text before, counted from 0.
    pub old: Range<usize>,
    /// The lines in the text after.
    pub new: Range<usize>,
    /// Both, in the order in which a person reads them.
    pub lines: Vec<Line<'a>>,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// It is in both texts.
    Same,
    /// It is only in the text before.
    Removed,
    /// It is only in the text after.
    Added,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// What became of it.
    pub kind: LineKind,
    /// Its text, without its end.
    pub text: &'a str,
    /// Its end: `"\n"`, `"\r\n"`, or `""` at the end of a text.
    pub end: &'a str,
    /// What changed within it, in UTF-16 units; nothing if it changed as a whole.
    pub words: Option<Vec<[usize; 2]>>,
}

/// What differs between two texts.
#[must_use]
pub fn text_diff<'a>(before: &'a str, after: &'a str, options: TextOptions) -> Vec<Hunk<'a>> {
    let lines = Lines::of(before, after);
    let mut budget = WORD_BUDGET;
    let groups = groups(&lines, options.context);
    groups.into_iter().map(|group| hunk(&lines, group, options, &mut budget)).collect()
}

/// The text before with the chosen hunks of [`text_diff`] made: all give the text after, none the text before.
#[must_use]
pub fn apply_hunks(before: &str, after: &str, options: TextOptions, chosen: &[usize]) -> String {
    let lines = Lines::of(before, after);
    let mut text = String::with_capacity(before.len().max(after.len()));
    let mut from = 0;
    for (index, group) in groups(&lines, options.context).into_iter().enumerate() {
        if !chosen.contains(&index) {
            continue;
        }
        for Span { old, new } in lines.spans.get(group).unwrap_or_default() {
            text.extend(lines.old.get(from..old.start).unwrap_or_default().iter().copied());
            text.extend(lines.new.get(new.clone()).unwrap_or_default().iter().copied());
            from = old.end;
        }
    }
    text.extend(lines.old.get(from..).unwrap_or_default().iter().copied());
    text
}

/// Which changes go together: those between which no more than twice the context stands.
fn groups(lines: &Lines<'_>, context: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut end = None;
    for (index, span) in lines.spans.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if end.is_some_and(|end| span.old.start - end <= context.saturating_mul(2)) => {
                group.end = index + 1;
            }
            _ => groups.push(index..index + 1),
        }
        end = Some(span.old.end);
    }
    groups
}

fn hunk<'a>(lines: &Lines<'a>, group: Range<usize>, options: TextOptions, budget: &mut usize) -> Hunk<'a> {
    let spans = lines.spans.get(group).unwrap_or_default();
    let mut shown: Vec<Line<'a>> = Vec::new();
    let mut show = |kind, lines: &[&'a str], words: Option<Vec<Vec<[usize; 2]>>>| {
        let mut words = words.map(Vec::into_iter);
        for line in lines {
            let text = bare(line);
            let end = line.get(text.len()..).unwrap_or_default();
            shown.push(Line { kind, text, end, words: words.as_mut().and_then(Iterator::next) });
        }
    };
    let (first, last) = (spans.first(), spans.last());
    let above = first.map_or(0, |span| span.old.start.min(options.context));
    let below = last.map_or(0, |span| (lines.old.len() - span.old.end).min(options.context));
    let old = first.map_or(0, |span| span.old.start - above)..last.map_or(0, |span| span.old.end + below);
    let new = first.map_or(0, |span| span.new.start - above)..last.map_or(0, |span| span.new.end + below);
    let mut from = old.start;
    for span in spans {
        show(LineKind::Same, lines.old.get(from..span.old.start).unwrap_or_default(), None);
        let gone = lines.old.get(span.old.clone()).unwrap_or_default();
        let come = lines.new.get(span.new.clone()).unwrap_or_default();
        let found = if options.words { words(gone, come, budget) } else { None };
        let (old_words, new_words) = found.unzip();
        show(LineKind::Removed, gone, old_words);
        show(LineKind::Added, come, new_words);
        from = span.old.end;
    }
    show(LineKind::Same, lines.old.get(from..old.end).unwrap_or_default(), None);
    Hunk { old, new, lines: shown }
}

/// Appends hunks as JSON, in the shape of the JavaScript API. Lines count from 1; the start of no lines is the line before,
/// as in unified diffs.
pub fn write_hunks(hunks: &[Hunk<'_>], out: &mut String) {
    out.push('[');
    for (index, hunk) in hunks.iter().enumerate() {
        let start = |range: &Range<usize>| range.start + usize::from(!range.is_empty());
        out.push_str(if index > 0 { ",{" } else { "{" });
        let fields = [
            ("\"index\":", index),
            (",\"oldStart\":", start(&hunk.old)),
            (",\"oldLines\":", hunk.old.len()),
            (",\"newStart\":", start(&hunk.new)),
            (",\"newLines\":", hunk.new.len()),
        ];
        for (name, number) in fields {
            out.push_str(name);
            write_index(out, number);
        }
        out.push_str(",\"lines\":[");
        for (index, line) in hunk.lines.iter().enumerate() {
            out.push_str(if index > 0 { ",{\"kind\":\"" } else { "{\"kind\":\"" });
            out.push_str(match line.kind {
                LineKind::Same => "same",
                LineKind::Removed => "removed",
                LineKind::Added => "added",
            });
            out.push_str("\",\"text\":");
            write_string(out, line.text);
            if line.end != "\n" {
                out.push_str(",\"end\":");
                write_string(out, line.end);
            }
            if let Some(words) = &line.words {
                write_words(words, out);
            }
            out.push('}');
        }
        out.push_str("]}");
    }
    out.push(']');
}

fn write_words(words: &[[usize; 2]], out: &mut String) {
    out.push_str(",\"words\":[");
    for (index, [from, to]) in words.iter().enumerate() {
        out.push_str(if index > 0 { ",[" } else { "[" });
        write_index(out, *from);
        out.push(',');
        write_index(out, *to);
        out.push(']');
    }
    out.push(']');
}

//! Tags that models write around calls and around their reasoning, in two tables.
//!
//! A tag counts only at the start of a line, or after other tags there. Case is ignored.

use super::Settings;
use super::formats::{HeaderPlace, match_format};
use super::tag::{Tag, TagMatch};
use crate::value::text::{contains, find_line, first_char, head, owned, put, tail};
use crate::value::{concat, find};

/// Tags before JSON that is a call although it has no fence, one per line. A closing tag may follow the JSON. Sources:
/// Hermes, Qwen and many fine-tunes; Claude, when it imitates its own format; Glaive; Phi-4 and Granite; Llama 3; Mistral;
/// Phi-4 mini (`functools[{"name": …}]`).
const WRAPPERS: &str = "<tool_call>\n<tool_calls>\n<function_call>\n<function_calls>\n\
    <tool_use>\n\
    <functioncall>\n\
    <|tool_call|>\n<|tool_calls|>\n\
    <|python_tag|>\n\
    [TOOL_CALLS]\n\
    functools\n";

/// The tags around reasoning. The option `reasoning.tags` adds more.
const REASONING: &str = "<think>\n<thinking>\n<reasoning>\n<reflection>\n<scratchpad>\n";

/// The channel in which gpt-oss reasons (the Harmony format).
const ANALYSIS: &str = "<|channel|>analysis<|message|>\n<|start|>assistant<|channel|>analysis<|message|>\n";

/// Ends of that channel. Another message or channel may follow without `<|end|>`; its tag is then read again.
const ANALYSIS_ENDS: &str = "<|end|>\n<|start|>\n<|channel|>\n";

/// The longest tag that is looked for, in bytes: text that may become a tag is buffered.
const LONGEST_TAG: usize = 64;

/// Compares a text with all tags and headers: whether the whole text is one, or may become one with more text. A header is
/// preferred to a wrapper tag with which it begins.
pub(super) fn match_tag(text: &str, settings: &Settings) -> TagMatch {
    let mut may_become_tag = false;
    let mut is_tag = |tag: &str| {
        may_become_tag |= begins_with(tag, text);
        tag.eq_ignore_ascii_case(text)
    };
    let is_wrapper = find_line(WRAPPERS, &mut is_tag).is_some();
    let mut is_reasoning = false;
    for tags in [ANALYSIS, REASONING, &settings.reasoning_tags] {
        is_reasoning |= find_line(tags, &mut is_tag).is_some();
    }
    // Harmony's headers begin like the channel of reasoning, which is not a header.
    let is_analysis = find_line(ANALYSIS, &mut |tag| begins_with(text, tag)).is_some();
    if !is_analysis {
        match match_format(text, &settings.formats, &settings.tools, HeaderPlace::LineStart) {
            TagMatch::No => {}
            // A wrapper tag may be the beginning of a header.
            TagMatch::Maybe if is_wrapper => {}
            tag_match => return tag_match,
        }
    }
    if is_wrapper {
        return TagMatch::Tag(Tag::Wrapper);
    }
    if is_reasoning {
        return TagMatch::Tag(Tag::Reasoning);
    }
    if may_become_tag && text.len() <= LONGEST_TAG { TagMatch::Maybe } else { TagMatch::No }
}

/// The table of closing tags for a table of tags.
fn closing_tags(table: &str) -> String {
    let mut closing_table = String::new();
    // No line is found, so each one is visited.
    find_line(table, &mut |tag| {
        put(put(put(&mut closing_table, "</"), tail(tag, 1)), "\n");
        false
    });
    closing_table
}

/// Whether a tag of these tables, or a header, may begin with this byte: `f` is that of `functools`.
pub(super) const fn begins_tag(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'f' | b'F')
}

/// Whether a text begins with another one, without regard to case.
// Not inlined: that makes the module smaller.
#[inline(never)]
fn begins_with(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

/// Special tokens that contain one of these words open something, such as `<|channel|>`.
const OPENING_WORDS: &str = "begin\nstart\nchannel\n";

/// Whether a text after a value is a closing tag, a special token or a fence, such as `</tool_call>`, `[/TOOL_CALLS]`,
/// `<|im_end|>` or the end of DeepSeek's arguments; `None` if more text may make it one.
pub(super) fn is_closing(text: &str) -> Option<bool> {
    let end = if text.starts_with('[') { "]" } else { ">" };
    match text.as_bytes() {
        [b'`', ..] if text == "```" => return Some(true),
        [b'`', ..] => return if "```".starts_with(text) { None } else { Some(false) },
        [_, b'/' | b'|', ..] => {}
        // DeepSeek's tokens have a full-width bar, whose first byte this is.
        [_, 0xef, ..] if end == ">" => {}
        [] | [_] => return None,
        _ => return Some(false),
    }
    match find(text, end) {
        Some(offset) => {
            let is_wrapper = find_line(WRAPPERS, &mut |tag| text.eq_ignore_ascii_case(tag)).is_some();
            let is_opener = is_wrapper || find_line(OPENING_WORDS, &mut |word| contains(text, word)).is_some();
            Some(offset + 1 == text.len() && !is_opener)
        }
        None if text.len() > LONGEST_TAG || contains(text, "\n") => Some(false),
        None => None,
    }
}

/// Reasoning that is being read.
#[derive(Clone, Debug)]
pub(super) struct Reasoning {
    /// The tags that end it, one per line.
    end_tags: String,
    /// The possible beginning of such a tag.
    possible_tag: String,
}

/// One step through reasoning.
pub(super) struct ReasoningStep {
    /// The number of bytes read.
    pub(super) taken: usize,
    /// The text of the reasoning in these bytes, without tags.
    pub(super) text: String,
    /// `None` if the reasoning continues.
    pub(super) end: Option<ReasoningEnd>,
}

/// How the reasoning ends.
pub(super) enum ReasoningEnd {
    /// Its closing tag.
    Tag(String),
    /// The first tag of another message, which the caller must read again.
    NextMessage(String),
}

impl Reasoning {
    /// Reasoning after this opening tag.
    pub(super) fn after(tag: &str) -> Self {
        let end_tags = if tag.starts_with("<|") { owned(ANALYSIS_ENDS) } else { closing_tags(&concat(&[tag, "\n"])) };
        Self { end_tags, possible_tag: String::new() }
    }

    /// Reasoning whose opening tag is part of the prompt.
    pub(super) fn opened(settings: &Settings) -> Self {
        let end_tags = closing_tags(&concat(&[REASONING, &settings.reasoning_tags]));
        Self { end_tags, possible_tag: String::new() }
    }

    /// Reads text up to the end of the reasoning. From each `<` on, text is buffered as long as it may become an end tag. Once
    /// that is ruled out, the buffer is text of the reasoning.
    pub(super) fn read(&mut self, text: &str) -> ReasoningStep {
        let mut step = ReasoningStep { taken: 0, text: String::new(), end: None };
        while step.taken < text.len() && step.end.is_none() {
            let rest = tail(text, step.taken);
            if self.possible_tag.is_empty() {
                let run = head(rest, find(rest, "<").unwrap_or(rest.len()));
                put(&mut step.text, run);
                step.taken += run.len();
            }
            let char = first_char(tail(text, step.taken));
            put(&mut self.possible_tag, char);
            let mut is_end_tag = false;
            let matching_tag = find_line(&self.end_tags, &mut |tag| {
                is_end_tag = tag.eq_ignore_ascii_case(&self.possible_tag);
                begins_with(tag, &self.possible_tag)
            });
            if matching_tag.is_some() {
                step.taken += char.len();
                if is_end_tag {
                    let tag = self.take_possible_tag();
                    let closes_reasoning = tag.starts_with("</") || tag.eq_ignore_ascii_case("<|end|>");
                    step.end =
                        Some(if closes_reasoning { ReasoningEnd::Tag(tag) } else { ReasoningEnd::NextMessage(tag) });
                }
                continue;
            }
            // The buffer is not an end tag, so it is text. Its last character may begin another tag: unless it is the only one,
            // it is read again.
            let bytes_before = self.possible_tag.len() - char.len();
            if bytes_before == 0 {
                step.taken += char.len();
                put(&mut step.text, char);
            } else {
                put(&mut step.text, head(&self.possible_tag, bytes_before));
            }
            self.possible_tag.clear();
        }
        step
    }

    /// Empties the buffer and returns its text: at the end of the message, an incomplete end tag.
    pub(super) fn take_possible_tag(&mut self) -> String {
        std::mem::take(&mut self.possible_tag)
    }
}

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
const LONGEST: usize = 64;

/// Compares a text with all tags and headers: whether the whole text is one, or may become one with more text. The channel of
/// reasoning is not a header, although headers of Harmony begin like it. A header is preferred to a wrapper tag with which it
/// begins.
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
    let is_analysis = find_line(ANALYSIS, &mut |tag| begins_with(text, tag)).is_some();
    if !is_analysis {
        match match_format(text, settings, HeaderPlace::LineStart) {
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
    if may_become_tag && text.len() <= LONGEST { TagMatch::Maybe } else { TagMatch::No }
}

/// The table of closing tags for a table of tags.
fn closing_tags(table: &str) -> String {
    let mut ends = String::new();
    find_line(table, &mut |tag| {
        put(put(put(&mut ends, "</"), tail(tag, 1)), "\n");
        false
    });
    ends
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

/// Whether a text after a value is a closing tag, a special token or a fence, such as `</tool_call>`, `<|im_end|>` or the
/// end of DeepSeek's arguments; `None` if more text may make it one.
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
        None if text.len() > LONGEST || contains(text, "\n") => Some(false),
        None => None,
    }
}

/// Reasoning that is being read.
#[derive(Clone, Debug)]
pub(super) struct Reasoning {
    /// The tags that end it, one per line.
    ends: String,
    /// The possible beginning of such a tag.
    buffered: String,
}

/// One step through reasoning.
pub(super) struct ReasoningStep {
    /// Bytes of the input that were read.
    pub(super) taken: usize,
    /// Text of the reasoning in them, without tags.
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
        let ends = if tag.starts_with("<|") { owned(ANALYSIS_ENDS) } else { closing_tags(&concat(&[tag, "\n"])) };
        Self { ends, buffered: String::new() }
    }

    /// Reasoning whose opening tag is part of the prompt.
    pub(super) fn opened(settings: &Settings) -> Self {
        let ends = closing_tags(&concat(&[REASONING, &settings.reasoning_tags]));
        Self { ends, buffered: String::new() }
    }

    /// Reads text up to the end of the reasoning. From each `<` on, text is buffered as long as it may become an end tag; when it
    /// cannot any more, it is text of the reasoning.
    pub(super) fn read(&mut self, text: &str) -> ReasoningStep {
        let mut step = ReasoningStep { taken: 0, text: String::new(), end: None };
        while step.taken < text.len() && step.end.is_none() {
            let rest = tail(text, step.taken);
            if self.buffered.is_empty() {
                let run = head(rest, find(rest, "<").unwrap_or(rest.len()));
                put(&mut step.text, run);
                step.taken += run.len();
            }
            let char = first_char(tail(text, step.taken));
            put(&mut self.buffered, char);
            let mut is_end = false;
            let possible_end = find_line(&self.ends, &mut |end| {
                is_end = end.eq_ignore_ascii_case(&self.buffered);
                begins_with(end, &self.buffered)
            });
            if possible_end.is_some() {
                step.taken += char.len();
                if is_end {
                    let buffered = self.take_buffered();
                    let closes_reasoning = buffered.starts_with("</") || buffered.eq_ignore_ascii_case("<|end|>");
                    step.end = Some(if closes_reasoning {
                        ReasoningEnd::Tag(buffered)
                    } else {
                        ReasoningEnd::NextMessage(buffered)
                    });
                }
                continue;
            }
            // The buffer is not an end tag, so it is text. Its last character may begin another tag: unless it is the only one,
            // it is read again.
            let length = self.buffered.len() - char.len();
            if length == 0 {
                step.taken += char.len();
                put(&mut step.text, char);
            } else {
                put(&mut step.text, head(&self.buffered, length));
            }
            self.buffered.clear();
        }
        step
    }

    /// Empties the buffer and returns its text. When the message ends, that is an incomplete end tag.
    pub(super) fn take_buffered(&mut self) -> String {
        std::mem::take(&mut self.buffered)
    }
}

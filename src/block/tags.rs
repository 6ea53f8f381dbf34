//! Tags that models write around calls and around their reasoning, in two tables.
//!
//! A tag counts only where a line begins, or behind other tags there. It is matched without regard to case.

use super::Settings;
use super::formats::{Grammar, Header, read_header};
use crate::value::text::{cut, head, owned, tail};
use crate::value::{concat, find};

/// Tags behind which JSON is a call although it has no fence. A closing tag may follow the JSON.
const WRAPPERS: &[&str] = &[
    // Hermes, Qwen, and many fine-tunes
    "<tool_call>",
    "<tool_calls>",
    "<function_call>",
    "<function_calls>",
    // Claude, when it imitates its own format
    "<tool_use>",
    // Glaive
    "<functioncall>",
    // Phi-4, Granite
    "<|tool_call|>",
    "<|tool_calls|>",
    // Llama 3
    "<|python_tag|>",
    // Mistral
    "[TOOL_CALLS]",
    // Phi-4 mini: functools[{"name": …}]
    "functools",
];

/// The names of tags around reasoning. The option `reasoning.tags` adds more.
const REASONING: &[&str] = &["think", "thinking", "reasoning", "reflection", "scratchpad"];

/// The channel in which gpt-oss reasons (the Harmony format).
const ANALYSIS: &[&str] = &["<|channel|>analysis<|message|>", "<|start|>assistant<|channel|>analysis<|message|>"];

/// What ends that channel, and whether that belongs to it. Another message or channel may follow without `<|end|>`.
const ANALYSIS_ENDS: &[(&str, bool)] = &[("<|end|>", true), ("<|start|>", false), ("<|channel|>", false)];

/// The longest tag that is looked for.
const LONGEST: usize = 64;

/// What a tag begins.
#[derive(Clone, Debug)]
pub(super) enum Tag {
    /// JSON that is a call.
    Wrapper,
    /// Reasoning.
    Reasoning(Reasoning),
    /// JSON that is the arguments of a tool, from a byte on.
    Arguments { tool: String, json: usize },
    /// A call in another grammar.
    Call(Grammar),
    /// Marks that belong to no event.
    Marks,
}

/// What a text at the beginning of a line is.
pub(super) enum TagMatch {
    Tag(Tag),
    /// It may become a tag.
    Maybe,
    No,
}

/// Compares a text with the tags. The text is a tag as a whole, or its beginning.
pub(super) fn match_tag(text: &str, settings: &Settings) -> TagMatch {
    if !settings.formats.is_empty() && !is_analysis(text) {
        match match_format(text, settings, false) {
            TagMatch::No => {}
            // A wrapper tag may be the beginning of a header.
            TagMatch::Maybe if !WRAPPERS.contains(&text) => return TagMatch::Maybe,
            TagMatch::Maybe => {}
            found @ TagMatch::Tag(_) => return found,
        }
    }
    let mut may_be = false;
    let mut is = |tag: &str| {
        may_be |= begins_with(tag, text);
        tag.eq_ignore_ascii_case(text)
    };
    if WRAPPERS.iter().any(|tag| is(tag)) {
        return TagMatch::Tag(Tag::Wrapper);
    }
    if ANALYSIS.iter().any(|tag| is(tag)) {
        return TagMatch::Tag(Tag::Reasoning(Reasoning::analysis()));
    }
    for name in names(settings) {
        if is(&concat(&["<", name, ">"])) {
            return TagMatch::Tag(Tag::Reasoning(Reasoning::of([name])));
        }
    }
    if may_be && text.len() <= LONGEST { TagMatch::Maybe } else { TagMatch::No }
}

/// Compares a text with the headers of the formats that are on; inside a line only with those that may stand there.
pub(super) fn match_format(text: &str, settings: &Settings, is_inside: bool) -> TagMatch {
    match read_header(text, &settings.formats, &settings.tools, is_inside) {
        Header::No => TagMatch::No,
        Header::Maybe => TagMatch::Maybe,
        Header::Json { tool, json } => TagMatch::Tag(Tag::Arguments { tool, json }),
        Header::Text(grammar) => TagMatch::Tag(Tag::Call(grammar)),
        Header::Marks => TagMatch::Tag(Tag::Marks),
    }
}

/// Whether a text is the header of reasoning, or becomes it.
fn is_analysis(text: &str) -> bool {
    ANALYSIS.iter().any(|tag| begins_with(text, tag)) || ANALYSIS.contains(&text)
}

/// Whether a tag may begin with this byte.
pub(super) const fn begins_tag(byte: u8) -> bool {
    matches!(byte, b'<' | b'[' | b'f' | b'F')
}

fn names(settings: &Settings) -> impl Iterator<Item = &str> {
    REASONING.iter().copied().chain(settings.reasoning_tags.iter().map(String::as_str))
}

fn begins_with(text: &str, beginning: &str) -> bool {
    text.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

/// Words in special tokens that open something.
const BEGIN: &[&str] = &["begin", "start", "channel"];

/// Whether a text behind a value is a closing tag or a special token, such as `</tool_call>` or `<|im_end|>`; `None` if it
/// may become one.
pub(super) fn is_closing(text: &str) -> Option<bool> {
    if text.starts_with('`') {
        return if text == "```" { Some(true) } else { Some(false).filter(|_| !"```".starts_with(text)) };
    }
    let (begin, end) = if text.starts_with('[') { ("[/", "]") } else { ("<", ">") };
    let second = text.as_bytes().get(1);
    match second {
        None => return None,
        Some(b'/' | b'|') => {}
        // DeepSeek's tokens have a full-width bar.
        Some(0xef) if begin == "<" => {}
        Some(_) => return Some(false),
    }
    match find(text, end) {
        Some(place) => {
            let opens = |mark: &&str| text.eq_ignore_ascii_case(mark);
            let is_opener = WRAPPERS.iter().any(|tag| opens(&tag)) || BEGIN.iter().any(|word| text.contains(word));
            Some(place + 1 == text.len() && !is_opener)
        }
        None if text.len() > LONGEST || text.contains('\n') => Some(false),
        None => None,
    }
}

/// Reasoning that is being read.
#[derive(Clone, Debug)]
pub(super) struct Reasoning {
    /// What ends it, and whether that belongs to it.
    ends: Vec<(String, bool)>,
    /// What may be the beginning of its end.
    held: String,
}

/// One step through reasoning.
pub(super) struct ReasoningStep {
    /// Bytes taken.
    pub(super) taken: usize,
    /// Text of the reasoning.
    pub(super) text: String,
    /// The tag that ended it.
    pub(super) end: Option<String>,
    /// Text behind the end that was taken already: it is to be read again.
    pub(super) back: String,
}

impl Reasoning {
    fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let ends = names.into_iter().map(|name| (concat(&["</", name, ">"]), true)).collect();
        Self { ends, held: String::new() }
    }

    fn analysis() -> Self {
        Self { ends: ANALYSIS_ENDS.iter().map(|(end, own)| (owned(end), *own)).collect(), held: String::new() }
    }

    /// Reasoning of which the prompt has opened the tag.
    pub(super) fn opened(settings: &Settings) -> Self {
        Self::of(names(settings))
    }

    /// Takes text up to the end of the reasoning.
    pub(super) fn take(&mut self, text: &str) -> ReasoningStep {
        let mut step = ReasoningStep { taken: 0, text: String::new(), end: None, back: String::new() };
        while step.taken < text.len() && step.end.is_none() {
            let rest = tail(text, step.taken);
            if self.held.is_empty() {
                let run = find(rest, "<").unwrap_or(rest.len());
                step.text.push_str(head(rest, run));
                step.taken += run;
                if run == rest.len() {
                    break;
                }
            }
            let char = cut(tail(text, step.taken), 1);
            self.held.push_str(char);
            let found = self.ends.iter().find(|(end, _)| end.eq_ignore_ascii_case(&self.held));
            match found {
                Some((_, true)) => {
                    step.taken += char.len();
                    step.end = Some(std::mem::take(&mut self.held));
                }
                Some((_, false)) => {
                    step.taken += char.len();
                    step.end = Some(String::new());
                    step.back = std::mem::take(&mut self.held);
                }
                None if self.ends.iter().any(|(end, _)| begins_with(end, &self.held)) => step.taken += char.len(),
                None => {
                    let length = self.held.len() - char.len();
                    if length == 0 {
                        step.taken += char.len();
                        step.text.push_str(char);
                    } else {
                        // What was not its end is text; this character may begin another.
                        step.text.push_str(head(&self.held, length));
                    }
                    self.held.clear();
                }
            }
        }
        step
    }

    /// What may have been the beginning of the end, when the message ends or another part of it begins.
    pub(super) fn rest(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

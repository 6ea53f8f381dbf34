//! Repairs a tool block: first its text, until it is JSON, then the fields of its calls.

use super::escaped::remove_escape_layer;
use super::fields::{self, Context};
use super::fix::{Fix, FixKind, fixes_of};
use super::json::RepairedText;
use super::{RepairRules, first_byte};
use crate::block::check::{CheckInput, Checked, Ending};
use crate::block::parser::Parser;
use crate::block::recorder::Recorder;
use crate::block::{BlockStatus, Settings, TextEnd, Tool};
use crate::value::text::{owned, trim_end, trim_start};
use crate::value::{Stop, Value};

/// How the end of a block is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::block) enum Reach {
    /// The block ends at a fence that may belong to one of its strings.
    DoubtfulFence,
    /// The block ends at the only fence of the message: open brackets may be closed, but the fence may belong to a string.
    OnlyFence,
    /// The last bracket ends the block: nothing has to be closed.
    Closed,
    /// A fence closes the block, or it ends with a message that was not cut off: open brackets may be closed.
    Complete,
}

impl Reach {
    /// The reach of a block with this ending; `None` if it must not be repaired, as it is too long or cut off. `status`: whether
    /// its brackets are closed.
    pub(in crate::block) fn of(ending: Ending, text_end: TextEnd, status: BlockStatus) -> Option<Self> {
        match (ending, text_end) {
            (Ending::OverLimit, _) => None,
            (Ending::Closed, _) | (_, TextEnd::Complete) => Some(Self::Complete),
            _ if status == BlockStatus::Complete => Some(Self::Closed),
            _ => None,
        }
    }
}

/// The JSON of an invalid block, with the context that its repair needs.
#[derive(Clone, Copy, Debug)]
pub(in crate::block) struct DamagedBlock<'a> {
    pub(in crate::block) json: &'a str,
    /// The reader has found a syntax fault. Without one, only the fields of the calls may need a repair.
    pub(in crate::block) has_fault: bool,
    pub(in crate::block) reach: Reach,
    /// The tool, if the block does not name it itself, e.g. in native arguments.
    pub(in crate::block) tool: Option<&'a str>,
    /// The number of its first call in the stream.
    pub(in crate::block) number: u32,
}

/// A repaired block. Its calls may still be invalid.
#[derive(Debug)]
pub(in crate::block) struct RepairedBlock {
    pub(in crate::block) json: String,
    pub(in crate::block) fixes: Vec<Fix>,
    /// The valid calls and the issues of the repaired JSON.
    pub(in crate::block) checked: Checked,
    /// The block is one value, the call or the list of calls, without an envelope.
    pub(in crate::block) is_flat: bool,
    /// The number of the next call after this block.
    pub(in crate::block) next_number: u32,
}

impl RepairedBlock {
    pub(in crate::block) fn is_valid(&self) -> bool {
        !self.checked.calls.is_empty()
    }
}

impl DamagedBlock<'_> {
    /// Repairs the block. The result is valid JSON, but its calls need not be valid. `None` if no reading of the text is
    /// JSON, or if no fix applies.
    pub(in crate::block) fn repair(&self, settings: &Settings) -> Option<Box<RepairedBlock>> {
        let rules = RepairRules {
            tools: Some(&settings.tools),
            is_complete: matches!(self.reach, Reach::Complete | Reach::OnlyFence),
            has_doubtful_end: matches!(self.reach, Reach::DoubtfulFence | Reach::OnlyFence),
            is_partial: false,
            max_depth: settings.limits.depth(),
            // At least one fix shows that the text was changed.
            max_fixes: settings.limits.max_issues.max(1),
        };
        // In valid JSON, only the fields of the calls may need a repair.
        if !self.has_fault
            && let Some(parser) = self.parse_values(self.json, settings)
        {
            let text = owned(self.json);
            let unchanged_text = RepairedText { text, marks: Vec::new(), has_inferred_end: false };
            return self.finish(unchanged_text, parser, settings).filter(|repaired| !repaired.fixes.is_empty());
        }
        let unescaped_json = unescaped_text(self.json, rules.max_depth);
        let text = unescaped_json.as_deref().unwrap_or(self.json);
        let repaired_text = rules.repair(text, unescaped_json.is_some()).ok()?;
        let parser = self.parse_values(&repaired_text.text, settings)?;
        self.finish(repaired_text, parser, settings)
    }

    /// Parses a text that consists of valid JSON lists and objects, one after the other; `None` for any other text. The parser's
    /// recorder then has the values and the records of the calls.
    fn parse_values(&self, text: &str, settings: &Settings) -> Option<Box<Parser>> {
        let mut recorder = Recorder::new(self.number, &settings.tools);
        recorder.tool = self.canonical_tool(settings);
        let mut parser = Box::new(Parser::strict(recorder, settings));
        let mut rest = text;
        loop {
            let blanks = rest.len() - rest.trim_ascii_start().len();
            parser.lexer.skip(blanks);
            rest = rest.get(blanks..)?;
            if rest.is_empty() {
                return parser.lexer.is_complete().then_some(parser);
            }
            if !matches!(first_byte(rest), b'{' | b'[') {
                return None;
            }
            // The lexer stops after each value.
            parser.lexer.restart();
            let (value_length, stop) = parser.feed(rest);
            if stop != Stop::Complete {
                return None;
            }
            rest = rest.get(value_length..)?;
        }
    }

    /// Repairs the fields of the calls, and validates the calls. `parser` has read `repaired_text`; if a field was repaired, the
    /// values are written and parsed anew. `None` if the calls contradict the way in which the text was repaired: a bracket may be
    /// missing in a list of edits, or a string may have been ended too early.
    fn finish(
        &self,
        repaired_text: RepairedText,
        mut parser: Box<Parser>,
        settings: &Settings,
    ) -> Option<Box<RepairedBlock>> {
        let RepairedText { text: mut json, mut marks, has_inferred_end } = repaired_text;
        let tool = self.canonical_tool(settings);
        // An object that the repair has closed may lack fields.
        let has_added_closer = marks.iter().any(|mark| mark.kind == FixKind::MissingCloser);
        let has_repeated_key = parser.recorder.has_repeated_key();
        let Recorder { values, calls, .. } = &mut parser.recorder;
        // The missing bracket may have come after further edits, which must be made together.
        if has_added_closer && values.iter().any(fields::has_list_of_edits) {
            return None;
        }
        let context = Context {
            tools: &settings.tools,
            tool: tool.as_deref(),
            json: Some(&*json).filter(|_| !has_added_closer),
            calls,
            max_depth: settings.limits.depth(),
        };
        // Writing the object again would drop one of two equal keys, and either may be the intended one.
        let field_fixes = if has_repeated_key { Vec::new() } else { context.repair(values) };
        // A field of another tool is a sign that a string was ended too early.
        if has_inferred_end && context.are_mixed(values) {
            return None;
        }
        if !field_fixes.is_empty() {
            fields::add_marks(self.json, field_fixes, settings.limits.max_issues.max(1), &mut marks);
            json = write(values);
            parser = self.parse_values(&json, settings)?;
        }
        let is_single = parser.recorder.values.len() == 1;
        let no_trailing_text = None;
        let input = CheckInput::new(&json, &mut parser, Ending::Closed, no_trailing_text);
        let is_flat = is_single && !input.has_envelopes(&settings.tools);
        let checked = input.check(settings);
        let next_number = parser.recorder.next_number;
        Some(Box::new(RepairedBlock { fixes: fixes_of(self.json, &marks), checked, json, is_flat, next_number }))
    }

    /// `tool`, or the name of the tool of which it is an alias; `None` if the block itself names its tool.
    fn canonical_tool(&self, settings: &Settings) -> Option<String> {
        let name = self.tool?;
        let tool = settings.tools.find_alias(name);
        Some(owned(tool.as_ref().map_or(name, Tool::name)))
    }
}

/// Writes values as indented JSON, each on lines of its own.
fn write(values: &[Value]) -> String {
    let mut json = String::new();
    for value in values {
        if !json.is_empty() {
            json.push('\n');
        }
        json.push_str(&fields::pretty(&value.to_json()));
    }
    json
}

/// The block's JSON if all of it was escaped once too often, or written as one string, e.g. `"{\"tool\": …}"`; `None` otherwise.
fn unescaped_text(json: &str, max_depth: usize) -> Option<String> {
    let is_block = true;
    if let Some(inner) = remove_escape_layer(json, is_block) {
        return Some(inner);
    }
    let json = trim_end(trim_start(json));
    if first_byte(json) != b'"' {
        return None;
    }
    match crate::value::parse(json, max_depth).ok()? {
        Value::String(text) if matches!(first_byte(text.trim_ascii_start()), b'{' | b'[') => Some(text.into()),
        _ => None,
    }
}

//! Repairs a tool block: first its text, until it is JSON, then the fields of its calls.

use super::escaped::unescaped;
use super::fields::{self, Context};
use super::fix::{Fix, FixKind, fixes_of};
use super::json::RepairedText;
use super::{RepairRules, first};
use crate::block::check::{Checked, Ending, Reading};
use crate::block::parser::Parser;
use crate::block::recorder::Recorder;
use crate::block::{BlockStatus, Settings, TextEnd, Tool};
use crate::value::text::{owned, trim_end, trim_start};
use crate::value::{Stop, Value};

/// How far a text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::block) enum Reach {
    /// To a fence that may belong to a text in it.
    Doubtful,
    /// To the only fence there is: what is open may be closed, but it may belong to a text in it too.
    Only,
    /// To its own end: nothing is to be closed.
    Closed,
    /// To its end, and nothing more comes: what is open may be closed.
    Complete,
}

impl Reach {
    /// How far a block with this ending goes; `None` if it must not be repaired.
    pub(in crate::block) fn of(ending: Ending, text_end: TextEnd, status: BlockStatus) -> Option<Self> {
        match (ending, text_end) {
            (Ending::Full, _) => None,
            (Ending::Closed, _) | (_, TextEnd::Complete) => Some(Self::Complete),
            _ if status == BlockStatus::Complete => Some(Self::Closed),
            _ => None,
        }
    }
}

/// The JSON of a block that is not valid, and what the repair must know of it.
#[derive(Clone, Copy, Debug)]
pub(in crate::block) struct DamagedBlock<'a> {
    pub(in crate::block) json: &'a str,
    /// Whether it is known that it has a fault.
    pub(in crate::block) has_fault: bool,
    pub(in crate::block) reach: Reach,
    /// The tool, if it is known from elsewhere.
    pub(in crate::block) tool: Option<&'a str>,
    /// The number of its first call.
    pub(in crate::block) number: u32,
}

/// A block after its repair. Its calls may still be invalid.
#[derive(Debug)]
pub(in crate::block) struct RepairedBlock {
    pub(in crate::block) json: String,
    pub(in crate::block) fixes: Vec<Fix>,
    pub(in crate::block) checked: Checked,
    /// Whether it is one value.
    pub(in crate::block) is_single: bool,
    /// The number that the next call gets.
    pub(in crate::block) next_number: u32,
}

impl RepairedBlock {
    pub(in crate::block) fn is_valid(&self) -> bool {
        !self.checked.calls.is_empty()
    }
}

impl DamagedBlock<'_> {
    /// Repairs the block. What comes back is JSON, and better than what was there, but its calls need not be valid; there
    /// is nothing if the text is no JSON in any reading, or if there is nothing to be done.
    pub(in crate::block) fn repair(&self, settings: &Settings) -> Option<Box<RepairedBlock>> {
        let rules = RepairRules {
            tools: Some(&settings.tools),
            complete: matches!(self.reach, Reach::Complete | Reach::Only),
            doubtful: matches!(self.reach, Reach::Doubtful | Reach::Only),
            partial: false,
            max_depth: settings.limits.depth(),
            most: settings.limits.max_issues.max(1),
        };
        if !self.has_fault
            && let Some(sound) = self.read(self.json, settings)
        {
            let text = owned(self.json);
            let as_it_was = RepairedText { text, marks: Vec::new(), delicate: false };
            return self.finish(as_it_was, sound, settings).filter(|repaired| !repaired.fixes.is_empty());
        }
        let inner = inner_text(self.json, rules.max_depth);
        let text = inner.as_deref().unwrap_or(self.json);
        let rewritten = rules.repair(text, inner.is_some()).ok()?;
        let sound = self.read(&rewritten.text, settings)?;
        self.finish(rewritten, sound, settings)
    }

    /// Reads a text that is nothing but lists and objects of JSON, one after the other.
    fn read(&self, text: &str, settings: &Settings) -> Option<Box<Parser>> {
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
            if !matches!(first(rest), b'{' | b'[') {
                return None;
            }
            parser.lexer.restart();
            let (taken, stop) = parser.feed(rest);
            if stop != Stop::Complete {
                return None;
            }
            rest = rest.get(taken..)?;
        }
    }

    /// Repairs the fields, and validates.
    fn finish(
        &self,
        rewritten: RepairedText,
        mut sound: Box<Parser>,
        settings: &Settings,
    ) -> Option<Box<RepairedBlock>> {
        let RepairedText { text: mut json, mut marks, delicate, .. } = rewritten;
        let tool = self.canonical_tool(settings);
        // Of an object that was closed here nobody knows whether it was whole.
        let is_whole = !marks.iter().any(|mark| mark.kind == FixKind::MissingCloser);
        let is_repeated = sound.recorder.has_repeated_key();
        let Recorder { values, calls, .. } = &mut sound.recorder;
        let context = Context {
            tools: &settings.tools,
            given: tool.as_deref(),
            json: Some(&*json).filter(|_| is_whole),
            calls,
            max_depth: settings.limits.depth(),
        };
        // What is written anew loses the first of two entries, and which one was meant is not known.
        let done = if is_repeated { Vec::new() } else { context.repair(values) };
        // What is left of a text that was ended too early.
        if delicate && context.are_mixed(values) {
            return None;
        }
        if !done.is_empty() {
            fields::mark(self.json, done, settings.limits.max_issues.max(1), &mut marks);
            json = write(values);
            sound = self.read(&json, settings)?;
        }
        let is_single = sound.recorder.values.len() == 1;
        let checked = Reading::new(&json, &mut sound, Ending::Closed, None).check(settings);
        let next_number = sound.recorder.next_number;
        Some(Box::new(RepairedBlock { fixes: fixes_of(self.json, &marks), checked, json, is_single, next_number }))
    }

    fn canonical_tool(&self, settings: &Settings) -> Option<String> {
        let name = self.tool?;
        let meant = settings.tools.find_alias(name);
        Some(owned(meant.as_ref().map_or(name, Tool::name)))
    }
}

/// Values, each over several lines.
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

/// The text of a block that was escaped once too often, or that stands in a string.
fn inner_text(json: &str, max_depth: usize) -> Option<String> {
    if let Some(inner) = unescaped(json, true) {
        return Some(inner);
    }
    let json = trim_end(trim_start(json));
    if first(json) != b'"' {
        return None;
    }
    match crate::value::parse(json, max_depth).ok()? {
        Value::String(text) if matches!(first(text.trim_ascii_start()), b'{' | b'[') => Some(text.into()),
        _ => None,
    }
}

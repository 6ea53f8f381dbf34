//! A tool block: its text repaired until it is JSON, its calls until they are valid.

use std::cell::Cell;

use super::escaped::unescaped;
use super::fields;
use super::fix::{Fix, FixKind, place};
use super::pairs::{Edit, structure};
use super::{Dialect, Mark, Repaired, Rules};
use crate::block::check::{Checked, Ending, Reading};
use crate::block::recorder::{Preview, Recorder};
use crate::block::report::{first_block, validate_unfenced};
use crate::block::tools::{Place, locate};
use crate::block::{Close, Report, Settings, Tools, validate_tool_block};
use crate::value::{Lexer, Stop, Value, sort_by_number};

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

/// The JSON of a block that was broken.
#[derive(Clone, Copy, Debug)]
pub(in crate::block) struct Broken<'a> {
    pub(in crate::block) json: &'a str,
    /// Whether it is known that it has a fault.
    pub(in crate::block) has_fault: bool,
    pub(in crate::block) reach: Reach,
    /// The tool, if it is known from elsewhere.
    pub(in crate::block) tool: Option<&'a str>,
    /// The number of its first call.
    pub(in crate::block) number: u32,
    /// Whether there was a call before that was not escaped: then one that is escaped is quoted.
    pub(in crate::block) is_late: bool,
}

/// What became of it.
#[derive(Debug)]
pub(in crate::block) struct Mended {
    pub(in crate::block) json: String,
    pub(in crate::block) fixes: Vec<Fix>,
    pub(in crate::block) checked: Checked,
    /// Whether it is one value.
    is_single: bool,
    /// The number that the next call gets.
    pub(in crate::block) next_number: u32,
}

impl Mended {
    pub(in crate::block) fn is_valid(&self) -> bool {
        !self.checked.calls.is_empty()
    }
}

impl Broken<'_> {
    /// Repairs the block. What comes back is JSON, and better than what was there, but its calls need not be valid; there
    /// is nothing if the text is no JSON in any reading, or if there is nothing to be done.
    pub(in crate::block) fn mend(&self, settings: &Settings) -> Option<Mended> {
        let known = |key: &str| known_key(key, &settings.tools);
        let rules = Rules {
            dialect: Dialect::Block,
            complete: matches!(self.reach, Reach::Complete | Reach::Only),
            doubtful: matches!(self.reach, Reach::Doubtful | Reach::Only),
            partial: false,
            loose: false,
            is_ambiguous: Cell::new(false),
            max_depth: settings.limits.depth(),
            most: settings.limits.max_issues.max(1),
            known: &known,
            texts: TEXTS.iter().fold(0, |bits, place| bits | 1 << *place as u32),
            paths: 1 << Place::Path as u32,
        };
        if !self.has_fault
            && let Some(sound) = self.read_sound(self.json, settings)
        {
            let as_it_was =
                Repaired { text: self.json.to_owned(), marks: Vec::new(), delicate: false, edits: Vec::new() };
            return self.finish(as_it_was, sound, settings).filter(|mended| !mended.fixes.is_empty());
        }
        let inner = || unescaped(self.json, Dialect::Block).or_else(|| inner_text(self.json, rules.max_depth));
        if let Some(inner) = inner().filter(|_| !self.is_late) {
            let repaired = rules.repair_escaped(&inner).ok()?;
            let sound = self.read_sound(&repaired.text, settings)?;
            return self.finish(repaired, sound, settings);
        }
        let first = self.read(&rules, settings);
        if first.as_ref().is_some_and(Mended::is_valid) || !rules.is_ambiguous.get() {
            return first;
        }
        let second = self.read(&Rules { loose: true, ..rules }, settings);
        if second.as_ref().is_some_and(Mended::is_valid) { second } else { first.or(second) }
    }

    fn read(&self, rules: &Rules<'_>, settings: &Settings) -> Option<Mended> {
        let mut repaired = rules.repair(self.json).ok()?;
        let edits = std::mem::take(&mut repaired.edits);
        let mended = self.read_repaired(repaired, settings)?;
        let may_be = |edit: &Edit| !mended.is_valid() || self.is_meant(&mended, edit, rules, settings);
        (edits.len() <= MOST_EDITS && edits.iter().all(may_be)).then_some(mended)
    }

    fn read_repaired(&self, repaired: Repaired, settings: &Settings) -> Option<Mended> {
        let sound = self.read_sound(&repaired.text, settings)?;
        self.finish(repaired, sound, settings)
    }

    /// Whether the calls of a repair are those of the text with its one damage undone in some way, if that has any.
    fn is_meant(&self, mended: &Mended, edit: &Edit, rules: &Rules<'_>, settings: &Settings) -> bool {
        let undone = edit.apply(self.json);
        if !edit.is_number() && structure(&undone) == structure(&mended.json) {
            return true;
        }
        let other = rules.repair(&undone).ok().and_then(|repaired| self.read_repaired(repaired, settings));
        other.is_none_or(|other| {
            let (own, other) = (&mended.checked.calls, &other.checked.calls);
            other.is_empty()
                || own.len() == other.len() && own.iter().zip(other).all(|(own, other)| own.is_alike(other))
        })
    }

    /// Reads a text that is nothing but lists and objects of JSON, one after the other.
    fn read_sound(&self, text: &str, settings: &Settings) -> Option<Sound> {
        self.read_values(text, settings, settings.may_leave_content())
    }

    fn read_values(&self, text: &str, settings: &Settings, leaves_content: bool) -> Option<Sound> {
        let tool = self.tool.map(|name| canonical(name, &settings.tools));
        let recorder = match &tool {
            Some(tool) => Recorder::of_tool(tool, self.number, Preview::default()),
            None => Recorder::new(self.number, Preview::default()),
        };
        let mut recorder = recorder.leaving_content(leaves_content);
        let lexer = record(text, settings.limits.depth(), &mut recorder)?;
        Some(Sound { lexer, recorder })
    }

    /// Mends the fields, and validates.
    fn finish(&self, repaired: Repaired, mut sound: Sound, settings: &Settings) -> Option<Mended> {
        let Repaired { text: mut json, mut marks, delicate, .. } = repaired;
        let tool = self.tool.map(|name| canonical(name, &settings.tools));
        // Of an object that was closed here nobody knows whether it was whole.
        let is_whole = !marks.iter().any(|mark| mark.kind == FixKind::MissingCloser);
        let mend = |sound: &mut Sound| {
            let Recorder { values, calls, .. } = &mut sound.recorder;
            let source = |index: usize, key: &str| {
                let call = json.get(calls.get(index)?.offset..).filter(|_| is_whole)?;
                locate(call, &[key], settings.limits.depth()).first().and_then(|place| call.get(*place..))
            };
            fields::mend(values, &fields::Context { tools: &settings.tools, given: tool.as_deref(), source: &source })
        };
        // What is written anew loses the first of two entries, and which one was meant is not known.
        let mut done = if sound.recorder.has_repeated_key() { Vec::new() } else { mend(&mut sound) };
        // What is left of a text that was ended too early.
        if delicate && fields::are_mixed(&sound.recorder.values, &settings.tools, tool.as_deref()) {
            return None;
        }
        if !done.is_empty() {
            if settings.may_leave_content() && sound.recorder.calls.iter().any(|call| call.has(Place::Content)) {
                // The calls are to be written anew, with all that is in them.
                sound = self.read_values(&json, settings, false)?;
                done = mend(&mut sound);
            }
            let most = settings.limits.max_issues.max(1).saturating_sub(marks.len());
            marks.extend(fields::marks(self.json, done, most));
            json.clear();
            for (index, value) in sound.recorder.values.iter().enumerate() {
                if index > 0 {
                    json.push('\n');
                }
                json.push_str(&fields::pretty(&value.to_json()));
            }
            sound = self.read_sound(&json, settings)?;
        }
        let Sound { lexer, mut recorder } = sound;
        let is_single = recorder.values.len() == 1;
        let reading = Reading {
            json: &json,
            lexer: &lexer,
            recorder: &mut recorder,
            ending: Ending::Closed,
            trailing: None,
            tool: tool.as_deref(),
        };
        let checked = reading.check(settings);
        sort_by_number(&mut marks, |mark: &Mark| mark.offset as u64);
        let fixes = place(self.json, &marks);
        Some(Mended { fixes, checked, json, is_single, next_number: recorder.next_number })
    }
}

/// JSON without a fault, read.
struct Sound {
    lexer: Lexer,
    recorder: Recorder,
}

fn canonical(name: &str, tools: &Tools) -> String {
    tools.find_alias(name).map_or_else(|| name.to_owned(), |tool| tool.name().to_owned())
}

/// Are there more ways to undo a damage, nobody knows what was meant.
const MOST_EDITS: usize = 16;

const TEXTS: [Place; 3] = [Place::Content, Place::OldString, Place::NewString];

/// The number of a key that calls of some tool have. The file tools' keys have numbers of their own; the host's share
/// the others.
fn known_key(key: &str, tools: &Tools) -> Option<u32> {
    // Every other quote of a text may be asked about, and most pieces of text are no names.
    let is_name = key.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let place = if is_name { Place::anywhere(key) } else { None };
    match place {
        Some(place) => Some(place as u32),
        None if tools.has_own_key(key) => {
            let hash = key.bytes().fold(0_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
            Some(8 + hash % 56)
        }
        None => None,
    }
}

/// Reads the values of a text into a recorder.
fn record(text: &str, max_depth: usize, recorder: &mut Recorder) -> Option<Lexer> {
    each_value(text, max_depth, &mut |lexer, text| lexer.feed(text, recorder))
}

/// Reads lists and objects that stand one after the other.
fn each_value(text: &str, max_depth: usize, feed: &mut dyn FnMut(&mut Lexer, &str) -> (usize, Stop)) -> Option<Lexer> {
    let mut lexer = Lexer::strict(max_depth);
    let mut rest = text;
    loop {
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        lexer.skip(blanks);
        rest = rest.get(blanks..)?;
        if rest.is_empty() {
            return Some(lexer).filter(Lexer::is_complete);
        }
        if !rest.starts_with(['{', '[']) {
            return None;
        }
        lexer.restart();
        let (taken, stop) = feed(&mut lexer, rest);
        if stop != Stop::Complete {
            return None;
        }
        rest = rest.get(taken..)?;
    }
}

/// The text of a JSON string that holds an object or a list.
fn inner_text(json: &str, max_depth: usize) -> Option<String> {
    let json = json.trim();
    if !json.starts_with('"') {
        return None;
    }
    match crate::value::parse(json, max_depth).ok()? {
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => Some(text.into()),
        _ => None,
    }
}

/// What became of a text that should hold a block.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockRepair {
    /// The text with its block repaired; as it was, if there was nothing to be done or nothing that could be.
    pub text: String,
    /// What was done.
    pub fixes: Vec<Fix>,
    /// What validating `text` finds.
    pub report: Report,
}

/// Repairs the first JSON block of a text, or a text that should be JSON. With [`Close::Complete`] a bracket that is
/// missing at the end is added, and a closing fence.
#[must_use]
pub fn repair_tool_block(text: &str, close: Close, settings: &Settings) -> BlockRepair {
    let as_it_was = |report| BlockRepair { text: text.to_owned(), fixes: Vec::new(), report };
    let Some(mut first) = first_block(text, settings) else {
        let reach = if close == Close::Complete { Reach::Complete } else { Reach::Closed };
        let broken = Broken { json: text, has_fault: false, reach, tool: None, number: 1, is_late: false };
        let is_in_limits = text.len() <= settings.limits.max_block_bytes;
        return match is_in_limits.then(|| broken.mend(settings)).flatten() {
            Some(Mended { json, fixes, .. }) => {
                BlockRepair { report: validate_tool_block(&json, settings), text: json, fixes }
            }
            None => as_it_was(validate_unfenced(text, settings)),
        };
    };
    // What is wrong with it nobody asks if it can be mended; and what is mended need not be read again.
    let sound = if first.reader.has_fault() { None } else { Some(first.report(settings)) };
    let sound = match sound {
        Some(report) if !report.calls.is_empty() => return as_it_was(report),
        sound => sound,
    };
    let mended = first.reach(close).and_then(|reach| first.reader.mend(reach, settings));
    let repaired = mended.and_then(|Mended { json, fixes, checked, is_single, .. }| {
        let (text, end) = first.with_json(text, &json)?;
        let is_valid = is_single && !checked.calls.is_empty() && checked.issues.is_empty();
        let report = if is_valid && first.ending == Ending::Closed {
            let report = first.report_of(checked.calls, &text, end);
            debug_assert_eq!(validate_tool_block(&text, settings), report);
            report
        } else {
            validate_tool_block(&text, settings)
        };
        Some(BlockRepair { text, fixes, report })
    });
    repaired.unwrap_or_else(|| as_it_was(sound.unwrap_or_else(|| first.report(settings))))
}

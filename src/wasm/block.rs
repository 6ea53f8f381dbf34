//! Tool blocks: pieces of text come as bytes or as units, answers go as a number, a text, or records.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::repair::{JsonRepair, Partial, parse_partial_json, repair_json};
use crate::block::{
    BlockRepair, Delta, Event, InString, Receiver, Settings, TextEnd, TextId, ToolBlockStream, Writer,
    repair_tool_block, validate_tool_block, write_fixes,
};
use crate::limits::Limits;
use crate::value::text::{head, owned, tail};
use crate::value::{Value, concat, parse, utf16_len};

/// The answer to a piece of text. Below 0 it is minus the length of records in the output: long strings, one after the other, and
/// after the last line break JSON. Else it is four times what came, and where the piece ends. What came is nothing, more text of
/// the field of the last delta (1, and twice its bytes in the output), or text (2, and twice its UTF-16 units).
const NOTHING: i32 = 0;
const DELTA: i32 = 1;
const TEXT_OF: i32 = 2;
/// A longer one is told by records.
const LONGEST: usize = 1 << 27;

/// Where a piece ends: not in a string, in one of which nothing is told, or in one that goes on the text of the last delta. In a
/// string JavaScript may read on by itself, up to so many bytes of UTF-8, and hand them over later.
const ELSEWHERE: i32 = 0;
const HIDDEN: i32 = 1;
const SHOWN: i32 = 2;
const AHEAD: usize = 4 << 10;

/// Options are shallow, but for the schemas of tools.
const OPTIONS_DEPTH: usize = 64;

/// A stream of tool blocks, or, with the option `tool`, of the arguments of one call.
#[wasm_bindgen]
pub struct RawBlockStream {
    source: ToolBlockStream,
    answer: Answer,
}

#[wasm_bindgen]
impl RawBlockStream {
    /// A stream with the options in the input.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<Self, String> {
        let (options, settings) = with_text(bytes, read_options)?;
        let source = match options.get("tool").and_then(Value::as_str) {
            Some(tool) => ToolBlockStream::of_call(tool, settings),
            None => ToolBlockStream::new(settings),
        };
        let writer = Writer::after(String::new());
        Ok(Self { source, answer: Answer { writer, last: Last::Nothing, known: None } })
    }

    /// Takes the piece of text in the input.
    pub fn push(&mut self, bytes: usize) -> i32 {
        let Self { source, answer, .. } = self;
        with_text(bytes, |text| {
            source.push(text, answer);
            answer.give(source.in_string(AHEAD))
        })
    }

    /// Takes more of the string in which the last piece ended: JavaScript knows what it comes to.
    pub fn catch_up(&mut self, bytes: usize) -> i32 {
        let Self { source, answer, .. } = self;
        with_text(bytes, |text| source.push(text, answer));
        answer.last = Last::Nothing;
        answer.ends(source.in_string(AHEAD))
    }

    /// The text is over; `complete` says that it is whole.
    pub fn end(&mut self, complete: bool) -> i32 {
        let Self { source, answer, .. } = self;
        source.end(text_end(complete), answer);
        answer.give(None)
    }
}

/// What is said of a text that ends.
const fn text_end(complete: bool) -> TextEnd {
    if complete { TextEnd::Complete } else { TextEnd::MaybeCut }
}

/// Validates the text in the input: one line of options, and the text.
#[wasm_bindgen]
pub fn validate_block(bytes: usize) -> Result<usize, String> {
    answer_about(bytes, &|text, settings| BlockRepair {
        text: String::new(),
        fixes: Vec::new(),
        report: validate_tool_block(text, settings),
    })
}

/// Repairs the block in the input: one line of options, and the text. The answer is the repaired text, if anything was
/// done, and after the last line break what was done and the report on it.
#[wasm_bindgen]
pub fn repair_block(bytes: usize, complete: bool) -> Result<usize, String> {
    answer_about(bytes, &|text, settings| repair_tool_block(text, text_end(complete), settings))
}

fn answer_about(bytes: usize, run: &dyn Fn(&str, &Settings) -> BlockRepair) -> Result<usize, String> {
    let BlockRepair { text, fixes, report } = with_text(bytes, |input| {
        let (settings, text) = read_input(input)?;
        Ok::<_, String>(run(text, &settings))
    })?;
    Ok(respond(|out| {
        if !fixes.is_empty() {
            out.push_str(&text);
        }
        out.push('\n');
        let mut writer = Writer::after(std::mem::take(out));
        writer.outcome(&report, &fixes);
        *out = writer.json;
    }))
}

/// Repairs the JSON in the input: one line of options, and the text. The answer is the text, and after the last line break
/// what was done; nothing but that if nothing was.
#[wasm_bindgen]
pub fn repair_text(bytes: usize, complete: bool) -> Result<usize, String> {
    let JsonRepair { text, fixes, ok } = with_text(bytes, |input| {
        let (settings, text) = read_input(input)?;
        Ok::<_, String>(repair_json(text, text_end(complete), &settings.limits))
    })?;
    Ok(respond(|out| {
        if !fixes.is_empty() {
            out.push_str(&text);
        }
        out.push_str(if ok { "\n{\"ok\":true" } else { "\n{\"ok\":false" });
        write_fixes(out, &fixes);
        out.push('}');
    }))
}

/// What is there of the JSON in the input, and before it whether it is whole: `+` or `-`.
#[wasm_bindgen]
pub fn partial_text(bytes: usize) -> usize {
    let Partial { text, complete } = with_text(bytes, |text| parse_partial_json(text, &Limits::default()));
    respond(|out| {
        out.push(if complete { '+' } else { '-' });
        out.push_str(&text);
    })
}

/// Reads one line of options, and a text.
fn read_input(input: &str) -> Result<(Settings, &str), String> {
    let end = input.bytes().position(|byte| byte == b'\n').unwrap_or(input.len());
    let text = tail(input, end + 1);
    if end == 0 {
        return Ok((Settings::default(), text));
    }
    Ok((read_options(head(input, end))?.1, text))
}

fn read_options(text: &str) -> Result<(Value, Settings), String> {
    let misuse = |message: String| concat(&["INVALID_ARGUMENT: ", &message]);
    let options = parse(text, OPTIONS_DEPTH).map_err(|_| misuse(owned("The options are nested too deeply.")))?;
    let settings = Settings::from_value(&options).map_err(misuse)?;
    Ok((options, settings))
}

/// What came out of one piece of text. The last thing is not written down until it is clear that it is not the only one.
struct Answer {
    writer: Writer,
    last: Last,
    /// The field of the last delta that JavaScript has seen as a record.
    known: Option<TextId>,
}

enum Last {
    Nothing,
    /// So many UTF-16 units of text.
    Text(usize),
    Delta(Delta),
}

impl Answer {
    fn ends(&self, inside: Option<InString>) -> i32 {
        match inside {
            Some(InString::Hidden) => HIDDEN,
            Some(InString::Shown(field)) if self.known == Some(field) => SHOWN,
            Some(InString::Shown(_)) | None => ELSEWHERE,
        }
    }

    fn give(&mut self, inside: Option<InString>) -> i32 {
        let status = match &self.last {
            _ if !self.writer.json.is_empty() => None,
            Last::Nothing => Some(NOTHING),
            Last::Text(units) if *units < LONGEST => Some(TEXT_OF + 2 * size(*units)),
            Last::Delta(Delta { of, delta, .. }) if self.known == Some(*of) && delta.len() < LONGEST => {
                Some(DELTA + 2 * size(respond(|out| out.push_str(delta))))
            }
            Last::Text(_) | Last::Delta(..) => None,
        };
        if let Some(status) = status {
            self.last = Last::Nothing;
            return 4 * status + self.ends(inside);
        }
        self.write_last();
        let length = respond(|out| {
            std::mem::swap(out, self.writer.beside.get_or_insert_default());
            out.push_str("\n[");
            out.push_str(&self.writer.json);
            out.push(']');
        });
        self.writer.json.clear();
        self.writer.beside.get_or_insert_default().clear();
        -size(length)
    }

    fn write_last(&mut self) {
        match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Nothing => {}
            Last::Text(units) => self.writer.text_of(units),
            Last::Delta(delta) => {
                self.known = Some(delta.of);
                self.writer.event(&Event::Delta(delta));
            }
        }
    }
}

impl Receiver for Answer {
    fn text(&mut self, text: &str) {
        let more = utf16_len(text);
        if let Last::Text(units) = &mut self.last {
            *units += more;
            return;
        }
        self.write_last();
        self.last = Last::Text(more);
    }

    fn reasoning(&mut self, text: &str) {
        self.write_last();
        self.writer.units_of("reasoning", utf16_len(text));
    }

    fn skip(&mut self, tag: &str) {
        self.write_last();
        self.writer.units_of("skip", utf16_len(tag));
    }

    fn event(&mut self, event: Event) {
        self.write_last();
        if let Event::Delta(delta) = event {
            self.writer.show(&delta);
            self.last = Last::Delta(delta);
        } else {
            self.writer.event(&event);
        }
    }
}

/// A length as a status: no answer is as long as 2 GiB.
fn size(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

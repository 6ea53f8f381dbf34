//! Tool blocks: pieces of text come as bytes or as units, answers go as a number, a text, or records.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::repair::{BlockRepair, JsonRepair, Partial, parse_partial_json, repair_json, repair_tool_block};
use crate::block::{
    Block, Close, Delta, InString, Receiver, Settings, Status, Strings, ToolBlockStream, ToolId, Writer,
    validate_tool_block,
};
use crate::limits::Limits;
use crate::value::text::{head, owned, tail};
use crate::value::{Value, concat, parse, utf16_len};

/// What a piece of text came to, four times, and where it ends. A larger number is a length, twice: from [`DELTA`] on that of
/// more text of the field of the last delta, from [`TEXT_OF`] on how much text of what was held came out. A negative one is,
/// by itself, the length of records: long strings, one after the other, and after the last line break JSON.
const NOTHING: i32 = 0;
/// The piece is text, as a whole.
const TEXT: i32 = 1;
/// The piece is more text of the field of the last delta, as a whole.
const DELTA_AS_IS: i32 = 2;
const DELTA: i32 = 3;
const TEXT_OF: i32 = 4;
/// A longer one is told by records.
const LONGEST: usize = 1 << 27;

/// Where a piece ends: in a string of which nothing is told, or of which the text goes on that of the last delta. There
/// JavaScript may read on by itself, up to so many bytes of UTF-8, and hand them over later.
const HIDDEN: i32 = 1;
const SHOWN: i32 = 2;
const AHEAD: usize = 4 << 10;

/// Options are shallow, but for the schemas of tools.
const OPTIONS_DEPTH: usize = 64;

/// What the buffers of an answer may keep.
const KEPT: usize = 1 << 20;

/// A stream of tool blocks, or, with the option `tool`, of the arguments of one call.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawBlockStream {
    source: ToolBlockStream,
    answer: Answer,
}

#[wasm_bindgen]
impl RawBlockStream {
    /// A stream with the options in the input.
    ///
    /// # Errors
    /// `CODE: message`.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<Self, String> {
        let (options, settings) = with_text(bytes, read_options)?;
        let source = match options.get("tool").and_then(Value::as_str) {
            Some(tool) => ToolBlockStream::of_call(tool, settings),
            None => ToolBlockStream::new(settings),
        };
        Ok(Self { source, answer: Answer::default() })
    }

    /// Takes the piece of text in the input.
    pub fn push(&mut self, bytes: usize) -> i32 {
        let Self { source, answer, .. } = self;
        with_text(bytes, |text| {
            source.push(text, &mut Answering { answer, piece: text });
            answer.give(text, source.in_string(AHEAD))
        })
    }

    /// Takes the text in the input, of which JavaScript has told already what it came to: it is more of the string in which
    /// the last piece ended.
    pub fn follow(&mut self, bytes: usize) -> i32 {
        let Self { source, answer, .. } = self;
        with_text(bytes, |text| source.push(text, &mut Following(&mut answer.shown)));
        answer.ends(source.in_string(AHEAD))
    }

    /// The text is over; `complete` says that it is whole.
    pub fn end(&mut self, complete: bool) -> i32 {
        let Self { source, answer, .. } = self;
        source.end(close(complete), &mut Answering { answer, piece: "" });
        answer.give("", None)
    }
}

/// What is said of a text that ends.
const fn close(complete: bool) -> Close {
    if complete { Close::Complete } else { Close::Open }
}

/// Validates the text in the input: one line of options, and the text.
///
/// # Errors
/// `CODE: message`.
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
///
/// # Errors
/// `CODE: message`.
#[wasm_bindgen]
pub fn repair_block(bytes: usize, complete: bool) -> Result<usize, String> {
    answer_about(bytes, &|text, settings| repair_tool_block(text, close(complete), settings))
}

/// JavaScript reads the JSON in the text by itself, so the texts of files are left out, unless the report has to hold the
/// values.
fn answer_about(bytes: usize, run: &dyn Fn(&str, &Settings) -> BlockRepair) -> Result<usize, String> {
    let BlockRepair { text, fixes, report } = with_text(bytes, |input| {
        let (mut settings, text) = read_input(input)?;
        settings.leaves_content = true;
        let found = run(text, &settings);
        if !found.report.holds_the_values() {
            return Ok::<_, String>(found);
        }
        settings.leaves_content = false;
        Ok(run(text, &settings))
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
///
/// # Errors
/// `CODE: message`.
#[wasm_bindgen]
pub fn repair_text(bytes: usize, complete: bool) -> Result<usize, String> {
    let JsonRepair { text, fixes, ok } = with_text(bytes, |input| {
        let (settings, text) = read_input(input)?;
        Ok::<_, String>(repair_json(text, close(complete), &settings.limits))
    })?;
    Ok(respond(|out| {
        if !fixes.is_empty() {
            out.push_str(&text);
        }
        out.push_str(if ok { "\n{\"ok\":true" } else { "\n{\"ok\":false" });
        let mut writer = Writer { json: std::mem::take(out), ..Writer::default() };
        writer.fixes(&fixes);
        *out = writer.json;
        out.push('}');
    }))
}

/// What is there of the JSON in the input, and before it whether it is whole: `+` or `-`.
#[wasm_bindgen]
#[must_use]
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

/// The field of a delta: its call, the index of that in its block, its name.
type Field = (ToolId, usize, &'static str);

/// What came out of one piece of text. The last thing is not written down until it is clear that it is not the only one.
#[derive(Debug)]
struct Answer {
    writer: Writer,
    last: Last,
    last_text: String,
    /// The field of the last delta that JavaScript has seen as a record.
    known: Option<Field>,
    shown: Shown,
}

/// How many bytes of which texts of a block deltas have shown.
#[derive(Debug, Default)]
struct Shown(Vec<(Field, usize)>);

impl Shown {
    fn add(&mut self, field: Field, bytes: usize) {
        // Fields come one after the other.
        match self.0.last_mut() {
            Some((own, shown)) if *own == field => *shown += bytes,
            _ => self.0.push((field, bytes)),
        }
    }

    /// The texts of the block's calls that were shown whole; of a block that was repaired they are others.
    fn take(&mut self, block: &Block) -> Vec<(usize, &'static str)> {
        let mut whole = Vec::new();
        for ((_, index, key), bytes) in std::mem::take(&mut self.0) {
            let text = block.calls.get(index).and_then(|call| call.text(key));
            if block.repaired.is_none() && text.is_some_and(|text| text.len() == bytes) {
                whole.push((index, key));
            }
        }
        whole
    }
}

#[derive(Clone, Copy, Debug)]
enum Last {
    Nothing,
    /// The piece itself, as text.
    Piece,
    /// The piece itself, as more text of the known field, which has so many UTF-16 units then.
    PieceOfField(Field, usize),
    /// So many UTF-16 units of text.
    Text(usize),
    /// More text of a field, which has so many UTF-16 units then.
    Delta(Field, usize),
}

impl Default for Answer {
    fn default() -> Self {
        Self {
            writer: Writer::beside(),
            last: Last::Nothing,
            last_text: String::new(),
            known: None,
            shown: Shown::default(),
        }
    }
}

impl Answer {
    /// Where a piece ends.
    fn ends(&self, inside: Option<InString>) -> i32 {
        match inside {
            None => 0,
            Some(InString::Hidden) => HIDDEN,
            Some(InString::Shown(id, index, key)) => SHOWN * i32::from(self.known == Some((id, index, key))),
        }
    }

    /// Hands over what the piece came to.
    fn give(&mut self, piece: &str, inside: Option<InString>) -> i32 {
        if self.writer.json.is_empty() {
            let status = match self.last {
                Last::Nothing => Some(NOTHING),
                Last::Piece => Some(TEXT),
                Last::PieceOfField(..) => Some(DELTA_AS_IS),
                Last::Text(units) if units < LONGEST => Some(TEXT_OF + 2 * size(units)),
                Last::Delta(field, _) if self.known == Some(field) && self.last_text.len() < LONGEST => {
                    Some(DELTA + 2 * size(respond(|out| out.push_str(&self.last_text))))
                }
                Last::Text(_) | Last::Delta(..) => None,
            };
            if let Some(status) = status {
                self.last = Last::Nothing;
                self.last_text.clear();
                return 4 * status + self.ends(inside);
            }
        }
        self.settle(piece);
        let length = respond(|out| {
            if let Strings::Beside(strings) = &mut self.writer.strings {
                std::mem::swap(out, strings);
            }
            out.push_str("\n[");
            out.push_str(&self.writer.json);
            out.push(']');
        });
        if length > KEPT {
            self.last_text = String::new();
        }
        self.writer.clear();
        -size(length)
    }

    /// Writes the last thing down.
    fn settle(&mut self, piece: &str) {
        let delta = match std::mem::replace(&mut self.last, Last::Nothing) {
            Last::Nothing => return,
            Last::Piece => return self.text(utf16_len(piece)),
            Last::Text(units) => return self.text(units),
            Last::PieceOfField(field, length) => {
                self.last_text.push_str(piece);
                (field, length)
            }
            Last::Delta(field, length) => (field, length),
        };
        let (known @ (tool_id, index, field), length) = delta;
        self.writer.delta(&Delta { tool_id, index, field, delta: &*self.last_text, length });
        self.known = Some(known);
        self.last_text.clear();
    }

    fn text(&mut self, units: usize) {
        self.writer.text_of(units);
    }

    /// Whether this piece has come to nothing yet.
    const fn is_fresh(&self) -> bool {
        matches!(self.last, Last::Nothing) && self.writer.json.is_empty()
    }
}

/// An answer, and the piece of text to which it is one.
struct Answering<'a> {
    answer: &'a mut Answer,
    piece: &'a str,
}

impl Receiver for Answering<'_> {
    fn text(&mut self, text: &str) {
        if self.answer.is_fresh() && text == self.piece {
            self.answer.last = Last::Piece;
            return;
        }
        let before = match self.answer.last {
            Last::Text(units) => units,
            Last::Nothing | Last::Piece | Last::PieceOfField(..) | Last::Delta(..) => {
                self.answer.settle(self.piece);
                0
            }
        };
        self.answer.last = Last::Text(before + utf16_len(text));
    }

    fn status(&mut self, status: Status<&str>) {
        self.answer.settle(self.piece);
        self.answer.writer.status(&status);
    }

    fn delta(&mut self, delta: Delta<&str>) {
        let field = (delta.tool_id, delta.index, delta.field);
        self.answer.shown.add(field, delta.delta.len());
        if self.answer.is_fresh() && self.answer.known == Some(field) && delta.delta == self.piece {
            self.answer.last = Last::PieceOfField(field, delta.length);
            return;
        }
        self.answer.settle(self.piece);
        self.answer.last = Last::Delta(field, delta.length);
        self.answer.last_text.push_str(delta.delta);
    }

    fn block(&mut self, block: Block) {
        self.answer.settle(self.piece);
        self.answer.writer.shown = self.answer.shown.take(&block);
        self.answer.writer.block(&block);
    }
}

/// Keeps count of what JavaScript tells by itself: in a string nothing else than deltas comes out.
struct Following<'a>(&'a mut Shown);

impl Receiver for Following<'_> {
    fn delta(&mut self, delta: Delta<&str>) {
        self.0.add((delta.tool_id, delta.index, delta.field), delta.delta.len());
    }
}

/// A length as a status: no answer is as long as 2 GiB.
fn size(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}

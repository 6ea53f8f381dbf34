//! The exports of `blocks.wasm` for tool blocks: streams, and functions that validate, repair or complete one text.
//!
//! `bytes` is always the length of the text in the input buffer ([`super::io`]). `push` and `end` return a number that
//! describes the output, see [`crate::block::answer`]. The other functions return the length of the text that they have
//! written to the output buffer, and, if they can fail, the negative length of a refusal, see [`length_or_refusal`].

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::block::repair::{JsonRepair, Partial, parse_partial_json, repair_json};
use crate::block::{
    BlockRepair, Delta, Event, Receiver, Settings, TextEnd, TextId, ToolBlockStream, Writer, answer, repair_tool_block,
    validate_tool_block, write_fixes,
};
use crate::limits::Limits;
use crate::value::text::{head, owned, tail};
use crate::value::{Value, concat, parse, utf16_len};

/// The maximum depth of options, which are shallow but for the schemas of tools.
const OPTIONS_DEPTH: usize = 64;

/// A stream of tool blocks, or, with the option `tool`, of the arguments of one call.
#[wasm_bindgen]
pub struct RawBlockStream {
    source: ToolBlockStream,
    output: StreamOutput,
}

#[wasm_bindgen]
impl RawBlockStream {
    /// A stream with the default options.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        let writer = Writer::with_long_strings_apart(String::new());
        let source = ToolBlockStream::new(Settings::default());
        Self { source, output: StreamOutput { writer, last: LastItem::Nothing, written_text_id: None } }
    }

    /// Sets the options, before any text is read. Returns 0, or the negative length of a refusal.
    pub fn configure(&mut self, bytes: usize) -> isize {
        length_or_refusal(with_text(bytes, read_options).map(|(options, settings)| {
            self.source = match options.get("tool").and_then(Value::as_str) {
                Some(tool) => ToolBlockStream::of_call(tool, settings),
                None => ToolBlockStream::new(settings),
            };
            0
        }))
    }

    /// Reads the piece of text in the input.
    pub fn push(&mut self, bytes: usize) -> usize {
        let Self { source, output } = self;
        with_text(bytes, |text| source.push(text, output));
        output.write()
    }

    /// Ends the text; `complete`: the message was not cut off.
    pub fn end(&mut self, complete: bool) -> usize {
        let Self { source, output } = self;
        source.end(text_end(complete), output);
        output.write()
    }
}

/// `complete`: the text was not cut off.
const fn text_end(complete: bool) -> TextEnd {
    if complete { TextEnd::Complete } else { TextEnd::MaybeCut }
}

/// Returns the length of an answer. A refusal is written to the output buffer, and its negative length is returned.
fn length_or_refusal(answer: Result<usize, String>) -> isize {
    match answer {
        Ok(length) => length.cast_signed(),
        Err(refusal) => -respond(|out| out.push_str(&refusal)).cast_signed(),
    }
}

/// Validates the text in the input: one line of options, and the text. The answer has the format of [`repair_block`], with an
/// empty text and no changes.
#[wasm_bindgen]
pub fn validate_block(bytes: usize) -> isize {
    answer_about(bytes, &|text, settings| BlockRepair {
        text: String::new(),
        fixes: Vec::new(),
        report: validate_tool_block(text, settings),
    })
}

/// Repairs the block in the input: one line of options, and the text. The answer is the repaired text, if anything was
/// changed, and after the last line feed the changes and the report.
#[wasm_bindgen]
pub fn repair_block(bytes: usize, complete: bool) -> isize {
    answer_about(bytes, &|text, settings| repair_tool_block(text, text_end(complete), settings))
}

/// Writes the answer of [`validate_block`] and [`repair_block`]: what `run` returns for the text and the options in the input.
fn answer_about(bytes: usize, run: &dyn Fn(&str, &Settings) -> BlockRepair) -> isize {
    let answer = with_text(bytes, |input| {
        let (settings, text) = read_input(input)?;
        Ok(run(text, &settings))
    });
    length_or_refusal(answer.map(|BlockRepair { text, fixes, report }| {
        respond(|out| {
            if !fixes.is_empty() {
                out.push_str(&text);
            }
            out.push('\n');
            // A report puts no string into `long_strings`: JavaScript reads long strings from the text of the block.
            // The writer owns its buffer, so the output is moved into the writer and back.
            let mut writer = Writer::with_long_strings_apart(std::mem::take(out));
            writer.repair_outcome(&report, &fixes);
            *out = writer.json;
        })
    }))
}

/// Repairs the JSON in the input: one line of options, and the text. The answer is the repaired text, if anything was
/// changed, and after the last line feed the changes.
#[wasm_bindgen]
pub fn repair_text(bytes: usize, complete: bool) -> isize {
    let answer = with_text(bytes, |input| {
        let (settings, text) = read_input(input)?;
        Ok(repair_json(text, text_end(complete), &settings.limits))
    });
    length_or_refusal(answer.map(|JsonRepair { text, fixes, ok }| {
        respond(|out| {
            if !fixes.is_empty() {
                out.push_str(&text);
            }
            out.push_str(if ok { "\n{\"ok\":true" } else { "\n{\"ok\":false" });
            write_fixes(out, &fixes);
            out.push('}');
        })
    }))
}

/// Completes the JSON in the input as far as it has arrived. The answer begins with `+` if the JSON was complete, else with
/// `-`.
#[wasm_bindgen]
pub fn partial_text(bytes: usize) -> usize {
    let Partial { text, complete } = with_text(bytes, |text| parse_partial_json(text, &Limits::default()));
    respond(|out| {
        out.push(if complete { '+' } else { '-' });
        out.push_str(&text);
    })
}

/// Reads one line of options, which is empty for the default ones, and a text.
fn read_input(input: &str) -> Result<(Settings, &str), String> {
    let options_length = input.bytes().position(|byte| byte == b'\n').unwrap_or(input.len());
    let text = tail(input, options_length + 1);
    if options_length == 0 {
        return Ok((Settings::default(), text));
    }
    let (_, settings) = read_options(head(input, options_length))?;
    Ok((settings, text))
}

/// Reads the options of blocks; also returns their JSON, which may have the option `tool` of a stream. The error is a refusal.
fn read_options(text: &str) -> Result<(Value, Settings), String> {
    let misuse = |message: String| concat(&["INVALID_ARGUMENT: ", &message]);
    // `JSON.stringify` has written the text, so only its depth can be an error.
    let options = parse(text, OPTIONS_DEPTH).map_err(|_| misuse(owned("The options are nested too deeply.")))?;
    let settings = Settings::from_value(&options).map_err(misuse)?;
    Ok((options, settings))
}

/// Collects what one piece of text produces. The last item is written only once another follows: alone it may need no JSON.
struct StreamOutput {
    /// The items before the last one, as JSON.
    writer: Writer,
    last: LastItem,
    /// The text id of the last delta that was written as JSON; `None` before the first one. A further delta of this text needs no
    /// id.
    written_text_id: Option<TextId>,
}

/// The last item of a piece, not yet written.
enum LastItem {
    Nothing,
    /// Text of this many UTF-16 units.
    Text(usize),
    Delta(Delta),
}

impl StreamOutput {
    /// Writes the output and returns the number that describes it. A piece that produced only more text, or only more of the
    /// field of the last delta, needs no JSON. Any other output is the concatenated long strings, a line feed, and the events as
    /// JSON, which has the length of each long string.
    fn write(&mut self) -> usize {
        let last = std::mem::replace(&mut self.last, LastItem::Nothing);
        if self.writer.json.is_empty() {
            match &last {
                // Text of no length.
                LastItem::Nothing => return answer::encode(answer::TEXT, 0),
                LastItem::Text(units) => return answer::encode(answer::TEXT, *units),
                LastItem::Delta(Delta { text_id, delta, .. }) if self.written_text_id == Some(*text_id) => {
                    return answer::encode(answer::DELTA, respond(|out| out.push_str(delta)));
                }
                LastItem::Delta(_) => {}
            }
        }
        self.write_item(last);
        let length = respond(|out| {
            // Swapped, so that nothing is copied.
            std::mem::swap(out, self.writer.long_strings.get_or_insert_default());
            out.push_str("\n[");
            out.push_str(&self.writer.json);
            out.push(']');
        });
        self.writer.json.clear();
        self.writer.long_strings.get_or_insert_default().clear();
        answer::encode(answer::RECORDS, length)
    }

    /// Writes the last item as JSON, before another one becomes the last.
    fn write_last(&mut self) {
        let last = std::mem::replace(&mut self.last, LastItem::Nothing);
        self.write_item(last);
    }

    fn write_item(&mut self, item: LastItem) {
        match item {
            LastItem::Nothing => {}
            LastItem::Text(units) => self.writer.text_event(units),
            LastItem::Delta(delta) => {
                self.written_text_id = Some(delta.text_id);
                self.writer.event(&Event::Delta(delta));
            }
        }
    }
}

impl Receiver for StreamOutput {
    fn text(&mut self, text: &str) {
        let new_units = utf16_len(text);
        if let LastItem::Text(units) = &mut self.last {
            *units += new_units;
            return;
        }
        self.write_last();
        self.last = LastItem::Text(new_units);
    }

    fn reasoning(&mut self, text: &str) {
        self.write_last();
        self.writer.length_event("reasoning", utf16_len(text));
    }

    fn skip(&mut self, tag: &str) {
        self.write_last();
        self.writer.length_event("skip", utf16_len(tag));
    }

    fn event(&mut self, event: Event) {
        self.write_last();
        if let Event::Delta(delta) = event {
            // A delta without JSON counts too: the block refers to texts that deltas have emitted.
            self.writer.count_delta(&delta);
            self.last = LastItem::Delta(delta);
        } else {
            self.writer.event(&event);
        }
    }
}

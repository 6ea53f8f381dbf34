//! Formats of calls that are not JSON, or whose tool is named outside of the JSON. They are off unless the option `formats`
//! names them, since their marks may stand in prose.
//!
//! Two kinds: a header that names the tool, with JSON behind it ([`Header::Json`]); and a text of its own grammar, which is
//! translated into the flat form `{"tool": …}` ([`translate`]).

use super::TextEnd;
use super::Tools;
use super::repair::repair_json;
use super::tools::{CallField, Tool};
use crate::limits::Limits;
use crate::value::text::{head, owned, part, tail};
use crate::value::{Object, Value, find, parse};

/// A format, by the name in the option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `<tool_call>` around JSON, which is always read.
    Hermes,
    /// `[TOOL_CALLS]name[ARGS]{…}`; `[TOOL_CALLS][{…}]` is always read.
    Mistral,
    /// `<function=name>{…}</function>`; `<|python_tag|>{…}` is always read.
    Llama3,
    /// `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{…}<｜tool▁call▁end｜>`
    Deepseek,
    /// `<function=name><parameter=key>value</parameter></function>`
    Qwen3Coder,
    /// `<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>`
    Harmony,
    /// `<invoke name="name"><parameter name="key">value</parameter></invoke>`
    AnthropicXml,
    /// `[name(key="value")]`
    Pythonic,
}

/// The formats and their names.
pub const FORMATS: &[(&str, Format)] = &[
    ("hermes", Format::Hermes),
    ("mistral", Format::Mistral),
    ("llama3", Format::Llama3),
    ("deepseek", Format::Deepseek),
    ("qwen3-coder", Format::Qwen3Coder),
    ("harmony", Format::Harmony),
    ("anthropic-xml", Format::AnthropicXml),
    ("pythonic", Format::Pythonic),
];

/// What the beginning of a text is in the formats that are on.
#[derive(Debug)]
pub(super) enum Header {
    No,
    Maybe,
    /// The name of a tool; its arguments are JSON from this byte on.
    Json {
        tool: String,
        json: usize,
    },
    /// A call in a grammar of its own.
    Text(Grammar),
    /// Marks around a message that is no call.
    Marks,
}

/// The grammar of a call that is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    Xml,
    Python,
}

/// A header is no longer than this.
pub(super) const LONGEST_HEADER: usize = 256;

const DEEPSEEK_LIST: &str = "<｜tool▁calls▁begin｜>";
const DEEPSEEK_CALL: &str = "<｜tool▁call▁begin｜>";
const DEEPSEEK_NAME: &str = "<｜tool▁sep｜>";

/// Whether a header of a format that is on may begin inside a line: its marks are tokens that no prose has.
pub(super) fn begins_anywhere(formats: &[Format], byte: u8) -> bool {
    byte == b'<' && formats.iter().any(|format| matches!(format, Format::Deepseek | Format::Harmony))
}

/// Reads a header; inside a line only one that may stand there.
pub(super) fn read_header(text: &str, formats: &[Format], tools: &Tools, is_inside: bool) -> Header {
    if text.len() > LONGEST_HEADER {
        return Header::No;
    }
    let mut found = Header::No;
    for format in formats {
        if is_inside && !matches!(format, Format::Deepseek | Format::Harmony) {
            continue;
        }
        let header = match format {
            Format::Hermes => Header::No,
            Format::Mistral => mistral(text),
            Format::Llama3 => function(text, true),
            Format::Qwen3Coder => function(text, false),
            Format::Deepseek => deepseek(text),
            Format::Harmony => harmony(text),
            Format::AnthropicXml => after(text, "<invoke name=\"").map_or_else(
                |header| header,
                |rest| named(rest, "\">").map_or_else(|header| header, |_| Header::Text(Grammar::Xml)),
            ),
            Format::Pythonic => pythonic(text, tools),
        };
        match header {
            Header::No => {}
            Header::Maybe => found = Header::Maybe,
            header => return header,
        }
    }
    found
}

/// What stands behind a mark; if that has not arrived whole, whether it may.
fn after<'a>(text: &'a str, mark: &str) -> Result<&'a str, Header> {
    match text.strip_prefix(mark) {
        Some(rest) => Ok(rest),
        None if mark.starts_with(text) => Err(Header::Maybe),
        None => Err(Header::No),
    }
}

/// A name up to a mark, and what stands behind that.
fn named<'a>(text: &'a str, end: &str) -> Result<(&'a str, &'a str), Header> {
    let length = text.find(|char: char| !is_name(char)).unwrap_or(text.len());
    let (name, rest) = text.split_at(length);
    if name.is_empty() {
        return Err(if rest.is_empty() { Header::Maybe } else { Header::No });
    }
    Ok((name, after(rest, end)?))
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.' | ':')
}

/// JSON of which the first bracket has arrived.
fn json(tool: &str, text: &str, rest: &str) -> Header {
    match rest.trim_ascii_start().as_bytes().first() {
        None => Header::Maybe,
        Some(b'{') => Header::Json { tool: owned(tool), json: text.len() - rest.trim_ascii_start().len() },
        Some(_) => Header::No,
    }
}

fn mistral(text: &str) -> Header {
    let read = || {
        let rest = after(text, "[TOOL_CALLS]")?;
        let (name, rest) = match named(rest, "[ARGS]") {
            Err(Header::No) => {
                let (name, rest) = named(rest, "[CALL_ID]")?;
                (name, named(rest, "[ARGS]")?.1)
            }
            other => other?,
        };
        Ok(json(name, text, rest))
    };
    read().unwrap_or_else(|header| header)
}

/// `<function=name>`, with JSON or with parameters behind it.
fn function(text: &str, is_json: bool) -> Header {
    let read = || {
        let (name, rest) = named(after(text, "<function=")?, ">")?;
        if is_json {
            return Ok(json(name, text, rest));
        }
        let rest = rest.trim_ascii_start();
        let begins = |mark| after(rest, mark).map(|_| Header::Text(Grammar::Xml));
        match begins("<parameter=") {
            Err(Header::No) => begins("</function>"),
            other => other,
        }
    };
    read().unwrap_or_else(|header| header)
}

fn deepseek(text: &str) -> Header {
    let read = || {
        let rest = match after(text, DEEPSEEK_LIST) {
            Ok(rest) if rest.trim_ascii_start().is_empty() => return Ok(Header::Maybe),
            Ok(rest) => rest.trim_ascii_start(),
            Err(Header::Maybe) => return Ok(Header::Maybe),
            Err(_) => text,
        };
        let (name, rest) = named(after(rest, DEEPSEEK_CALL)?, DEEPSEEK_NAME)?;
        if name != "function" {
            return Ok(json(name, text, rest));
        }
        // V3 and R1: the name stands behind the type, the arguments in a fence.
        let (name, rest) = named(rest, "\n```json\n")?;
        Ok(json(name, text, rest))
    };
    read().unwrap_or_else(|header| header)
}

fn harmony(text: &str) -> Header {
    const MESSAGE: &str = "<|message|>";
    const ENDS: [&str; 3] = ["<|end|>", "<|return|>", "<|call|>"];
    if ENDS.contains(&text) {
        return Header::Marks;
    }
    let begins = |mark: &str| text.starts_with(mark) || mark.starts_with(text);
    if !begins("<|channel|>") && !begins("<|start|>assistant") {
        return if ENDS.iter().any(|end| end.starts_with(text)) { Header::Maybe } else { Header::No };
    }
    let Some(end) = find(text, MESSAGE) else { return Header::Maybe };
    let header = head(text, end);
    let rest = tail(text, end + MESSAGE.len());
    match find(header, " to=") {
        None => Header::Marks,
        Some(place) => {
            let name = tail(header, place + " to=".len());
            let length = name.find(|char: char| !is_name(char)).unwrap_or(name.len());
            json(head(name, length), text, rest)
        }
    }
}

fn pythonic(text: &str, tools: &Tools) -> Header {
    let read = || {
        let (name, _) = named(after(text, "[")?, "(")?;
        Ok(if tools.find_written(name).is_some() { Header::Text(Grammar::Python) } else { Header::No })
    };
    read().unwrap_or_else(|header| header)
}

/// Where a call in a grammar of its own ends; `None` if that has not arrived.
pub(super) fn end_of(text: &str, grammar: Grammar) -> Option<usize> {
    match grammar {
        Grammar::Xml => ["</function>", "</invoke>"].iter().find_map(|end| {
            // The text of a parameter may hold the mark.
            let before = text.strip_suffix(end)?.trim_ascii_end();
            let is_empty = !before.contains("<parameter");
            (is_empty || before.ends_with("</parameter>")).then_some(text.len())
        }),
        Grammar::Python => text.ends_with(']').then(|| calls_of(text)).flatten().map(|_| text.len()),
    }
}

/// The calls in a text of another grammar, in the flat form.
pub(super) fn translate(text: &str, grammar: Grammar, tools: &Tools) -> Option<Vec<Value>> {
    match grammar {
        Grammar::Xml => Some(vec![xml(text, tools)?]),
        Grammar::Python => calls_of(text)?.into_iter().map(|(name, arguments)| python(name, arguments)).collect(),
    }
}

fn flat(name: &str) -> Object {
    let mut call = Object::new();
    call.set(CallField::Tool.key(), Value::from(name));
    call
}

/// `<function=name><parameter=key>value</parameter>…</function>`, or the same with `<invoke name="…">`.
fn xml(text: &str, tools: &Tools) -> Option<Value> {
    let start = find(text, "<function=").map(|place| place + "<function=".len());
    let start = start.or_else(|| find(text, "<invoke name=\"").map(|place| place + "<invoke name=\"".len()))?;
    let (name, mut rest) = named(tail(text, start), "").ok()?;
    let tool = tools.find_written(name);
    let mut call = flat(name);
    while let Some(place) = find(rest, "<parameter") {
        rest = tail(rest, place + "<parameter".len());
        let (key, behind) = match rest.strip_prefix('=') {
            Some(rest) => rest.split_once('>')?,
            None => rest.trim_ascii_start().strip_prefix("name=\"")?.split_once("\">")?,
        };
        // The text goes to the last closing tag before the next parameter.
        let next = ["\n<parameter=", "\n<parameter name=\""].iter().filter_map(|mark| find(behind, mark)).min();
        let own = head(behind, next.unwrap_or(behind.len()));
        let value = head(own, own.rfind("</parameter>")?);
        call.set(key, parameter(value, key, tool.as_ref()));
        rest = tail(behind, value.len());
    }
    Some(call.into())
}

/// The value of a parameter: its text less a line break at either end, or what JSON says where the tool wants no text.
fn parameter(text: &str, key: &str, tool: Option<&Tool>) -> Value {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    let wants_text = tool.is_none_or(|tool| tool.wants_text(key));
    let value = || match text.trim_ascii() {
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        "None" => Some(Value::Null),
        json => parse(json, Limits::default().depth()).ok(),
    };
    if wants_text { None } else { value() }.unwrap_or_else(|| Value::from(text))
}

/// The calls of a list in Python: names, and the texts of their arguments. `None` if the list is not whole.
fn calls_of(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut rest = text.strip_prefix('[')?.strip_suffix(']')?.trim_ascii();
    let mut calls = Vec::new();
    loop {
        let (name, behind) = named(rest, "(").ok()?;
        let end = closing(behind)?;
        calls.push((name, head(behind, end)));
        rest = tail(behind, end + 1).trim_ascii_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_ascii_start(),
            None => return rest.is_empty().then_some(calls),
        }
    }
}

/// Where the bracket closes that is open before a text of Python.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_usize, 0, false);
    for (place, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            _ if is_escaped => is_escaped = false,
            (1.., b'\\') => is_escaped = true,
            (1.., _) => quote = if byte == quote { 0 } else { quote },
            (0, b'"' | b'\'') => quote = byte,
            (0, b'(' | b'[' | b'{') => depth += 1,
            (0, b')' | b']' | b'}') if depth > 0 => depth -= 1,
            (0, b')') => return Some(place),
            _ => {}
        }
    }
    None
}

/// A call with its arguments `key=value, …`, each a literal of Python.
fn python(name: &str, arguments: &str) -> Option<Value> {
    let mut call = flat(name);
    let mut rest = arguments.trim_ascii();
    while !rest.is_empty() {
        let (key, behind) = named(rest, "=").ok()?;
        let end = separator(behind);
        let repaired = repair_json(part(behind, 0..end), TextEnd::Complete, &Limits::default());
        call.set(key, parse(&repaired.text, Limits::default().depth()).ok()?);
        rest = tail(behind, end + 1).trim_ascii_start();
    }
    Some(call.into())
}

/// Where the comma stands behind a literal, or the end.
fn separator(text: &str) -> usize {
    let mut from = 0;
    while let Some(place) = find(tail(text, from), ",") {
        let end = from + place;
        // Brackets and strings before a comma between arguments are closed: the text up to it closes as a whole.
        if closing(&(owned(head(text, end)) + ")")) == Some(end) {
            return end;
        }
        from = end + 1;
    }
    text.len()
}

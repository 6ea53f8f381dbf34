//! Formats of calls that are not JSON, or that name the tool outside of the JSON. The option `formats` turns them on one by
//! one, since prose may contain their marks.
//!
//! There are two kinds: a header that names the tool and precedes JSON ([`Tag::Arguments`]), and a grammar of its own,
//! which [`translate`] turns into the flat form `{"tool": …}`.

use super::repair::repair_json;
use super::tag::{Grammar, Tag, TagMatch};
use super::tools::{CallField, Tool};
use super::{TextEnd, Tools};
use crate::counted::count_work;
use crate::limits::Limits;
use crate::value::text::{before_line, contains, head, part, tail, trim_end};
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

/// The maximum length of a header, in bytes.
pub(super) const LONGEST_HEADER: usize = 256;

/// Whether this byte inside a line may begin a header of an enabled format. Only DeepSeek and Harmony may: prose does not
/// contain their tokens.
pub(super) fn begins_anywhere(formats: &[Format], byte: u8) -> bool {
    byte == b'<' && formats.iter().any(|format| matches!(format, Format::Deepseek | Format::Harmony))
}

/// Compares a text with the headers of the enabled formats; inside a line only with headers that are allowed there.
pub(super) fn match_format(text: &str, formats: &[Format], tools: &Tools, is_inside: bool) -> TagMatch {
    let mut found = TagMatch::No;
    for format in formats {
        let is_allowed = !is_inside || matches!(format, Format::Deepseek | Format::Harmony);
        if !is_allowed || text.len() > LONGEST_HEADER {
            continue;
        }
        let mut cursor = Cursor::new(text);
        if let Some(tag) = cursor.header(*format, tools) {
            return TagMatch::Tag(tag);
        }
        if cursor.is_cut {
            found = TagMatch::Maybe;
        }
    }
    found
}

/// Reads a text from one place to the next.
struct Cursor<'a> {
    text: &'a str,
    place: usize,
    /// Whether the expected text may still arrive: the input ended inside it.
    is_cut: bool,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, place: 0, is_cut: false }
    }

    fn rest(&self) -> &'a str {
        tail(self.text, self.place)
    }

    /// Skips a mark, if it comes next.
    #[inline(never)]
    fn mark(&mut self, mark: &str) -> Option<()> {
        let rest = self.rest();
        self.is_cut |= mark.starts_with(rest);
        rest.starts_with(mark).then(|| self.place += mark.len())
    }

    /// Skips everything through the next occurrence of a mark; returns the text before the mark.
    #[inline(never)]
    fn up_to(&mut self, mark: &str) -> Option<&'a str> {
        let rest = self.rest();
        let end = find(rest, mark)?;
        self.place += end + mark.len();
        Some(head(rest, end))
    }

    /// Skips a name; returns its range.
    #[inline(never)]
    fn name(&mut self) -> Option<(usize, usize)> {
        let (start, rest) = (self.place, self.rest());
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
        self.place += rest.bytes().take_while(|byte| is_name(*byte)).count();
        self.is_cut |= rest.is_empty();
        (self.place > start).then_some((start, self.place))
    }

    /// Skips a name and the mark after it.
    #[inline(never)]
    fn named(&mut self, mark: &str) -> Option<(usize, usize)> {
        let name = self.name()?;
        self.mark(mark)?;
        Some(name)
    }

    fn part(&self, (start, end): (usize, usize)) -> &'a str {
        part(self.text, start..end)
    }

    #[inline(never)]
    fn blanks(&mut self) {
        self.place = self.text.len() - self.rest().trim_ascii_start().len();
    }

    /// The arguments of the tool at `name`: JSON whose first bracket has arrived.
    #[inline(never)]
    fn json(&mut self, name: (usize, usize)) -> Option<Tag> {
        self.blanks();
        let json = self.place;
        self.mark("{")?;
        Some(Tag::Arguments { name, json })
    }

    /// Reads the header of one format: marks, the name of a tool, and the start of a call.
    fn header(&mut self, format: Format, tools: &Tools) -> Option<Tag> {
        let name = match format {
            Format::Hermes => return None,
            Format::Mistral => {
                self.mark("[TOOL_CALLS]")?;
                let name = self.name()?;
                if self.mark("[ARGS]").is_none() {
                    self.mark("[CALL_ID]")?;
                    self.named("[ARGS]")?;
                }
                name
            }
            Format::Llama3 => {
                self.mark("<function=")?;
                self.named(">")?
            }
            Format::Qwen3Coder => {
                self.mark("<function=")?;
                self.named(">")?;
                self.blanks();
                self.mark("<parameter=").or_else(|| self.mark("</function>"))?;
                return Some(Tag::Call(Grammar::Xml));
            }
            Format::Deepseek => {
                if self.mark("<｜tool▁calls▁begin｜>").is_some() {
                    self.blanks();
                }
                self.mark("<｜tool▁call▁begin｜>")?;
                let name = self.named("<｜tool▁sep｜>")?;
                // V3 and R1: the name follows the type, and a fence holds the arguments.
                if self.part(name) == "function" { self.named("\n```json\n")? } else { name }
            }
            Format::Harmony => {
                for end in ["<|end|>", "<|return|>", "<|call|>"] {
                    if self.mark(end).is_some() {
                        return Some(Tag::Marks);
                    }
                }
                self.mark("<|channel|>").or_else(|| self.mark("<|start|>assistant"))?;
                // Without `<|message|>`, the rest of the header may still arrive.
                self.is_cut = true;
                let mut header = Cursor::new(self.up_to("<|message|>")?);
                self.is_cut = false;
                if header.up_to(" to=").is_none() {
                    return Some(Tag::Marks);
                }
                // The header ends before `<|message|>`, so offsets in it are counted back from there.
                let start = self.place - "<|message|>".len() - header.rest().len();
                header.name();
                (start, self.place - "<|message|>".len() - header.rest().len())
            }
            Format::AnthropicXml => {
                self.mark("<invoke name=\"")?;
                self.named("\">")?;
                return Some(Tag::Call(Grammar::Xml));
            }
            Format::Pythonic => {
                self.mark("[")?;
                let name = self.named("(")?;
                return tools.find_written(self.part(name)).map(|_| Tag::Call(Grammar::Python));
            }
        };
        self.json(name)
    }
}

/// Whether a text that begins with a call in XML is now complete.
pub(super) fn ends_xml(text: &str) -> bool {
    before_line(text, "</function>\n</invoke>\n").is_some_and(|before| {
        // The text of a parameter may hold the mark.
        !contains(before, "<parameter") || trim_end(before).ends_with("</parameter>")
    })
}

/// The call in a text of another grammar, in the flat form, or the list of several.
pub(super) fn translate(text: &str, grammar: Grammar, tools: &Tools) -> Option<Value> {
    if grammar == Grammar::Xml {
        return Some(xml(text, tools)?.into());
    }
    let mut calls = Vec::new();
    for (name, arguments) in calls_of(text)? {
        calls.push(python(name, arguments)?.into());
    }
    if calls.len() == 1 { calls.pop() } else { Some(Value::from(calls)) }
}

/// A call in the flat form that has only its tool.
fn flat(name: &str) -> Object {
    let mut call = Object::new();
    call.set(CallField::Tool.key(), Value::from(name));
    call
}

/// `<function=name><parameter=key>value</parameter>…</function>`, or the same with `<invoke name="…">`.
fn xml(text: &str, tools: &Tools) -> Option<Object> {
    let mut cursor = Cursor::new(text);
    cursor.up_to("<function=").or_else(|| cursor.up_to("<invoke name=\""))?;
    let name = cursor.name()?;
    let tool = tools.find_written(cursor.part(name));
    let mut call = flat(cursor.part(name));
    while cursor.up_to("<parameter").is_some() {
        let key = if cursor.mark("=").is_some() {
            cursor.up_to(">")?
        } else {
            cursor.blanks();
            cursor.mark("name=\"")?;
            cursor.up_to("\">")?
        };
        // The text goes to the last closing tag before the next parameter.
        let rest = cursor.rest();
        let end = next_parameter(rest);
        let (mut parameter_cursor, mut closing) = (Cursor::new(head(rest, end)), None);
        while parameter_cursor.up_to("</parameter>").is_some() {
            closing = Some(parameter_cursor.place - "</parameter>".len());
        }
        let value = head(rest, closing?);
        call.set(key, parameter(value, key, tool.as_ref()));
        cursor.place += value.len();
    }
    Some(call)
}

/// The byte offset of the line break before the next parameter, or the end of the text.
fn next_parameter(text: &str) -> usize {
    let mut cursor = Cursor::new(text);
    while cursor.up_to("\n<parameter").is_some() {
        if cursor.rest().starts_with('=') || cursor.rest().starts_with(" name=\"") {
            return cursor.place - "\n<parameter".len();
        }
    }
    text.len()
}

/// The value of a parameter: its text without a line break at either end; parsed as JSON if the tool expects no text there.
fn parameter(text: &str, key: &str, tool: Option<&Tool>) -> Value {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    let may_be_text = tool.is_none_or(|tool| tool.may_be_text(key));
    let value = match text.trim_ascii() {
        _ if may_be_text => None,
        "True" => Some(Value::Bool(true)),
        "False" => Some(Value::Bool(false)),
        "None" => Some(Value::Null),
        json => parse(json, Limits::default().depth()).ok(),
    };
    value.unwrap_or_else(|| Value::from(text))
}

/// The calls of a list in Python: names, and the texts of their arguments. `None` if the list has anything else.
fn calls_of(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut cursor = Cursor::new(text.strip_suffix(']')?);
    cursor.mark("[")?;
    let mut calls = Vec::new();
    loop {
        cursor.blanks();
        let name = cursor.named("(")?;
        let arguments = cursor.rest();
        let end = closing_bracket(arguments)?;
        calls.push((cursor.part(name), head(arguments, end)));
        cursor.place += end + 1;
        cursor.blanks();
        if cursor.mark(",").is_none() {
            return cursor.rest().is_empty().then_some(calls);
        }
    }
}

/// The brackets and the string that are open in a text in Python's syntax.
#[derive(Debug, Default)]
pub(super) struct PythonBrackets {
    depth: usize,
    /// The quote that opened the current string, or 0.
    quote: u8,
    is_escaped: bool,
}

impl PythonBrackets {
    /// Reads the next byte; returns whether it closes the outermost bracket.
    pub(super) fn push(&mut self, byte: u8) -> bool {
        count_work(1);
        match (self.quote, byte) {
            _ if self.is_escaped => self.is_escaped = false,
            (1.., b'\\') => self.is_escaped = true,
            (1.., _) => self.quote = if byte == self.quote { 0 } else { self.quote },
            (0, b'"' | b'\'') => self.quote = byte,
            (0, b'(' | b'[' | b'{') => self.depth += 1,
            (0, b')' | b']' | b'}') => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }

    /// Whether the next byte is in no bracket and no string.
    fn is_outside(&self) -> bool {
        self.depth == 0 && self.quote == 0
    }
}

/// The byte offset of the bracket that closes one opened before this text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut brackets = PythonBrackets { depth: 1, ..PythonBrackets::default() };
    text.bytes().position(|byte| brackets.push(byte))
}

/// A call with its arguments `key=value, …`, each a literal of Python.
fn python(name: &str, arguments: &str) -> Option<Object> {
    let mut call = flat(name);
    let mut cursor = Cursor::new(trim_end(arguments));
    loop {
        cursor.blanks();
        if cursor.rest().is_empty() {
            return Some(call);
        }
        let key = cursor.named("=")?;
        let literal = head(cursor.rest(), separator(cursor.rest()));
        let repaired = repair_json(literal, TextEnd::Complete, &Limits::default());
        call.set(cursor.part(key), parse(&repaired.text, Limits::default().depth()).ok()?);
        cursor.place += literal.len() + 1;
    }
}

/// The offset of the comma after a literal, or the end of the text.
fn separator(text: &str) -> usize {
    let mut brackets = PythonBrackets::default();
    let is_end = |byte| {
        let is_comma = byte == b',' && brackets.is_outside();
        brackets.push(byte);
        is_comma
    };
    text.bytes().position(is_end).unwrap_or(text.len())
}

//! Formats of calls that are not JSON, or that name the tool outside of the JSON. The option `formats` turns them on one by
//! one, since prose may contain their marks.
//!
//! There are two kinds: a header that names the tool and precedes JSON ([`Tag::Arguments`]), and a grammar of its own,
//! which [`translate`] turns into JSON with the tool and its arguments side by side: `{"tool": …, "path": …}`.

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

/// The maximum length of a header, in bytes: text that may become a header is buffered.
pub(super) const LONGEST_HEADER: usize = 256;

/// Whether this byte inside a line may begin a header of an enabled format. Only DeepSeek and Harmony may: prose does not
/// contain their tokens.
pub(super) fn begins_anywhere(formats: &[Format], byte: u8) -> bool {
    byte == b'<' && formats.iter().any(|format| matches!(format, Format::Deepseek | Format::Harmony))
}

/// Where in a line a header may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderPlace {
    LineStart,
    /// Anywhere else: see [`begins_anywhere`].
    InLine,
}

/// Compares a text with the headers of the enabled formats that are allowed at this place.
pub(super) fn match_format(text: &str, formats: &[Format], tools: &Tools, place: HeaderPlace) -> TagMatch {
    let mut tag_match = TagMatch::No;
    for format in formats {
        let is_allowed = place == HeaderPlace::LineStart || matches!(format, Format::Deepseek | Format::Harmony);
        if !is_allowed || text.len() > LONGEST_HEADER {
            continue;
        }
        let mut cursor = Cursor::new(text);
        if let Some(tag) = cursor.header(*format, tools) {
            return TagMatch::Tag(tag);
        }
        if cursor.is_cut {
            tag_match = TagMatch::Maybe;
        }
    }
    tag_match
}

/// A position in a text. Each method moves it past what it expects there, and returns `None` if that does not come next. The
/// methods are not inlined, which makes the module smaller.
struct Cursor<'a> {
    text: &'a str,
    /// The byte offset.
    offset: usize,
    /// Whether the input ended inside an expected mark or name, so that the rest may still arrive.
    is_cut: bool,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, offset: 0, is_cut: false }
    }

    /// The text from here on.
    fn rest(&self) -> &'a str {
        tail(self.text, self.offset)
    }

    /// Skips a mark.
    #[inline(never)]
    fn mark(&mut self, mark: &str) -> Option<()> {
        let rest = self.rest();
        self.is_cut |= mark.starts_with(rest);
        rest.starts_with(mark).then(|| self.offset += mark.len())
    }

    /// Skips everything through the next occurrence of a mark; returns the text before the mark, or `None`
    /// if the mark does not occur.
    #[inline(never)]
    fn up_to(&mut self, mark: &str) -> Option<&'a str> {
        let rest = self.rest();
        let end = find(rest, mark)?;
        self.offset += end + mark.len();
        Some(head(rest, end))
    }

    /// Skips a name; returns its start and end.
    #[inline(never)]
    fn name(&mut self) -> Option<(usize, usize)> {
        let (start, rest) = (self.offset, self.rest());
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte);
        self.offset += rest.bytes().take_while(|byte| is_name(*byte)).count();
        self.is_cut |= rest.is_empty();
        (self.offset > start).then_some((start, self.offset))
    }

    /// Skips a name and the mark after it; returns the range of the name.
    #[inline(never)]
    fn name_before(&mut self, mark: &str) -> Option<(usize, usize)> {
        let name = self.name()?;
        self.mark(mark)?;
        Some(name)
    }

    /// The text of a range.
    fn part(&self, (start, end): (usize, usize)) -> &'a str {
        part(self.text, start..end)
    }

    /// Skips blanks and line breaks.
    #[inline(never)]
    fn blanks(&mut self) {
        self.offset = self.text.len() - self.rest().trim_ascii_start().len();
    }

    /// Skips blanks and the first bracket of JSON, which is the arguments of the tool at `name`.
    #[inline(never)]
    fn arguments(&mut self, name: (usize, usize)) -> Option<Tag> {
        self.blanks();
        let json = self.offset;
        self.mark("{")?;
        Some(Tag::Arguments { name, json })
    }

    /// Skips the header of one format: marks, the name of a tool, and the start of a call. `None` if the text is no such header,
    /// or not yet.
    fn header(&mut self, format: Format, tools: &Tools) -> Option<Tag> {
        let name = match format {
            Format::Hermes => return None,
            Format::Mistral => {
                self.mark("[TOOL_CALLS]")?;
                let name = self.name()?;
                // e.g. `[TOOL_CALLS]name[CALL_ID]id[ARGS]{`
                if self.mark("[ARGS]").is_none() {
                    self.mark("[CALL_ID]")?;
                    self.name_before("[ARGS]")?;
                }
                name
            }
            Format::Llama3 => {
                self.mark("<function=")?;
                self.name_before(">")?
            }
            Format::Qwen3Coder => {
                self.mark("<function=")?;
                self.name_before(">")?;
                self.blanks();
                self.mark("<parameter=").or_else(|| self.mark("</function>"))?;
                return Some(Tag::Call(Grammar::Xml));
            }
            Format::Deepseek => {
                if self.mark("<｜tool▁calls▁begin｜>").is_some() {
                    self.blanks();
                }
                self.mark("<｜tool▁call▁begin｜>")?;
                let name = self.name_before("<｜tool▁sep｜>")?;
                // V3 and R1: the name follows the type, and a fence holds the arguments.
                if self.part(name) == "function" { self.name_before("\n```json\n")? } else { name }
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
                // `header` begins at an offset of its own, but ends where `<|message|>` begins: the offsets of the name are
                // counted back from there.
                let header_end = self.offset - "<|message|>".len();
                let start = header_end - header.rest().len();
                header.name();
                (start, header_end - header.rest().len())
            }
            Format::AnthropicXml => {
                self.mark("<invoke name=\"")?;
                self.name_before("\">")?;
                return Some(Tag::Call(Grammar::Xml));
            }
            Format::Pythonic => {
                self.mark("[")?;
                let name = self.name_before("(")?;
                return tools.find_written(self.part(name)).map(|_| Tag::Call(Grammar::Python));
            }
        };
        self.arguments(name)
    }
}

/// Whether a text that begins with a call in XML is now complete.
pub(super) fn ends_xml(text: &str) -> bool {
    before_line(text, "</function>\n</invoke>\n").is_some_and(|before| {
        // The text of a parameter may contain the mark: it counts only after the end of the last parameter.
        !contains(before, "<parameter") || trim_end(before).ends_with("</parameter>")
    })
}

/// Translates a call that is not written in JSON to JSON, or several to a list; `None` if the text is not in this grammar.
pub(super) fn translate(text: &str, grammar: Grammar, tools: &Tools) -> Option<Value> {
    if grammar == Grammar::Xml {
        return Some(xml_call(text, tools)?.into());
    }
    let mut calls = Vec::new();
    for (name, arguments) in calls_of(text)? {
        calls.push(python_call(name, arguments)?.into());
    }
    if calls.len() == 1 { calls.pop() } else { Some(Value::from(calls)) }
}

/// A call that has only its tool so far.
fn new_call(name: &str) -> Object {
    let mut call = Object::new();
    call.set(CallField::Tool.key(), Value::from(name));
    call
}

/// Translates `<function=name><parameter=key>value</parameter>…</function>`, or the same with `<invoke name="…">`. `None` if a
/// name or the end of a parameter is missing.
fn xml_call(text: &str, tools: &Tools) -> Option<Object> {
    let mut cursor = Cursor::new(text);
    cursor.up_to("<function=").or_else(|| cursor.up_to("<invoke name=\""))?;
    let name = cursor.name()?;
    let tool = tools.find_written(cursor.part(name));
    let mut call = new_call(cursor.part(name));
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
        let (mut parameter_cursor, mut value_end) = (Cursor::new(head(rest, end)), None);
        while parameter_cursor.up_to("</parameter>").is_some() {
            value_end = Some(parameter_cursor.offset - "</parameter>".len());
        }
        let value = head(rest, value_end?);
        call.set(key, parameter_value(value, key, tool.as_ref()));
        cursor.offset += value.len();
    }
    Some(call)
}

/// The byte offset of the line break before the next parameter, or the end of the text.
fn next_parameter(text: &str) -> usize {
    let mut cursor = Cursor::new(text);
    while cursor.up_to("\n<parameter").is_some() {
        if cursor.rest().starts_with('=') || cursor.rest().starts_with(" name=\"") {
            return cursor.offset - "\n<parameter".len();
        }
    }
    text.len()
}

/// The value of a parameter: its text without a line break at either end; parsed as JSON if the tool expects no text there.
fn parameter_value(text: &str, key: &str, tool: Option<&Tool>) -> Value {
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
        let name = cursor.name_before("(")?;
        let arguments = cursor.rest();
        let end = closing_bracket(arguments)?;
        calls.push((cursor.part(name), head(arguments, end)));
        cursor.offset += end + 1;
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
    /// Whether a backslash in the string precedes.
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

/// The byte offset of the closing bracket in a text right after an opening bracket; `None` if it is missing.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut brackets = PythonBrackets { depth: 1, ..PythonBrackets::default() };
    text.bytes().position(|byte| brackets.push(byte))
}

/// Translates a call with its arguments `key=value, …`, each a literal of Python; `None` if they are not.
fn python_call(name: &str, arguments: &str) -> Option<Object> {
    let mut call = new_call(name);
    let mut cursor = Cursor::new(trim_end(arguments));
    loop {
        cursor.blanks();
        if cursor.rest().is_empty() {
            return Some(call);
        }
        let key = cursor.name_before("=")?;
        let literal = head(cursor.rest(), literal_length(cursor.rest()));
        // Literals of Python, such as `'text'` or `True`, are damaged JSON, which a repair understands.
        let repaired = repair_json(literal, TextEnd::Complete, &Limits::default());
        call.set(cursor.part(key), parse(&repaired.text, Limits::default().depth()).ok()?);
        // And the comma, if there is one: the offset may be beyond the end.
        cursor.offset += literal.len() + 1;
    }
}

/// The number of bytes before the comma after a literal, or of the whole text.
fn literal_length(text: &str) -> usize {
    let mut brackets = PythonBrackets::default();
    let is_end = |byte| {
        let is_comma = byte == b',' && brackets.is_outside();
        brackets.push(byte);
        is_comma
    };
    text.bytes().position(is_end).unwrap_or(text.len())
}

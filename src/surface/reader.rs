//! The stream as it is read: messages, each checked by itself, before any surface takes them.

use super::frame::Framer;
use super::message::{MAIN, Message, component, read};
use super::shape::Found;
use super::{Code, Problem, Protocol};
use crate::limits::Limits;
use crate::value::{Value, write_index, write_string};

/// What has been read.
#[derive(Debug)]
pub(super) enum Said {
    Message(Message),
    /// A component of a message that is still arriving.
    Early {
        surface: Box<str>,
        component: (String, Value),
    },
    /// What was early is over.
    Settled,
    /// A line that is no message.
    Wrong(Problem),
}

/// Takes what was said, and the line where it began.
type Take<'a> = &'a mut dyn FnMut(Said, usize);

/// Reads messages and keeps nothing of what they build.
#[derive(Debug)]
pub struct SurfaceReader {
    framer: Framer,
    max_bytes: usize,
}

impl SurfaceReader {
    /// A reader. With `partial`, components come out early, while their message is still arriving.
    #[must_use]
    pub fn new(limits: &Limits, partial: bool) -> Self {
        let max_bytes = limits.max_call_bytes;
        Self { framer: Framer::new(limits.depth(), max_bytes, partial), max_bytes }
    }

    pub(super) fn read(&mut self, text: &str, take: Take<'_>) {
        let Self { framer, max_bytes } = self;
        framer.push(text, &mut |found| say(found, *max_bytes, take));
    }

    pub(super) fn finish(&mut self, take: Take<'_>) {
        let Self { framer, max_bytes } = self;
        framer.end(&mut |found| say(found, *max_bytes, take));
    }

    /// Takes a piece of text, and appends what it says as JSON lists with commas between:
    /// `[kind, line, protocol, surface, body, problem?]` for a message, where the kind is `header`, `components`, `data`,
    /// `render`, `create` or `delete`; `["early", surface, component]`; `["settled"]`; `["wrong", problem]`.
    pub fn push(&mut self, text: &str, out: &mut String) {
        self.read(text, &mut |said, line| said.write_json(line, out));
    }

    /// The stream is over: what stands in its last line counts.
    pub fn end(&mut self, out: &mut String) {
        self.finish(&mut |said, line| said.write_json(line, out));
    }

    /// Whether what follows may be gathered until its line ends, since nothing is seen of it before.
    #[must_use]
    pub const fn is_by_line(&self) -> bool {
        self.framer.is_by_line()
    }

    /// Whether a line begins here that has nothing to do with those before it.
    #[must_use]
    pub fn is_between_lines(&self) -> bool {
        self.framer.is_between_lines()
    }

    /// The line that is being read, from 1.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.framer.line()
    }

    /// So many lines, each of them a message as a whole, were read by somebody else.
    pub const fn skip_lines(&mut self, lines: usize) {
        self.framer.skip_lines(lines);
    }
}

fn say(found: Found, max_bytes: usize, take: Take<'_>) {
    match found {
        Found::Message { line, value } => match read(value) {
            Ok(message) => take(Said::Message(message), line),
            Err(problem) => take(Said::Wrong(problem), line),
        },
        Found::Early { protocol, surface, component: item } => {
            if let Ok(component) = component(item, protocol) {
                let surface = if protocol == Protocol::Gulf { MAIN.into() } else { surface.into_boxed_str() };
                take(Said::Early { surface, component }, 0);
            }
        }
        Found::Settled => take(Said::Settled, 0),
        Found::Bad { line, reason } => {
            take(Said::Wrong(Problem::new(Code::InvalidJson, format!("{reason}."), "")), line);
        }
        Found::TooLarge { line } => {
            let message = format!("The message is longer than {max_bytes} bytes.");
            take(Said::Wrong(Problem::new(Code::LimitExceeded, message, "")), line);
        }
    }
}

impl Said {
    fn write_json(&self, line: usize, out: &mut String) {
        if !out.is_empty() {
            out.push(',');
        }
        match self {
            Self::Message(message) => {
                out.push_str("[\"");
                out.push_str(message.action.name());
                out.push_str("\",");
                write_index(out, line);
                out.push_str(",\"");
                out.push_str(message.protocol.name());
                out.push_str("\",");
                write_string(out, &message.surface);
                out.push(',');
                message.action.write_json(out);
                if let Some(warning) = &message.warning {
                    out.push(',');
                    warning.write_json(out, line);
                }
            }
            Self::Early { surface, component: (id, component) } => {
                out.push_str("[\"early\",");
                write_string(out, surface);
                out.push(',');
                write_component(out, id, component);
            }
            Self::Settled => out.push_str("[\"settled\""),
            Self::Wrong(problem) => {
                out.push_str("[\"wrong\",");
                problem.write_json(out, line);
            }
        }
        out.push(']');
    }
}

/// `{id, type, weight?, props, protocol}`
pub(super) fn write_component(out: &mut String, id: &str, component: &Value) {
    out.push_str("{\"id\":");
    write_string(out, id);
    for (key, value) in component.as_object().into_iter().flat_map(|fields| fields.iter()) {
        out.push(',');
        write_string(out, key);
        out.push(':');
        value.write_json(out);
    }
    out.push('}');
}

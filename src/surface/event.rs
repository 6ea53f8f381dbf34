//! What comes out of a stream.

use super::Code;
use crate::edit::{Edit, script_to_json};
use crate::value::{Object, Value, write_index, write_list, write_object, write_string};

/// Which protocol a message is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// GULF 1.0
    Gulf,
    /// A2UI v0.8
    A2ui08,
    /// A2UI v0.9 and v0.9.1
    A2ui09,
}

impl Protocol {
    /// The name that JavaScript sees.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gulf => "gulf",
            Self::A2ui08 => "a2ui-0.8",
            Self::A2ui09 => "a2ui-0.9",
        }
    }

    /// The protocol of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        [Self::Gulf, Self::A2ui08, Self::A2ui09].into_iter().find(|protocol| protocol.name() == name)
    }
}

/// Whether a message was taken in spite of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// It was not.
    Error,
    /// It was.
    Warning,
}

/// Something wrong with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind.
    pub code: Code,
    /// Whether the message was taken.
    pub severity: Severity,
    /// A sentence.
    pub message: String,
    /// A pointer into the message; empty for the message as a whole.
    pub path: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Problem {}

/// What a message did.
#[derive(Debug)]
pub enum Event<'a> {
    /// A surface has begun, or what is known of it has changed: `catalogId`, `theme`, `root`, `styles`, ….
    Surface {
        /// Its id.
        surface: &'a str,
        /// The protocol of the message.
        protocol: Protocol,
        /// What the message says of it.
        info: &'a Object,
    },
    /// Components have come, or have been defined anew.
    Components {
        /// The id of the surface.
        surface: &'a str,
        /// By id: `{type, weight?, props, protocol}`.
        components: &'a [(String, Value)],
        /// Only seen so far: the message is still arriving.
        early: bool,
    },
    /// What was seen early no longer counts: its message follows, or will not come.
    Settled,
    /// The data model has changed.
    Data {
        /// The id of the surface.
        surface: &'a str,
        /// By these edits.
        edits: &'a [Edit],
    },
    /// A surface is gone.
    Deleted {
        /// Its id.
        surface: &'a str,
    },
    /// Something is wrong with a line.
    Diagnostic {
        /// What.
        problem: &'a Problem,
        /// The line of the stream, from 1, where the message began; 0 outside of a stream.
        line: usize,
        /// The surface that the message was for.
        surface: Option<&'a str>,
    },
}

impl Event<'_> {
    /// Appends the event as a JSON list: its name, then its parts.
    pub fn write_json(&self, out: &mut String) {
        let head = |out: &mut String, name: &str, surface: &str| {
            out.push_str("[\"");
            out.push_str(name);
            out.push_str("\",");
            write_string(out, surface);
            out.push(',');
        };
        match self {
            Self::Surface { surface, protocol, info } => {
                head(out, "surface", surface);
                write_string(out, protocol.name());
                out.push(',');
                write_object(out, info.iter());
            }
            Self::Components { surface, components, early } => {
                head(out, if *early { "early" } else { "components" }, surface);
                write_list(out, *components, |out, (id, component)| {
                    out.push('[');
                    write_string(out, id);
                    out.push(',');
                    component.write_json(out);
                    out.push(']');
                });
            }
            Self::Settled => out.push_str("[\"settled\",\"\""),
            Self::Data { surface, edits } => {
                head(out, "data", surface);
                script_to_json(out, edits);
            }
            Self::Deleted { surface } => {
                head(out, "deleted", surface);
                out.push_str("null");
            }
            Self::Diagnostic { problem, line, surface } => {
                head(out, "diagnostic", surface.unwrap_or_default());
                problem.write_json(out, *line);
            }
        }
        out.push(']');
    }
}

impl Problem {
    /// Appends the problem as `{severity, code, message, line?, path?}`.
    pub fn write_json(&self, out: &mut String, line: usize) {
        out.push_str(match self.severity {
            Severity::Error => "{\"severity\":\"error\",\"code\":",
            Severity::Warning => "{\"severity\":\"warning\",\"code\":",
        });
        write_string(out, self.code.name());
        out.push_str(",\"message\":");
        write_string(out, &self.message);
        if line > 0 {
            out.push_str(",\"line\":");
            write_index(out, line);
        }
        if !self.path.is_empty() {
            out.push_str(",\"path\":");
            write_string(out, &self.path);
        }
        out.push('}');
    }
}

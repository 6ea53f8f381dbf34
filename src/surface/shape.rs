//! What stands where in a stream's JSON: where messages begin and end, and components that are complete before their
//! message is.

use super::Protocol;
use super::message::{Kind, named};
use crate::value::{Builder, Container, Literal, Role, Runs, Sink, Value};

/// What a piece of the stream came to.
#[derive(Debug)]
pub(super) enum Found {
    /// A message, and the line where it began.
    Message { line: usize, value: Value },
    /// A component of a message that is still arriving.
    Early { protocol: Protocol, surface: String, component: Value },
    /// What was early is over: its message follows, or it will not come.
    Settled,
    /// Not JSON.
    Bad { line: usize, reason: String },
    /// A message that is larger than the limit.
    TooLarge { line: usize },
}

/// Builds the messages of one value.
#[derive(Debug, Default)]
pub(super) struct Shape {
    partial: bool,
    builder: Builder,
    depth: usize,
    /// At which depth messages stand: 0 for a line, 1 in a list, 2 in the list `messages`.
    base: usize,
    /// In the list of messages.
    inside: bool,
    /// The value may be a document with a list `messages`.
    watch: bool,
    /// The last key at the depth of a document's own.
    is_messages: bool,
    /// Where the message that is open began.
    start: Option<usize>,
    start_line: usize,
    /// A key of the first object is one that messages have.
    pub(super) known_key: bool,
    /// The components of which protocol are being read, and of which surface.
    early: Option<Protocol>,
    in_components: bool,
    names_surface: bool,
    surface: String,
    /// Something was early in this message.
    was_early: bool,
    pub(super) line: usize,
    pub(super) found: Vec<Found>,
}

impl Shape {
    pub(super) fn new(partial: bool) -> Self {
        Self { partial, ..Self::default() }
    }

    pub(super) const fn is_partial(&self) -> bool {
        self.partial
    }

    /// Gets ready for another value.
    pub(super) fn begin(&mut self, list: bool, watch: bool) {
        let (line, found) = (self.line, std::mem::take(&mut self.found));
        // Inside of a message that was given up the builder has parts of it.
        let builder = if self.start.is_none() { std::mem::take(&mut self.builder) } else { Builder::default() };
        let new = Self::new(self.partial);
        *self = Self { builder, found, base: usize::from(list), watch, line, start_line: line, ..new };
    }

    /// How long the message that is open is so far.
    pub(super) fn size(&self, offset: usize) -> usize {
        self.start.map_or(0, |start| offset.saturating_sub(start))
    }

    pub(super) const fn start_line(&self) -> usize {
        self.start_line
    }

    pub(super) const fn in_message(&self) -> bool {
        self.start.is_some()
    }

    pub(super) const fn is_list(&self) -> bool {
        self.base > 0
    }

    /// The message of a line, once it is complete.
    pub(super) fn finish(&mut self) {
        if let Some(value) = self.builder.take()
            && self.base == 0
        {
            self.hand_over(value);
        }
    }

    /// The message that is open will not come.
    pub(super) fn abandon(&mut self) {
        if std::mem::take(&mut self.was_early) {
            self.found.push(Found::Settled);
        }
    }

    const fn passes(&self) -> bool {
        self.base == 0 || (self.inside && self.depth >= self.base)
    }

    fn starts(&mut self, offset: usize) {
        if self.depth == self.base {
            self.start = Some(offset);
            self.start_line = self.line;
        }
    }

    fn ends(&mut self) {
        if self.depth > self.base {
            return;
        }
        self.start = None;
        self.early = None;
        if self.base > 0
            && let Some(value) = self.builder.take()
        {
            self.hand_over(value);
        }
    }

    fn hand_over(&mut self, value: Value) {
        self.abandon();
        self.found.push(Found::Message { line: self.start_line, value });
    }

    fn names(&mut self, role: Role, text: &str) {
        match (role, self.depth - self.base.min(self.depth)) {
            (Role::Key, 1) => {
                self.is_messages = self.watch && self.base == 0 && text == "messages";
                let known = named(text);
                self.known_key |= known.is_some();
                self.early =
                    known.filter(|known| self.partial && known.kind == Kind::Components).map(|known| known.protocol);
                self.surface.clear();
            }
            (Role::Key, 2) => {
                self.in_components = text == "components";
                self.names_surface = text == "surfaceId";
            }
            (Role::Value, 2) if self.names_surface && self.early.is_some() => text.clone_into(&mut self.surface),
            _ => {}
        }
    }
}

impl Sink for Shape {
    fn open(&mut self, container: Container, offset: usize) {
        if self.is_messages && self.depth == 1 && self.base == 0 && container == Container::Array {
            // A document: nothing of what was taken for a message is one.
            self.builder = Builder::default();
            (self.base, self.inside, self.start) = (2, true, None);
        } else if self.base > 0 && self.depth < self.base {
            self.inside |= self.base == 1;
        } else if self.passes() {
            self.starts(offset);
            self.builder.open(container, offset);
        }
        self.depth += 1;
    }

    fn close(&mut self, container: Container, offset: usize) {
        self.depth -= 1;
        if self.depth < self.base {
            self.inside = false;
            return;
        }
        if !self.passes() {
            return;
        }
        self.builder.close(container, offset);
        if self.depth == self.base + 3
            && self.in_components
            && container == Container::Object
            && let (Some(protocol), Some(component)) = (self.early, self.builder.last_item())
        {
            self.was_early = true;
            let component = component.clone();
            self.found.push(Found::Early { protocol, surface: self.surface.clone(), component });
        }
        self.ends();
    }

    fn begin_string(&mut self, role: Role, offset: usize) {
        if self.passes() {
            self.starts(offset);
            self.builder.begin_string(role, offset);
        }
    }

    fn text(&mut self, run: &str) {
        if self.passes() {
            self.builder.text(run);
        }
    }

    fn runs(&mut self) -> Runs<'_> {
        if self.passes() { self.builder.runs() } else { Runs::Nowhere }
    }

    fn end_string(&mut self, role: Role) {
        if self.passes() {
            if self.depth <= self.base + 2 {
                let text = self.builder.partial_text().to_owned();
                self.names(role, &text);
            }
            self.builder.end_string(role);
            self.ends();
        }
    }

    fn string(&mut self, role: Role, text: &str, offset: usize) {
        if self.passes() {
            self.starts(offset);
            self.names(role, text);
            self.builder.string(role, text, offset);
            self.ends();
        }
    }

    fn number(&mut self, number: f64, offset: usize) {
        if self.passes() {
            self.starts(offset);
            self.builder.number(number, offset);
            self.ends();
        }
    }

    fn literal(&mut self, literal: Literal, offset: usize) {
        if self.passes() {
            self.starts(offset);
            self.builder.literal(literal, offset);
            self.ends();
        }
    }
}

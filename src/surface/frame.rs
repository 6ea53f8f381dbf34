//! From pieces of a stream to messages: JSON Lines, server-sent events, or one document with a list of messages.
//!
//! A line is a message, final at its end. Lines that begin with a field of server-sent events (WHATWG HTML, 9.2) are
//! read as such: what `data` lines say is joined until a blank line, or until a line ends with a complete value. A stream
//! whose first character is `[`, or whose first object has a list `messages`, is a document: its messages are framed by
//! depth, and final at their own end.

use super::message::is_enveloped;
use super::shape::{Found, Shape};
use crate::value::{Lexer, Stop};

/// What a line may begin with that is not JSON.
const HEADS: [&str; 6] = ["data:", "event:", "id:", "retry:", ":", "[DONE]"];

#[derive(Debug, PartialEq, Eq)]
enum State {
    /// Only blanks so far in this line.
    Start,
    /// What may be one of [`HEADS`].
    Head(String),
    /// Inside JSON, or behind it.
    Value,
    /// The rest of the line is passed over.
    Skip,
}

/// Where a value ends at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Span {
    Line,
    /// At the blank line behind an event.
    Event,
    /// Where its brackets say.
    Document,
}

/// The state between two pieces.
#[derive(Debug)]
pub(super) struct Framer {
    max_depth: usize,
    max_bytes: usize,
    lexer: Lexer,
    shape: Shape,
    state: State,
    span: Span,
    /// A value is open.
    open: bool,
    /// The line is a `data` line.
    data: bool,
    /// No value has been read yet.
    first: bool,
    /// A document is broken: what looks like a message at the beginning of a line is taken for one.
    recovering: bool,
    /// An event is broken: only what begins like a message is tried.
    broken_event: bool,
    /// The first object goes on behind its line. If it is no document its line was bad, and these are the lines after it.
    held: Option<(usize, String)>,
    line: usize,
}

type Take<'a> = &'a mut dyn FnMut(Found);

impl Framer {
    pub(super) fn new(max_depth: usize, max_bytes: usize, partial: bool) -> Self {
        Self {
            max_depth,
            max_bytes,
            lexer: Lexer::strict(max_depth),
            shape: Shape::new(partial),
            state: State::Start,
            span: Span::Line,
            open: false,
            data: false,
            first: true,
            recovering: false,
            broken_event: false,
            held: None,
            line: 1,
        }
    }

    /// Whether nothing is seen of what follows before its line ends: it is no document, and components are not seen early.
    pub(super) const fn is_by_line(&self) -> bool {
        let in_document = self.open && matches!(self.span, Span::Document);
        !(self.first || self.recovering || in_document || self.shape.is_partial())
    }

    /// Whether a line begins here that has nothing to do with those before it.
    pub(super) fn is_between_lines(&self) -> bool {
        let inside = self.open || self.data || self.broken_event || self.recovering;
        !inside && !self.shape.is_partial() && self.state == State::Start
    }

    pub(super) const fn line(&self) -> usize {
        self.line
    }

    /// So many lines, each of them a message as a whole, were read by somebody else.
    pub(super) const fn skip_lines(&mut self, lines: usize) {
        self.line += lines;
        self.first &= lines == 0;
    }

    /// Takes a piece of text.
    pub(super) fn push(&mut self, text: &str, take: Take<'_>) {
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
            let (segment, next) = rest.split_at(end);
            if let Some((_, held)) = &mut self.held {
                held.push_str(segment);
            }
            self.segment(segment, take);
            rest = next;
            if let Some(next) = rest.strip_prefix('\n') {
                let holds = self.held.is_some();
                self.end_line(take);
                if holds && let Some((_, held)) = &mut self.held {
                    held.push('\n');
                }
                self.line += 1;
                rest = next;
            }
        }
    }

    /// The stream is over.
    pub(super) fn end(&mut self, take: Take<'_>) {
        // Twice: what was taken for a document may turn out to be lines.
        for _ in 0..2 {
            self.end_line(take);
            if self.open {
                self.finish(take);
            }
        }
    }

    /// Part of a line.
    fn segment(&mut self, segment: &str, take: Take<'_>) {
        let mut text = segment;
        while let Some(char) = text.chars().next() {
            match &mut self.state {
                State::Skip => return,
                State::Value => return self.value(text, take),
                State::Start => {
                    if matches!(char, ' ' | '\t' | '\r' | '\u{feff}') {
                        text = text.get(char.len_utf8()..).unwrap_or_default();
                    } else if self.open && self.span == Span::Document {
                        self.state = State::Value;
                    } else {
                        self.state = State::Head(String::new());
                    }
                }
                State::Head(head) => {
                    head.push(char);
                    let data = self.data;
                    let known =
                        HEADS.iter().find(|known| known.starts_with(&**head) && (!data || known.starts_with('[')));
                    let Some(known) = known else {
                        head.pop();
                        let head = std::mem::take(head);
                        self.begin(if head.is_empty() { text } else { &head }, take);
                        self.segment(&head, take);
                        continue;
                    };
                    text = text.get(char.len_utf8()..).unwrap_or_default();
                    if known.len() == head.len() {
                        self.data = *known == "data:";
                        self.state = if self.data { State::Start } else { State::Skip };
                    }
                }
            }
        }
    }

    /// JSON begins in this line, or goes on in this event.
    fn begin(&mut self, text: &str, take: Take<'_>) {
        let first = text.bytes().next();
        if self.broken_event && first != Some(b'{') {
            self.state = State::Skip;
            return;
        }
        self.broken_event = false;
        if self.open && !self.data {
            // An event without an end.
            self.finish(take);
        }
        self.state = State::Value;
        if self.open {
            return;
        }
        let list = first == Some(b'[') && (self.first || self.data);
        self.span = match (self.data, list) {
            (true, _) => Span::Event,
            (false, true) => Span::Document,
            (false, false) => Span::Line,
        };
        self.start(list, self.first || self.data);
    }

    fn start(&mut self, list: bool, watch: bool) {
        // Two levels more than a message may have: those of a document around it.
        if self.lexer.is_complete() {
            self.lexer.restart();
        } else {
            self.lexer = Lexer::strict(self.max_depth + 2);
        }
        self.shape.line = self.line;
        self.shape.begin(list, watch);
        self.open = true;
    }

    /// What follows is read as messages of a document, whatever came before.
    fn restart_list(&mut self) {
        self.start(true, false);
        self.span = Span::Document;
        self.lexer.feed("[", &mut self.shape);
    }

    /// JSON text of the value that is open, or blanks behind it.
    fn value(&mut self, text: &str, take: Take<'_>) {
        let mut text = text;
        while !text.is_empty() {
            self.shape.line = self.line;
            let mut end = text.len().min(self.max_bytes.saturating_sub(self.shape.size(self.lexer.offset())).max(1));
            while !text.is_char_boundary(end) {
                end += 1;
            }
            let piece = text.get(..end).unwrap_or_default();
            let (taken, stop) = self.lexer.feed(piece, &mut self.shape);
            self.drain(take);
            if stop == Stop::Fault {
                let rest = text.get(taken..).unwrap_or_default();
                // Only the comma before a message is missing.
                let between = self.span == Span::Document && self.shape.is_list() && !self.shape.in_message();
                self.fail(take);
                if !between || !rest.starts_with('{') {
                    return;
                }
                self.restart_list();
                self.state = State::Value;
                text = rest;
                continue;
            }
            if stop == Stop::Complete && self.span == Span::Document {
                self.complete(take);
                if self.recovering {
                    self.state = State::Skip;
                    return;
                }
            }
            if self.shape.size(self.lexer.offset()) >= self.max_bytes {
                return self.exceed(take);
            }
            text = text.get(taken..).unwrap_or_default();
        }
    }

    fn end_line(&mut self, take: Take<'_>) {
        if let State::Head(head) = &mut self.state {
            // Fields of events may stand without a colon.
            let field = !self.data && HEADS.iter().any(|known| known.strip_suffix(':') == Some(&**head));
            let head = std::mem::take(head);
            if field {
                self.state = State::Skip;
            } else {
                self.begin(&head, take);
                self.segment(&head, take);
            }
        }
        match self.state {
            State::Start if !self.data && self.span != Span::Document => {
                self.broken_event = false;
                if self.open {
                    self.finish(take);
                }
            }
            State::Value if self.open => {
                let whole = self.lexer.is_complete();
                if self.span == Span::Line && self.first && !whole && !self.shape.known_key && self.shape.in_message() {
                    self.held = Some((self.line + 1, String::new()));
                    self.span = Span::Document;
                } else if self.span == Span::Line || (self.span == Span::Event && whole) {
                    self.finish(take);
                } else {
                    let holds = self.held.is_some();
                    // A break is a blank between tokens, and an end of numbers and words.
                    self.value(" ", take);
                    if holds && self.held.is_none() && !self.shape.is_list() {
                        return self.end_line(take);
                    }
                }
            }
            State::Head(_) | State::Start | State::Value | State::Skip => {}
        }
        if self.recovering && !self.open {
            self.restart_list();
        }
        self.data = false;
        self.state = State::Start;
    }

    /// The value that is open ends here, or is broken.
    fn finish(&mut self, take: Take<'_>) {
        let stop = self.lexer.finish(&mut self.shape);
        self.drain(take);
        if stop == Stop::Fault { self.fail(take) } else { self.complete(take) }
    }

    /// The value that is open is complete.
    fn complete(&mut self, take: Take<'_>) {
        self.shape.finish();
        self.drain(take);
        self.held = None;
        (self.open, self.first) = (false, false);
        if self.span == Span::Document {
            self.span = Span::Line;
        }
    }

    /// The message that is open is too large.
    #[cold]
    fn exceed(&mut self, take: Take<'_>) {
        self.held = None;
        self.abandon(take);
        take(Found::TooLarge { line: self.shape.start_line() });
    }

    #[cold]
    fn fail(&mut self, take: Take<'_>) {
        if let Some((next, held)) = self.held.take() {
            self.span = Span::Line;
            self.abandon(take);
            take(Found::Bad { line: next - 1, reason: "The line ends inside its object".to_owned() });
            (self.line, self.state) = (next, State::Start);
            return self.push(&held, take);
        }
        let reason = self.lexer.fault().map(ToString::to_string).unwrap_or_default();
        let line = if self.span == Span::Document { self.line } else { self.shape.start_line() };
        let quiet = self.recovering && !self.shape.in_message();
        self.abandon(take);
        if !quiet {
            take(Found::Bad { line, reason });
        }
    }

    fn abandon(&mut self, take: Take<'_>) {
        self.shape.abandon();
        self.drain(take);
        self.recovering |= self.span == Span::Document;
        self.broken_event = self.span == Span::Event;
        self.state = State::Skip;
        (self.open, self.first) = (false, false);
    }

    /// Hands over what was found.
    fn drain(&mut self, take: Take<'_>) {
        if self.shape.is_list() {
            self.held = None;
            if self.span == Span::Line && self.open {
                self.span = Span::Document;
            }
        }
        for found in std::mem::take(&mut self.shape.found) {
            match &found {
                // Parts of a broken message may look like messages without an envelope.
                Found::Message { value, .. } if self.recovering && !is_enveloped(value) => {}
                _ => take(found),
            }
        }
    }
}

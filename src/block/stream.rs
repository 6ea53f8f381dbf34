//! `ToolBlockStream`: finds the tool blocks of a text that arrives in pieces.

use super::check::{Checked, Ending};
use super::event::{Block, Event, InString, Out, Receiver, Repaired, ToolId};
use super::finder::{Finder, FinderState};
use super::line::FenceLine;
use super::parser::Parser;
use super::reader::{Reader, Wanted};
use super::recorder::Recorder;
use super::repair::Reach;
use super::{BlockStatus, Settings, TextEnd};
use crate::value::text::owned;
use crate::value::utf16_len;

/// Finds the tool blocks of a text, whatever the pieces in which it comes.
///
/// ```
/// use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream};
///
/// let mut stream = ToolBlockStream::new(Settings::default());
/// let mut events: Vec<Event> = Vec::new();
/// stream.push("Look:\n```json\n{\"tool\": \"delete_file\", ", &mut events);
/// stream.push("\"path\": \"a.txt\"}\n```\nDone.", &mut events);
/// stream.end(TextEnd::MaybeCut, &mut events);
/// let Some(Event::Block(block)) = events.iter().find(|event| matches!(event, Event::Block(_))) else { panic!() };
/// assert_eq!(block.calls[0].path, "a.txt");
/// assert_eq!(events.last(), Some(&Event::Text("\nDone.".to_owned())));
/// ```
#[derive(Debug)]
pub struct ToolBlockStream {
    settings: Settings,
    finder: Finder,
    /// UTF-16 units that have come out.
    units: usize,
    /// The beginning of a cut UTF-8 sequence.
    carry: Vec<u8>,
}

impl ToolBlockStream {
    /// A stream at its beginning.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, finder: Finder::new(Wanted::Calls), units: 0, carry: Vec::new() }
    }

    /// A stream of the arguments of one native call, whose tool is known: JSON without a fence, and one block at the end.
    /// After that, which the limit too may bring, nothing is taken.
    #[must_use]
    pub fn of_call(tool: &str, settings: Settings) -> Self {
        let mut recorder = Recorder::new(1);
        (recorder.tool, recorder.shows_texts) = (Some(owned(tool)), settings.content_deltas);
        let reader = Reader::new(String::new(), None, Parser::tolerant(recorder, &settings), Wanted::Arguments);
        let mut stream = Self::new(settings);
        (stream.finder.wanted, stream.finder.state) = (Wanted::Arguments, FinderState::Block(Box::new(reader)));
        stream
    }

    /// Takes the next piece of the text.
    pub fn push(&mut self, text: &str, receiver: &mut dyn Receiver) {
        self.flush_carry(receiver);
        self.run(text, receiver);
    }

    /// Takes the next piece as UTF-8, which may be cut anywhere; what is no UTF-8 reads as U+FFFD.
    pub fn push_bytes(&mut self, bytes: &[u8], receiver: &mut dyn Receiver) {
        let mut carry = std::mem::take(&mut self.carry);
        carry.extend_from_slice(bytes);
        let mut left = carry.len();
        for chunk in carry.utf8_chunks() {
            self.run(chunk.valid(), receiver);
            left -= chunk.valid().len() + chunk.invalid().len();
            match std::str::from_utf8(chunk.invalid()) {
                Ok(_) => {}
                Err(cut) if left == 0 && cut.error_len().is_none() => self.carry = chunk.invalid().to_vec(),
                Err(_) => self.run("\u{fffd}", receiver),
            }
        }
    }

    /// What is told of the string of a block in which the text so far ends, if it surely does, and so many bytes more would
    /// be within the limit. Until that string's quote, its plain characters and simple escapes are nothing but deltas.
    #[must_use]
    #[doc(hidden)]
    pub fn in_string(&self, room: usize) -> Option<InString> {
        match &self.finder.state {
            FinderState::Block(reader) if self.carry.is_empty() => reader.in_string(room, &self.settings),
            _ => None,
        }
    }

    /// The text is over. What is pushed afterwards is a new text, with ids and offsets going on.
    pub fn end(&mut self, text_end: TextEnd, receiver: &mut dyn Receiver) {
        self.flush_carry(receiver);
        self.end_state(text_end, receiver);
        while !self.finder.back.is_empty() {
            self.run("", receiver);
            self.end_state(text_end, receiver);
        }
        self.finder.after_plain_call = false;
    }

    fn end_state(&mut self, text_end: TextEnd, receiver: &mut dyn Receiver) {
        let mut out = Out { receiver, units: self.units };
        match &mut self.finder.state {
            FinderState::Over => return,
            FinderState::Text(scanner) => scanner.release(&mut out),
            FinderState::Unfenced(unfenced) => out.text(&unfenced.held),
            FinderState::Overflow(reader) => out.text(&reader.raw),
            FinderState::Block(reader) => {
                let ending = reader.end(&self.settings);
                self.leave(ending, text_end, &mut out);
            }
        }
        if self.finder.wanted != Wanted::Arguments {
            self.finder.state = FinderState::text(FenceLine::start());
        }
        self.units = out.units;
    }

    fn flush_carry(&mut self, receiver: &mut dyn Receiver) {
        if !self.carry.is_empty() {
            self.carry.clear();
            self.run("\u{fffd}", receiver);
        }
    }

    fn run(&mut self, text: &str, receiver: &mut dyn Receiver) {
        let mut out = Out { receiver, units: self.units };
        let mut rest = text;
        loop {
            if !self.finder.back.is_empty() {
                let back = std::mem::take(&mut self.finder.back);
                let mut place = 0;
                while self.finder.back.is_empty() && place < back.len() {
                    place += self.step(back.get(place..).unwrap_or_default(), &mut out);
                }
                self.finder.back.push_str(back.get(place..).unwrap_or_default());
            } else if rest.is_empty() {
                break;
            } else {
                let taken = self.step(rest, &mut out);
                rest = rest.get(taken..).unwrap_or_default();
            }
        }
        if let FinderState::Block(reader) = &mut self.finder.state {
            show(reader.recorder(), out.receiver);
        }
        self.units = out.units;
    }

    fn step(&mut self, text: &str, out: &mut Out<'_>) -> usize {
        let (taken, ending) = self.finder.step(text, &self.settings, out);
        if let Some(ending) = ending {
            self.leave(ending, TextEnd::MaybeCut, out);
        }
        taken
    }

    /// A block is over; what its end says of the text that follows.
    fn leave(&mut self, ending: Ending, text_end: TextEnd, out: &mut Out<'_>) {
        let next = FinderState::text(FenceLine::middle());
        let mut reader = match std::mem::replace(&mut self.finder.state, next) {
            FinderState::Block(reader) => reader,
            FinderState::Unfenced(unfenced) => Box::new(unfenced.into_reader()),
            FinderState::Text(_) | FinderState::Overflow(_) | FinderState::Over => return,
        };
        self.finder.back = std::mem::take(&mut reader.back);
        let is_block = self.finish(&mut reader, ending, text_end, out);
        self.finder.state = match ending {
            Ending::Closed => return,
            Ending::Arguments => FinderState::Over,
            Ending::Full if self.finder.wanted == Wanted::Arguments => FinderState::Over,
            Ending::Unclosed => FinderState::text(FenceLine::start()),
            Ending::Full if is_block => {
                reader.stop();
                FinderState::Overflow(reader)
            }
            Ending::Full => FinderState::Text(Box::new(reader.scanner())),
        };
    }

    /// Passes a block on, or the text that it turned out to be; tells which.
    fn finish(&mut self, reader: &mut Reader, ending: Ending, text_end: TextEnd, out: &mut Out<'_>) -> bool {
        self.finder.after_plain_call |= reader.has_plain_call();
        if !reader.is_block() && !reader.hides_a_call(ending, &self.settings) {
            out.text(&reader.raw);
            return false;
        }
        show(reader.recorder(), out.receiver);
        let Checked { mut status, issues, mut calls } = reader.reading(ending).check(&self.settings);
        let reach = Reach::of(ending, text_end, status).filter(|_| self.settings.repair && calls.is_empty());
        let repaired = reach.and_then(|reach| reader.repair(reach, &self.settings)).filter(|block| block.is_valid());
        let tool_id = ToolId(reader.recorder().block_number());
        let mut next_number = reader.recorder().next_number;
        let repaired = repaired.map(|repaired| {
            status = BlockStatus::Complete;
            calls = repaired.checked.calls;
            next_number = next_number.max(repaired.next_number);
            Repaired { content: reader.with_json(&repaired.json).0, fixes: repaired.fixes }
        });
        let tail = if status == BlockStatus::Truncated { String::new() } else { reader.cut_tail() };
        let raw = std::mem::take(&mut reader.raw);
        let recorder = reader.recorder();
        let (mut tool, path) =
            recorder.calls.first_mut().map_or((None, None), |call| (call.tool.take(), call.path.take()));
        tool = tool.or_else(|| recorder.tool.take());
        self.finder.next_number = self.finder.next_number.max(next_number);
        let start = out.units;
        out.units += utf16_len(&raw);
        let end = out.units;
        let block = Block { tool_id, tool, path, status, start, end, raw, issues, repaired, calls };
        out.receiver.event(Event::Block(Box::new(block)));
        out.text(&tail);
        true
    }
}

/// Passes on what can be shown of a block that is still arriving.
fn show(recorder: &mut Recorder, receiver: &mut dyn Receiver) {
    for event in recorder.events.drain(..) {
        receiver.event(event);
    }
}

//! Reads texts that are part of the text: a quotation without its quote marks, and the inside of a block with an unclosed string.

use super::ToolBlockStream;
use crate::block::TextEnd;
use crate::block::event::{Event, Output, Receiver};
use crate::block::finder::{Finder, FinderState};
use crate::block::quote::Quotation;
use crate::block::reader::ReadMode;
use crate::value::text::{head, owned, part, tail};
use crate::value::utf16_len;

impl ToolBlockStream {
    /// Leaves a finished quotation: reads its block without the quote marks.
    pub(super) fn leave_quote(&mut self, out: &mut Output<'_>) {
        let FinderState::Quote(mut quote) = std::mem::replace(&mut self.finder.state, FinderState::Text) else {
            return;
        };
        quote.end();
        let unfenced = std::mem::replace(&mut self.settings.unfenced, false);
        let reasoning_open = std::mem::replace(&mut self.settings.reasoning_open, false);
        let text = std::mem::take(&mut quote.text);
        let mut quoted = Quoted { quote: &quote, place: 0, shown: 0, out };
        self.nested(&text, self.finder.is_unfinished, &mut quoted);
        let shown = quoted.shown;
        out.text(tail(&quote.raw, shown));
        (self.settings.unfenced, self.settings.reasoning_open) = (unfenced, reasoning_open);
        self.finder.continue_in_text(quote.raw.ends_with('\n'));
    }

    /// Reads a part of the text as a text of its own, but continues the numbers of calls.
    fn nested(&mut self, text: &str, is_unfinished: bool, receiver: &mut dyn Receiver) {
        let mut finder = Finder::new(ReadMode::Calls, &self.settings);
        (finder.next_number, finder.is_unfinished) = (self.finder.next_number, is_unfinished);
        let outer = std::mem::replace(&mut self.finder, finder);
        let units = std::mem::take(&mut self.units);
        let is_nested = std::mem::replace(&mut self.is_nested, true);
        self.run(text, receiver);
        self.end(TextEnd::MaybeCut, receiver);
        let next_number = self.finder.next_number;
        self.finder = outer;
        self.finder.next_number = next_number;
        (self.units, self.is_nested) = (units, is_nested);
    }

    /// Reports the calls inside a block with an unclosed string, which are not executed. `start` is the block's position in
    /// UTF-16 units.
    pub(super) fn report_inner(&mut self, raw: &str, start: usize, out: &mut Output<'_>) {
        // Starts after the first bracket: the block's own object is reported already.
        let Some(json) = raw.bytes().position(|byte| matches!(byte, b'{' | b'[')) else { return };
        let units = start + utf16_len(head(raw, json + 1));
        self.nested(tail(raw, json + 1), true, &mut Inner { units, receiver: out.receiver });
    }
}

/// Receives the events of a quotation, and restores the quote marks in their texts.
struct Quoted<'a, 'o> {
    quote: &'a Quotation,
    /// Bytes received, without quote marks.
    place: usize,
    /// Bytes passed on, with quote marks.
    shown: usize,
    out: &'a mut Output<'o>,
}

impl Quoted<'_, '_> {
    /// The next part of the quotation as it arrived; `length` is its length without quote marks.
    fn next(&mut self, length: usize) -> String {
        self.place += length;
        let end = self.quote.raw_offset(self.place);
        let raw = owned(part(&self.quote.raw, self.shown..end));
        self.shown = end;
        raw
    }
}

impl Receiver for Quoted<'_, '_> {
    fn text(&mut self, text: &str) {
        let raw = self.next(text.len());
        self.out.text(&raw);
    }

    fn reasoning(&mut self, text: &str) {
        self.text(text);
    }

    fn event(&mut self, event: Event) {
        let Event::Block(mut block) = event else { return self.out.receiver.event(event) };
        if !block.in_text {
            block.raw = self.next(block.raw.len());
        }
        self.out.block(block);
    }
}

/// Receives the events of the text inside a block, and passes only reports on; `units` UTF-16 units precede that text.
struct Inner<'a> {
    units: usize,
    receiver: &'a mut dyn Receiver,
}

impl Receiver for Inner<'_> {
    fn text(&mut self, _text: &str) {}

    fn reasoning(&mut self, _text: &str) {}

    fn event(&mut self, event: Event) {
        if let Event::Block(mut block) = event {
            (block.start, block.end, block.in_text) = (block.start + self.units, block.end + self.units, true);
            self.receiver.event(Event::Block(block));
        }
    }
}

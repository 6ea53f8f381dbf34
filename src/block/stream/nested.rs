//! Reads texts that are part of the text: a quotation without its quote marks, and the inside of a block with an unclosed string.

use super::ToolBlockStream;
use crate::block::TextEnd;
use crate::block::event::{Event, Output, Receiver};
use crate::block::finder::{Finder, FinderState};
use crate::block::quote::Quotation;
use crate::block::reader::ReadMode;
use crate::block::scanner::ResumeAt;
use crate::value::text::{head, owned, part, tail};
use crate::value::utf16_len;

impl ToolBlockStream {
    /// Leaves a finished quotation: reads its lines without the quote marks `>`, and passes them on as they arrived.
    pub(super) fn leave_quote(&mut self, out: &mut Output<'_>) {
        let FinderState::Quote(mut quote) = std::mem::replace(&mut self.finder.state, FinderState::Text) else {
            return;
        };
        quote.end();
        // While the quotation is read, only fenced blocks are calls, and no reasoning is open at its start.
        let unfenced = std::mem::replace(&mut self.settings.unfenced, false);
        let reasoning_open = std::mem::replace(&mut self.settings.reasoning_open, false);
        let text = std::mem::take(&mut quote.text);
        let mut receiver = QuoteReceiver { quote: &quote, text_offset: 0, raw_offset: 0, out };
        self.read_nested(&text, self.finder.follows_unclosed_string, &mut receiver);
        // Blanks without a quote mark at the end are only in `raw`.
        let raw_offset = receiver.raw_offset;
        out.text(tail(&quote.raw, raw_offset));
        (self.settings.unfenced, self.settings.reasoning_open) = (unfenced, reasoning_open);
        self.finder.continue_in_text(ResumeAt::after(&quote.raw));
    }

    /// Reads a part of the text as a text of its own, but continues the numbers of calls. If it `follows_unclosed_string`, its
    /// calls are not executed. Its end counts as cut off, so nothing that is open there is completed.
    fn read_nested(&mut self, text: &str, follows_unclosed_string: bool, receiver: &mut dyn Receiver) {
        let mut nested = Finder::new(ReadMode::Calls, &self.settings);
        (nested.next_number, nested.follows_unclosed_string) = (self.finder.next_number, follows_unclosed_string);
        let outer = std::mem::replace(&mut self.finder, nested);
        let units = std::mem::take(&mut self.units);
        let is_nested = std::mem::replace(&mut self.is_nested, true);
        self.push(text, receiver);
        self.end(TextEnd::MaybeCut, receiver);
        let next_number = self.finder.next_number;
        self.finder = outer;
        self.finder.next_number = next_number;
        (self.units, self.is_nested) = (units, is_nested);
    }

    /// Reports the calls inside a block with an unclosed string, which are not executed. `raw` is the text of the block, and
    /// `start` its position in UTF-16 units.
    pub(super) fn report_inner(&mut self, raw: &str, start: usize, out: &mut Output<'_>) {
        // Starts after the first bracket: the block's own object is reported already.
        let Some(bracket) = raw.bytes().position(|byte| matches!(byte, b'{' | b'[')) else { return };
        let units = start + utf16_len(head(raw, bracket + 1));
        let (inner, follows_unclosed_string) = (tail(raw, bracket + 1), true);
        self.read_nested(inner, follows_unclosed_string, &mut ReportReceiver { units, receiver: out.receiver });
    }
}

/// Receives the events of a quotation, and restores the quote marks in their texts.
struct QuoteReceiver<'a, 'o> {
    quote: &'a Quotation,
    /// The bytes received so far, without quote marks.
    text_offset: usize,
    /// The bytes passed on so far, with quote marks.
    raw_offset: usize,
    out: &'a mut Output<'o>,
}

impl QuoteReceiver<'_, '_> {
    /// The next part of the quotation as it arrived; `length` is its length without quote marks.
    fn next_raw(&mut self, length: usize) -> String {
        self.text_offset += length;
        let end = self.quote.raw_offset(self.text_offset);
        let raw = owned(part(&self.quote.raw, self.raw_offset..end));
        self.raw_offset = end;
        raw
    }
}

impl Receiver for QuoteReceiver<'_, '_> {
    fn text(&mut self, text: &str) {
        let raw = self.next_raw(text.len());
        self.out.text(&raw);
    }

    /// In a quotation, reasoning is text.
    fn reasoning(&mut self, text: &str) {
        self.text(text);
    }

    fn event(&mut self, event: Event) {
        let Event::Block(mut block) = event else { return self.out.receiver.event(event) };
        // A block with `in_text` repeats text that has been passed on.
        if !block.in_text {
            block.raw = self.next_raw(block.raw.len());
        }
        self.out.block(block);
    }
}

/// Receives the events of the text inside a block, and passes only the reports of blocks on: the text itself is emitted with the
/// block around it.
struct ReportReceiver<'a> {
    /// The UTF-16 units of the stream before that text.
    units: usize,
    receiver: &'a mut dyn Receiver,
}

impl Receiver for ReportReceiver<'_> {
    fn text(&mut self, _text: &str) {}

    fn reasoning(&mut self, _text: &str) {}

    fn event(&mut self, event: Event) {
        if let Event::Block(mut block) = event {
            (block.start, block.end, block.in_text) = (block.start + self.units, block.end + self.units, true);
            self.receiver.event(Event::Block(block));
        }
    }
}

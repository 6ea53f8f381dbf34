//! The state of the current line, and its beginning: blanks, list markers and quote marks, up to the byte that decides what
//! the line is.

use super::surroundings::{Surroundings, Within};
use crate::block::line::{FenceLine, MAX_INDENT};
use crate::block::tags::begins_tag;
use crate::block::watch::{NoCallReason, Region};

/// The state of the current line.
#[derive(Clone, Copy, Debug)]
pub(super) enum ScanState {
    /// Only blanks, list markers and quote marks so far.
    Start(LineStart),
    /// A possible fence, buffered outside of code.
    Fence(FenceLine, LineStart),
    /// A possible tag, which begins at this byte offset of [`super::Scanner::buffer`].
    Tag(usize),
    /// A possible mark inside a line, such as `<|channel|>`, buffered.
    Mark,
    /// Blanks after wrapper tags, buffered with them.
    AfterWrapper,
    /// No block begins in the rest of the line.
    Text,
}

/// The beginning of a line: blanks, list markers and quote marks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineStart {
    /// The number of blanks since the last list marker or quote mark; a tab counts as four.
    pub(super) blanks: u8,
    /// The list marker right before the next byte.
    marker: Marker,
    /// Whether a list marker and a blank precede.
    is_item: bool,
    /// Whether a quote mark (`>`) precedes.
    pub(super) is_quoted: bool,
}

/// A list marker, possibly incomplete: a blank must follow it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Marker {
    #[default]
    None,
    /// `-`, `*` or `+`, or a number with its `.` or `)`.
    Whole,
    /// Digits of a number.
    Digits(u8),
}

/// The maximum number of digits of a list marker (CommonMark).
const MAX_DIGITS: u8 = 9;

/// How a byte continues the beginning of a line.
pub(super) enum StartStep {
    /// The beginning of the line continues.
    Pass(LineStart),
    /// The byte is the first of text, or may be the first of a fence or of a tag.
    Line(ScanState),
    /// The byte may be the first of a call.
    Bracket,
    /// The byte may begin JSON that is not a call.
    Watch(Region, NoCallReason),
}

/// The JSON whose calls are watched, but not executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watching {
    Nothing,
    /// JSON that begins a line of the current code block will be watched.
    Code,
    /// JSON is being watched.
    Json,
}

impl LineStart {
    /// Decides how the next byte continues the beginning of a line: with a blank, or as a part of a list marker or a quote mark.
    /// Any other byte ends it. Whether that may begin a fence, a tag or a call depends on its indent and on what is around the
    /// line.
    pub(super) fn read(mut self, byte: u8, watching: Watching, around: &mut Surroundings) -> StartStep {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        if is_blank {
            if self.marker == Marker::Whole {
                (self.is_item, self.blanks, around.in_list) = (true, 0, true);
            }
            self.marker = Marker::None;
            self.blanks = self.blanks.saturating_add(if byte == b'\t' { 4 } else { 1 });
            return StartStep::Pass(self);
        }
        if self.marker == Marker::Whole {
            return StartStep::Line(ScanState::Text);
        }
        if let Marker::Digits(digits) = self.marker {
            self.marker = match byte {
                b'0'..=b'9' if digits < MAX_DIGITS => Marker::Digits(digits + 1),
                b'.' | b')' => Marker::Whole,
                _ => return StartStep::Line(ScanState::Text),
            };
            return StartStep::Pass(self);
        }
        let is_code = around.code.is_some();
        // A closing fence may be indented by `MAX_INDENT` more blanks than its opener.
        let max_blanks = around.code.map_or(0, |(_, blanks)| blanks).saturating_add(MAX_INDENT);
        // A line that is not indented, and begins no item, ends the list.
        if !is_code && self.blanks == 0 && !self.is_item && !matches!(byte, b'-' | b'*' | b'+' | b'0'..=b'9') {
            around.in_list = false;
        }
        let may_indent = !is_code && around.in_list || self.blanks <= max_blanks;
        match byte {
            // In HTML comments and quoted code, a fence is text.
            b'`' | b'~' if may_indent && !matches!(around.within, Within::Html | Within::InlineHtml | Within::Pre) => {
                StartStep::Line(ScanState::Fence(FenceLine::start(), self))
            }
            b'{' | b'[' if watching == Watching::Code => StartStep::Watch(Region::Lines, NoCallReason::Quoted),
            _ if is_code => StartStep::Line(ScanState::Text),
            b'{' | b'[' if watching == Watching::Json => StartStep::Line(ScanState::Text),
            b'{' | b'[' => match around.within {
                Within::Text if self.is_quoted => StartStep::Watch(Region::InLine, NoCallReason::Quoted),
                // e.g. `"example":` in the line before
                Within::Text if matches!(around.last_solid, [b'"' | b'\'', b':']) => {
                    StartStep::Watch(Region::Lines, NoCallReason::OtherJson)
                }
                // Indented code, as CommonMark defines it.
                Within::Text if self.blanks > MAX_INDENT && !around.in_list && around.after_blank => {
                    StartStep::Watch(Region::Lines, NoCallReason::Quoted)
                }
                // E.g. `[TOOL_CALLS]`, or a list of calls.
                Within::Text if byte == b'[' => StartStep::Line(ScanState::Tag(0)),
                Within::Text => StartStep::Bracket,
                Within::Pre | Within::Code => StartStep::Watch(Region::Lines, NoCallReason::Quoted),
                _ => StartStep::Line(ScanState::Text),
            },
            _ if around.within != Within::Text => StartStep::Line(ScanState::Text),
            b'>' => {
                self.is_quoted = true;
                self.blanks = 0;
                StartStep::Pass(self)
            }
            _ if begins_tag(byte) && !self.is_quoted && watching != Watching::Json => {
                StartStep::Line(ScanState::Tag(0))
            }
            b'-' | b'*' | b'+' => {
                self.marker = Marker::Whole;
                StartStep::Pass(self)
            }
            b'0'..=b'9' => {
                self.marker = Marker::Digits(1);
                StartStep::Pass(self)
            }
            _ => StartStep::Line(ScanState::Text),
        }
    }
}

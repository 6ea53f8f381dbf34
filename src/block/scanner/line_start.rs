//! The beginning of a line: blanks, list markers and quote marks, up to the byte that decides what the line is.

use super::within::Within;
use super::{ScanState, Scanner};
use crate::block::line::{FenceLine, MAX_INDENT};
use crate::block::tags::begins_tag;
use crate::block::watch::{NoCallReason, Region};

/// The beginning of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineStart {
    /// Blanks since the last marker; a tab counts as four.
    pub(super) blanks: u8,
    marker: Marker,
    /// Whether a list marker precedes.
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

impl Scanner {
    /// Decides how the next byte continues the beginning of a line.
    pub(super) fn read_start(&mut self, mut start: LineStart, byte: u8) -> StartStep {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        if is_blank {
            if start.marker == Marker::Whole {
                (start.is_item, start.blanks, self.in_list) = (true, 0, true);
            }
            start.marker = Marker::None;
            start.blanks = start.blanks.saturating_add(if byte == b'\t' { 4 } else { 1 });
            return StartStep::Pass(start);
        }
        if start.marker == Marker::Whole {
            return StartStep::Line(ScanState::Text);
        }
        if let Marker::Digits(digits) = start.marker {
            start.marker = match byte {
                b'0'..=b'9' if digits < MAX_DIGITS => Marker::Digits(digits + 1),
                b'.' | b')' => Marker::Whole,
                _ => return StartStep::Line(ScanState::Text),
            };
            return StartStep::Pass(start);
        }
        let is_code = self.code.is_some();
        let most_blanks = self.code.map_or(0, |(_, blanks)| blanks).saturating_add(MAX_INDENT);
        if !is_code && start.blanks == 0 && !start.is_item && !matches!(byte, b'-' | b'*' | b'+' | b'0'..=b'9') {
            self.in_list = false;
        }
        let may_indent = !is_code && self.in_list || start.blanks <= most_blanks;
        match byte {
            b'`' | b'~' if may_indent && !matches!(self.within, Within::Html | Within::InlineHtml | Within::Pre) => {
                StartStep::Line(ScanState::Fence(FenceLine::start(), start))
            }
            b'{' | b'[' if self.watches_code && self.watch.is_none() => {
                StartStep::Watch(Region::Lines, NoCallReason::Quoted)
            }
            _ if is_code => StartStep::Line(ScanState::Text),
            b'{' | b'[' if self.watch.is_some() => StartStep::Line(ScanState::Text),
            b'{' | b'[' => match self.within {
                Within::Text if start.is_quoted => StartStep::Watch(Region::InLine, NoCallReason::Quoted),
                // e.g. `"example":` in the line before
                Within::Text if matches!(self.last_solid, [b'"' | b'\'', b':']) => {
                    StartStep::Watch(Region::Lines, NoCallReason::OtherJson)
                }
                // Indented code, as CommonMark defines it.
                Within::Text if start.blanks > MAX_INDENT && !self.in_list && self.after_blank => {
                    StartStep::Watch(Region::Lines, NoCallReason::Quoted)
                }
                Within::Text if byte == b'[' => StartStep::Line(ScanState::Tag(0)),
                Within::Text => StartStep::Bracket,
                Within::Pre | Within::Code => StartStep::Watch(Region::Lines, NoCallReason::Quoted),
                _ => StartStep::Line(ScanState::Text),
            },
            _ if self.within != Within::Text => StartStep::Line(ScanState::Text),
            b'>' => {
                start.is_quoted = true;
                start.blanks = 0;
                StartStep::Pass(start)
            }
            _ if begins_tag(byte) && !start.is_quoted && self.watch.is_none() => StartStep::Line(ScanState::Tag(0)),
            b'-' | b'*' | b'+' => {
                start.marker = Marker::Whole;
                StartStep::Pass(start)
            }
            b'0'..=b'9' => {
                start.marker = Marker::Digits(1);
                StartStep::Pass(start)
            }
            _ => StartStep::Line(ScanState::Text),
        }
    }
}

//! The beginning of a line: blanks, list markers and quote marks, up to the byte that decides what the line is.

use super::within::Within;
use super::{ScanState, Scanner};
use crate::block::line::{FenceLine, MAX_INDENT};
use crate::block::tags::begins_tag;
use crate::block::watch::{NoCall, Region};

/// The beginning of a line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineStart {
    /// Blanks since the last marker; a tab counts as four.
    pub(super) blanks: u8,
    marker: Marker,
    is_item: bool,
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

/// A number before an item of a list has no more digits (CommonMark).
const MAX_DIGITS: u8 = 9;

/// The result of a byte at the beginning of a line.
pub(super) enum Start {
    /// The beginning of the line continues.
    Pass(LineStart),
    /// The byte is the first of text, or may be the first of a fence or of a tag.
    Line(ScanState),
    /// The byte may be the first of a call.
    Bracket,
    /// The byte may begin JSON that is not a call.
    Watch(Region, NoCall),
}

impl Scanner {
    /// Decides how the next byte continues the beginning of a line.
    pub(super) fn start(&mut self, mut start: LineStart, byte: u8) -> Start {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        if is_blank {
            if start.marker == Marker::Whole {
                (start.is_item, start.blanks, self.in_list) = (true, 0, true);
            }
            start.marker = Marker::None;
            start.blanks = start.blanks.saturating_add(if byte == b'\t' { 4 } else { 1 });
            return Start::Pass(start);
        }
        if start.marker == Marker::Whole {
            return Start::Line(ScanState::Text);
        }
        if let Marker::Digits(digits) = start.marker {
            start.marker = match byte {
                b'0'..=b'9' if digits < MAX_DIGITS => Marker::Digits(digits + 1),
                b'.' | b')' => Marker::Whole,
                _ => return Start::Line(ScanState::Text),
            };
            return Start::Pass(start);
        }
        let is_code = self.code.is_some();
        let most_blanks = self.code.map_or(0, |(_, blanks)| blanks).saturating_add(MAX_INDENT);
        if !is_code && start.blanks == 0 && !start.is_item && !matches!(byte, b'-' | b'*' | b'+' | b'0'..=b'9') {
            self.in_list = false;
        }
        let may_indent = !is_code && self.in_list || start.blanks <= most_blanks;
        match byte {
            b'`' | b'~' if may_indent && !matches!(self.within, Within::Html | Within::InlineHtml | Within::Pre) => {
                Start::Line(ScanState::Fence(FenceLine::start(), start))
            }
            b'{' | b'[' if self.watches_code && self.watch.is_none() => Start::Watch(Region::Lines, NoCall::Quoted),
            _ if is_code => Start::Line(ScanState::Text),
            b'{' | b'[' if self.watch.is_some() => Start::Line(ScanState::Text),
            b'{' | b'[' => match self.within {
                Within::Text if start.is_quoted => Start::Watch(Region::InLine, NoCall::Quoted),
                // e.g. `"example":` in the line before
                Within::Text if matches!(self.last_solid, [b'"' | b'\'', b':']) => {
                    Start::Watch(Region::Lines, NoCall::OtherJson)
                }
                // Code that is indented, as CommonMark has it.
                Within::Text if start.blanks > MAX_INDENT && !self.in_list && self.after_blank => {
                    Start::Watch(Region::Lines, NoCall::Quoted)
                }
                Within::Text if byte == b'[' => Start::Line(ScanState::Tag(0)),
                Within::Text => Start::Bracket,
                Within::Pre | Within::Code => Start::Watch(Region::Lines, NoCall::Quoted),
                _ => Start::Line(ScanState::Text),
            },
            _ if self.within != Within::Text => Start::Line(ScanState::Text),
            b'>' => {
                start.is_quoted = true;
                start.blanks = 0;
                Start::Pass(start)
            }
            _ if begins_tag(byte) && !start.is_quoted && self.watch.is_none() => Start::Line(ScanState::Tag(0)),
            b'-' | b'*' | b'+' => {
                start.marker = Marker::Whole;
                Start::Pass(start)
            }
            b'0'..=b'9' => {
                start.marker = Marker::Digits(1);
                Start::Pass(start)
            }
            _ => Start::Line(ScanState::Text),
        }
    }
}

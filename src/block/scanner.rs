//! Text outside of blocks: passes it on, and finds where a block may begin.
//!
//! A block begins at the start of a line, after blanks, list markers and tags: with a fence, or with a bracket. Brackets
//! elsewhere, and JSON in code blocks, are watched for calls that are not executed.

mod inline_code;
mod line_start;
mod surroundings;

use line_start::{LineStart, ScanState, StartStep, Watching};
use surroundings::{Surroundings, Within};

use super::Settings;
use super::event::Output;
use super::formats::{begins_anywhere, match_format};
use super::line::{Fence, FenceLanguage, FenceLine};
use super::tag::{Grammar, Tag, TagMatch};
use super::tags::{begins_tag, match_tag};
use super::watch::{NoCallReason, NotACall, Region, Watch, may_be_json};
use crate::value::concat;
use crate::value::text::{first_char, head, piece_of_line, put, tail};

/// The start of something other than text. [`Scanner::buffered`] holds the part of it that was read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opener {
    /// A fence. The buffer holds its line from the first mark on; `json` is the offset of JSON in that line, or
    /// `usize::MAX` if the line has none. `indent` is the number of blanks before the fence.
    Fence { fence: Fence, info: FenceLanguage, indent: u8, json: usize },
    /// A bracket, perhaps after wrapper tags, at offset `json` of the buffer; if the buffer ends there, the bracket is the
    /// next byte of the text. `tool`: the range of a tool name in the tags; the JSON is then its arguments.
    Bracket { json: usize, tool: Option<(usize, usize)> },
    /// A call in another grammar, which begins at offset `start` of the buffer.
    Call { start: usize, grammar: Grammar },
    /// Marks that are dropped: all of the buffer.
    Marks,
    /// A fence after quote marks, as a whole line.
    Quote,
    /// A tag of reasoning, at this offset of the buffer.
    Reasoning(usize),
    /// The buffer is text, which must be read again.
    ReadAgain,
}

/// The state between two pieces of text.
#[derive(Debug)]
pub(super) struct Scanner {
    around: Surroundings,
    /// Whether JSON at the start of a line of the current code block is watched: the block has no language, and began with words.
    pub(super) watches_code: bool,
    /// The state of the current line.
    line: ScanState,
    /// A fence that began inside a line, after other text. Its code is not a block; the line with its closing fence opens none.
    inner_fence: Option<Fence>,
    /// The watch over JSON that passes as text, if there is one.
    watch: Option<Box<Watch>>,
    /// A possible fence or tag, or a complete opener.
    pub(super) buffered: String,
    /// The result of a watch that has found the name of a known tool.
    pub(super) report: Option<NotACall>,
}

impl Scanner {
    /// At the beginning of a text.
    pub(super) fn new() -> Self {
        Self {
            around: Surroundings::new(),
            watches_code: false,
            line: ScanState::Start(LineStart::default()),
            inner_fence: None,
            watch: None,
            buffered: String::new(),
            report: None,
        }
    }

    /// Continues after a block: at the start of a line, or in the rest of one, where no other block can begin.
    pub(super) fn resume(&mut self, at_line_start: bool) {
        self.around.reset(at_line_start);
        (self.watch, self.watches_code) = (None, false);
        self.line = if at_line_start { ScanState::Start(LineStart::default()) } else { ScanState::Text };
    }

    /// Continues in a code block that began with `text`, with a watch that has read the JSON in that text.
    pub(super) fn resume_code(&mut self, text: &str, fence: Fence, indent: u8, watch: Option<Watch>) {
        self.resume(false);
        self.around.code = Some((fence, indent));
        self.watch = watch.map(Box::new);
        let mut line = FenceLine::indented(indent);
        line.read_lines(text);
        self.line = ScanState::Fence(line, LineStart::default());
    }

    /// Continues after `text`, which is JSON at the start of a line, with a watch over the rest of it.
    pub(super) fn resume_json(&mut self, text: &str, watch: Watch) {
        self.resume(text.ends_with('\n'));
        self.watch = Some(Box::new(watch));
    }

    /// Passes text on up to the next opener; returns the number of bytes read.
    pub(super) fn read(&mut self, text: &str, settings: &Settings, out: &mut Output<'_>) -> (usize, Option<Opener>) {
        // The text of watched JSON is scanned up to the end of the JSON, and not beyond: then its report goes out. The JSON of a
        // code block is read line by line, since each line may be the closing fence.
        let (mut length, mut is_over) = (text.len(), false);
        if let Some(watch) = &mut self.watch {
            let is_code = watch.region == Region::Code;
            let text = if is_code { piece_of_line(text) } else { text };
            (length, is_over) = if watch.is_over { (0, true) } else { watch.feed(text) };
            // If the scan stops at an opener inside this text, the rest comes again: it is not fed to the watch twice.
            watch.is_over |= is_over;
        }
        let (taken, opener) = self.scan(head(text, length), settings, out);
        if opener.is_none() && is_over && taken == length {
            self.end_watch(false, settings);
        }
        (taken, opener)
    }

    /// Ends the watch, if there is one, and keeps its report. `after_fence`: whether the closing fence of a code block was read.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    fn end_watch(&mut self, after_fence: bool, settings: &Settings) {
        if let Some(mut watch) = self.watch.take() {
            if after_fence && watch.region == Region::Code {
                watch.remove_last_line();
            }
            self.report = watch.into_report(&settings.tools);
        }
    }

    /// Passes text on up to the next opener or report; returns the number of bytes read. The state of the line decides how the
    /// next character is read. Text that may become a fence, a tag or a mark is buffered until that is decided; a character that
    /// decides against it without belonging to it is not read (`length = 0`), and is read again in the new state.
    fn scan(&mut self, text: &str, settings: &Settings, out: &mut Output<'_>) -> (usize, Option<Opener>) {
        let mut offset = 0;
        while offset < text.len() {
            let rest = tail(text, offset);
            let char = first_char(rest);
            let byte = char.as_bytes().first().copied().unwrap_or_default();
            let (mut length, mut opener) = (char.len(), None);
            if byte == b'\n' {
                opener = self.end_line(settings, out);
            } else {
                match self.line {
                    ScanState::Start(start) => match start.read(byte, self.watching(), &mut self.around) {
                        StartStep::Pass(start) => {
                            self.line = ScanState::Start(start);
                            self.around.track(byte);
                            out.text(char);
                        }
                        StartStep::Line(line) => {
                            self.line = line;
                            length = 0;
                        }
                        StartStep::Bracket => return (offset, Some(Opener::Bracket { json: 0, tool: None })),
                        StartStep::Watch(region, reason) => {
                            self.begin_watch(region, reason, settings, out);
                            return (offset, None);
                        }
                    },
                    ScanState::Fence(mut line, start) => {
                        char.bytes().for_each(|byte| line.push(byte));
                        self.line = ScanState::Fence(line, start);
                        // In a code block, the line can only be the closing fence, so nothing needs to be buffered.
                        if self.around.code.is_none() {
                            put(&mut self.buffered, char);
                            if let Some((fence, info, json)) = line.inline().filter(|_| !start.is_quoted) {
                                opener = Some(Opener::Fence { fence, info, indent: start.blanks, json });
                            } else if line.is_no_fence() {
                                self.release(out);
                            }
                        } else {
                            if line.is_no_fence() {
                                self.line = ScanState::Text;
                            }
                            self.around.track_all(char);
                            out.text(char);
                        }
                    }
                    ScanState::Tag(begin) => {
                        put(&mut self.buffered, char);
                        opener = self.check_tag(begin, settings);
                    }
                    ScanState::Mark => {
                        put(&mut self.buffered, char);
                        opener = self.check_mark(settings, out);
                    }
                    ScanState::Tagged => match byte {
                        _ if self.buffered.len() > MAX_TAGS => {
                            length = 0;
                            self.release(out);
                        }
                        b' ' | b'\t' | b'\r' => _ = put(&mut self.buffered, char),
                        b'{' => return (offset, Some(Opener::Bracket { json: self.buffered.len(), tool: None })),
                        _ => {
                            length = 0;
                            let begin = self.buffered.len();
                            // e.g. [TOOL_CALLS]name
                            let is_header = || {
                                !matches!(
                                    match_format(
                                        &concat(&[&self.buffered, char]),
                                        &settings.formats,
                                        &settings.tools,
                                        false
                                    ),
                                    TagMatch::No
                                )
                            };
                            if begins_tag(byte) {
                                self.line = ScanState::Tag(begin);
                            } else if is_header() {
                                self.line = ScanState::Tag(0);
                            } else {
                                opener = self.reread_buffer();
                            }
                        }
                    },
                    ScanState::Text => {
                        length = self.text_run(rest, settings);
                        out.text(head(rest, length));
                        match rest.as_bytes().get(length) {
                            None | Some(b'\n') => {}
                            Some(b'<') => self.line = ScanState::Mark,
                            Some(bracket) => {
                                self.begin_watch(Region::InLine, NoCallReason::SharesLine, settings, out);
                                // The bracket is the last byte that has arrived.
                                if rest.len() == length + 1 {
                                    self.watch.iter_mut().for_each(|watch| watch.decide_later(*bracket));
                                }
                                return (offset + length, None);
                            }
                        }
                    }
                }
            }
            offset += length;
            // A report goes out before the text after it, however the text is cut.
            if opener.is_some() || self.report.is_some() {
                return (offset, opener);
            }
        }
        (offset, None)
    }

    /// Reads text up to the end of its line, a bracket to watch, or a possible mark; returns the number of bytes read.
    fn text_run(&mut self, text: &str, settings: &Settings) -> usize {
        for (offset, byte) in text.bytes().enumerate() {
            if begins_anywhere(&settings.formats, byte) && self.watch.is_none() && self.around.is_prose() {
                return offset;
            }
            let may_watch = || {
                may_be_json(byte, text.as_bytes().get(offset + 1)) && self.watch.is_none() && self.around.may_watch()
            };
            if byte == b'\n' || matches!(byte, b'{' | b'[') && may_watch() {
                return offset;
            }
            self.around.track(byte);
        }
        text.len()
    }

    /// The JSON that is watched in the current line.
    fn watching(&self) -> Watching {
        match &self.watch {
            Some(_) => Watching::Json,
            None if self.watches_code => Watching::Code,
            None => Watching::Nothing,
        }
    }

    /// Starts a watch at the next bracket, whose JSON is not a call for this reason; quoted JSON is quoted in the first place.
    pub(super) fn begin_watch(&mut self, region: Region, reason: NoCallReason, settings: &Settings, out: &Output<'_>) {
        self.line = ScanState::Text;
        let reason =
            if matches!(self.around.within, Within::Pre | Within::Code) { NoCallReason::Quoted } else { reason };
        self.watch = Some(Box::new(Watch::new(region, reason, out.units, settings)));
    }

    /// Passes the buffer on as text, and tracks it: neither the buffer nor the rest of its line is a tag or a fence.
    fn release(&mut self, out: &mut Output<'_>) {
        self.line = ScanState::Text;
        let text = std::mem::take(&mut self.buffered);
        self.around.track_all(&text);
        out.text(&text);
    }

    /// Returns the buffer to be read again as text.
    fn reread_buffer(&mut self) -> Option<Opener> {
        self.line = ScanState::Text;
        Some(Opener::ReadAgain)
    }

    /// Decides whether the buffer is a mark inside a line; `None` if it is text, or still undecided.
    fn check_mark(&mut self, settings: &Settings, out: &mut Output<'_>) -> Option<Opener> {
        match match_format(&self.buffered, &settings.formats, &settings.tools, true) {
            TagMatch::Maybe => None,
            TagMatch::Tag(tag) => self.opener_of(tag, 0),
            TagMatch::No => {
                self.release(out);
                None
            }
        }
    }

    /// The opener for a complete tag at offset `begin` of `buffered`; `None` after a wrapper, which needs a bracket too.
    fn opener_of(&mut self, tag: Tag, begin: usize) -> Option<Opener> {
        self.line = ScanState::Text;
        Some(match tag {
            Tag::Wrapper => {
                self.line = ScanState::Tagged;
                return None;
            }
            Tag::Reasoning => Opener::Reasoning(begin),
            Tag::Marks => Opener::Marks,
            Tag::Call(grammar) => Opener::Call { start: begin, grammar },
            Tag::Arguments { name: (start, end), json } => {
                Opener::Bracket { json: begin + json, tool: Some((begin + start, begin + end)) }
            }
        })
    }

    /// Decides whether `buffered` has a tag at offset `begin`; `None` if that is still undecided.
    fn check_tag(&mut self, begin: usize, settings: &Settings) -> Option<Opener> {
        let text = tail(&self.buffered, begin);
        match match_tag(text, settings) {
            TagMatch::Maybe => None,
            TagMatch::Tag(tag) => self.opener_of(tag, begin),
            // JSON may begin there with a list.
            TagMatch::No if text.starts_with('[') => {
                self.line = ScanState::Text;
                Some(Opener::Bracket { json: begin, tool: None })
            }
            TagMatch::No => self.reread_buffer(),
        }
    }

    /// Ends the current line at its line feed, which belongs to a tag or mark if that may continue in the next line. A line that
    /// is a fence opens a block, or closes the current code block, which ends the watch over it.
    fn end_line(&mut self, settings: &Settings, out: &mut Output<'_>) -> Option<Opener> {
        let was_blank = self.around.is_blank;
        let inline = self.around.end_line();
        let line = std::mem::replace(&mut self.line, ScanState::Start(LineStart::default()));
        if let ScanState::Tagged | ScanState::Tag(_) | ScanState::Mark = line {
            put(&mut self.buffered, "\n");
            let is_mark = matches!(line, ScanState::Mark);
            let is_no_mark =
                || matches!(match_format(&self.buffered, &settings.formats, &settings.tools, true), TagMatch::No);
            if !(is_mark && is_no_mark()) {
                (self.line, self.around.is_blank) = (line, was_blank);
                return match line {
                    ScanState::Tag(begin) => self.check_tag(begin, settings),
                    ScanState::Mark => self.check_mark(settings, out),
                    _ => None,
                };
            }
            self.buffered.pop();
            self.flush(out);
        }
        self.around.end_construct();
        if self.closes_code(&line) {
            out.text("\n");
            self.end_watch(true, settings);
            self.resume(true);
            return None;
        }
        if let ScanState::Fence(line, start) = line
            && self.around.code.is_none()
        {
            let opener = self.end_fence(line, start);
            if opener.is_some() {
                put(&mut self.buffered, "\n");
                return opener;
            }
            self.flush(out);
        }
        out.text("\n");
        if self.around.code.is_none() && self.around.within == Within::Text {
            self.inner_fence = inline.fence().or(self.inner_fence);
        }
        None
    }

    /// Ends a line outside of code that may be a fence; returns the opener of a block. `None` if it is no fence, or begins or
    /// ends code that is no block.
    fn end_fence(&mut self, mut line: FenceLine, start: LineStart) -> Option<Opener> {
        line.end_bracket();
        let (fence, info) = line.end()?;
        if self.inner_fence.take().is_some_and(|inner| line.closes(Some(inner))) {
            return None;
        }
        if start.is_quoted {
            return Some(Opener::Quote);
        }
        // A fence ends the JSON that is watched.
        self.watch = None;
        if info == FenceLanguage::Other {
            self.around.code = Some((fence, start.blanks));
            return None;
        }
        let json = line.inline().map_or(usize::MAX, |(_, _, json)| json);
        Some(Opener::Fence { fence, info, indent: start.blanks, json })
    }

    /// Passes the buffer on as text, without tracking it.
    fn flush(&mut self, out: &mut Output<'_>) {
        out.text(&std::mem::take(&mut self.buffered));
    }

    /// Whether a line is the closing fence of the current code block.
    #[inline(never)]
    fn closes_code(&self, line: &ScanState) -> bool {
        matches!((line, self.around.code), (ScanState::Fence(line, _), Some((fence, _))) if line.closes(Some(fence)))
    }

    /// Ends the text: passes the buffer on and ends the watch.
    pub(super) fn end(&mut self, settings: &Settings, out: &mut Output<'_>) {
        self.flush(out);
        let is_fence = self.closes_code(&self.line);
        self.end_watch(is_fence, settings);
    }
}

/// The maximum length of consecutive wrapper tags and the blanks after them, in bytes, since they are buffered.
const MAX_TAGS: usize = 256;

//! Text outside of blocks: passes it on, and finds where a block may begin.
//!
//! A block begins at the start of a line, after blanks, list markers and tags: with a fence, or with a bracket. Brackets
//! elsewhere, and JSON in code blocks, are watched for calls that are not executed.

mod inline_code;
mod line_start;
mod surroundings;

use line_start::{LineStart, ScanState, StartStep, Watching};
pub(super) use surroundings::ResumeAt;
use surroundings::{Surroundings, Within};

use super::Settings;
use super::event::Output;
use super::formats::{HeaderPlace, begins_anywhere, match_format};
use super::line::{Fence, FenceLanguage, FenceLine, OpeningFence};
use super::tag::{Grammar, Tag, TagMatch};
use super::tags::{begins_tag, match_tag};
use super::watch::{NoCallReason, NotACall, Region, Watch, may_be_json};
use crate::value::concat;
use crate::value::text::{first_char, head, piece_of_line, put, tail};

/// The start of something other than text. [`Scanner::buffer`] holds the part of it that was read; offsets are bytes in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opener {
    /// A fence. The buffer holds its line from the first mark on; `json` is the offset of JSON in that line, or
    /// `usize::MAX` if the line has none.
    Fence { opener: OpeningFence, json: usize },
    /// A bracket, perhaps after wrapper tags, at offset `json` of the buffer; if the buffer ends there, the bracket is the
    /// next byte of the text. `tool`: the range of a tool name in the tags; the JSON is then its arguments.
    Bracket { json: usize, tool: Option<(usize, usize)> },
    /// A call that is not written in JSON, which begins at offset `start`.
    Call { start: usize, grammar: Grammar },
    /// Marks such as `<|end|>`, which are dropped: all of the buffer.
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
    /// The text of a possible fence, tag or mark, or of a complete opener.
    pub(super) buffer: String,
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
            buffer: String::new(),
            report: None,
        }
    }

    /// Continues after another construct.
    pub(super) fn resume(&mut self, resume_at: ResumeAt) {
        self.around.reset(resume_at);
        (self.watch, self.watches_code) = (None, false);
        self.line = match resume_at {
            ResumeAt::LineStart => ScanState::Start(LineStart::default()),
            ResumeAt::InLine => ScanState::Text,
        };
    }

    /// Continues in a code block that began with `text`, with a watch that has read the JSON in that text. `indent` is the number
    /// of blanks before the opening fence.
    pub(super) fn resume_code(&mut self, text: &str, fence: Fence, indent: u8, watch: Option<Watch>) {
        self.resume(ResumeAt::InLine);
        self.around.code = Some((fence, indent));
        self.watch = watch.map(Box::new);
        let mut line = FenceLine::indented(indent);
        line.read_lines(text);
        self.line = ScanState::Fence(line, LineStart::default());
    }

    /// Continues after `text`, which is JSON at the start of a line, with a watch over the rest of it.
    pub(super) fn resume_json(&mut self, text: &str, watch: Watch) {
        self.resume(ResumeAt::after(text));
        self.watch = Some(Box::new(watch));
    }

    /// Passes text on up to the next opener; returns the number of bytes read.
    pub(super) fn read(&mut self, text: &str, settings: &Settings, out: &mut Output<'_>) -> (usize, Option<Opener>) {
        // Watched JSON is not scanned beyond its end, so that its report goes out right after it. It is read line by line, since each
        // line of a code block may be the closing fence.
        let (mut length, mut is_over) = (text.len(), false);
        if let Some(watch) = &mut self.watch {
            (length, is_over) = if watch.is_over { (0, true) } else { watch.feed(piece_of_line(text)) };
            // If the scan stops early, the rest of this text comes again; it must not be fed to the watch twice.
            watch.is_over |= is_over;
        }
        let (taken, opener) = self.scan(head(text, length), settings, out);
        if opener.is_none() && is_over && taken == length {
            self.end_watch(settings);
        }
        (taken, opener)
    }

    /// Ends the watch, if there is one, and keeps its report.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    fn end_watch(&mut self, settings: &Settings) {
        if let Some(watch) = self.watch.take() {
            self.report = watch.into_report(&settings.tools);
        }
    }

    /// Removes the closing fence of a code block, which was just read, from the JSON of the watch over that block.
    fn remove_fence_from_watch(&mut self) {
        if let Some(watch) = &mut self.watch
            && watch.region == Region::Code
        {
            watch.remove_last_line();
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
                            // The next call of `read` feeds the watch from this bracket on.
                            return (offset, None);
                        }
                    },
                    ScanState::Fence(mut line, start) => {
                        char.bytes().for_each(|byte| line.push(byte));
                        self.line = ScanState::Fence(line, start);
                        // In a code block, the line can only be the closing fence, so nothing needs to be buffered.
                        if self.around.code.is_none() {
                            put(&mut self.buffer, char);
                            // A quotation is opened by the whole line, in `end_fence`.
                            if let Some((fence, language, json)) = line.inline().filter(|_| !start.is_quoted) {
                                let opening_fence = OpeningFence { fence, language, indent: start.blanks };
                                opener = Some(Opener::Fence { opener: opening_fence, json });
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
                        put(&mut self.buffer, char);
                        opener = self.check_tag(begin, settings);
                    }
                    ScanState::Mark => {
                        put(&mut self.buffer, char);
                        opener = self.check_mark(settings, out);
                    }
                    ScanState::AfterWrapper => match byte {
                        _ if self.buffer.len() > MAX_WRAPPER_BYTES => {
                            length = 0;
                            self.release(out);
                        }
                        b' ' | b'\t' | b'\r' => _ = put(&mut self.buffer, char),
                        b'{' => return (offset, Some(Opener::Bracket { json: self.buffer.len(), tool: None })),
                        _ => {
                            length = 0;
                            let begin = self.buffer.len();
                            // A wrapper tag may be the beginning of a header, e.g. of `[TOOL_CALLS]name[ARGS]`.
                            let may_be_header = || {
                                let text = concat(&[&self.buffer, char]);
                                !matches!(
                                    match_format(&text, &settings.formats, &settings.tools, HeaderPlace::LineStart),
                                    TagMatch::No
                                )
                            };
                            if begins_tag(byte) {
                                self.line = ScanState::Tag(begin);
                            } else if may_be_header() {
                                self.line = ScanState::Tag(0);
                            } else {
                                opener = Some(self.reread_buffer());
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

    /// Starts a watch at the next bracket. `reason`: why its JSON is not a call, unless it is quoted.
    pub(super) fn begin_watch(&mut self, region: Region, reason: NoCallReason, settings: &Settings, out: &Output<'_>) {
        self.line = ScanState::Text;
        let reason =
            if matches!(self.around.within, Within::Pre | Within::Code) { NoCallReason::Quoted } else { reason };
        self.watch = Some(Box::new(Watch::new(region, reason, out.units, settings)));
    }

    /// Passes the buffer on as text, and tracks it: neither the buffer nor the rest of its line is a tag or a fence.
    fn release(&mut self, out: &mut Output<'_>) {
        self.line = ScanState::Text;
        let text = std::mem::take(&mut self.buffer);
        self.around.track_all(&text);
        out.text(&text);
    }

    /// Lets the caller read the buffer again, as text.
    fn reread_buffer(&mut self) -> Opener {
        self.line = ScanState::Text;
        Opener::ReadAgain
    }

    /// Decides whether the buffer is a mark inside a line; `None` if it is text, or still undecided.
    fn check_mark(&mut self, settings: &Settings, out: &mut Output<'_>) -> Option<Opener> {
        match match_format(&self.buffer, &settings.formats, &settings.tools, HeaderPlace::InLine) {
            TagMatch::Maybe => None,
            TagMatch::Tag(tag) => self.opener_of(tag, 0),
            TagMatch::No => {
                self.release(out);
                None
            }
        }
    }

    /// The opener for a complete tag at offset `begin` of the buffer; `None` after a wrapper, which needs a bracket too.
    fn opener_of(&mut self, tag: Tag, begin: usize) -> Option<Opener> {
        self.line = ScanState::Text;
        Some(match tag {
            Tag::Wrapper => {
                self.line = ScanState::AfterWrapper;
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

    /// Decides whether the buffer has a tag at offset `begin`; `None` if that is still undecided, or if it is a wrapper.
    fn check_tag(&mut self, begin: usize, settings: &Settings) -> Option<Opener> {
        let text = tail(&self.buffer, begin);
        match match_tag(text, settings) {
            TagMatch::Maybe => None,
            TagMatch::Tag(tag) => self.opener_of(tag, begin),
            // JSON may begin there with a list.
            TagMatch::No if text.starts_with('[') => {
                self.line = ScanState::Text;
                Some(Opener::Bracket { json: begin, tool: None })
            }
            TagMatch::No => Some(self.reread_buffer()),
        }
    }

    /// Ends the current line at its line feed, which belongs to a tag or mark if that may continue in the next line. A line that
    /// is a fence opens a block, or closes the current code block, which ends the watch over it.
    fn end_line(&mut self, settings: &Settings, out: &mut Output<'_>) -> Option<Opener> {
        let was_blank = self.around.is_blank;
        let inline = self.around.end_line();
        let line = std::mem::replace(&mut self.line, ScanState::Start(LineStart::default()));
        if let ScanState::AfterWrapper | ScanState::Tag(_) | ScanState::Mark = line {
            put(&mut self.buffer, "\n");
            let is_text = matches!(line, ScanState::Mark)
                && matches!(
                    match_format(&self.buffer, &settings.formats, &settings.tools, HeaderPlace::InLine),
                    TagMatch::No
                );
            if !is_text {
                // The tag or mark may continue: to it, the line does not end here.
                (self.line, self.around.is_blank) = (line, was_blank);
                return match line {
                    ScanState::Tag(begin) => self.check_tag(begin, settings),
                    ScanState::Mark => self.check_mark(settings, out),
                    _ => None,
                };
            }
            // The line feed is emitted below.
            self.buffer.pop();
            self.flush(out);
        }
        self.around.end_construct();
        if self.closes_code(&line) {
            out.text("\n");
            self.remove_fence_from_watch();
            self.end_watch(settings);
            self.resume(ResumeAt::LineStart);
            return None;
        }
        if let ScanState::Fence(line, start) = line
            && self.around.code.is_none()
        {
            let opener = self.end_fence(line, start);
            if opener.is_some() {
                put(&mut self.buffer, "\n");
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

    /// Ends a line outside of code that may be a fence; returns the opener of a block. `None` if the line is not a fence, or
    /// begins or ends code that is not a block.
    fn end_fence(&mut self, mut line: FenceLine, start: LineStart) -> Option<Opener> {
        line.end_bracket();
        let (fence, language) = line.end()?;
        if self.inner_fence.take().is_some_and(|inner| line.closes(Some(inner))) {
            return None;
        }
        if start.is_quoted {
            return Some(Opener::Quote);
        }
        // A fence ends the JSON that is watched.
        self.watch = None;
        if language == FenceLanguage::Other {
            self.around.code = Some((fence, start.blanks));
            return None;
        }
        let json = line.inline().map_or(usize::MAX, |(_, _, json)| json);
        Some(Opener::Fence { opener: OpeningFence { fence, language, indent: start.blanks }, json })
    }

    /// Passes the buffer on as text, without tracking it: its line has ended, or the text.
    fn flush(&mut self, out: &mut Output<'_>) {
        out.text(&std::mem::take(&mut self.buffer));
    }

    /// Whether a line is the closing fence of the current code block.
    fn closes_code(&self, line: &ScanState) -> bool {
        matches!((line, self.around.code), (ScanState::Fence(line, _), Some((fence, _))) if line.closes(Some(fence)))
    }

    /// Ends the text: passes the buffer on and ends the watch.
    pub(super) fn end(&mut self, settings: &Settings, out: &mut Output<'_>) {
        self.flush(out);
        if self.closes_code(&self.line) {
            self.remove_fence_from_watch();
        }
        self.end_watch(settings);
    }
}

/// The maximum length of consecutive wrapper tags and the blanks after them, in bytes, since they are buffered.
const MAX_WRAPPER_BYTES: usize = 256;

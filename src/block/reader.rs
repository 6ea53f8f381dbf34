//! Reads one fenced block from the line after its opener, or the arguments of a native call, to its end, and asks for a
//! repair where it needs one. A call without a fence comes here when it has been read.

use super::body::{Body, BodyStep};
use super::check::{Ending, Reading};
use super::envelope;
use super::event::{InString, Out};
use super::fences::{Candidate, Fences};
use super::line::{Fence, Info};
use super::parser::Parser;
use super::recorder::{CallRecord, Recorder, Verdict};
use super::repair::{DamagedBlock, Reach, RepairedBlock, leads_on};
use super::tags::{Tag, TagMatch, match_tag};
use super::tools::CallField;
use super::watch::{NoCall, NotACall};
use super::{Settings, Tools};
use crate::value::text::{
    first_char, fitting, head, owned, part, tail, trim_end, trim_json_end, trim_json_start, trim_start,
};
use crate::value::{concat, find, utf16_len};

/// Which blocks are read to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that call a tool.
    Calls,
    /// Whatever JSON it is.
    Json,
    /// All of the text: the arguments of a call.
    Arguments,
}

#[derive(Debug)]
pub(super) enum ReaderStep {
    More,
    /// What is in [`Reader::back`] is to be read again.
    Again,
    /// This is no tool block.
    NoBlock,
    /// The block is over; at the limit the text was not taken. What was read behind it is in [`Reader::back`].
    Over(Ending),
}

/// So many candidates are tried, and none further from the first than this.
const MAX_CANDIDATES: usize = 16;
const MAX_TRIED: usize = 2 << 20;
const MAX_DISTANCE: usize = 64 << 10;

/// A block that is being read.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) raw: String,
    /// Where in `raw` the JSON begins, and where the first of it stands that is no blank.
    json: usize,
    begun: Option<usize>,
    info: Info,
    wanted: Wanted,
    body: Body,
    /// Where in `raw` the closing fence begins.
    fence: Option<usize>,
    /// The first of the fences that do not end it for certain.
    candidate: Option<Candidate>,
    /// How many fences were taken for those of a text in it.
    text_fences: usize,
    /// What a repair made of it when that was asked to find its end.
    repaired: Option<Box<RepairedBlock>>,
    /// What stands before the JSON behind the opening fence, as far as it has arrived; nothing once the JSON has begun.
    preamble: Option<String>,
    /// What was read behind its end.
    pub(super) back: String,
}

/// What models write between the opening fence and the JSON, beside blanks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preamble {
    Maybe,
    /// A wrapper tag, or the word `json` in a line of its own.
    Whole,
    No,
}

impl Preamble {
    fn of(text: &str, settings: &Settings) -> Self {
        if text.len() > MAX_PREAMBLE {
            return Self::No;
        }
        let text = trim_start(text);
        let word = trim_end(text);
        if text.ends_with('\n') && word.eq_ignore_ascii_case("json") {
            return Self::Whole;
        }
        let is_word = "json".get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        match match_tag(text, settings) {
            TagMatch::Tag(Tag::Wrapper) => Self::Whole,
            TagMatch::Maybe => Self::Maybe,
            _ if is_word => Self::Maybe,
            TagMatch::Tag(_) | TagMatch::No => Self::No,
        }
    }
}

/// Blanks behind the opening fence are kept back up to this many bytes.
const MAX_PREAMBLE: usize = 64;

impl Reader {
    /// A block of which `raw` has come: the line of its opener, or what was read of a call without a fence.
    #[inline(never)]
    pub(super) fn new(raw: String, opener: Option<(Fence, Info)>, indent: u8, parser: Parser, wanted: Wanted) -> Self {
        let (fence, info) = opener.map_or((None, Info::Json), |(fence, info)| (Some(fence), info));
        Self {
            json: if fence.is_some() { raw.len() } else { 0 },
            raw,
            begun: None,
            info,
            wanted,
            body: Body::new(fence, indent, parser),
            fence: None,
            candidate: None,
            text_fences: 0,
            repaired: None,
            preamble: fence.map(|_| String::new()),
            back: String::new(),
        }
    }

    /// A call without a fence, whose JSON goes from one place of `raw` to another; tags may stand around it.
    pub(super) fn bare(
        raw: String,
        json: usize,
        json_end: usize,
        body: Body,
        repaired: Option<Box<RepairedBlock>>,
    ) -> Self {
        Self {
            raw,
            json,
            begun: Some(json),
            info: Info::Json,
            wanted: Wanted::Calls,
            body,
            fence: Some(json_end),
            candidate: None,
            text_fences: 0,
            repaired,
            preamble: None,
            back: String::new(),
        }
    }

    /// Whether this is a call without a fence.
    pub(super) const fn is_bare(&self) -> bool {
        self.body.fence.is_none() && matches!(self.wanted, Wanted::Calls)
    }

    /// What is told of the string in which the block's text ends so far. Nothing if there is none, if faults make it
    /// doubtful, or if so many bytes more might not fit.
    pub(super) fn in_string(&self, room: usize, settings: &Settings) -> Option<InString> {
        let max_bytes = settings.limits.max_block_bytes;
        let fits = self.raw.len().saturating_add(room) <= max_bytes && self.candidate.is_none();
        (fits && self.body.in_string()).then(|| self.body.parser.recorder.in_string())
    }

    /// Takes the next step, and tells how many bytes that was.
    pub(super) fn take(&mut self, text: &str, settings: &Settings) -> (usize, ReaderStep) {
        if let Some(preamble) = &mut self.preamble {
            let char = first_char(text);
            preamble.push_str(char);
            let state = Preamble::of(preamble, settings);
            if state == Preamble::Maybe {
                return (char.len(), ReaderStep::More);
            }
            let read = self.preamble.take().unwrap_or_default();
            if state == Preamble::Whole {
                self.raw.push_str(&read);
                self.json = self.raw.len();
                self.preamble = Some(String::new());
                return (char.len(), ReaderStep::More);
            }
            self.back = read;
            return (char.len(), ReaderStep::Again);
        }
        let max_bytes = settings.limits.max_block_bytes;
        let most = self.candidate.map_or(max_bytes, |first| max_bytes.min(first.end + MAX_DISTANCE));
        let room = most.saturating_sub(self.raw.len());
        let fitting = fitting(text, room);
        if fitting.is_empty() {
            return (0, self.candidate.map_or(ReaderStep::Over(Ending::Full), |first| self.give_up(first)));
        }
        let undecided = self.may_be_none();
        let (taken, found) = match self.body.fence {
            Some(_) if undecided => self.body.careful(fitting),
            Some(_) => self.body.take(fitting),
            None => (self.body.parser.feed(fitting).0, BodyStep::More),
        };
        let read = head(fitting, taken);
        if self.begun.is_none() {
            let blanks = read.len() - trim_start(read).len();
            self.begun = (blanks < read.len()).then(|| self.raw.len() + blanks);
        }
        self.raw.push_str(read);
        let step = match found {
            BodyStep::Fence => self.fence(settings),
            BodyStep::Opener => self.interrupt(),
            BodyStep::More if undecided && self.is_no_block(read) => ReaderStep::NoBlock,
            BodyStep::More => ReaderStep::More,
        };
        (taken, step)
    }

    /// The text ends here, and with it the block.
    pub(super) fn end(&mut self, settings: &Settings) -> Ending {
        if let Some(preamble) = self.preamble.take() {
            let mut place = 0;
            while place < preamble.len() {
                let (taken, step) = self.take(tail(&preamble, place), settings);
                place += taken;
                match step {
                    ReaderStep::Over(ending) => {
                        self.back.push_str(tail(&preamble, place));
                        return ending;
                    }
                    ReaderStep::More => {}
                    ReaderStep::Again | ReaderStep::NoBlock => break,
                }
            }
            self.raw.push_str(tail(&preamble, place));
        }
        if self.body.fence.is_none() {
            return Ending::Arguments;
        }
        if self.body.end() == BodyStep::Fence
            && let ReaderStep::Over(ending) = self.fence(settings)
        {
            return ending;
        }
        self.repair_at_only_fence(settings);
        let is_misled = self.body.parser.lexer.is_misled();
        let last = || if is_misled { Fences::of(&self.raw, self.json, self.body.fence).last() } else { None };
        let Some(first) = self.candidate.or_else(last) else { return Ending::Unclosed };
        self.give_up(first);
        Ending::Closed
    }

    /// Another block opens.
    fn interrupt(&mut self) -> ReaderStep {
        let opener = self.raw.len().saturating_sub(self.body.looked_at());
        self.back = self.raw.split_off(opener);
        ReaderStep::Over(Ending::Unclosed)
    }

    /// The text ends, and of all fences in it one may end the block: then it does, and brackets may be missing before it.
    fn repair_at_only_fence(&mut self, settings: &Settings) {
        let (Some(first), Some(fence)) = (self.candidate.filter(|first| first.count == 1), self.body.fence) else {
            return;
        };
        let rest = tail(&self.raw, first.end);
        let json = part(&self.raw, self.json..first.fence);
        if !fence.is_in(json) && !fence.is_in(rest) && !leads_on(trim_start(rest)) {
            self.fence = Some(first.fence);
            self.repaired = self.damaged(Reach::Only).repair(settings).filter(|repaired| repaired.is_valid());
        }
    }

    /// A closing fence. Where the lexer has been misled it is one only if the text up to there can be repaired.
    fn fence(&mut self, settings: &Settings) -> ReaderStep {
        let fence = self.raw.len().saturating_sub(self.body.line.bytes());
        self.fence = Some(fence);
        if self.body.parser.recorder.verdict != Verdict::Block {
            return ReaderStep::Over(Ending::Closed);
        }
        if !self.body.parser.lexer.is_misled() {
            // A fence that a text has opened is closed first: the author may have forgotten to escape a quote behind it.
            let closes_another = |fences: Fences| matches!(fences.open, Some((_, None)));
            let may_be_text = self.has_fault() && self.text_fences < MAX_CANDIDATES;
            if !may_be_text || !closes_another(Fences::of(head(&self.raw, fence), self.json, self.body.fence)) {
                return ReaderStep::Over(Ending::Closed);
            }
            self.text_fences += 1;
            self.fence = None;
            self.body.pass_fence();
            return ReaderStep::More;
        }
        match Fences::of(head(&self.raw, fence), self.json, self.body.fence) {
            // What stands behind its own fence is no part of this block.
            Fences { own: Some(own), .. } => {
                return self.give_up(own);
            }
            // One that closes a snippet of the text.
            Fences { open: Some(_), .. } => {}
            Fences { .. } => self.repaired = self.damaged(Reach::Doubtful).repair(settings),
        }
        if self.repaired.is_some() {
            return ReaderStep::Over(Ending::Closed);
        }
        self.fence = None;
        let end = self.raw.len();
        let first = self.candidate.get_or_insert(Candidate { fence, end, count: 0, tried: 0 });
        first.count += 1;
        first.tried += fence - self.json;
        if first.count >= MAX_CANDIDATES || first.tried >= MAX_TRIED {
            let first = *first;
            return self.give_up(first);
        }
        self.body.pass_fence();
        ReaderStep::More
    }

    /// Ends the block at the first of the fences that may be its end; what is behind that is given back.
    fn give_up(&mut self, first: Candidate) -> ReaderStep {
        self.candidate = Some(first);
        self.fence = Some(first.fence);
        self.back = self.raw.split_off(first.end);
        ReaderStep::Over(Ending::Closed)
    }

    fn damaged(&self, reach: Reach) -> DamagedBlock<'_> {
        let recorder = &self.body.parser.recorder;
        DamagedBlock {
            json: self.json(),
            // Several objects are a fault in arguments, but none to be repaired.
            has_fault: self.has_fault() && self.wanted != Wanted::Arguments,
            reach,
            tool: recorder.tool.as_deref(),
            number: recorder.first_number(),
        }
    }

    pub(super) fn repair(&mut self, reach: Reach, settings: &Settings) -> Option<Box<RepairedBlock>> {
        if let Some(repaired) = self.repaired.take() {
            return Some(repaired);
        }
        // Up to the first of several fences nothing could be repaired, and where the end is nobody knows.
        let is_doubtful = reach == Reach::Closed && self.body.parser.lexer.is_misled();
        if self.candidate.is_some() || is_doubtful { None } else { self.damaged(reach).repair(settings) }
    }

    /// Whether a repair finds a valid call in what is no block as it stands; it is kept.
    pub(super) fn hides_a_call(&mut self, ending: Ending, settings: &Settings) -> bool {
        let json = self.json();
        let is_broken = self.has_fault() || trim_start(json).starts_with('"');
        if settings.repair && ending == Ending::Closed && is_broken && find(json, CallField::Tool.key()).is_some() {
            self.repaired = self.damaged(Reach::Complete).repair(settings).filter(|repaired| repaired.is_valid());
        }
        self.repaired.is_some()
    }

    pub(super) fn opener(&self) -> &str {
        head(&self.raw, self.json)
    }

    /// The block with other JSON in it; and where that ends.
    pub(super) fn with_json(&self, json: &str) -> (String, usize) {
        let opener = self.opener();
        let Some(marks) = self.body.fence else {
            let behind = tail(&self.raw, self.fence.unwrap_or(self.raw.len()));
            return (concat(&[opener, json, behind]), opener.len() + json.len());
        };
        let body = self.json();
        let (start, end) = (body.len() - trim_json_start(body).len(), trim_json_end(body).len());
        // The blanks around it stay.
        let (before, after) = (head(body, start), tail(body, end.max(start)));
        let (fence, is_open) = match self.fence {
            Some(fence) => (owned(trim_end(tail(&self.raw, fence))), false),
            None => (marks.text(), true),
        };
        let after = if is_open || find(after, "\n").is_none() { "\n" } else { after };
        let json = trim_json_end(trim_json_start(json));
        (concat(&[opener, before, json, after, &fence]), opener.len() + before.len() + json.len())
    }

    /// Whether the block calls a tool, now that it is over.
    pub(super) fn is_block(&self, tools: &Tools) -> bool {
        let recorder = &self.body.parser.recorder;
        match (self.wanted, recorder.verdict) {
            (Wanted::Json | Wanted::Arguments, _) | (Wanted::Calls, Verdict::Block) => true,
            (Wanted::Calls, Verdict::Text) => false,
            (Wanted::Calls, Verdict::Open) => {
                recorder.calls.last().is_some_and(CallRecord::is_toolless_call)
                    || recorder.values.iter().any(|value| envelope::is_in(value, tools))
            }
        }
    }

    /// Whether a string of the block may never have ended: what stands behind it may belong to that.
    pub(super) const fn is_unfinished(&self, ending: Ending) -> bool {
        let lexer = &self.body.parser.lexer;
        // Faults before another block opens: a string may lack its first quote.
        let is_broken = matches!(ending, Ending::Unclosed) && lexer.fault().is_some() && !lexer.is_complete();
        // The rest of a block over the limit is read for its end.
        let is_read = !matches!(self.wanted, Wanted::Arguments) && !matches!(ending, Ending::Full);
        is_read && (lexer.is_misled() || lexer.in_string() || is_broken)
    }

    /// What is to be reported if the block names a known tool and is not executed; so many units stand before it.
    pub(super) fn not_a_call(&self, reason: NoCall, before: usize, tools: &Tools) -> Option<NotACall> {
        let json = trim_end(self.json());
        // e.g. {"tool: "delete_file"}: what is broken may name its tool where no key is.
        let may_name = trim_start(json).starts_with('{') && find(json, CallField::Tool.key()).is_some();
        let broken = || tools.named_in(json).filter(|_| self.has_fault() && may_name);
        let named = self.body.parser.recorder.names_tool().map(owned);
        let is_json = self.wanted == Wanted::Calls && self.info == Info::Json;
        let tool = named.or_else(|| if is_json { broken() } else { None }).filter(|_| self.wanted == Wanted::Calls)?;
        Some(NotACall { reason, tool, raw: owned(json), start: before + utf16_len(self.opener()) })
    }

    /// Whether what comes next may show that this is no block.
    fn may_be_none(&self) -> bool {
        let is_json = match self.wanted {
            Wanted::Calls => self.info == Info::Json && self.has_fault(),
            Wanted::Json | Wanted::Arguments => {
                self.info == Info::Json || self.begun().is_some_and(|json| json.starts_with(['{', '[']))
            }
        };
        self.body.parser.recorder.verdict == Verdict::Open && !is_json
    }

    fn is_no_block(&self, read: &str) -> bool {
        match (self.wanted, self.body.parser.recorder.verdict) {
            // A call may be hidden in what is broken, or in a string.
            (Wanted::Calls, _) if self.info == Info::Json && self.has_fault() => false,
            (Wanted::Calls, _) if self.begun().is_some_and(|json| json.starts_with('"')) => false,
            (Wanted::Calls, Verdict::Text) => true,
            // A word that is no value ends the value all the same, and nothing was recorded.
            (Wanted::Calls, Verdict::Open) if self.body.parser.lexer.is_complete() => {
                !self.body.parser.recorder.calls.last().is_some_and(|call| call.may_wrap)
            }
            // Without a language only what begins like a call is JSON.
            (_, Verdict::Open | Verdict::Text) if self.info.is_vague() && !read.trim_ascii().is_empty() => {
                self.body.parser.recorder.calls.is_empty()
                    && self.begun().is_some_and(|json| !json.starts_with(['{', '[']))
            }
            (_, Verdict::Open | Verdict::Text | Verdict::Block) => false,
        }
    }

    /// What was read from the first character on that is no blank.
    fn begun(&self) -> Option<&str> {
        self.raw.get(self.begun?..)
    }

    /// The JSON so far, without the closing fence.
    pub(super) fn json(&self) -> &str {
        self.raw.get(self.json..self.fence.unwrap_or(self.raw.len())).unwrap_or_default()
    }

    /// Takes the blanks off the end of a block that has a fence.
    pub(super) fn cut_tail(&mut self) -> String {
        let end = self.body.fence.map_or(self.raw.len(), |_| trim_json_end(&self.raw).len());
        self.raw.split_off(end)
    }

    /// What is no block: its text, the fence of the code that it is, the parser that has read it, and where its JSON begins.
    pub(super) fn into_code(self) -> (String, Option<(Fence, u8)>, Parser, usize) {
        let fence = self.fence_and_indent();
        (self.raw, fence, self.body.parser, self.json)
    }

    /// The opening fence, and the blanks before it.
    pub(super) fn fence_and_indent(&self) -> Option<(Fence, u8)> {
        self.body.fence.map(|fence| (fence, self.body.indent))
    }

    /// Keeps nothing any more of what is read: the block is over the limit.
    pub(super) fn stop(&mut self) {
        self.raw.clear();
        self.body.parser.recorder.stop();
    }

    /// Passes the next step of such a block on as text, and tells how many bytes that was and what was found: a fence inside
    /// of it opens no other block. Kept is only a line that may be the opener of one.
    pub(super) fn pass(&mut self, text: &str, out: &mut Out<'_>) -> (usize, BodyStep) {
        let words = self.body.skip_words(text);
        let (taken, found) = if words > 0 { (words, BodyStep::More) } else { self.body.careful(text) };
        self.raw.push_str(head(text, taken));
        let kept = if found == BodyStep::Fence { 0 } else { self.body.looked_at() };
        let passed = self.raw.len().saturating_sub(kept);
        out.text(head(&self.raw, passed));
        self.raw.drain(..passed);
        (taken, found)
    }

    pub(super) const fn has_fault(&self) -> bool {
        self.body.parser.has_fault()
    }

    pub(super) fn reading(&mut self, ending: Ending) -> Reading<'_> {
        let json = part(&self.raw, self.json..self.fence.unwrap_or(self.raw.len()));
        let trailing = self.body.trailing;
        Reading::new(json, &mut self.body.parser, ending, trailing)
    }

    pub(super) const fn recorder(&mut self) -> &mut Recorder {
        &mut self.body.parser.recorder
    }
}

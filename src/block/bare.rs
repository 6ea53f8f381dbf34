//! Reads JSON that begins a line of the text and may be a call without a fence, perhaps after a wrapper tag.
//!
//! An unfenced call has its lines to itself: only blanks, list markers and tags may precede it, only blanks, tags and other
//! calls may follow it. The text is buffered while it may be a call. JSON whose keys rule out a call passes as text; a
//! [`Watch`] reads along, and reports the JSON if it names a known tool after all.

use super::Settings;
use super::body::{Body, BodyStep};
use super::parser::Parser;
use super::reader::Reader;
use super::recorder::{Recorder, Verdict};
use super::repair::{DamagedBlock, Reach, RepairedBlock};
use super::tag::TagMatch;
use super::tags::{is_closing, match_tag};
use super::watch::{NoCallReason, NotACall, Region, Watch};
use crate::value::text::{contains, first_char, head, owned, piece_of_line, prefix_within, tail, trim_json_end};
use crate::value::{concat, find, is_quote};

/// The result of one step.
#[derive(Clone, Copy, Debug)]
pub(super) enum BareStep {
    /// Nothing is decided yet.
    More,
    /// Brackets of prose, such as `[link](url)`.
    NotJson,
    /// Other JSON, not a call.
    OtherJson,
    /// A complete call. Text received after it comes from [`BareJson::into_reader`].
    Call,
    /// Other text follows the JSON on its line.
    SharesLine,
    /// A fence opens another block, or the text ends, before the JSON is complete.
    Interrupted,
    /// Faults have misled the lexer, and no line end was found at which a repair completes the call. What follows may belong to
    /// one of its strings.
    Unfinished,
}

/// JSON that turned out not to be a call, and the text after it.
#[derive(Debug)]
pub(super) struct Released {
    /// The JSON so far, with the tags before it, which passes as text.
    pub(super) text: String,
    /// The text after the JSON, which must be read again.
    pub(super) unread: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Until it is clear that this is JSON.
    Opening,
    /// In a value.
    Value,
    /// After a value.
    After,
    /// In what may be a closing tag, although the value lacks a bracket.
    Closing,
    /// Faults have misled the lexer: the call may end at each line end that follows a bracket.
    Doubtful,
}

/// The most bytes of JSON that are buffered if it has keys that calls do not have, and has not named a tool.
const MAX_UNDECIDED: usize = 4 << 10;

/// At most this many line ends are tried as the end of a broken call, and none after this many bytes of JSON: each try repairs
/// all of the JSON.
const MAX_TRIES: usize = 16;
const MAX_DOUBTFUL: usize = 64 << 10;

/// JSON without a fence that is still arriving.
#[derive(Debug)]
pub(super) struct BareJson {
    /// The text so far: tags, JSON, and what follows it.
    raw: String,
    /// Byte offsets in `raw`: the start and the end of the JSON, and the end of the tags after it. Both ends are 0 until a value
    /// is complete, and move on with each further value.
    json_start: usize,
    json_end: usize,
    suffix_end: usize,
    /// In [`Phase::After`]: byte offset in `raw` of a possible closing tag that is still incomplete.
    tag_start: Option<usize>,
    /// Whether a wrapper tag such as `<tool_call>` precedes the JSON.
    has_wrapper: bool,
    body: Body,
    phase: Phase,
    /// The number of line ends that were tried as the end of a broken call.
    tries: usize,
    /// The valid repair of the JSON up to the line end that [`Self::try_end`] chose.
    repaired_block: Option<Box<RepairedBlock>>,
}

impl BareJson {
    /// Starts at a bracket. A non-empty `prefix` holds wrapper tags; a known `tool` makes the JSON its arguments.
    pub(super) fn new(prefix: String, tool: Option<String>, settings: &Settings, next_number: u32) -> Self {
        let mut recorder = Recorder::new(next_number, &settings.tools);
        recorder.tool = tool;
        let (fence, indent) = (None, 0);
        Self {
            json_start: prefix.len(),
            json_end: 0,
            suffix_end: 0,
            tag_start: None,
            has_wrapper: !prefix.is_empty(),
            raw: prefix,
            body: Body::new(fence, indent, Parser::tolerant(recorder, settings)),
            phase: Phase::Opening,
            tries: 0,
            repaired_block: None,
        }
    }

    /// Reads text up to the next step; returns the number of bytes read.
    pub(super) fn read(&mut self, text: &str, settings: &Settings) -> (usize, BareStep) {
        let mut taken = 0;
        while taken < text.len() {
            let room = settings.limits.max_block_bytes.saturating_sub(self.raw.len() - self.json_start);
            let rest = prefix_within(tail(text, taken), room);
            // The JSON is as long as a block may be.
            if rest.is_empty() {
                let step = if self.phase == Phase::Opening { BareStep::NotJson } else { BareStep::OtherJson };
                return (taken, step);
            }
            let (more, step) = match self.phase {
                Phase::Opening => self.opening(rest),
                Phase::Value => self.value(rest, settings),
                Phase::After => self.after(rest, settings),
                Phase::Closing => self.closing(rest),
                Phase::Doubtful => self.doubtful(rest, settings),
            };
            taken += more;
            if !matches!(step, BareStep::More) {
                return (taken, step);
            }
        }
        (taken, BareStep::More)
    }

    /// Appends text to `raw`; returns its length.
    fn push(&mut self, text: &str) -> usize {
        self.raw.push_str(text);
        text.len()
    }

    /// Passes text that is in `raw` already to the body, up to the end of the value. Returns the number of bytes after it.
    fn reread(&mut self, text: &str) -> usize {
        let mut rest = text;
        while !rest.is_empty() && !self.body.is_after_value() {
            rest = tail(rest, self.body.advance_to_next_check(rest).0);
        }
        rest.len()
    }

    /// Reads a character of the brackets at the beginning and of what follows them. The body gets this text only once it is
    /// clear that it is JSON.
    fn opening(&mut self, text: &str) -> (usize, BareStep) {
        let taken = self.push(first_char(text));
        let opening = tail(&self.raw, self.json_start);
        match begins_like_json(opening) {
            None if opening.len() > LONGEST_OPENING => return (taken, BareStep::NotJson),
            None => {}
            // After a wrapper tag, the text is a call even if it does not begin like JSON: a repair may correct it.
            Some(false) if !self.has_wrapper => return (taken, BareStep::NotJson),
            Some(_) => {
                self.phase = Phase::Value;
                let opening = owned(opening);
                let unread_bytes = self.reread(&opening);
                // An empty list or object is whole already.
                if self.body.is_after_value() {
                    return (taken, self.end_value(unread_bytes));
                }
            }
        }
        (taken, BareStep::More)
    }

    /// Notes that the value is complete; `unread_bytes` bytes of `raw` follow it.
    fn end_value(&mut self, unread_bytes: usize) -> BareStep {
        self.json_end = self.raw.len() - unread_bytes;
        self.suffix_end = self.json_end;
        self.phase = Phase::After;
        if self.verdict() == Verdict::Text { BareStep::OtherJson } else { BareStep::More }
    }

    /// Reads a piece of a value, at most to the end of its line: up to the end of the value, to a closing tag, or to text that
    /// shows that the JSON is no call. The body reads in runs, so that all of this is checked at the same characters however the
    /// text is cut into pieces. The end of a line may be the end of a broken call.
    fn value(&mut self, text: &str, settings: &Settings) -> (usize, BareStep) {
        // The brackets and keys that the body has read so far may decide already.
        if self.is_other() {
            return (0, BareStep::OtherJson);
        }
        let mut line = piece_of_line(text);
        if self.verdict() == Verdict::Open {
            // Reads up to the limit of undecided JSON, so that the limit is checked at the same character however the text is
            // cut into pieces; but at least one character, so that each call makes progress.
            let room = (self.json_start + MAX_UNDECIDED).saturating_sub(self.raw.len());
            line = head(line, prefix_within(line, room).len().max(first_char(line).len()));
        }
        let (mut taken, mut body_step, mut is_at_closing_tag) = (0, BodyStep::More, false);
        while taken < line.len() && !self.body.is_after_value() && body_step == BodyStep::More {
            let rest = tail(line, taken);
            // A possible closing tag: the call ends here, though a bracket is missing.
            is_at_closing_tag = self.has_wrapper && rest.starts_with('<') && !self.body.parser.lexer.in_string();
            if is_at_closing_tag {
                break;
            }
            // E.g. `<div>` or `<!-- -->` at the start of a line: JSON that has not named a tool so far belongs to the markup.
            let begins_line = taken == 0 && self.raw.ends_with('\n');
            if begins_line
                && rest.starts_with('<')
                && !self.body.parser.lexer.in_string()
                && self.verdict() != Verdict::Block
            {
                return (0, BareStep::OtherJson);
            }
            // After a wrapper tag, the run ends before each `<`, so that the check above finds a closing tag even in a comment,
            // which the body would read as one run.
            let first_length = first_char(rest).len();
            let run = if self.has_wrapper {
                find(tail(rest, first_length), "<").map_or(rest, |end| head(rest, first_length + end))
            } else {
                rest
            };
            let more;
            (more, body_step) = self.body.advance_to_next_check(run);
            taken += more;
            if self.is_other() {
                break;
            }
        }
        let read = self.push(head(text, taken));
        if is_at_closing_tag {
            (self.json_end, self.suffix_end) = (self.raw.len(), self.raw.len());
            self.phase = Phase::Closing;
            return (read, BareStep::More);
        }
        let step = match body_step {
            BodyStep::Opener => BareStep::Interrupted,
            _ if self.is_other() => BareStep::OtherJson,
            _ if self.body.is_after_value() => {
                let unread_bytes = 0;
                self.end_value(unread_bytes)
            }
            _ if self.raw.ends_with('\n') && self.body.parser.lexer.is_misled() => self.try_end(settings),
            _ => BareStep::More,
        };
        (read, step)
    }

    /// Whether the JSON is a call, as far as its keys and values show.
    fn verdict(&self) -> Verdict {
        self.body.parser.recorder.verdict
    }

    /// Whether the JSON is not a call: by the recorder's verdict, or because it has a key that calls do not have, names no tool
    /// so far, and is broken or long.
    fn is_other(&self) -> bool {
        let has_foreign_key = self.body.parser.recorder.foreign_keys > 0;
        let is_long = self.raw.len() > self.json_start + MAX_UNDECIDED;
        match self.verdict() {
            Verdict::Block => false,
            Verdict::Text => true,
            Verdict::Open => has_foreign_key && (is_long || self.body.parser.has_fault()),
        }
    }

    /// Reads a character of a possible closing tag after a value that lacks a bracket. If it turns out not to be a tag, the body
    /// reads its text as a part of the value.
    fn closing(&mut self, text: &str) -> (usize, BareStep) {
        let char = first_char(text);
        self.push(char);
        let tag = owned(tail(&self.raw, self.json_end));
        match is_closing(&tag) {
            None => {}
            Some(true) => {
                (self.phase, self.suffix_end) = (Phase::After, self.raw.len());
            }
            Some(false) => {
                self.phase = Phase::Value;
                (self.json_end, self.suffix_end) = (0, 0);
                self.reread(&tag);
            }
        }
        (char.len(), BareStep::More)
    }

    /// Reads a character after a value. Blanks, separators and closing tags are passed over, and a bracket begins another value.
    /// The call is complete at the end of its line, unless a comma or a wrapper tag that is not closed makes more follow. Other
    /// text in the line of the JSON means that it is no call.
    fn after(&mut self, text: &str, settings: &Settings) -> (usize, BareStep) {
        let char = first_char(text);
        if let Some(start) = self.tag_start {
            let tag = concat(&[tail(&self.raw, start), char]);
            match is_closing(&tag) {
                None => {}
                Some(true) => {
                    self.tag_start = None;
                    self.suffix_end = start + tag.len();
                }
                Some(false) => return self.no_closing_tag(start, settings),
            }
            return (self.push(char), BareStep::More);
        }
        match char {
            " " | "\t" | "\r" => {}
            // The closing tag, or the value that a comma announces, may be on the next line.
            "\n" if (self.has_wrapper && !self.has_closing_tag()) || self.is_separated() => {}
            "\n" => return (0, BareStep::Call),
            "{" => {
                self.next_value();
                return (0, BareStep::More);
            }
            // A closing bracket too many: the lexer reports a fault, and a repair removes the bracket.
            "}" | "]" if !self.has_closing_tag() && !self.line_has_ended() => {
                self.body.parser.feed(char);
                self.push(char);
                (self.json_end, self.suffix_end) = (self.raw.len(), self.raw.len());
                return (char.len(), BareStep::More);
            }
            // Some formats name the tool in a header and have the arguments in a fence: its end counts as a closing tag.
            "`" if self.body.parser.recorder.tool.is_some() => self.tag_start = Some(self.raw.len()),
            "<" | "[" => self.tag_start = Some(self.raw.len()),
            // Llama 3 separates its calls by semicolons.
            "," | ";" => {}
            _ if self.line_has_ended() => return (0, BareStep::Call),
            _ if self.body.parser.lexer.is_misled() => self.phase = Phase::Doubtful,
            _ => return (0, BareStep::SharesLine),
        }
        (self.push(char), BareStep::More)
    }

    /// Whether a closing tag follows the value.
    const fn has_closing_tag(&self) -> bool {
        self.suffix_end != self.json_end
    }

    /// Whether the line has ended after the value and its tags.
    fn line_has_ended(&self) -> bool {
        contains(tail(&self.raw, self.suffix_end), "\n")
    }

    /// Whether a comma after the JSON shows that another value follows.
    fn is_separated(&self) -> bool {
        tail(&self.raw, self.json_end).trim_ascii_end().ends_with(',')
    }

    /// Continues with another value, whose bracket comes next.
    fn next_value(&mut self) {
        if self.is_separated() {
            // The lexer reports a list without its brackets as a fault.
            self.body.parser.feed(",");
        }
        self.body.expect_another_value();
        self.phase = Phase::Value;
    }

    /// Continues when the text at `start` is not a closing tag: it may open another list or call. The character that ruled out
    /// the tag is not in `raw` yet.
    fn no_closing_tag(&mut self, start: usize, settings: &Settings) -> (usize, BareStep) {
        let rest = self.raw.split_off(start);
        self.tag_start = None;
        let may_open_call = !matches!(match_tag(&rest, settings), TagMatch::No);
        // A list may begin with a comment, e.g. `[// next`. A single `[` is read again, as the start of another call.
        if rest.starts_with('[') && rest.len() > 1 && !may_open_call {
            self.next_value();
            let (read, step) = self.value(&rest, settings);
            self.raw.push_str(tail(&rest, read));
            return (0, step);
        }
        let line_has_ended = self.line_has_ended();
        self.raw.push_str(&rest);
        (0, if may_open_call || line_has_ended { BareStep::Call } else { BareStep::SharesLine })
    }

    /// Reads a piece of a line after faults have misled the lexer: only line ends are checked.
    fn doubtful(&mut self, text: &str, settings: &Settings) -> (usize, BareStep) {
        let taken = self.push(piece_of_line(text));
        let step = if self.raw.ends_with('\n') { self.try_end(settings) } else { BareStep::More };
        (taken, step)
    }

    /// Decides whether the broken call ends at this line end: if a bracket precedes it, and a repair of the JSON up to here makes
    /// a valid call.
    fn try_end(&mut self, settings: &Settings) -> BareStep {
        self.phase = Phase::Doubtful;
        let json = tail(&self.raw, self.json_start).trim_ascii_end();
        if !json.ends_with(['}', ']']) || self.verdict() != Verdict::Block {
            return BareStep::More;
        }
        let end = self.json_start + json.len();
        let repaired = self.damaged_block(json).repair(settings);
        self.repaired_block = repaired.filter(|repaired| settings.repair && repaired.is_valid());
        self.tries += 1;
        if self.repaired_block.is_some() {
            (self.json_end, self.suffix_end) = (end, end);
            return BareStep::Call;
        }
        let is_over = self.tries >= MAX_TRIES || json.len() > MAX_DOUBTFUL;
        if is_over { BareStep::Unfinished } else { BareStep::More }
    }

    /// The input of a repair of `json`, whose end is as uncertain as that of a block at a doubtful fence.
    fn damaged_block<'a>(&'a self, json: &'a str) -> DamagedBlock<'a> {
        let recorder = &self.body.parser.recorder;
        DamagedBlock {
            json,
            has_fault: true,
            reach: Reach::DoubtfulFence,
            tool: recorder.tool.as_deref(),
            number: recorder.first_number(),
        }
    }

    /// Decides what the JSON is if the text ends here.
    pub(super) fn end(&mut self, settings: &Settings) -> BareStep {
        match self.phase {
            Phase::Opening => BareStep::NotJson,
            Phase::After => BareStep::Call,
            Phase::Closing => BareStep::Interrupted,
            Phase::Value if self.verdict() == Verdict::Text => BareStep::OtherJson,
            Phase::Value if !self.body.parser.lexer.is_misled() => BareStep::Interrupted,
            Phase::Value | Phase::Doubtful => match self.try_end(settings) {
                BareStep::More => BareStep::Unfinished,
                step => step,
            },
        }
    }

    /// All of the text, to be read again as prose.
    pub(super) fn into_text(self) -> String {
        self.raw
    }

    /// Cuts off the opener of another block, or what may become one, at the end of the text, and returns it.
    pub(super) fn split_opener(&mut self) -> String {
        let opener = self.raw.len().saturating_sub(self.body.possible_opener_bytes());
        (self.json_end, self.suffix_end) = (opener, opener);
        self.raw.split_off(opener)
    }

    /// The call, for validation, and the text after it, which must be read again.
    pub(super) fn into_reader(mut self) -> (Reader, String) {
        // Without an end, the value is incomplete: then all of the text belongs to it.
        let end = if self.suffix_end > self.json_start { self.suffix_end } else { self.raw.len() };
        let unread = self.raw.split_off(end);
        let json_end = if self.json_end > self.json_start { self.json_end } else { end };
        (Reader::bare(self.raw, self.json_start, json_end, self.body, self.repaired_block), unread)
    }

    /// Releases JSON that is not executed since other text follows it on its line, and reports it if it names a known tool.
    /// The text begins `start` UTF-16 units after the start of the stream.
    pub(super) fn into_shared_line(mut self, start: usize) -> (Released, Option<NotACall>) {
        let end = if self.json_end > self.json_start { self.json_end } else { self.raw.len() };
        let unread = self.raw.split_off(end);
        let tool = self.body.parser.recorder.named_tool().map(owned);
        let report = tool.map(|tool| NotACall { reason: NoCallReason::SharesLine, tool, raw: self.raw.clone(), start });
        (Released { text: self.raw, unread }, report)
    }

    /// Releases other JSON, and returns the watch that reads the rest of it. The text begins `start` UTF-16 units after the
    /// start of the stream.
    pub(super) fn into_watch(mut self, start: usize, settings: &Settings) -> (Released, Watch) {
        let is_whole = self.phase == Phase::After;
        let unread = if is_whole { self.raw.split_off(self.json_end) } else { String::new() };
        let mut watch = Watch::after(self.body.parser, self.raw.clone(), Region::Lines, start, settings);
        watch.is_over = is_whole;
        (Released { text: self.raw, unread }, watch)
    }
}

/// Brackets and blanks that are longer than this, in bytes, begin no call.
const LONGEST_OPENING: usize = 512;

/// The longest key without quotes that may begin an object, in bytes.
const LONGEST_WORD: usize = 64;

/// Whether a text that begins with a bracket begins like JSON, or like an object of JavaScript; `None` if that needs more text.
/// What follows the brackets decides: in a list a string, a number or the end; in an object a string, a key without quotes, a
/// comment or the end.
fn begins_like_json(text: &str) -> Option<bool> {
    let blanks_or_brackets = |byte: &u8| b"{[ \t\r\n".contains(byte);
    let inner = tail(text, text.bytes().take_while(blanks_or_brackets).count());
    let brackets = trim_json_end(head(text, text.len() - inner.len()));
    let first = inner.chars().next()?;
    // `is_quote` includes the backtick, which begins code in Markdown.
    if brackets.ends_with('[') {
        return Some(is_quote(first) && first != '`' || matches!(first, ']' | '-' | '0'..='9'));
    }
    match first {
        '`' => Some(false),
        '}' | '/' => Some(true),
        _ if is_quote(first) => Some(true),
        'a'..='z' | 'A'..='Z' | '_' | '$' => {
            let word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$-".contains(byte);
            let length = inner.bytes().take_while(word).count();
            let next = tail(inner, length).trim_ascii_start().bytes().next();
            if length > LONGEST_WORD { Some(false) } else { next.map(|next| next == b':') }
        }
        _ => Some(false),
    }
}

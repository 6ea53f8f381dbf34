//! The state machine of a text: [`FinderState`] says which construct the next byte belongs to.

use super::bare::{BareJson, BareStep, Released};
use super::body::BodyStep;
use super::check::Ending;
use super::event::{Event, FIRST_NUMBER, Output, ToolId};
use super::foreign::ForeignCall;
use super::line::OpeningFence;
use super::parser::Parser;
use super::patches::PatchList;
use super::quote::Quotation;
use super::reader::{FencedCode, ReadMode, Reader, ReaderStep};
use super::recorder::Recorder;
use super::scanner::{Opener, ResumeAt, Scanner};
use super::tags::{Reasoning, ReasoningEnd};
use super::watch::{NoCallReason, Region, Watch};
use super::{Settings, Tool};
use crate::value::text::{head, owned, part, tail};
use crate::value::utf16_len;

/// The construct that the next byte belongs to.
#[derive(Debug)]
pub(super) enum FinderState {
    /// Outside of blocks, where the scanner looks for one.
    Text,
    /// A fenced block, or the arguments of a native call.
    Block(Box<Reader>),
    /// A possible call without a fence.
    Bare(Box<BareJson>),
    Reasoning(Box<Reasoning>),
    /// A call that is not written in JSON.
    Foreign(Box<ForeignCall>),
    /// Lines with quote marks, in which a fence has opened.
    Quote(Box<Quotation>),
    /// The rest of a block over the limit, which passes as text.
    Overflow(Box<Reader>),
    /// The message has too many calls: the rest of it is text.
    Rest,
    /// The native call, which is the whole input, is over: further input is ignored.
    Over,
}

/// The result of a step: the construct that is over, if one is. The caller then leaves its state.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepResult {
    /// No construct is over that the caller has to leave.
    Nothing,
    /// The current block is over.
    Block(Ending),
    /// A call without a fence is complete.
    Call,
    /// Faults hide where a call without a fence ends.
    Unfinished,
    /// A call without a fence is incomplete: see [`BareStep::Interrupted`].
    Interrupted,
    /// A quotation is over.
    Quote,
    /// A call that is not written in JSON is over.
    Foreign,
}

/// The state between two pieces of a text.
#[derive(Debug)]
pub(super) struct Finder {
    pub(super) state: FinderState,
    pub(super) scanner: Scanner,
    pub(super) mode: ReadMode,
    /// The number that the next call gets as its [`ToolId`].
    pub(super) next_number: u32,
    /// The number of valid calls in the message so far.
    pub(super) call_count: usize,
    /// Whether the message has more calls than the limit allows.
    pub(super) is_full: bool,
    /// Text read past the end of a block; it is read again before any new text.
    pub(super) pushback: String,
    /// Whether a string of an earlier block is unclosed: all later text may belong to it.
    pub(super) follows_unclosed_string: bool,
}

impl Finder {
    /// At the beginning of a text.
    pub(super) fn new(mode: ReadMode, settings: &Settings) -> Self {
        let state = if settings.reasoning_open && mode != ReadMode::Arguments {
            FinderState::Reasoning(Box::new(Reasoning::opened(settings)))
        } else {
            FinderState::Text
        };
        Self {
            state,
            scanner: Scanner::new(),
            mode,
            next_number: FIRST_NUMBER,
            call_count: 0,
            is_full: false,
            pushback: String::new(),
            follows_unclosed_string: false,
        }
    }

    /// Reads the next step of the text; returns the number of bytes read and the result.
    pub(super) fn step(&mut self, text: &str, settings: &Settings, out: &mut Output<'_>) -> (usize, StepResult) {
        match &mut self.state {
            FinderState::Over => (text.len(), StepResult::Nothing),
            FinderState::Rest => {
                out.text(text);
                (text.len(), StepResult::Nothing)
            }
            FinderState::Text => {
                let (taken, opener) = self.scanner.read(text, settings, out);
                self.report(out);
                if let Some(opener) = opener {
                    self.open(opener, settings, out);
                }
                (taken, StepResult::Nothing)
            }
            FinderState::Bare(bare) => {
                let (taken, step) = bare.read(text, settings);
                (taken, self.bare_step(step, settings, out))
            }
            FinderState::Reasoning(reasoning) => {
                let step = reasoning.read(text);
                out.reasoning(&step.text);
                if let Some(end) = step.end {
                    match end {
                        ReasoningEnd::Tag(tag) => out.skip(&tag),
                        ReasoningEnd::NextMessage(tag) => self.read_again(&tag),
                    }
                    self.continue_in_text(ResumeAt::LineStart);
                }
                (step.taken, StepResult::Nothing)
            }
            FinderState::Quote(quote) => {
                let (taken, is_over) = quote.read(text, settings);
                (taken, if is_over { StepResult::Quote } else { StepResult::Nothing })
            }
            FinderState::Foreign(call) => {
                let (taken, is_over) = call.read(text, settings);
                (taken, if is_over { StepResult::Foreign } else { StepResult::Nothing })
            }
            FinderState::Overflow(reader) => {
                let (taken, body_step) = reader.pass(text, out);
                match body_step {
                    BodyStep::More => {}
                    BodyStep::Fence => self.continue_in_text(ResumeAt::InLine),
                    BodyStep::Opener => {
                        // Everything before the opener is emitted already.
                        self.pushback = std::mem::take(&mut reader.raw);
                        self.continue_in_text(ResumeAt::LineStart);
                    }
                }
                (taken, StepResult::Nothing)
            }
            FinderState::Block(reader) => {
                let (taken, step) = reader.read(text, settings);
                let result = match step {
                    ReaderStep::More => StepResult::Nothing,
                    ReaderStep::ReadAgain => {
                        let unread = std::mem::take(&mut reader.pushback);
                        self.read_again(&unread);
                        StepResult::Nothing
                    }
                    ReaderStep::NoBlock => {
                        self.pass_as_code(settings, out);
                        StepResult::Nothing
                    }
                    ReaderStep::Ended(ending) => StepResult::Block(ending),
                };
                (taken, result)
            }
        }
    }

    /// Continues in text.
    pub(super) fn continue_in_text(&mut self, resume_at: ResumeAt) {
        self.state = if self.is_full { FinderState::Rest } else { FinderState::Text };
        self.scanner.resume(resume_at);
    }

    /// Puts text back in front of the unread text.
    // Not inlined: that makes the module smaller.
    #[inline(never)]
    pub(super) fn read_again(&mut self, text: &str) {
        self.pushback.insert_str(0, text);
    }

    /// Emits the scanner's report, if there is one.
    pub(super) fn report(&mut self, out: &mut Output<'_>) {
        let Some(report) = self.scanner.report.take() else { return };
        // The validation of a single block reports on that block only.
        if self.mode == ReadMode::Calls {
            let tool_id = ToolId(self.next_number);
            self.next_number = self.next_number.saturating_add(1);
            out.receiver.event(Event::Block(Box::new(report.into_block(tool_id))));
        }
    }

    /// Enters the state for an opener that the scanner has found. Offsets of the opener are in the scanner's buffer. What the new
    /// state does not take from the buffer is read again.
    fn open(&mut self, opener: Opener, settings: &Settings, out: &mut Output<'_>) {
        let mut buffer = std::mem::take(&mut self.scanner.buffer);
        match opener {
            Opener::Fence { opener, json } => {
                // Without JSON on the line, `json` is beyond the buffer: the reader then gets all of it.
                self.read_again(tail(&buffer, json));
                buffer.truncate(json);
                self.state = FinderState::Block(self.new_reader(buffer, opener, settings));
            }
            Opener::Bracket { json, tool } => {
                self.read_again(tail(&buffer, json));
                let has_tag = json > 0;
                // The reason why the JSON is not read as a call, if there is one. In the mode `Json`, only a tag before the JSON
                // makes it a block: JSON without a fence is validated as a whole text.
                let reason = match tool {
                    _ if self.mode == ReadMode::Json && !has_tag => Some(NoCallReason::OtherJson),
                    None if !settings.unfenced => Some(NoCallReason::UnfencedOff),
                    _ => None,
                };
                let tool = tool.map(|(start, end)| {
                    let name = part(&buffer, start..end);
                    let known = settings.tools.find_written(name);
                    owned(known.as_ref().map_or(name, Tool::name))
                });
                buffer.truncate(json);
                if let Some(reason) = reason {
                    out.text(&buffer);
                    self.scanner.begin_watch(Region::Lines, reason, settings, out);
                } else {
                    self.state = FinderState::Bare(Box::new(BareJson::new(buffer, tool, settings, self.next_number)));
                }
            }
            Opener::Call { start, grammar } => {
                self.state = FinderState::Foreign(Box::new(ForeignCall::new(buffer, start, grammar)));
            }
            Opener::Marks => {
                out.skip(&buffer);
                self.continue_in_text(ResumeAt::LineStart);
            }
            Opener::Quote => self.state = FinderState::Quote(Box::new(Quotation::new(buffer))),
            Opener::Reasoning(start) => {
                out.skip(&buffer);
                self.state = FinderState::Reasoning(Box::new(Reasoning::after(tail(&buffer, start))));
            }
            Opener::ReadAgain => self.read_again(&buffer),
        }
    }

    /// Creates the reader of a fenced block; `line` is the line of its opening fence.
    fn new_reader(&self, line: String, opener: OpeningFence, settings: &Settings) -> Box<Reader> {
        let mut recorder = Recorder::new(self.next_number, &settings.tools);
        // Only calls have previews.
        recorder.shows_texts = settings.content_deltas && self.mode == ReadMode::Calls;
        recorder.patches = (settings.patches && self.mode == ReadMode::Calls).then(PatchList::default);
        Box::new(Reader::new(line, Some(opener), Parser::tolerant(recorder, settings), self.mode))
    }

    /// Handles a step of a possible call without a fence: leaves the state if it is not a call.
    pub(super) fn bare_step(&mut self, step: BareStep, settings: &Settings, out: &mut Output<'_>) -> StepResult {
        match step {
            BareStep::More => return StepResult::Nothing,
            BareStep::Call => return StepResult::Call,
            BareStep::Unfinished => return StepResult::Unfinished,
            BareStep::Interrupted => return StepResult::Interrupted,
            BareStep::NotJson | BareStep::OtherJson | BareStep::SharesLine => {}
        }
        let FinderState::Bare(bare) = std::mem::replace(&mut self.state, FinderState::Text) else {
            return StepResult::Nothing;
        };
        let start = out.units;
        match step {
            BareStep::OtherJson => {
                let (Released { text, unread }, watch) = bare.into_watch(start, settings);
                out.text(&text);
                self.scanner.resume_json(&text, watch);
                self.read_again(&unread);
            }
            BareStep::SharesLine => {
                let (Released { text, unread }, report) = bare.into_shared_line(start);
                out.text(&text);
                self.continue_in_text(ResumeAt::InLine);
                self.read_again(&unread);
                self.scanner.report = report;
                self.report(out);
            }
            // `NotJson`: the brackets belong to prose.
            _ => {
                self.continue_in_text(ResumeAt::InLine);
                self.read_again(&bare.into_text());
            }
        }
        StepResult::Nothing
    }

    /// Continues in the code of a fenced block that is not examined any further.
    pub(super) fn skip_code(&mut self, reader: &Reader) {
        self.continue_in_text(ResumeAt::InLine);
        if let Some((fence, indent)) = reader.fence_and_indent() {
            let watch = None;
            self.scanner.resume_code(&reader.raw, fence, indent, watch);
        }
    }

    /// Passes a fenced block on as code. JSON in it is watched if the finder looks for calls. If the block has no language and
    /// does not begin with JSON, the scanner watches later lines that begin with JSON.
    fn pass_as_code(&mut self, settings: &Settings, out: &mut Output<'_>) {
        let FinderState::Block(reader) = std::mem::replace(&mut self.state, FinderState::Text) else { return };
        let may_watch_lines = self.mode == ReadMode::Calls && reader.has_no_language();
        let FencedCode { raw, fence, parser, json_start } = reader.into_code();
        let json = tail(&raw, json_start).to_owned();
        let start = out.units + utf16_len(head(&raw, json_start));
        out.text(&raw);
        let Some((fence, indent)) = fence else { return self.continue_in_text(ResumeAt::InLine) };
        let is_json = json.trim_ascii_start().starts_with(['{', '[']);
        let watch = Watch::after(parser, json, Region::Code, start, settings);
        self.scanner.resume_code(&raw, fence, indent, Some(watch).filter(|_| is_json && self.mode == ReadMode::Calls));
        self.scanner.watches_code = may_watch_lines && !is_json;
    }
}

//! The state machine of a text: outside of a block, in a fenced one, in an unfenced call, or past the limit of one.

use super::Settings;
use super::body::BodyStep;
use super::check::Ending;
use super::event::Out;
use super::line::FenceLine;
use super::parser::Parser;
use super::reader::{PLAIN_TOOL, Reader, ReaderStep, Wanted};
use super::recorder::Recorder;
use super::scanner::{Opener, Scanner};
use super::unfenced::UnfencedCall;
use crate::value::text::{head, tail, trim_start};

/// What the next byte of the text belongs to.
#[derive(Debug)]
pub(super) enum FinderState {
    Text(Box<Scanner>),
    Block(Box<Reader>),
    /// What may be a call without a fence.
    Unfenced(Box<UnfencedCall>),
    /// The rest of a block over the limit, of which nothing is kept.
    Overflow(Box<Reader>),
    /// The one call is over, and nothing counts that comes after.
    Over,
}

impl FinderState {
    #[inline(never)]
    pub(super) fn text(line: FenceLine) -> Self {
        Self::Text(Box::new(Scanner::text(line)))
    }
}

/// The state between two pieces of a text.
#[derive(Debug)]
pub(super) struct Finder {
    pub(super) state: FinderState,
    pub(super) wanted: Wanted,
    pub(super) next_number: u32,
    /// Whether something like a call has come that was not escaped: one that is escaped is then quoted, and not repaired.
    pub(super) after_plain_call: bool,
    /// Text that was read past the end of a block: it is read again before any new text.
    pub(super) back: String,
}

impl Finder {
    pub(super) fn new(wanted: Wanted) -> Self {
        let state = FinderState::text(FenceLine::start());
        Self { state, wanted, next_number: 1, after_plain_call: false, back: String::new() }
    }

    /// Takes the next step, and tells how many bytes that was; and, if the block that is read is over, how it ended.
    pub(super) fn step(&mut self, text: &str, settings: &Settings, out: &mut Out<'_>) -> (usize, Option<Ending>) {
        let taken = match &mut self.state {
            FinderState::Over => text.len(),
            FinderState::Text(scanner) => {
                let (mut taken, opener) = scanner.take(text, out);
                self.after_plain_call |= scanner.shows_json;
                match opener {
                    None => {}
                    Some(Opener::Fence { line, fence, info }) => {
                        let mut recorder = Recorder::new(self.next_number);
                        recorder.shows_texts = settings.content_deltas && self.wanted == Wanted::Calls;
                        recorder.leaves_content = settings.may_leave_content();
                        let parser = Parser::tolerant(recorder, settings);
                        let mut reader = Reader::new(line, Some((fence, info)), parser, self.wanted);
                        reader.after_plain_call = self.after_plain_call;
                        self.state = FinderState::Block(Box::new(reader));
                    }
                    Some(Opener::Bracket) if self.wanted == Wanted::Calls => {
                        self.state = FinderState::Unfenced(Box::new(UnfencedCall::new(settings, self.next_number)));
                    }
                    Some(Opener::Bracket) => {
                        let rest = tail(text, taken);
                        out.text(head(rest, 1));
                        self.after_plain_call |= trim_start(tail(rest, 1)).starts_with(PLAIN_TOOL);
                        self.state = FinderState::text(FenceLine::middle());
                        taken += 1;
                    }
                }
                taken
            }
            FinderState::Unfenced(unfenced) => {
                let (taken, step) = unfenced.take(text, settings);
                match step {
                    ReaderStep::More if unfenced.is_other => out.text(&std::mem::take(&mut unfenced.held)),
                    ReaderStep::More => {}
                    ReaderStep::NoBlock => {
                        self.after_plain_call |= unfenced.parser.recorder.speaks_of_a_call();
                        out.text(&unfenced.held);
                        self.state = FinderState::Text(Box::new(unfenced.rest()));
                    }
                    ReaderStep::Over(ending) => return (taken, Some(ending)),
                }
                taken
            }
            FinderState::Overflow(reader) => {
                let (taken, found) = reader.pass(text, out);
                match found {
                    BodyStep::More => {}
                    BodyStep::Fence => self.state = FinderState::text(FenceLine::middle()),
                    BodyStep::Opener => {
                        self.back = std::mem::take(&mut reader.raw);
                        self.state = FinderState::text(FenceLine::start());
                    }
                }
                taken
            }
            FinderState::Block(reader) => {
                let (taken, step) = reader.take(text, settings);
                match step {
                    ReaderStep::More => {}
                    ReaderStep::NoBlock => {
                        self.after_plain_call |= reader.has_plain_call();
                        out.text(&reader.raw);
                        self.state = FinderState::Text(Box::new(reader.scanner()));
                    }
                    ReaderStep::Over(ending) => return (taken, Some(ending)),
                }
                taken
            }
        };
        (taken, None)
    }
}

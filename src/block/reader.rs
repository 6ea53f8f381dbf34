//! One fenced block, from the line after its opener to its end.

use super::body::{Body, Closing, Found, Pace};
use super::check::{Checked, Ending, Reading};
use super::line::{Fence, FenceLine, Info};
use super::recorder::{Recorder, Shown, Sighting, Verdict};
use super::units::fitting;
use crate::limits::Limits;
use crate::value::{Lexer, Value};

/// Which blocks are read to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Those that call a tool.
    Calls,
    /// Whatever JSON it is.
    Json,
}

/// What a step of reading led to.
#[derive(Debug)]
pub(super) enum Step {
    /// Nothing yet.
    More,
    /// This is no tool block.
    NoBlock,
    /// The closing fence.
    Closed,
    /// The line of another opener, which does not belong to this block.
    Interrupted,
    /// The limit; the text was not taken.
    Full,
}

/// A fenced block that is being read.
#[derive(Debug)]
pub(super) struct Reader {
    pub(super) raw: String,
    /// Where in `raw` the JSON begins.
    json: usize,
    info: Info,
    wanted: Wanted,
    body: Body,
    pub(super) recorder: Recorder,
    max_bytes: usize,
}

impl Reader {
    /// A block whose opener's line is `line`.
    pub(super) fn new(
        line: String,
        (fence, info): (Fence, Info),
        wanted: Wanted,
        recorder: Recorder,
        limits: &Limits,
    ) -> Self {
        let body = Body::new(fence, limits.max_depth);
        Self { json: line.len(), raw: line, info, wanted, body, recorder, max_bytes: limits.max_block_bytes }
    }

    /// Takes the text if it is nothing but the next run of a string, and tells what can be shown of it. The short way for
    /// what most pieces of a block are.
    pub(super) fn take_run(&mut self, text: &str) -> Option<Option<Shown>> {
        let fits = self.raw.len() + text.len() <= self.max_bytes;
        if fits && self.recorder.verdict == Verdict::Block && self.body.take_run(text) {
            self.raw.push_str(text);
            return Some(self.recorder.run(text));
        }
        None
    }

    /// Takes the next step, and tells how many bytes that was.
    pub(super) fn take(&mut self, text: &str) -> (usize, Step) {
        let room = self.max_bytes.saturating_sub(self.raw.len());
        let fitting = fitting(text, room);
        if fitting.is_empty() {
            return (0, Step::Full);
        }
        let undecided = self.recorder.verdict == Verdict::Open;
        let pace = if undecided { Pace::Careful } else { Pace::Free };
        let (taken, found) = self.body.take(fitting, pace, self.closing(), &mut self.recorder);
        let read = fitting.get(..taken).unwrap_or_default();
        self.raw.push_str(read);
        if self.body.lexer.fault().is_some() {
            self.recorder.discard();
        }
        let step = match found {
            // Where the lexer has been misled this is a candidate only, and the place to ask whether the text up to
            // here can be mended.
            Found::Fence => Step::Closed,
            Found::Opener => Step::Interrupted,
            Found::More if undecided && self.is_no_block(read) => Step::NoBlock,
            Found::More => Step::More,
        };
        (taken, step)
    }

    /// The text ends here; whether the block's closing fence was there.
    pub(super) fn end(&mut self) -> Step {
        match self.body.end(self.closing(), &mut self.recorder) {
            Found::Fence => Step::Closed,
            Found::More | Found::Opener => Step::More,
        }
    }

    /// Whether the block calls a tool, now that it is over.
    pub(super) fn is_block(&self) -> bool {
        match (self.wanted, self.recorder.verdict) {
            (Wanted::Json, _) | (Wanted::Calls, Verdict::Block) => true,
            (Wanted::Calls, Verdict::Text) => false,
            (Wanted::Calls, Verdict::Open) => self.recorder.calls.last().is_some_and(Sighting::is_toolless_call),
        }
    }

    fn is_no_block(&self, read: &str) -> bool {
        let begun = || self.raw.get(self.json..).map(str::trim_start).filter(|json| !json.is_empty());
        match (self.wanted, self.recorder.verdict) {
            (Wanted::Calls, Verdict::Text) => true,
            // A word that is no value ends the value all the same, and nothing was recorded.
            (Wanted::Calls, Verdict::Open) if self.body.lexer.is_complete() => true,
            // Without a language only what begins like a call is JSON.
            (_, Verdict::Open | Verdict::Text) if self.info == Info::Empty && !read.trim_ascii().is_empty() => {
                self.recorder.calls.is_empty() && begun().is_some_and(|json| !json.starts_with(['{', '[']))
            }
            (_, Verdict::Open | Verdict::Text | Verdict::Block) => false,
        }
    }

    fn closing(&self) -> Closing {
        if self.recorder.speaks_of_a_call() { Closing::Braced } else { Closing::Any }
    }

    /// The JSON so far.
    fn json(&self) -> &str {
        self.raw.get(self.json..).unwrap_or_default()
    }

    /// Takes what does not belong to the block off its end: blanks, or the line of the next opener.
    pub(super) fn cut_tail(&mut self) -> String {
        let end = self.raw.trim_end_matches([' ', '\t', '\r', '\n']).len();
        self.raw.split_off(end)
    }

    /// Takes the line of the next opener off the block's end.
    pub(super) fn cut_opener(&mut self) -> (FenceLine, String) {
        let line = self.body.line();
        let end = self.raw.len().saturating_sub(line.bytes());
        (line, self.raw.split_off(end))
    }

    /// Whether nothing but blanks stands where the JSON should.
    pub(super) fn is_blank(&self) -> bool {
        self.recorder.calls.is_empty() && self.body.lexer.fault().is_none() && self.body.lexer.offset() == self.blanks()
    }

    fn blanks(&self) -> usize {
        self.json().bytes().take(self.body.lexer.offset()).take_while(u8::is_ascii_whitespace).count()
    }

    /// The fence, and the line in which the block stands, for whoever goes on after it.
    pub(super) fn place(&self) -> (Fence, FenceLine) {
        (self.body.fence(), FenceLine::last_of(&self.raw))
    }

    /// What finds the block's end, which keeps nothing.
    pub(super) fn into_parts(mut self) -> (Body, Recorder) {
        self.recorder.stop();
        (self.body, self.recorder)
    }

    /// What was read, as one value, and its length, if it is sound.
    pub(super) fn parsed(&mut self) -> (Option<Value>, Option<usize>) {
        finish(&mut self.body.lexer, &mut self.recorder);
        super::check::parsed(self.json(), &self.recorder, &self.body.lexer)
    }

    /// Validates what was read.
    pub(super) fn check(&mut self, ending: Ending, settings: &super::Settings) -> (Checked, super::BlockStatus) {
        let json_end = self.raw.len();
        let json = self.raw.get(self.json..json_end).unwrap_or_default();
        finish(&mut self.body.lexer, &mut self.recorder);
        let reading = Reading {
            json,
            lexer: &self.body.lexer,
            recorder: &mut self.recorder,
            ending,
            trailing: self.body.trailing(),
            tool: None,
        };
        let status = reading.status();
        (reading.check(settings), status)
    }
}

/// Tells the lexer that nothing more comes.
pub(super) fn finish(lexer: &mut Lexer, recorder: &mut Recorder) {
    lexer.finish(recorder);
    if lexer.fault().is_some() {
        recorder.discard();
    }
}

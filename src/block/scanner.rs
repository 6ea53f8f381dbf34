//! Text outside of blocks: passes it on, and finds where a block may begin.

use super::context::TextContext;
use super::event::Out;
use super::line::{Fence, FenceLine, Info};

/// Where a block may begin.
#[derive(Debug)]
pub(super) enum Opener {
    /// A fence; its line is kept back, from the first mark to the line break.
    Fence { line: String, fence: Fence, info: Info },
    /// A bracket, which was not taken.
    Bracket,
}

/// The state between two pieces of text.
#[derive(Debug)]
pub(super) struct Scanner {
    /// The code fence that is open: inside it nothing is looked for but its end.
    pub(super) code: Option<Fence>,
    line: FenceLine,
    inline: InlineCode,
    pub(super) context: TextContext,
    /// Whether a line of code began with a brace: a block whose opener is broken may be taken for code.
    pub(super) shows_json: bool,
    /// What may be the line of an opener.
    held: String,
}

impl Scanner {
    /// Goes on in a line of text.
    #[inline(never)]
    pub(super) fn text(line: FenceLine) -> Self {
        let context = if line.is_plain() { TextContext::middle(0, 0) } else { TextContext::start() };
        Self { code: None, line, inline: InlineCode::default(), context, shows_json: false, held: String::new() }
    }

    /// Passes text on up to the next opener, and tells how many bytes it took.
    pub(super) fn take(&mut self, text: &str, out: &mut Out<'_>) -> (usize, Option<Opener>) {
        let bytes = text.as_bytes();
        // From `from` on nothing has been passed on yet.
        let (mut place, mut from) = (0, 0);
        while let Some(&byte) = bytes.get(place) {
            if byte == b'\n' {
                if let Some(opener) = self.end_line(text.get(from..=place).unwrap_or_default()) {
                    return (place + 1, Some(opener));
                }
                self.release(out);
                place += 1;
                continue;
            }
            self.inline.push(byte);
            if self.is_text() && may_be_call(byte, bytes.get(place + 1)) && self.context.allows() {
                out.text(text.get(from..place).unwrap_or_default());
                return (place, Some(Opener::Bracket));
            }
            self.follow(byte);
            if self.line.is_plain() {
                place += 1;
                let run = self.plain_run(bytes.get(place..).unwrap_or_default());
                if run > 0 {
                    self.inline.push(b' ');
                }
                for byte in bytes.get(place..place + run).unwrap_or_default() {
                    self.follow(*byte);
                }
                place += run;
                continue;
            }
            self.shows_json |= byte == b'{' && self.code.is_some() && !self.line.has_marks();
            let held_before = self.holds();
            self.line.push(byte);
            match (held_before, self.holds()) {
                (false, true) => {
                    out.text(text.get(from..place).unwrap_or_default());
                    from = place;
                }
                (true, false) => self.release(out),
                (true, true) | (false, false) => {}
            }
            place += 1;
        }
        let rest = text.get(from..).unwrap_or_default();
        if self.holds() {
            self.held.push_str(rest);
        } else {
            out.text(rest);
        }
        (place, None)
    }

    /// Whether what stands here is text: neither code nor what may be a fence.
    const fn is_text(&self) -> bool {
        self.code.is_none() && !self.line.has_marks() && !self.inline.is_open()
    }

    /// Notes what stands before the next bracket. Inline code is text like any other.
    fn follow(&mut self, byte: u8) {
        if self.code.is_none() {
            self.context.push(if self.inline.is_open() { b'x' } else { byte });
        }
    }

    /// How far a line goes on in which only its end matters, and in text brackets and backticks.
    fn plain_run(&self, bytes: &[u8]) -> usize {
        let end = match self.code {
            Some(_) => bytes.iter().position(|byte| *byte == b'\n'),
            None => bytes.iter().position(|byte| matches!(byte, b'\n' | b'{' | b'[' | b'`')),
        };
        end.unwrap_or(bytes.len())
    }

    const fn holds(&self) -> bool {
        self.code.is_none() && self.line.has_marks() && self.line.may_matter()
    }

    /// Passes on what was kept back: it is no opener, or the text ends here.
    pub(super) fn release(&mut self, out: &mut Out<'_>) {
        out.text(&self.held);
        self.held.clear();
    }

    fn end_line(&mut self, pending: &str) -> Option<Opener> {
        let line = std::mem::replace(&mut self.line, FenceLine::start());
        self.inline = InlineCode::default();
        self.follow(b'\n');
        if self.context.hides_fences() {
            self.line = FenceLine::middle();
        }
        match self.code {
            Some(_) => {
                if line.closes(self.code) {
                    self.code = None;
                    self.context = TextContext::start();
                }
            }
            None => match line.end() {
                Some((fence, info @ (Info::Json | Info::Empty))) => {
                    let mut line = std::mem::take(&mut self.held);
                    line.push_str(pending);
                    return Some(Opener::Fence { line, fence, info });
                }
                Some((fence, Info::Other)) => self.code = Some(fence),
                None => {}
            },
        }
        None
    }
}

/// Code inside of a line: from a run of backticks to the next one that is as long, or to the end of the line. A call in it
/// is shown, not made.
#[derive(Clone, Copy, Debug, Default)]
struct InlineCode {
    /// How many backticks opened it, or 0.
    open: usize,
    /// How many there are right before what comes next.
    run: usize,
}

impl InlineCode {
    const fn push(&mut self, byte: u8) {
        if byte == b'`' {
            self.run += 1;
        } else if self.run > 0 {
            if self.open == 0 {
                self.open = self.run;
            } else if self.open == self.run {
                self.open = 0;
            }
            self.run = 0;
        }
    }

    const fn is_open(self) -> bool {
        self.open > 0
    }
}

/// Whether a byte is a bracket that may be that of a call, or of other JSON, by the byte after it if that is there.
fn may_be_call(byte: u8, next: Option<&u8>) -> bool {
    match (byte, next) {
        (b'{' | b'[', None | Some(b' ' | b'\t' | b'\r' | b'\n' | b'"')) => true,
        (b'[', Some(next)) => matches!(next, b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n'),
        _ => false,
    }
}

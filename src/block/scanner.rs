//! Text outside of blocks: passes it on, and finds where a block may begin.
//!
//! A block begins at the beginning of a line, behind blanks, list markers and tags: with a fence, or with a bracket. Brackets
//! elsewhere, and JSON in code blocks, are watched for calls that are not executed.

use super::Settings;
use super::event::Out;
use super::formats::{Grammar, begins_anywhere, match_format};
use super::line::{Fence, FenceLine, Info, MAX_INDENT};
use super::tags::{Tag, TagMatch, begins_tag, match_tag};
use super::watch::{NoCall, NotACall, Region, Watch, may_be_json};
use crate::value::concat;
use crate::value::text::{first_char, head, put, tail};

/// Where something else than text begins. What was read of it is in [`Scanner::held`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Opener {
    /// A fence: its line from the first mark on, up to the line break or to JSON in that line; and the blanks before it.
    /// From `json` on, that JSON follows.
    Fence { fence: Fence, info: Info, indent: u8, json: usize },
    /// A bracket, perhaps behind wrapper tags; it is at `json`, or if that is the end it is the next byte of the text. Where
    /// the tags name a tool, the JSON is its arguments: where the name begins and ends.
    Bracket { json: usize, tool: Option<(usize, usize)> },
    /// A call in another grammar, and where it begins.
    Call { start: usize, grammar: Grammar },
    /// Marks that belong to no event.
    Marks,
    /// A fence behind quote marks; its line is taken whole.
    Quote,
    /// A tag, which begins at this byte, behind which reasoning stands.
    Reasoning(usize),
    /// Text that has to be read again.
    Again,
}

/// What may come next in a line.
#[derive(Clone, Copy, Debug)]
enum LineState {
    /// Only blanks, list markers and quote marks have come.
    Start(LineStart),
    /// What may be a fence, kept back outside of code.
    Fence(FenceLine, LineStart),
    /// What may be a tag, kept back; where it begins in `held`.
    Tag(usize),
    /// What may be a mark inside a line, kept back.
    Mark,
    /// Blanks behind wrapper tags, kept back with these.
    Tagged,
    /// No block begins in the rest of the line.
    Text,
}

/// The beginning of a line.
#[derive(Clone, Copy, Debug, Default)]
struct LineStart {
    /// Blanks since the last marker; a tab counts as four.
    blanks: u8,
    marker: Marker,
    is_item: bool,
    is_quoted: bool,
}

/// A list marker as far as it has come: a blank must follow it.
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

/// What the text stands in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Text,
    /// A comment up to the end of its line.
    LineComment,
    /// `/* … */`, up to an empty line at most.
    BlockComment,
    /// `<!-- … -->`; where it began inside a line, up to an empty line at most.
    Html,
    InlineHtml,
    /// `<pre>` that began a line, up to `</pre>`.
    Pre,
    /// `<code>`, or `<pre>` inside a line, up to an empty line at most.
    Code,
}

/// What marks lead from and to.
static MARKS: [(Within, &str, Within); 39] = [
    (Within::Text, "<!--", Within::Html),
    (Within::Text, "<pre>", Within::Pre),
    (Within::Text, "<pre ", Within::Pre),
    (Within::Text, "<code>", Within::Code),
    (Within::Text, "<code ", Within::Code),
    (Within::Text, "/*", Within::BlockComment),
    (Within::Text, "//", Within::LineComment),
    (Within::Text, "# ", Within::LineComment),
    (Within::Text, "#{", Within::LineComment),
    (Within::Text, "#[", Within::LineComment),
    (Within::Text, "-- ", Within::LineComment),
    (Within::BlockComment, "*/", Within::Text),
    (Within::Html, "-->", Within::Text),
    (Within::InlineHtml, "-->", Within::Text),
    // Quotations, shown code, and what a tool has answered: the last eight bytes of their tags.
    (Within::Text, "ckquote>", Within::Pre),
    (Within::Text, "<samp>", Within::Pre),
    (Within::Text, "<kbd>", Within::Pre),
    (Within::Text, "<xmp>", Within::Pre),
    (Within::Text, "extarea>", Within::Pre),
    (Within::Text, "<script>", Within::Pre),
    (Within::Text, "emplate>", Within::Pre),
    (Within::Text, "esponse>", Within::Pre),
    (Within::Text, "_result>", Within::Pre),
    (Within::Text, "results>", Within::Pre),
    (Within::Text, "rvation>", Within::Pre),
    (Within::Pre, "ckquote>", Within::Text),
    (Within::Pre, "</samp>", Within::Text),
    (Within::Pre, "</kbd>", Within::Text),
    (Within::Pre, "</xmp>", Within::Text),
    (Within::Pre, "extarea>", Within::Text),
    (Within::Pre, "/script>", Within::Text),
    (Within::Pre, "emplate>", Within::Text),
    (Within::Pre, "esponse>", Within::Text),
    (Within::Pre, "_result>", Within::Text),
    (Within::Pre, "results>", Within::Text),
    (Within::Pre, "rvation>", Within::Text),
    (Within::Pre, "</pre>", Within::Text),
    (Within::Code, "</code>", Within::Text),
    (Within::Code, "</pre>", Within::Text),
];

/// The state between two pieces of text.
#[derive(Debug)]
pub(super) struct Scanner {
    /// The code block that is open, and the blanks before its fence: inside it nothing is looked for but its end.
    code: Option<(Fence, u8)>,
    line: LineState,
    inline: InlineCode,
    within: Within,
    /// The last eight bytes in lower case, the last one lowest.
    last: u64,
    /// The last two bytes that are no blanks.
    last_solid: [u8; 2],
    /// Whether there are only blanks in the line so far, and whether there were before the last `<`.
    is_blank: bool,
    begins_tag: bool,
    /// Whether the line before was empty, or there was none.
    after_blank: bool,
    /// Whether the line may be indented as one of an item of a list.
    in_list: bool,
    /// A fence that began inside a line: it opens nothing, and the one that closes it closes nothing.
    inner_fence: Option<Fence>,
    watch: Option<Box<Watch>>,
    /// What may be a fence or a tag, or is an opener.
    pub(super) held: String,
    /// JSON is over that was watched and named a known tool.
    pub(super) report: Option<NotACall>,
}

impl Scanner {
    /// At the beginning of a text.
    pub(super) fn new() -> Self {
        Self {
            code: None,
            line: LineState::Start(LineStart::default()),
            inline: InlineCode::default(),
            within: Within::Text,
            last: 0,
            last_solid: [0; 2],
            is_blank: true,
            begins_tag: false,
            after_blank: true,
            in_list: false,
            inner_fence: None,
            watch: None,
            held: String::new(),
            report: None,
        }
    }

    /// Goes on behind a block: at the beginning of a line, or in the rest of one, in which no other block begins.
    pub(super) fn resume(&mut self, at_line_start: bool) {
        self.inline = InlineCode::default();
        (self.within, self.code, self.watch) = (Within::Text, None, None);
        self.last_solid = [0; 2];
        self.is_blank = at_line_start;
        self.line = if at_line_start { LineState::Start(LineStart::default()) } else { LineState::Text };
    }

    /// Goes on in a code block of which `text` has come, with a watch over its JSON.
    pub(super) fn resume_code(&mut self, text: &str, fence: Fence, indent: u8, watch: Option<Watch>) {
        self.resume(false);
        self.code = Some((fence, indent));
        self.watch = watch.map(Box::new);
        let mut line = FenceLine::indented(indent);
        line.go_on(text);
        self.line = LineState::Fence(line, LineStart::default());
    }

    /// Goes on behind `text`, which was JSON at the beginning of a line, with a watch over the rest of it.
    pub(super) fn resume_json(&mut self, text: &str, watch: Watch) {
        self.resume(text.ends_with('\n'));
        self.watch = Some(Box::new(watch));
    }

    /// Passes text on up to the next opener, and tells how many bytes it took.
    pub(super) fn take(&mut self, text: &str, settings: &Settings, out: &mut Out<'_>) -> (usize, Option<Opener>) {
        // The text of watched JSON is read up to its end, and not beyond.
        let (mut length, mut is_over) = (text.len(), false);
        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.region != Region::Code) {
            (length, is_over) = if watch.is_over { (0, true) } else { watch.feed(text) };
            // More openers may stand in what was read: it is not fed again.
            watch.is_over |= is_over;
        }
        let (taken, opener) = self.scan(head(text, length), settings, out);
        if opener.is_none() && is_over && taken == length {
            self.end_watch(settings);
        }
        (taken, opener)
    }

    /// Ends the watch.
    #[inline(never)]
    fn end_watch(&mut self, settings: &Settings) {
        if let Some(watch) = self.watch.take() {
            self.report = watch.into_report(&settings.tools);
        }
    }

    fn scan(&mut self, text: &str, settings: &Settings, out: &mut Out<'_>) -> (usize, Option<Opener>) {
        let mut place = 0;
        while place < text.len() {
            let rest = tail(text, place);
            let char = first_char(rest);
            let byte = char.as_bytes().first().copied().unwrap_or_default();
            let (mut length, mut opener) = (char.len(), None);
            if byte == b'\n' {
                opener = self.end_line(settings, out);
            } else {
                match self.line {
                    LineState::Start(start) => match self.start(start, byte) {
                        Start::Pass(start) => {
                            self.line = LineState::Start(start);
                            self.note(byte);
                            out.text(char);
                        }
                        Start::Line(line) => {
                            self.line = line;
                            length = 0;
                        }
                        Start::Bracket => return (place, Some(Opener::Bracket { json: 0, tool: None })),
                        Start::Watch(region, reason) => {
                            self.begin_watch(region, reason, settings, out);
                            return (place, None);
                        }
                    },
                    LineState::Fence(mut line, start) => {
                        char.bytes().for_each(|byte| line.push(byte));
                        self.line = LineState::Fence(line, start);
                        if self.code.is_none() {
                            put(&mut self.held, char);
                            if let Some((fence, info, json)) = line.inline().filter(|_| !start.is_quoted) {
                                opener = Some(Opener::Fence { fence, info, indent: start.blanks, json });
                            } else if line.is_plain() {
                                self.release(out);
                            }
                        } else {
                            if line.is_plain() {
                                self.line = LineState::Text;
                            }
                            self.note_all(char);
                            out.text(char);
                        }
                    }
                    LineState::Tag(begin) => {
                        put(&mut self.held, char);
                        opener = self.tag(begin, settings);
                    }
                    LineState::Mark => {
                        put(&mut self.held, char);
                        opener = self.mark(settings, out);
                    }
                    LineState::Tagged => match byte {
                        _ if self.held.len() > MAX_TAGS => {
                            length = 0;
                            self.release(out);
                        }
                        b' ' | b'\t' | b'\r' => _ = put(&mut self.held, char),
                        b'{' => return (place, Some(Opener::Bracket { json: self.held.len(), tool: None })),
                        _ => {
                            length = 0;
                            let begin = self.held.len();
                            // e.g. [TOOL_CALLS]name
                            let is_header =
                                || !matches!(match_format(&concat(&[&self.held, char]), settings, false), TagMatch::No);
                            if begins_tag(byte) {
                                self.line = LineState::Tag(begin);
                            } else if is_header() {
                                self.line = LineState::Tag(0);
                            } else {
                                opener = self.again();
                            }
                        }
                    },
                    LineState::Text => {
                        length = self.text_run(rest, settings);
                        out.text(head(rest, length));
                        match rest.as_bytes().get(length) {
                            None | Some(b'\n') => {}
                            Some(b'<') => self.line = LineState::Mark,
                            Some(bracket) => {
                                self.begin_watch(Region::InLine, NoCall::SharesLine, settings, out);
                                if rest.len() == length + 1 {
                                    self.watch.iter_mut().for_each(|watch| watch.decide_later(*bracket));
                                }
                                return (place + length, None);
                            }
                        }
                    }
                }
            }
            place += length;
            if opener.is_some() {
                return (place, opener);
            }
        }
        (place, None)
    }

    /// Reads text up to the end of its line, to a bracket that is to be watched, or to what may be a mark; tells how many
    /// bytes.
    fn text_run(&mut self, text: &str, settings: &Settings) -> usize {
        for (place, byte) in text.bytes().enumerate() {
            if begins_anywhere(&settings.formats, byte) && self.watch.is_none() && self.is_prose() {
                return place;
            }
            if byte == b'\n'
                || matches!(byte, b'{' | b'[') && may_be_json(byte, text.as_bytes().get(place + 1)) && self.may_watch()
            {
                return place;
            }
            self.note(byte);
        }
        text.len()
    }

    /// Whether what comes next is neither code nor a comment.
    fn is_prose(&self) -> bool {
        self.code.is_none() && !self.inline.is_open() && self.within == Within::Text
    }

    /// Whether a bracket inside a line may be that of a call to be reported.
    fn may_watch(&self) -> bool {
        self.watch.is_none()
            && self.code.is_none()
            && !self.inline.is_open()
            && self.last & 0xff != u64::from(b'#')
            && matches!(self.within, Within::Text | Within::Pre | Within::Code)
    }

    /// Watches JSON whose first bracket comes next, and which is no call.
    pub(super) fn begin_watch(&mut self, region: Region, reason: NoCall, settings: &Settings, out: &Out<'_>) {
        self.line = LineState::Text;
        let reason = if matches!(self.within, Within::Pre | Within::Code) { NoCall::Quoted } else { reason };
        self.watch = Some(Box::new(Watch::new(region, reason, out.units, settings)));
    }

    /// What the next byte of the beginning of a line makes of it.
    fn start(&mut self, mut start: LineStart, byte: u8) -> Start {
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
            return Start::Line(LineState::Text);
        }
        if let Marker::Digits(digits) = start.marker {
            start.marker = match byte {
                b'0'..=b'9' if digits < MAX_DIGITS => Marker::Digits(digits + 1),
                b'.' | b')' => Marker::Whole,
                _ => return Start::Line(LineState::Text),
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
                Start::Line(LineState::Fence(FenceLine::start(), start))
            }
            _ if is_code => Start::Line(LineState::Text),
            b'{' | b'[' if self.watch.is_some() => Start::Line(LineState::Text),
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
                Within::Text if byte == b'[' => Start::Line(LineState::Tag(0)),
                Within::Text => Start::Bracket,
                Within::Pre | Within::Code => Start::Watch(Region::Lines, NoCall::Quoted),
                _ => Start::Line(LineState::Text),
            },
            _ if self.within != Within::Text => Start::Line(LineState::Text),
            b'>' => {
                start.is_quoted = true;
                start.blanks = 0;
                Start::Pass(start)
            }
            _ if begins_tag(byte) && !start.is_quoted && self.watch.is_none() => Start::Line(LineState::Tag(0)),
            b'-' | b'*' | b'+' => {
                start.marker = Marker::Whole;
                Start::Pass(start)
            }
            b'0'..=b'9' => {
                start.marker = Marker::Digits(1);
                Start::Pass(start)
            }
            _ => Start::Line(LineState::Text),
        }
    }

    /// What was kept back is no tag and no fence: it is text, as is the rest of its line.
    fn release(&mut self, out: &mut Out<'_>) {
        self.line = LineState::Text;
        let text = std::mem::take(&mut self.held);
        self.note_all(&text);
        out.text(&text);
    }

    /// What was kept back is to be read again, as text.
    fn again(&mut self) -> Option<Opener> {
        self.line = LineState::Text;
        Some(Opener::Again)
    }

    /// Looks at what may be a mark inside a line.
    fn mark(&mut self, settings: &Settings, out: &mut Out<'_>) -> Option<Opener> {
        match match_format(&self.held, settings, true) {
            TagMatch::Maybe => None,
            TagMatch::Tag(tag) => self.tagged(tag, 0),
            TagMatch::No => {
                self.release(out);
                None
            }
        }
    }

    /// A tag is whole that begins at a place of `held`.
    fn tagged(&mut self, tag: Tag, begin: usize) -> Option<Opener> {
        self.line = LineState::Text;
        Some(match tag {
            Tag::Wrapper => {
                self.line = LineState::Tagged;
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

    /// Looks at what may be a tag, from a place of `held` on.
    fn tag(&mut self, begin: usize, settings: &Settings) -> Option<Opener> {
        let text = tail(&self.held, begin);
        match match_tag(text, settings) {
            TagMatch::Maybe => None,
            TagMatch::Tag(tag) => self.tagged(tag, begin),
            // JSON may begin there with a list.
            TagMatch::No if text.starts_with('[') => {
                self.line = LineState::Text;
                Some(Opener::Bracket { json: begin, tool: None })
            }
            TagMatch::No => self.again(),
        }
    }

    /// Notes a byte of text: inline code, comments, and what stands before the next one.
    fn note(&mut self, byte: u8) {
        let before = self.last;
        self.last = before << 8 | u64::from(byte.to_ascii_lowercase());
        if self.code.is_some() {
            return;
        }
        // A comment ends whatever stands in it.
        if matches!(self.within, Within::Text | Within::Pre | Within::Code) {
            self.inline.push(byte);
        } else {
            self.inline = InlineCode::default();
        }
        if byte == b'<' {
            self.begins_tag = self.is_blank;
        }
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        if !is_blank {
            self.last_solid = [self.last_solid[1], byte];
        }
        if matches!(byte, b'>' | b'/' | b'*' | b'-' | b'#' | b' ' | b'{' | b'[') && !self.inline.is_open() {
            self.within = self.next_within();
        }
        self.is_blank &= is_blank;
    }

    fn note_all(&mut self, text: &str) {
        text.bytes().for_each(|byte| self.note(byte));
    }

    /// What the text stands in behind its last byte.
    fn next_within(&self) -> Within {
        for (from, mark, to) in &MARKS {
            if *from != self.within {
                continue;
            }
            let mut before = self.last;
            let ends = mark.bytes().rev().all(|byte| {
                let is_same = before & 0xff == u64::from(byte);
                before >>= 8;
                is_same
            });
            if !ends {
                continue;
            }
            let before = u8::try_from(before & 0xff).unwrap_or_default();
            // In a word or a URL it begins no comment.
            let is_alone = match *mark {
                "-- " => matches!(before, 0 | b'\n' | b' '),
                _ => !before.is_ascii_alphanumeric() && !matches!(before, b':' | b'/' | b'.' | b'*'),
            };
            return match to {
                Within::Html if !self.begins_tag => Within::InlineHtml,
                Within::Pre if !self.begins_tag => Within::Code,
                Within::LineComment | Within::BlockComment if !is_alone => Within::Text,
                to => *to,
            };
        }
        self.within
    }

    fn end_line(&mut self, settings: &Settings, out: &mut Out<'_>) -> Option<Opener> {
        let was_blank = std::mem::replace(&mut self.is_blank, true);
        self.after_blank = was_blank;
        let line = std::mem::replace(&mut self.line, LineState::Start(LineStart::default()));
        let inline = std::mem::take(&mut self.inline);
        self.last = self.last << 8 | u64::from(b'\n');
        if let LineState::Tagged | LineState::Tag(_) | LineState::Mark = line {
            put(&mut self.held, "\n");
            let is_mark = matches!(line, LineState::Mark);
            if !is_mark || !matches!(match_format(&self.held, settings, true), TagMatch::No) {
                (self.line, self.is_blank) = (line, was_blank);
                return match line {
                    LineState::Tag(begin) => self.tag(begin, settings),
                    LineState::Mark => self.mark(settings, out),
                    _ => None,
                };
            }
            self.held.pop();
            self.pass(out);
        }
        self.within = match self.within {
            Within::LineComment => Within::Text,
            Within::BlockComment | Within::InlineHtml | Within::Code if was_blank => Within::Text,
            within => within,
        };
        if let LineState::Fence(line, start) = line {
            if let Some((fence, _)) = self.code {
                if line.closes(Some(fence)) {
                    out.text("\n");
                    self.end_watch(settings);
                    self.resume(true);
                    return None;
                }
            } else {
                let opener = self.end_fence(line, start);
                if opener.is_some() {
                    put(&mut self.held, "\n");
                    return opener;
                }
                self.pass(out);
            }
        }
        out.text("\n");
        if self.code.is_none() && self.within == Within::Text {
            self.inner_fence = inline.fence().or(self.inner_fence);
        }
        None
    }

    /// A line ends that may be a fence outside of code.
    fn end_fence(&mut self, mut line: FenceLine, start: LineStart) -> Option<Opener> {
        line.end_bracket();
        let (fence, info) = line.end()?;
        if self.inner_fence.take().is_some_and(|inner| line.closes(Some(inner))) {
            return None;
        }
        if start.is_quoted {
            return Some(Opener::Quote);
        }
        // A fence ends JSON that was not over.
        self.watch = None;
        if info == Info::Other {
            self.code = Some((fence, start.blanks));
            return None;
        }
        let json = line.inline().map_or(usize::MAX, |(_, _, json)| json);
        Some(Opener::Fence { fence, info, indent: start.blanks, json })
    }

    /// Passes on what was kept back.
    fn pass(&mut self, out: &mut Out<'_>) {
        out.text(&std::mem::take(&mut self.held));
    }

    /// The text ends here: what was kept back is text; JSON that is watched is over.
    pub(super) fn end(&mut self, settings: &Settings, out: &mut Out<'_>) {
        self.pass(out);
        self.end_watch(settings);
    }
}

/// Wrapper tags in a row, with the blanks behind them, are no longer than this.
const MAX_TAGS: usize = 256;

/// What a byte makes of the beginning of a line.
enum Start {
    /// The line goes on to begin.
    Pass(LineStart),
    /// The byte is the first of text, or may be the first of a fence or of a tag.
    Line(LineState),
    /// The byte may be the first of a call.
    Bracket,
    /// The byte may be the first of JSON that is no call.
    Watch(Region, NoCall),
}

/// Code inside of a line: from a run of backticks to the next one that is as long, or to the end of the line. A call in it
/// is shown, not made.
#[derive(Clone, Copy, Debug, Default)]
struct InlineCode {
    /// How many backticks opened it, or 0.
    open: usize,
    /// How many there are right before what comes next.
    run: usize,
    /// Whether a blank stands in it, and something behind that.
    has_blank: bool,
    has_words: bool,
}

impl InlineCode {
    const fn push(&mut self, byte: u8) {
        if byte == b'`' {
            self.run += 1;
        } else if self.run > 0 {
            if self.open == 0 {
                self.open = self.run;
                (self.has_blank, self.has_words) = (false, false);
            } else if self.open == self.run {
                self.open = 0;
            }
            self.run = 0;
        }
        let is_blank = matches!(byte, b' ' | b'\t' | b'\r');
        self.has_words |= self.has_blank && !is_blank;
        self.has_blank |= is_blank;
    }

    /// The fence that opens in the line and is not closed there: at most one word follows it.
    const fn fence(self) -> Option<Fence> {
        let length = self.opened();
        if length < 3 || self.open > 0 && self.has_words { None } else { Some(Fence::backticks(length)) }
    }

    const fn is_open(self) -> bool {
        self.opened() > 0
    }

    /// How many backticks have opened it, if nothing more comes.
    const fn opened(self) -> usize {
        match (self.open, self.run) {
            (0, run) => run,
            (open, run) if open == run => 0,
            (open, _) => open,
        }
    }
}

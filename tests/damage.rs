//! Sound messages with one character damaged, at every place: what is executed is what was meant, or nothing.
//!
//! Messages of one to three blocks are drawn from a fixed seed (`DAMAGE_SEED`). Each place of each block is deleted,
//! doubled, replaced, has something inserted, or is where the message ends. Wherever that leaves no JSON, a call must be
//! the one of the undamaged message; inside of the string that was damaged the damaged character may differ. By default a
//! sample of the places of `DAMAGE_MESSAGES` messages is tried; `DAMAGE_EVERY=1` tries all of them, `DAMAGE_PAIRS` so many
//! pairs of damages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::ops::Range;

use genui_patch::block::repair_tool_block;
use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream, ToolCall, Tools};
use genui_patch::value::parse;
use serde_json::{Value, json};

/// xorshift64*: small, fast, the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33).unwrap() % bound.max(1)
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// What files hold.
const TEXTS: [(&str, &str); 24] = [
    ("src/a.js", "import x from \"y\";\nconst a = { b: 'c', d: [1, 2] };\nexport default `${a.b}\\n`;\n"),
    ("src/app.tsx", "return <a href=\"/x\" onClick={() => go(\"y\", { z: 1 })}>It's</a>;\n"),
    (
        "main.py",
        "def f(name):\n    \"\"\"Doc.\"\"\"\n    return {\"a\": f\"Hi {name}\", 'b': None}\n\nprint(f(\"you\"), end=\"\")\n",
    ),
    ("data.json", "{\"path\": \"x\", \"content\": \"y\", \"list\": [\"a\", \"b\"]}"),
    ("package.json", "{\n  \"name\": \"demo\",\n  \"version\": \"1.0.0\",\n  \"private\": true\n}\n"),
    ("README.md", "# Demo\n\n```sh\nnpm run \"dev\"\n```\n\nThat is \"all\", it's done.\n"),
    ("docs/tool.md", "Send:\n\n```json\n{\"tool\": \"delete_file\", \"path\": \"b\"}\n```\n"),
    ("index.html", "<div class=\"a\" id='b'>\n  <p title=\"It's\">1 &lt; 2</p>\n</div>\n"),
    ("run.sh", "#!/bin/sh\necho \"$HOME: ${x:-'y'}\" | sed 's/\\\\/\\//' # done\n"),
    ("style.css", ".a::before { content: \"\\201C\"; color: #fff; }\n.b { background: url('x.png'); }\n"),
    ("table.csv", "name,note\n\"Smith, J.\",\"says \"\"hi\"\"\"\nx,\n"),
    ("notes.txt", "He said \"no\", and it's a 24\" screen: why?"),
    ("letter.txt", "Dear all,\n\nplease read this.\n\nYours, A."),
    ("empty.txt", ""),
    ("one.txt", "x"),
    ("word.txt", "hello"),
    ("key.txt", "\"path\": \"x\""),
    ("keys.txt", "{\"content\":\"...\"}"),
    ("end.txt", "\"}"),
    ("comma.txt", "a\",\"b"),
    ("ünïcode.txt", "Grüße, 漢字 — “quoted” 😀\u{a0}end\u{1}\t"),
    ("regex.js", "const re = /^\\d+\\.\"\\w\"$/;\nif (a[\"b\"] && c) { return; }\n"),
    ("url.txt", "https://example.com/a?b=c#d // not a comment"),
    ("conf.yaml", "a: 'b'\nlist: [x, \"y\"]\nmap: {k: v}\n# comment\n"),
];

/// What a replacement, or an insertion, puts there.
const MARKS: [char; 12] = ['"', '\'', ',', ':', '{', '}', '[', ']', '\\', '`', '\n', 'x'];

fn settings() -> Settings {
    let text = json!([
        {"name": "search_notes", "aliases": [], "schema": {"type": "object", "required": ["query"], "properties": {
            "query": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
            "limit": {"type": "number"}, "where": {"type": "object"}}}},
        {"name": "run_command", "aliases": ["exec"], "schema": {"type": "object", "required": ["command"], "properties": {
            "command": {"type": "string"}, "cwd": {"type": "string"}, "note": {"type": "string"}}}},
    ]);
    let tools = Tools::from_value(&parse(&text.to_string(), 64).unwrap()).unwrap();
    Settings { tools, ..Settings::default() }
}

/// JSON that is being written, with the places of its strings.
#[derive(Default)]
struct Written {
    text: String,
    /// Where each string stands, with its quotes.
    strings: Vec<Range<usize>>,
}

#[derive(Clone, Copy)]
enum Style {
    Compact,
    Spaced,
    Pretty,
}

impl Written {
    fn string(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(&Value::from(text).to_string());
        self.strings.push(start..self.text.len());
    }

    fn value(&mut self, value: &Value, style: Style, depth: usize) {
        let line = |out: &mut String, depth: usize| {
            if matches!(style, Style::Pretty) {
                out.push('\n');
                out.push_str(&"  ".repeat(depth));
            }
        };
        let comma = if matches!(style, Style::Spaced) { ", " } else { "," };
        match value {
            Value::String(text) => self.string(text),
            Value::Array(items) if !items.is_empty() => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.text.push_str(if index > 0 { comma } else { "" });
                    line(&mut self.text, depth + 1);
                    self.value(item, style, depth + 1);
                }
                line(&mut self.text, depth);
                self.text.push(']');
            }
            Value::Object(entries) if !entries.is_empty() => {
                let entries: Vec<(&String, &Value)> = entries.iter().collect();
                self.object(&entries, style, depth);
            }
            other => self.text.push_str(&other.to_string()),
        }
    }

    fn object(&mut self, entries: &[(&String, &Value)], style: Style, depth: usize) {
        let colon = if matches!(style, Style::Compact) { ":" } else { ": " };
        let comma = if matches!(style, Style::Spaced) { ", " } else { "," };
        self.text.push('{');
        for (index, (key, item)) in entries.iter().enumerate() {
            self.text.push_str(if index > 0 { comma } else { "" });
            if matches!(style, Style::Pretty) {
                self.text.push('\n');
                self.text.push_str(&"  ".repeat(depth + 1));
            }
            self.string(key);
            self.text.push_str(colon);
            self.value(item, style, depth + 1);
        }
        if matches!(style, Style::Pretty) {
            self.text.push('\n');
            self.text.push_str(&"  ".repeat(depth));
        }
        self.text.push('}');
    }
}

/// The entries of a call, in some order, with more of them than it needs.
fn call(random: &mut Random) -> Vec<(String, Value)> {
    let (path, text) = random.of(&TEXTS);
    let other = random.of(&TEXTS).1;
    let mut entries: Vec<(&str, Value)> = match random.below(10) {
        0..5 => vec![("tool", json!("write_file")), ("path", json!(path)), ("content", json!(text))],
        5 | 6 => {
            let (old, new) = if text.is_empty() { ("old", "") } else { (text, if other == text { "" } else { other }) };
            let mut inner = json!({"old_string": old, "new_string": new});
            if random.below(4) == 0 {
                inner = json!({"new_string": new, "old_string": old});
            }
            vec![("tool", json!("edit_file")), ("path", json!(path)), ("search_replace", inner)]
        }
        7 => vec![("tool", json!("delete_file")), ("path", json!(path))],
        8 => {
            let tags = [json!([]), json!(["a"]), json!(["a", "b", text]), json!([text, other])];
            vec![
                ("tool", json!("search_notes")),
                ("query", json!(text)),
                ("tags", tags[random.below(4)].clone()),
                ("limit", json!(10)),
                ("where", json!({"by": "date", "after": {"year": 2024}})),
            ]
        }
        _ => vec![
            ("tool", json!("run_command")),
            ("command", json!(text)),
            ("cwd", json!("src")),
            ("note", json!(other)),
        ],
    };
    let extras: [(&str, Value); 7] = [
        ("description", json!("Adds a file")),
        ("overwrite", json!(true)),
        ("mode", json!(420)),
        ("meta", json!({"by": "me", "tags": ["x", "y"], "n": -1.5})),
        ("note", json!(other)),
        ("encoding", json!("utf-8")),
        ("backup", json!(null)),
    ];
    for _ in 0..random.of(&[0, 0, 0, 1, 1, 2]) {
        let (key, value) = extras[random.below(extras.len())].clone();
        if !entries.iter().any(|(own, _)| *own == key) {
            entries.push((key, value));
        }
    }
    for end in (2..=entries.len()).rev() {
        if random.below(3) == 0 {
            entries.swap(random.below(end), end - 1);
        }
    }
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// A block of a message: its JSON, and the calls that it makes.
struct Sound {
    json: Range<usize>,
    strings: Vec<Range<usize>>,
    calls: Range<usize>,
}

struct Message {
    text: String,
    blocks: Vec<Sound>,
    /// The calls that the message makes, as they come undamaged.
    calls: Vec<Value>,
}

fn message(random: &mut Random, settings: &Settings) -> Message {
    let mut text = String::new();
    let mut blocks = Vec::new();
    let mut count = 0;
    for _ in 0..random.of(&[1, 1, 1, 2, 2, 3]) {
        text.push_str(random.of(&["", "Now:\n\n", "It's \"this\", {so}:\n", "1. Write `x`.\n"]));
        text.push_str("```json\n");
        let mut written = Written::default();
        let style = random.of(&[Style::Compact, Style::Spaced, Style::Pretty]);
        let calls = random.of(&[1, 1, 1, 1, 2]);
        let is_list = calls > 1 && random.below(2) == 0 || random.below(10) == 0;
        written.text.push_str(if is_list { "[" } else { "" });
        for index in 0..calls {
            if index > 0 {
                written.text.push_str(if is_list { ", " } else { "\n" });
            }
            let entries = call(random);
            let entries: Vec<(&String, &Value)> = entries.iter().map(|(key, value)| (key, value)).collect();
            written.object(&entries, style, 0);
        }
        written.text.push_str(if is_list { "]" } else { "" });
        let start = text.len();
        let moved = |range: Range<usize>| range.start + start..range.end + start;
        text.push_str(&written.text);
        blocks.push(Sound {
            json: start..text.len(),
            strings: written.strings.into_iter().map(moved).collect(),
            calls: count..count + calls,
        });
        count += calls;
        text.push_str("\n```\n");
    }
    text.push_str(random.of(&["", "", "Done.\n", "That's \"it\" {ok}.\n"]));
    let calls: Vec<Value> = streamed(&text, 0, TextEnd::MaybeCut, settings).iter().map(args).collect();
    assert_eq!(calls.len(), count, "{text}");
    Message { text, blocks, calls }
}

/// What each tool has a use for. Of other arguments a repair may make what it can.
const FIELDS: [(&str, &[&str]); 5] = [
    ("write_file", &["tool", "path", "content"]),
    ("edit_file", &["tool", "path", "search_replace"]),
    ("delete_file", &["tool", "path"]),
    ("search_notes", &["tool", "query", "tags", "limit", "where"]),
    ("run_command", &["tool", "command", "cwd", "note"]),
];

fn args(call: &ToolCall) -> Value {
    let args: Value = serde_json::from_str(&genui_patch::value::Value::from(call.args.clone()).to_json()).unwrap();
    let fields = FIELDS.iter().find(|(tool, _)| *tool == call.tool.name()).unwrap().1;
    let mut own: Value = fields.iter().filter_map(|key| Some(((*key).to_owned(), args.get(key)?.clone()))).collect();
    if let Some((old, new)) = call.search_replace() {
        own["search_replace"] = json!({"old_string": old, "new_string": new});
    }
    own
}

fn streamed(message: &str, cut: usize, text_end: TextEnd, settings: &Settings) -> Vec<ToolCall> {
    let mut stream = ToolBlockStream::new(settings.clone());
    let mut events = Vec::new();
    if cut == 0 {
        stream.push(message, &mut events);
    } else {
        let chars: Vec<char> = message.chars().collect();
        chars.chunks(cut).for_each(|piece| stream.push(&piece.iter().collect::<String>(), &mut events));
    }
    stream.end(text_end, &mut events);
    let calls = |event| if let Event::Block(block) = event { block.calls } else { Vec::new() };
    events.into_iter().flat_map(calls).collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Damage {
    Delete,
    Double,
    Replace(char),
    Insert(char),
    Cut,
}

impl Damage {
    /// What stands in the place of a character; and how much of the text that is.
    fn at(self, char: char) -> (String, usize) {
        let length = char.len_utf8();
        match self {
            Self::Delete | Self::Cut => (String::new(), length),
            Self::Double => ([char, char].iter().collect(), length),
            Self::Replace(mark) => (mark.into(), length),
            Self::Insert(mark) => (mark.into(), 0),
        }
    }

    /// Whether the block is no JSON any more with this damage alone.
    fn is_fault(self, message: &Message, block: usize, place: usize) -> bool {
        let json = &message.blocks[block].json;
        let (with, length) = self.at(message.text[place..].chars().next().unwrap());
        self == Self::Cut
            || !is_json(&[&message.text[json.start..place], &with, &message.text[place + length..json.end]].concat())
    }
}

fn damages() -> Vec<Damage> {
    let marks = MARKS.iter().flat_map(|mark| [Damage::Replace(*mark), Damage::Insert(*mark)]);
    [Damage::Delete, Damage::Double, Damage::Cut].into_iter().chain(marks).collect()
}

/// The text of a string as far as it surely stands before a damage, and behind it.
fn sound_parts(text: &str, string: &Range<usize>, place: usize, length: usize) -> (String, String) {
    let (mut at, end) = (string.start + 1, string.end - 1);
    let mut before = at;
    let mut is_escape = false;
    let mut after = end;
    while at < end {
        let rest = &text[at..end];
        let step = match rest.as_bytes() {
            [b'\\', b'u', ..] => 6,
            [b'\\', ..] => 2,
            _ => rest.chars().next().unwrap().len_utf8(),
        };
        if at + step <= place {
            before = at + step;
        }
        if at >= place + length && !std::mem::take(&mut is_escape) {
            after = after.min(at);
        }
        // A damaged escape may become one with what is behind it.
        is_escape |= step > 1 && at <= place && place < at + step;
        at += step;
    }
    let decoded = |raw: &str| serde_json::from_str::<String>(&format!("\"{raw}\"")).unwrap_or_default();
    (decoded(&text[string.start + 1..before]), decoded(&text[after..end]))
}

/// A string that was damaged: what it was, and its parts before, between and behind the damages.
struct Damaged {
    was: String,
    before: String,
    between: Option<String>,
    after: String,
}

impl Damaged {
    const fn new(was: String, before: String, after: String) -> Self {
        Self { was, before, between: None, after }
    }

    /// Joins another damage of the same string that is further behind.
    fn join(&mut self, other: Self) {
        let both = other.before.len() + self.after.len();
        let between = self.after.get(..both.saturating_sub(self.was.len())).unwrap_or_default();
        self.between = Some(between.to_owned());
        self.after = other.after;
    }

    /// Whether a string is this one, but for the damaged characters.
    fn may_be(&self, want: &str, given: &str) -> bool {
        let rest = given.strip_prefix(&*self.before).and_then(|rest| rest.strip_suffix(&*self.after));
        let is_short = |text: &str| text.chars().count() <= 9;
        let is_rest = |rest: &str| match &self.between {
            None => is_short(rest),
            Some(between) if between.is_empty() => rest.chars().count() <= 18,
            Some(between) => {
                let splits = rest.match_indices(&**between);
                splits.into_iter().any(|(at, _)| is_short(&rest[..at]) && is_short(&rest[at + between.len()..]))
            }
        };
        want == self.was && rest.is_some_and(is_rest)
    }
}

fn is_same(given: &Value, want: &Value, damaged: &[Damaged]) -> bool {
    let text = |given: &str, want: &str| given == want || damaged.iter().any(|own| own.may_be(want, given));
    match (given, want) {
        (Value::String(given), Value::String(want)) => text(given, want),
        (Value::Number(given), Value::Number(want)) => text(&given.to_string(), &want.to_string()),
        (Value::Array(given), Value::Array(want)) => {
            given.len() == want.len() && given.iter().zip(want).all(|(given, want)| is_same(given, want, damaged))
        }
        (Value::Object(given), Value::Object(want)) => {
            let same = |(key, want): (&String, &Value)| given.get(key).is_some_and(|own| is_same(own, want, damaged));
            given.len() == want.len() && want.iter().all(same)
        }
        _ => given == want,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    exact: usize,
    near: usize,
    refused: usize,
    wrong: usize,
    lost: usize,
}

/// Whether a text is JSON, or several values of JSON.
fn is_json(text: &str) -> bool {
    serde_json::Deserializer::from_str(text).into_iter::<Value>().all(|value| value.is_ok())
}

struct Check<'a> {
    settings: &'a Settings,
    counts: BTreeMap<String, Count>,
    wrong: Vec<String>,
}

impl Check<'_> {
    /// Damages a block at some places, which stand in their order, and looks at what becomes of the message.
    fn run(&mut self, message: &Message, block: usize, at: &[(usize, Damage)], cut: usize) {
        let sound = &message.blocks[block];
        let mut text = String::new();
        let mut from = 0;
        let mut damaged: Vec<Damaged> = Vec::new();
        let mut last = None;
        for (place, damage) in at {
            let char = message.text[*place..].chars().next().unwrap();
            let (with, length) = damage.at(char);
            text.push_str(&message.text[from..*place]);
            text.push_str(&with);
            from = *place + length;
            let is_quote = |range: &Range<usize>| {
                let at_end = *place == range.end - 1 || *place == range.start + 1 && *damage == Damage::Insert('"');
                at_end && with.contains('"')
            };
            let inside =
                |range: &&Range<usize>| range.start < *place && *place + length < range.end && !is_quote(range);
            if let Some(string) = sound.strings.iter().find(inside) {
                let (before, after) = sound_parts(&message.text, string, *place, length);
                let was = serde_json::from_str(&message.text[string.clone()]).unwrap();
                let own = Damaged::new(was, before, after);
                match damaged.last_mut().filter(|_| last == Some(string.start)) {
                    Some(damaged) => damaged.join(own),
                    None => damaged.push(own),
                }
                last = Some(string.start);
            }
            // A last digit that became a comma left a trailing comma, and is all that the number may lack.
            let is_last = message.text[from..].trim_start().starts_with(['}', ']']);
            if char.is_ascii_digit() && with == "," && length == 1 && is_last {
                let number = |char: char| char.is_ascii_digit() || matches!(char, '-' | '.');
                let head = &message.text[..*place];
                let before = &head[head.trim_end_matches(number).len()..];
                damaged.push(Damaged::new(format!("{before}{char}"), before.into(), String::new()));
            }
        }
        let is_cut = at.iter().any(|(_, damage)| *damage == Damage::Cut);
        if !is_cut {
            let json = &message.text[from..sound.json.end];
            let json = [&text[sound.json.start..], json].concat();
            if is_json(&json) || json.contains("\n```") {
                return;
            }
            text.push_str(&message.text[from..]);
        }
        let kind = at.iter().map(|(_, damage)| format!("{damage:?}")).collect::<Vec<_>>().join(" ");
        let kind = if at.len() > 1 { "pair".to_owned() } else { kind };
        let mut readings = vec![streamed(&text, 0, TextEnd::MaybeCut, self.settings)];
        if !is_cut {
            readings.push(streamed(&text, 0, TextEnd::Complete, self.settings));
        }
        if cut > 0 {
            readings.push(streamed(&text, cut, TextEnd::MaybeCut, self.settings));
        }
        let streams = readings.len();
        readings.push(repair_tool_block(&text, TextEnd::MaybeCut, self.settings).report.calls);
        if !is_cut {
            readings.push(repair_tool_block(&text, TextEnd::Complete, self.settings).report.calls);
        }
        for (index, calls) in readings.iter().enumerate() {
            let given: Vec<Value> = calls.iter().map(args).collect();
            // A call of another block may be the same: then the damaged one may have none.
            let read = |leaves_own: bool| {
                let mut wants = message.calls.iter().enumerate();
                let (mut own, mut others, mut exact) = (0, 0, true);
                let is_right = given.iter().all(|given| {
                    wants.any(|(index, want)| {
                        let is_own = sound.calls.contains(&index);
                        let is_exact = given == want;
                        let same =
                            if is_own { !leaves_own && (is_exact || is_same(given, want, &damaged)) } else { is_exact };
                        own += usize::from(same && is_own);
                        others += usize::from(same && !is_own);
                        exact &= !same || is_exact;
                        same
                    })
                });
                (is_right, own, others, exact)
            };
            let without = read(true);
            let (is_right, own, others, exact) = if without.0 { without } else { read(false) };
            let is_whole = own == 0 || own == sound.calls.len() || is_cut;
            let count = self.counts.entry(kind.clone()).or_default();
            if !is_right || !is_whole {
                count.wrong += 1;
                let how = ["stream", "complete", "pieces"].get(index).filter(|_| index < streams).unwrap_or(&"whole");
                self.wrong.push(format!("{at:?} {how}\n{text}\n  => {given:?}"));
            } else if own == 0 {
                count.refused += 1;
            } else if exact {
                count.exact += 1;
            } else {
                count.near += 1;
            }
            count.lost += usize::from(index < streams && !is_cut && others + sound.calls.len() < message.calls.len());
        }
    }

    fn finish(self) {
        for (kind, count) in &self.counts {
            let Count { exact, near, refused, wrong, lost } = count;
            println!("{kind:16} exact {exact:7} near {near:7} refused {refused:7} wrong {wrong:5} lost {lost:5}");
        }
        let most = setting("DAMAGE_SHOW", 20) as usize;
        let step = (self.wrong.len() / most.max(1)).max(1);
        let shown: Vec<&String> = self.wrong.iter().step_by(step).collect();
        shown.iter().for_each(|wrong| println!("\n{wrong}"));
        assert!(self.wrong.is_empty(), "{} wrong", self.wrong.len());
    }
}

/// The places of a block's characters.
fn places(message: &Message, block: usize) -> Vec<usize> {
    let json = message.blocks[block].json.clone();
    message.text[json.clone()].char_indices().map(|(place, _)| place + json.start).collect()
}

#[test]
fn one_character() {
    let settings = settings();
    let mut check = Check { settings: &settings, counts: BTreeMap::new(), wrong: Vec::new() };
    let mut random = Random(setting("DAMAGE_SEED", 0xda3a6e) | 1);
    let every = setting("DAMAGE_EVERY", 0) == 1;
    let damages = damages();
    for _ in 0..setting("DAMAGE_MESSAGES", 100) {
        let message = message(&mut random, &settings);
        for block in 0..message.blocks.len() {
            let places = places(&message, block);
            if every {
                for place in places {
                    let mut run = |damage: &Damage| check.run(&message, block, &[(place, *damage)], 0);
                    damages.iter().for_each(&mut run);
                }
            } else {
                for _ in 0..30 {
                    let place = random.of(&places);
                    let damage = random.of(&damages);
                    let cut = random.of(&[0, 1, 3, 7]);
                    check.run(&message, block, &[(place, damage)], cut);
                }
                // Quotes are where it matters most.
                for string in &message.blocks[block].strings {
                    for place in [string.start, string.start + 1, string.end - 1] {
                        check.run(&message, block, &[(place, random.of(&damages))], 0);
                    }
                    for damage in [Damage::Delete, Damage::Double] {
                        check.run(&message, block, &[(string.start, damage)], 0);
                        check.run(&message, block, &[(string.end - 1, damage)], 0);
                    }
                }
            }
        }
    }
    check.finish();
}

#[test]
fn two_characters() {
    let settings = settings();
    let mut check = Check { settings: &settings, counts: BTreeMap::new(), wrong: Vec::new() };
    let mut random = Random(setting("DAMAGE_SEED", 0xda3a6e) | 1);
    let damages = damages();
    for _ in 0..setting("DAMAGE_PAIRS", 0) / 20 {
        let message = message(&mut random, &settings);
        for _ in 0..20 {
            let block = random.below(message.blocks.len());
            let places = places(&message, block);
            let (one, other) = (random.below(places.len()), random.below(places.len()));
            if one == other {
                continue;
            }
            let pair = [one.min(other), one.max(other)].map(|place| (places[place], random.of(&damages)));
            // What alone leaves JSON makes another sound message.
            if pair.iter().all(|(place, damage)| damage.is_fault(&message, block, *place)) {
                check.run(&message, block, &pair, 0);
            }
        }
    }
    check.finish();
}

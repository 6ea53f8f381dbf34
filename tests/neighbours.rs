//! Messages of several blocks of which one is damaged: only intended calls are executed, and all calls before the damage are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use genui_patch::block::repair_tool_block;
use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream, ToolCall, validate_tool_block};
use serde_json::{Value, json};

/// A pseudo-random generator that yields the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const TEXTS: [&str; 10] = [
    "let a = 1;\n}\n",
    "export const b = \"two\";\n\nfunction c() {\n  return { d: [1, 2] };\n}\n",
    "def f(x):\n    return f\"{x}\"\n",
    "{\n  \"name\": \"demo\",\n  \"files\": [\"a\", \"b\"]\n}\n",
    "# Demo\n\nRun it:\n\n```sh\nnpm start\n```\n\nThat is all.\n",
    ".a {\n  color: red;\n}",
    "<a href=\"/home\">It's home</a>\n",
    "x",
    "",
    "const call = { tool: \"x\", path: 'C:\\\\new' };\n",
];

/// A README that shows a call.
const README: &str =
    "# Calls\n\n```json\n{\"tool\": \"delete_file\", \"path\": \"shown.txt\"}\n```\n\nThat deletes a file.\n";

const PROSE: [&str; 8] = [
    "\n",
    "\nNow the next one:\n\n",
    "\nThen I change \"the other file\" too.\n",
    "\nIt's a 24\" screen, isn't it?\n\n",
    "\n\n- one\n- two {a}\n\n",
    "\nRun `npm start`, then:\n",
    "\nThe answer is [1] (see {x}).\n\n",
    "\n```sh\nnpm run \"all\"\n```\n",
];

/// A block: its intended call, and its text.
struct Block {
    tool: &'static str,
    path: String,
    texts: Vec<String>,
    opener: String,
    json: String,
    closer: String,
}

impl Block {
    fn text(&self) -> String {
        [&*self.opener, &self.json, &self.closer].concat()
    }
}

fn block(random: &mut Random, number: usize, is_raw: bool) -> Block {
    let path =
        format!("{}{number}.{}", random.pick(&["src/a", "b", "docs/read me "]), random.pick(&["js", "md", "txt"]));
    let text = |random: &mut Random| match random.below(12) {
        0 => README.to_owned(),
        _ => random.pick(&TEXTS).to_owned(),
    };
    let (tool, texts, json) = match random.below(4) {
        0 => ("delete_file", vec![], json!({ "tool": "delete_file", "path": path })),
        1 => {
            let old = format!("{}?", text(random));
            let new = format!("{}!", text(random));
            let edit = json!({ "old_string": old, "new_string": new });
            ("edit_file", vec![old, new], json!({ "tool": "edit_file", "path": path, "search_replace": edit }))
        }
        _ => {
            let content = text(random);
            let json = json!({ "tool": "write_file", "path": path, "content": content });
            ("write_file", vec![content], json)
        }
    };
    // `serde_json` sorts keys; models begin with the tool.
    let colon = random.pick(&[": ", ":"]);
    let entry = |object: &Value, key: &str| format!("\"{key}\"{colon}{}", object[key]);
    let mut entries = vec![entry(&json, "tool"), entry(&json, "path")];
    match json.get("search_replace") {
        Some(edit) => {
            let edit = [entry(edit, "old_string"), entry(edit, "new_string")].join(", ");
            entries.push(format!("\"search_replace\"{colon}{{{edit}}}"));
        }
        None if tool == "write_file" => entries.push(entry(&json, "content")),
        None => {}
    }
    let json = match random.below(3) {
        0 => format!("{{\n  {}\n}}", entries.join(",\n  ")),
        1 => format!("{{{}}}", entries.join(", ")),
        _ => format!("{{{}}}", entries.join(",")),
    };
    // Line breaks as some models write them; those of code in strings stay.
    let json =
        if is_raw { json.replace("\\\\n", "\u{1}").replace("\\n", "\n").replace('\u{1}', "\\\\n") } else { json };
    let (mark, language) = match random.below(10) {
        0 => ("~~~", "jsonc"),
        1 => ("```", ""),
        2 => ("````", "JSON"),
        _ => ("```", "json"),
    };
    Block { tool, path, texts, opener: format!("{mark}{language}\n"), closer: format!("\n{mark}"), json }
}

/// Whether two texts differ by at most one character and its escape.
fn is_nearly(text: &str, wanted: &str) -> bool {
    let (text, wanted): (Vec<char>, Vec<char>) = (text.chars().collect(), wanted.chars().collect());
    let before = text.iter().zip(&wanted).take_while(|(own, other)| own == other).count();
    let after = text.iter().rev().zip(wanted.iter().rev()).take_while(|(own, other)| own == other).count();
    let least = text.len().min(wanted.len());
    text.len().abs_diff(wanted.len()) <= 2 && before + after + 2 >= least
}

fn is_meant(call: &ToolCall, block: &Block, is_damaged: bool) -> bool {
    let edit = call.search_replace().map_or(vec![], |(old, new)| vec![old, new]);
    let texts: Vec<&str> = call.content().into_iter().chain(edit).collect();
    let same = |own: &str, wanted: &str| own == wanted || (is_damaged && is_nearly(own, wanted));
    call.tool.name() == block.tool
        && same(&call.path, &block.path)
        && texts.len() == block.texts.len()
        && texts.iter().zip(&block.texts).all(|(own, wanted)| same(own, wanted))
}

fn streamed(pieces: &[&str], text_end: TextEnd) -> Vec<ToolCall> {
    let mut stream = ToolBlockStream::new(Settings::default());
    let mut events = Vec::new();
    pieces.iter().for_each(|piece| stream.push(piece, &mut events));
    stream.end(text_end, &mut events);
    events
        .into_iter()
        .flat_map(|event| match event {
            Event::Block(block) => block.calls,
            _ => Vec::new(),
        })
        .collect()
}

/// The state of the fences of a damaged block.
#[derive(PartialEq, Eq)]
enum Fences {
    Whole,
    /// The closing fence is missing or damaged.
    Open,
    /// The opening fence is damaged.
    Gone,
}

/// Damages the text of a block, mostly near its end.
fn damaged(random: &mut Random, block: &Block) -> (String, Fences) {
    let chars: Vec<char> = block.text().chars().collect();
    let opener = block.opener.len();
    let fence = chars.len() - block.closer.len();
    let place = match random.below(4) {
        0 => random.below(chars.len()),
        _ => chars.len() - 1 - random.below(chars.len().min(16)),
    };
    let join = |parts: [&[char]; 3]| parts.concat().into_iter().collect::<String>();
    let (before, after) = (&chars[..place], &chars[place + 1..]);
    let fences = match place {
        _ if place < opener => Fences::Gone,
        _ if place >= fence => Fences::Open,
        _ => Fences::Whole,
    };
    let (text, fences) = match random.below(8) {
        // The last quote, with or without the bracket after it.
        0 => {
            let quote = chars.iter().rposition(|char| *char == '"').unwrap();
            (join([&chars[..quote], &[], &chars[quote + 1..]]), Fences::Whole)
        }
        1 => (join([&chars[..fence - 1], &[], &chars[fence..]]), Fences::Whole),
        2 => (join([&chars[..fence], &[], &[]]), Fences::Open),
        3 => (join([before, &[], &[]]), if fences == Fences::Gone { fences } else { Fences::Open }),
        // Quotes beside keys are for the tests of one block.
        4..=7 if chars[place] == '"' => {
            let quote = chars.iter().rposition(|char| *char == '"').unwrap();
            (join([&chars[..quote], &[], &chars[quote + 1..]]), Fences::Whole)
        }
        4 => (join([before, &[chars[place], chars[place]], after]), fences),
        5 => {
            let with = random.pick(&["\"", "'", ",", ":", "{", "}", "[", "]", "\\", "`", "\n"]).chars().next().unwrap();
            (join([before, &[with], after]), fences)
        }
        _ => (join([before, &[], after]), fences),
    };
    (text, fences)
}

fn check(seed: u64, cases: usize) {
    let mut random = Random(seed);
    let mut wrong = Vec::new();
    for _ in 0..cases {
        let is_raw = random.below(2) == 0;
        let count = 2 + random.below(2);
        let blocks: Vec<Block> = (0..count).map(|number| block(&mut random, number, is_raw)).collect();
        let hurt = random.below(count);
        let (text, fences) = damaged(&mut random, &blocks[hurt]);
        // A damaged text that is still JSON counts as it is written.
        let json = text.strip_prefix(&blocks[hurt].opener).and_then(|text| text.strip_suffix(&blocks[hurt].closer));
        if serde_json::from_str::<Value>(json.unwrap_or("{")).is_ok() {
            continue;
        }
        let mut message = random.pick(&["", "Here:\n", "I'll do it.\n\n"]).to_owned();
        let line_end = if is_raw { "\n" } else { random.pick(&["\n", "\n", "\r\n"]) };
        let mut starts = Vec::new();
        for (place, block) in blocks.iter().enumerate() {
            starts.push(message.len());
            let text = if place == hurt { text.clone() } else { block.text() };
            message.push_str(&[&text, random.pick(&PROSE)].concat().replace('\n', line_end));
        }
        let mut pieces = Vec::new();
        let mut rest = &*message;
        while let Some((end, _)) = rest.char_indices().nth(1 + random.below(30)) {
            let (piece, more) = rest.split_at(end);
            pieces.push(piece);
            rest = more;
        }
        pieces.push(rest);
        let text_end = if random.below(2) == 0 { TextEnd::MaybeCut } else { TextEnd::Complete };
        let calls = streamed(&[&message], text_end);
        let mut problem = None;
        if streamed(&pieces, text_end) != calls {
            problem = Some("other calls in pieces");
        }
        let mut from = 0;
        for call in &calls {
            let of = |place: usize| is_meant(call, &blocks[place], place == hurt);
            match (from..count).find(|place| of(*place)) {
                Some(place) => from = place + 1,
                None => problem = Some("an unintended call"),
            }
        }
        let is_given = |place: usize| calls.iter().any(|call| is_meant(call, &blocks[place], false));
        if !(0..hurt).all(is_given) {
            problem = problem.or(Some("a call is lost"));
        }
        let first = |text: &str| {
            let report = validate_tool_block(text, &Settings::default());
            let repaired = repair_tool_block(text, text_end, &Settings::default()).report;
            report.calls.into_iter().chain(repaired.calls)
        };
        let (start, end) = (starts[hurt], starts.get(hurt + 1).copied().unwrap_or(message.len()));
        for text in [&message[start..], &message[start..end]] {
            if fences != Fences::Gone
                && first(text).any(|call| !(hurt..count).any(|place| is_meant(&call, &blocks[place], place == hurt)))
            {
                problem = Some("an unintended call, in the block alone");
            }
        }
        if let Some(problem) = problem {
            let args: Vec<String> = calls.iter().map(|call| format!("{:?}", call.args)).collect();
            wrong.push(format!("{problem} ({text_end:?}): {:?}\n  in {message:?}\n  gives {args:?}", text));
        }
    }
    let shown = wrong.get(..10.min(wrong.len())).unwrap().join("\n");
    assert!(wrong.is_empty(), "{shown}\n{} of {cases}", wrong.len());
}

#[test]
fn a_damaged_block_keeps_to_itself() {
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let cases = std::env::var("CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(3000);
    check(seed, cases);
}

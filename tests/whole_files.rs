//! Repairs whole files damaged in the eleven ways of models, and counts the right, wrong and refused ones.
//!
//! The files are those of this repository and of `fixtures/files`. `WHOLE_FILES` names other folders, separated by `:`; then
//! nothing is asserted. `WHOLE_FILES_MOST` limits the files drawn from each folder. `WHOLE_FILES_SHOW` is a part of the name of
//! a damage whose failures are printed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "support/damages.rs"]
mod damages;

use std::env::var;
use std::fs;
use std::path::{Path, PathBuf};

use damages::{DAMAGES, message};
use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream};

const OWN_FOLDERS: [&str; 7] = ["src", "tests", "scripts", "docs", "www", "benches", ".github"];
const ENDINGS: &str = " rs ts tsx mts cts js mjs cjs jsx md mdx json jsonc css scss less toml html xml svg sh bash zsh fish yml yaml py pyi \
    go java c h cc cpp hpp cs rb php pl lua r sql tex ini cfg conf mk kt kts swift hs ex exs scala clj graphql csv tsv vue svelte \
    dart jl ml nim zig erl vim el ps1 bat proto tf gradle properties txt rst m f90 adoc cmake Dockerfile Makefile ";
const SHORTEST: usize = 20;
const LONGEST: usize = 24 << 10;

/// Folders without files that a model would write; `messages` holds broken blocks.
const SKIPPED: [&str; 6] = ["node_modules", "target", "dist", "__pycache__", "generated", "messages"];

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap_or("").to_owned();
        if path.is_symlink() || SKIPPED.contains(&&*name) && path.is_dir() {
            continue;
        }
        let ending = name.rsplit('.').next().unwrap_or_default();
        if path.is_dir() {
            collect(&path, files);
        } else if ENDINGS.contains(&format!(" {ending} ")) {
            files.push(path);
        }
    }
}

/// The files of `folders` with their paths.
fn texts(folders: &[PathBuf], most: usize) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for folder in folders {
        let mut files = Vec::new();
        collect(folder, &mut files);
        let mut own = Vec::new();
        for path in files {
            let is_fit = |text: &String| (SHORTEST..LONGEST).contains(&text.len()) && !text.contains('\r');
            if let Some(text) = fs::read_to_string(&path).ok().filter(is_fit) {
                own.push((path, text));
            }
        }
        let step = own.len().div_ceil(most.max(1)).max(1);
        for (path, text) in own.into_iter().step_by(step) {
            texts.push((path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(), text));
        }
    }
    texts
}

#[derive(PartialEq, Eq)]
enum Outcome {
    Right,
    Wrong(String),
    Refused,
}

fn outcome(text: &str, message: &str) -> Outcome {
    let mut stream = ToolBlockStream::new(Settings::default());
    let mut events = Vec::new();
    stream.push(message, &mut events);
    stream.end(TextEnd::MaybeCut, &mut events);
    let calls = |event| if let Event::Block(block) = event { block.calls } else { Vec::new() };
    let calls: Vec<_> = events.into_iter().flat_map(calls).collect();
    match calls.as_slice() {
        [] => Outcome::Refused,
        [call] if call.content() == Some(text) && call.path == "src/file.txt" => Outcome::Right,
        [call, ..] => Outcome::Wrong(call.content().unwrap_or_default().to_owned()),
    }
}

/// The first difference of two texts, with the text around it.
fn difference(text: &str, other: &str) -> String {
    let same = text.chars().zip(other.chars()).take_while(|(own, other)| own == other).count();
    let shown = |text: &str| text.chars().skip(same.saturating_sub(40)).take(80).collect::<String>();
    format!("{:?} became {:?}", shown(text), shown(other))
}

#[test]
fn whole_files() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let named = var("WHOLE_FILES").unwrap_or_default();
    let folders: Vec<PathBuf> = match &*named {
        "" => OWN_FOLDERS.iter().map(|folder| root.join(folder)).collect(),
        named => named.split(':').map(PathBuf::from).collect(),
    };
    let most = var("WHOLE_FILES_MOST").ok().and_then(|most| most.parse().ok()).unwrap_or(usize::MAX);
    let texts = texts(&folders, most);
    let show = var("WHOLE_FILES_SHOW").unwrap_or_default();
    println!("{} files", texts.len());
    println!("{:34}{:>7}{:>9}{:>9}{:>9}", "damage", "files", "right", "wrong", "refused");
    let mut failures = Vec::new();
    for damage in &DAMAGES {
        let (mut right, mut wrong, mut all) = (0, 0, 0_usize);
        for (number, (path, text)) in texts.iter().enumerate() {
            let Some(written) = (damage.write)(text) else { continue };
            let (message, json) = message("src/file.txt", &written, number);
            // Valid JSON is never changed.
            if serde_json::from_str::<serde_json::Value>(&json).is_ok() {
                continue;
            }
            all += 1;
            let outcome = outcome(text, &message);
            let is_shown = !show.is_empty() && damage.name.contains(&*show);
            match outcome {
                Outcome::Right => right += 1,
                Outcome::Wrong(other) => {
                    wrong += 1;
                    if is_shown {
                        println!("  wrong {path} ({}): {}", number % 4, difference(text, &other));
                    }
                }
                Outcome::Refused if is_shown => println!("  refused {path} ({})", number % 4),
                Outcome::Refused => {}
            }
        }
        let share = |count: usize| format!("{:.1} %", 100.0 * count as f64 / all.max(1) as f64);
        let refused = all - right - wrong;
        println!("{:34}{all:>7}{:>9}{:>9}{:>9}", damage.name, share(right), share(wrong), share(refused));
        if right * 1000 < damage.least_right * all || wrong * 1000 > damage.most_wrong * all {
            failures.push(damage.name);
        }
    }
    assert!(!named.is_empty() || failures.is_empty(), "below the target: {failures:?}");
}

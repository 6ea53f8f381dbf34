//! `PatchStore`: texts in and out, typed sets as numbers. And the path grammar, without a store.

mod set;

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::patch::{PathExpr, Refusal, Rules};
use crate::store::{Options, Reply, Store};
use crate::value::text::{boxed, owned};
use crate::value::{concat, parse, path_to_json, put, put_char, write_list, write_string};

/// Sentinel: no slot and no path has this number.
const NONE: u32 = u32::MAX;
/// The rules of a loaded document, as `src/js/store.ts` numbers them; any other number keeps those of the instance.
const UI: u32 = 1;
const OPEN: u32 = 2;

/// A store, and the paths that JavaScript has asked for.
#[wasm_bindgen]
pub struct RawStore {
    store: Store,
    paths: Vec<PathExpr>,
    staged: Box<str>,
}

#[wasm_bindgen]
impl RawStore {
    /// A store with the options in the input.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<Self, String> {
        Ok(Self::over(Store::new(with_text(bytes, read_options)?)))
    }

    /// A store from the saved text in the input, with the options that are given as JSON.
    pub fn restore(options: &str, bytes: usize) -> Result<Self, String> {
        let options = read_options(options)?;
        let store = with_text(bytes, |text| Store::restore(text, options));
        store.map(Self::over).map_err(|refusal| refusal.sentence())
    }

    /// Keeps the text in the input as the name for the next call.
    pub fn stage(&mut self, bytes: usize) {
        self.staged = with_text(bytes, boxed);
    }

    /// Loads the document in the input under the staged name. The document itself is not in the answer
    /// unless something is pending. With `settles` a line comes before it: the pending calls that it holds, as a list.
    pub fn load(&mut self, bytes: usize, rules: u32, settles: bool) -> usize {
        let rules = match rules {
            UI => Some(Rules::Ui),
            OPEN => Some(Rules::Open),
            _ => None,
        };
        let reply = with_text(bytes, |text| {
            let (line, document) = if settles { text.split_once('\n').unwrap_or_default() } else { ("", text) };
            let ids = parse(line, 1).unwrap_or_default();
            self.store.load_quietly(&self.staged, document, rules, &ids.strings())
        });
        respond(|out| reply.write_brief(out))
    }

    /// The document under the staged name.
    pub fn document(&self) -> usize {
        let document = self.store.document(&self.staged);
        respond_or_null(document, |document, out| document.write_json(out))
    }

    /// The slot of the staged name.
    pub fn slot(&self) -> u32 {
        self.store.slot(&self.staged).and_then(|slot| u32::try_from(slot).ok()).unwrap_or(NONE)
    }

    /// Whether the instance of the staged name is under open rules, as it is shown or as it is confirmed.
    pub fn is_open(&self, confirmed: bool) -> bool {
        let rules = if confirmed { Store::confirmed_rules } else { Store::rules };
        rules(&self.store, &self.staged) == Rules::Open
    }

    /// Where a path leads in the instance of the staged name: a list of keys and indexes, or `null`.
    pub fn resolve(&mut self, bytes: usize) -> usize {
        let depth = self.store.options().limits.depth();
        let path = with_text(bytes, |text| PathExpr::parse(text, depth)).ok();
        let path = path.and_then(|path| self.store.resolve(&self.staged, &path).ok());
        respond_or_null(path, |path, out| path_to_json(out, &path))
    }

    /// Makes the instance of the staged name the active one, or none.
    pub fn set_active(&mut self, none: bool) -> Result<(), String> {
        let name = if none { None } else { Some(&*self.staged) };
        self.store.set_active(name).map_err(|refusal| refusal.sentence())
    }

    /// The store as text.
    pub fn save(&self) -> usize {
        respond(|out| _ = put(out, &self.store.save()))
    }

    /// Takes the message in the input, which is about the staged name where it does not say so itself.
    pub fn receive(&mut self, bytes: usize, staged: bool) -> usize {
        let reply = with_text(bytes, |text| self.store.receive(text, staged.then_some(&*self.staged)));
        respond(|out| reply.write_brief(out))
    }

    /// Whether the condition in the input holds for the instance of the staged name: `true`, `false`, or the error.
    pub fn holds(&mut self, bytes: usize) -> usize {
        let holds = with_text(bytes, |text| self.store.holds(&self.staged, text));
        respond(|out| match holds {
            Ok(holds) => _ = put(out, if holds { "true" } else { "false" }),
            Err(refusal) => refusal.write_json(out),
        })
    }

    /// The pending calls of the staged name, or all.
    pub fn pending(&self, staged: bool) -> usize {
        let calls = self.store.pending(staged.then_some(&*self.staged));
        respond(|out| write_list(out, calls, |out, (name, pending)| pending.write_json(name, out)))
    }

    /// Marks the pending call whose id is in the input as sent. Whether that is news.
    pub fn sent(&mut self, bytes: usize) -> bool {
        with_text(bytes, |id| self.store.sent(id))
    }

    /// The changes from the document of the staged name to what is confirmed of it; none where nothing is.
    pub fn back(&mut self) -> usize {
        respond_or_null(self.store.back(&self.staged), |reply, out| reply.write_brief(out))
    }

    /// Does with the input what `act` says of the store, the staged name and the text, and writes the reply.
    fn answer(&mut self, bytes: usize, act: Act) -> usize {
        let reply = with_text(bytes, |text| act(&mut self.store, &self.staged, text));
        respond(|out| reply.write_brief(out))
    }

    fn over(store: Store) -> Self {
        Self { store, paths: Vec::new(), staged: Box::default() }
    }
}

/// What is done with a store, the staged name and the text in the input.
type Act = fn(&mut Store, &str, &str) -> Reply;

/// Declares what is exported of what answers to a text.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident = $act:expr;)*) => {
        #[wasm_bindgen]
        impl RawStore {
            $($(#[$doc])* pub fn $name(&mut self, bytes: usize) -> usize {
                self.answer(bytes, $act)
            })*
        }
    };
}

answers! {
    /// Applies the call in the input.
    apply = |store, _, call| store.apply(call);
    /// What applying the call in the input would answer if nothing were pending.
    preview = |store, _, call| store.preview(call);
    /// Takes the call in the input, to be confirmed or refused later.
    apply_optimistic = |store, _, call| store.apply_optimistic(call);
    /// Confirms the pending call whose id is in the input.
    confirm = |store, _, id| store.confirm(id);
    /// Drops the pending call whose id is in the input.
    reject = |store, _, id| store.reject(id);
    /// Makes the edits in the input on the instance of the staged name.
    edit = |store, name, script| store.edit(name, script);
    /// Applies the JSON Patch in the input to the instance of the staged name.
    json_patch = |store, name, operations| store.json_patch(name, operations);
    /// Applies the JSON Merge Patch in the input to the instance of the staged name.
    merge_patch = |store, name, patch| store.merge_patch(name, patch);
}

fn respond_or_null<T>(answer: Option<T>, write: fn(T, &mut String)) -> usize {
    respond(|out| match answer {
        Some(answer) => write(answer, out),
        None => _ = put(out, "null"),
    })
}

fn read_options(text: &str) -> Result<Options, String> {
    let options = match parse(text, 8) {
        Ok(value) => Options::from_value(&value),
        Err(_) => Err(owned("The options are nested too deeply.")),
    };
    options.map_err(|message| concat(&["INVALID_ARGUMENT: ", &message]))
}

/// Reads the path in the input: `{"ok":true,"segments":[…]}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
pub fn parse_path(bytes: usize, open: bool) -> usize {
    let path = with_text(bytes, |text| {
        let path = PathExpr::parse(text, crate::limits::DEEPEST)?;
        if open { Ok(path) } else { path.check_page().map(|()| path) }
    });
    respond(|out| match path {
        Ok(path) => path.write_json(out),
        Err(refusal) => refused(out, &refusal),
    })
}

/// Writes the segments in the input as a path: `{"ok":true,"text":…}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
pub fn format_path(bytes: usize) -> usize {
    let text = with_text(bytes, |text| parse(text, 4).ok()).and_then(|list| PathExpr::from_json(&list));
    let text = text.map(|path| path.to_text());
    respond(|out| match text {
        Some(Ok(text)) => {
            write_string(put(out, "{\"ok\":true,\"text\":"), &text);
            put_char(out, '}');
        }
        Some(Err(refusal)) => refused(out, &refusal),
        None => _ = put(out, "{\"ok\":false}"),
    })
}

fn refused(out: &mut String, refusal: &Refusal) {
    refusal.write_json(put(out, "{\"ok\":false,\"error\":"));
    put_char(out, '}');
}

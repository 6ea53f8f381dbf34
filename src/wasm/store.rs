//! The exports behind `PatchStore`, which answer a text with a text, and behind `parsePath` and `formatPath`, which need no
//! store.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_named_text, with_text};
use crate::patch::{PathExpr, Refusal, Rules};
use crate::store::{Options, Pending, Reply, Store};
use crate::value::text::owned;
use crate::value::{Value, concat, parse, put, put_char, write_list, write_string};

/// The maximum depth of options, which are shallow but for the schemas of a catalog.
const OPTIONS_DEPTH: usize = 160;

/// The store of one `PatchStore`. `bytes` is always the length of the text in the input buffer ([`super::io`]). An export that
/// returns a number has written its answer to the output buffer and returns its length. An error is thrown in JavaScript.
#[wasm_bindgen]
pub struct RawStore {
    store: Store,
}

#[wasm_bindgen]
impl RawStore {
    /// A store with the options in the input.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<Self, String> {
        Ok(Self { store: Store::new(with_text(bytes, read_options)?) })
    }

    /// A store from the saved text in the input, with the options that are given as JSON.
    pub fn restore(options: &str, bytes: usize) -> Result<Self, String> {
        let options = read_options(options)?;
        let store = with_text(bytes, |text| Store::restore(text, options));
        store.map(|store| Self { store }).map_err(|refusal| refusal.sentence())
    }

    /// Loads the document in the input. In place of the name the input has `{name, rules?, settles}`: the rules of the
    /// instance, and the ids of pending calls whose changes the document has already. The answer contains the document only
    /// if calls are pending.
    pub fn load(&mut self, bytes: usize) -> usize {
        let reply = with_named_text(bytes, |head, document| {
            // An object, and in it the list `settles`.
            const HEAD_DEPTH: usize = 2;
            let head = parse(head, HEAD_DEPTH).unwrap_or_default();
            let text = |key: &str| head.get(key).and_then(Value::as_str);
            let settles = head.get("settles").unwrap_or(&Value::Null).strings();
            let name = text("name").unwrap_or_default();
            self.store.load_brief(name, document, text("rules").and_then(Rules::from_name), &settles)
        });
        respond(|out| reply.write_brief(out))
    }

    /// The document of the instance whose name is in the input, or `null`.
    pub fn document(&self, bytes: usize) -> usize {
        let document = with_text(bytes, |name| self.store.document(name));
        respond_or_null(document, |document, out| document.write_json(out))
    }

    /// Whether there is an instance with the name in the input.
    pub fn is_present(&self, bytes: usize) -> bool {
        with_text(bytes, |name| self.store.document(name).is_some())
    }

    /// Whether the instance whose name is in the input is under open rules: the confirmed instance with `confirmed`, else the
    /// shown one.
    pub fn is_open(&self, bytes: usize, confirmed: bool) -> bool {
        let rules_of = if confirmed { Store::confirmed_rules } else { Store::rules };
        with_text(bytes, |name| rules_of(&self.store, name)) == Rules::Open
    }

    /// Makes the instance whose name is in the input the active one.
    pub fn set_active(&mut self, bytes: usize) -> Result<(), String> {
        with_text(bytes, |name| self.store.set_active(Some(name))).map_err(|refusal| refusal.sentence())
    }

    /// Makes no instance the active one.
    pub fn clear_active(&mut self) -> Result<(), String> {
        self.store.set_active(None).map_err(|refusal| refusal.sentence())
    }

    /// The whole store as text, for `restore`.
    pub fn save(&self) -> usize {
        respond(|out| _ = put(out, &self.store.save()))
    }

    /// Whether the condition in the input holds for the named instance: `true`, `false`, or the error.
    pub fn holds(&mut self, bytes: usize) -> usize {
        let holds = with_named_text(bytes, |name, condition| self.store.holds(name, condition));
        respond(|out| match holds {
            Ok(holds) => _ = put(out, if holds { "true" } else { "false" }),
            Err(refusal) => refusal.write_json(out),
        })
    }

    /// The pending calls of the instance whose name is in the input.
    pub fn pending(&self, bytes: usize) -> usize {
        write_pending(with_text(bytes, |name| self.store.pending(Some(name))))
    }

    /// The pending calls of all instances.
    pub fn all_pending(&self) -> usize {
        write_pending(self.store.pending(None))
    }

    /// Marks the pending call whose id is in the input as sent. Returns whether it was not marked before.
    pub fn sent(&mut self, bytes: usize) -> bool {
        with_text(bytes, |id| self.store.sent(id))
    }

    /// The changes from the document of the instance whose name is in the input to what is confirmed of it, or `null`.
    pub fn changes_to_confirmed(&mut self, bytes: usize) -> usize {
        respond_or_null(with_text(bytes, |name| self.store.changes_to_confirmed(name)), |reply, out| {
            reply.write_brief(out)
        })
    }
}

/// Makes the reply of an export from the text in the input.
type Action = fn(&mut Store, &str) -> Reply;
/// Makes the reply of an export from the name and the text in the input.
type NamedAction = fn(&mut Store, &str, &str) -> Reply;

impl RawStore {
    /// Writes the reply to the text in the input and returns its length.
    fn answer(&mut self, bytes: usize, action: Action) -> usize {
        let reply = with_text(bytes, |text| action(&mut self.store, text));
        respond(|out| reply.write_brief(out))
    }

    /// Writes the reply to the name and the text in the input and returns its length.
    fn answer_named(&mut self, bytes: usize, action: NamedAction) -> usize {
        let reply = with_named_text(bytes, |name, text| action(&mut self.store, name, text));
        respond(|out| reply.write_brief(out))
    }
}

/// Declares exports that pass the input to the store and write its reply, by the method `$answer`.
macro_rules! answers {
    ($answer:ident: $($(#[$doc:meta])* $name:ident = $action:expr;)*) => {
        #[wasm_bindgen]
        impl RawStore {
            $($(#[$doc])* pub fn $name(&mut self, bytes: usize) -> usize {
                self.$answer(bytes, $action)
            })*
        }
    };
}

answers! { answer:
    /// Applies the call in the input.
    apply = |store, call| store.apply(call);
    /// The reply to the call in the input if no call were pending. Changes nothing.
    preview = |store, call| store.preview(call);
    /// Applies the call in the input as a pending one, to be confirmed or rejected later.
    apply_optimistic = |store, call| store.apply_optimistic(call);
    /// Opens a draft: the call in the input, to which patches are added while they arrive.
    open_draft = |store, call| store.open_draft(call);
    /// Applies the message in the input, which is about the active instance where it names none.
    receive = |store, message| store.receive(message, None);
    /// Confirms the pending call whose id is in the input.
    confirm = |store, id| store.confirm(id);
    /// Rejects the pending call whose id is in the input.
    reject = |store, id| store.reject(id);
}

answers! { answer_named:
    /// Applies the message in the input, which is about the named instance where it names none.
    receive_for = |store, name, message| store.receive(message, Some(name));
    /// Adds the patch in the input to the draft of the given id.
    extend_draft = |store, id, patch| store.extend_draft(id, patch);
    /// Applies the call in the input in place of the draft of the given id.
    commit_draft = |store, id, call| store.commit_draft(id, call);
    /// Applies the edit script in the input to the named instance.
    edit = |store, name, script| store.edit(name, script);
    /// Applies the JSON Patch in the input to the named instance.
    json_patch = |store, name, operations| store.json_patch(name, operations);
    /// Applies the JSON Merge Patch in the input to the named instance.
    merge_patch = |store, name, patch| store.merge_patch(name, patch);
}

/// Writes a list of pending calls, each with the name of its instance; returns the length of the answer.
fn write_pending(calls: Vec<(&str, &Pending)>) -> usize {
    respond(|out| write_list(out, calls, |out, (name, pending)| pending.write_json(name, out)))
}

/// Writes an answer, or `null` for `None`; returns its length.
fn respond_or_null<T>(answer: Option<T>, write: fn(T, &mut String)) -> usize {
    respond(|out| match answer {
        Some(answer) => write(answer, out),
        None => _ = put(out, "null"),
    })
}

/// Parses the options of a store; the error is a refusal.
fn read_options(text: &str) -> Result<Options, String> {
    let options = match parse(text, OPTIONS_DEPTH) {
        Ok(value) => Options::from_value(&value),
        // `JSON.stringify` has written the text, so only its depth can be an error.
        Err(_) => Err(owned("The options are nested too deeply.")),
    };
    options.map_err(|message| concat(&["INVALID_ARGUMENT: ", &message]))
}

/// Parses the path in the input. Without `open` (open rules, which allow any document) it must be a path of a page. Answers
/// `{"ok":true,"segments":[…]}` or `{"ok":false,"error":…}`.
#[wasm_bindgen]
pub fn parse_path(bytes: usize, open: bool) -> usize {
    let path = with_text(bytes, |text| {
        let path = PathExpr::parse(text, crate::limits::DEPTH_CEILING)?;
        if open { Ok(path) } else { path.check_page().map(|()| path) }
    });
    respond(|out| match path {
        Ok(path) => path.write_json(out),
        Err(refusal) => write_refused(out, &refusal),
    })
}

/// Writes the segments in the input as a path: `{"ok":true,"text":…}` or `{"ok":false,"error":…}`; `{"ok":false}` if the input is
/// not a list of segments.
#[wasm_bindgen]
pub fn format_path(bytes: usize) -> usize {
    // More than the 2 of a list of objects; what is deeper is not parsed to its end.
    const MAX_DEPTH: usize = 4;
    let path = with_text(bytes, |text| parse(text, MAX_DEPTH).ok()).and_then(|list| PathExpr::from_json(&list));
    let path_text = path.map(|path| path.to_text());
    respond(|out| match path_text {
        Some(Ok(text)) => {
            write_string(put(out, "{\"ok\":true,\"text\":"), &text);
            put_char(out, '}');
        }
        Some(Err(refusal)) => write_refused(out, &refusal),
        None => _ = put(out, "{\"ok\":false}"),
    })
}

/// Appends the answer `{"ok":false,"error":…}`.
fn write_refused(out: &mut String, refusal: &Refusal) {
    refusal.write_json(put(out, "{\"ok\":false,\"error\":"));
    put_char(out, '}');
}

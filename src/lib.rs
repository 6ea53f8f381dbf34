//! The layer between a language model and the person: validated UI patches and streamed tool blocks.
//!
//! The crate validates everything that an agent sends before it reaches the UI. It has two pipelines:
//!
//! ```text
//! call text ──> patch::Call ──> operation ──> edits ──> Document ──> inverse edits   (a failed call leaves nothing)
//!                                                          └───────> edit script     (a mirror follows)
//!
//! chat chunk ─> fence scanner ─> JSON lexer ─> recorder ─> validate, repair ─> events
//! ```
//!
//! ```
//! use genui_patch::block::{Event, Settings, TextEnd, ToolBlockStream};
//! use genui_patch::store::{Options, Store};
//!
//! let mut store = Store::new(Options::default());
//! store.load("page", r#"{"state": {"params": {"count": 1}}}"#, None);
//! let reply = store.apply(r#"{"instance_name": "page", "patches": [{"op": "add", "path": "blocks.3", "value": {}}]}"#);
//! let error = reply.error().unwrap(); // its code, what was found, and what to send instead; the page is as it was
//! assert_eq!(error.code.name(), "PATH_NOT_FOUND");
//!
//! let mut stream = ToolBlockStream::new(Settings::default());
//! let mut events: Vec<Event> = Vec::new();
//! for chunk in ["Here:\n```js", "on\n{tool: 'delete_file', path: 'a.md'}\n`", "``\n"] {
//!     stream.push(chunk, &mut events);
//! }
//! stream.end(TextEnd::MaybeCut, &mut events);
//! let calls = events.iter().filter_map(|event| match event {
//!     Event::Block(block) => block.calls.first(),
//!     _ => None,
//! });
//! assert_eq!(calls.map(|call| (call.tool.name(), &*call.path)).collect::<Vec<_>>(), [("delete_file", "a.md")]);
//! ```
//!
//! - [`store`]: named instances, the calls that change them: [`store::Store`];
//! - [`patch`]: a call: dialects, paths, operations, conditions, structure rules, error codes;
//! - [`edit`]: invertible edits, the document that they change, edit scripts;
//! - [`block`]: tool blocks in streamed chat text: [`block::ToolBlockStream`], the path policy;
//! - [`files`]: edits of texts, as file tools make them;
//! - [`value`]: JSON values, the incremental lexer, text in and out;
//! - [`limits`]: the limits on input.
//!
//! Input from outside never causes a panic: text is answered by a [`store::Reply`], an event or a report, misuse by an error.
//! All types are `Send` and `Sync`. `write_json` and `to_json` write the shapes of the JavaScript API, so that a server in
//! Rust and a page understand each other.
//!
//! Dependencies point downwards: `store` → `patch` → `edit` → `value`, and `block` → `value`. The feature `wasm` adds the
//! JavaScript API, for the npm package of the same name; without it this is plain Rust without dependencies. The
//! feature `serde` adds `Serialize` and `Deserialize` for [`value::Value`] and conversions from and to
//! `serde_json::Value`. The feature `approval` adds `approval::verify_approval`, for signed decisions of users.

/// The listing of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "approval")]
pub mod approval;
pub mod block;
mod codes;
#[doc(hidden)]
pub mod counted;
pub mod edit;
pub mod files;
pub mod limits;
mod options;
pub mod patch;
mod platform;
pub mod store;
pub mod value;
#[cfg(feature = "wasm")]
mod wasm;

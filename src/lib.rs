//! The layer between a language model and the person: validated UI patches and streamed tool blocks.
//!
//! Whatever an agent sends to a page passes through here. Two pipelines, few concepts:
//!
//! ```text
//! call text ──> patch::Call ──> operation ──> edits ──> Document ──> inverse edits   (a failed call leaves nothing)
//!                                                          └───────> edit script     (a mirror follows)
//!
//! chat chunk ─> fence finder ─> JSON lexer ─> tool block ─> validate ─> path policy ─> events
//! ```
//!
//! - [`store`]: named instances, the calls that change them: [`store::Store`];
//! - [`patch`]: a call: dialects, paths, operations, conditions, structure rules, error codes;
//! - [`edit`]: invertible edits, the document that they change, edit scripts;
//! - [`block`]: tool blocks in streamed chat text: [`block::ToolBlockStream`], the path policy, safe URLs;
//! - [`diff`]: what differs between two texts: hunks, a part of them, two changes together;
//! - [`files`]: what a file tool does to a text;
//! - [`value`]: JSON values, the incremental lexer, text in and out;
//! - [`limits`]: what is taken from outside at most.
//!
//! Dependencies point downwards: `store` → `patch` → `edit` → `value`, and `block` → `value`. The feature `wasm` adds the
//! face to JavaScript, for the npm package of the same name; without it this is plain Rust without dependencies.

pub mod block;
mod codes;
pub mod diff;
pub mod edit;
pub mod files;
pub mod limits;
pub mod patch;
mod platform;
pub mod store;
pub mod surface;
pub mod value;
#[cfg(feature = "wasm")]
mod wasm;

//! Tool blocks: tool calls that a model writes into its text, found while the text arrives.
//!
//! - [`ToolBlockStream`]: receives text, or the arguments of a native tool call, and emits [`Event`]s: text, statuses,
//!   deltas of field texts, and blocks;
//! - [`validate_tool_block`]: a [`Report`] on one complete block;
//! - [`FILE_TOOLS`], [`Code`]: the tables of file tools and of issue codes; [`Tools`]: the file tools and the host's own
//!   tools;
//! - [`policy`]: the rules for paths.
//!
//! The data flow: `finder` is the state machine. In text, `scanner` checks the beginning of each line for a fence
//! (`line`), a tag or reasoning (`tags`), a header of another format (`formats`), or a bracket. A fence opens a
//! `reader`, a bracket a `bare` call, a quoted fence a `quote`, another format a `foreign` call. The JSON of readers and
//! bare calls goes through a `body`, which finds its end, and a `parser`: the JSON lexer and its sink, the `recorder`,
//! which builds the values and records what a UI can show early. JSON that is not a call passes as text; a `watch` parses
//! it too, and reports it if it names a known tool. At the end, `check` opens envelopes (`envelope`) and validates,
//! `repair` repairs, and `write` produces JSON for JavaScript. `stream` drives the finder over text that arrives in pieces,
//! `report` over one complete block. Every decision is made character by character, so the result does not depend on how
//! the text was cut.

#[doc(hidden)]
pub mod answer;
mod bare;
mod body;
mod check;
mod code;
mod context;
mod elided;
mod envelope;
mod event;
mod fences;
mod finder;
mod foreign;
mod formats;
mod line;
mod parser;
mod patches;
pub mod policy;
mod quote;
mod reader;
mod recorder;
pub mod repair;
mod report;
mod scanner;
mod settings;
mod stream;
mod tag;
mod tags;
mod tools;
mod watch;
mod write;

pub use code::{Code, Issue, Severity};
#[doc(hidden)]
pub use envelope::envelope_keys;
pub use event::{Block, BlockStatus, Delta, Event, Receiver, Repaired, TextEnd, TextId, ToolCall, ToolId};
#[doc(hidden)]
pub use formats::{FORMATS, Format};
pub use report::{BlockRepair, Report, repair_tool_block, validate_tool_block};
pub use settings::Settings;
pub use stream::ToolBlockStream;
pub use tools::{FILE_TOOLS, FileTool, Tool, Tools};
#[doc(hidden)]
pub use write::{Writer, write_fixes};

//! Tool blocks: calls of file tools that a model writes into its text, found while the text still arrives.
//!
//! - [`ToolBlockStream`]: text, or the arguments of a native tool call, in; [`Event`]s out: text, statuses, texts of fields as
//!   they grow, and blocks;
//! - [`validate_tool_block`]: a [`Report`] on one block that is there as a whole;
//! - [`TOOLS`], [`Code`]: the tables of tools and of what can be wrong; [`Tools`]: those and the host's own;
//! - [`policy`]: which paths may be used.
//!
//! The way of a piece of text: the `finder` goes from block to block. The `scanner` passes text on until one may begin; from
//! there a `reader` (after a fence) or `unfenced` (at a bracket, where its `context` allows a call) feeds a `parser`: the JSON
//! lexer, and behind it the `recorder`, which builds the values and notes what can be shown early. The reader's `body` finds
//! the end of the block, by its `fences` where faults make it doubtful. At the end `check` validates, `repair` repairs, and
//! `write` makes JSON of it for JavaScript. Every decision is made byte by byte, so how the text was cut does not matter.

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
pub mod policy;
mod quote;
mod reader;
mod recorder;
pub mod repair;
mod report;
mod scanner;
mod settings;
mod stream;
mod tags;
mod tools;
mod watch;
mod write;

pub use check::TextEnd;
pub use code::{Code, Issue, Severity};
pub use event::InString;
pub use event::{Block, BlockStatus, Delta, Event, Receiver, Repaired, TextId, ToolCall, ToolId};
#[doc(hidden)]
pub use formats::{FORMATS, Format};
pub use report::{BlockRepair, Report, repair_tool_block, validate_tool_block};
pub use settings::Settings;
pub use stream::ToolBlockStream;
pub use tools::{FileTool, TOOLS, Tool, Tools};
#[doc(hidden)]
pub use write::{Writer, write_fixes};

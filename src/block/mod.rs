//! Tool blocks: calls of file tools that a model writes into its text, found while the text still arrives.
//!
//! - [`ToolBlockStream`]: text, or the arguments of a native tool call, in; [`Event`]s out: text, statuses, texts of fields as
//!   they grow, and blocks;
//! - [`validate_tool_block`]: a [`Report`] on one block that is there as a whole;
//! - [`TOOLS`], [`Code`]: the tables of tools and of what can be wrong; [`Tools`]: those and the host's own;
//! - [`policy`]: which paths may be used.
//!
//! The way of a piece of text: the `finder` is the state machine. In text the `scanner` looks at the beginning of each line for
//! a fence (`line`), a tag or reasoning (`tags`), a header of another format (`formats`), or a bracket. A fence opens a `reader`, a
//! bracket a `bare` call, a quoted fence a `quote`, another format a `foreign` call. All JSON goes through a `body`, which finds
//! its end, and a `parser`: the JSON lexer, and behind it the `recorder`, which builds the values and notes what can be shown
//! early. JSON that is no call passes as text under a `watch`, which reports it if it names a known tool. At the end `check` opens
//! envelopes (`envelope`) and validates, `repair` repairs, and `write` makes JSON of it for JavaScript. Every decision is made
//! character by character, so how the text was cut does not matter.

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
mod tags;
mod tools;
mod watch;
mod write;

pub use check::TextEnd;
pub use code::{Code, Issue, Severity};
#[doc(hidden)]
pub use envelope::envelope_keys;
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

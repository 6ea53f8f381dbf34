//! Surfaces: user interfaces that a server streams as messages of GULF 1.0 (seed 003), A2UI v0.8 or A2UI v0.9.
//!
//! ```text
//! pieces ─> Framer (JSON Lines, events, documents) ─> message, told by its keys ─> components, data model ─> Event
//! ```
//!
//! [`SurfaceStream`] reads the messages and keeps what they build: components by id and a data model, which is changed by
//! edits. What becomes of them on a screen, bindings and templates resolved, is made where the screen is: the npm
//! package's TypeScript takes what the reader says, and has the one state there is. A message is taken whole or not at
//! all, and a bad line costs that line.
//!
//! ```
//! use genui_patch::{limits::Limits, surface::{Event, SurfaceStream}};
//!
//! let mut stream = SurfaceStream::new(Limits::default(), false);
//! let mut seen = 0;
//! stream.push("{\"dataModelUpdate\":{\"path\":\"user.name\",\"contents\":\"Ada\"}}\n", &mut |event| {
//!     seen += usize::from(matches!(event, Event::Data { .. }));
//! });
//! assert_eq!(seen, 1);
//! assert_eq!(stream.data_model("main").unwrap().to_json(), r#"{"user":{"name":"Ada"}}"#);
//! ```

mod code;
mod data;
mod event;
mod frame;
mod message;
mod path;
mod reader;
mod shape;
mod stream;

pub use code::Code;
pub use event::{Event, Problem, Protocol, Severity};
pub use path::{segments, write_segments};
#[doc(hidden)]
pub use reader::SurfaceReader;
pub use stream::{SurfaceStream, check};

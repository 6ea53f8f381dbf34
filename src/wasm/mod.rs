//! Everything that knows JavaScript: it converts, calls the core, converts back.

#![expect(unreachable_pub, reason = "what is exported to JavaScript must be public, and is public to it alone")]

mod block;
mod facts;
mod io;
mod policy;
mod store;

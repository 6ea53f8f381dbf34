//! The answer of the wasm module to a piece of text: one number, which `src/js/blocks/stream.ts` reads.
//!
//! Most pieces produce only more text, or more of one field. These need no JSON: the number says which of the two, and how
//! long it is. `scripts/facts` prints [`TABLE`] for JavaScript.

/// An answer: its kind in the low bits, and above them a length, whose unit depends on the kind.
#[must_use]
pub const fn encode(kind: usize, length: usize) -> usize {
    length << LENGTH_SHIFT | kind
}

/// Text of the stream; the length counts UTF-16 units. Zero: the piece produced nothing.
pub const TEXT: usize = 0;
/// Another delta for the same field as the last delta; the length counts the bytes of its text in the output buffer.
pub const DELTA: usize = 1;
/// Any other events; the length counts bytes in the output buffer: long strings one after the other, a line feed, and the events
/// as JSON.
pub const RECORDS: usize = 2;
/// The number of bits for the kind, below the length.
pub const LENGTH_SHIFT: usize = 2;

/// All of these numbers, by the names that JavaScript uses.
pub const TABLE: [(&str, usize); 4] =
    [("text", TEXT), ("delta", DELTA), ("records", RECORDS), ("lengthShift", LENGTH_SHIFT)];

//! Text crosses the boundary through two buffers in wasm memory, which JavaScript reads and writes itself.
//!
//! JavaScript asks for room with [`input`], encodes into it, and calls a function with the length; the function leaves
//! its answer in the output buffer, the address of the answer where [`answer_address`] says, and returns the length of the answer.
//! So a call crosses the boundary twice. Neither side allocates a string for the other, and no generated glue walks the text.
//! The buffers are taken out of their cells while they are in use: a trap in between leaves an empty buffer behind, not a
//! borrowed one.

use std::cell::Cell;

use wasm_bindgen::prelude::*;

thread_local! {
    static INPUT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    static OUTPUT: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// The address of the last answer.
    static ANSWER: Cell<usize> = const { Cell::new(0) };
}

/// The largest buffer, in bytes, that is kept for the next call. A larger one is freed: the memory of a module never shrinks, but
/// other values can then use this part of it.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Makes room for `bytes` bytes of UTF-8 in the input buffer, and returns its address. The bytes in the buffer are kept.
#[wasm_bindgen]
pub fn input(bytes: usize) -> *const u8 {
    let mut buffer = INPUT.take();
    if buffer.len() < bytes {
        buffer.resize(bytes, 0);
    }
    let address = buffer.as_ptr();
    INPUT.set(buffer);
    address
}

/// The address at which the address of the last answer stands, as a little-endian `u32`. It is always the same.
#[wasm_bindgen]
pub fn answer_address() -> *const usize {
    ANSWER.with(|answer| answer.as_ptr().cast_const())
}

/// Reads the first `bytes` bytes of the input as text, as far as they are well-formed UTF-8.
pub(super) fn with_text<T>(bytes: usize, read: impl FnOnce(&str) -> T) -> T {
    let buffer = INPUT.take();
    let result = read(well_formed(&buffer, bytes));
    return_input(buffer);
    result
}

/// Bytes in front of a name and a text in the input: the length of the name, as a little-endian `u32`.
#[cfg(feature = "store")]
const NAME_LENGTH_BYTES: usize = 4;

/// Reads the first `bytes` bytes of the input as the length of a name, the name, and a text, as `WasmModule.sendNamed` in
/// `src/js/core/module.ts` writes them.
#[cfg(feature = "store")]
pub(super) fn with_named_text<T>(bytes: usize, read: impl FnOnce(&str, &str) -> T) -> T {
    let buffer = INPUT.take();
    let (name, text) = named_text(&buffer, bytes);
    let result = read(name, text);
    return_input(buffer);
    result
}

/// Writes an answer into the output buffer and returns its length in bytes.
pub(super) fn respond(write: impl FnOnce(&mut String)) -> usize {
    let mut text = begin_answer();
    write(&mut text);
    end_answer(text)
}

// Not inline: otherwise the module would contain the functions below once for each export.

/// The first `bytes` bytes of the buffer as text, up to the first byte that is not UTF-8.
#[inline(never)]
fn well_formed(buffer: &[u8], bytes: usize) -> &str {
    let content = buffer.get(..bytes).unwrap_or_default();
    match std::str::from_utf8(content) {
        Ok(text) => text,
        Err(error) => content.get(..error.valid_up_to()).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or(""),
    }
}

/// The name and the text in the first `bytes` bytes of the buffer. If fewer bytes than the length of the name follow that length,
/// all of them are the name.
#[cfg(feature = "store")]
#[inline(never)]
fn named_text(buffer: &[u8], bytes: usize) -> (&str, &str) {
    let content = buffer.get(..bytes).unwrap_or_default();
    let Some((length, rest)) = content.split_first_chunk::<NAME_LENGTH_BYTES>() else { return ("", "") };
    let (name, text) = rest.split_at_checked(u32::from_le_bytes(*length) as usize).unwrap_or((rest, &[]));
    (well_formed(name, name.len()), well_formed(text, text.len()))
}

/// Puts the input buffer back into its cell, unless it is too large to keep.
#[inline(never)]
fn return_input(mut buffer: Vec<u8>) {
    if buffer.len() > MAX_KEPT_BYTES {
        buffer = Vec::new();
    }
    INPUT.set(buffer);
}

/// Takes the output buffer as an empty text, unless it is too large to keep.
#[inline(never)]
fn begin_answer() -> String {
    let mut buffer = OUTPUT.take();
    if buffer.capacity() > MAX_KEPT_BYTES {
        buffer = Vec::new();
    }
    buffer.clear();
    // An empty buffer is always UTF-8: the text reuses its allocation.
    String::from_utf8(buffer).unwrap_or_default()
}

/// Puts the answer into the output buffer and returns its length in bytes.
#[inline(never)]
fn end_answer(text: String) -> usize {
    let bytes = text.len();
    ANSWER.set(text.as_ptr().addr());
    OUTPUT.set(text.into_bytes());
    bytes
}

//! The bytes of a wasm module, sorted into streams.
//!
//! Instructions, places of locals, offsets and numbers each repeat in ways of their own. Sorted into a stream for each, a module
//! packs to a twelfth less. Who packs and who unpacks walk through the module by the same function. What it does not know, it
//! takes for instructions: then the module packs worse, and unpacks to the same bytes all the same.

/// How many streams there are.
pub const STREAMS: usize = 13;

/// In the order in which they pack best.
mod stream {
    pub const OPCODE: usize = 0;
    pub const CALLEE: usize = 1;
    pub const LOCAL_TYPES: usize = 2;
    pub const DATA: usize = 3;
    pub const DEPTH: usize = 4;
    pub const ALIGN: usize = 5;
    pub const BLOCK_TYPE: usize = 6;
    pub const OTHER: usize = 7;
    pub const LOCAL: usize = 8;
    pub const I32: usize = 9;
    pub const I64: usize = 10;
    pub const HEAD: usize = 11;
    pub const OFFSET: usize = 12;
}
use stream::*;

const CODE_SECTION: u8 = 10;
const DATA_SECTION: u8 = 11;

/// The magic number and the version.
const MAGIC: u32 = 8;

/// The alignments that loads and stores have by nature, from `i32.load` on. Nearly all have theirs.
const ALIGNMENTS: [u8; 23] = [2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2];

/// Where the bytes come from and go to.
pub trait Bytes {
    /// The next byte. In its stream stands how it differs from what is expected: the "exclusive or" of both.
    fn byte(&mut self, stream: usize, expected: u8) -> u8;
    /// Whether the module has ended.
    fn is_over(&self) -> bool;
    /// Before a function, whose size is in no stream.
    fn enter(&mut self);
    /// After a function.
    fn leave(&mut self);
}

/// Walks through a module.
pub fn walk(bytes: &mut impl Bytes) {
    run(bytes, HEAD, MAGIC);
    while !bytes.is_over() {
        let section = bytes.byte(OTHER, 0);
        let size = number(bytes, OTHER);
        if section != CODE_SECTION {
            run(bytes, if section == DATA_SECTION { DATA } else { HEAD }, size);
            continue;
        }
        for _ in 0..number(bytes, OTHER) {
            bytes.enter();
            function(bytes);
            bytes.leave();
        }
    }
}

fn function(bytes: &mut impl Bytes) {
    // Each group is a number and a type.
    let groups = number(bytes, OTHER);
    numbers(bytes, LOCAL_TYPES, groups.saturating_mul(2));
    let mut blocks = 1;
    while blocks > 0 && !bytes.is_over() {
        let opcode = bytes.byte(OPCODE, 0);
        let (stream, count) = match opcode {
            0x02..=0x04 => {
                blocks += 1;
                (BLOCK_TYPE, 1)
            }
            0x0b => {
                blocks -= 1;
                continue;
            }
            0x0c | 0x0d => (DEPTH, 1),
            // A table has one branch more, for all other numbers.
            0x0e => (DEPTH, number(bytes, OTHER).saturating_add(1)),
            0x10 => (CALLEE, 1),
            // A type and a table.
            0x11 => (OTHER, 2),
            0x20..=0x22 => (LOCAL, 1),
            0x23..=0x26 | 0x3f | 0x40 | 0xd0 | 0xd2 => (OTHER, 1),
            0x28..=0x3e => {
                bytes.byte(ALIGN, ALIGNMENTS.get(usize::from(opcode) - 0x28).copied().unwrap_or(0));
                (OFFSET, 1)
            }
            0x41 => (I32, 1),
            0x42 => (I64, 1),
            0x43 | 0x44 => {
                run(bytes, OTHER, if opcode == 0x43 { 4 } else { 8 });
                continue;
            }
            // Conversions have no operand, memory.copy has two memories, memory.fill one.
            0xfc => match number(bytes, OTHER) {
                0..=7 => continue,
                8 | 10 | 12 | 14 => (OTHER, 2),
                _ => (OTHER, 1),
            },
            _ => continue,
        };
        numbers(bytes, stream, count);
    }
}

fn run(bytes: &mut impl Bytes, stream: usize, count: u32) {
    for _ in 0..count {
        if bytes.is_over() {
            return;
        }
        bytes.byte(stream, 0);
    }
}

fn numbers(bytes: &mut impl Bytes, stream: usize, count: u32) {
    for _ in 0..count {
        if bytes.is_over() {
            return;
        }
        number(bytes, stream);
    }
}

/// A number in LEB128, of which the lowest bits count.
fn number(bytes: &mut impl Bytes, stream: usize) -> u32 {
    let mut number = 0;
    let mut shift = 0;
    loop {
        let byte = bytes.byte(stream, 0);
        number |= u32::from(byte & 127).wrapping_shl(shift);
        shift += 7;
        if byte < 128 || bytes.is_over() {
            return number;
        }
    }
}

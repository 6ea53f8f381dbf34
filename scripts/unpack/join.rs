//! From streams to a module: the other half of `scripts/lib/split.mjs`, which says what stands in which.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::{MODULE, STREAMS, UNPACKED};

const OTHER: usize = 0;
const LOCALS: usize = 1;
const CODE: usize = 2;
const LOCAL: usize = 3;
const NUMBER: usize = 4;
const OFFSET: usize = 5;
const CALLED: usize = 6;
const BRANCH: usize = 7;

const CODE_SECTION: usize = 10;

/// The bytes that a number takes at most.
const LONGEST: u32 = 10;
/// The bytes that the length of a function takes: as a rule, and then the function stays where it is put.
const USUAL: usize = 2;

struct Joiner {
    /// What is next in each stream.
    next: [usize; 8],
    /// So much of the module is there.
    place: usize,
}

/// Makes a module of so many bytes.
pub fn join(size: usize) {
    let mut joiner = Joiner { next: [21; 8], place: 0 };
    for stream in 1..8 {
        let mut length = 0;
        for byte in 3 * stream - 3..3 * stream {
            length = length >> 8 | usize::from(get(&STREAMS, byte)) << 16;
        }
        joiner.next[stream] = joiner.next[stream - 1] + length;
    }
    joiner.bytes(OTHER, 8);
    while joiner.place < size {
        let section = joiner.number(OTHER);
        let length = joiner.number(OTHER);
        if section == CODE_SECTION {
            for _ in 0..joiner.number(OTHER) {
                joiner.function(size);
            }
        } else {
            joiner.bytes(OTHER, length);
        }
    }
}

fn get(bytes: &[AtomicU8; UNPACKED], place: usize) -> u8 {
    bytes[place & (UNPACKED - 1)].load(Relaxed)
}

impl Joiner {
    fn put(&mut self, byte: u8) {
        MODULE[self.place & (UNPACKED - 1)].store(byte, Relaxed);
        self.place += 1;
    }

    #[inline]
    fn byte(&mut self, stream: usize) -> usize {
        let byte = get(&STREAMS, self.next[stream & 7]);
        self.next[stream & 7] += 1;
        self.put(byte);
        byte.into()
    }

    #[inline(never)]
    fn bytes(&mut self, stream: usize, count: usize) {
        for _ in 0..count {
            self.byte(stream);
        }
    }

    /// A number in LEB128, of which nobody reads more than the first digits.
    #[inline(never)]
    fn number(&mut self, stream: usize) -> usize {
        let mut value = 0;
        for place in 0..LONGEST {
            let byte = self.byte(stream);
            value |= (byte & 127).wrapping_shl(7 * place);
            if byte < 128 {
                break;
            }
        }
        value
    }

    /// A function: its variables, its instructions, and before them how long it has become.
    fn function(&mut self, size: usize) {
        let start = self.place;
        self.place += USUAL;
        for _ in 0..self.number(LOCALS) {
            self.number(LOCALS);
            self.bytes(LOCALS, 1);
        }
        let mut depth = 1;
        while depth > 0 && self.place < size {
            let code = self.byte(CODE);
            match code {
                0x02..=0x04 => depth += 1,
                0x0b => depth -= 1,
                0x28..=0x3e => drop(self.number(CODE)),
                0x43 => self.bytes(NUMBER, 4),
                0x44 => self.bytes(NUMBER, 8),
                _ => {}
            }
            let (stream, count) = match code {
                0x02..=0x04 | 0x23..=0x26 | 0x3f | 0x40 | 0xd0 | 0xd2 => (CODE, 1),
                0x0c | 0x0d => (BRANCH, 1),
                0x0e => (BRANCH, self.number(BRANCH) + 1),
                0x10 | 0x11 => (CALLED, code - 0x0f),
                0x20..=0x22 => (LOCAL, 1),
                0x28..=0x3e => (OFFSET, 1),
                0x41 | 0x42 => (NUMBER, 1),
                0xfc => match self.number(CODE) {
                    0..=7 => (CODE, 0),
                    8 | 10 | 12 | 14 => (CODE, 2),
                    _ => (CODE, 1),
                },
                _ => (CODE, 0),
            };
            for _ in 0..count {
                self.number(stream);
            }
        }
        let mut length = self.place - start - USUAL;
        let digits = 1 + usize::from(length > 0x7f) + usize::from(length > 0x3fff);
        if digits != USUAL {
            for place in 0..length {
                let place = if digits > USUAL { length - 1 - place } else { place };
                let byte = get(&MODULE, start + USUAL + place);
                self.place = start + digits + place;
                self.put(byte);
            }
        }
        self.place = start;
        let end = start + digits + length;
        for _ in 1..digits {
            self.put(length as u8 | 128);
            length >>= 7;
        }
        self.put(length as u8);
        self.place = end;
    }
}

//! Unpacks the modules that the npm package has as text: their bytes are sorted into streams (`layout.rs`), which LZMA
//! compresses. That is a quarter smaller than DEFLATE, and in a new process this module takes a third of the time of
//! unpacking in JavaScript. The input is the format `.lzma` without its header, with 1 literal context bit and no position
//! bits. It comes from this package's own build and is not checked: other input gives wrong bytes, never a trap.

pub mod layout;

use layout::{walk, Bytes, STREAMS};
use std::sync::atomic::{AtomicU16, AtomicU8, Ordering::Relaxed};

/// Capacities: the build refuses a module that does not fit. Powers of two, so that a masked index needs no bounds check.
const PACKED: usize = 1 << 18;
const UNPACKED: usize = 1 << 20;

/// Where the probabilities of each kind of decision begin.
mod at {
    pub const LITERAL: usize = 0;
    pub const IS_MATCH: usize = LITERAL + 0x300 * 2;
    pub const IS_REP: usize = IS_MATCH + 12;
    pub const IS_REP_0: usize = IS_REP + 12;
    pub const IS_REP_1: usize = IS_REP_0 + 12;
    pub const IS_REP_2: usize = IS_REP_1 + 12;
    pub const IS_REP_0_LONG: usize = IS_REP_2 + 12;
    pub const SLOT: usize = IS_REP_0_LONG + 12;
    pub const DISTANCE: usize = SLOT + 4 * 64;
    pub const ALIGN: usize = DISTANCE + 128;
    pub const MATCH_LENGTH: usize = ALIGN + 16;
    pub const REP_LENGTH: usize = MATCH_LENGTH + LENGTHS;
    /// Two choices, short, middle and long lengths.
    const LENGTHS: usize = 2 + 8 + 8 + 256;
}

const PROBABILITIES: usize = 1 << 12;

// Atomic because they are static: there is one thread.
static INPUT: [AtomicU8; PACKED] = [const { AtomicU8::new(0) }; PACKED];
static OUTPUT: [AtomicU8; UNPACKED] = [const { AtomicU8::new(0) }; UNPACKED];
static MODULE: [AtomicU8; UNPACKED] = [const { AtomicU8::new(0) }; UNPACKED];
static ODDS: [AtomicU16; PROBABILITIES] = [const { AtomicU16::new(0) }; PROBABILITIES];

/// Where the packed bytes are to be put.
#[no_mangle]
pub extern "C" fn input() -> *const AtomicU8 {
    INPUT.as_ptr()
}

/// Unpacks a module of so many bytes, and says where they stand.
#[no_mangle]
pub extern "C" fn unpack(size: usize) -> *const AtomicU8 {
    for odd in &ODDS {
        odd.store(1024, Relaxed);
    }
    let mut coder = Coder { place: 0, range: u32::MAX, code: 0 };
    for _ in 0..5 {
        coder.code = coder.code << 8 | coder.byte();
    }
    write(&mut coder, (SIZES + size).min(UNPACKED));
    join(size.min(UNPACKED));
    MODULE.as_ptr()
}

/// Before the streams their sizes stand, in three bytes each.
pub const SIZES: usize = 3 * STREAMS;

/// A module that is put together from its streams.
struct Joiner {
    /// The next byte of each stream. The length is a power of two for masked indexes.
    places: [usize; 16],
    /// The length of the module so far, and its full length.
    at: usize,
    size: usize,
    /// Where the last function begins.
    function: usize,
}

fn join(size: usize) {
    let mut joiner = Joiner { places: [SIZES; 16], at: 0, size, function: 0 };
    let mut end = SIZES;
    for stream in 0..STREAMS {
        joiner.places[stream] = end;
        for byte in 0..3 {
            end += usize::from(text(3 * stream + byte)) << (8 * byte);
        }
    }
    walk(&mut joiner);
}

impl Bytes for Joiner {
    fn byte(&mut self, stream: usize, expected: u8) -> u8 {
        let place = &mut self.places[stream & 15];
        let byte = text(*place) ^ expected;
        *place += 1;
        put(self.at, byte);
        self.at += 1;
        byte
    }

    fn is_over(&self) -> bool {
        self.at >= self.size
    }

    fn enter(&mut self) {
        self.function = self.at;
    }

    /// Puts the size of the function before it.
    fn leave(&mut self) {
        let size = self.at - self.function;
        let bytes = 1 + (size > 0x7f) as usize + (size > 0x3fff) as usize + (size > 0x1f_ffff) as usize;
        for place in (self.function..self.at).rev() {
            put(place + bytes, MODULE[place & (UNPACKED - 1)].load(Relaxed));
        }
        for byte in 0..bytes {
            let more = if byte + 1 < bytes { 0x80 } else { 0 };
            put(self.function + byte, (size >> (7 * byte) & 0x7f) as u8 | more);
        }
        self.at += bytes;
    }
}

fn text(place: usize) -> u8 {
    OUTPUT[place & (UNPACKED - 1)].load(Relaxed)
}

fn put(place: usize, byte: u8) {
    MODULE[place & (UNPACKED - 1)].store(byte, Relaxed);
}

/// The same for a program that packs, to see that the module comes back. Nothing, if it is too large.
pub fn unpacked(packed: &[u8], size: usize) -> Vec<u8> {
    if packed.len() > PACKED || SIZES + size > UNPACKED {
        return Vec::new();
    }
    for (to, &byte) in INPUT.iter().zip(packed) {
        to.store(byte, Relaxed);
    }
    unpack(size);
    MODULE[..size].iter().map(|byte| byte.load(Relaxed)).collect()
}

fn earlier(place: usize, distance: usize) -> u8 {
    OUTPUT[place.wrapping_sub(distance) & (UNPACKED - 1)].load(Relaxed)
}

fn write(coder: &mut Coder, size: usize) {
    let mut state = 0;
    let mut distances = [1_usize; 4];
    let mut place = 0;
    while place < size {
        if !coder.bit(at::IS_MATCH + state) {
            let before = if place == 0 { 0 } else { earlier(place, 1) };
            let base = at::LITERAL + 0x300 * (before as usize >> 7);
            let (offset, expected) = if state < 7 { (0, 0) } else { (0x100, earlier(place, distances[0]).into()) };
            let literal = coder.symbol(base, 0x100, offset, expected) as u8;
            OUTPUT[place & (UNPACKED - 1)].store(literal, Relaxed);
            place += 1;
            state = match state {
                0..=3 => 0,
                4..=9 => state - 3,
                _ => state - 6,
            };
            continue;
        }
        let after = if state < 7 { 7 } else { 10 };
        let mut length = 1;
        if coder.bit(at::IS_REP + state) {
            state = if coder.bit(at::IS_REP_0 + state) {
                let [first, second, third, fourth] = distances;
                distances = if !coder.bit(at::IS_REP_1 + state) {
                    [second, first, third, fourth]
                } else if !coder.bit(at::IS_REP_2 + state) {
                    [third, first, second, fourth]
                } else {
                    [fourth, first, second, third]
                };
                length = coder.length(at::REP_LENGTH);
                after + 1
            } else if coder.bit(at::IS_REP_0_LONG + state) {
                length = coder.length(at::REP_LENGTH);
                after + 1
            } else if state < 7 {
                9
            } else {
                11
            };
        } else {
            length = coder.length(at::MATCH_LENGTH);
            let [first, second, third, _] = distances;
            distances = [coder.distance(length), first, second, third];
            state = after;
        }
        let end = (place + length).min(size);
        while place < end {
            OUTPUT[place & (UNPACKED - 1)].store(earlier(place, distances[0]), Relaxed);
            place += 1;
        }
    }
}

/// A range decoder: each bit costs what it was not expected to be.
struct Coder {
    place: usize,
    range: u32,
    code: u32,
}

impl Coder {
    fn byte(&mut self) -> u32 {
        let byte = INPUT[self.place & (PACKED - 1)].load(Relaxed);
        self.place += 1;
        byte.into()
    }

    fn refill(&mut self) {
        if self.range < 1 << 24 {
            self.range <<= 8;
            self.code = self.code << 8 | self.byte();
        }
    }

    /// A symbol below `end`, most significant bit first, after a leading 1. A literal is decoded with the byte that the last
    /// match predicts as context, while both agree; after that `offset` is 0x100.
    #[inline(never)]
    fn symbol(&mut self, base: usize, end: usize, mut offset: usize, mut expected: usize) -> usize {
        let Self { mut place, mut range, mut code } = *self;
        let mut symbol = 1;
        while symbol < end {
            expected <<= 1;
            let other = offset;
            offset &= expected;
            let odd = &ODDS[(base + offset + other + symbol) & (PROBABILITIES - 1)];
            let chance = odd.load(Relaxed);
            let bound = (range >> 11) * u32::from(chance);
            if code >= bound {
                range -= bound;
                code -= bound;
                odd.store(chance - (chance >> 5), Relaxed);
                symbol = symbol << 1 | 1;
            } else {
                range = bound;
                odd.store(chance + ((2048 - chance) >> 5), Relaxed);
                symbol <<= 1;
                offset ^= other;
            }
            if range < 1 << 24 {
                range <<= 8;
                code = code << 8 | u32::from(INPUT[place & (PACKED - 1)].load(Relaxed));
                place += 1;
            }
        }
        *self = Self { place, range, code };
        symbol
    }

    fn bit(&mut self, at: usize) -> bool {
        self.symbol(at.wrapping_sub(1), 2, 0, 0) == 3
    }

    /// A number of so many bits, the highest first.
    fn tree(&mut self, base: usize, bits: u32) -> usize {
        self.symbol(base, 1 << bits, 0, 0) - (1 << bits)
    }

    /// A number of so many bits, the lowest first.
    fn reverse(&mut self, base: usize, bits: u32) -> usize {
        let mut symbol = 1;
        let mut number = 0;
        for place in 0..bits {
            let bit = usize::from(self.bit(base.wrapping_add(symbol)));
            symbol = symbol << 1 | bit;
            number |= bit << place;
        }
        number
    }

    fn length(&mut self, base: usize) -> usize {
        if !self.bit(base) {
            2 + self.tree(base + 2, 3)
        } else if !self.bit(base + 1) {
            10 + self.tree(base + 10, 3)
        } else {
            18 + self.tree(base + 18, 8)
        }
    }

    fn distance(&mut self, length: usize) -> usize {
        let slot = self.tree(at::SLOT + 64 * (length - 2).min(3), 6);
        if slot < 4 {
            return slot + 1;
        }
        let bits = (slot >> 1) as u32 - 1;
        let base = (2 | slot & 1) << bits;
        let rest = if slot < 14 {
            self.reverse((at::DISTANCE + base).wrapping_sub(slot), bits)
        } else {
            let mut high = 0;
            for _ in 4..bits {
                self.range >>= 1;
                let bit = self.code >= self.range;
                if bit {
                    self.code -= self.range;
                }
                high = high << 1 | usize::from(bit);
                self.refill();
            }
            high << 4 | self.reverse(at::ALIGN, 4)
        };
        base + rest + 1
    }
}

//! What the next byte of a wasm module is, from the bytes before it.
//!
//! Instructions, places of locals, offsets and numbers each repeat in ways of their own. Sorted into a stream for each, a module
//! packs to a twelfth less. Where this takes a byte for something else than it is, the module packs worse, and unpacks to the
//! same bytes all the same: both directions take the same way.

/// How many streams there are.
pub const STREAMS: usize = 13;

/// The kinds of bytes. The first are a stream each, in the order in which they pack best.
mod field {
    pub const OPCODE: u8 = 0;
    pub const CALLEE: u8 = 1;
    pub const LOCAL_TYPES: u8 = 2;
    pub const DATA: u8 = 3;
    pub const DEPTH: u8 = 4;
    pub const ALIGN: u8 = 5;
    pub const BLOCK_TYPE: u8 = 6;
    pub const OTHER: u8 = 7;
    pub const LOCAL: u8 = 8;
    pub const I32: u8 = 9;
    pub const I64: u8 = 10;
    pub const HEAD: u8 = 11;
    pub const OFFSET: u8 = 12;
    // In the stream of what is left over: numbers that say how much follows,
    pub const SECTION_SIZE: u8 = 13;
    pub const FUNCTIONS: u8 = 14;
    pub const LOCAL_GROUPS: u8 = 15;
    pub const BRANCHES: u8 = 16;
    pub const PREFIXED: u8 = 17;
    // and bytes that are no number.
    pub const FLOAT: u8 = 18;
    pub const SECTION: u8 = 19;
    // In none: a function's size follows from its instructions.
    pub const BODY_SIZE: u8 = 20;
}
use field::*;

const CODE_SECTION: u8 = 10;
const DATA_SECTION: u8 = 11;

/// The alignments that loads and stores have by nature, from `i32.load` on. Nearly all have theirs.
const ALIGNMENTS: [u8; 23] = [2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2];
const FIRST_LOAD: u8 = 0x28;

pub struct Layout {
    field: u8,
    opcode: u8,
    /// What comes before the next instruction, and how many of it.
    then: u8,
    more: u32,
    /// What has been read of a number in LEB128.
    number: u32,
    shift: u32,
    section: u8,
    /// The bytes left of a section other than the code.
    left: u32,
    /// The functions left of the code, and the blocks that are open in this one.
    functions: u32,
    blocks: u32,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            field: HEAD,
            opcode: 0,
            then: OTHER,
            more: 0,
            number: 0,
            shift: 0,
            section: 0,
            // The magic number and the version.
            left: 8,
            functions: 0,
            blocks: 0,
        }
    }
}

impl Layout {
    /// The stream of the next byte.
    pub fn stream(&self) -> usize {
        let field = if self.field < STREAMS as u8 { self.field } else { OTHER };
        field.into()
    }

    /// What the next byte is combined with by "exclusive or" in its stream: what it is expected to be.
    pub fn expected(&self) -> u8 {
        if self.field != ALIGN {
            return 0;
        }
        let load = self.opcode.wrapping_sub(FIRST_LOAD);
        ALIGNMENTS.get(usize::from(load)).copied().unwrap_or(0)
    }

    /// Whether a function comes next, whose size is in no stream.
    pub fn at_function(&self) -> bool {
        self.field == BODY_SIZE
    }

    /// Takes the size of a function for read.
    pub fn enter(&mut self) {
        self.blocks = 1;
        self.field = LOCAL_GROUPS;
    }

    /// Within a function: whether the last byte was its end.
    pub fn left_function(&self) -> bool {
        self.section == CODE_SECTION && matches!(self.field, BODY_SIZE | SECTION)
    }

    /// Takes the next byte of the module.
    pub fn step(&mut self, byte: u8) {
        match self.field {
            SECTION => {
                self.section = byte;
                self.field = SECTION_SIZE;
            }
            HEAD | DATA => {
                self.left = self.left.saturating_sub(1);
                self.advance();
            }
            OPCODE => self.instruction(byte),
            FLOAT => self.advance(),
            _ => {
                self.number |= u32::from(byte & 127).wrapping_shl(self.shift);
                self.shift += 7;
                if byte < 128 {
                    self.numbered();
                    self.number = 0;
                    self.shift = 0;
                }
            }
        }
    }

    /// A number has ended.
    fn numbered(&mut self) {
        let number = self.number;
        match self.field {
            SECTION_SIZE if self.section == CODE_SECTION => {
                self.field = FUNCTIONS;
                return;
            }
            SECTION_SIZE => self.left = number,
            FUNCTIONS => self.functions = number,
            // Each group is a number and a type; a table has one branch more for all other numbers.
            LOCAL_GROUPS => (self.then, self.more) = (LOCAL_TYPES, number.saturating_mul(2)),
            BRANCHES => (self.then, self.more) = (DEPTH, number.saturating_add(1)),
            // memory.copy has two memories, memory.fill one, conversions have none.
            PREFIXED if number == 10 => self.more = 2,
            PREFIXED if number == 11 => self.more = 1,
            _ => {}
        }
        self.advance();
    }

    /// What comes behind a field.
    fn advance(&mut self) {
        self.field = if self.section != CODE_SECTION {
            match self.section {
                _ if self.left == 0 => SECTION,
                DATA_SECTION => DATA,
                _ => HEAD,
            }
        } else if self.more > 0 {
            self.more -= 1;
            self.then
        } else if self.blocks > 0 {
            OPCODE
        } else if self.functions > 0 {
            self.functions -= 1;
            BODY_SIZE
        } else {
            SECTION
        };
    }

    fn instruction(&mut self, opcode: u8) {
        self.opcode = opcode;
        (self.field, self.then, self.more) = match opcode {
            0x02..=0x04 => {
                self.blocks += 1;
                (BLOCK_TYPE, OTHER, 0)
            }
            0x0b => {
                self.blocks = self.blocks.saturating_sub(1);
                return self.advance();
            }
            0x0c | 0x0d => (DEPTH, OTHER, 0),
            0x0e => (BRANCHES, OTHER, 0),
            0x10 => (CALLEE, OTHER, 0),
            // A type and a table.
            0x11 => (OTHER, OTHER, 1),
            0x20..=0x22 => (LOCAL, OTHER, 0),
            0x23 | 0x24 | 0x3f | 0x40 => (OTHER, OTHER, 0),
            0x28..=0x3e => (ALIGN, OFFSET, 1),
            0x41 => (I32, OTHER, 0),
            0x42 => (I64, OTHER, 0),
            0x43 => (FLOAT, FLOAT, 3),
            0x44 => (FLOAT, FLOAT, 7),
            0xfc => (PREFIXED, OTHER, 0),
            _ => return self.advance(),
        };
    }
}

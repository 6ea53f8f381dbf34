//! Packs a module: `pack <module> <packed>`. What it writes is read by `scripts/unpack`, which says what it is.

use lzma_rust2::{LzmaOptions, LzmaWriter, MfType};
use std::error::Error;
use std::io::Write;
use std::{env, fs};
use unpack::layout::{Bytes, STREAMS, walk};

fn main() -> Result<(), Box<dyn Error>> {
    let [from, to]: [String; 2] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "pack <module> <packed>")?;
    let module = fs::read(from)?;
    let packed = lzma(&sorted(&module)?)?;
    if unpack::unpacked(&packed, module.len()) != module {
        return Err("the module does not unpack to what it was".into());
    }
    Ok(fs::write(to, packed)?)
}

/// A module that is sorted into its streams.
struct Sorter<'a> {
    left: &'a [u8],
    streams: [Vec<u8>; STREAMS],
}

impl Bytes for Sorter<'_> {
    fn byte(&mut self, stream: usize, expected: u8) -> u8 {
        let Some((&byte, left)) = self.left.split_first() else { return 0 };
        self.left = left;
        self.streams[stream].push(byte ^ expected);
        byte
    }

    fn is_over(&self) -> bool {
        self.left.is_empty()
    }

    /// The last byte of a function's size is the first without the highest bit.
    fn enter(&mut self) {
        let size = self.left.iter().position(|&byte| byte < 128).map_or(0, |last| last + 1);
        self.left = &self.left[size..];
    }

    fn leave(&mut self) {}
}

/// The sizes of the streams, then the streams one after another.
fn sorted(module: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut sorter = Sorter { left: module, streams: [const { Vec::new() }; STREAMS] };
    walk(&mut sorter);
    let streams = sorter.streams;
    let mut sorted = Vec::new();
    for stream in &streams {
        let [low, middle, high, 0] = u32::try_from(stream.len())?.to_le_bytes() else {
            return Err("the module is too large to be unpacked".into());
        };
        sorted.extend([low, middle, high]);
    }
    sorted.extend(streams.concat());
    Ok(sorted)
}

fn lzma(bytes: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb) = (1, 0, 0);
    (options.nice_len, options.depth_limit, options.mf) = (LzmaOptions::NICE_LEN_MAX, 1000, MfType::Bt4);
    let mut writer = LzmaWriter::new_no_header(Vec::new(), &options, false)?;
    writer.write_all(bytes)?;
    Ok(writer.finish()?)
}

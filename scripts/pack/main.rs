//! Packs a module: `pack <module> <packed>`. What it writes is read by `scripts/unpack`, which says what it is.

use lzma_rust2::{LzmaOptions, LzmaWriter, MfType};
use std::error::Error;
use std::io::Write;
use std::{env, fs};
use unpack::layout::{Layout, STREAMS};

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

/// The streams, one behind the other, and before them their sizes.
fn sorted(module: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut streams = [const { Vec::new() }; STREAMS];
    let mut layout = Layout::default();
    for &byte in module {
        if layout.at_function() {
            // The last byte of the size is the first without the highest bit.
            if byte < 128 {
                layout.enter();
            }
            continue;
        }
        streams[layout.stream()].push(byte ^ layout.expected());
        layout.step(byte);
    }
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

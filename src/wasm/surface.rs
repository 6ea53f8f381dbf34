//! Surfaces: pieces of a stream in, a JSON list of what they say out.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::limits::Limits;
use crate::surface::{Protocol, SurfaceReader, check, segments, write_segments};
use crate::value::{Value, parse};

/// What the buffer of an answer may keep.
const KEPT: usize = 1 << 20;

/// Reads a stream of surface messages.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawSurfaceReader {
    reader: SurfaceReader,
    said: String,
}

#[wasm_bindgen]
impl RawSurfaceReader {
    /// A reader with the options in the input: `{partial?, limits?}`.
    ///
    /// # Errors
    /// `CODE: message`.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: usize) -> Result<Self, String> {
        let misuse = |message: String| format!("INVALID_ARGUMENT: {message}");
        let options =
            with_text(bytes, |text| parse(text, 8)).map_err(|_| misuse("The options are nested too deeply.".into()))?;
        let limits = match options.get("limits") {
            Some(limits) => Limits::from_value(limits).map_err(misuse)?,
            None => Limits::default(),
        };
        let partial = matches!(options.get("partial"), Some(Value::Bool(true)));
        Ok(Self { reader: SurfaceReader::new(&limits, partial), said: String::new() })
    }

    /// Takes the piece of text in the input, behind so many lines that were read elsewhere; the length of what it says,
    /// or 0 for nothing.
    pub fn push(&mut self, bytes: usize, skipped: usize) -> usize {
        let Self { reader, said } = self;
        reader.skip_lines(skipped);
        with_text(bytes, |text| reader.push(text, said));
        self.give()
    }

    /// The stream is over.
    pub fn end(&mut self) -> usize {
        let Self { reader, said } = self;
        reader.end(said);
        self.give()
    }

    /// 1 if lines may be gathered, and 2 if a line begins that has nothing to do with those before it.
    pub fn state(&self) -> usize {
        usize::from(self.reader.is_by_line()) + 2 * usize::from(self.reader.is_between_lines())
    }

    /// The line that is being read.
    pub fn line(&self) -> usize {
        self.reader.line()
    }

    fn give(&mut self) -> usize {
        if self.said.is_empty() {
            return 0;
        }
        let length = respond(|out| {
            out.push('[');
            out.push_str(&self.said);
            out.push(']');
        });
        self.said.clear();
        if self.said.capacity() > KEPT {
            self.said = String::new();
        }
        length
    }
}

/// The segments of the path in the input, behind the name of its protocol and a blank: a JSON list; 0 for no path.
#[wasm_bindgen]
#[must_use]
pub fn surface_path(bytes: usize) -> usize {
    let found = with_text(bytes, |text| {
        let (protocol, path) = text.split_once(' ')?;
        segments(path, Protocol::of(protocol)?)
    });
    let Some(found) = found else { return 0 };
    respond(|out| write_segments(out, &found))
}

/// What is wrong with the message in the input: `{code, message, …}`; 0 for nothing.
#[wasm_bindgen]
#[must_use]
pub fn surface_check(bytes: usize) -> usize {
    match with_text(bytes, |text| check(text, Limits::default().max_depth)) {
        Ok(()) => 0,
        Err(problem) => respond(|out| problem.write_json(out, 0)),
    }
}

//! Surfaces: pieces of a stream in, a JSON list of events out.

use wasm_bindgen::prelude::*;

use super::io::{respond, with_text};
use crate::limits::Limits;
use crate::surface::{Event, Protocol, SurfaceStream, check, segments};
use crate::value::{Value, parse, write_string};

/// What the buffer of an answer may keep.
const KEPT: usize = 1 << 20;

/// A stream of surface messages.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawSurfaceStream {
    stream: SurfaceStream,
    max_depth: usize,
    events: String,
}

#[wasm_bindgen]
impl RawSurfaceStream {
    /// A stream with the options in the input: `{partial?, limits?}`.
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
        let max_depth = limits.max_depth;
        Ok(Self { stream: SurfaceStream::new(limits, partial), max_depth, events: String::new() })
    }

    /// Takes the piece of text in the input; the length of the events, or 0 for none.
    pub fn push(&mut self, bytes: usize) -> usize {
        let Self { stream, events, .. } = self;
        with_text(bytes, |text| stream.push(text, &mut |event| write(events, event)));
        self.give()
    }

    /// The stream is over.
    pub fn end(&mut self) -> usize {
        let Self { stream, events, .. } = self;
        stream.end(&mut |event| write(events, event));
        self.give()
    }

    /// Sets data: `[surface, segments, value]`.
    pub fn set_data(&mut self, bytes: usize) -> usize {
        let Self { stream, events, max_depth, .. } = self;
        // The value may be as deep as data may be; the model says what is wrong with one that is deeper.
        let input = with_text(bytes, |text| parse(text, *max_depth + 2)).unwrap_or_default();
        let part = |place: usize| input.as_array().and_then(|parts| parts.get(place)).cloned().unwrap_or_default();
        let (surface, path, value) = (part(0), part(1), part(2));
        let path: Vec<String> =
            path.as_array().into_iter().flatten().filter_map(|step| step.as_str().map(ToOwned::to_owned)).collect();
        let surface = surface.as_str().unwrap_or_default();
        if let Err(problem) = stream.set_data(surface, &path, value, &mut |event| write(events, event)) {
            write(events, &Event::Diagnostic { problem: &problem, line: 0, surface: Some(surface) });
        }
        self.give()
    }

    fn give(&mut self) -> usize {
        if self.events.is_empty() {
            return 0;
        }
        let length = respond(|out| {
            out.push('[');
            out.push_str(&self.events);
            out.push(']');
        });
        self.events.clear();
        if self.events.capacity() > KEPT {
            self.events = String::new();
        }
        length
    }
}

fn write(events: &mut String, event: &Event<'_>) {
    if !events.is_empty() {
        events.push(',');
    }
    event.write_json(events);
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
    respond(|out| {
        out.push('[');
        for (place, segment) in found.iter().enumerate() {
            if place > 0 {
                out.push(',');
            }
            write_string(out, segment);
        }
        out.push(']');
    })
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

//! The stream: messages into surfaces.

use super::data::Model;
use super::message::{Action, Message, read};
use super::reader::{Said, SurfaceReader};
use super::{Code, Event, Problem, Protocol};
use crate::edit::Edit;
use crate::limits::Limits;
use crate::value::{Object, Value, parse};

/// Takes what comes out, one event after the other.
type Out<'a> = &'a mut dyn FnMut(&Event<'_>);

/// A surface: its components, its data, what is known of it.
#[derive(Debug)]
struct Surface {
    id: Box<str>,
    components: Object,
    model: Model,
    info: Object,
}

/// Reads a stream of surface messages, in pieces of any size.
#[derive(Debug)]
pub struct SurfaceStream {
    reader: SurfaceReader,
    surfaces: Surfaces,
}

#[derive(Debug)]
struct Surfaces {
    limits: Limits,
    live: Vec<Surface>,
    /// The last ones that were deleted.
    deleted: Vec<Box<str>>,
}

impl SurfaceStream {
    /// A stream. With `partial`, components come out early, while their message is still arriving.
    #[must_use]
    pub fn new(limits: Limits, partial: bool) -> Self {
        Self {
            reader: SurfaceReader::new(&limits, partial),
            surfaces: Surfaces { limits, live: Vec::new(), deleted: Vec::new() },
        }
    }

    /// Takes a piece of text.
    pub fn push(&mut self, text: &str, out: Out<'_>) {
        let Self { reader, surfaces } = self;
        reader.read(text, &mut |said, line| surfaces.take(said, line, out));
    }

    /// The stream is over: what stands in its last line counts.
    pub fn end(&mut self, out: Out<'_>) {
        let Self { reader, surfaces } = self;
        reader.finish(&mut |said, line| surfaces.take(said, line, out));
    }

    /// The ids of the surfaces, in the order in which they came.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.surfaces.live.iter().map(|surface| &*surface.id)
    }

    /// The data of a surface.
    #[must_use]
    pub fn data_model(&self, surface: &str) -> Option<&Value> {
        Some(self.surfaces.get(surface)?.model.document.value())
    }

    /// The components of a surface, by id: `{type, weight?, props, protocol}`.
    #[must_use]
    pub fn components(&self, surface: &str) -> Option<&Object> {
        Some(&self.surfaces.get(surface)?.components)
    }

    /// What is known of a surface: `root`, `styles`, `catalogId`, `theme`, `sendDataModel`.
    #[must_use]
    pub fn info(&self, surface: &str) -> Option<&Object> {
        Some(&self.surfaces.get(surface)?.info)
    }

    /// Changes the data of a surface from outside the stream: an input was used.
    ///
    /// # Errors
    /// What is wrong; nothing has changed then.
    pub fn set_data(&mut self, surface: &str, path: &[String], value: Value, out: Out<'_>) -> Result<(), Problem> {
        // As in GULF: what the person entered replaces what stands in its way.
        let action = Action::Data { path: path.to_vec(), value: Some(value) };
        let Some(found) = self.surfaces.live.iter_mut().find(|own| &*own.id == surface) else {
            return Err(Problem::new(Code::UnknownSurface, format!("There is no surface \"{surface}\"."), ""));
        };
        found.take(action, Protocol::Gulf, &self.surfaces.limits, out).map(|_| ())
    }
}

/// What is wrong with a message, without a stream.
///
/// # Errors
/// The first problem.
pub fn check(text: &str, max_depth: usize) -> Result<(), Problem> {
    let invalid = |fault: String| Problem::new(Code::InvalidJson, fault, "");
    let value = parse(text, max_depth).map_err(|error| invalid(error.fault.to_string()))?;
    match read(value)?.warning {
        Some(warning) => Err(warning),
        None => Ok(()),
    }
}

impl Surfaces {
    fn get(&self, id: &str) -> Option<&Surface> {
        self.live.iter().find(|surface| &*surface.id == id)
    }

    fn take(&mut self, said: Said, line: usize, out: Out<'_>) {
        match said {
            Said::Message(message) => self.message(message, line, out),
            Said::Early { surface, component } if self.get(&surface).is_some() => {
                out(&Event::Components { surface: &surface, components: &[component], early: true });
            }
            Said::Early { .. } => {}
            Said::Settled => out(&Event::Settled),
            Said::Wrong(problem) => out(&Event::Diagnostic { problem: &problem, line, surface: None }),
        }
    }

    fn message(&mut self, message: Message, line: usize, out: Out<'_>) {
        let surface = message.surface.clone();
        let warning = message.warning.clone();
        let refused = match self.apply(message, out) {
            Ok(warning) => warning,
            Err(problem) => Some(problem),
        };
        for problem in warning.iter().chain(&refused) {
            out(&Event::Diagnostic { problem, line, surface: Some(&surface) });
        }
    }

    fn apply(&mut self, message: Message, out: Out<'_>) -> Result<Option<Problem>, Problem> {
        let Message { protocol, surface: id, action, .. } = message;
        let place = self.live.iter().position(|surface| surface.id == id);
        let place = match (&action, place) {
            (Action::Header, _) => return Ok(None),
            (Action::Delete, Some(place)) => {
                self.live.remove(place);
                if self.deleted.len() >= self.limits.max_surfaces.max(1) {
                    self.deleted.remove(0);
                }
                out(&Event::Deleted { surface: &id });
                self.deleted.push(id);
                return Ok(None);
            }
            (Action::Create(_), Some(_)) => {
                return Err(problem(Code::SurfaceExists, &id, "is there already: delete it first"));
            }
            (_, Some(place)) => place,
            (_, None) => {
                let begins = match (&action, protocol) {
                    (Action::Create(_), _) => true,
                    (Action::Delete, _) | (_, Protocol::A2ui09) => false,
                    // Without a message of its own a surface begins with whatever comes first.
                    (Action::Data { .. }, Protocol::A2ui08) => !self.deleted.contains(&id),
                    (_, Protocol::A2ui08 | Protocol::Gulf) => true,
                };
                if !begins && self.deleted.contains(&id) {
                    return Err(problem(Code::SurfaceDeleted, &id, "was deleted"));
                }
                if !begins {
                    return Err(problem(Code::UnknownSurface, &id, "is not there"));
                }
                if self.live.len() >= self.limits.max_surfaces {
                    let message = format!("More than {} surfaces.", self.limits.max_surfaces);
                    return Err(Problem::new(Code::LimitExceeded, message, ""));
                }
                let mut surface =
                    Surface { id: id.clone(), components: Object::new(), model: Model::default(), info: Object::new() };
                // It is there only if the message is taken.
                let mut begun = false;
                let info = Object::new();
                let taken = surface.take(action, protocol, &self.limits, &mut |event| {
                    if !std::mem::replace(&mut begun, true) && !matches!(event, Event::Surface { .. }) {
                        out(&Event::Surface { surface: &id, protocol, info: &info });
                    }
                    out(event);
                })?;
                if !begun {
                    out(&Event::Surface { surface: &id, protocol, info: &info });
                }
                self.deleted.retain(|other| *other != id);
                self.live.push(surface);
                return Ok(taken);
            }
        };
        match self.live.get_mut(place) {
            Some(surface) => surface.take(action, protocol, &self.limits, out),
            None => Ok(None),
        }
    }
}

impl Surface {
    /// Takes a message, or refuses it whole.
    fn take(
        &mut self,
        action: Action,
        protocol: Protocol,
        limits: &Limits,
        out: Out<'_>,
    ) -> Result<Option<Problem>, Problem> {
        let surface = &*self.id;
        match action {
            Action::Header | Action::Delete => {}
            Action::Create(info) | Action::Render(info) => {
                out(&Event::Surface { surface, protocol, info: &info });
                for (key, value) in info {
                    self.info.set(&key, value);
                }
            }
            Action::Components(components) => {
                let new = components.iter().filter(|(id, _)| !self.components.contains(id)).count();
                if self.components.len() + new > limits.max_components {
                    let message = format!("More than {} components.", limits.max_components);
                    return Err(Problem::new(Code::LimitExceeded, message, ""));
                }
                out(&Event::Components { surface, components: &components, early: false });
                for (id, component) in components {
                    self.components.set(&id, component);
                }
            }
            Action::Data { path, value } => {
                let tell = |edit: &Edit| out(&Event::Data { surface, edits: std::slice::from_ref(edit) });
                let overwritten = self
                    .model
                    .update(&path, value, protocol, limits, tell)
                    .map_err(|(code, message)| Problem::new(code, message, ""))?;
                return Ok(overwritten.map(|kind| {
                    let message = format!("A {kind} stood in the way of /{} and gave way.", path.join("/"));
                    Problem::new(Code::Overwritten, message, "").into_warning()
                }));
            }
        }
        Ok(None)
    }
}

#[cold]
fn problem(code: Code, surface: &str, is: &str) -> Problem {
    let shown: String = surface.chars().take(60).collect();
    Problem::new(code, format!("The surface \"{shown}\" {is}."), "")
}

//! The one form in which a path is handed on.

/// A path in its parts, on its way to the form that is handed on: `/` between segments, no `.`, no empty segment, no
/// `..` other than at the start.
#[derive(Clone, Debug, Default)]
pub(super) struct Normal<'a> {
    /// What stands before the first segment: nothing, `/`, or `//` (which names a server where it names anything).
    pub(super) prefix: &'static str,
    /// The segments.
    pub(super) segments: Vec<&'a str>,
    /// What had to be changed, one sentence each.
    pub(super) warnings: Vec<&'static str>,
}

/// What normalising changes: the sentence, and whether it happens to a path.
type Change = (&'static str, fn(&str) -> bool);

const CHANGES: [Change; 4] = [
    ("Backslashes were read as separators and written as \"/\".", |path| path.contains('\\')),
    ("Repeated separators or one at the end were left out.", |path| segments(path).any(str::is_empty)),
    ("Segments \".\" were left out.", |path| segments(path).any(|segment| segment == ".")),
    ("Segments \"..\" were resolved against the directories before them.", |path| {
        segments(path).skip_while(|segment| *segment == "..").any(|segment| segment == "..")
    }),
];

/// What separates segments, in the paths of any system.
pub(super) const SEPARATORS: [char; 2] = ['/', '\\'];

impl<'a> Normal<'a> {
    pub(super) fn of(path: &'a str) -> Self {
        let mut own: Vec<&str> = Vec::new();
        for segment in segments(path) {
            match (segment, own.last()) {
                ("" | ".", _) => {}
                ("..", Some(last)) if *last != ".." => {
                    own.pop();
                }
                _ => own.push(segment),
            }
        }
        let warnings = CHANGES.iter().filter(|(_, happens)| happens(path)).map(|(warning, _)| *warning).collect();
        Self { prefix: prefix(path), segments: own, warnings }
    }

    /// Whether it leads out of where it starts.
    pub(super) fn leaves(&self) -> bool {
        self.segments.first() == Some(&"..")
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}", self.prefix, self.segments.join("/"))
    }
}

/// The segments after the prefix, as they stand.
pub(super) fn segments(path: &str) -> impl DoubleEndedIterator<Item = &str> {
    let rest = path.get(prefix(path).len()..).unwrap_or_default();
    // More than two separators at the start mean one, so the others count as empty segments.
    (!rest.is_empty()).then(|| rest.split(SEPARATORS)).into_iter().flatten()
}

fn prefix(path: &str) -> &'static str {
    match path.chars().take_while(|c| SEPARATORS.contains(c)).count() {
        0 => "",
        2 => "//",
        _ => "/",
    }
}

//! The path policy of file tools: which paths a model may name, and the form in which they are handed on.
//!
//! A path is data that a model wrote after reading the web. [`check_path`] takes it only if it is relative, stays inside
//! the workspace, and means the same file on every system: what one system strips, folds, decodes or expands is refused
//! everywhere. What it takes comes back normalised: `/` between segments, no `.`, no `..`, no empty segment; each such
//! change is a warning. The result is a fixed point: checked again, it comes back as it is and without warnings.
//!
//! The rules are one table ([`rules`] lists it), in the order in which a person would name the fault; the first that
//! finds something gives the reason. A [`Policy`] narrows (`roots`, `denies`) or turns single rules `off`; without any,
//! all of them hold. What a name *means* (`.env`, lock files, the tool's own settings) is the host's to deny, and so are
//! links: the text of a path cannot tell where a link leads.
//!
//! ```
//! use genui_patch::block::policy::{Policy, check_path};
//!
//! let policy = Policy::default();
//! let checked = check_path(r"src\app\..\main.rs", &policy).unwrap();
//! assert_eq!(checked.path, "src/main.rs");
//! assert_eq!(checked.warnings.len(), 2);
//! assert_eq!(check_path("../secrets", &policy).unwrap_err().reason, "outside-root");
//! ```

mod characters;
mod glob;
mod normal;
mod rules;

use crate::value::Value;
use characters::quote;
use glob::Glob;
use normal::Normal;
use rules::{RULES, Subject};

/// What a host allows. The default is every rule, the whole workspace, and nothing denied.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The directories of which a path must be in one; `None` is the whole workspace, an empty list nothing at all.
    roots: Option<Vec<Root>>,
    denies: Vec<Glob>,
    off: Vec<&'static str>,
}

#[derive(Clone, Debug)]
struct Root {
    prefix: &'static str,
    segments: Vec<String>,
}

/// A path that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPath {
    /// The path, normalised.
    pub path: String,
    /// What normalising changed, one sentence each.
    pub warnings: Vec<String>,
}

/// Why something may not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that refused it.
    pub reason: &'static str,
    /// A sentence that says what was found, for people and models.
    pub message: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}

/// The names of the rules and what each refuses, in the order in which they are tried.
pub fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    RULES.iter().map(|rule| (rule.name, rule.refuses))
}

/// Takes a path that a model wrote, or says why not.
///
/// # Errors
/// The first rule of the table that finds something.
pub fn check_path(path: &str, policy: &Policy) -> Result<CheckedPath, Refusal> {
    let normal = Normal::of(path);
    let text = normal.text();
    let subject = Subject { written: path, normal: &normal, text: &text };
    for rule in RULES.iter().filter(|rule| !policy.off.contains(&rule.name)) {
        if let Some(found) = (rule.finds)(&subject, policy) {
            return Err(Refusal { reason: rule.name, message: rule.message.replace("{}", &found) });
        }
    }
    let warnings = normal.warnings.iter().map(|warning| (*warning).to_owned()).collect();
    Ok(CheckedPath { path: text, warnings })
}

/// A key of the option, and how it is read.
type Setting = (&'static str, fn(&mut Policy, &[&str]) -> Result<(), String>);

const OPTIONS: [Setting; 3] = [
    ("roots", |policy, texts| {
        let roots = texts.iter().enumerate().map(|(index, text)| Root::new(index, text));
        policy.roots = Some(roots.collect::<Result<_, _>>()?);
        Ok(())
    }),
    ("denies", |policy, texts| {
        for (index, text) in texts.iter().enumerate() {
            let glob = Glob::new(text).map_err(|fault| format!("policy.denies[{index}] ({}) {fault}.", quote(text)))?;
            policy.denies.push(glob);
        }
        Ok(())
    }),
    ("off", |policy, texts| {
        for text in texts {
            let Some(rule) = RULES.iter().find(|rule| rule.name == *text) else {
                let known = list(rules().map(|rule| rule.0));
                return Err(format!("policy.off: there is no rule {}; the rules are {known}.", quote(text)));
            };
            policy.off.push(rule.name);
        }
        Ok(())
    }),
];

impl Policy {
    /// Reads the option `{roots?: string[], denies?: string[], off?: string[]}`. `null` is as if it were not there.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut policy = Self::default();
        let object = match value {
            Value::Null => return Ok(policy),
            Value::Object(object) => object,
            other => return Err(format!("policy must be an object, not {}.", kind(other))),
        };
        for (key, value) in object.iter() {
            let Some((_, read)) = OPTIONS.iter().find(|option| option.0 == key) else {
                let known = list(OPTIONS.iter().map(|option| option.0));
                return Err(format!("policy has no option {}; the options are {known}.", quote(key)));
            };
            read(&mut policy, &texts(key, value)?)?;
        }
        Ok(policy)
    }

    fn is_in_roots(&self, path: &Normal<'_>) -> bool {
        self.roots.as_ref().is_none_or(|roots| roots.iter().any(|root| root.holds(path)))
    }
}

impl Root {
    fn new(index: usize, text: &str) -> Result<Self, String> {
        let fault = if text.trim().is_empty() {
            "is blank; \".\" is the whole workspace"
        } else if text.contains(['*', '?']) {
            "is a glob; roots are directories"
        } else {
            let normal = Normal::of(text);
            let segments = normal.segments.iter().map(|segment| (*segment).to_owned()).collect();
            return Ok(Self { prefix: normal.prefix, segments });
        };
        Err(format!("policy.roots[{index}] ({}) {fault}.", quote(text)))
    }

    /// Whether a path is below: the root's segments, then at least one that does not lead out again.
    fn holds(&self, path: &Normal<'_>) -> bool {
        let below = path.segments.get(self.segments.len()..).and_then(|rest| rest.first());
        let same = path.segments.iter().zip(&self.segments).all(|(own, root)| own == root);
        self.prefix == path.prefix && same && below.is_some_and(|first| *first != "..")
    }
}

fn texts<'a>(key: &str, value: &'a Value) -> Result<Vec<&'a str>, String> {
    let Value::Array(items) = value else {
        return Err(format!("policy.{key} must be a list of strings, not {}.", kind(value)));
    };
    let text = |(index, item): (usize, &'a Value)| {
        item.as_str().ok_or_else(|| format!("policy.{key}[{index}] must be a string, not {}.", kind(item)))
    };
    items.iter().enumerate().map(text).collect()
}

/// A value's kind with its article.
fn kind(value: &Value) -> String {
    let kind = value.kind();
    match value {
        Value::Null => kind.to_owned(),
        Value::Array(_) | Value::Object(_) => format!("an {kind}"),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => format!("a {kind}"),
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

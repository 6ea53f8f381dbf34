//! The path policy of file tools: checks and normalises the paths that models write.
//!
//! Paths are untrusted: the model may have read web pages that tell it what to write. [`check_path`] accepts a path
//! only if it is relative, stays inside the workspace, and means the same file on every system: text that any one
//! system would strip, fold, decode or expand is refused everywhere. Accepted paths are normalised: `/` between
//! segments, no `.`, no `..`, no empty segment. Each such change adds a warning. Normalisation is idempotent: a checked
//! path passes a second check unchanged and without warnings.
//!
//! The rules are one table ([`RULES`] lists their names), ordered so that the most helpful reason comes first; the
//! first rule that a path breaks gives the reason. A [`Policy`] restricts the paths further (`roots`, `denies`) or
//! turns single rules `off`. By default all rules apply. The host must itself deny files that are sensitive by their
//! meaning (`.env`, lock files, the tool's own settings), and must itself resolve links: the text of a path does not
//! show where a link leads.
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

use crate::value::text::trim_start;
use crate::value::{Value, concat, decimal, join};
use characters::quote;
use glob::Glob;
use normal::Normal;
use rules::{PathRule, Search};

pub use rules::{RULES, Refusal};

/// The settings of a host for [`check_path`]. The default: every rule, the whole workspace, nothing denied.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The allowed directories. `None` allows the whole workspace, an empty list nothing.
    roots: Option<Vec<String>>,
    /// The patterns of paths that are refused.
    denies: Vec<Glob>,
    /// The rules that are turned off: bit `n` is rule `n` of [`RULES`].
    off: u32,
}

/// A path that passed all rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedPath {
    /// The normalised path.
    pub path: String,
    /// The kinds of changes that normalisation made, one sentence each.
    pub warnings: Vec<String>,
}

/// Checks a path that a model wrote, and normalises it.
///
/// # Errors
/// The first rule of the table that the path breaks.
pub fn check_path(path: &str, policy: &Policy) -> Result<CheckedPath, Refusal> {
    let mut search = Search { off: policy.off, finding: None };
    search.check_length(path)?;
    let normal = Normal::of(path);
    let text = normal.text();
    search.check_text(path, &normal, &text);
    let is_outside_roots =
        policy.roots.as_ref().is_some_and(|roots| !roots.iter().any(|root| is_inside_root(root, &text)));
    search.check(PathRule::OutsideRoots, is_outside_roots, &text);
    search.check(PathRule::Denied, policy.denies(&normal), &text);
    search.refuse()?;
    Ok(CheckedPath { warnings: normal.warnings, path: text })
}

const OPTIONS: [&str; 3] = ["roots", "denies", "off"];

impl Policy {
    /// Parses `{roots?: string[], denies?: string[], off?: string[]}`. `null` gives the default policy.
    ///
    /// # Errors
    /// What is wrong with the value, as a sentence for developers.
    pub fn from_value(value: &Value) -> Result<Self, String> {
        let mut policy = Self::default();
        match value {
            Value::Null => {}
            Value::Object(options) => {
                for (key, items) in options.iter() {
                    policy.read_option(key, items)?;
                }
            }
            other => return Err(must_be("policy", "an object", other)),
        }
        Ok(policy)
    }

    /// Reads one option; the error is a sentence.
    fn read_option(&mut self, key: &str, value: &Value) -> Result<(), String> {
        if !OPTIONS.contains(&key) {
            let known = join(&OPTIONS, ", ");
            return Err(concat(&["policy has no option ", &quote(key), "; the options are ", &known, "."]));
        }
        let option = concat(&["policy.", key]);
        let Value::Array(items) = value else { return Err(must_be(&option, "a list of strings", value)) };
        if key == "roots" {
            self.roots = Some(Vec::new());
        }
        for (index, item) in items.iter().enumerate() {
            let item_path = concat(&[&option, "[", &decimal(index), "]"]);
            let Some(text) = item.as_str() else { return Err(must_be(&item_path, "a string", item)) };
            // `key` is one of `OPTIONS`: in the last two cases `off`.
            let fault = match (key, RULES.iter().position(|name| *name == text)) {
                ("roots", _) => self.add_root(text).err(),
                ("denies", _) => Glob::new(text).map(|glob| self.denies.push(glob)).err(),
                (_, Some(rule)) => {
                    self.off |= 1 << rule;
                    None
                }
                (_, None) => {
                    let (shown, known) = (quote(text), join(RULES, ", "));
                    return Err(concat(&[&option, ": there is no rule ", &shown, "; the rules are ", &known, "."]));
                }
            };
            if let Some(fault) = fault {
                return Err(concat(&[&item_path, " (", &quote(text), ") ", fault, "."]));
            }
        }
        Ok(())
    }

    /// Adds an allowed directory; the error continues a sentence that begins with the directory.
    fn add_root(&mut self, text: &str) -> Result<(), &'static str> {
        if trim_start(text).is_empty() {
            return Err("is blank; \".\" is the whole workspace");
        }
        if text.bytes().any(|byte| matches!(byte, b'*' | b'?')) {
            return Err("is a glob; roots are directories");
        }
        self.roots.get_or_insert_default().push(Normal::of(text).text());
        Ok(())
    }

    /// Whether the host denies the path.
    fn denies(&self, path: &Normal<'_>) -> bool {
        if self.denies.is_empty() {
            return false;
        }
        let mut folded = Vec::new();
        for segment in &path.segments {
            folded.push(characters::fold(segment));
        }
        self.denies.iter().any(|glob| glob.matches(&folded))
    }
}

/// Whether a path is inside a directory and does not leave it again through `..`. Both are normalised.
fn is_inside_root(root: &str, path: &str) -> bool {
    let rest = path.strip_prefix(root);
    // The path in the directory. A root that is empty or ends with a slash needs no other slash before it.
    let inner =
        if root.is_empty() || root.ends_with('/') { rest } else { rest.and_then(|rest| rest.strip_prefix('/')) };
    // Not the directory itself, no absolute path (if the root is empty), and none that leaves the directory.
    inner
        .is_some_and(|inner| !inner.is_empty() && !inner.starts_with('/') && inner != ".." && !inner.starts_with("../"))
}

/// The error for an option that has the wrong type, e.g. "policy.off[0] must be a string, not a number."
fn must_be(option: &str, wanted: &str, value: &Value) -> String {
    let article = match value {
        Value::Null => "",
        Value::Array(_) | Value::Object(_) => "an ",
        Value::Bool(_) | Value::Number(_) | Value::String(_) => "a ",
    };
    concat(&[option, " must be ", wanted, ", not ", article, value.kind(), "."])
}

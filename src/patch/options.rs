//! The options of a run of patches.

use super::rules::{Catalog, Rules, Values};
use crate::limits::Limits;

/// How a call goes on when one of its patches fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The whole call is undone.
    #[default]
    Rollback,
    /// The call ends there; earlier patches stay applied.
    Stop,
    /// Failing patches are skipped.
    Skip,
}

impl OnError {
    /// The mode with this name in options.
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [("rollback", Self::Rollback), ("stop", Self::Stop), ("skip", Self::Skip)];
        modes.into_iter().find(|(mode_name, _)| *mode_name == name).map(|(_, mode)| mode)
    }
}

/// The rules, vocabulary and limits for patches, and how a call goes on when one fails.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// The rules of the document.
    pub rules: Rules,
    /// The vocabulary that the host adds.
    pub catalog: &'a Catalog,
    /// The treatment of a value that its field does not accept.
    pub values: Values,
    /// The limits on sizes, depths and counts.
    pub limits: &'a Limits,
    /// How the call goes on when a patch fails.
    pub on_error: OnError,
    /// Whether the call creates the instance. Only then `create` works, and the page key and the schema version may change.
    pub creates_instance: bool,
}

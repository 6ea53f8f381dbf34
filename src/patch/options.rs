//! What a run of patches is given beside the patches.

use super::rules::{Catalog, Rules};
use crate::limits::Limits;

/// What happens to a call when one of its patches fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Nothing of the call remains.
    #[default]
    Rollback,
    /// What came before the failure remains.
    Stop,
    /// The failing patches are left out.
    Skip,
}

impl OnError {
    /// The mode of a name, as options write it.
    pub fn from_name(name: &str) -> Option<Self> {
        let modes = [("rollback", Self::Rollback), ("stop", Self::Stop), ("skip", Self::Skip)];
        modes.into_iter().find(|(own, _)| *own == name).map(|(_, mode)| mode)
    }
}

/// The rules, words and limits under which patches are taken, and what happens when one fails.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions<'a> {
    /// The rules of the document.
    pub rules: Rules,
    /// Words that the host adds.
    pub catalog: &'a Catalog,
    /// Limits.
    pub limits: &'a Limits,
    /// What happens when a patch fails.
    pub on_error: OnError,
    /// Whether the call makes the instance: its page key is not fixed yet, and it is checked whole afterwards.
    pub creating: bool,
}

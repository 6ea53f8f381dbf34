//! The reasons why a text cannot be repaired.

/// Why a text cannot be repaired. One byte, since nearly every step of the repair returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unrepairable {
    /// The text is cut off, or damaged in a way that no fix undoes.
    NoFix,
    /// The text has two readings.
    Ambiguous(Doubt),
}

/// The part of a text that has two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doubt {
    /// A string may end at one quote or at a later one, e.g. `"say "hi", he said"`.
    End,
    /// The backslashes of a string may be escapes or code, e.g. `"C:\new\data"`.
    Escapes,
    /// Either of two values may be the intended one, e.g. `{} {}`.
    Value,
}

/// The result of a step of the repair.
pub(super) type RepairResult<T = ()> = Result<T, Unrepairable>;

//! How changes cross to JavaScript: of each the number of its kind, its path, and the parts of that kind. `scripts/facts`
//! writes this table for `src/js/store/reply.ts`.

/// A part of a change, after its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangePart {
    /// The new value.
    Value,
    /// The path that a move starts from.
    From,
    /// The index of a key in the order of its object.
    Index,
    /// The key after an inserted one, or `null`.
    Next,
}

impl ChangePart {
    /// The name of the part in a `Change` of the JavaScript API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::From => "from",
            Self::Index => "index",
            Self::Next => "next",
        }
    }
}

/// A kind of change, by the parts that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// `Edit::Set`
    Set,
    /// `Edit::Insert` without an index
    Insert,
    /// `Edit::Insert` with an index
    InsertAt,
    /// `Edit::Remove`
    Remove,
    /// `Edit::Move` without an index
    Move,
    /// `Edit::Move` with an index, which only edit scripts have
    MoveTo,
}

impl ChangeKind {
    /// All kinds, each at the index that is its number.
    pub const ALL: [Self; 6] = [Self::Set, Self::Insert, Self::InsertAt, Self::Remove, Self::Move, Self::MoveTo];

    /// The `kind` in a `Change` of the JavaScript API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Set => "set",
            Self::Insert | Self::InsertAt => "insert",
            Self::Remove => "remove",
            Self::Move | Self::MoveTo => "move",
        }
    }

    /// The parts after the path, in order.
    pub const fn parts(self) -> &'static [ChangePart] {
        match self {
            Self::Set | Self::Insert => &[ChangePart::Value],
            Self::InsertAt => &[ChangePart::Value, ChangePart::Index, ChangePart::Next],
            Self::Remove => &[],
            Self::Move => &[ChangePart::From],
            Self::MoveTo => &[ChangePart::From, ChangePart::Index],
        }
    }
}

//! The format in which a reply passes changes to JavaScript: one flat list, in which each change is the number of its kind, its
//! path, and the parts that this kind has. `scripts/facts` writes the table of kinds for `src/js/store/reply.ts`, which reads
//! the list.

/// A part of a change, after its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangePart {
    /// The new value.
    Value,
    /// The path that a move starts from.
    From,
    /// The position of a key in the order of its object's keys.
    Index,
    /// The key before which JavaScript inserts the new one, or `null` to append it.
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
    /// `Edit::Insert` of an item, or of the last key of an object
    Insert,
    /// `Edit::Insert` of a key before the last one, at an index
    InsertAt,
    /// `Edit::Remove`
    Remove,
    /// `Edit::Move` of an item, or to the end of an object
    Move,
    /// `Edit::Move` to another position in an object, which only edit scripts do
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

//! Where something stands in a text, as a person and as JavaScript count.

/// A place in a text: UTF-16 code units from 0, line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// UTF-16 code units before it.
    pub offset: usize,
    /// The line, from 1; `\n` ends a line.
    pub line: usize,
    /// UTF-16 code units before it in its line, plus 1.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset of `text`. Costs a walk: errors keep byte offsets and are rendered late.
    #[must_use]
    pub fn of(text: &str, byte: usize) -> Self {
        let before = text.char_indices().take_while(|(place, _)| *place < byte).map(|(_, char)| char);
        before.fold(Self { offset: 0, line: 1, column: 1 }, |at, char| {
            let offset = at.offset + char.len_utf16();
            match char {
                '\n' => Self { offset, line: at.line + 1, column: 1 },
                _ => Self { offset, line: at.line, column: at.column + char.len_utf16() },
            }
        })
    }

    /// The position that is `step` further than this one.
    pub(crate) const fn after(self, step: Self) -> Self {
        let column = if step.line > 1 { step.column } else { self.column + step.column - 1 };
        Self { offset: self.offset + step.offset, line: self.line + step.line - 1, column }
    }
}

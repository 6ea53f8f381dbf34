//! `codes!`: declares a table of codes once. The enum, the names and their meanings come from it.
//!
//! ```text
//! codes! {
//!     /// The comment of the enum.
//!     Enum;
//!     Variant "NAME_FOR_JAVASCRIPT" "What it means.",
//! }
//! ```

macro_rules! codes {
    ($(#[doc = $about:literal])+ $type:ident; $($code:ident $name:literal $doc:literal,)+) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $doc] $code,)+
        }

        impl $type {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// The name that JavaScript sees.
            #[must_use]
            pub fn name(self) -> &'static str {
                // A text with a line for each code takes less space than a slice of texts.
                crate::value::text::line(concat!($($name, "\n"),+), self as usize)
            }

            /// The meaning.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                crate::value::text::line(concat!($($doc, "\n"),+), self as usize)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

pub(crate) use codes;

//! Tables of codes, each written once: the enum, the names on the wire and the list of all come from it.

macro_rules! codes {
    ($about:literal; $($code:ident $name:literal $doc:literal,)+) => {
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $(#[doc = $doc] $code,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// The name that JavaScript sees.
            pub fn name(self) -> &'static str {
                crate::value::text::line(concat!($($name, "\n"),+), self as usize)
            }
        }

        impl std::fmt::Display for Code {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }
    };
}

pub(crate) use codes;

//! Which URLs may become a link or an image.
//!
//! A URL that a model wrote is judged as a browser would read it: without the tabs and line ends in it and the blanks
//! and control characters around it, which browsers drop before they look for the scheme. That form comes back.
//!
//! - `http:` and `https:` with a host; without user names, which make `https://bank.example@evil.example` look right;
//! - `//host/…`, which is `http(s):` with the page's own scheme: same rules;
//! - `mailto:` and `tel:` for links;
//! - `data:` with an image of [`IMAGES`] for images; SVG among them, since an image runs no scripts (a frame would);
//! - relative URLs: a path, `?query`, `#fragment`. A `:` before the first `/`, `?` or `#` is a scheme, known or not
//!   (RFC 3986, 4.2), so `example.com:80/x` and `java script:x` are refused and `./a:b` is not.
//!
//! Character references (`javascript&colon;…`) are harmless in an attribute that is set and harmful in HTML that is
//! written; they are refused where a scheme could come out of them. So are backslashes before the query, which browsers
//! read as `/` and people do not.
//!
//! ```
//! use genui_patch::block::url::{UrlKind, safe_url};
//!
//! assert_eq!(safe_url(" https://example.com/a\n", UrlKind::Link).unwrap(), "https://example.com/a");
//! assert_eq!(safe_url("java\tscript:alert(1)", UrlKind::Link).unwrap_err().reason, "scheme");
//! ```

use super::policy::Refusal;

/// What a URL is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UrlKind {
    /// Somewhere to go.
    #[default]
    Link,
    /// Something to show.
    Image,
}

impl UrlKind {
    /// The kind of that name: `"link"` or `"image"`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "link" => Some(Self::Link),
            "image" => Some(Self::Image),
            _ => None,
        }
    }
}

/// What comes after a scheme.
#[derive(Clone, Copy)]
enum Rest {
    /// `//host` and more.
    Host,
    /// Anything.
    Any,
    /// One of [`IMAGES`], then `,` or `;`.
    Image,
}

/// The schemes that are allowed, for which kinds, and what must follow.
const SCHEMES: [(&str, &[UrlKind], Rest); 5] = [
    ("http", &[UrlKind::Link, UrlKind::Image], Rest::Host),
    ("https", &[UrlKind::Link, UrlKind::Image], Rest::Host),
    ("mailto", &[UrlKind::Link], Rest::Any),
    ("tel", &[UrlKind::Link], Rest::Any),
    ("data", &[UrlKind::Image], Rest::Image),
];

/// The image types that a `data:` URL may carry. `image/jpg` is no type, but what many write.
pub const IMAGES: [&str; 7] =
    ["image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp", "image/avif", "image/svg+xml"];

/// A reason and its sentence.
type Fault = (&'static str, &'static str);

const EMPTY: Fault = ("empty", "The URL is empty.");
const CONTROL: Fault = ("control-character", "The URL contains a control character.");
const REFERENCE: Fault =
    ("character-reference", "The URL begins with an HTML character reference, which can hide a scheme.");
const BACKSLASH: Fault = ("backslash", "The URL contains a backslash, which browsers read as a slash.");
const SCHEME: Fault = ("scheme", "The URL's scheme is not allowed here; http:, https: and relative URLs always are.");
const DATA: Fault = ("data", "Of data URLs only images are allowed: PNG, JPEG, GIF, WebP, AVIF, SVG.");
const HOST: Fault = ("host", "The URL names no host; write it as https://host/path.");
const CREDENTIALS: Fault = ("credentials", "The URL carries a user name, which hides where it leads.");

/// Takes a URL that a model wrote, in the form in which a browser reads it, or says why not. What comes back is taken
/// again as it is.
///
/// # Errors
/// The first of `empty`, `control-character`, `character-reference`, `backslash`, `scheme`, `data`, `host`,
/// `credentials` that applies.
pub fn safe_url(url: &str, kind: UrlKind) -> Result<String, Refusal> {
    let url: String = url.trim_matches(|c| c <= ' ').chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    match fault(&url, kind) {
        None => Ok(url),
        Some((reason, message)) => Err(Refusal { reason, message: message.to_owned() }),
    }
}

fn fault(url: &str, kind: UrlKind) -> Option<Fault> {
    let (scheme, rest) = split_scheme(url);
    let row = SCHEMES.iter().find(|row| scheme.is_some_and(|scheme| row.0.eq_ignore_ascii_case(scheme)));
    match (scheme, row) {
        _ if url.is_empty() => Some(EMPTY),
        _ if url.chars().any(char::is_control) => Some(CONTROL),
        _ if hides_scheme(url) => Some(REFERENCE),
        _ if before(url, &['?', '#']).contains('\\') => Some(BACKSLASH),
        (None, _) if rest.starts_with("//") => host_fault(rest),
        (None, _) => None,
        (Some(_), Some((_, kinds, after))) if kinds.contains(&kind) => match after {
            Rest::Host => host_fault(rest),
            Rest::Any => None,
            Rest::Image => (!is_image(rest)).then_some(DATA),
        },
        (Some(_), _) => Some(SCHEME),
    }
}

/// What stands before the first `:`, if no `/`, `?` or `#` comes earlier, and what follows it.
fn split_scheme(url: &str) -> (Option<&str>, &str) {
    let head = before(url, &['/', '?', '#']);
    match head.find(':') {
        Some(colon) => (url.get(..colon), url.get(colon + 1..).unwrap_or_default()),
        None => (None, url),
    }
}

/// Whether a character reference stands where a scheme or its colon could be.
fn hides_scheme(url: &str) -> bool {
    let head = before(url, &['/', '?', ':']);
    // In a fragment there is no scheme, but the `#` of `&#58;` begins none.
    let mut places =
        head.match_indices('&').map(|(place, _)| head.split_at(place)).take_while(|(prior, _)| !prior.contains('#'));
    places.any(|(_, reference)| {
        let mut name = reference.chars().skip(1).skip_while(char::is_ascii_alphanumeric);
        reference.starts_with("&#") || (name.next() == Some(';') && !reference.starts_with("&;"))
    })
}

/// What is wrong with `//user@host:port/…`.
fn host_fault(rest: &str) -> Option<Fault> {
    let authority = before(rest.strip_prefix("//").unwrap_or_default(), &['/', '?', '#']);
    if authority.contains('@') {
        Some(CREDENTIALS)
    } else if authority.is_empty() || authority.starts_with(':') || authority.contains(char::is_whitespace) {
        Some(HOST)
    } else {
        None
    }
}

fn is_image(rest: &str) -> bool {
    let media = before(rest, &[';', ',']);
    // Without a comma there is no data, and the type is not one.
    rest.contains(',') && IMAGES.iter().any(|image| image.eq_ignore_ascii_case(media))
}

fn before<'a>(text: &'a str, ends: &[char]) -> &'a str {
    text.split(ends).next().unwrap_or_default()
}

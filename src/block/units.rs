//! Measuring text by what fits into a limit.

/// As much of the text as fits into so many bytes.
pub(super) fn fitting(text: &str, bytes: usize) -> &str {
    let ends = (0..=bytes.min(text.len())).rev();
    ends.filter_map(|end| text.get(..end)).next().unwrap_or_default()
}

//! Numbers in JSON text.

/// Reads a number of the JSON grammar (RFC 8259, section 6); `None` for anything else.
pub(super) fn parse_number(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if whole == 0 || (whole > 1 && digits.first() == Some(&b'0')) {
        return None;
    }
    // Most numbers of a page are small integers, which need no decimal arithmetic.
    if whole == digits.len() && whole < 16 {
        let value = digits.iter().fold(0_u64, |value, byte| value * 10 + u64::from(byte - b'0'));
        #[expect(clippy::cast_precision_loss, reason = "below 10^15 every integer is a double")]
        let value = value as f64;
        return Some(if digits.len() < bytes.len() && value != 0.0 { -value } else { value });
    }
    let rest = digits.get(whole..)?;
    let rest = match rest.strip_prefix(b".") {
        None => rest,
        Some(fraction) => skip_digits(fraction)?,
    };
    let rest = match rest.split_first() {
        Some((b'e' | b'E', exponent)) => {
            skip_digits(exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent))?
        }
        Some(_) | None => rest,
    };
    // `+ 0.0` turns -0 into 0.
    if rest.is_empty() { text.parse().ok().map(|value: f64| value + 0.0) } else { None }
}

fn skip_digits(text: &[u8]) -> Option<&[u8]> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.get(digits..).filter(|_| digits > 0)
}

//! The functions of the platform by the standard library. They give what JavaScript gives; only `fold_case` and `compose` know
//! fewer accents.

use std::fmt::Write as _;

/// Parses a number in the grammar of JSON.
pub(crate) fn parse_decimal(text: &str) -> f64 {
    text.parse().unwrap_or_default()
}

/// Appends a finite number as ECMAScript writes it.
pub(crate) fn write_decimal(out: &mut String, number: f64) {
    // `{:e}` writes the shortest digits that parse as the same number, as ECMAScript requires.
    let scientific = format!("{:e}", number.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    // If it is negative, so many zeros follow the point: -2 for `0.00123`.
    let digits_before_point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let digit_count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if number < 0.0 {
        out.push('-');
    }
    let whole_length = usize::try_from(digits_before_point.clamp(0, digit_count)).unwrap_or_default();
    let (whole, fraction) = digits.split_at(whole_length);
    // Writing to a String cannot fail. ECMAScript writes an exponent below 1e-6 and from 1e21 on.
    let _ = match digits_before_point {
        ..=-6 | 22.. => {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let sign = if digits_before_point > 0 { '+' } else { '-' };
            write!(out, "{first}{dot}{rest}e{sign}{}", (digits_before_point - 1).abs())
        }
        -5..=0 => {
            let zeros_after_point = digits_before_point.unsigned_abs() as usize;
            write!(out, "0.{:0>width$}", digits, width = zeros_after_point + digits.len())
        }
        1..=21 if fraction.is_empty() => {
            let zeros_after_digits = usize::try_from(digits_before_point - digit_count).unwrap_or_default();
            write!(out, "{whole}{:0<width$}", "", width = zeros_after_digits)
        }
        1..=21 => write!(out, "{whole}.{fraction}"),
    };
}

/// A text in upper, then in lower case: two names with the same result may be one file. Accents are not normalized here.
pub(crate) fn fold_case(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}

/// For each combining mark, pairs of a letter and its composition with the mark, e.g. `AÀ`, without separators. The compositions
/// are those of Latin-1 and Latin Extended-A.
const COMPOSED: &[(char, &str)] = &[
    ('\u{300}', "AÀEÈIÌOÒUÙaàeèiìoòuù"),
    ('\u{301}', "AÁEÉIÍOÓUÚYÝaáeéiíoóuúyýCĆcćLĹlĺNŃnńRŔrŕSŚsśZŹzź"),
    ('\u{302}', "AÂEÊIÎOÔUÛaâeêiîoôuûCĈcĉGĜgĝHĤhĥJĴjĵSŜsŝWŴwŵYŶyŷ"),
    ('\u{303}', "AÃNÑOÕaãnñoõIĨiĩUŨuũ"),
    ('\u{308}', "AÄEËIÏOÖUÜaäeëiïoöuüyÿYŸ"),
    ('\u{30a}', "AÅaåUŮuů"),
    ('\u{327}', "CÇcçGĢgģKĶkķLĻlļNŅnņRŖrŗSŞsşTŢtţ"),
    ('\u{304}', "AĀaāEĒeēIĪiīOŌoōUŪuū"),
    ('\u{306}', "AĂaăEĔeĕGĞgğIĬiĭOŎoŏUŬuŭ"),
    ('\u{328}', "AĄaąEĘeęIĮiįUŲuų"),
    ('\u{307}', "CĊcċEĖeėGĠgġIİZŻzż"),
    ('\u{30c}', "CČcčDĎdďEĚeěLĽlľNŇnňRŘrřSŠsšTŤtťZŽzž"),
    ('\u{30b}', "OŐoőUŰuű"),
];

/// A text in the normalization form C, for the letters of [`COMPOSED`] only.
pub(crate) fn compose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        let pairs = COMPOSED.iter().find(|(mark, _)| *mark == char).map_or("", |(_, pairs)| pairs);
        let mut letters = pairs.chars();
        // The letter that replaces a letter of the pairs and its mark `char`; `None` if `out` ends with no letter of the pairs.
        let mut composition = None;
        while let (None, Some(letter), Some(letter_with_mark)) = (composition, letters.next(), letters.next()) {
            composition = out.ends_with(letter).then_some(letter_with_mark);
        }
        if composition.is_some() {
            out.pop();
        }
        out.push(composition.unwrap_or(char));
    }
    out
}

/// The host's verdict on a value that only the host can check. A native program has no such host, so every value fits.
pub(crate) const fn ask_host(_: &str) -> String {
    String::new()
}

//! Request ids and progress tokens, kept as the token the peer wrote.
use core::cmp::Ordering;

use crate::scan::CodePoints;

/// The order of two id tokens (raw JSON: a string with its quotes, or a number), equal if and only if they have the same
/// JSON type and value: `"7"` is not `7`, `1.0` is `1`, `"\u0061"` is `"a"`, `-0` is `0`, and 2^53+1 is not 2^53.
/// Numbers are compared as sign, digits and exponent, never expanded; exponents beyond an `i64` count as its ends.
/// A string sorts after every number.
pub fn compare(a: &str, b: &str) -> Ordering {
    match (string(a), string(b)) {
        _ if a == b => Ordering::Equal,
        // UTF-8 has the order of its code points.
        (Some(a), Some(b)) if !a.contains('\\') && !b.contains('\\') => a.cmp(b),
        (Some(a), Some(b)) => CodePoints::new(a).cmp(CodePoints::new(b)),
        (None, None) if is_plain(a) && is_plain(b) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
        (None, None) => Number::of(a).compare(&Number::of(b)),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

/// Whether a token is a whole number (`3.0` and `1e3` are). Tokens of other JSON types are not.
pub fn is_integral(token: &str) -> bool {
    let number = token.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    is_plain(token) || number && Number::of(token).is_integral()
}

/// The value of a token that is a whole number from 0 to 2^64-1.
pub fn as_u64(token: &str) -> Option<u64> {
    if let Ok(number) = token.parse() {
        return Some(number);
    }
    if !is_integral(token) {
        return None;
    }
    let number = Number::of(token);
    if number.is_zero() {
        return Some(0);
    }
    // 2^64 has twenty digits.
    let places = usize::try_from(number.exponent).ok().filter(|&places| places <= 20)?;
    if number.negative {
        return None;
    }
    number
        .digits()
        .chain(core::iter::repeat(b'0'))
        .take(places)
        .try_fold(0u64, |value, digit| value.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
}

/// Digits alone, which nearly all ids are. JSON has no zeros in front of them.
fn is_plain(token: &str) -> bool {
    !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit())
}

fn string(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

/// The value of a number token, spelled the same for all tokens of that value.
pub(crate) fn canonical(token: &str, mut out: impl FnMut(&[u8])) {
    let number = Number::of(token);
    out(if number.negative { b"-" } else { b"+" });
    out(number.whole);
    out(number.fraction);
    out(b"e");
    out(&number.exponent.to_be_bytes());
}

/// A number token as sign, digits without zeros at either end, and the exponent of `0.digits`. Zero has no digits.
struct Number<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
}

impl<'a> Number<'a> {
    fn of(token: &'a str) -> Self {
        let (negative, token) = match token.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, token),
        };
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let (mut whole, mut fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let mut places = length(whole);
        if whole.is_empty() {
            let significant = fraction.trim_start_matches('0');
            places = length(significant) - length(fraction);
            fraction = significant;
        }
        if fraction.is_empty() {
            whole = whole.trim_end_matches('0');
        }
        if whole.is_empty() && fraction.is_empty() {
            return Self { negative: false, whole: &[], fraction: &[], exponent: 0 };
        }
        let exponent = saturated(exponent).saturating_add(places);
        Self { negative, whole: whole.as_bytes(), fraction: fraction.as_bytes(), exponent }
    }
    const fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }
    fn digits(&self) -> impl Iterator<Item = u8> {
        self.whole.iter().chain(self.fraction).copied()
    }
    fn is_integral(&self) -> bool {
        let digits = i64::try_from(self.whole.len() + self.fraction.len()).unwrap_or(i64::MAX);
        self.is_zero() || self.exponent >= digits
    }
    fn compare(&self, other: &Self) -> Ordering {
        let sign = |number: &Self| match (number.is_zero(), number.negative) {
            (true, _) => 0,
            (_, true) => -1,
            _ => 1,
        };
        sign(self).cmp(&sign(other)).then_with(|| {
            let size = self.exponent.cmp(&other.exponent).then_with(|| self.digits().cmp(other.digits()));
            if self.negative { size.reverse() } else { size }
        })
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

fn saturated(exponent: &str) -> i64 {
    exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_equal() {
        for (a, b) in [
            ("1", "1.0"),
            ("1e3", "1000"),
            ("10", "1e1"),
            ("0.001", "1e-3"),
            ("120e-1", "12"),
            ("0.00120e4", "12"),
            ("-0", "0"),
            ("0e999999999999999999999", "0.000"),
            ("-1.50", "-15E-1"),
            ("1e999999999", "10e999999998"),
            ("\"a\"", "\"\\u0061\""),
            ("\"\\/\"", "\"/\""),
            ("\"\u{1f600}\"", "\"\\ud83d\\ude00\""),
        ] {
            assert_eq!(compare(a, b), Ordering::Equal, "{a} {b}");
            assert_eq!(compare(b, a), Ordering::Equal, "{b} {a}");
        }
    }

    #[test]
    fn other_values_are_ordered() {
        let rising = [
            "-1e999999999999999999999",
            "-10",
            "-2",
            "-1.5",
            "-1e-9",
            "0",
            "1e-999999999",
            "0.99",
            "1",
            "7",
            "9007199254740992",
            "9007199254740993",
            "9.1e15",
            "1e999999999",
            "1e999999999999999999999",
            "\"\"",
            "\"7\"",
            "\"a\"",
            "\"ab\"",
            "\"\\ud800\"",
            "\"\\ud801\"",
            "\"\\ufffd\"",
            "\"\u{1f600}\"",
        ];
        for (at, a) in rising.iter().enumerate() {
            for (other, b) in rising.iter().enumerate() {
                assert_eq!(compare(a, b), at.cmp(&other), "{a} {b}");
            }
        }
    }

    #[test]
    fn whole_numbers_are_recognised() {
        for token in ["0", "-0", "3", "3.0", "1e3", "1.5e1", "1200e-2", "-7", "1e999999999", "0.0e-5"] {
            assert!(is_integral(token), "{token}");
        }
        for token in ["0.5", "1e-1", "1.25e1", "1200e-3", "1e-999999999999999999999", "\"1\""] {
            assert!(!is_integral(token), "{token}");
        }
        for token in ["null", "true", "false", "{}", "[]", "[1,2]", "{\"a\":1}"] {
            assert!(!is_integral(token), "{token}");
            assert_eq!(as_u64(token), None, "{token}");
        }
    }

    #[test]
    fn whole_numbers_have_values() {
        for (token, value) in [
            ("0", Some(0)),
            ("-0.0", Some(0)),
            ("7", Some(7)),
            ("1.5e1", Some(15)),
            ("100e-2", Some(1)),
            ("9007199254740993", Some(9_007_199_254_740_993)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("1e19", Some(10_000_000_000_000_000_000)),
            ("1e20", None),
            ("1e999999999", None),
            ("-1", None),
            ("0.5", None),
            ("\"7\"", None),
        ] {
            assert_eq!(as_u64(token), value, "{token}");
        }
    }
}

//! Request ids and progress tokens, kept as the token the peer wrote.
use core::cmp::Ordering;

/// The order of two id tokens (raw JSON: a string with its quotes, or a number), equal if and only if they have the same
/// JSON type and value: `"7"` is not `7`, `1.0` is `1`, `"\u0061"` is `"a"`, `-0` is `0`, and 2^53+1 is not 2^53.
/// Numbers are compared as sign, digits and exponent, never expanded. A string sorts after every number.
pub fn compare(a: &str, b: &str) -> Ordering {
    let _ = (a, b);
    todo!()
}

/// Whether a number token is a whole number (`3.0` and `1e3` are).
pub fn is_integral(token: &str) -> bool {
    let _ = token;
    todo!()
}

/// The value of a number token that is a whole number from 0 to 2^64-1.
pub fn as_u64(token: &str) -> Option<u64> {
    let _ = token;
    todo!()
}

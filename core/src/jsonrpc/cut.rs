//! What can still be told of a message of which only the two ends are there.

/// The id of a response with a number as its id, from the bytes that it begins with and, where they are known, those that
/// it ends with. It is told only from members at the top of the message, and only if one of them is `result` or `error`.
pub(crate) fn response_id<'a>(head: &'a [u8], tail: &'a [u8]) -> Option<&'a str> {
    let mut rest = head.trim_ascii_start().strip_prefix(b"{")?.trim_ascii_start();
    let (mut id, mut response) = (None, false);
    while let Some((key, after)) = string(rest) {
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        match key {
            b"result" | b"error" => {
                response = true;
                break;
            }
            b"method" => return None,
            _ => {}
        }
        // Past a value that is neither object nor array.
        let end = match string(value) {
            Some((_, after)) => value.len() - after.len(),
            None => value.iter().position(|byte| b",}{[ \t".contains(byte))?,
        };
        let (token, after) = value.split_at_checked(end)?;
        if key == b"id" {
            id = digits(token);
        }
        let Some(next) = after.trim_ascii_start().strip_prefix(b",") else { break };
        rest = next.trim_ascii_start();
    }
    if response { id.or_else(|| last_id(tail)) } else { None }
}

/// The `id` that is the last member but for `jsonrpc`: what stands before the last brace is at the top.
fn last_id(tail: &[u8]) -> Option<&str> {
    let members = tail.trim_ascii_end().strip_suffix(b"}")?;
    for member in members.rsplit(|byte| *byte == b',').take(2) {
        let (key, after) = string(member.trim_ascii_start())?;
        let value = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii();
        match key {
            b"id" => return digits(value),
            b"jsonrpc" => {}
            _ => return None,
        }
    }
    None
}

/// A string without escapes, and what follows it.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.strip_prefix(b"\"")?;
    let end = text.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (string, rest) = text.split_at_checked(end)?;
    Some((string, rest.strip_prefix(b"\"")?))
}

fn digits(token: &[u8]) -> Option<&str> {
    let number = !token.is_empty() && token.iter().all(u8::is_ascii_digit);
    number.then(|| core::str::from_utf8(token).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::response_id;

    #[test]
    fn an_id_is_told_from_either_end() {
        for (head, tail, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"x"#, "", Some("7")),
            (r#" { "id" : 12 , "jsonrpc" : "2.0" , "error" :"#, "", Some("12")),
            (r#"{"jsonrpc":"2.0","result":{"id":3,"#, r#""id":4}],"id":5}"#, Some("5")),
            (r#"{"jsonrpc":"2.0","result":{"id":3,"#, r#"{"id":4}],"x":1},"id":5}"#, Some("5")),
            (r#"{"result":{"x"#, r#"yy"},"jsonrpc":"2.0","id":31}"#, Some("31")),
            (r#"{"result":{"x"#, r#"yy"}, "id": 31, "jsonrpc": "2.0" } "#, Some("31")),
            (r#"{"result":{"x"#, r#"y"},"jsonrpc":"2.0"},"id":31}}"#, None),
            (r#"{"result":{"x"#, r#","id":31,"a":1,"jsonrpc":"2.0"}"#, None),
            (r#"{"result":{"x"#, r#"y,"id":"31"}"#, None),
            (r#"{"result":{"x"#, "", None),
            (r#"{"jsonrpc":"2.0","id":7,"method":"a","params":{"x"#, r#","id":7}"#, None),
            (r#"{"method":"a","id":7,"result":{"#, "", None),
            (r#"{"jsonrpc":"2.0","id":7,"x":{"result":1"#, "", None),
            (r#"{"jsonrpc":"2.0","id":"7","result":{"#, "", None),
            (r#"{"jsonrpc":"2.0","id":-7,"result":{"#, "", None),
            (r#"{"jsonrpc":"2.0","id":7"#, "", None),
            (r#"[{"jsonrpc":"2.0","id":7,"result":{"#, "", None),
            ("xxxx", "yyyy", None),
            ("", "", None),
        ] {
            assert_eq!(response_id(head.as_bytes(), tail.as_bytes()), id, "{head} … {tail}");
        }
    }
}

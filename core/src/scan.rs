//! The scanner: checks JSON text in one pass, without recursion and without an allocation, and walks text that is checked.
use crate::error::NotJson;

/// Levels of nesting at most, whatever a caller asks for: the kinds of the open containers are kept as the bits of a `u128`.
pub(crate) const MAX_DEPTH: usize = 128;

/// Bytes that a decoded key may have to be compared with the known ones, all of which are shorter.
const KEY_BYTES: usize = 48;

/// The first byte that a string may hold bare.
const BARE: u8 = if cfg!(feature = "planted") { 0x1f } else { b' ' };

/// Where the next token may start, or the offset of the first byte that does not fit.
pub(crate) type Next = Result<usize, usize>;

/// Bytes that are to be JSON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a>(pub(crate) &'a [u8]);

/// The bytes as text, if they are UTF-8 and can be addressed by a `Span`.
/// If not, the offset is that of an earlier misfit, where there is one.
pub(crate) fn text(bytes: &[u8], depth: usize) -> Result<&str, NotJson> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(NotJson { offset: u32::MAX as usize });
    }
    core::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let offset = Source(good).whole(depth).err().unwrap_or(good.len());
        NotJson { offset }
    })
}

impl<'a> Source<'a> {
    /// The byte at an offset; 0, which fits nowhere, at the end.
    #[inline]
    pub(crate) fn byte(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }
    /// Past whitespace.
    #[inline]
    pub(crate) fn space(self, mut at: usize) -> usize {
        while self.byte(at) <= b' ' && matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        at
    }
    #[inline]
    fn expect(self, at: usize, byte: u8) -> Next {
        if self.byte(at) == byte { Ok(at + 1) } else { Err(at) }
    }
    /// Past whitespace that ends the source.
    pub(crate) fn end(self, at: usize) -> Next {
        let at = self.space(at);
        if at == self.0.len() { Ok(at) } else { Err(at) }
    }
    /// One value with whitespace around it, and nothing else.
    pub(crate) fn whole(self, depth: usize) -> Next {
        self.value(self.space(0), depth).and_then(|at| self.end(at))
    }
    /// Past the value that starts here, which nests at most `depth` levels.
    #[inline]
    pub(crate) fn value(self, at: usize, depth: usize) -> Next {
        match self.byte(at) {
            b'"' => self.string(at),
            b'{' | b'[' => self.tree(at, depth.min(MAX_DEPTH)),
            _ => self.scalar(at),
        }
    }
    #[inline(never)]
    fn scalar(self, at: usize) -> Next {
        match self.byte(at) {
            b'-' | b'0'..=b'9' => self.number(at),
            b't' => self.literal(at, b"true"),
            b'f' => self.literal(at, b"false"),
            b'n' => self.literal(at, b"null"),
            _ => Err(at),
        }
    }
    #[inline(never)]
    fn tree(self, mut at: usize, depth: usize) -> Next {
        let mut open = 0;
        let mut objects: u128 = 0;
        loop {
            at = match self.byte(at) {
                b'"' => self.string(at)?,
                byte @ (b'{' | b'[') => {
                    if open == depth {
                        return Err(at);
                    }
                    let object = byte == b'{';
                    at = self.space(at + 1);
                    if self.byte(at) != closing(object) {
                        open += 1;
                        objects = objects << 1 | u128::from(object);
                        if object {
                            at = self.colon(self.key(at)?)?;
                        }
                        continue;
                    }
                    at + 1
                }
                _ => self.scalar(at)?,
            };
            loop {
                if open == 0 {
                    return Ok(at);
                }
                at = self.space(at);
                let object = objects & 1 != 0;
                if self.byte(at) == b',' {
                    at = self.space(at + 1);
                    if object {
                        at = self.colon(self.key(at)?)?;
                    }
                    break;
                }
                at = self.expect(at, closing(object))?;
                open -= 1;
                objects >>= 1;
            }
        }
    }
    /// Past the object that starts here. `member` is given the key of each member without its quotes, where its value
    /// starts, and the levels that are left to it; it passes the value.
    #[inline]
    pub(crate) fn object(
        self,
        at: usize,
        depth: usize,
        mut member: impl FnMut(&'a [u8], usize, usize) -> Next,
    ) -> Next {
        let inner = depth.min(MAX_DEPTH).checked_sub(1).ok_or(at)?;
        let mut at = self.space(self.expect(at, b'{')?);
        if self.byte(at) == b'}' {
            return Ok(at + 1);
        }
        loop {
            let end = self.key(at)?;
            let key = self.0.get(at + 1..end - 1).unwrap_or_default();
            at = self.space(member(key, self.colon(end)?, inner)?);
            if self.byte(at) != b',' {
                return self.expect(at, b'}');
            }
            at = self.space(at + 1);
        }
    }
    #[inline]
    fn key(self, at: usize) -> Next {
        if self.byte(at) == b'"' { self.string(at) } else { Err(at) }
    }
    /// Past a colon and the space around it.
    #[inline]
    fn colon(self, at: usize) -> Next {
        let at = self.expect(self.space(at), b':')?;
        Ok(self.space(at))
    }
    /// Past the string whose opening quote is here.
    #[inline(never)]
    fn string(self, at: usize) -> Next {
        let at = self.bare(at + 1);
        if self.byte(at) == b'"' { Ok(at + 1) } else { self.string_from(at) }
    }
    /// Past what is left of a string.
    #[inline(never)]
    fn string_from(self, mut at: usize) -> Next {
        loop {
            at = match self.byte(at) {
                b'"' => return Ok(at + 1),
                b'\\' => self.escape(at + 1)?,
                byte if byte >= BARE => at + 1,
                _ => return Err(at),
            };
            at = self.bare(at);
        }
    }
    /// Past eights of bytes that a string may hold bare, up to the first other one in an eight.
    #[inline]
    fn bare(self, at: usize) -> usize {
        let mut rest = self.0.get(at..).unwrap_or_default();
        while let Some((eight, after)) = rest.split_first_chunk::<8>() {
            let stops = stops(u64::from_le_bytes(*eight));
            if stops != 0 {
                return self.0.len() - rest.len() + stops.trailing_zeros() as usize / 8;
            }
            rest = after;
        }
        self.0.len() - rest.len()
    }
    fn escape(self, at: usize) -> Next {
        match self.byte(at) {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 1),
            b'u' => {
                let digits = at + 1..at + 5;
                match digits.clone().find(|&at| !self.byte(at).is_ascii_hexdigit()) {
                    Some(misfit) => Err(misfit),
                    None => Ok(digits.end),
                }
            }
            _ => Err(at),
        }
    }
    fn number(self, mut at: usize) -> Next {
        at += usize::from(self.byte(at) == b'-');
        at = if self.byte(at) == b'0' { at + 1 } else { self.digits(at)? };
        if self.byte(at) == b'.' {
            at = self.digits(at + 1)?;
        }
        if matches!(self.byte(at), b'e' | b'E') {
            at += 1;
            at = self.digits(at + usize::from(matches!(self.byte(at), b'+' | b'-')))?;
        }
        Ok(at)
    }
    #[inline]
    fn digits(self, start: usize) -> Next {
        let mut at = start;
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        if at > start { Ok(at) } else { Err(at) }
    }
    fn literal(self, at: usize, word: &[u8]) -> Next {
        word.iter().try_fold(at, |at, &byte| self.expect(at, byte))
    }
    /// Past one value of checked text, however deep.
    fn skip(self, mut at: usize) -> Next {
        let mut open: usize = 0;
        loop {
            at = match self.byte(at) {
                b'"' => self.string(at)?,
                b'{' | b'[' => {
                    open += 1;
                    at + 1
                }
                b'}' | b']' => {
                    open = open.checked_sub(1).ok_or(at)?;
                    at + 1
                }
                0 => return Err(at),
                _ if open > 0 => at + 1,
                _ => {
                    while !matches!(self.byte(at), 0..=b' ' | b',' | b':' | b']' | b'}') {
                        at += 1;
                    }
                    at
                }
            };
            if open == 0 {
                return Ok(at);
            }
        }
    }
}

const fn closing(object: bool) -> u8 {
    if object { b'}' } else { b']' }
}

/// The high bit of the first byte that ends a bare run: a quote, a backslash or a control character. Higher ones may be
/// set by a borrow.
const fn stops(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    // Swapping 0x20 and 0x22 moves the quote next to the control characters.
    let quote_or_control = (eight ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (eight ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (quote_or_control | backslash) & !eight & (ONES * 0x80)
}

/// What `known` says to a key, decoded. It is first asked as if there were no escapes, since no known key has a backslash.
#[inline]
pub(crate) fn known<T>(key: &[u8], known: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    known(key).or_else(|| {
        if !key.contains(&b'\\') {
            return None;
        }
        known(decoded(key, &mut [0; KEY_BYTES])?)
    })
}

#[cold]
fn decoded<'b>(raw: &[u8], buf: &'b mut [u8; KEY_BYTES]) -> Option<&'b [u8]> {
    let mut len = 0;
    for point in CodePoints::new(core::str::from_utf8(raw).ok()?) {
        let char = char::from_u32(point)?;
        len += char.encode_utf8(buf.get_mut(len..len + char.len_utf8())?).len();
    }
    buf.get(..len)
}

/// The code points of a string between its quotes. A lone surrogate escape stays what it is, so that two of them differ.
#[derive(Clone, Debug)]
pub(crate) struct CodePoints<'a>(core::str::Chars<'a>);

impl<'a> CodePoints<'a> {
    pub(crate) fn new(body: &'a str) -> Self {
        Self(body.chars())
    }
    fn unit(&mut self) -> u32 {
        self.0.by_ref().take(4).fold(0, |unit, digit| unit << 4 | digit.to_digit(16).unwrap_or(0))
    }
    /// The low half of a surrogate pair, if it follows.
    fn low(&mut self) -> Option<u32> {
        let mut ahead = self.clone();
        if ahead.0.next() != Some('\\') || ahead.0.next() != Some('u') {
            return None;
        }
        let unit = ahead.unit();
        if !matches!(unit, 0xdc00..=0xdfff) {
            return None;
        }
        *self = ahead;
        Some(unit - 0xdc00)
    }
}

impl Iterator for CodePoints<'_> {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        let char = self.0.next()?;
        if char != '\\' {
            return Some(u32::from(char));
        }
        Some(match self.0.next()? {
            'b' => 0x08,
            'f' => 0x0c,
            'n' => 0x0a,
            'r' => 0x0d,
            't' => 0x09,
            'u' => {
                let unit = self.unit();
                match unit {
                    0xd800..=0xdbff => self.low().map_or(unit, |low| 0x10000 + ((unit - 0xd800) << 10) + low),
                    _ => unit,
                }
            }
            other => u32::from(other),
        })
    }
}

/// Walks the members of a checked object or the elements of a checked array; on any other text it is empty.
#[derive(Clone, Debug)]
pub(crate) struct Items<'a> {
    text: &'a str,
    at: usize,
    right_kind: bool,
}

impl<'a> Items<'a> {
    pub(crate) fn of_object(text: &'a str) -> Self {
        Self::new(text, b'{')
    }
    pub(crate) fn of_array(text: &'a str) -> Self {
        Self::new(text, b'[')
    }
    fn new(text: &'a str, open: u8) -> Self {
        let source = Source(text.as_bytes());
        match source.expect(source.space(0), open) {
            Ok(at) => Self { text, at, right_kind: true },
            Err(_) => Self { text, at: text.len(), right_kind: false },
        }
    }
    /// Whether the text is an object, or an array, as was asked for.
    pub(crate) const fn right_kind(&self) -> bool {
        self.right_kind
    }
    /// The next element, as a range of the text.
    pub(crate) fn element(&mut self) -> Option<(usize, usize)> {
        let source = Source(self.text.as_bytes());
        let mut start = source.space(self.at);
        if source.byte(start) == b',' {
            start = source.space(start + 1);
        }
        self.at = source.skip(start).ok()?;
        (self.at > start).then_some((start, self.at))
    }
    /// The next member: its key with the quotes, and its value as a range of the text.
    pub(crate) fn member(&mut self) -> Option<(&'a str, (usize, usize))> {
        let (start, end) = self.element()?;
        let source = Source(self.text.as_bytes());
        self.at = source.expect(source.space(end), b':').ok()?;
        Some((self.text.get(start..end)?, self.element()?))
    }
}

/// Where the string that starts at `start` of checked text ends.
pub(crate) fn string_end(text: &str, start: usize) -> usize {
    Source(text.as_bytes()).string(start).unwrap_or(text.len())
}

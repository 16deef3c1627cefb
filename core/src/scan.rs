//! The scanner: checks JSON text in one pass, without recursion and without an allocation, and walks text that is checked.
use crate::error::NotJson;

/// Levels of nesting at most, whatever a caller asks for: the kinds of the open containers are kept as the bits of a `u128`.
pub(crate) const MAX_DEPTH: usize = 128;

/// Bytes that a decoded key may have to be compared with the known ones, all of which are shorter.
const KEY_BYTES: usize = 48;

/// The first byte that a string may hold bare.
const BARE: u8 = if cfg!(feature = "planted") { 0x1f } else { b' ' };

/// `None`: the byte at `Scanner::pos` does not fit.
pub(crate) type Fit<T = ()> = Option<T>;

/// The key of a member: where it lies without its quotes, and whether it holds escapes.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    start: usize,
    end: usize,
    escaped: bool,
}

/// A position in JSON text.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    bytes: &'a [u8],
    pos: usize,
    newline: bool,
}

/// The bytes as text, if they are UTF-8 and can be addressed by a `Span`.
/// If not, the offset is that of an earlier misfit, where there is one.
pub(crate) fn text(bytes: &[u8], depth: usize) -> Result<&str, NotJson> {
    if u32::try_from(bytes.len()).is_err() {
        return Err(NotJson { offset: u32::MAX as usize });
    }
    core::str::from_utf8(bytes).map_err(|error| {
        let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let mut scanner = Scanner::new(good);
        match scanner.whole(depth) {
            Some(()) => NotJson { offset: good.len() },
            None => scanner.misfit(),
        }
    })
}

impl<'a> Scanner<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, pos: 0, newline: false }
    }
    pub(crate) const fn pos(&self) -> usize {
        self.pos
    }
    /// Whether CR or LF lay between the tokens passed.
    pub(crate) const fn newline(&self) -> bool {
        self.newline
    }
    pub(crate) const fn misfit(&self) -> NotJson {
        NotJson { offset: self.pos }
    }
    /// The next byte; 0, which fits nowhere, at the end.
    #[inline]
    pub(crate) fn peek(&self) -> u8 {
        self.bytes.get(self.pos).copied().unwrap_or(0)
    }
    #[inline]
    pub(crate) fn space(&mut self) {
        while self.peek() <= b' ' {
            match self.peek() {
                b' ' | b'\t' => {}
                b'\n' | b'\r' => self.newline = true,
                _ => return,
            }
            self.pos += 1;
        }
    }
    /// Past a byte, if it is the next one.
    #[inline]
    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.pos += usize::from(found);
        found
    }
    #[inline]
    fn expect(&mut self, byte: u8) -> Fit {
        self.eat(byte).then_some(())
    }
    /// The text has ended.
    pub(crate) fn end(&mut self) -> Fit {
        self.space();
        (self.pos == self.bytes.len()).then_some(())
    }
    /// One value with whitespace around it, and nothing else.
    pub(crate) fn whole(&mut self, depth: usize) -> Fit {
        self.space();
        self.value(depth)?;
        self.end()
    }
    /// Past the value that starts here, which nests at most `depth` levels.
    pub(crate) fn value(&mut self, depth: usize) -> Fit {
        let depth = depth.min(MAX_DEPTH);
        let mut open = 0;
        let mut objects: u128 = 0;
        loop {
            match self.peek() {
                b'"' => {
                    self.string()?;
                }
                byte @ (b'{' | b'[') => {
                    if open == depth {
                        return None;
                    }
                    self.pos += 1;
                    self.space();
                    let object = byte == b'{';
                    if !self.eat(if object { b'}' } else { b']' }) {
                        open += 1;
                        objects = objects << 1 | u128::from(object);
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal(b"true")?,
                b'f' => self.literal(b"false")?,
                b'n' => self.literal(b"null")?,
                _ => return None,
            }
            loop {
                if open == 0 {
                    return Some(());
                }
                self.space();
                let object = objects & 1 != 0;
                if self.eat(b',') {
                    self.space();
                    if object {
                        self.key()?;
                    }
                    break;
                }
                self.expect(if object { b'}' } else { b']' })?;
                open -= 1;
                objects >>= 1;
            }
        }
    }
    /// Past the object that starts here. `member` is called at the value of each member, with the key and the levels that
    /// are left, and passes that value.
    #[inline]
    pub(crate) fn object(
        &mut self,
        depth: usize,
        mut member: impl FnMut(&mut Self, Key, usize) -> Fit,
    ) -> Fit {
        let inner = depth.min(MAX_DEPTH).checked_sub(1)?;
        self.expect(b'{')?;
        self.space();
        if self.eat(b'}') {
            return Some(());
        }
        loop {
            let key = self.key()?;
            member(self, key, inner)?;
            self.space();
            if !self.eat(b',') {
                return self.expect(b'}');
            }
            self.space();
        }
    }
    /// Past a key, its colon and the space around that.
    #[inline]
    fn key(&mut self) -> Fit<Key> {
        if self.peek() != b'"' {
            return None;
        }
        let start = self.pos + 1;
        let escaped = self.string()?;
        let end = self.pos - 1;
        self.space();
        self.expect(b':')?;
        self.space();
        Some(Key { start, end, escaped })
    }
    /// What `known` says to a key, decoded.
    #[inline]
    pub(crate) fn known<T>(&self, key: Key, known: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
        let raw = self.bytes.get(key.start..key.end)?;
        if key.escaped {
            let mut buf = [0; KEY_BYTES];
            known(decoded(raw, &mut buf)?)
        } else {
            known(raw)
        }
    }
    /// Past the string whose opening quote is here; says whether it holds escapes.
    #[inline]
    fn string(&mut self) -> Fit<bool> {
        self.pos += 1;
        let mut escaped = false;
        loop {
            while let Some(eight) = self.bytes.get(self.pos..).and_then(<[u8]>::first_chunk::<8>) {
                let stops = stops(u64::from_le_bytes(*eight));
                self.pos += stops.trailing_zeros() as usize / 8;
                if stops != 0 {
                    break;
                }
            }
            match self.bytes.get(self.pos) {
                Some(b'"') => {
                    self.pos += 1;
                    return Some(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(&byte) if byte >= BARE => self.pos += 1,
                _ => return None,
            }
        }
    }
    fn escape(&mut self) -> Fit {
        self.pos += 1;
        match self.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.pos += 1,
            b'u' => {
                self.pos += 1;
                for _ in 0..4 {
                    if !self.peek().is_ascii_hexdigit() {
                        return None;
                    }
                    self.pos += 1;
                }
            }
            _ => return None,
        }
        Some(())
    }
    fn number(&mut self) -> Fit {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Some(())
    }
    fn digits(&mut self) -> Fit {
        let start = self.pos;
        while self.peek().is_ascii_digit() {
            self.pos += 1;
        }
        (self.pos > start).then_some(())
    }
    fn literal(&mut self, word: &[u8]) -> Fit {
        word.iter().try_for_each(|&byte| self.expect(byte))
    }
    /// Past one value of checked text, however deep.
    fn skip(&mut self) -> Fit {
        let mut open: usize = 0;
        loop {
            match self.peek() {
                b'"' => {
                    self.string()?;
                }
                b'{' | b'[' => {
                    open += 1;
                    self.pos += 1;
                }
                b'}' | b']' => {
                    open = open.checked_sub(1)?;
                    self.pos += 1;
                }
                0 => return None,
                _ if open > 0 => self.pos += 1,
                _ => {
                    while !matches!(self.peek(), 0..=b' ' | b',' | b']' | b'}') {
                        self.pos += 1;
                    }
                }
            }
            if open == 0 {
                return Some(());
            }
        }
    }
}

/// The high bit of the first byte that ends a bare run: a quote, a backslash or a control character. Higher bits may be
/// set by a borrow.
const fn stops(eight: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const fn below(eight: u64, byte: u8) -> u64 {
        eight.wrapping_sub(ONES * byte as u64) & !eight
    }
    let quote = below(eight ^ (ONES * b'"' as u64), 1);
    let backslash = below(eight ^ (ONES * b'\\' as u64), 1);
    (below(eight, BARE) | quote | backslash) & (ONES * 0x80)
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
    scanner: Scanner<'a>,
    open: bool,
}

impl<'a> Items<'a> {
    pub(crate) fn of_object(text: &'a str) -> Self {
        Self::new(text, b'{')
    }
    pub(crate) fn of_array(text: &'a str) -> Self {
        Self::new(text, b'[')
    }
    fn new(text: &'a str, open: u8) -> Self {
        let mut scanner = Scanner::new(text.as_bytes());
        scanner.space();
        let open = scanner.eat(open);
        if !open {
            scanner.pos = text.len();
        }
        Self { text, scanner, open }
    }
    /// Whether it was such a value.
    pub(crate) const fn is_open(&self) -> bool {
        self.open
    }
    /// The next element, as a range of the text.
    pub(crate) fn element(&mut self) -> Option<(usize, usize)> {
        self.scanner.space();
        if self.scanner.eat(b',') {
            self.scanner.space();
        }
        let start = self.scanner.pos;
        self.scanner.skip()?;
        (self.scanner.pos > start).then_some((start, self.scanner.pos))
    }
    /// The next member: its key with the quotes, and its value as a range of the text.
    pub(crate) fn member(&mut self) -> Option<(&'a str, (usize, usize))> {
        let (start, end) = self.element()?;
        self.scanner.space();
        self.scanner.expect(b':')?;
        Some((self.text.get(start..end)?, self.element()?))
    }
}

/// Where the string that starts at `start` of checked text ends.
pub(crate) fn string_end(text: &str, start: usize) -> usize {
    let mut scanner = Scanner { bytes: text.as_bytes(), pos: start, newline: false };
    scanner.string().map_or(text.len(), |_| scanner.pos)
}

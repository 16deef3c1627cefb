//! One message a line: `basic/transports/stdio` of the spec.
use alloc::vec::Vec;

const MARK: &[u8] = b"\xef\xbb\xbf";
/// What the buffer keeps between lines.
const KEPT: usize = 16 << 10;

/// One line, without its end (LF or CR LF) and without a leading byte-order mark. Blank lines are skipped.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A whole line.
    Whole(&'a [u8]),
    /// A line longer than the limit. It is said once, when the limit is passed; the rest is dropped up to its end.
    TooLong,
}

/// Cuts a stream into lines. Lines that lie whole in one piece are lent from it; only an unfinished tail is copied.
#[derive(Debug)]
pub struct LineDecoder {
    tail: Vec<u8>,
    limit: usize,
    dropping: bool,
    lent: bool,
}

impl LineDecoder {
    /// Lines of at most `limit` bytes, their end and a byte-order mark not counted.
    pub const fn new(limit: usize) -> Self {
        Self { tail: Vec::new(), limit, dropping: false, lent: false }
    }
    /// The next line, taken from the front of `data`, which is advanced past what was used. `None`: `data` is used up.
    pub fn next<'s, 'd: 's>(&'s mut self, data: &mut &'d [u8]) -> Option<Line<'s>> {
        self.take_back();
        loop {
            let end = memchr::memchr(b'\n', data);
            let (mut piece, rest) = data.split_at_checked(end.unwrap_or(data.len()))?;
            *data = rest.split_first().map_or(rest, |(_, rest)| rest);
            if self.dropping {
                self.dropping = end.is_none();
            } else if end.is_some() && self.tail.is_empty() {
                let line = content(piece);
                if line.len() > self.limit {
                    return Some(Line::TooLong);
                }
                if !is_blank(line) {
                    return Some(Line::Whole(line));
                }
            } else {
                self.skip_mark(&mut piece);
                if self.length_with(piece, end.is_some()) > self.limit {
                    self.tail = Vec::new();
                    self.dropping = end.is_none();
                    return Some(Line::TooLong);
                }
                self.keep(piece);
                if end.is_some() {
                    self.lent = true;
                    if !is_blank(content(&self.tail)) {
                        break;
                    }
                    self.take_back();
                }
            }
            end?;
        }
        Some(Line::Whole(content(&self.tail)))
    }
    /// The end of the stream: a last line without an end counts.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        self.take_back();
        self.dropping = false;
        self.lent = true;
        let line = content(&self.tail);
        if line.len() > self.limit {
            return Some(Line::TooLong);
        }
        (!is_blank(line)).then_some(Line::Whole(line))
    }
    /// Bytes held of an unfinished line; at most the limit plus the end of a line.
    pub fn held(&self) -> usize {
        self.tail.capacity()
    }
    fn take_back(&mut self) {
        if core::mem::take(&mut self.lent) {
            self.tail.clear();
            self.tail.shrink_to(KEPT);
        }
    }
    /// Past byte-order marks at the start of a line, whose first bytes may be in the buffer.
    fn skip_mark(&mut self, piece: &mut &[u8]) {
        while let Some((byte, rest)) = piece.split_first() {
            if MARK.get(self.tail.len()) != Some(byte) || !MARK.starts_with(&self.tail) {
                return;
            }
            *piece = rest;
            if self.tail.len() + 1 == MARK.len() {
                self.tail.clear();
            } else {
                self.keep(&[*byte]);
            }
        }
    }
    /// The length of the line so far. What may yet turn out to be a mark or an end doesn't count.
    fn length_with(&self, piece: &[u8], ended: bool) -> usize {
        if !ended && piece.is_empty() && MARK.starts_with(&self.tail) {
            return 0;
        }
        let end = piece.last().or(self.tail.last()) == Some(&b'\r');
        self.tail.len() + piece.len() - usize::from(end)
    }
    /// Grows by doubling, but not past what a line may have.
    fn keep(&mut self, piece: &[u8]) {
        let needed = self.tail.len() + piece.len();
        if needed > self.tail.capacity() {
            let roomy = self.tail.capacity().saturating_mul(2).min(self.limit.saturating_add(1)).max(needed);
            self.tail.reserve_exact(roomy - self.tail.len());
        }
        self.tail.extend_from_slice(piece);
    }
}

fn content(line: &[u8]) -> &[u8] {
    let mut line = line.strip_suffix(b"\r").unwrap_or(line);
    while let Some(rest) = line.strip_prefix(MARK) {
        line = rest;
    }
    line
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    /// Lines as text; `!` for one that is too long.
    fn lines(pieces: &[&[u8]], limit: usize) -> Vec<Vec<u8>> {
        let mut decoder = LineDecoder::new(limit);
        let mut all = Vec::new();
        let mut push = |line: Line<'_>| {
            all.push(match line {
                Line::Whole(line) => line.to_vec(),
                Line::TooLong => b"!".to_vec(),
            });
        };
        for mut piece in pieces.iter().copied() {
            while let Some(line) = decoder.next(&mut piece) {
                push(line);
            }
            assert!(piece.is_empty());
            assert!(decoder.held() <= limit + 2);
        }
        if let Some(line) = decoder.finish() {
            push(line);
        }
        assert_eq!(decoder.finish(), None);
        all
    }

    #[test]
    fn lines_end_with_lf_or_cr_lf() {
        let stream = b"one\ntwo\r\n\n \t\r\n\xef\xbb\xbfthree\n\xef\xbb\xbf\r\nfo\rur\r\nfive";
        let expected = ["one", "two", "three", "fo\rur", "five"].map(|line| line.as_bytes().to_vec());
        assert_eq!(lines(&[stream], 99), expected);
        for cut in 0..stream.len() {
            let (a, b) = stream.split_at(cut);
            assert_eq!(lines(&[a, b], 99), expected, "{cut}");
        }
        let bytes: Vec<_> = stream.chunks(1).collect();
        assert_eq!(lines(&bytes, 99), expected);
    }

    #[test]
    fn a_line_in_one_piece_is_lent_from_it() {
        let mut decoder = LineDecoder::new(9);
        let stream = b"abc\nde";
        let mut data = &stream[..];
        let Some(Line::Whole(line)) = decoder.next(&mut data) else { unreachable!("a line") };
        assert_eq!(line.as_ptr(), stream.as_ptr());
        assert_eq!(decoder.next(&mut data), None);
        assert_eq!(decoder.held(), 2);
    }

    #[test]
    fn a_line_over_the_limit_is_reported_once() {
        let expected = [&b"abc"[..], b"!", b"abc", b"!"].map(<[u8]>::to_vec);
        let stream = b"abc\r\nabcdefgh\r\n\xef\xbb\xbfabc\nabcd";
        assert_eq!(lines(&[stream], 3), expected);
        assert_eq!(lines(&stream.chunks(1).collect::<Vec<_>>(), 3), expected);
        assert_eq!(lines(&[b"    \n", b"\xef\n"], 0), vec![b"!"; 2]);
    }

    #[test]
    fn a_line_over_the_limit_frees_its_memory_at_once() {
        let mut decoder = LineDecoder::new(1 << 20);
        let piece = vec![b'x'; 1 << 16];
        for _ in 0..16 {
            assert_eq!(decoder.next(&mut &piece[..]), None);
        }
        assert_eq!(decoder.held(), 1 << 20);
        assert_eq!(decoder.next(&mut &piece[..]), Some(Line::TooLong));
        assert_eq!(decoder.held(), 0);
        assert_eq!(decoder.next(&mut &piece[..]), None);
        assert_eq!(decoder.held(), 0);
        assert_eq!(decoder.next(&mut &b"x\nshort\n"[..]), Some(Line::Whole(b"short")));
    }

    #[test]
    fn a_large_line_leaves_little_behind() {
        let mut decoder = LineDecoder::new(1 << 20);
        let piece = vec![b'x'; 1 << 19];
        assert_eq!(decoder.next(&mut &piece[..]), None);
        assert!(matches!(decoder.next(&mut &b"\n"[..]), Some(Line::Whole(line)) if line.len() == 1 << 19));
        assert_eq!(decoder.next(&mut &b""[..]), None);
        assert!(decoder.held() <= KEPT);
    }
}

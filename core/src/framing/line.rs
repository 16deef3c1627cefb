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
    /// A line longer than the limit. It is said once, when the limit is passed, with the bytes that it begins with; the
    /// rest is dropped up to its end.
    TooLong(&'a [u8]),
    /// The end of that line: what it began and what it ended with.
    Ended(&'a [u8], &'a [u8]),
}

/// Bytes kept of either end of a line that is too long.
const END: usize = 96;

/// The ends of a line that is too long.
#[derive(Debug)]
struct Ends {
    head: [u8; END],
    headed: usize,
    last: [u8; END],
    lasted: usize,
}

impl Ends {
    const NONE: Self = Self { head: [0; END], headed: 0, last: [0; END], lasted: 0 };

    fn add(&mut self, piece: &[u8]) {
        let room = self.head.iter_mut().skip(self.headed);
        self.headed += room.zip(piece).map(|(to, from)| *to = *from).count();
        let piece = piece.get(piece.len().saturating_sub(END)..).unwrap_or_default();
        let kept = self.lasted.min(END - piece.len());
        self.last.copy_within(self.lasted - kept..self.lasted, 0);
        self.lasted = kept + self.last.iter_mut().skip(kept).zip(piece).map(|(to, from)| *to = *from).count();
    }
    fn head(&self) -> &[u8] {
        self.head.get(..self.headed).unwrap_or_default()
    }
    fn last(&self) -> &[u8] {
        self.last.get(..self.lasted).unwrap_or_default()
    }
}

/// Cuts a stream into lines. Lines that lie whole in one piece are lent from it; only an unfinished tail is copied.
#[derive(Debug)]
pub struct LineDecoder {
    tail: Vec<u8>,
    limit: usize,
    dropping: bool,
    lent: bool,
    ends: Ends,
}

impl LineDecoder {
    /// Lines of at most `limit` bytes, their end and a byte-order mark not counted.
    pub const fn new(limit: usize) -> Self {
        Self { tail: Vec::new(), limit, dropping: false, lent: false, ends: Ends::NONE }
    }
    /// The next line, taken from the front of `data`, which is advanced past what was used. `None`: `data` is used up.
    pub fn next<'s, 'd: 's>(&'s mut self, data: &mut &'d [u8]) -> Option<Line<'s>> {
        self.take_back();
        loop {
            let end = memchr::memchr(b'\n', data);
            let (mut piece, rest) = data.split_at_checked(end.unwrap_or(data.len()))?;
            *data = rest.split_first().map_or(rest, |(_, rest)| rest);
            if self.dropping {
                self.ends.add(piece);
                if end.is_some() {
                    return Some(self.ended());
                }
            } else if end.is_some() && self.tail.is_empty() {
                let line = content(piece);
                if line.len() > self.limit {
                    *data = rest;
                    return Some(self.drop_line(unmarked(piece)));
                }
                if !is_blank(line) {
                    return Some(Line::Whole(line));
                }
            } else {
                self.skip_mark(&mut piece);
                if self.length_with(piece, end.is_some()) > self.limit {
                    *data = rest;
                    return Some(self.drop_line(piece));
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
        if self.dropping {
            return Some(self.ended());
        }
        self.lent = true;
        let line = content(&self.tail);
        if line.len() > self.limit {
            return Some(Line::TooLong(line.get(..END).unwrap_or(line)));
        }
        (!is_blank(line)).then_some(Line::Whole(line))
    }
    /// The line that is in the buffer as far as it came, with this piece, is too long. Its end is yet to be read.
    fn drop_line(&mut self, piece: &[u8]) -> Line<'_> {
        self.ends = Ends::NONE;
        self.ends.add(&self.tail);
        self.ends.add(piece);
        self.tail = Vec::new();
        self.dropping = true;
        Line::TooLong(self.ends.head())
    }
    fn ended(&mut self) -> Line<'_> {
        self.dropping = false;
        Line::Ended(self.ends.head(), content(self.ends.last()))
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
    unmarked(line.strip_suffix(b"\r").unwrap_or(line))
}

fn unmarked(mut line: &[u8]) -> &[u8] {
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
                Line::TooLong(_) => b"!".to_vec(),
                Line::Ended(..) => return,
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
    fn the_ends_of_a_line_do_not_depend_on_where_it_is_cut() {
        let line: Vec<u8> = (0..300_u32).map(|at| b'a' + u8::try_from(at % 26).unwrap_or(0)).collect();
        let mut stream = line.clone();
        stream.extend_from_slice(b"\r\nz\n");
        for limit in [1, 95, 200, 299] {
            for size in [1, 7, 96, 97, 150, 299, 300, 301, 302, 400] {
                let mut decoder = LineDecoder::new(limit);
                let mut seen = Vec::new();
                for mut piece in stream.chunks(size) {
                    while let Some(line) = decoder.next(&mut piece) {
                        if let Line::Ended(head, last) = line {
                            seen.push((head.to_vec(), last.to_vec()));
                        }
                    }
                }
                let expected = (line[..END].to_vec(), line[300 - END + 1..].to_vec());
                assert_eq!(seen, [expected], "{limit} {size}");
            }
        }
    }

    #[test]
    fn a_line_over_the_limit_frees_its_memory_at_once() {
        let mut decoder = LineDecoder::new(1 << 20);
        let piece = vec![b'x'; 1 << 16];
        for _ in 0..16 {
            assert_eq!(decoder.next(&mut &piece[..]), None);
        }
        assert_eq!(decoder.held(), 1 << 20);
        assert_eq!(decoder.next(&mut &piece[..]), Some(Line::TooLong(&piece[..END])));
        assert_eq!(decoder.held(), 0);
        assert_eq!(decoder.next(&mut &piece[..]), None);
        assert_eq!(decoder.held(), 0);
        let mut end = &b"yz\nshort\n"[..];
        let Some(Line::Ended(head, last)) = decoder.next(&mut end) else { unreachable!("the end") };
        assert_eq!(
            (head, &last[..END - 2], &last[END - 2..]),
            (&piece[..END], &piece[..END - 2], &b"yz"[..])
        );
        assert_eq!(decoder.next(&mut end), Some(Line::Whole(b"short")));
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

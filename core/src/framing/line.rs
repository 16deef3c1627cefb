//! One message a line: `basic/transports/stdio` of the spec.
use alloc::vec::Vec;

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
}

impl LineDecoder {
    /// Lines of at most `limit` bytes, their end not counted.
    pub const fn new(limit: usize) -> Self {
        Self { tail: Vec::new(), limit, dropping: false }
    }
    /// The next line, taken from the front of `data`, which is advanced past what was used. `None`: `data` is used up.
    pub fn next<'s>(&'s mut self, data: &mut &'s [u8]) -> Option<Line<'s>> {
        let _ = data;
        todo!()
    }
    /// The end of the stream: a last line without an end counts.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        todo!()
    }
    /// Bytes held of an unfinished line; at most the limit plus the end of a line.
    pub fn held(&self) -> usize {
        self.tail.capacity()
    }
}

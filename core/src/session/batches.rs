//! Batches of 2025-03-26 whose answers are gathered: `basic/index` of that revision.
use alloc::string::String;

use super::table::Table;

#[derive(Debug)]
struct Gathering {
    /// Members that are not over, and one for the batch itself while it is read.
    open: usize,
    /// `[` and answers, or nothing.
    text: String,
}

/// The batches that are not wholly answered.
#[derive(Debug, Default)]
pub(crate) struct Batches {
    table: Table<Gathering>,
    last: u64,
    bytes: usize,
}

impl Batches {
    /// Bytes gathered.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
    /// A batch that is about to be read, by number. It is over when [`Batches::member_over`] was said of each member and
    /// once more.
    pub(crate) fn open(&mut self) -> u64 {
        self.last += 1;
        self.table.push(self.last, Gathering { open: 1, text: String::new() });
        self.last
    }
    pub(crate) fn add_member(&mut self, number: u64) {
        if let Some(batch) = self.table.get_mut(number) {
            batch.open += 1;
        }
    }
    /// Keeps an answer. What was gathered before is given back, as a message, if both would not fit into `limit` bytes.
    pub(crate) fn gather(&mut self, number: u64, limit: usize, answer: &str) -> Option<String> {
        let batch = self.table.get_mut(number)?;
        let fits = batch.text.len() + ",]".len() + answer.len() <= limit;
        let full = (!fits).then(|| core::mem::take(&mut batch.text)).and_then(closed);
        batch.text.push(if batch.text.is_empty() { '[' } else { ',' });
        batch.text.push_str(answer);
        self.bytes += answer.len() + 1;
        self.bytes = self.bytes.saturating_sub(full.as_ref().map_or(0, |text| text.len() - 1));
        full
    }
    /// A member was answered, or never will be. The last one gives the message with what was gathered.
    pub(crate) fn member_over(&mut self, number: u64) -> Option<String> {
        let batch = self.table.get_mut(number)?;
        batch.open = batch.open.saturating_sub(1);
        if batch.open > 0 {
            return None;
        }
        let batch = self.table.remove(number)?;
        self.bytes = self.bytes.saturating_sub(batch.text.len());
        closed(batch.text)
    }
}

fn closed(mut text: String) -> Option<String> {
    if text.is_empty() {
        return None;
    }
    text.push(']');
    Some(text)
}

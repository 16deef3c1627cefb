//! A table keyed by serial numbers: entries come in rising order of key and go in any.
use alloc::vec::Vec;

#[derive(Debug)]
pub(crate) struct Table<T> {
    order: Vec<(u64, u32)>,
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { order: Vec::new(), slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Table<T> {
    pub(crate) fn len(&self) -> usize {
        self.order.len()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
    /// `key` is larger than every key before it.
    pub(crate) fn push(&mut self, key: u64, value: T) {
        let slot = if let Some(slot) = self.free.pop() {
            slot
        } else {
            self.slots.push(None);
            u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
        };
        if let Some(place) = self.slots.get_mut(slot as usize) {
            *place = Some(value);
            self.order.push((key, slot));
        }
    }
    fn place(&self, key: u64) -> Option<usize> {
        self.order.binary_search_by_key(&key, |entry| entry.0).ok()
    }
    fn slot(&self, key: u64) -> Option<usize> {
        self.place(key).and_then(|place| self.order.get(place)).map(|entry| entry.1 as usize)
    }
    pub(crate) fn get(&self, key: u64) -> Option<&T> {
        self.slot(key).and_then(|slot| self.slots.get(slot)).and_then(Option::as_ref)
    }
    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        let slot = self.slot(key)?;
        self.slots.get_mut(slot).and_then(Option::as_mut)
    }
    pub(crate) fn remove(&mut self, key: u64) -> Option<T> {
        let place = self.place(key)?;
        let (_, slot) = self.order.remove(place);
        self.free.push(slot);
        self.slots.get_mut(slot as usize).and_then(Option::take)
    }
    /// The entries, in no order that matters.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten()
    }
    /// The smallest key.
    pub(crate) fn first(&self) -> Option<u64> {
        self.order.first().map(|entry| entry.0)
    }
    /// Keys and entries, in the order in which they came.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.order.iter().filter_map(|(key, slot)| Some((*key, self.slots.get(*slot as usize)?.as_ref()?)))
    }
}

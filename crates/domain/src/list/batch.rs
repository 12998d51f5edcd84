//! Groups the items of a list into batches. A batch has a maximum number of items, and a maximum of
//! bytes because one item may take megabytes.

use std::mem;

use super::Listed;

/// The maximum size of a batch in bytes. A larger item ends its batch.
pub const PART_BYTES: usize = 1024 * 1024;

/// The maximum number of items in the first batch. Small, so that the client gets it early.
const FIRST_ITEMS: usize = 64;

/// The maximum number of items in each later batch.
const ITEMS: usize = 256;

/// The items of the next batch of a list.
#[derive(Debug)]
pub struct Batch<L: Listed> {
    items: Vec<L::Item>,
    bytes: usize,
    max_items: usize,
}

impl<L: Listed> Default for Batch<L> {
    fn default() -> Self {
        Self { items: Vec::new(), bytes: 0, max_items: FIRST_ITEMS }
    }
}

impl<L: Listed> Batch<L> {
    /// Adds an item. Returns a complete batch when the item does not fit into it; the item then starts
    /// the next batch. An item larger than a batch is returned at once, with the items before it, so
    /// that it does not stay in memory while the next item is read.
    #[must_use]
    pub fn push(&mut self, item: L::Item) -> Option<Vec<L::Item>> {
        let bytes = L::bytes(&item);
        if bytes > PART_BYTES {
            self.items.push(item);
            self.bytes = 0;
            self.max_items = ITEMS;
            return Some(mem::take(&mut self.items));
        }
        let is_full =
            self.items.len() >= self.max_items || self.bytes.saturating_add(bytes) > PART_BYTES;
        let full = is_full.then(|| {
            self.bytes = 0;
            self.max_items = ITEMS;
            mem::take(&mut self.items)
        });
        self.bytes = self.bytes.saturating_add(bytes);
        self.items.push(item);
        full
    }

    /// The remaining items: the last batch, which may be empty.
    #[must_use]
    pub fn into_rest(self) -> Vec<L::Item> {
        self.items
    }
}

/// The approximate memory of these items, in bytes.
#[must_use]
pub fn bytes_of<L: Listed>(items: &[L::Item]) -> usize {
    items.iter().map(L::bytes).fold(0, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list whose items report their own value as their size.
    struct Sizes;

    impl Listed for Sizes {
        type Filter = ();
        type Sort = std::convert::Infallible;
        type Item = usize;

        fn bytes(item: &usize) -> usize {
            *item
        }
    }

    /// The number of items in each batch.
    fn batches(items: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut batch = Batch::<Sizes>::default();
        let mut lengths: Vec<_> = items
            .into_iter()
            .filter_map(|item| batch.push(item))
            .map(|items| items.len())
            .collect();
        lengths.push(batch.into_rest().len());
        lengths
    }

    #[test]
    fn batches_of_small_items_are_bounded_by_their_number() {
        assert_eq!(batches([]), [0]);
        assert_eq!(batches([1; 64]), [64]);
        assert_eq!(batches([1; 65]), [64, 1]);
        assert_eq!(batches([1; 577]), [64, 256, 256, 1]);
    }

    #[test]
    fn batches_of_large_items_are_bounded_by_their_bytes() {
        assert_eq!(batches([PART_BYTES / 4; 9]), [4, 4, 1]);
        assert_eq!(batches([PART_BYTES; 2]), [1, 1]);
    }

    #[test]
    fn an_item_larger_than_a_batch_is_returned_at_once() {
        assert_eq!(batches([1, 1, 2 * PART_BYTES, usize::MAX, 1, 1]), [3, 1, 2]);
        assert!(Batch::<Sizes>::default().push(PART_BYTES + 1).is_some());
    }
}

//! Batches the rows of a list. A batch is bounded by bytes as well as by items, because single
//! records may take megabytes.

use std::mem;

use super::Listed;

/// The most bytes of a batch. A single larger item closes its batch.
pub const PART_BYTES: usize = 1024 * 1024;

/// The most items of the first batch, kept small because the client waits for it.
const FIRST_ITEMS: usize = 64;

/// The most items of each later batch.
const ITEMS: usize = 256;

/// The items of the next batch of a list.
#[derive(Debug)]
pub struct Batch<L: Listed> {
    items: Vec<L::Item>,
    bytes: usize,
    most_items: usize,
}

impl<L: Listed> Default for Batch<L> {
    fn default() -> Self {
        Self { items: Vec::new(), bytes: 0, most_items: FIRST_ITEMS }
    }
}

impl<L: Listed> Batch<L> {
    /// Adds an item. When it does not fit, returns the items before it, which have to be sent, and
    /// starts the next batch. An item larger than a batch is returned at once together with those
    /// before it, so that it does not stay in memory while the next one is read.
    #[must_use]
    pub fn push(&mut self, item: L::Item) -> Option<Vec<L::Item>> {
        let bytes = L::bytes(&item);
        if bytes > PART_BYTES {
            self.items.push(item);
            self.bytes = 0;
            self.most_items = ITEMS;
            return Some(mem::take(&mut self.items));
        }
        let is_full =
            self.items.len() >= self.most_items || self.bytes.saturating_add(bytes) > PART_BYTES;
        let full = is_full.then(|| {
            self.bytes = 0;
            self.most_items = ITEMS;
            mem::take(&mut self.items)
        });
        self.bytes = self.bytes.saturating_add(bytes);
        self.items.push(item);
        full
    }

    /// The remaining items: the last batch, or an empty list.
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
        type Sort = ();
        type Item = usize;

        fn bytes(item: &usize) -> usize {
            *item
        }
    }

    /// The number of items in each batch.
    fn parts(items: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let mut batch = Batch::<Sizes>::default();
        let mut parts: Vec<_> =
            items.into_iter().filter_map(|item| batch.push(item)).map(|part| part.len()).collect();
        parts.push(batch.into_rest().len());
        parts
    }

    #[test]
    fn parts_of_small_items_are_bounded_by_their_number() {
        assert_eq!(parts([]), [0]);
        assert_eq!(parts([1; 64]), [64]);
        assert_eq!(parts([1; 65]), [64, 1]);
        assert_eq!(parts([1; 577]), [64, 256, 256, 1]);
    }

    #[test]
    fn parts_of_large_items_are_bounded_by_their_bytes() {
        assert_eq!(parts([PART_BYTES / 4; 9]), [4, 4, 1]);
        assert_eq!(parts([PART_BYTES; 2]), [1, 1]);
    }

    #[test]
    fn an_item_that_is_larger_than_a_part_does_not_wait_for_the_next_one() {
        assert_eq!(parts([1, 1, 2 * PART_BYTES, usize::MAX, 1, 1]), [3, 1, 2]);
        assert!(Batch::<Sizes>::default().push(PART_BYTES + 1).is_some());
    }
}

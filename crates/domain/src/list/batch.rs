//! Gathering the items of a part. A part is bounded by its bytes as well as by its items: a list of
//! records of megabytes has to fit in little memory too.

use std::mem;

use super::Listed;

/// The most bytes of a part, unless one item is larger by itself: that one ends its part.
pub const PART_BYTES: usize = 1024 * 1024;

/// The most items of the first part, for which a client waits.
const FIRST_ITEMS: usize = 64;

/// The most items of each further part.
const ITEMS: usize = 256;

/// The items of the next part of a list.
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
    /// begins the next part. An item larger than a part is returned at once with those before it, so
    /// that it does not stay in memory until the next one is read.
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

    /// The items that are left: none, or the last part.
    #[must_use]
    pub fn into_rest(self) -> Vec<L::Item> {
        self.items
    }
}

/// About how many bytes of memory these items of a list take together.
#[must_use]
pub fn bytes_of<L: Listed>(items: &[L::Item]) -> usize {
    items.iter().map(L::bytes).fold(0, usize::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Items that take as many bytes as they say.
    struct Sizes;

    impl Listed for Sizes {
        type Filter = ();
        type Sort = ();
        type Item = usize;

        fn bytes(item: &usize) -> usize {
            *item
        }
    }

    /// How many items each part has.
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

//! The address of a list: its filters, sort and page, so that a link to it can be sent.

use patrol_domain::{
    list::{Condition, Direction, Listed, Page, Query, Sort},
    shared::text::fold,
};

use crate::visit::{SignedIn, Visit};

/// The rows on one page.
pub(crate) const PAGE: u32 = 50;

/// The parameter with what is searched for.
pub(crate) const SEARCH: &str = "search";
const SORT: &str = "sort";
const OFFSET: &str = "offset";

/// The path and the parameters of a list.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    path: String,
    parameters: Vec<(String, String)>,
}

/// A property by which a list can be sorted: its name in the address, and the property.
pub(crate) type Sorts<P> = [(&'static str, P)];

/// The links to the pages beside this one.
#[derive(Debug)]
pub(crate) struct Pager {
    pub(crate) previous: Option<String>,
    pub(crate) next: Option<String>,
    /// The numbers of the first and the last row, from 1; both are 0 on an empty page.
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) total: u64,
}

impl Address {
    /// The address of a visit.
    pub(crate) fn of(visit: &Visit) -> Self {
        let request = &visit.request;
        // Invalid UTF-8 becomes U+FFFD: there is no other error.
        let parameters = serde_urlencoded::from_str(request.query_string()).unwrap_or_default();
        Self { path: request.path().to_owned(), parameters }
    }

    /// The address of a list that another page shows.
    pub(crate) fn new(path: &str, parameters: Vec<(String, String)>) -> Self {
        Self { path: path.to_owned(), parameters }
    }

    /// The parameters, for a list that they suit as well.
    pub(crate) fn parameters(self) -> Vec<(String, String)> {
        self.parameters
    }

    /// The path of the list.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The value of a parameter without blanks around it; empty when it is absent.
    pub(crate) fn value(&self, name: &str) -> &str {
        let found = self.parameters.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value.trim())
    }

    /// The same list with these parameters alone.
    pub(crate) fn only(&self, names: &[&str]) -> Self {
        let kept = self.parameters.iter().filter(|(name, _)| names.contains(&name.as_str()));
        Self { path: self.path.clone(), parameters: kept.cloned().collect() }
    }

    /// The same list with another value of a parameter, from its first page. An empty value removes the
    /// parameter.
    pub(crate) fn with(&self, name: &str, value: &str) -> String {
        let kept = self.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let kept =
            kept.filter(|(known, value)| *known != name && *known != OFFSET && !value.is_empty());
        let new = (!value.is_empty()).then_some((name, value));
        let query: Vec<_> = kept.chain(new).collect();
        match serde_urlencoded::to_string(query) {
            Ok(query) if !query.is_empty() => format!("{}?{query}", self.path),
            _ => self.path.clone(),
        }
    }

    /// The same parameters at another path.
    pub(crate) fn at(&self, path: &str) -> String {
        let query = serde_urlencoded::to_string(&self.parameters).unwrap_or_default();
        format!("{path}?{query}")
    }

    /// The parameters that a form of filters keeps: all but those that it sends itself and the page.
    pub(crate) fn kept<'a>(
        &'a self,
        sent: &'static [&str],
    ) -> impl Iterator<Item = &'a (String, String)> {
        let is_kept = |name: &str| name != OFFSET && !sent.contains(&name);
        self.parameters.iter().filter(move |(name, value)| is_kept(name) && !value.is_empty())
    }

    /// The page of the list.
    pub(crate) fn page(&self) -> Page {
        Page { limit: PAGE, offset: self.value(OFFSET).parse().unwrap_or_default() }
    }

    /// The property and direction that the address names.
    pub(crate) fn sort<P: Copy>(&self, sorts: &Sorts<P>) -> Option<Sort<P>> {
        let (name, direction) = self.sorted();
        let (_, property) = sorts.iter().find(|(known, _)| *known == name)?;
        Some(Sort { property: *property, direction })
    }

    fn sorted(&self) -> (&str, Direction) {
        let sort = self.value(SORT);
        match sort.strip_prefix('-') {
            Some(name) => (name, Direction::Descending),
            None => (sort, Direction::Ascending),
        }
    }

    /// The link of a column's heading, and the direction in which the list is sorted by it now.
    pub(crate) fn sort_link(&self, name: &str) -> (String, Option<Direction>) {
        let (sorted, direction) = self.sorted();
        let direction = (sorted == name).then_some(direction);
        let next = match direction {
            Some(Direction::Ascending) => format!("-{name}"),
            _ => name.to_owned(),
        };
        (self.with(SORT, &next), direction)
    }

    /// The links to the pages beside this one. `shown`: the rows on this page.
    pub(crate) fn pager(&self, shown: usize, total: u64) -> Pager {
        self.pager_of(PAGE, shown, total)
    }

    /// The links to the pages beside this one, in a list with `limit` rows on a page.
    pub(crate) fn pager_of(&self, limit: u32, shown: usize, total: u64) -> Pager {
        let offset = self.page().offset;
        let shown = u64::try_from(shown).unwrap_or(u64::MAX);
        let at = |offset: u64| self.with(OFFSET, &offset.to_string());
        let last = offset.saturating_add(shown);
        Pager {
            previous: (offset > 0).then(|| match offset.saturating_sub(limit.into()) {
                0 => self.with(OFFSET, ""),
                before => at(before),
            }),
            next: (shown > 0 && last < total).then(|| at(last)),
            first: if shown == 0 { 0 } else { offset.saturating_add(1) },
            last: if shown == 0 { 0 } else { last },
            total,
        }
    }
}

/// The query of a list: the search and the sort of its address, and further conditions. Without a sort the
/// list is sorted by the first property.
pub(crate) fn query<L: Listed<Sort: Copy>>(
    visit: &Visit,
    address: &Address,
    sorts: &Sorts<L::Sort>,
    conditions: Vec<Condition<L::Filter>>,
) -> Query<L> {
    let search = fold(address.value(SEARCH));
    let first = sorts
        .first()
        .map(|(_, property)| Sort { property: *property, direction: Direction::Ascending });
    Query {
        search: (!search.is_empty()).then_some(search),
        sort: address.sort(sorts).or(first).into_iter().collect(),
        page: address.page(),
        ..Query::of(Condition::All(conditions), visit.site.api.clock.now())
    }
}

/// The query of the first records that meet a condition, in the order of a property, if one is named. It is
/// answered as one part.
pub(crate) fn first<L: Listed>(
    signed_in: &SignedIn,
    condition: Condition<L::Filter>,
    sort: Option<L::Sort>,
    limit: u32,
) -> Query<L> {
    let ascending = |property| Sort { property, direction: Direction::Ascending };
    Query {
        sort: sort.map(ascending).into_iter().collect(),
        page: Page { limit, offset: 0 },
        ..Query::of(condition, signed_in.visit.site.api.clock.now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(query: &str) -> Address {
        Address {
            path: "/plans".to_owned(),
            parameters: serde_urlencoded::from_str(query).unwrap(),
        }
    }

    #[test]
    fn a_link_keeps_the_other_parameters_and_begins_at_the_first_page() {
        let list = address("search=a%26b&sort=name&offset=50");
        assert_eq!(list.with("state", "LATE"), "/plans?search=a%26b&sort=name&state=LATE");
        assert_eq!(list.with("search", ""), "/plans?sort=name");
        assert_eq!(
            list.sort_link("name"),
            ("/plans?search=a%26b&sort=-name".to_owned(), Some(Direction::Ascending))
        );
        assert_eq!(list.sort_link("start").1, None);
    }

    #[test]
    fn the_pages_beside_this_one_are_within_the_list() {
        let ends = |query: &str, shown, total| {
            let Pager { previous, next, first, last, .. } = address(query).pager(shown, total);
            (previous, next, first, last)
        };
        assert_eq!(ends("", 0, 0), (None, None, 0, 0));
        assert_eq!(ends("", 50, 51), (None, Some("/plans?offset=50".to_owned()), 1, 50));
        assert_eq!(ends("offset=50", 1, 51), (Some("/plans".to_owned()), None, 51, 51));
        assert_eq!(ends("offset=500", 0, 51).1, None);
        assert_eq!(ends("offset=x", 50, 50), (None, None, 1, 50));
    }
}

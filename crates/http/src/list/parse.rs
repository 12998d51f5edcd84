//! Parses the query string of a list.

use std::collections::HashSet;

use patrol_application::Operation;
use patrol_domain::{
    MAX_FAULTS,
    list::{Condition, Direction, Page, Query, Sort, SortProperty as _, Test},
    shared::text::fold,
    task_execution::Moment,
};
use patrol_record::json::fields::Expected;

use super::{
    bounds::BoundedTerms,
    declaration::{ListDeclaration, Setter, Subject},
    fault::ParameterFault,
    filter,
};
use crate::{
    error::{ApiError, Detail},
    query_string::{NotUtf8, Parameter, parameters},
    route::Endpoint,
};

/// A parsed query string.
#[derive(Debug)]
pub(crate) struct ParsedQuery<L: ListDeclaration> {
    /// The query for the store.
    pub(crate) query: Query<L>,
    pub(crate) options: L::Options,
    /// The values that the response repeats.
    pub(crate) echo: Echo,
}

/// Values of the request that the response repeats.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Echo {
    pub(crate) page: Page,
    /// The requested sort properties, or id.
    pub(crate) sort: Vec<(&'static str, Direction)>,
    /// Applied filters and options, with the values as sent.
    pub(crate) filter: Vec<(&'static str, String)>,
}

/// Parses a query string. Unknown parameters are ignored.
///
/// # Errors
/// `input.data.invalid` with the first [`MAX_FAULTS`] faults, in the order of the query string.
pub(crate) fn parse_query<L: ListDeclaration>(
    query_string: &str,
    moment: Moment,
) -> Result<ParsedQuery<L>, ApiError> {
    let mut parser = Parser::<L>::new(moment);
    for parameter in parameters(query_string) {
        parser.take(&parameter);
    }
    if !parser.faults.is_empty() {
        return Err(ApiError::invalid(parser.faults));
    }
    let Parser { options, terms, mut derived, search, sort, mut echo, .. } = parser;
    let mut condition = L::condition(terms, &options);
    if !derived.is_empty() {
        derived.push(condition);
        condition = Condition::All(derived);
    }
    if echo.sort.is_empty() && L::SORTED_BY_ID {
        echo.sort.push(("id", Direction::Ascending));
    }
    Ok(ParsedQuery {
        query: Query {
            search,
            sort,
            page: echo.page,
            late_after: moment.punctuality.late_after_millis(),
            ..Query::of(condition, moment.now)
        },
        options,
        echo,
    })
}

/// Whether a list has `limit`, `offset` and `sort`. In a list without sort properties, an option may
/// have such a name.
const fn is_paged<L: ListDeclaration>() -> bool {
    !L::Sort::NAMED.is_empty()
}

/// The endpoint of a list, with its query parameters.
pub(crate) fn endpoint<L: ListDeclaration>(operation: Operation) -> Endpoint {
    Endpoint::from(operation).parameters(knows::<L>)
}

/// Whether a list has this parameter.
fn knows<L: ListDeclaration>(name: &str) -> bool {
    (is_paged::<L>() && matches!(name, "limit" | "offset" | "sort"))
        || (name == "q" && L::SEARCH.is_some())
        || L::OPTIONS.iter().any(|option| option.name == name)
        || L::FILTERS.iter().any(|filter| filter.name == name)
}

/// The state of parsing.
struct Parser<L: ListDeclaration> {
    moment: Moment,
    terms: Vec<(L::Filter, Test)>,
    /// The conditions of [`Subject::Derived`].
    derived: Vec<Condition<L::Filter>>,
    options: L::Options,
    search: Option<String>,
    sort: Vec<Sort<L::Sort>>,
    echo: Echo,
    /// The parameters that were read so far and may occur only once.
    seen: HashSet<&'static str>,
    bounds: BoundedTerms,
    faults: Vec<Detail>,
}

impl<L: ListDeclaration> Parser<L> {
    fn new(moment: Moment) -> Self {
        Self {
            moment,
            terms: Vec::new(),
            derived: Vec::new(),
            options: L::Options::default(),
            search: None,
            sort: Vec::new(),
            echo: Echo::default(),
            seen: HashSet::new(),
            bounds: BoundedTerms::default(),
            faults: Vec::new(),
        }
    }

    fn take(&mut self, parameter: &Parameter<'_>) {
        let value = parameter.value.as_ref().map(AsRef::as_ref);
        match parameter.name.as_ref() {
            "limit" if is_paged::<L>() => self.read_once("limit", value, |parser, value| {
                let limit = integer(value, 0, u64::from(Page::MAX_LIMIT))?;
                parser.echo.page.limit = u32::try_from(limit).unwrap_or(Page::MAX_LIMIT);
                Ok(())
            }),
            "offset" if is_paged::<L>() => self.read_once("offset", value, |parser, value| {
                parser.echo.page.offset = integer(value, 0, Page::MAX_OFFSET)?;
                Ok(())
            }),
            "q" if L::SEARCH.is_some() => self.read_once("q", value, |parser, value| {
                parser.search = search(value)?;
                Ok(())
            }),
            "sort" if is_paged::<L>() => self.read_any("sort", value, Self::sort),
            name => {
                if let Some(option) = L::OPTIONS.iter().find(|option| option.name == name) {
                    self.read_once(option.name, value, |parser, value| {
                        parser.set_option(option.name, &option.set, value)
                    });
                } else if let Some(filter) = L::FILTERS.iter().find(|filter| filter.name == name) {
                    self.read_any(filter.name, value, |parser, value| {
                        if !value.is_empty() {
                            let read = filter::parse(filter.kind, value)?;
                            if let Some(test) = parser.bounds.filter(filter.name, read)? {
                                parser.add(filter.subject, test);
                            }
                            parser.echo.filter.push((filter.name, value.to_owned()));
                        }
                        Ok(())
                    });
                }
            }
        }
    }

    fn add(&mut self, subject: Subject<L::Filter>, test: Test) {
        match subject {
            Subject::Property(property) => self.terms.push((property, test)),
            Subject::Derived(condition) => {
                self.derived.push(condition(self.moment, test == Test::Flag(true)));
            }
        }
    }

    /// Handles a parameter that may be given once.
    fn read_once(
        &mut self,
        name: &'static str,
        value: Result<&str, &NotUtf8>,
        read: impl FnOnce(&mut Self, &str) -> Result<(), ParameterFault>,
    ) {
        if self.seen.insert(name) {
            self.read_any(name, value, read);
        } else {
            self.fault(ParameterFault::Repeated, name);
        }
    }

    /// Handles a parameter that may be given several times.
    fn read_any(
        &mut self,
        name: &'static str,
        value: Result<&str, &NotUtf8>,
        read: impl FnOnce(&mut Self, &str) -> Result<(), ParameterFault>,
    ) {
        let read = match value {
            Ok(value) => read(self, value),
            Err(NotUtf8) => Err(ParameterFault::Type(Expected::String)),
        };
        if let Err(fault) = read {
            self.fault(fault, name);
        }
    }

    /// Adds a fault, up to [`MAX_FAULTS`].
    fn fault(&mut self, fault: ParameterFault, name: &'static str) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(fault.into_detail(name));
        }
    }

    fn set_option(
        &mut self,
        name: &'static str,
        set: &Setter<L::Options>,
        value: &str,
    ) -> Result<(), ParameterFault> {
        if value.is_empty() && !matches!(set, Setter::Number(..)) {
            return Ok(());
        }
        match set {
            Setter::Flag(set) => set(&mut self.options, filter::boolean(value)?),
            Setter::Id(set) => set(&mut self.options, filter::id(value)?),
            Setter::Number(min, max, set) => set(&mut self.options, integer(value, *min, *max)?),
        }
        self.echo.filter.push((name, value.to_owned()));
        Ok(())
    }

    fn sort(&mut self, value: &str) -> Result<(), ParameterFault> {
        let (name, direction) = match value.split_once(',') {
            Some((name, direction)) => (name, direction),
            None => (value, "asc"),
        };
        let Some((name, property)) = L::Sort::NAMED.iter().find(|(known, _)| *known == name) else {
            let names = L::Sort::NAMED.iter().map(|(name, _)| *name);
            return Err(ParameterFault::NotOneOf(names.collect()));
        };
        let direction = match direction {
            "asc" => Direction::Ascending,
            "desc" => Direction::Descending,
            _ => return Err(ParameterFault::NotOneOf(vec!["asc", "desc"])),
        };
        self.bounds.sort(name, direction)?;
        self.echo.sort.push((name, direction));
        // A later sort by the same property has no effect.
        if self.sort.iter().all(|earlier| earlier.property != *property) {
            self.sort.push(Sort { property: *property, direction });
        }
        Ok(())
    }
}

/// A whole number from `min` to `max`.
fn integer(value: &str, min: u64, max: u64) -> Result<u64, ParameterFault> {
    let digits = value.strip_prefix('-').unwrap_or(value);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(ParameterFault::Type(Expected::Integer));
    }
    // A number that does not fit is reported as out of range.
    let number = value.parse().ok().filter(|number| (min..=max).contains(number));
    number.ok_or(ParameterFault::OutOfRange(min, max))
}

/// The folded text of a quick search; `None` when it is empty.
fn search(value: &str) -> Result<Option<String>, ParameterFault> {
    if value.contains('\0') {
        return Err(ParameterFault::Characters);
    }
    Ok((!value.is_empty()).then(|| fold(value)))
}

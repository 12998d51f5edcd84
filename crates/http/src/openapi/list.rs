//! The parameters and the schema of a list, from its declaration.

use std::{borrow::Cow, marker::PhantomData};

use patrol_domain::list::SortProperty as _;
use patrol_record::value::Id;
use serde_json::json;
use utoipa::{
    IntoParams, PartialSchema, ToSchema,
    openapi::{
        Ref, RefOr, Required, Schema,
        extensions::Extensions,
        path::{Parameter, ParameterBuilder, ParameterIn, ParameterStyle},
        schema::{ArrayBuilder, ObjectBuilder, Type},
    },
};

use crate::{
    list::{AppliedFilter, FilterPlace, FilteredMeta, Kind, ListDeclaration, Meta, Setter, bounds},
    schema::{EXTRA_KEYWORDS, NO_NUL, add_schema},
};

/// A UUID in any case.
const UUID: &str = "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}";

/// A time in the form of RFC 3339, from the year 1 on. The pattern does not check the number of
/// days of a month; the parser does.
const TIME: &str = "([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)\
                    -(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])\
                    T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]+)?\
                    (Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])";

/// Describes the list `L`: its query parameters and its document.
pub(crate) struct DocumentOf<L>(PhantomData<L>);

impl<L: ListDeclaration> IntoParams for DocumentOf<L> {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        if !L::Sort::NAMED.is_empty() {
            parameters.extend([shared("limit"), shared("offset"), sort::<L>()]);
        }
        if let Some(search) = L::SEARCH {
            let about = format!(
                "Quick search: {} contains the text. Case is ignored. Example: `{}`.",
                search.fields, search.example
            );
            let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(NO_NUL));
            parameters.push(query("q", about).schema(Some(text)).build());
        }
        for filter in L::FILTERS {
            let rules = format!(
                "{} Operators: {}. Without one: {}. May be repeated; all filters apply. A query \
                 has at most {} filters, and {} values after in: and nin: together. Example: `{}`.",
                meaning(filter.about, filter.kind),
                filter.kind.operator_names().join(", "),
                without_operator(filter.kind),
                bounds::MAX_FILTERS,
                bounds::MAX_VALUES,
                filter.example,
            );
            parameters.push(repeated(filter.name, rules, pattern(filter.kind)));
        }
        parameters.extend(L::OPTIONS.iter().map(|option| {
            let schema = match option.set {
                Setter::Flag(_) => ObjectBuilder::new().schema_type(Type::Boolean).into(),
                Setter::Id(_) => RefOr::from(Ref::from_schema_name(Id::name())),
                Setter::Number(min, max, _) => ObjectBuilder::new()
                    .schema_type(Type::Integer)
                    .minimum(Some(min))
                    .maximum(Some(max))
                    .into(),
            };
            let parameter = query(option.name, option.about).schema(Some(schema));
            match option.set {
                Setter::Flag(_) | Setter::Id(_) => parameter.extensions(Some(may_be_empty())),
                Setter::Number(..) => parameter,
            }
            .build()
        }));
        parameters
    }
}

impl<L: ListDeclaration> PartialSchema for DocumentOf<L> {
    fn schema() -> RefOr<Schema> {
        let meta = match L::FILTER_PLACE {
            FilterPlace::Meta => FilteredMeta::name(),
            FilterPlace::Top | FilterPlace::Absent => Meta::name(),
        };
        let items = ArrayBuilder::new().items(Ref::from_schema_name(<L::Row<'_>>::name()));
        let document = ObjectBuilder::new()
            .property("data", items)
            .required("data")
            .property("meta", Ref::from_schema_name(meta))
            .required("meta");
        if L::FILTER_PLACE != FilterPlace::Top {
            return document.into();
        }
        let filters =
            ArrayBuilder::new().items(Ref::from_schema_name(AppliedFilter::name())).description(
                Some("The filters and flags that were applied, in the order of the query string."),
            );
        document.property("filter", filters).required("filter").into()
    }
}

impl<L: ListDeclaration> ToSchema for DocumentOf<L> {
    fn name() -> Cow<'static, str> {
        L::NAME.into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add_schema::<L::Row<'_>>(schemas);
        add_schema::<Meta>(schemas);
        add_schema::<AppliedFilter<'_>>(schemas);
        if L::FILTER_PLACE == FilterPlace::Meta {
            add_schema::<FilteredMeta<'_>>(schemas);
        }
    }
}

/// A parameter that `common.json` describes for all lists.
fn shared(name: &str) -> Parameter {
    ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query).build()
}

fn query(name: &str, about: impl Into<String>) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(about))
}

/// An empty value is the same as none.
fn may_be_empty() -> Extensions {
    Extensions::from_iter([(EXTRA_KEYWORDS, json!({"allowEmptyValue": true}))])
}

/// A parameter that may be repeated.
fn repeated(name: &str, about: String, pattern: String) -> Parameter {
    let value = ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern));
    query(name, about)
        .schema(Some(ArrayBuilder::new().items(value)))
        .style(Some(ParameterStyle::Form))
        .explode(Some(true))
        .build()
}

fn sort<L: ListDeclaration>() -> Parameter {
    let names: Vec<_> = L::Sort::NAMED.iter().map(|(name, _)| *name).collect();
    let about = format!(
        "A property and a direction (asc when absent). May be repeated: the first is the most \
         important. Null sorts last; ties are broken by {}. Sorted by {} when absent. At most {}. \
         Example: `{}`.",
        L::TIES,
        if L::SORTED_BY_ID { "id" } else { L::TIES },
        bounds::MAX_SORTS,
        L::SORT_EXAMPLE
    );
    repeated("sort", about, format!("^({})(,(asc|desc))?$", names.join("|")))
}

/// What a filter means: the names of an enumeration, or its description.
fn meaning(about: &str, kind: Kind) -> String {
    match kind {
        Kind::Enumeration([names @ .., last], _) => format!("{} or {last}.", names.join(", ")),
        _ => about.to_owned(),
    }
}

/// What a value without an operator means.
const fn without_operator(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "contains. Case is ignored",
        Kind::Enumeration(..) | Kind::Name(_) | Kind::Exact | Kind::Id | Kind::Tag => {
            "equal, or in when there is a comma"
        }
        Kind::Boolean | Kind::Time => "equal",
    }
}

/// The pattern of a filter's values. An empty value is not applied.
fn pattern(kind: Kind) -> String {
    // One value after `eq:` or `ne:`; one or several after `in:`, `nin:` or without an operator.
    let listed = |value: &str| format!("^((eq:|ne:)?{value}|(in:|nin:)?{value}(,{value})*)?$");
    let one_of = |names: &[&str]| listed(&format!("({})", names.join("|").replace('.', "\\.")));
    match kind {
        // A list operator needs a value. A word before a colon that is not an operator is part of
        // the value.
        Kind::Text | Kind::Exact | Kind::Tag => {
            let others = kind.other_operator_names().join("|");
            format!("^(?!(({others}):|(in|nin):$))[^\\u0000]*$")
        }
        Kind::Id => listed(UUID),
        Kind::Enumeration(names, _) | Kind::Name(names) => one_of(names),
        Kind::Boolean => "^((eq:|ne:)?(true|false))?$".to_owned(),
        Kind::Time => format!("^((eq:|ne:|gt:|gte:|lt:|lte:)?{TIME})?$"),
    }
}

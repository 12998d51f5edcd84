//! Declaration of the list of tokens.

use patrol_domain::{
    access::{Token, TokenFilter, TokenList},
    ids::UserId,
};
use patrol_record::TokenRecord;

use crate::list::{Filter, ListDeclaration, OptionParameter, RowContext, Setter};

/// The owner whose tokens are requested.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Owner {
    /// The user; `None` for the caller.
    pub(crate) user: Option<UserId>,
}

impl ListDeclaration for TokenList {
    type Options = Owner;
    type Row<'a> = TokenRecord<'a>;

    const NAME: &'static str = "TokenList";

    const FILTERS: &'static [Filter<TokenFilter>] = &[];

    /// An option instead of a filter: the list always has one owner, and listing another user's
    /// tokens needs permission.
    const OPTIONS: &'static [OptionParameter<Owner>] = &[OptionParameter {
        name: "userId",
        about: "The owner of the tokens; the caller when absent. Other users only for \
                 administrators. Example: \
                 `0190de30-0004-7000-8000-000000000006`.",
        set: Setter::Id(|owner, id| owner.user = Some(id.into())),
    }];

    const SORT_EXAMPLE: &'static str = "createdAt,desc";

    fn row(item: &Token, _: RowContext) -> TokenRecord<'_> {
        TokenRecord::new(item)
    }
}

//! The endpoint of a list.

use std::marker::PhantomData;

use patrol_application::Operation;

use super::{declaration::ListDeclaration, parse::knows};
use crate::route::{Endpoint, FaultStyle};

/// The endpoint `E` with the query parameters of the list `L`.
pub(crate) struct ListEndpoint<E, L>(PhantomData<(E, L)>);

impl<E: Endpoint, L: ListDeclaration + 'static> Endpoint for ListEndpoint<E, L> {
    const OPERATION: Operation = E::OPERATION;
    const FAULTS: FaultStyle = E::FAULTS;

    fn has_parameter(parameter: &str) -> bool {
        knows::<L>(parameter)
    }
}

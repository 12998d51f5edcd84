//! The columns of a file, by the names of the API.

/// A column that a file may have.
pub struct Column {
    /// The member of the body of a POST, or of the record if it is read-only.
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) cell: Cell,
}

/// What the cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    /// A text, an id or a name of an enumeration.
    Text,
    /// Texts or ids, joined by `;`.
    List,
    /// A number, or a list of objects.
    Json,
    /// A member of the record that Patrol sets. The export has it; an import ignores it.
    ReadOnly,
}

const fn column(name: &'static str, is_required: bool, cell: Cell) -> Column {
    Column { name, is_required, cell }
}

/// The columns of people.
pub(super) const PEOPLE: &[Column] = &[
    column("id", false, Cell::Text),
    column("firstName", true, Cell::Text),
    column("middleName", false, Cell::Text),
    column("lastName", true, Cell::Text),
    column("employeeNo", false, Cell::Text),
    column("employeePin", false, Cell::Text),
    column("email", false, Cell::Text),
    column("phone", false, Cell::Text),
    column("language", false, Cell::Text),
    column("role", true, Cell::Text),
    column("status", false, Cell::Text),
    column("photoId", false, Cell::ReadOnly),
    column("locationIds", false, Cell::List),
    column("tags", false, Cell::List),
    column("userLinked", false, Cell::ReadOnly),
];

/// The columns of points.
pub(super) const POINTS: &[Column] = &[
    column("id", false, Cell::ReadOnly),
    column("locationId", true, Cell::Text),
    column("name", true, Cell::Text),
    column("type", true, Cell::Text),
    column("latitude", false, Cell::Json),
    column("longitude", false, Cell::Json),
    column("graphicPlans", false, Cell::Json),
    column("rfidCode", false, Cell::Text),
    column("qrCode", false, Cell::Text),
    column("tags", false, Cell::List),
];

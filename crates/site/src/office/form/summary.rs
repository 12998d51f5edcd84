//! The summary of what is wrong with a form.

use super::parts::{Field, Kind, Part, Rows};
use crate::{office::faults::FormFault, texts::Texts};

/// What the summary of faults says, in the order of the form: the id of each field, and its label with
/// the fault.
pub(crate) fn of<'a>(t: &Texts, parts: &[Part], faults: &'a [FormFault]) -> Vec<(&'a str, String)> {
    let mut said: Vec<_> = faults
        .iter()
        .map(|fault| match shown_at(t, parts, &fault.path) {
            Some(Shown { place, label, id, kind }) => {
                let rest = fault.path.get(id.len()..).unwrap_or_default();
                let text = said(t, fault, kind, rest);
                (place, (id, format!("{label}: {text}")))
            }
            None => (vec![usize::MAX], (fault.path.as_str(), fault.text.clone())),
        })
        .collect();
    said.sort_by(|(one, _), (other, _)| one.cmp(other));
    said.into_iter().map(|(_, said)| said).collect()
}

/// Where a form shows a member.
struct Shown<'a> {
    /// The indices of the parts and rows on the way, which sort as the form shows them.
    place: Vec<usize>,
    /// The label of the field, after those of the rows that it is in.
    label: String,
    /// The path of the field's own member: a field shows a whole list.
    id: &'a str,
    /// `None` for a list of objects.
    kind: Option<Kind>,
}

/// Where the parts of a form show the member at a path.
fn shown_at<'a>(t: &Texts, parts: &[Part], path: &'a str) -> Option<Shown<'a>> {
    parts.iter().enumerate().find_map(|(at, part)| {
        let mut found = match part {
            Part::Button { .. } => None,
            Part::Group { parts, .. } => shown_at(t, parts, path),
            Part::Field(Field { path: own, label, kind, .. }) => is_of(own, path).then(|| Shown {
                place: Vec::new(),
                label: label(t).to_string(),
                id: path.get(..own.len()).unwrap_or(path),
                kind: Some(*kind),
            }),
            Part::Rows(rows) => shown_in_rows(t, rows, path),
        }?;
        found.place.insert(0, at);
        Some(found)
    })
}

fn shown_in_rows<'a>(t: &Texts, rows: &Rows, path: &'a str) -> Option<Shown<'a>> {
    let legend = (rows.legend)(t);
    let rest = path.strip_prefix(rows.path).filter(|_| is_of(rows.path, path))?;
    let Some((row, inner)) = rest.strip_prefix('[').and_then(|rest| rest.split_once("].")) else {
        let label = legend.to_string();
        return Some(Shown { place: Vec::new(), label, id: path, kind: None });
    };
    let row = row.parse::<usize>().ok()?;
    let mut found = shown_at(t, rows.parts, inner)?;
    found.place.insert(0, row);
    found.label = format!("{legend} {} › {}", row.saturating_add(1), found.label);
    let before = path.len().checked_sub(inner.len())?;
    found.id = path.get(..before.checked_add(found.id.len())?)?;
    Some(found)
}

/// What a field says of a fault: `rest` is what follows its own path.
pub(super) fn said(t: &Texts, fault: &FormFault, kind: Option<Kind>, rest: &str) -> String {
    let element = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let line = element.and_then(|(line, _)| line.parse::<usize>().ok());
    match (kind, line) {
        (Some(Kind::Lines), Some(line)) => {
            t.fault_line.with_each(&[line.saturating_add(1).to_string(), fault.text.clone()])
        }
        (None | Some(Kind::Lines | Kind::Many(_) | Kind::Boxes(_)), None) => {
            fault.text_of_list.as_ref().unwrap_or(&fault.text).clone()
        }
        _ => fault.text.clone(),
    }
}

/// Whether a path is that of this member, or of an element of its list.
pub(super) fn is_of(member: &str, path: &str) -> bool {
    path.strip_prefix(member).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

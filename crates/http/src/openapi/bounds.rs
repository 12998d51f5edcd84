//! Inserts the configured bounds into the API description.

use patrol_domain::Limits;

use crate::settings::Settings;

/// A bound of fields or bodies.
struct NamedBound {
    /// The name of the setting.
    name: &'static str,
    /// For example `10485760`.
    number: String,
    /// For example `10 MiB`.
    text: String,
}

/// A number of bytes in words, for example `10 MiB`.
pub(super) fn size(bytes: usize) -> String {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    match bytes {
        bytes if bytes.is_multiple_of(MIB) => format!("{} MiB", bytes / MIB),
        bytes if bytes.is_multiple_of(KIB) => format!("{} KiB", bytes / KIB),
        bytes => format!("{bytes} bytes"),
    }
}

fn bounds(settings: &Settings) -> Vec<NamedBound> {
    let Limits {
        name,
        description,
        address,
        text,
        tags,
        tag,
        steps,
        actions,
        assignees,
        locations,
        tokens,
        plan_places,
        plan_place,
    } = settings.limits;
    let count = |name, bound: usize| {
        let number = bound.to_string();
        NamedBound { name, text: number.clone(), number }
    };
    let bytes =
        |name, bound: usize| NamedBound { name, number: bound.to_string(), text: size(bound) };
    let pixels = settings.photo_pixels.to_string();
    vec![
        count("limit_name", name),
        count("limit_description", description),
        count("limit_address", address),
        count("limit_text", text),
        count("limit_tags", tags),
        count("limit_tag", tag),
        count("limit_steps", steps),
        count("limit_actions", actions),
        count("limit_assignees", assignees),
        count("limit_locations", locations),
        count("limit_tokens", tokens),
        count("limit_plan_places", plan_places),
        bytes("limit_plan_place", plan_place),
        bytes("limit_photo", settings.photo_limit),
        bytes("limit_media", settings.media_limit),
        NamedBound { name: "limit_pixels", number: pixels.clone(), text: pixels },
    ]
}

/// Replaces the names of bounds: `"{limit_photo}"` by a number, `{limit_photo}` within a text by
/// words, for example `10 MiB`; and `{version}` by the version.
pub(super) fn fill(document: &str, settings: &Settings) -> String {
    let mut filled = document.replace("{version}", env!("CARGO_PKG_VERSION"));
    for NamedBound { name, number, text } in bounds(settings) {
        filled = filled.replace(&format!("\"{{{name}}}\""), &number);
        filled = filled.replace(&format!("{{{name}}}"), &text);
    }
    filled
}

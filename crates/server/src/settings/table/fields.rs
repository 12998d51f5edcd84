//! The bounds of fields.

use super::defaults::MIB;
use crate::settings::{
    setting::{Initial, Setting, Topic},
    value,
};

/// Declares a setting that is the bound of a field.
macro_rules! field {
    ($name:literal, $field:ident, $default:literal, $help:literal) => {
        Setting {
            name: $name,
            value: "NUMBER",
            default: Initial::Text($default),
            help: $help,
            topic: Topic::Fields,
            set: |to, text| {
                to.limits.$field = value::number(text, 1..=1_000_000)?;
                Ok(())
            },
        }
    };
}

pub(super) const SETTINGS: &[Setting] = &[
    field!("limit_name", name, "255", "Longest name of any record, in characters"),
    field!("limit_description", description, "10000", "Longest description, in characters"),
    field!("limit_address", address, "1000", "Longest address, in characters"),
    field!("limit_text", text, "255", "Longest text of another kind, in characters"),
    field!("limit_tags", tags, "100", "Most tags of one record"),
    field!("limit_tag", tag, "100", "Longest tag, in characters"),
    field!("limit_steps", steps, "500", "Most steps of one execution"),
    field!("limit_actions", actions, "200", "Most actions of one step"),
    field!("limit_assignees", assignees, "1000", "Most assignees of one execution"),
    field!("limit_locations", locations, "10000", "Most locations of one user"),
    field!("limit_tokens", tokens, "1000", "Most tokens of one user"),
    field!("limit_plan_places", plan_places, "100", "Most graphicPlans of one point"),
    Setting {
        name: "limit_plan_place",
        value: "SIZE",
        default: Initial::Text("4 KiB"),
        help: "Largest element of a point's graphicPlans, as compact JSON",
        topic: Topic::Fields,
        set: |to, text| {
            to.limits.plan_place = value::size(text, 256..=MIB)?;
            Ok(())
        },
    },
];

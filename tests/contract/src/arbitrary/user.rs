//! Random users.

use patrol_domain::{
    Named,
    access::Role,
    user::{User, UserStatus},
};
use proptest::{option::of, prelude::*, sample::select};

use super::{number, set, tags, texts, uuid};
use crate::sample::{MANY, location_id};

/// Users. Employee numbers and email addresses are unique, so they get a part of the random id.
pub(crate) fn user() -> impl Strategy<Value = User> {
    let names = (texts(), of(prop_oneof![texts(), Just(String::new())]), texts(), of(texts()));
    let languages = select(vec!["en", "EN", "ru", "pt-BR"]);
    let kinds = (select(Role::ALL.to_vec()), select(UserStatus::ALL.to_vec()), any::<bool>());
    let places = set((1..=MANY).map(location_id).collect());
    (uuid(), names, (of(texts()), of(texts())), languages, kinds, places, tags(), of(number()))
        .prop_map(|(id, names, unique, language, kinds, location_ids, tags, photo)| {
            let (first_name, middle_name, last_name, phone) = names;
            let (role, status, linked) = kinds;
            let (number, email) = unique;
            User {
                middle_name,
                employee_no: number.map(|text| format!("{text} {id}")),
                email: email.map(|text| format!("{id}@{text}")),
                phone,
                status,
                photo_id: photo.map(|photo| crate::sample::id(13, photo)),
                location_ids,
                tags,
                linked,
                ..User::new(id, first_name, last_name, language, role)
            }
        })
}

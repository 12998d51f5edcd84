//! [`Users`](patrol_domain::user::Users).

use patrol_domain::user::User;

use crate::{
    Adapter, Ports,
    sample::{import, of_user, user, user_id, whole_user, world},
};

async fn filled<A: Adapter>(adapter: &A, users: &[User]) -> Ports {
    let ports = adapter.fresh().await;
    let mut records = world();
    records.extend(users.iter().cloned().map(of_user));
    import(&ports, records).await.expect("an import");
    ports
}

/// Every field comes back as it was stored, lists in their order.
pub async fn a_user_comes_back_as_it_was_stored<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[user(11), whole_user(12)]).await;
    assert_eq!(ports.users.get(user_id(11)).await, Ok(Some(user(11))));
    assert_eq!(ports.users.get(user_id(12)).await, Ok(Some(whole_user(12))));
}

/// By employee number, else by email, case ignored, Cyrillic included.
pub async fn a_user_is_found_by_number_or_email_in_any_case<A: Adapter>(adapter: &A) {
    let numbered = User { employee_no: Some("Ё-7".to_owned()), ..user(11) };
    let ports = filled(adapter, &[numbered.clone(), whole_user(12)]).await;
    for text in ["Ё-7", "ё-7"] {
        assert_eq!(ports.users.find(text).await, Ok(Some(numbered.clone())), "{text}");
    }
    for text in ["anna.12@example.COM", "№ 12"] {
        assert_eq!(ports.users.find(text).await, Ok(Some(whole_user(12))), "{text}");
    }
}

/// The employee number goes before the email of another user.
pub async fn the_number_goes_before_the_email<A: Adapter>(adapter: &A) {
    let text = || Some("a@b.example".to_owned());
    let by_email = User { email: text(), ..user(11) };
    let by_number = User { employee_no: text(), ..user(12) };
    let ports = filled(adapter, &[by_email, by_number.clone()]).await;
    assert_eq!(ports.users.find("A@b.example").await, Ok(Some(by_number)));
}

/// What is not there is none, not an error.
pub async fn a_user_that_is_not_there_is_none<A: Adapter>(adapter: &A) {
    let ports = filled(adapter, &[whole_user(12)]).await;
    assert_eq!(ports.users.get(user_id(13)).await, Ok(None));
    for text in ["", "anna", "%", "№ 1_", &user_id(12).to_string()] {
        assert_eq!(ports.users.find(text).await, Ok(None), "{text}");
    }
}

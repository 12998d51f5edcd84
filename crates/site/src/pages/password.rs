//! Changing the own password.

use actix_web::{Error, http::StatusCode};
use askama::Template;
use patrol_application::NewPasswordError;
use patrol_domain::sign_in::PasswordFault;
use patrol_http::PageError;

use super::{HandlerResult, sign_in::busy};
use crate::{
    form::Form,
    office::list::Address,
    texts::{Text, Texts},
    view::{self, Frame, redirect},
    visit::SignedIn,
};

#[derive(Template)]
#[template(path = "password.html")]
struct Page<'a> {
    frame: Frame<'a>,
    user_name: &'a str,
}

/// GET /password
pub(crate) async fn form(signed_in: SignedIn) -> HandlerResult {
    let saved = !Address::of(&signed_in.visit).value("saved").is_empty();
    let t = &signed_in.visit.language().texts;
    let frame = Frame::of_user(&signed_in, &t.change_password);
    page(&signed_in, StatusCode::OK, frame.done(saved.then_some(&t.password_changed)))
}

/// POST /password
pub(crate) async fn change(form: Form<SignedIn>) -> HandlerResult {
    let Form { sender: signed_in, fields } = form;
    let SignedIn { visit, session, actor, .. } = &signed_in;
    let t = &visit.language().texts;
    let refused = |why: &Text| {
        let frame = Frame::of_user(&signed_in, &t.change_password).refused(why);
        page(&signed_in, StatusCode::UNPROCESSABLE_ENTITY, frame)
    };
    let (current, new) = (fields.value("current"), fields.value("new"));
    if new != fields.value("repeated") {
        return refused(&t.password_differs);
    }
    let _permit = visit.page.begin_slow_request().await?;
    let sign_in = &visit.site.services.sign_in;
    match sign_in.change_password(session, current, new, visit.visitor(), *actor).await {
        Ok(opened) => {
            visit.sign_in(opened.secret.0).await;
            Ok(redirect(visit, "/password?saved=1"))
        }
        Err(NewPasswordError::Password(wrong)) => refused(fault(t, wrong)),
        Err(NewPasswordError::WrongPassword) => refused(&t.password_wrong),
        Err(error) => Err(failure(error)),
    }
}

fn page(signed_in: &SignedIn, status: StatusCode, frame: Frame<'_>) -> HandlerResult {
    let user = &signed_in.session.user;
    let user_name = user.email.as_deref().or(user.employee_no.as_deref()).unwrap_or_default();
    view::page(&signed_in.visit, status, &Page { frame, user_name })
}

/// What is wrong with a new password.
pub(super) const fn fault(t: &Texts, fault: PasswordFault) -> &Text {
    match fault {
        PasswordFault::Length => &t.password_length,
        PasswordFault::Common => &t.password_common,
        PasswordFault::Personal => &t.password_personal,
    }
}

/// The page of an error that is no fault of the form.
pub(super) fn failure(error: NewPasswordError) -> Error {
    match error {
        NewPasswordError::Throttled { retry_after } => PageError::throttled(retry_after),
        NewPasswordError::Busy => busy(&error),
        NewPasswordError::Void => PageError::new(StatusCode::GONE).into(),
        NewPasswordError::Unknown => PageError::new(StatusCode::NOT_FOUND).into(),
        NewPasswordError::Store(error) => PageError::of(error),
        NewPasswordError::Password(_) | NewPasswordError::WrongPassword => {
            PageError::new(StatusCode::UNPROCESSABLE_ENTITY).into()
        }
    }
}

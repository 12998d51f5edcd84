//! Setting a password with the link of an invitation.

use actix_web::{http::StatusCode, web::Path};
use askama::Template;
use patrol_application::NewPasswordError;
use patrol_domain::{sign_in::InvitationState, user::User};
use patrol_http::PageError;

use super::{HandlerResult, password};
use crate::{
    form::{Anyone, Form},
    view::{self, Frame, redirect},
    visit::{Visit, start_of},
};

#[derive(Template)]
#[template(path = "invitation.html")]
struct Page<'a> {
    frame: Frame<'a>,
    about: String,
    /// The name under which a password manager stores the password.
    user_name: &'a str,
}

/// GET /invitation/{code}
pub(crate) async fn form(Anyone(visit): Anyone, code: Path<String>) -> HandlerResult {
    let user = invited(&visit, &code).await?;
    let frame = Frame::of_visit(&visit, &visit.language().texts.set_password);
    page(&visit, StatusCode::OK, frame, &user)
}

/// POST /invitation/{code}
pub(crate) async fn accept(code: Path<String>, form: Form<Anyone>) -> HandlerResult {
    let Form { sender: Anyone(visit), fields } = form;
    let user = invited(&visit, &code).await?;
    let t = &visit.language().texts;
    let refused = |why: &dyn ToString| {
        let frame = Frame::of_visit(&visit, &t.set_password).refused(why.to_string());
        page(&visit, StatusCode::UNPROCESSABLE_ENTITY, frame, &user)
    };
    let new = fields.value("new");
    if new != fields.value("repeated") {
        return refused(&t.password_differs);
    }
    let _permit = visit.page.begin_slow_request().await?;
    let sign_in = &visit.site.services.sign_in;
    match sign_in.accept_invitation(&code, new, visit.visitor()).await {
        Ok(opened) => {
            visit.sign_in(opened.secret.0).await;
            Ok(redirect(&visit, start_of(user.role)))
        }
        Err(NewPasswordError::Password(fault)) => refused(password::fault(t, fault)),
        Err(error) => Err(password::failure(error)),
    }
}

/// The user who may set a password with this code.
async fn invited(visit: &Visit, code: &str) -> actix_web::Result<Box<User>> {
    let found = visit.site.services.sign_in.invitation(code).await;
    match found.map_err(PageError::of)? {
        InvitationState::Open(user) => Ok(user),
        InvitationState::Void => Err(PageError::new(StatusCode::GONE).into()),
        InvitationState::Unknown => Err(PageError::new(StatusCode::NOT_FOUND).into()),
    }
}

fn page(visit: &Visit, status: StatusCode, frame: Frame<'_>, user: &User) -> HandlerResult {
    let about = frame.t.set_password_about.with(&user.full_name());
    let user_name = user.email.as_deref().or(user.employee_no.as_deref()).unwrap_or_default();
    view::page(visit, status, &Page { frame, about, user_name })
}

//! The question before a record is deleted.

use actix_web::http::StatusCode;
use askama::Template;
use patrol_application::Failure;
use patrol_domain::{Held, Holder, Version};
use patrol_http::PageError;

use super::form_page::Refused;
use crate::{
    pages::HandlerResult,
    texts::Text,
    view::{self, Frame, redirect},
    visit::SignedIn,
};

#[derive(Template)]
#[template(path = "office/delete.html")]
struct DeletePage<'a> {
    frame: Frame<'a>,
    action: String,
    cancel: String,
    version: i64,
    /// What happens to other records.
    about: Option<&'a Text>,
    /// What keeps the record from being deleted: words, and the page with these records.
    held: Vec<(String, Option<String>)>,
}

/// The question before a record is deleted.
pub(crate) struct Question<'a> {
    pub(crate) name: String,
    /// The path of the record's page.
    pub(crate) path: String,
    pub(crate) version: Version,
    /// What happens to other records.
    pub(crate) about: Option<&'a Text>,
    /// The pages with the records that keep this one from being deleted, by their kinds.
    pub(crate) pages: Vec<(Holder, String)>,
}

impl Question<'_> {
    /// The answer to a deletion: leads to `next`, or asks again when others need the record or have changed it.
    ///
    /// # Errors
    /// When the deletion failed otherwise.
    pub(crate) fn answer(
        self,
        signed_in: &SignedIn,
        deleted: Result<(), Failure>,
        next: &str,
    ) -> HandlerResult {
        match deleted {
            Ok(()) => Ok(redirect(&signed_in.visit, next)),
            Err(failure @ (Failure::InUse(_) | Failure::Stale)) => {
                let refused = Refused::of(&signed_in.visit.language().texts, failure);
                self.page(signed_in, Some(refused))
            }
            Err(failure) => Err(PageError::of(failure)),
        }
    }

    /// The page that asks, or that says why the record was not deleted.
    ///
    /// # Errors
    /// When the page cannot be written, which is a defect.
    pub(crate) fn page(self, signed_in: &SignedIn, refused: Option<Refused>) -> HandlerResult {
        let t = &signed_in.visit.language().texts;
        let status = if refused.is_some() { StatusCode::CONFLICT } else { StatusCode::OK };
        let Refused { why, held, .. } = refused.unwrap_or_default();
        let words = |held: Held| {
            let page = self.pages.iter().find(|(by, _)| *by == held.by);
            (view::held(t, held), page.map(|(_, page)| page.clone()))
        };
        let held = held.into_iter().map(words).collect();
        let frame = Frame::of_user(signed_in, &t.delete).headed(t.delete_question.with(&self.name));
        let page = DeletePage {
            frame: Frame { alert: (!why.is_empty()).then_some(why), ..frame },
            action: format!("{}/delete", self.path),
            cancel: self.path,
            version: self.version.0,
            about: self.about,
            held,
        };
        view::page(&signed_in.visit, status, &page)
    }
}

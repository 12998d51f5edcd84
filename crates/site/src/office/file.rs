//! The page of a form with a file.

use actix_web::http::StatusCode;
use askama::Template;
use patrol_http::PageError;
use serde_json::Value;

use super::{
    form::{FormView, Part, Sources},
    record::Refused,
};
use crate::{
    pages::HandlerResult,
    texts::Text,
    view::{self, Frame},
    visit::SignedIn,
};

/// A form with a file.
#[derive(Template)]
#[template(path = "office/file.html")]
pub(crate) struct FilePage<'a> {
    frame: Frame<'a>,
    action: String,
    cancel: String,
    /// The picture that the file replaces.
    picture: Option<String>,
    /// The form that removes the picture: its action and the text of its button.
    remove: Option<(String, &'a Text)>,
    faults: Vec<(String, String)>,
    html: String,
}

impl<'a> FilePage<'a> {
    pub(crate) const fn new(frame: Frame<'a>, action: String, cancel: String) -> Self {
        let faults = Vec::new();
        Self { frame, action, cancel, picture: None, remove: None, faults, html: String::new() }
    }

    /// The page with the present picture. `remove`: the action and the text of the button that removes
    /// it.
    pub(crate) fn replacing(self, picture: String, remove: (String, &'a Text)) -> Self {
        Self { picture: Some(picture), remove: Some(remove), ..self }
    }

    /// The page, with what was entered and why it was refused.
    ///
    /// # Errors
    /// When it cannot be written, which is a defect.
    pub(crate) fn answer(
        mut self,
        signed_in: &SignedIn,
        status: StatusCode,
        parts: &[Part],
        entered: &Value,
        refused: Refused,
    ) -> HandlerResult {
        let times = signed_in.visit.times();
        let Refused { why, faults, .. } = refused;
        let sources = Sources::default();
        let t = self.frame.t;
        let view = FormView {
            t,
            times: &times,
            sources: &sources,
            faults: &faults,
            changed: None,
            answer: None,
        };
        let html = view.html(parts, entered);
        self.html = html.map_err(|error| PageError::internal(error.to_string()))?;
        let summary = view.summary(parts).into_iter();
        self.faults = summary.map(|(path, text)| (path.to_owned(), text)).collect();
        self.frame.alert = (!why.is_empty()).then_some(why);
        view::page(&signed_in.visit, status, &self)
    }
}

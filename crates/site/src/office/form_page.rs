//! The page of a form, and why a form was not saved.

use actix_web::{
    Error,
    http::{Method, StatusCode},
};
use askama::Template;
use patrol_application::Failure;
use patrol_domain::{Held, Refusal};
use patrol_http::PageError;
use serde_json::Value;

use super::{
    faults::FormFault,
    form::{FormView, Part, Sources, ZONE, summary},
};
use crate::{
    pages::HandlerResult,
    texts::{Text, Texts},
    view::{self, Frame},
    visit::SignedIn,
};

/// The page of a form.
#[derive(Template)]
#[template(path = "office/form.html")]
pub(crate) struct FormPage<'a> {
    frame: Frame<'a>,
    /// What stands above the form.
    about: Option<&'a Text>,
    action: String,
    cancel: String,
    /// The text of the button.
    save: &'a Text,
    /// Hidden fields: names and values.
    hidden: Vec<(&'static str, String)>,
    /// Whether a file is sent with the form.
    has_file: bool,
    /// Whether the form shows what was entered and is not saved.
    unsaved: bool,
    /// The picture that the file replaces, and the form that removes it: its action and the text of its
    /// button.
    picture: Option<(String, (String, &'a Text))>,
    faults: Vec<(String, String)>,
    /// What stands below a button.
    answer: Option<(&'a str, String)>,
    html: String,
}

impl<'a> FormPage<'a> {
    pub(crate) fn new(frame: Frame<'a>, action: String, cancel: String) -> Self {
        Self {
            about: None,
            action,
            cancel,
            save: &frame.t.save,
            hidden: Vec::new(),
            has_file: false,
            unsaved: false,
            picture: None,
            faults: Vec::new(),
            answer: None,
            html: String::new(),
            frame,
        }
    }

    /// The page with words above the form.
    pub(crate) fn about(self, about: Option<&'a Text>) -> Self {
        Self { about, ..self }
    }

    /// The page with another button.
    pub(crate) fn saved_by(self, save: &'a Text) -> Self {
        Self { save, ..self }
    }

    /// The page with a hidden field.
    pub(crate) fn hidden(mut self, name: &'static str, value: impl ToString) -> Self {
        self.hidden.push((name, value.to_string()));
        self
    }

    /// The page of a form with a file.
    pub(crate) fn with_file(self) -> Self {
        Self { has_file: true, ..self }
    }

    /// The page with the present picture. `remove`: the action and the text of the button that removes
    /// it.
    pub(crate) fn replacing(self, picture: String, remove: (String, &'a Text)) -> Self {
        Self { picture: Some((picture, remove)), ..self }
    }

    /// The page with what stands below a button: its action, and HTML that a template of this crate has made.
    pub(crate) fn below(self, answer: Option<(&'a str, String)>) -> Self {
        Self { answer, ..self }
    }

    /// The page with what was entered, and why it was refused.
    ///
    /// # Errors
    /// When it was refused for what is no fault of the form, and when the page cannot be written, which is a
    /// defect.
    pub(crate) fn answer(
        mut self,
        signed_in: &SignedIn,
        (parts, sources): (&[Part], &Sources),
        entered: &Value,
        refused: Refused,
    ) -> HandlerResult {
        let Refused { why, faults, present, .. } = refused.for_form()?;
        let (t, times, changed) = (self.frame.t, signed_in.visit.times(), present.as_deref());
        let answer = self.answer.take();
        let view = FormView { t, times: &times, sources, faults: &faults, changed, answer };
        let html = view.html(parts, entered);
        self.html = html.map_err(PageError::internal)?;
        let summary = summary::of(t, parts, &faults).into_iter();
        self.faults = summary.map(|(path, text)| (path.to_owned(), text)).collect();
        let (status, alert) = match why.is_empty() {
            true => (StatusCode::OK, None),
            false => (StatusCode::UNPROCESSABLE_ENTITY, Some(why)),
        };
        self.frame.alert = alert;
        if parts.iter().any(Part::has_instant) {
            self.hidden.push((ZONE, times.zone().name().to_owned()));
        }
        self.unsaved = signed_in.visit.request.method() == Method::POST;
        view::page(&signed_in.visit, status, &self)
    }
}

/// Why a form was not saved.
#[derive(Default)]
pub(crate) struct Refused {
    /// In words; empty when nothing was refused.
    pub(crate) why: String,
    pub(crate) faults: Vec<FormFault>,
    /// The record as somebody else has saved it meanwhile.
    pub(crate) present: Option<Box<Value>>,
    /// The records that keep this one from being deleted.
    pub(crate) held: Vec<Held>,
    /// Whether the record has changed meanwhile.
    pub(crate) is_stale: bool,
    /// The error page, when it is no fault of the form.
    pub(crate) error: Option<Error>,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error: Some(error), ..Self::default() }
    }
}

impl Refused {
    /// The failure of a use case.
    pub(crate) fn of(t: &Texts, failure: Failure) -> Self {
        match failure {
            Failure::Refused(Refusal::Invalid(faults)) => {
                Self::with(t, faults.iter().map(|fault| FormFault::of_rule(t, fault)).collect())
            }
            Failure::InUse(held) => {
                let kinds: Vec<_> = held.iter().map(|held| view::held(t, *held)).collect();
                Self { why: t.in_use.with(&kinds.join(", ")), held, ..Self::default() }
            }
            Failure::Stale => {
                Self { why: t.changed_meanwhile.to_string(), is_stale: true, ..Self::default() }
            }
            failure => PageError::of(failure).into(),
        }
    }

    /// That somebody else has changed the record meanwhile. `present`: what the form shows of it now.
    pub(crate) fn changed(t: &Texts, present: Value) -> Self {
        let why = t.changed_meanwhile.to_string();
        Self { why, present: Some(Box::new(present)), ..Self::default() }
    }

    /// What a form shows of it.
    ///
    /// # Errors
    /// The error page, when it is no fault of the form.
    pub(crate) fn for_form(self) -> Result<Self, Error> {
        match self {
            Self { error: Some(error), .. } => Err(error),
            refused => Ok(refused),
        }
    }

    /// What is wrong with members.
    pub(crate) fn with(t: &Texts, faults: Vec<FormFault>) -> Self {
        Self { why: t.form_refused.to_string(), faults, ..Self::default() }
    }
}

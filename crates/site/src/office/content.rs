//! What the page of a record shows.

use actix_web::Error;
use askama::{Template, filters::HtmlSafe};
use patrol_http::PageError;

use super::table::Cell;
use crate::{texts::Text, view::Frame};

/// What the page of a record shows besides its heading and its actions.
#[derive(Default)]
pub(crate) struct RecordContent<'a> {
    pub(crate) facts: Facts<'a>,
    pub(crate) sections: Vec<Section<'a>>,
    /// Further actions: address and text.
    pub(crate) actions: Vec<(String, &'a Text)>,
}

/// Labels and values.
#[derive(Template, Default)]
#[template(path = "office/facts.html")]
pub(crate) struct Facts<'a>(pub(crate) Vec<(&'a Text, Cell)>);

impl HtmlSafe for Facts<'_> {}

/// A part of the page of a record, with what belongs to the record.
pub(crate) struct Section<'a> {
    heading: &'a Text,
    /// The link that makes one more: address and text.
    action: Option<(String, &'a Text)>,
    /// Made by a template, which escapes texts.
    html: String,
}

impl<'a> Section<'a> {
    /// The part with what a template of this crate shows.
    ///
    /// # Errors
    /// When the template cannot be rendered, which is a defect.
    pub(crate) fn new(heading: &'a Text, content: impl Template) -> Result<Self, Error> {
        let html = content.render().map_err(PageError::internal)?;
        Ok(Self { heading, action: None, html })
    }

    /// The part with a link that makes one more.
    pub(crate) fn with_action(self, href: String, text: &'a Text) -> Self {
        Self { action: Some((href, text)), ..self }
    }
}

/// A picture.
#[derive(Template)]
#[template(source = "<img class=\"photo\" src=\"{{ href }}\" alt=\"{{ text }}\">", ext = "html")]
pub(crate) struct Picture {
    pub(crate) href: String,
    /// The text for assistive technology.
    pub(crate) text: String,
}

#[derive(Template)]
#[template(path = "office/record.html")]
pub(crate) struct RecordPage<'a> {
    pub(crate) frame: Frame<'a>,
    pub(crate) content: RecordContent<'a>,
    /// The page with the form, if the reader may change the record.
    pub(crate) edit: Option<String>,
    /// The page that asks before the record is deleted, if the reader may delete it.
    pub(crate) delete: Option<String>,
}

//! The error response.

use std::borrow::Cow;

use actix_web::{
    HttpResponse,
    http::header::{
        ALLOW, CONTENT_RANGE, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
    },
};
use patrol_domain::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    code::Code,
    language::Language,
    problem::{Detail, Problem},
};
use patrol_record::value::Time;

/// The body of an error.
#[derive(Serialize, ToSchema)]
#[schema(as = Error)]
pub(crate) struct Body<'a> {
    /// For people, in the language of the header Content-Language. Programs use code.
    message: &'static str,
    code: Code,
    timestamp: Time,
    /// Each fault, in the order of the fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Entry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    identifier: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<String>)]
    args: &'a [Cow<'static, str>],
}

/// A fault.
#[derive(Serialize, ToSchema)]
#[schema(as = ErrorDetail)]
struct Entry<'a> {
    message: &'static str,
    code: Code,
    /// The field or parameter, as a JSON path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    identifier: Option<&'a str>,
    /// Expected type, allowed values or bounds.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[schema(value_type = Vec<String>)]
    args: &'a [Cow<'static, str>],
}

impl Detail {
    fn entry(&self, language: Language) -> Entry<'_> {
        let Self { code, identifier, args } = self;
        Entry {
            message: code.message(language),
            code: *code,
            identifier: identifier.as_deref(),
            args,
        }
    }
}

impl Problem {
    /// The error body in this language.
    pub(crate) fn body(&self, language: Language, now: Timestamp) -> impl Serialize + '_ {
        Body {
            message: self.code.message(language),
            code: self.code,
            timestamp: Time(now),
            details: self.details.iter().map(|detail| detail.entry(language)).collect(),
            identifier: self.identifier.as_deref(),
            args: &self.args,
        }
    }

    /// The error response in this language.
    pub(crate) fn answer(&self, language: Language, now: Timestamp) -> HttpResponse {
        let mut answer = HttpResponse::build(self.code.status());
        answer.insert_header((CONTENT_TYPE, HeaderValue::from_static("application/json")));
        if self.code == Code::Unauthorized {
            answer.insert_header((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        if let Some(allow) = &self.allow {
            answer.insert_header((ALLOW, allow.clone()));
        }
        if let Some(range) = &self.content_range {
            answer.insert_header((CONTENT_RANGE, range.clone()));
        }
        if let Some(seconds) = self.retry_after {
            answer.insert_header((RETRY_AFTER, seconds));
        }
        if self.close {
            answer.force_close();
        }
        // Cannot fail for text and lists of text; an empty body is better than a panic.
        let body = serde_json::to_vec(&self.body(language, now)).unwrap_or_default();
        let mut answer = answer.body(body);
        language.mark(answer.headers_mut());
        answer
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::MessageBody;

    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-01-31T08:00:00Z").unwrap()
    }

    fn body(problem: &Problem, language: Language) -> String {
        let bytes = problem.answer(language, now()).into_body().try_into_bytes().unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn empty_members_are_left_out() {
        assert_eq!(
            body(&Problem::new(Code::NotFound), Language::English),
            "{\"message\":\"resource wasn't found\",\"code\":\"not.found\",\
             \"timestamp\":\"2026-01-31T08:00:00.000Z\"}"
        );
    }

    #[test]
    fn the_error_and_its_details_have_identifier_and_args() {
        let problem = Problem {
            identifier: Some("id".into()),
            args: vec!["UUID".into()],
            ..Problem::with(
                Code::TypeInvalid,
                vec![Detail::new(Code::Length, "steps[0].name").with_args(["1", "255"])],
            )
        };
        assert_eq!(
            body(&problem, Language::Russian),
            "{\"message\":\"неверный тип данных\",\"code\":\"data.type.invalid\",\
             \"timestamp\":\"2026-01-31T08:00:00.000Z\",\"details\":[{\"message\":\
             \"длина вне допустимых границ\",\"code\":\"validation.length.failed\",\
             \"identifier\":\"steps[0].name\",\"args\":[\"1\",\"255\"]}],\
             \"identifier\":\"id\",\"args\":[\"UUID\"]}"
        );
    }

    #[test]
    fn the_headers_depend_on_the_error() {
        let header = |problem: Problem, name: &str| {
            let answer = problem.answer(Language::Russian, now());
            answer.headers().get(name).map(|value| value.to_str().unwrap().to_owned())
        };
        let plain = || Problem::new(Code::NotFound);
        assert_eq!(header(plain(), "content-language").as_deref(), Some("ru"));
        assert_eq!(header(plain(), "vary").as_deref(), Some("Accept-Language"));
        assert_eq!(header(plain(), "content-type").as_deref(), Some("application/json"));
        assert_eq!(header(plain(), "www-authenticate"), None);
        let unauthorized = Problem::new(Code::Unauthorized);
        assert_eq!(header(unauthorized, "www-authenticate").as_deref(), Some("Bearer"));
        let busy = Problem { retry_after: Some(7), ..plain() };
        assert_eq!(header(busy, "retry-after").as_deref(), Some("7"));
        let method = Problem { allow: Some(HeaderValue::from_static("GET, HEAD")), ..plain() };
        assert_eq!(header(method, "allow").as_deref(), Some("GET, HEAD"));
    }
}

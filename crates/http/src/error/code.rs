//! The table of errors: code, status and message. `docs/api/errors.md` describes the codes.

use actix_web::http::StatusCode;
use patrol_domain::Rule;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::language::Language;

macro_rules! codes {
    ($($code:ident = $name:tt, $status:ident, $english:literal, $russian:literal;)+) => {
        /// A stable identifier of an error.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ToSchema)]
        #[schema(as = ErrorCode)]
        pub(crate) enum Code {
            $(#[serde(rename = $name)] $code),+
        }

        impl Code {
            /// All codes.
            #[cfg(test)]
            pub(crate) const ALL: &'static [Self] = &[$(Self::$code),+];

            /// The code as clients see it, for example `not.found`.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$code => $name),+ }
            }

            /// The status of a response with this top-level code.
            pub(crate) const fn status(self) -> StatusCode {
                match self { $(Self::$code => StatusCode::$status),+ }
            }

            /// The message for people.
            pub(crate) const fn message(self, language: Language) -> &'static str {
                match (language, self) {
                    $((Language::English, Self::$code) => $english,
                    (Language::Russian, Self::$code) => $russian,)+
                }
            }
        }
    };
}

codes! {
    InputInvalid = "input.data.invalid", BAD_REQUEST,
        "invalid input data", "некорректные входные данные";
    JsonMalformed = "json.malformed", BAD_REQUEST,
        "malformed JSON", "некорректный JSON";
    TypeInvalid = "data.type.invalid", BAD_REQUEST,
        "invalid data type", "неверный тип данных";
    ValidationFailed = "validation.failed", BAD_REQUEST,
        "validation failed", "данные не прошли проверку";
    MultipleResources = "multiple.resources.not.allowed", BAD_REQUEST,
        "multiple resources not allowed", "допускается только один ресурс";
    Unauthorized = "unauthorized", UNAUTHORIZED,
        "authentication required", "требуется аутентификация";
    AccessDenied = "access.denied", FORBIDDEN,
        "access denied", "доступ запрещён";
    NotFound = "not.found", NOT_FOUND,
        "resource wasn't found", "ресурс не найден";
    MethodNotAllowed = "method.not.allowed", METHOD_NOT_ALLOWED,
        "method not allowed", "метод не поддерживается";
    NotAcceptable = "not.acceptable", NOT_ACCEPTABLE,
        "mismatch in the types of content", "несоответствие типов содержимого";
    RequestTimeout = "request.timeout", REQUEST_TIMEOUT,
        "the request took too long to arrive", "запрос поступал слишком долго";
    HeaderTooLarge = "request.header.too.large", REQUEST_HEADER_FIELDS_TOO_LARGE,
        "the head of the request is too large", "заголовок запроса слишком велик";
    PreconditionFailed = "precondition.failed", PRECONDITION_FAILED,
        "resource has changed", "ресурс был изменён";
    ResourceInUse = "resource.in.use", CONFLICT,
        "other records still need the resource", "ресурс ещё нужен другим записям";
    KeyReused = "idempotency.key.reused", UNPROCESSABLE_ENTITY,
        "the idempotency key was used for another request", "ключ идемпотентности использован для другого запроса";
    KeyInUse = "idempotency.key.in.use", CONFLICT,
        "the first request with this idempotency key is still running", "первый запрос с этим ключом идемпотентности ещё выполняется";
    PayloadTooLarge = "payload.too.large", PAYLOAD_TOO_LARGE,
        "payload too large", "слишком большой объём данных";
    RangeNotSatisfiable = "range.not.satisfiable", RANGE_NOT_SATISFIABLE,
        "the resource has no such part", "у ресурса нет такой части";
    TooManyRequests = "too.many.requests", TOO_MANY_REQUESTS,
        "too many requests", "слишком много запросов";
    Internal = "internal.server.error", INTERNAL_SERVER_ERROR,
        "internal server error", "внутренняя ошибка сервера";
    Unavailable = "service.unavailable", SERVICE_UNAVAILABLE,
        "service unavailable", "сервис недоступен";
    NotNull = "validation.notnull.failed", BAD_REQUEST,
        "must not be null", "не должно быть пустым";
    Null = "validation.null.failed", BAD_REQUEST,
        "must be null", "должно быть пустым";
    Enum = "validation.enum.failed", BAD_REQUEST,
        "must be one of the allowed values", "должно быть одним из допустимых значений";
    Length = "validation.length.failed", BAD_REQUEST,
        "length out of bounds", "длина вне допустимых границ";
    Range = "validation.range.failed", BAD_REQUEST,
        "value out of range", "значение вне допустимого диапазона";
    Email = "validation.email.failed", BAD_REQUEST,
        "must be an email address", "должно быть адресом электронной почты";
    Language = "validation.language.failed", BAD_REQUEST,
        "must be a language tag", "должно быть кодом языка";
    Characters = "validation.characters.failed", BAD_REQUEST,
        "must not contain forbidden characters", "содержит недопустимые символы";
    Unique = "validation.unique.failed", BAD_REQUEST,
        "must be unique", "должно быть уникальным";
    Reference = "validation.reference.failed", BAD_REQUEST,
        "must refer to an existing record", "должно ссылаться на существующую запись";
    Period = "validation.period.failed", BAD_REQUEST,
        "end is too early", "слишком раннее время окончания";
    Image = "validation.image.failed", BAD_REQUEST,
        "must be a valid image", "должно быть корректным изображением";
    Media = "validation.media.failed", BAD_REQUEST,
        "must be a photo, recording or document of a known kind", "должно быть фотографией, записью или документом известного вида";
    Recurrence = "validation.rrule.failed", BAD_REQUEST,
        "must be an allowed recurrence rule", "должно быть допустимым правилом повторения";
    Value = "validation.value.failed", BAD_REQUEST,
        "must fit the type of the action", "должно соответствовать типу действия";
    ReportIdConflict = "report.id.conflict", BAD_REQUEST,
        "the id belongs to another entry", "идентификатор принадлежит другой записи";
    StateNotAllowed = "state.not.allowed", BAD_REQUEST,
        "not allowed in this state", "недопустимо в этом состоянии";
}

impl Code {
    /// The code of a broken rule, and its `args`.
    pub(crate) fn of(rule: &Rule) -> (Self, Vec<String>) {
        match rule {
            Rule::NotNull => (Self::NotNull, Vec::new()),
            Rule::Null => (Self::Null, Vec::new()),
            Rule::Enum(names) => {
                (Self::Enum, names.iter().map(|name| (*name).to_owned()).collect())
            }
            Rule::Length { min, max } => (Self::Length, vec![min.to_string(), max.to_string()]),
            Rule::Range { min, max } => (Self::Range, vec![min.to_string(), max.to_string()]),
            Rule::Bounds => (Self::Range, Vec::new()),
            Rule::Email => (Self::Email, Vec::new()),
            Rule::Language => (Self::Language, Vec::new()),
            Rule::Characters => (Self::Characters, Vec::new()),
            Rule::Unique => (Self::Unique, Vec::new()),
            Rule::Reference => (Self::Reference, Vec::new()),
            Rule::Period => (Self::Period, Vec::new()),
            Rule::Image => (Self::Image, Vec::new()),
            Rule::Media => (Self::Media, Vec::new()),
            Rule::Recurrence(fault) => (Self::Recurrence, vec![fault.to_string()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn documented_messages_do_not_change() {
        for (code, status, message) in [
            ("input.data.invalid", 400, "invalid input data"),
            ("data.type.invalid", 400, "invalid data type"),
            ("validation.failed", 400, "validation failed"),
            ("validation.notnull.failed", 400, "must not be null"),
            ("multiple.resources.not.allowed", 400, "multiple resources not allowed"),
            ("not.found", 404, "resource wasn't found"),
            ("not.acceptable", 406, "mismatch in the types of content"),
            ("internal.server.error", 500, "internal server error"),
        ] {
            let found = Code::ALL.iter().find(|known| known.name() == code).unwrap();
            assert_eq!(found.status().as_u16(), status, "{code}");
            assert_eq!(found.message(Language::English), message, "{code}");
        }
    }

    #[test]
    fn documented_statuses_do_not_change() {
        for (code, status) in [
            ("unauthorized", 401),
            ("access.denied", 403),
            ("method.not.allowed", 405),
            ("precondition.failed", 412),
            ("payload.too.large", 413),
            ("too.many.requests", 429),
            ("service.unavailable", 503),
        ] {
            let found = Code::ALL.iter().find(|known| known.name() == code).unwrap();
            assert_eq!(found.status().as_u16(), status, "{code}");
        }
    }

    #[test]
    fn every_code_is_unique_and_has_messages_in_both_languages() {
        let names: HashSet<_> = Code::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), Code::ALL.len());
        for code in Code::ALL {
            let (english, russian) =
                (code.message(Language::English), code.message(Language::Russian));
            assert!(english.is_ascii() && !english.ends_with('.'), "{english}");
            assert!(!russian.is_ascii() && !russian.ends_with('.'), "{russian}");
        }
    }

    #[test]
    fn args_are_the_bounds_or_values_of_the_rule() {
        let (code, args) = Code::of(&Rule::Length { min: 1, max: 255 });
        assert_eq!(
            (code.name(), args),
            ("validation.length.failed", vec!["1".into(), "255".into()])
        );
        let (code, args) = Code::of(&Rule::Enum(&["TEXT", "MEDIA"]));
        assert_eq!(
            (code.name(), args),
            ("validation.enum.failed", vec!["TEXT".into(), "MEDIA".into()])
        );
    }
}

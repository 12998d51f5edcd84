//! Access tokens over HTTP: GET and POST /v1/tokens, DELETE /v1/tokens/{id}.

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::StatusCode;
use patrol_application::{Actor, Operation, TokenDraft, permit_tokens};
use patrol_domain::{
    access::TokenList,
    ids::{UserId, Uuid, parse},
};
use patrol_record::{
    json::{document::Json, fields::Fields},
    value::{Id, Time},
};
use utoipa::OpenApi;

use crate::{
    error::{ApiError, HandlerResult},
    idempotency::KeptBody,
    list as lists,
    log::ChangedRecords,
    openapi::DocumentOf,
    reply,
    route::{Api, Call, JsonObject, Repeated, WithBody, api_resource},
    schema::{Name, body},
};
use record::IssuedRecord;

/// Registers the resources of tokens.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(
        api_resource("/tokens")
            .no_store()
            .get(lists::endpoint::<TokenList>(Operation::ManageTokens), list)
            .post(Operation::ManageTokens, issue, Repeated(issued)),
    )
    .service(api_resource("/tokens/{id}").no_store().delete(Operation::ManageTokens, revoke));
}

/// The list in the API document.
type ListDocument = DocumentOf<TokenList>;

/// The operations in the API document.
#[derive(OpenApi)]
#[openapi(
    paths(list, issue, revoke),
    tags((name = "Tokens", description = "Access tokens of users."))
)]
pub(crate) struct Description;

/// List access tokens
///
/// The caller's own tokens; with userId, the tokens of that user, only for administrators. The list
/// does not contain the secrets.
#[utoipa::path(
    get,
    path = "/tokens",
    operation_id = "getTokens",
    params(ListDocument),
    responses((status = 200, description = "The tokens.", body = ListDocument)),
)]
async fn list(call: Call) -> HandlerResult {
    let access = &call.services().access;
    access.check_caller(call.actor()).await?;
    lists::answer::<TokenList>(&call, |query, owner| {
        Ok(access.list(call.actor(), owner.user, query)?)
    })
    .await
}

/// Issue an access token
///
/// The response contains the token, which is not stored and cannot be shown again. A user has at
/// most {limit_tokens} tokens, including expired ones; another one is refused with
/// state.not.allowed on userId.
#[utoipa::path(
    post,
    path = "/tokens",
    operation_id = "postToken",
    request_body = TokenPost,
    responses((status = 201, description = "The token was issued.", body = IssuedRecord<'_>)),
)]
async fn issue(WithBody(call, draft): WithBody<TokenDraft>) -> HandlerResult {
    let issued = call.services().access.issue(call.actor(), draft).await?;
    let mut answer = reply::json(StatusCode::CREATED, &IssuedRecord::new(&issued))?;
    let kept = serde_json::to_vec(&IssuedRecord::without_secret(&issued.token));
    let kept = kept.map_err(|cause| ApiError::internal(cause.to_string()))?;
    answer.extensions_mut().insert(KeptBody(kept));
    Ok(reply::with_changed(answer, ChangedRecords::one(issued.token.id.0)))
}

/// Answers a repeated POST without the token itself, which is shown only once.
async fn issued(call: Call) -> HandlerResult {
    let token = call.services().access.get(call.actor(), call.changed()?).await?;
    reply::json(StatusCode::CREATED, &IssuedRecord::without_secret(&token))
}

/// Revoke an access token
///
/// The caller's own token, or any token for administrators. It stops working within 5 seconds.
#[utoipa::path(
    delete,
    path = "/tokens/{id}",
    operation_id = "deleteToken",
    params(("id" = Id, Path, description = "The token, by its id.")),
    responses((status = 204, description = "The token is revoked.")),
)]
async fn revoke(call: Call) -> HandlerResult {
    call.services().access.revoke(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

body! {
    /// The token to issue.
    TokenPost {
        name: Name,
        /// The owner of the token; the caller when absent. Other users only for administrators.
        user_id: Option<Id>,
        /// Has to be in the future.
        expires_at: Option<Time>,
    }
}

impl JsonObject for TokenDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            name: fields.text("name"),
            user_id: fields.uuid("userId"),
            expires_at: fields.timestamp("expiresAt"),
        }
    }

    /// Whether the caller may issue a token to the user in the body: without `userId` to
    /// themselves; a `userId` that is not a UUID counts as another user.
    fn is_allowed(caller: Actor, _: Option<Uuid>, body: &Json<'_>) -> bool {
        match body.member("userId") {
            None | Some(Json::Null) => true,
            Some(Json::Text(text)) => permit_tokens(caller, parse(text).map(UserId)).is_ok(),
            Some(_) => permit_tokens(caller, None).is_ok(),
        }
    }
}

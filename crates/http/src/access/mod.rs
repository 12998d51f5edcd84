//! Access tokens over HTTP: GET and POST /v1/tokens, DELETE /v1/tokens/{id}.

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::StatusCode;
use patrol_application::{Actor, TokenDraft, permit_tokens};
use patrol_domain::{
    access::TokenList,
    ids::{UserId, Uuid, parse},
};
use patrol_json::{document::Json, fields::Fields};

use crate::{
    list::{self as lists, List},
    log::Changed,
    reply,
    route::{Answer, Api, Call, JsonObject, KeepTokens, WithBody, resource},
};
use record::IssuedRecord;

/// Registers the resources of tokens.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/tokens").no_store().get(list).post(issue))
        .service(resource("/tokens/{id}").no_store().delete(revoke));
}

/// Lists the caller's tokens, or those of another user for an administrator.
async fn list(call: Call<List<KeepTokens, TokenList>>) -> Answer {
    let access = &call.services().access;
    lists::answer(&call, |query, owner| Ok(access.list(call.actor(), owner.user, query)?)).await
}

/// Issues a token. The secret is in no other response.
async fn issue(WithBody(call, draft): WithBody<KeepTokens, TokenDraft>) -> Answer {
    let issued = call.services().access.issue(call.actor(), draft).await?;
    let answer = reply::json(StatusCode::CREATED, &IssuedRecord::new(&issued))?;
    Ok(reply::naming(answer, &Changed::one(issued.token.id.0)))
}

/// Revokes a token.
async fn revoke(call: Call<KeepTokens>) -> Answer {
    call.services().access.revoke(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

impl JsonObject for TokenDraft {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            name: fields.text("name"),
            user_id: fields.uuid("userId"),
            expires_at: fields.timestamp("expiresAt"),
        }
    }

    /// Whether the caller may issue a token to the user in the body, if there is one.
    fn is_allowed(caller: Actor, _: Option<Uuid>, body: &Json<'_>) -> bool {
        match body.member("userId") {
            None | Some(Json::Null) => true,
            Some(Json::Text(text)) => permit_tokens(caller, parse(text).map(UserId)).is_ok(),
            Some(_) => permit_tokens(caller, None).is_ok(),
        }
    }
}

//! Access tokens over HTTP: GET and POST /v1/tokens, DELETE /v1/tokens/{id}.

mod list;
mod record;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::{Method, StatusCode};
use patrol_application::{Operation, TokenDraft, permit_tokens};
use patrol_domain::{
    access::TokenList,
    ids::{UserId, parse},
};
use patrol_json::{document::Json, fields::Fields};

use crate::{
    list as lists,
    log::Changed,
    reply,
    route::{Answer, Call, FaultStyle, Route},
};
use record::IssuedRecord;

/// The routes of tokens.
pub(crate) fn routes() -> Vec<Route> {
    const ALL: &str = "/tokens";
    let keep = Operation::KeepTokens;
    let plain = FaultStyle { no_store: true, ..FaultStyle::PLAIN };
    let json = FaultStyle { no_store: true, ..FaultStyle::JSON };
    vec![
        Route::get(ALL, keep, plain, list).with_parameters(lists::knows::<TokenList>),
        Route::json(Method::POST, ALL, keep, json, Some(may_issue), read, issue),
        Route::delete("/tokens/{id}", keep, plain, revoke),
    ]
}

/// Lists the caller's tokens, or those of another user for an administrator.
async fn list(call: Call) -> Answer {
    let access = &call.services().access;
    lists::answer::<TokenList>(&call, |query, owner| {
        Ok(access.list(call.actor(), owner.user, query)?)
    })
    .await
}

/// Issues a token. The secret is in no other response.
async fn issue(call: Call, draft: TokenDraft) -> Answer {
    let issued = call.services().access.issue(call.actor(), draft).await?;
    let answer = reply::json(StatusCode::CREATED, &IssuedRecord::new(&issued))?;
    Ok(reply::naming(answer, &Changed::one(issued.token.id.0)))
}

/// Revokes a token.
async fn revoke(call: Call) -> Answer {
    call.services().access.revoke(call.actor(), call.id()).await?;
    Ok(reply::no_content())
}

/// Whether the caller may issue a token to the user in the body, if there is one.
fn may_issue(call: &Call, body: &Json<'_>) -> bool {
    let actor = call.actor();
    match body.member("userId") {
        None | Some(Json::Null) => true,
        Some(Json::Text(text)) => permit_tokens(actor, parse(text).map(UserId)).is_ok(),
        Some(_) => permit_tokens(actor, None).is_ok(),
    }
}

/// Reads the body of a new token.
fn read(fields: &mut Fields<'_>) -> TokenDraft {
    TokenDraft {
        name: fields.text("name"),
        user_id: fields.uuid("userId"),
        expires_at: fields.timestamp("expiresAt"),
    }
}

//! Task executions over HTTP.

mod content;
mod copy;
mod list;
mod patch;
mod summary;
#[cfg(test)]
pub(crate) mod tests;

use actix_web::http::Method;
use patrol_application::{CopyDraft, Operation};
use patrol_domain::{
    Version,
    ids::TaskExecutionId,
    task_execution::{ContentDraft, ExecutionList, ExecutionPatch},
};
use patrol_record::ExecutionRecord;

pub(crate) use content::content;

use crate::{
    error::ApiError,
    extract::etag,
    list as lists,
    log::Changed,
    reply,
    route::{Answer, BodyFault, Call, FaultStyle, IdFault, Route, RuleFault, Several},
};
use copy::CopiedRecord;
use summary::{ReplacedRecord, SummaryRecord};

/// The routes of executions with their fault styles.
pub(crate) fn routes() -> Vec<Route> {
    const ONE: &str = "/task-executions/{id}";
    let plain = FaultStyle { id: IdFault::Top, ..FaultStyle::PLAIN };
    let put = FaultStyle { id: IdFault::Top, several: Several::Top, ..FaultStyle::JSON };
    let patched = FaultStyle { several: Several::Detail, ..FaultStyle::JSON };
    let copied =
        FaultStyle { media: BodyFault::Invalid, rules: RuleFault::Input, ..FaultStyle::JSON };
    let (read, plan) = (Operation::Read, Operation::Plan);
    vec![
        Route::get("/task-executions/info", read, FaultStyle::PLAIN, list)
            .with_parameters(lists::knows::<ExecutionList>),
        Route::get(ONE, read, plain, get),
        Route::json(Method::PUT, ONE, plan, put, None, content::put, replace),
        Route::json(Method::PATCH, ONE, plan, patched, None, patch::read, patch),
        Route::delete(ONE, plan, plain, delete),
        Route::json(
            Method::POST,
            "/task-executions/{id}/copy",
            plan,
            copied,
            None,
            copy::read,
            copy,
        ),
    ]
}

/// GET /task-executions/info.
async fn list(call: Call) -> Answer {
    let executions = &call.services().executions;
    lists::answer::<ExecutionList>(&call, |query, _| Ok(executions.list(call.actor(), query)?))
        .await
}

/// GET /task-executions/{id}.
async fn get(call: Call) -> Answer {
    let found = call.services().executions.get(call.actor(), call.id()).await?;
    let tag = etag(found.version);
    if call.conditions().has(&tag) {
        return Ok(reply::not_modified(tag));
    }
    reply::versioned(&ExecutionRecord::new(&found.record), found.version)
}

/// PUT /task-executions/{id}.
async fn replace(call: Call, draft: ContentDraft) -> Answer {
    let expected = expected(&call).await?;
    let replaced =
        call.services().executions.replace(call.actor(), call.id(), expected, draft).await?;
    let summary = replaced.record.summary();
    reply::versioned(&ReplacedRecord::new(&summary, call.now()), replaced.version)
}

/// PATCH /task-executions/{id}.
async fn patch(call: Call, patch: ExecutionPatch) -> Answer {
    let expected = expected(&call).await?;
    let patched =
        call.services().executions.patch(call.actor(), call.id(), expected, patch).await?;
    let summary = patched.record.summary();
    reply::versioned(&SummaryRecord::new(&summary, call.now()), patched.version)
}

/// DELETE /task-executions/{id}.
async fn delete(call: Call) -> Answer {
    let expected = expected(&call).await?;
    call.services().executions.delete(call.actor(), call.id(), expected).await?;
    Ok(reply::no_content())
}

/// POST /task-executions/{id}/copy.
async fn copy(call: Call, draft: CopyDraft) -> Answer {
    let copies = draft.task_ids.as_ref().map_or(1, Vec::len);
    let copy = call.services().executions.copy(call.actor(), call.id(), draft).await?;
    let answer = reply::ok(&CopiedRecord::new(&copy))?;
    Ok(reply::naming(answer, &Changed::first_of(copy.id.0, copies)))
}

/// The expected version of the execution in the path, from `If-Match`.
pub(crate) async fn expected(call: &Call) -> Result<Option<Version>, ApiError> {
    let id: TaskExecutionId = call.id();
    let executions = &call.services().executions;
    let current = || async move { Ok(executions.get(call.actor(), id).await?.version) };
    Ok(call.conditions().expected(current).await?)
}

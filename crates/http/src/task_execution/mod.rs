//! Task executions over HTTP.

mod content;
mod copy;
mod list;
mod patch;
mod summary;
#[cfg(test)]
pub(crate) mod tests;

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
    list::{self as lists, List},
    log::Changed,
    reply,
    route::{
        Answer, Api, BodyFault, Call, Endpoint, FaultStyle, IdFault, Read, RuleFault, Several,
        WithBody, resource,
    },
};
use copy::CopiedRecord;
use summary::{ReplacedRecord, SummaryRecord};

/// Registers the resources of executions.
pub(crate) fn configure(api: &mut Api<'_>) {
    api.service(resource("/task-executions/info").get(list))
        .service(
            resource("/task-executions/{id}").get(get).put(replace).patch(patch).delete(delete),
        )
        .service(resource("/task-executions/{id}/copy").post(copy));
}

/// A malformed id is reported at the top level.
struct Get;

impl Endpoint for Get {
    const OPERATION: Operation = Operation::Read;
    const FAULTS: FaultStyle = FaultStyle { id: IdFault::Top, ..FaultStyle::PLAIN };
}

/// A malformed id is reported at the top level.
struct Delete;

impl Endpoint for Delete {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = Get::FAULTS;
}

/// A malformed id and several resources are reported at the top level.
struct Replace;

impl Endpoint for Replace {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = FaultStyle { several: Several::Top, ..Get::FAULTS };
}

/// Several resources are reported in a detail.
struct Patch;

impl Endpoint for Patch {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle = FaultStyle { several: Several::Detail, ..FaultStyle::PLAIN };
}

/// All faults of the body are `input.data.invalid`.
struct Copy;

impl Endpoint for Copy {
    const OPERATION: Operation = Operation::Plan;
    const FAULTS: FaultStyle =
        FaultStyle { media: BodyFault::Invalid, rules: RuleFault::Input, ..FaultStyle::PLAIN };
}

/// GET /task-executions/info.
async fn list(call: Call<List<Read, ExecutionList>>) -> Answer {
    let executions = &call.services().executions;
    lists::answer(&call, |query, _| Ok(executions.list(call.actor(), query)?)).await
}

/// GET /task-executions/{id}.
async fn get(call: Call<Get>) -> Answer {
    let found = call.services().executions.get(call.actor(), call.id()).await?;
    let tag = etag(found.version);
    if call.conditions().has(&tag) {
        return Ok(reply::not_modified(tag));
    }
    reply::versioned(&ExecutionRecord::new(&found.record), found.version)
}

/// PUT /task-executions/{id}.
async fn replace(WithBody(call, draft): WithBody<Replace, ContentDraft>) -> Answer {
    let expected = expected(&call).await?;
    let replaced =
        call.services().executions.replace(call.actor(), call.id(), expected, draft).await?;
    let summary = replaced.record.summary();
    reply::versioned(&ReplacedRecord::new(&summary, call.now()), replaced.version)
}

/// PATCH /task-executions/{id}.
async fn patch(WithBody(call, patch): WithBody<Patch, ExecutionPatch>) -> Answer {
    let expected = expected(&call).await?;
    let patched =
        call.services().executions.patch(call.actor(), call.id(), expected, patch).await?;
    let summary = patched.record.summary();
    reply::versioned(&SummaryRecord::new(&summary, call.now()), patched.version)
}

/// DELETE /task-executions/{id}.
async fn delete(call: Call<Delete>) -> Answer {
    let expected = expected(&call).await?;
    call.services().executions.delete(call.actor(), call.id(), expected).await?;
    Ok(reply::no_content())
}

/// POST /task-executions/{id}/copy.
async fn copy(WithBody(call, draft): WithBody<Copy, CopyDraft>) -> Answer {
    let copies = draft.task_ids.as_ref().map_or(1, Vec::len);
    let copy = call.services().executions.copy(call.actor(), call.id(), draft).await?;
    let answer = reply::ok(&CopiedRecord::new(&copy))?;
    Ok(reply::naming(answer, &Changed::first_of(copy.id.0, copies)))
}

/// The expected version of the execution in the path, from `If-Match`.
pub(crate) async fn expected<E>(call: &Call<E>) -> Result<Option<Version>, ApiError> {
    let id: TaskExecutionId = call.id();
    let executions = &call.services().executions;
    let current = || async move { Ok(executions.get(call.actor(), id).await?.version) };
    Ok(call.conditions().expected(current).await?)
}

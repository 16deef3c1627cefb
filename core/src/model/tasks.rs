//! Tasks as 2025-11-25 has them in its core (`basic/utilities/tasks`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    EmptyResult, MetaObject, Notification, Nullable, Number, PaginatedRequestParams, Request,
    RequestMetaObject, ResultMetaObject,
};

words! {
    /// How far a task is.
    TaskStatus {
        /// It is worked on.
        Working = "working",
        /// It waits for input of the requestor.
        InputRequired = "input_required",
        /// It has its result.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
    }
}

objects! {
    /// That a request is to be a task.
    TaskMetadata {} optional {
        /// Milliseconds that the task is wished to be kept.
        "ttl" => ttl: Number<'a>,
    }

    /// Which task a message belongs to, in `_meta` under `io.modelcontextprotocol/related-task`.
    RelatedTaskMetadata {
        /// The task.
        "taskId" => task_id: Cow<'a, str>,
    } optional {}

    /// What requests have that may be tasks.
    TaskAugmentedRequestParams {} optional {
        /// That it is to be a task.
        "task" => task: TaskMetadata<'a>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// A task; also the result of `tasks/get` and `tasks/cancel`, and the params of `notifications/tasks/status`.
    Task {
        /// What it is asked for by.
        "taskId" => task_id: Cow<'a, str>,
        /// How far it is.
        "status" => status: TaskStatus<'a>,
        /// When it was made, in ISO 8601.
        "createdAt" => created_at: Cow<'a, str>,
        /// When its status changed last, in ISO 8601.
        "lastUpdatedAt" => last_updated_at: Cow<'a, str>,
        /// Milliseconds from `created_at` that it is kept; `Null` is without an end.
        "ttl" => ttl: Nullable<Number<'a>>,
    } optional {
        /// More on its status, for people.
        "statusMessage" => status_message: Cow<'a, str>,
        /// Milliseconds to wait before it is asked for again.
        "pollInterval" => poll_interval: Number<'a>,
        /// Metadata, where the task is a result or the params of a notice.
        "_meta" => meta: MetaObject<'a>,
    }

    /// The answer to a request that became a task.
    CreateTaskResult {
        /// The task.
        "task" => task: Task<'a>,
    } optional {
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// One page of the tasks.
    ListTasksResult {
        /// The tasks.
        "tasks" => tasks: Vec<Task<'a>>,
    } optional {
        /// Where the next page begins, if there is one.
        "nextCursor" => next_cursor: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// Which task.
    TaskRequestParams {
        /// The task.
        "taskId" => task_id: Cow<'a, str>,
    } optional {
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }
}

/// The result of `tasks/get`.
pub type GetTaskResult<'a> = Task<'a>;
/// The result of `tasks/cancel`.
pub type CancelTaskResult<'a> = Task<'a>;
/// A task whose status changed.
pub type TaskStatusNotificationParams<'a> = Task<'a>;
/// The result of the request that became the task; its members are in `extra`, so decode the payload as that request's
/// result instead.
pub type GetTaskPayloadResult<'a> = EmptyResult<'a>;
/// `tasks/get`.
pub type GetTaskRequest<'a> = Request<'a, TaskRequestParams<'a>>;
/// `tasks/result`.
pub type GetTaskPayloadRequest<'a> = Request<'a, TaskRequestParams<'a>>;
/// `tasks/cancel`.
pub type CancelTaskRequest<'a> = Request<'a, TaskRequestParams<'a>>;
/// `tasks/list`.
pub type ListTasksRequest<'a> = Request<'a, Option<PaginatedRequestParams<'a>>>;
/// `notifications/tasks/status`.
pub type TaskStatusNotification<'a> = Notification<'a, TaskStatusNotificationParams<'a>>;

//! What messages of all features have: metadata (`basic/index`), the kind of a result, pages, cache hints, progress and
//! cancellation (`basic/utilities`, `basic/patterns` of 2026-07-28).
use alloc::{borrow::Cow, string::String};

use super::{
    ClientCapabilities, Implementation, LoggingLevel, Map, Misfit, Model, Notification, Number, Raw, Unknown,
};
use crate::json::Json;

/// Metadata without a fixed form, by key.
pub type MetaObject<'a> = Map<'a, Raw<'a>>;
/// Where a page of a list begins: to be sent back as it came (`server/utilities/pagination`).
pub type Cursor<'a> = Cow<'a, str>;
/// What progress is reported by: a string or a number that the requestor chose.
pub type ProgressToken<'a> = RequestId<'a>;

/// The id of a request: a string or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestId<'a> {
    /// A string. `"7"` is not `7`.
    String(Cow<'a, str>),
    /// A number.
    Number(Number<'a>),
}

impl<'a> Model<'a> for RequestId<'a> {
    type Owned = RequestId<'static>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        match json.as_str() {
            Some(text) => Ok(Self::String(text)),
            None => {
                Number::read(json).map(Self::Number).map_err(|_| Misfit::new("expected a string or a number"))
            }
        }
    }
    fn write(&self, out: &mut String) {
        match self {
            Self::String(text) => text.write(out),
            Self::Number(number) => number.write(out),
        }
    }
    fn into_owned(self) -> Self::Owned {
        match self {
            Self::String(text) => RequestId::String(Model::into_owned(text)),
            Self::Number(number) => RequestId::Number(number.into_owned()),
        }
    }
    fn find_unknown(&self, _: &mut Unknown) {}
}

serde_by_model!(RequestId);

words! {
    /// What kind of result one is (`basic/index`); from 2026-07-28.
    ResultType {
        /// All there is; the meaning of an absent member.
        Complete = "complete",
        /// Questions to be answered first.
        InputRequired = "input_required",
    }

    /// Who may share what is kept of a result; from 2026-07-28.
    CacheScope {
        /// Those that are authorized alike only.
        Private = "private",
        /// Everybody.
        Public = "public",
    }
}

objects! {
    /// Metadata of a request. What is under `io.modelcontextprotocol/` is from 2026-07-28, where the machine writes it.
    RequestMetaObject {} optional {
        /// That progress is wanted, and under which token.
        "progressToken" => progress_token: ProgressToken<'a>,
        /// The revision of the request.
        "io.modelcontextprotocol/protocolVersion" => protocol_version: Cow<'a, str>,
        /// Who the client is.
        "io.modelcontextprotocol/clientInfo" => client_info: Implementation<'a>,
        /// What the client can do.
        "io.modelcontextprotocol/clientCapabilities" => client_capabilities: ClientCapabilities<'a>,
        /// From which level on log messages are wanted for this request; absent is none.
        "io.modelcontextprotocol/logLevel" => log_level: LoggingLevel<'a>,
    }

    /// Metadata of a notice.
    NotificationMetaObject {} optional {
        /// The subscription that it belongs to; from 2026-07-28.
        "io.modelcontextprotocol/subscriptionId" => subscription_id: RequestId<'a>,
    }

    /// Metadata of a result.
    ResultMetaObject {} optional {
        /// Who the server is; from 2026-07-28.
        "io.modelcontextprotocol/serverInfo" => server_info: Implementation<'a>,
    }

    /// Params that are metadata alone.
    RequestParams {} optional {
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// Params of a notice that are metadata alone.
    NotificationParams {} optional {
        /// Metadata.
        "_meta" => meta: NotificationMetaObject<'a>,
    }

    /// What each result has, and all that an empty one has. The members of any other are in `extra`.
    EmptyResult {} optional {
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// Which page of a list (`server/utilities/pagination`).
    PaginatedRequestParams {} optional {
        /// The `nextCursor` of the page before; absent is the first page.
        "cursor" => cursor: Cursor<'a>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// What each page of a list has (`server/utilities/pagination`).
    PaginatedResult {} optional {
        /// Where the next page begins, if there is one.
        "nextCursor" => next_cursor: Cursor<'a>,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// What each result has that may be kept (`server/utilities/caching`); from 2026-07-28.
    CacheableResult {
        /// Milliseconds that it may be kept.
        "ttlMs" => ttl_ms: Number<'a>,
        /// Who may share what is kept.
        "cacheScope" => cache_scope: CacheScope<'a>,
    } optional {
        /// What kind of result it is.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// How far a request is.
    ProgressNotificationParams {
        /// The token of the request.
        "progressToken" => progress_token: ProgressToken<'a>,
        /// How far: it grows.
        "progress" => progress: Number<'a>,
    } optional {
        /// How far there is to go, if known.
        "total" => total: Number<'a>,
        /// What is being done, for people; from 2025-03-26.
        "message" => message: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: NotificationMetaObject<'a>,
    }

    /// A request whose result is no longer wanted.
    CancelledNotificationParams {} optional {
        /// The request: required but in 2025-11-25, where a task is cancelled otherwise.
        "requestId" => request_id: RequestId<'a>,
        /// Why, for people.
        "reason" => reason: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: NotificationMetaObject<'a>,
    }
}

/// `notifications/progress`.
pub type ProgressNotification<'a> = Notification<'a, ProgressNotificationParams<'a>>;
/// `notifications/cancelled`.
pub type CancelledNotification<'a> = Notification<'a, CancelledNotificationParams<'a>>;

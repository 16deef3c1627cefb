//! Roots: where a server may work (`client/roots`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    MetaObject, Notification, NotificationParams, Request, RequestParams, ResultMetaObject, ResultType,
};

objects! {
    /// A folder or file.
    Root {
        /// Where: a `file:` URI.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// A name for people.
        "name" => name: Cow<'a, str>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// The roots.
    ListRootsResult {
        /// All of them.
        "roots" => roots: Vec<Root<'a>>,
    } optional {
        /// What kind of result it is, where it is a result of its own.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }
}

/// `roots/list`.
pub type ListRootsRequest<'a> = Request<'a, Option<RequestParams<'a>>>;
/// `notifications/roots/list_changed`; up to 2025-11-25.
pub type RootsListChangedNotification<'a> = Notification<'a, Option<NotificationParams<'a>>>;

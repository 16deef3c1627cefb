//! Subscriptions (`basic/patterns/subscriptions` of 2026-07-28).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    Implementation, Notification, Request, RequestId, RequestMetaObject, Response, ResultType,
    meta::NotificationMetaObject,
};

objects! {
    /// Which changes a client wants to hear of, or will.
    SubscriptionFilter {} optional {
        /// Of the list of tools.
        "toolsListChanged" => tools_list_changed: bool,
        /// Of the list of prompts.
        "promptsListChanged" => prompts_list_changed: bool,
        /// Of the list of resources.
        "resourcesListChanged" => resources_list_changed: bool,
        /// Of these resources.
        "resourceSubscriptions" => resource_subscriptions: Vec<Cow<'a, str>>,
    }

    /// Which changes a client wants to hear of.
    SubscriptionsListenRequestParams {
        /// Which.
        "notifications" => notifications: SubscriptionFilter<'a>,
    } optional {
        /// Metadata; required on the wire, where the machine writes it.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// Which changes it will hear of.
    SubscriptionsAcknowledgedNotificationParams {
        /// Which.
        "notifications" => notifications: SubscriptionFilter<'a>,
    } optional {
        /// Metadata.
        "_meta" => meta: NotificationMetaObject<'a>,
    }

    /// The metadata of the result that ends a subscription.
    SubscriptionsListenResultMetaObject {
        /// The request that began it.
        "io.modelcontextprotocol/subscriptionId" => subscription_id: RequestId<'a>,
    } optional {
        /// Who the server is.
        "io.modelcontextprotocol/serverInfo" => server_info: Implementation<'a>,
    }

    /// The end of a subscription.
    SubscriptionsListenResult {
        /// What kind of result it is.
        "resultType" => result_type: ResultType<'a>,
        /// Which subscription.
        "_meta" => meta: SubscriptionsListenResultMetaObject<'a>,
    } optional {}
}

/// `subscriptions/listen`.
pub type SubscriptionsListenRequest<'a> = Request<'a, SubscriptionsListenRequestParams<'a>>;
/// The response to `subscriptions/listen`.
pub type SubscriptionsListenResultResponse<'a> = Response<'a, SubscriptionsListenResult<'a>>;
/// `notifications/subscriptions/acknowledged`.
pub type SubscriptionsAcknowledgedNotification<'a> =
    Notification<'a, SubscriptionsAcknowledgedNotificationParams<'a>>;

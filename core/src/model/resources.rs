//! Resources (`server/resources`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    Annotations, Base64, Icon, InputRequiredOr, InputResponses, MediaType, MetaObject, Misfit, Notification,
    NotificationParams, Number, PaginatedRequestParams, Request, RequestMetaObject, Response,
    ResultMetaObject, ResultType,
    codec::having,
    content::media_type,
    meta::{CacheScope, NotificationMetaObject},
};

objects! {
    /// A resource.
    Resource {
        /// A name for programs.
        "name" => name: Cow<'a, str>,
        /// What it is read by.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// A name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
        /// What it is, for the model.
        "description" => description: Cow<'a, str>,
        /// Its media type, if known.
        "mimeType" => mime_type: MediaType<'a>,
        /// Bytes of its content before any encoding, if known.
        "size" => size: Number<'a>,
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Pictures for it; from 2025-11-25.
        "icons" => icons: Vec<Icon<'a>>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// Resources whose URIs have a common form.
    ResourceTemplate {
        /// A name for programs.
        "name" => name: Cow<'a, str>,
        /// That form: a URI template (RFC 6570).
        "uriTemplate" => uri_template: Cow<'a, str>,
    } optional {
        /// A name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
        /// What they are for.
        "description" => description: Cow<'a, str>,
        /// The media type that all of them have, if they have one.
        "mimeType" => mime_type: MediaType<'a>,
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Pictures for it; from 2025-11-25.
        "icons" => icons: Vec<Icon<'a>>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// The content of a resource, or of a part of one, as text.
    TextResourceContents {
        /// Of what.
        "uri" => uri: Cow<'a, str>,
        /// The text.
        "text" => text: Cow<'a, str>,
    } optional {
        /// Its media type, if known.
        "mimeType" => mime_type: MediaType<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// The content of a resource, or of a part of one, as bytes.
    BlobResourceContents {
        /// Of what.
        "uri" => uri: Cow<'a, str>,
        /// The bytes.
        "blob" => blob: Base64<'a>,
    } optional {
        /// Its media type, if known.
        "mimeType" => mime_type: MediaType<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// What both kinds of content have.
    BareResourceContents {
        /// Of what.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// Its media type, if known.
        "mimeType" => mime_type: MediaType<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// One page of the resources.
    ListResourcesResult {
        /// The resources.
        "resources" => resources: Vec<Resource<'a>>,
    } optional {
        /// Where the next page begins, if there is one.
        "nextCursor" => next_cursor: Cow<'a, str>,
        /// Milliseconds that it may be kept; from 2026-07-28.
        "ttlMs" => ttl_ms: Number<'a>,
        /// Who may share what is kept; from 2026-07-28.
        "cacheScope" => cache_scope: CacheScope<'a>,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// One page of the templates.
    ListResourceTemplatesResult {
        /// The templates.
        "resourceTemplates" => resource_templates: Vec<ResourceTemplate<'a>>,
    } optional {
        /// Where the next page begins, if there is one.
        "nextCursor" => next_cursor: Cow<'a, str>,
        /// Milliseconds that it may be kept; from 2026-07-28.
        "ttlMs" => ttl_ms: Number<'a>,
        /// Who may share what is kept; from 2026-07-28.
        "cacheScope" => cache_scope: CacheScope<'a>,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// Which resource, to subscribe to it or no longer to; up to 2025-11-25.
    ResourceRequestParams {
        /// The resource.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// Which resource to read.
    ReadResourceRequestParams {
        /// The resource.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// Answers to the questions of an earlier round; from 2026-07-28.
        "inputResponses" => input_responses: InputResponses<'a>,
        /// What the server gave with those questions, unchanged; from 2026-07-28.
        "requestState" => request_state: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// What a resource holds.
    ReadResourceResult {
        /// The content: more than one for a resource with parts.
        "contents" => contents: Vec<ResourceContents<'a>>,
    } optional {
        /// Milliseconds that it may be kept; from 2026-07-28.
        "ttlMs" => ttl_ms: Number<'a>,
        /// Who may share what is kept; from 2026-07-28.
        "cacheScope" => cache_scope: CacheScope<'a>,
        /// What kind of result it is; from 2026-07-28.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// A resource has changed.
    ResourceUpdatedNotificationParams {
        /// It, or a part of what was subscribed to.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// Metadata.
        "_meta" => meta: NotificationMetaObject<'a>,
    }
}

unions! {
    /// The content of a resource, or of a part of one.
    ResourceContents by having(&["text", "blob", "uri"]) => {
        /// As text.
        "text" => Text(TextResourceContents<'a>),
        /// As bytes.
        "blob" => Blob(BlobResourceContents<'a>),
        /// Neither.
        "uri" => Bare(BareResourceContents<'a>),
    }
}

/// `resources/subscribe`.
pub type SubscribeRequestParams<'a> = ResourceRequestParams<'a>;
/// `resources/unsubscribe`.
pub type UnsubscribeRequestParams<'a> = ResourceRequestParams<'a>;
/// `resources/list`.
pub type ListResourcesRequest<'a> = Request<'a, Option<PaginatedRequestParams<'a>>>;
/// The response to `resources/list`.
pub type ListResourcesResultResponse<'a> = Response<'a, ListResourcesResult<'a>>;
/// `resources/templates/list`.
pub type ListResourceTemplatesRequest<'a> = Request<'a, Option<PaginatedRequestParams<'a>>>;
/// The response to `resources/templates/list`.
pub type ListResourceTemplatesResultResponse<'a> = Response<'a, ListResourceTemplatesResult<'a>>;
/// `resources/read`.
pub type ReadResourceRequest<'a> = Request<'a, ReadResourceRequestParams<'a>>;
/// The response to `resources/read`.
pub type ReadResourceResultResponse<'a> = Response<'a, InputRequiredOr<'a, ReadResourceResult<'a>>>;
/// `resources/subscribe`.
pub type SubscribeRequest<'a> = Request<'a, SubscribeRequestParams<'a>>;
/// `resources/unsubscribe`.
pub type UnsubscribeRequest<'a> = Request<'a, UnsubscribeRequestParams<'a>>;
/// `notifications/resources/list_changed`.
pub type ResourceListChangedNotification<'a> = Notification<'a, Option<NotificationParams<'a>>>;
/// `notifications/resources/updated`.
pub type ResourceUpdatedNotification<'a> = Notification<'a, ResourceUpdatedNotificationParams<'a>>;

impl<'a> ResourceContents<'a> {
    /// Text.
    pub fn text(uri: impl Into<Cow<'a, str>>, text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(TextResourceContents::new(uri, text))
    }
    /// Bytes. Fails if `mime_type` is no media type.
    pub fn blob(uri: impl Into<Cow<'a, str>>, bytes: &[u8], mime_type: &str) -> Result<Self, Misfit> {
        let mime_type = Some(media_type(mime_type)?);
        Ok(Self::Blob(BlobResourceContents {
            mime_type,
            ..BlobResourceContents::new(uri, Base64::encode(bytes))
        }))
    }
}

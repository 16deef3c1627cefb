//! How a conversation begins: `initialize` (`basic/lifecycle`), `server/discover` (`server/discover` of 2026-07-28), and
//! who the two are.
use alloc::{borrow::Cow, vec::Vec};

use super::{
    ClientCapabilities, IconSize, MediaType, Notification, NotificationParams, Number, Request,
    RequestMetaObject, RequestParams, Response, ResultMetaObject, ResultType, ServerCapabilities,
    meta::CacheScope,
};
use crate::syntax;

words! {
    /// The background that an icon is drawn for.
    IconTheme {
        /// Light.
        Light = "light",
        /// Dark.
        Dark = "dark",
    }
}

objects! {
    /// A picture for something (`basic/index`, icons); from 2025-11-25.
    Icon {
        /// Where it is: see [`Icon::may_be_fetched`].
        "src" => src: Cow<'a, str>,
    } optional {
        /// Its media type, if that of the source is missing or too general.
        "mimeType" => mime_type: MediaType<'a>,
        /// The sizes that it can be used at; absent is any.
        "sizes" => sizes: Vec<IconSize<'a>>,
        /// The background that it is drawn for; absent is any.
        "theme" => theme: IconTheme<'a>,
    }

    /// Something with icons; from 2025-11-25.
    Icons {} optional {
        /// The pictures.
        "icons" => icons: Vec<Icon<'a>>,
    }

    /// Something with a name; from 2025-06-18.
    BaseMetadata {
        /// For programs.
        "name" => name: Cow<'a, str>,
    } optional {
        /// For people.
        "title" => title: Cow<'a, str>,
    }

    /// Who a client or a server is.
    Implementation {
        /// Its name for programs.
        "name" => name: Cow<'a, str>,
        /// Its version.
        "version" => version: Cow<'a, str>,
    } optional {
        /// Its name for people; from 2025-06-18.
        "title" => title: Cow<'a, str>,
        /// What it is; from 2025-11-25.
        "description" => description: Cow<'a, str>,
        /// Pictures for it; from 2025-11-25.
        "icons" => icons: Vec<Icon<'a>>,
        /// Where to read of it; from 2025-11-25.
        "websiteUrl" => website_url: Cow<'a, str>,
    }

    /// How a client begins; up to 2025-11-25.
    InitializeRequestParams {
        /// The latest revision that the client speaks.
        "protocolVersion" => protocol_version: Cow<'a, str>,
        /// What the client can do.
        "capabilities" => capabilities: ClientCapabilities<'a>,
        /// Who the client is.
        "clientInfo" => client_info: Implementation<'a>,
    } optional {
        /// Metadata.
        "_meta" => meta: RequestMetaObject<'a>,
    }

    /// How a server answers; up to 2025-11-25.
    InitializeResult {
        /// The revision that is spoken from now on, if the client speaks it.
        "protocolVersion" => protocol_version: Cow<'a, str>,
        /// What the server can do.
        "capabilities" => capabilities: ServerCapabilities<'a>,
        /// Who the server is.
        "serverInfo" => server_info: Implementation<'a>,
    } optional {
        /// How to use it, for the model.
        "instructions" => instructions: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// What a server is and can do; from 2026-07-28.
    DiscoverResult {
        /// The revisions that it speaks.
        "supportedVersions" => supported_versions: Vec<Cow<'a, str>>,
        /// What it can do.
        "capabilities" => capabilities: ServerCapabilities<'a>,
    } optional {
        /// How to use it, for the model.
        "instructions" => instructions: Cow<'a, str>,
        /// Milliseconds that it may be kept.
        "ttlMs" => ttl_ms: Number<'a>,
        /// Who may share what is kept.
        "cacheScope" => cache_scope: CacheScope<'a>,
        /// What kind of result it is.
        "resultType" => result_type: ResultType<'a>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }
}

/// `initialize`.
pub type InitializeRequest<'a> = Request<'a, InitializeRequestParams<'a>>;
/// `notifications/initialized`.
pub type InitializedNotification<'a> = Notification<'a, Option<NotificationParams<'a>>>;
/// `server/discover`.
pub type DiscoverRequest<'a> = Request<'a, RequestParams<'a>>;
/// The response to `server/discover`.
pub type DiscoverResultResponse<'a> = Response<'a, DiscoverResult<'a>>;
/// `ping` (`basic/utilities/ping`); up to 2025-11-25.
pub type PingRequest<'a> = Request<'a, Option<RequestParams<'a>>>;

impl Icon<'_> {
    /// Whether a client may load it: by `https`, or out of a `data` URI of an image. What else it has to see to:
    /// [`syntax::icon_may_be_fetched`].
    pub fn may_be_fetched(&self) -> bool {
        syntax::icon_may_be_fetched(&self.src)
    }
}

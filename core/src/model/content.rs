//! Content: what tools return, prompts say and models read (`server/tools`, `server/prompts`, `client/sampling`).
use alloc::{borrow::Cow, vec::Vec};

use super::{
    Base64, Map, MediaType, MetaObject, Misfit, Number, Object, Raw, Resource, ResourceContents,
    codec::tagged, lifecycle::Icon,
};

words! {
    /// Who speaks, or whom something is for.
    Role {
        /// The person, or the application for them.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

objects! {
    /// Hints to a client (`server/resources`, annotations). In 2024-11-05 only `audience` and `priority`.
    Annotations {} optional {
        /// Whom it is for.
        "audience" => audience: Vec<Role<'a>>,
        /// From 0, may be left out, to 1, as good as required.
        "priority" => priority: Number<'a>,
        /// When it was changed last, in ISO 8601; from 2025-06-18.
        "lastModified" => last_modified: Cow<'a, str>,
    }

    /// Something with annotations: the base type of 2024-11-05.
    Annotated {} optional {
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
    }

    /// Text.
    TextContent("type" = "text") {
        /// The text.
        "text" => text: Cow<'a, str>,
    } optional {
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// An image.
    ImageContent("type" = "image") {
        /// Its bytes.
        "data" => data: Base64<'a>,
        /// Its media type.
        "mimeType" => mime_type: MediaType<'a>,
    } optional {
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// Sound; from 2025-03-26.
    AudioContent("type" = "audio") {
        /// Its bytes.
        "data" => data: Base64<'a>,
        /// Its media type.
        "mimeType" => mime_type: MediaType<'a>,
    } optional {
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// A resource that can be read; from 2025-06-18. It need not be in any list.
    ResourceLink("type" = "resource_link") {
        /// A name for programs.
        "name" => name: Cow<'a, str>,
        /// Where it is.
        "uri" => uri: Cow<'a, str>,
    } optional {
        /// A name for people.
        "title" => title: Cow<'a, str>,
        /// What it is.
        "description" => description: Cow<'a, str>,
        /// Its media type, if known.
        "mimeType" => mime_type: MediaType<'a>,
        /// Bytes of its content before any encoding, if known.
        "size" => size: Number<'a>,
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Pictures for it; from 2025-11-25.
        "icons" => icons: Vec<Icon<'a>>,
        /// Metadata.
        "_meta" => meta: MetaObject<'a>,
    }

    /// The content of a resource.
    EmbeddedResource("type" = "resource") {
        /// The content.
        "resource" => resource: ResourceContents<'a>,
    } optional {
        /// Hints.
        "annotations" => annotations: Annotations<'a>,
        /// Metadata; from 2025-06-18.
        "_meta" => meta: MetaObject<'a>,
    }

    /// A model's wish to use a tool (`client/sampling`); from 2025-11-25.
    ToolUseContent("type" = "tool_use") {
        /// Names this use, so that its result can.
        "id" => id: Cow<'a, str>,
        /// The tool.
        "name" => name: Cow<'a, str>,
        /// The tool's arguments.
        "input" => input: Object<'a>,
    } optional {
        /// Metadata.
        "_meta" => meta: MetaObject<'a>,
    }

    /// What a tool returned to the model (`client/sampling`); from 2025-11-25.
    ToolResultContent("type" = "tool_result") {
        /// The `id` of the use.
        "toolUseId" => tool_use_id: Cow<'a, str>,
        /// What it returned.
        "content" => content: Vec<ContentBlock<'a>>,
    } optional {
        /// The result as data: an object in 2025-11-25, any value since.
        "structuredContent" => structured_content: Raw<'a>,
        /// Whether the tool failed; absent is no.
        "isError" => is_error: bool,
        /// Metadata.
        "_meta" => meta: MetaObject<'a>,
    }
}

unions! {
    /// What a tool returns or a prompt says.
    ContentBlock by tagged("type") => {
        /// Text.
        "text" => Text(TextContent<'a>),
        /// An image.
        "image" => Image(ImageContent<'a>),
        /// Sound.
        "audio" => Audio(AudioContent<'a>),
        /// Where a resource is.
        "resource_link" => ResourceLink(ResourceLink<'a>),
        /// What a resource holds.
        "resource" => Resource(EmbeddedResource<'a>),
    }

    /// What is said to a model or by it.
    SamplingMessageContentBlock by tagged("type") => {
        /// Text.
        "text" => Text(TextContent<'a>),
        /// An image.
        "image" => Image(ImageContent<'a>),
        /// Sound.
        "audio" => Audio(AudioContent<'a>),
        /// The model uses a tool.
        "tool_use" => ToolUse(ToolUseContent<'a>),
        /// What the tool returned.
        "tool_result" => ToolResult(ToolResultContent<'a>),
    }
}

impl ImageContent<'_> {
    /// An image from its bytes. Fails if `mime_type` is no media type.
    pub fn from_bytes(bytes: &[u8], mime_type: &str) -> Result<ImageContent<'static>, Misfit> {
        Ok(ImageContent::new(Base64::encode(bytes), media_type(mime_type)?))
    }
}

impl AudioContent<'_> {
    /// Sound from its bytes. Fails if `mime_type` is no media type.
    pub fn from_bytes(bytes: &[u8], mime_type: &str) -> Result<AudioContent<'static>, Misfit> {
        Ok(AudioContent::new(Base64::encode(bytes), media_type(mime_type)?))
    }
}

/// Copied and checked.
pub(super) fn media_type(text: &str) -> Result<MediaType<'static>, Misfit> {
    MediaType::new(alloc::string::String::from(text)).map_err(|misfit| misfit.within("mimeType"))
}

impl<'a> ResourceLink<'a> {
    /// A link to `resource`, with all that is known of it.
    pub fn to(resource: Resource<'a>) -> Self {
        Self {
            name: resource.name,
            uri: resource.uri,
            title: resource.title,
            description: resource.description,
            mime_type: resource.mime_type,
            size: resource.size,
            annotations: resource.annotations,
            icons: resource.icons,
            meta: resource.meta,
            extra: Map::default(),
        }
    }
}

impl<'a> ContentBlock<'a> {
    /// Text.
    pub fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(TextContent::new(text))
    }
    /// An image from its bytes. Fails if `mime_type` is no media type.
    pub fn image(bytes: &[u8], mime_type: &str) -> Result<Self, Misfit> {
        ImageContent::from_bytes(bytes, mime_type).map(Self::Image)
    }
    /// Sound from its bytes. Fails if `mime_type` is no media type.
    pub fn audio(bytes: &[u8], mime_type: &str) -> Result<Self, Misfit> {
        AudioContent::from_bytes(bytes, mime_type).map(Self::Audio)
    }
    /// What a resource holds.
    pub fn resource(contents: impl Into<ResourceContents<'a>>) -> Self {
        Self::Resource(EmbeddedResource::new(contents))
    }
    /// Where a resource is.
    pub fn link(resource: Resource<'a>) -> Self {
        Self::ResourceLink(ResourceLink::to(resource))
    }
}

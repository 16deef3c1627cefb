//! Typed payloads: a type for each of the five revisions' schemas, under the schema's own name.
//!
//! A machine moves payloads without looking into them; these types are for an application that wants to. Each covers all
//! revisions: a member that one of them lacks, or lets out, is an `Option`. Nothing is lost on the way through: members
//! that no revision names are in `extra`, words and kinds that none has are `Other`, numbers keep their spelling.
//! `serde` reads them from JSON text alone, not from a `serde_json::Value` or a reader: they borrow from the text.
//!
//! ```
//! use mcp_sansio::{
//!     json::Json,
//!     model::{CallToolRequestParams, CallToolResult, ContentBlock, Model},
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // From a payload of an event: `CallToolRequestParams::read(payload.as_json())`, or `payload.decode()` with `serde`.
//! let params = Json::parse(br#"{"name":"plot","arguments":{"x":[1.0,2]},"com.example/trace":7}"#)?;
//! let params = CallToolRequestParams::read(params)?;
//! assert_eq!(params.name, "plot");
//! assert_eq!(params.extra.get("com.example/trace").map(|raw| raw.as_str()), Some("7"));
//!
//! let mut result = CallToolResult::text("Plotted.");
//! result.content.push(ContentBlock::image(b"\x89PNG", "image/png")?);
//! // To a command of a machine: `Outcome::Result { result: raw.as_json(), cache: None }`.
//! let raw = result.to_raw();
//! assert!(raw.as_str().starts_with(r#"{"content":[{"type":"text","text":"Plotted."}"#));
//! # Ok(())
//! # }
//! ```
#[macro_use]
mod macros;

pub mod capabilities;
mod codec;
pub mod completion;
pub mod content;
pub mod elicitation;
pub mod errors;
pub mod lifecycle;
pub mod logging;
pub mod messages;
pub mod meta;
pub mod mrtr;
pub mod prompts;
mod raw;
pub mod resources;
pub mod roots;
pub mod sampling;
pub mod subscriptions;
pub mod tasks;
mod text;
pub mod tools;

pub use capabilities::*;
pub use codec::{Map, Misfit, Model, Nullable, OneOrMany, Unknown};
pub use completion::*;
pub use content::*;
pub use elicitation::*;
pub use errors::*;
pub use lifecycle::*;
pub use logging::*;
pub use messages::*;
pub use meta::*;
pub use mrtr::*;
pub use prompts::*;
pub use raw::{Number, Object, Raw};
pub use resources::*;
pub use roots::*;
pub use sampling::*;
pub use subscriptions::*;
pub use tasks::*;
pub use text::{Base64, IconSize, MediaType};
pub use tools::*;

//! URIs as a server of resources meets them: RFC 6570 templates that are expanded and matched, and containment of files in
//! a root. Pure functions on text; nothing here looks at a file system or a network.
//!
//! ```
//! use mcp_sansio::uri::{Root, Template, Value};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let template = Template::parse("file:///docs/{name}{?page}")?;
//! let uri = template.expand(&[("name", Value::from("a b.txt"))])?;
//! assert_eq!(uri, "file:///docs/a%20b.txt");
//! assert_eq!(template.matches(&uri), Some(vec![("name", Value::from("a%20b.txt"))]));
//!
//! let root = Root::new("file:///docs")?;
//! assert_eq!(root.contains(&uri)?, "/docs/a b.txt");
//! assert!(root.contains("file:///docs/%2e%2e/etc/passwd").is_err());
//! # Ok(())
//! # }
//! ```
mod chars;
mod expansion;
mod matching;
mod root;
mod template;

pub use chars::percent_decode;
pub(crate) use chars::symbols;
pub use matching::MAX_URI_BYTES;
pub use root::{Escape, Root, is_file_uri};
pub use template::{MAX_TEMPLATE_BYTES, MAX_VARIABLES, Specificity, Template, Value};

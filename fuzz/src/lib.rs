//! What the targets share.

/// The models that the tests of the core use too.
#[path = "../../core/tests/reference/mod.rs"]
pub mod reference;

pub mod host;
pub mod machine;
pub mod operations;

#[path = "../../core/tests/reference/root.rs"]
pub mod root;
/// What holds for templates and for roots, which the tests of the core check too.
#[path = "../../core/tests/reference/uri.rs"]
pub mod uri;

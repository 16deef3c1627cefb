//! The copy of the protocol's schemas and examples, which are not in this repository.
//!
//! `MCP_SPEC_DIR` names the folder that holds one folder a revision, each with its `schema.json`, and `ext-tasks` with
//! that of the extension. A relative path begins at the root of the workspace. Without the variable, or with `none`,
//! nothing is compared; `make tables` then says so.
#![allow(dead_code, reason = "no test needs all of it")]

use std::{
    env, fs,
    io::{self, Write},
    path::PathBuf,
    sync::Once,
};

use serde_json::Value;

static NOT_COMPARED: Once = Once::new();

/// The folder; `None` if there is said to be none.
pub fn folder() -> Option<PathBuf> {
    let named = env::var("MCP_SPEC_DIR").unwrap_or_else(|_| "none".into());
    if named == "none" {
        // Past the capture of the test's output, once.
        NOT_COMPARED.call_once(|| {
            writeln!(io::stderr(), "MCP_SPEC_DIR names no folder: nothing was compared with the schemas")
                .expect("stderr is writable");
        });
        return None;
    }
    Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(named))
}

/// The definitions of `<of>/schema.json`; `None` if there is said to be no folder.
pub fn definitions(of: &str) -> Option<Value> {
    let path = folder()?.join(of).join("schema.json");
    let text = fs::read(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; set MCP_SPEC_DIR to the folder of the protocol's schemas, or to `none`",
            path.display()
        )
    });
    let mut whole: Value = serde_json::from_slice(&text).expect("a schema is JSON");
    let key = if whole.get("$defs").is_some() { "$defs" } else { "definitions" };
    Some(whole.get_mut(key).expect("a schema has definitions").take())
}

/// The name of the definition that a schema refers to.
pub fn reference(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

//! The least that a server in safe Rust with `serde_json` does for one call: it reads the envelope, the params and the
//! members of `_meta`, looks into nothing else, and copies the arguments into its answer.
use std::hint::black_box;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::round_trip::RoundTrip;

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: &'a RawValue,
}

#[derive(Deserialize)]
struct Params<'a> {
    name: &'a str,
    #[serde(borrow)]
    arguments: &'a RawValue,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'a str,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    info: &'a RawValue,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: &'a RawValue,
}

/// The floor; it keeps nothing between two calls.
pub struct Floor;

impl RoundTrip for Floor {
    fn run(&mut self, line: &[u8], answer: &mut Vec<u8>) {
        if write_answer(line, answer).is_none() {
            answer.clear();
        }
    }
}

fn write_answer(line: &[u8], answer: &mut Vec<u8>) -> Option<()> {
    let envelope: Envelope = serde_json::from_slice(line).ok()?;
    let params: Params = serde_json::from_str(envelope.params.get()).ok()?;
    if envelope.method != "tools/call" || params.name != "echo" {
        return None;
    }
    let mut result_type = "";
    if let Some(meta) = params.meta {
        let meta: Meta = serde_json::from_str(meta.get()).ok()?;
        if meta.version != "2026-07-28" {
            return None;
        }
        black_box((meta.info, meta.capabilities));
        result_type = r#""resultType":"complete","#;
    }
    for part in [
        r#"{"jsonrpc":"2.0","id":"#,
        envelope.id.get(),
        r#","result":{"#,
        result_type,
        r#""content":[],"structuredContent":"#,
        params.arguments.get(),
        "}}",
    ] {
        answer.extend_from_slice(part.as_bytes());
    }
    Some(())
}

//! The lines that every subject and every server is given.

use serde::Deserialize;
use serde_json::Value;

/// How a client opens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25, after a handshake.
    Legacy,
    /// 2026-07-28, each request with its `_meta`.
    Modern,
}

impl Era {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Legacy, Self::Modern];

    /// As arguments and reports name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "2025-11-25",
            Self::Modern => "2026-07-28",
        }
    }

    /// The era of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|era| era.name() == name)
    }

    /// What each of its requests has in `_meta`.
    const fn meta(self) -> &'static str {
        match self {
            Self::Legacy => r#"{}"#,
            Self::Modern => {
                r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"dry","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#
            }
        }
    }

    /// A call of the tool `echo`.
    pub fn call(self, id: u64, text: &str) -> String {
        let meta = match self {
            Self::Legacy => String::new(),
            Self::Modern => format!(r#","_meta":{}"#, self.meta()),
        };
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"{text}"}}{meta}}}}}"#
        ) + "\n"
    }

    /// A request for the first page of the tools.
    pub fn list(self, id: u64) -> String {
        let meta = self.meta();
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{"_meta":{meta}}}}}"#) + "\n"
    }
}

/// The first message of a legacy client; its id is the text `open`.
pub const INITIALIZE: &str = concat!(
    r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"dry","version":"1"}}}"#,
    "\n"
);
/// What a legacy client says after the answer.
pub const INITIALIZED: &str = concat!(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, "\n");

/// The answer of the tool `echo`: the id of the call and the text. `None` if it is anything else.
pub fn echoed(answer: &[u8]) -> Option<(u64, String)> {
    #[derive(Deserialize)]
    struct Answer {
        id: u64,
        result: Value,
    }
    let Answer { id, result } = serde_json::from_slice(answer).ok()?;
    let text = result.pointer("/content/0/text").or(result.pointer("/structuredContent/text"))?;
    Some((id, text.as_str()?.to_owned()))
}

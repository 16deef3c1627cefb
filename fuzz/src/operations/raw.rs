//! A second client, of the modern era, on the stream of the first.
use super::{
    Raw,
    pair::Pair,
    setup::{EXTENSION, level, uri},
    wire::{self, SECOND},
};

const REVISION: &str = "2026-07-28";

fn meta(more: &str) -> String {
    format!(
        r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{REVISION}","io.modelcontextprotocol/clientInfo":{{"name":"x","version":"1"}},"io.modelcontextprotocol/clientCapabilities":{{"roots":{{}},"extensions":{{"{}":{{}}}}}}{more}}}"#,
        EXTENSION.0
    )
}

impl Pair {
    pub fn say_raw(&mut self, raw: Raw) {
        self.reached.note("raw");
        let id = format!("{SECOND}{}", self.name());
        let request = |method: &str, params: &str, more: &str| {
            let meta = meta(more);
            format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{{{params}{meta}}}}}"#)
        };
        let tool = |id: &str| format!(r#""name":"echo","arguments":{{"n":"{id}"}}"#);
        let line = match raw {
            Raw::Tool { progress, level: wanted } => {
                let token = if progress { format!(r#","progressToken":"{id}""#) } else { String::new() };
                let wanted = if wanted < 8 {
                    format!(r#","io.modelcontextprotocol/logLevel":"{}""#, level(wanted).name())
                } else {
                    String::new()
                };
                request("tools/call", &format!("{},", tool(&id)), &format!("{token}{wanted}"))
            }
            Raw::Read(number) => request("resources/read", &format!(r#""uri":"{}","#, uri(number)), ""),
            Raw::Listen(lists, resources) => {
                let uris: Vec<String> = (0..4)
                    .filter(|bit| resources >> bit & 1 != 0)
                    .map(|n| format!("\"{}\"", uri(n)))
                    .collect();
                let filter = format!(
                    r#""notifications":{{"toolsListChanged":{},"promptsListChanged":{},"resourcesListChanged":{},"resourceSubscriptions":[{}]}},"#,
                    lists & 1 != 0,
                    lists & 2 != 0,
                    lists & 4 != 0,
                    uris.join(",")
                );
                request("subscriptions/listen", &filter, "")
            }
            Raw::List(list) => request(list.method(), "", ""),
            Raw::Discover => request("server/discover", "", ""),
            Raw::Cancel(number) => {
                if self.second.is_empty() {
                    return;
                }
                let id = &self.second[usize::from(number) % self.second.len()];
                format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":"{id}",{}}}}}"#,
                    meta("")
                )
            }
            Raw::Batch(members) => {
                let members: Vec<String> = (0..=members % 4)
                    .map(|place| {
                        let id = format!("{id}-{place}");
                        let params = tool(&id);
                        format!(
                            r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{{{params}}}}}"#
                        )
                    })
                    .collect();
                format!("[{}]", members.join(","))
            }
        };
        for message in wire::parse(line.as_bytes()) {
            if let Some(id) = message["id"].as_str() {
                self.second.push(id.into());
            }
            if self.strict {
                self.observer.client_says(&message);
            }
        }
        self.to_server.lines.push_back(format!("{line}\n").into_bytes());
    }
}

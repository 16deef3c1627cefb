//! Configurations as JSON, as bindings give them: what is wrong is said where it is.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]

use mcp_sansio::session::{ClientConfig, ServerConfig};

fn server(members: &str) -> Result<(), String> {
    let text = format!("{{\"info\":{{\"name\":\"n\",\"version\":\"1\"}}{members}}}");
    ServerConfig::from_json(text.as_bytes()).map(drop).map_err(|error| error.to_string())
}

#[test]
fn a_whole_configuration_is_taken() {
    let limits = r#""limits":{"events":1,"handler":null,"ping_interval":18446744073709551615}"#;
    let members = format!(
        ",\r\n\"instructions\":\"\",\"capabilities\":{{}},\"tools\":[],\"page_size\":1,\"list_cache\":{{\"ttl_ms\":5}},\
         \"revisions\":[\"2025\\u002d11-25\"],{limits},\"unknown_methods\":true,\"trace\":true,\
         \"seal_keys\":[\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"]"
    );
    assert_eq!(server(&members), Ok(()));
    let client = br#"{"info":{"name":"n","version":"1"},"capabilities":{},"revisions":["2026-07-28"],"probe":false,"cache":false,"result_types":{"com.example/x":["stream"]},"trace":true}"#;
    assert!(ClientConfig::from_json(client).is_ok());
}

#[test]
fn what_is_wrong_is_said_where_it_is() {
    for (members, field) in [
        (",", "configuration"),
        (r#","no_such":1"#, "no_such: unknown field"),
        (r#","page_size":"1""#, "page_size: invalid type"),
        (r#","list_cache":{}"#, "list_cache: missing field `ttl_ms`"),
        (r#","capabilities":[]"#, "capabilities: "),
        (r#","seal_keys":["AAAA"]"#, "seal_keys: must be 32 bytes each"),
        (r#","seal_keys":["no base64"]"#, "seal_keys: must be 32 bytes each"),
        (r#","revisions":[]"#, "revisions: "),
        (r#","revisions":["2025-11-26"]"#, "revisions: `2025-11-26`"),
        (
            r#","tools":[{"name":"a","inputSchema":{"type":"object"}},{"inputSchema":{"type":"object"}}]"#,
            "tools[1].name: ",
        ),
        (r#","limits":{"no_such":1}"#, "limits.no_such: unknown field"),
        (
            r#","limits":{"events":1,"handler":"5s"}"#,
            "limits.handler: invalid type: string \"5s\", expected u64",
        ),
        (r#","limits":3"#, "limits: invalid type"),
        (r#","limits":{"events":0}"#, "limits.events: "),
        (r#","limits":{"output_bytes":0}"#, "limits.output_bytes: "),
        (r#","limits":{"session_bytes":0}"#, "limits.session_bytes: "),
        (r#","limits":{"message_bytes":0}"#, "limits.message_bytes: "),
        (r#","limits":{"depth":0}"#, "limits.depth: "),
        (r#","result_types":{"com.example/x":["complete"]}"#, "result_types: `complete` of `com.example/x`"),
    ] {
        let error = server(members).expect_err(members);
        assert!(error.starts_with(field), "{members}: {error}");
    }
    for (text, field) in [
        ("", "configuration"),
        ("{}", "info: "),
        (r#"{"info":1}"#, "info: "),
        (r#"{"info":{"name":"n"}}"#, "info.version: "),
        (r#"{"info":{"name":1,"version":"1"}}"#, "info.name: "),
    ] {
        let errors = [
            ServerConfig::from_json(text.as_bytes()).map(drop).expect_err(text),
            ClientConfig::from_json(text.as_bytes()).map(drop).expect_err(text),
        ];
        for error in errors {
            assert!(error.to_string().starts_with(field), "{text}: {error}");
            assert_eq!(error.code(), "config.invalid");
        }
    }
}

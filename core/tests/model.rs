//! Typed payloads: nothing is lost on the way through, what is read is borrowed, and what is made is right.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::borrow::Cow;

use mcp_sansio::{
    json::Json,
    model::{
        AudioContent, Base64, BlobResourceContents, CallToolRequestParams, CallToolResult,
        ClientCapabilities, ContentBlock, CreateMessageResult, ElicitRequestParams, Error, GetPromptResult,
        Icon, IconSize, IconTheme, ImageContent, Implementation, InputRequest, InputRequests,
        InputRequiredOr, InputResponse, JSONRPCErrorResponse, JSONRPCMessage, ListToolsResult, LoggingLevel,
        LoggingMessageNotificationParams, Map, MediaType, MetaObject, Model, Nullable, Number, Object,
        OneOrMany, PrimitiveSchemaDefinition, ProgressNotificationParams, PromptMessage, Raw, RequestId,
        RequestMetaObject, Resource, ResourceContents, ResultType, Role, SamplingMessageContentBlock,
        ServerCapabilities, ServerNotification, StopReason, Task, TaskStatus, TextContent, Tool,
        ToolAnnotations, ToolUseContent,
    },
};
use proptest::prelude::*;
use serde_json::{Value, json, value::RawValue};

fn read<'a, T: Model<'a>>(text: &'a str) -> T {
    T::read(Json::parse(text.as_bytes()).unwrap()).unwrap()
}

fn misfit<'a, T: Model<'a> + std::fmt::Debug>(text: &'a str) -> String {
    T::read(Json::parse(text.as_bytes()).unwrap()).unwrap_err().to_string()
}

/// Whether `part` is a piece of `whole`, not a copy.
fn borrows(part: &str, whole: &str) -> bool {
    whole.as_bytes().as_ptr_range().contains(&part.as_ptr())
}

/// Texts that are written as they were read: the members that must be there, the others, then those that nobody knows.
macro_rules! unchanged {
    ($($of:ty: $text:expr;)*) => { $( {
        let text = $text;
        let value: $of = read(text);
        assert_eq!(value.to_json(), text);
        assert_eq!(serde_json::to_string(&value).unwrap(), text, "by serde");
        assert_eq!(serde_json::from_str::<$of>(text).unwrap(), value, "by serde");
        assert_eq!(Model::into_owned(value).to_json(), text);
    } )* };
}

#[test]
fn payloads_come_back_as_they_were() {
    unchanged! {
        Tool: r#"{"name":"add","inputSchema":{ "type":"object", "x":1.0 },"title":"Add","outputSchema":{"type":"array"},"annotations":{"readOnlyHint":true,"com.x":1},"icons":[{"src":"data:,","sizes":["any"],"theme":"dark"}],"execution":{"taskSupport":"optional"},"_meta":{"b":1,"a":2}}"#;
        CallToolRequestParams: r#"{"name":"add","arguments":{"a":1e2},"_meta":{"progressToken":1.0,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{},"traceparent":"00"}}"#;
        CallToolResult: r#"{"content":[{"type":"text","text":"é\n","annotations":{"audience":["user","robot"],"priority":0.50}},{"type":"resource","resource":{"uri":"a:b","blob":"AA=="}},{"type":"resource","resource":{"uri":"a:b"}},{"kind":1,"type":"hologram"}],"structuredContent":[1.50],"isError":false,"resultType":"complete"}"#;
        GetPromptResult: r#"{"messages":[{"role":"assistant","content":{"type":"resource_link","name":"n","uri":"a:b","size":7}}],"description":"d"}"#;
        CreateMessageResult: r#"{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"add","input":{}}],"model":"m","stopReason":"pause_turn"}"#;
        ElicitRequestParams: r#"{"message":"m","requestedSchema":{"type":"object","properties":{"b":{"type":"string","enum":["x"],"enumNames":["X"]},"a":{"type":"integer","minimum":0},"c":{"type":"array","items":{"anyOf":[{"const":"v","title":"V"}]}},"d":{"type":"null"}},"required":["b"]}}"#;
        ElicitRequestParams: r#"{"mode":"url","message":"m","url":"https://x","elicitationId":"e"}"#;
        ElicitRequestParams: r#"{"mode":"telepathy","message":"m"}"#;
        Task: r#"{"taskId":"t","status":"working","createdAt":"c","lastUpdatedAt":"l","ttl":null,"pollInterval":5e3}"#;
        ServerNotification: r#"{"method":"notifications/progress","params":{"progressToken":"p","progress":0.10,"total":1},"jsonrpc":"2.0"}"#;
        ServerNotification: r#"{"jsonrpc":"2.0","method":"notifications/other","params":[1]}"#;
        ServerCapabilities: r#"{"tools":{"listChanged":true},"resources":{"subscribe":false},"logging":{},"extensions":{"io.x":{"a":1}},"future":{}}"#;
        ClientCapabilities: r#"{"roots":{},"sampling":{"tools":{}},"elicitation":{"url":{}},"tasks":{"requests":{"elicitation":{"create":{}}}}}"#;
        JSONRPCErrorResponse: r#"{"jsonrpc":"2.0","error":{"code":-32000,"message":"m","data":null},"id":"7"}"#;
        InputRequest: r#"{"method":"roots/list"}"#;
        InputResponse: r#"{"action":"accept","content":{"a":1.0,"b":["x"]}}"#;
    }
    let map = r#"{"z":{"method":"roots/list"},"a":{"method":"roots/list"}}"#;
    assert_eq!(read::<InputRequests>(map).to_json(), map);
}

#[test]
fn what_has_no_escapes_is_borrowed() {
    let text = r#"{"name":"add","title":"Add","description":"a\nb","inputSchema":{"type":"object"},"icons":[{"src":"data:,","sizes":["any"]}],"own":[1]}"#;
    let tool: Tool = read(text);
    for part in [&*tool.name, tool.title.as_deref().unwrap(), tool.input_schema.as_str()] {
        assert!(borrows(part, text), "{part}");
    }
    let icon = &tool.icons.as_ref().unwrap()[0];
    assert!(borrows(&icon.src, text) && borrows(&icon.sizes.as_ref().unwrap()[0], text));
    assert!(borrows(tool.extra.get("own").unwrap().as_str(), text) && borrows(&tool.extra.0[0].0, text));
    assert!(matches!(&tool.description, Some(Cow::Owned(text)) if text == "a\nb"));
    let by_serde: Tool = serde_json::from_str(text).unwrap();
    assert!(borrows(by_serde.title.as_deref().unwrap(), text));

    let owned: Tool<'static> = tool.clone().into_owned();
    assert_eq!(owned, tool);
    assert!(!borrows(&owned.name, text));
}

/// A null stands for a member that is left out, unless the schema has it as a value: `server/tools` of 2026-07-28.
/// R-TOL-016
#[test]
fn a_null_reads_as_absent_where_it_is_no_value() {
    let tool: Tool = read(r#"{"name":"a","title":null,"annotations":null,"inputSchema":{},"icons":null}"#);
    assert_eq!(tool, Tool::new("a", Object::default()));
    assert_eq!(tool.to_json(), r#"{"name":"a","inputSchema":{}}"#);

    let result: CallToolResult = read(r#"{"content":[],"structuredContent":null}"#);
    assert_eq!(result.structured_content.as_ref().map(Raw::as_str), Some("null"));
    assert_eq!(result.to_json(), r#"{"content":[],"structuredContent":null}"#);
    assert_eq!(read::<CallToolResult>(r#"{"content":[]}"#).structured_content, None);
    assert_eq!(
        read::<LoggingMessageNotificationParams>(r#"{"level":"info","data":null}"#).data.as_str(),
        "null"
    );
    assert_eq!(read::<Error>(r#"{"code":1,"message":"","data":null}"#).data.unwrap().as_str(), "null");
    let task = r#"{"taskId":"","status":"failed","createdAt":"","lastUpdatedAt":"","ttl":null}"#;
    assert_eq!(read::<Task>(task).ttl, Nullable::Null);

    // Required members are not left out, so that a null is none.
    assert_eq!(misfit::<Tool>(r#"{"name":null,"inputSchema":{}}"#), "name: expected a string");
    assert_eq!(misfit::<Task>(&task.replace(r#","ttl":null"#, "")), "ttl: missing");
}

#[test]
fn a_misfit_says_where_and_shows_nothing() {
    for (text, said) in [
        ("[]", "expected an object"),
        ("{}", "content: missing"),
        (r#"{"content":{}}"#, "content: expected an array"),
        (
            r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":"secret"}]}"#,
            "content[1].mimeType: missing",
        ),
        (r#"{"content":["secret"]}"#, "content[0]: expected an object"),
        (r#"{"content":[],"isError":"secret"}"#, "isError: expected true or false"),
        (r#"{"content":[],"_meta":["secret"]}"#, "_meta: expected an object"),
    ] {
        assert_eq!(misfit::<CallToolResult>(text), said);
        let by_serde = serde_json::from_str::<CallToolResult>(text).unwrap_err().to_string();
        assert!(by_serde.contains(said), "{by_serde}");
    }
    let requests = r#"{"secret":{"method":"elicitation/create","params":{"mode":"form","message":1}}}"#;
    assert_eq!(misfit::<InputRequests>(requests), "[0].params.message: expected a string");
    assert_eq!(misfit::<RequestId>("null"), "expected a string or a number");
    assert_eq!(misfit::<TextContent>(r#"{"text":""}"#), "type: missing");
    assert_eq!(misfit::<TextContent>(r#"{"type":"image","text":""}"#), "type: expected \"text\"");
}

#[test]
fn what_is_unknown_is_kept_and_can_be_listed() {
    let text = r#"{"content":[{"type":"smell","rose":1},{"type":"text","text":"","annotations":{"audience":["dog"]}}],"resultType":"odd","new":1,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"","version":"","mood":"fine"}}}"#;
    let result: CallToolResult = read(text);
    assert!(
        matches!(&result.content[0], ContentBlock::Other(whole) if whole.as_str() == r#"{"type":"smell","rose":1}"#)
    );
    assert_eq!(result.result_type, Some(ResultType::Other("odd".into())));
    assert_eq!(
        result.unknown(),
        [
            "content[0]",
            "content[1].annotations.audience[0]",
            "resultType",
            "_meta.io.modelcontextprotocol/serverInfo.mood",
            "new"
        ]
    );
    assert_eq!(
        serde_json::from_str::<Value>(&result.to_json()).unwrap(),
        serde_json::from_str::<Value>(text).unwrap()
    );
}

#[test]
fn words_that_are_known_are_told_apart_from_others() {
    assert_eq!(read::<Role>(r#""us\u0065r""#), Role::User);
    assert_eq!(read::<Role>(r#""User""#), Role::Other("User".into()));
    assert_eq!(LoggingLevel::from("emergency"), LoggingLevel::Emergency);
    assert_eq!(TaskStatus::from(String::from("input_required")), TaskStatus::InputRequired);
    assert_eq!(StopReason::from("x").as_str(), "x");
}

#[test]
fn unions_are_told_apart() {
    let field = read::<PrimitiveSchemaDefinition>;
    assert!(matches!(field(r#"{"type":"string"}"#), PrimitiveSchemaDefinition::String(_)));
    assert!(matches!(field(r#"{"type":"string","enum":[]}"#), PrimitiveSchemaDefinition::SingleSelect(_)));
    assert!(matches!(field(r#"{"type":"integer"}"#), PrimitiveSchemaDefinition::Number(_)));
    assert!(matches!(field(r#"{"type":"array"}"#), PrimitiveSchemaDefinition::Other(_)));

    let message = read::<OneOrMany<JSONRPCMessage>>;
    let batch = message(r#"[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","method":"m"}]"#);
    assert!(matches!(batch.as_slice(), [JSONRPCMessage::Result(_), JSONRPCMessage::Notification(_)]));
    let one = message(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#);
    assert!(matches!(one.as_slice(), [JSONRPCMessage::Request(_)]));
    assert!(matches!(message(r#"{"jsonrpc":"2.0"}"#).as_slice(), [JSONRPCMessage::Other(_)]));

    let answer = read::<InputRequiredOr<CallToolResult>>;
    assert!(matches!(
        answer(r#"{"resultType":"input_required","requestState":"s"}"#),
        InputRequiredOr::InputRequired(_)
    ));
    assert!(matches!(answer(r#"{"content":[]}"#), InputRequiredOr::Complete(_)));
}

#[test]
fn repeated_members_and_broken_escapes() {
    let tool: Tool = read(r#"{"name":"a","inputSchema":{},"x":1,"n\u0061me":"b","x":2}"#);
    assert_eq!((&*tool.name, tool.extra.get("x").unwrap().as_str()), ("b", "2"));
    assert_eq!(read::<TextContent>(r#"{"type":"text","text":"cut \ud83d"}"#).text, "cut \u{fffd}");
}

#[test]
fn numbers_keep_their_spelling() {
    for (text, float, whole) in [
        ("1.0", 1.0, Some(1)),
        ("1e3", 1000.0, Some(1000)),
        ("-7", -7.0, Some(-7)),
        ("-9223372036854775808", -9_223_372_036_854_775_808.0, Some(i64::MIN)),
        ("9223372036854775808", 9_223_372_036_854_775_808.0, None),
        ("0.5", 0.5, None),
        ("1e999", f64::INFINITY, None),
    ] {
        let number: Number = read(text);
        assert_eq!(
            (number.as_str(), number.as_f64().to_bits(), number.as_i64()),
            (text, float.to_bits(), whole)
        );
    }
    assert_eq!(read::<Number>("1.0"), Number::from(1u64));
    assert_ne!(read::<Number>("9007199254740993"), Number::from(9_007_199_254_740_992u64));
    assert_eq!(Number::from_f64(0.25).unwrap().as_str(), "0.25");
    assert_eq!(Number::from_f64(f64::NAN), None);
    assert_ne!(read::<RequestId>("7"), read::<RequestId>("\"7\""));
    assert!(Json::parse(Number::from_f64(1e300).unwrap().as_str().as_bytes()).is_ok());
}

/// Binary content is padded base64 of the standard alphabet with a media type: `server/resources`, `server/prompts`.
/// R-RES-006, R-PRM-004
#[test]
fn content_is_made_right_or_refused() {
    let image = ContentBlock::image(&[0xfb, 0xff, 0x00, 0x10], "image/svg+xml").unwrap();
    assert_eq!(image.to_json(), r#"{"type":"image","data":"+/8AEA==","mimeType":"image/svg+xml"}"#);
    let audio = ContentBlock::audio(b"", "audio/ogg; codecs=opus").unwrap();
    assert_eq!(audio.to_json(), r#"{"type":"audio","data":"","mimeType":"audio/ogg; codecs=opus"}"#);
    for wrong in ["", "image", "image/", "/png", "image/p ng", "image/png; q", "ima\nge/png", "image/png/x"] {
        let said = ContentBlock::image(b"", wrong).unwrap_err().to_string();
        assert!(said.starts_with("mimeType: not a media type"), "{said}");
        assert!(
            ResourceContents::blob("a:b", b"", wrong).is_err()
                && AudioContent::from_bytes(b"", wrong).is_err()
        );
    }
    for wrong in ["A", "AA", "AA=", "AAA=A", "A_==", "AA==\n", "é"] {
        assert!(Base64::new(wrong).is_err(), "{wrong}");
    }
    let bytes = Base64::new("+/8AEA==").unwrap();
    assert_eq!(bytes.decode().unwrap(), [0xfb, 0xff, 0x00, 0x10]);
    // What a peer sent is taken as it is, and can be asked.
    let image: ImageContent = read(r#"{"type":"image","data":"%","mimeType":"png"}"#);
    assert!(!image.data.is_valid() && image.data.decode().is_err() && !image.mime_type.is_valid());

    let blob = ResourceContents::blob("a:b", b"\0", "image/png").unwrap();
    let embedded = ContentBlock::resource(blob);
    assert_eq!(
        embedded.to_json(),
        r#"{"type":"resource","resource":{"uri":"a:b","blob":"AA==","mimeType":"image/png"}}"#
    );
    let resource = Resource { size: Some(7u64.into()), title: Some("T".into()), ..Resource::new("n", "a:b") };
    assert_eq!(
        ContentBlock::link(resource).to_json(),
        r#"{"type":"resource_link","name":"n","uri":"a:b","title":"T","size":7}"#
    );
    assert_eq!(ResourceContents::text("a:b", "\"").to_json(), r#"{"uri":"a:b","text":"\""}"#);
    assert_eq!(
        PromptMessage::user("hi").to_json(),
        r#"{"role":"user","content":{"type":"text","text":"hi"}}"#
    );
    assert_eq!(PromptMessage::assistant("hi").role, Role::Assistant);
}

#[test]
fn results_of_tools() {
    assert_eq!(CallToolResult::text("a").to_json(), r#"{"content":[{"type":"text","text":"a"}]}"#);
    assert_eq!(
        CallToolResult::error("a").to_json(),
        r#"{"content":[{"type":"text","text":"a"}],"isError":true}"#
    );
    let result = CallToolResult::structured(&json!({"sum": 3})).unwrap();
    assert_eq!(
        result.to_json(),
        r#"{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}"#
    );
    assert!(
        CallToolResult::structured(&f64::NAN)
            .is_ok_and(|result| result.structured_content.unwrap().as_str() == "null")
    );
    let raw = result.to_raw();
    assert_eq!(raw.as_json().member("structuredContent").unwrap().get(), r#"{"sum":3}"#);
}

#[test]
fn tools_and_their_parts() {
    let schema = Object::parse(r#"{"type":"object"}"#).unwrap();
    assert_eq!(Tool::new("a", schema).to_json(), r#"{"name":"a","inputSchema":{"type":"object"}}"#);
    assert_eq!(Object::parse("[]").unwrap_err().to_string(), "expected an object");
    assert_eq!(Object::parse("{").unwrap_err().to_string(), "not JSON at byte 1");
    assert_eq!(Object::of(&json!({"a": 1})).unwrap().as_str(), r#"{"a":1}"#);
    assert!(Object::of(&1).is_err());

    let icon = Icon {
        mime_type: Some(MediaType::new("image/png").unwrap()),
        sizes: Some(vec![IconSize::pixels(48, 32), IconSize::ANY]),
        theme: Some(IconTheme::Light),
        ..Icon::new("https://x/y")
    };
    assert_eq!(
        icon.to_json(),
        r#"{"src":"https://x/y","mimeType":"image/png","sizes":["48x32","any"],"theme":"light"}"#
    );
    for wrong in ["", "48", "x", "48x", "4x8x1", "-1x1", "Any"] {
        assert!(IconSize::new(wrong).is_err(), "{wrong}");
    }
    assert!(IconSize::new("16x16").is_ok());
}

/// `basic/index` (icons): a client loads them by `https:` or out of `data:` URIs alone. R-ICO-004
#[test]
fn icons_are_fetched_from_safe_sources_alone() {
    for uri in ["https://example.com/icon.png", "HTTPS://example.com/i", "data:image/png;base64,AA=="] {
        assert!(Icon::new(uri).may_be_fetched(), "{uri}");
    }
    for uri in [
        "http://example.com/icon.png",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "ftp://example.com/i",
        "ws://example.com",
        "https:relative",
        "httpsx://example.com",
        " https://example.com",
        "app+data:x",
        "icon.png",
        "é",
        "",
    ] {
        assert!(!Icon::new(uri).may_be_fetched(), "{uri}");
    }
}

/// The schema of `ToolAnnotations` and `BaseMetadata`. R-TOL-023, R-TOL-024
#[test]
fn hints_and_names_have_their_defaults() {
    let none = ToolAnnotations::default();
    assert!(!none.is_read_only() && none.is_destructive() && !none.is_idempotent() && none.is_open_world());
    let reads: ToolAnnotations =
        read(r#"{"readOnlyHint":true,"destructiveHint":true,"idempotentHint":false}"#);
    assert!(reads.is_read_only() && !reads.is_destructive() && reads.is_idempotent());
    let adds: ToolAnnotations =
        read(r#"{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#);
    assert!(!adds.is_read_only() && !adds.is_destructive() && adds.is_idempotent() && !adds.is_open_world());

    let mut tool = Tool::new("name", Object::default());
    assert_eq!(tool.display_name(), "name");
    tool.annotations =
        Some(ToolAnnotations { title: Some("annotated".into()), ..ToolAnnotations::default() });
    assert_eq!(tool.display_name(), "annotated");
    tool.title = Some("title".into());
    assert_eq!(tool.display_name(), "title");
}

#[test]
fn maps_have_an_order_and_one_value_a_key() {
    let mut meta: MetaObject =
        [("b", Raw::of(&1).unwrap()), ("a", Raw::of(&2).unwrap())].into_iter().collect();
    meta.insert("b", Raw::of("x").unwrap());
    meta.insert("c", Raw::parse("null").unwrap());
    assert_eq!(meta.to_json(), r#"{"b":"x","a":2,"c":null}"#);
    assert_eq!(meta.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["b", "a", "c"]);
    assert!(!meta.is_empty() && Map::<Raw>::default().is_empty());
    assert!(Raw::parse("{").is_err());

    // A member that has a field is not written twice.
    let mut info = Implementation::new("n", "1");
    info.extra.insert("name", Raw::of("other").unwrap());
    info.extra.insert("mood", Raw::of("fine").unwrap());
    assert_eq!(info.to_json(), r#"{"name":"n","version":"1","mood":"fine"}"#);
}

#[test]
fn any_depth_is_read_where_anything_may_stand() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!(r#"{{"content":[{{"type":"x","y":{deep}}}],"structuredContent":{deep}}}"#);
    let result: CallToolResult = serde_json::from_str(&text).unwrap();
    assert_eq!(result.structured_content.as_ref().unwrap().as_str(), deep);
    assert_eq!(result.to_json(), text);
    // An array of arrays is no message.
    let raw: &RawValue = serde_json::from_str(&deep).unwrap();
    assert!(OneOrMany::<JSONRPCMessage>::read(raw.into()).is_err());
}

macro_rules! again {
    ($of:ident) => {
        |text: &str| -> Option<String> { Some($of::read(Json::parse(text.as_bytes()).ok()?).ok()?.to_json()) }
    };
}

fn any_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|flag| flag.to_string()),
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?",
        any::<String>().prop_map(|text| json!(text).to_string()),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|all| format!("[{}]", all.join(" , "))),
            prop::collection::vec(("[a-z\"é\\\\]{0,4}", inner), 0..4).prop_map(|all| {
                let members: Vec<_> =
                    all.iter().map(|(key, value)| format!("{} : {value}", json!(key))).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    /// Members that nobody knows come back in their order, each with its text.
    #[test]
    fn unknown_members_survive(
        members in prop::collection::vec(("x[a-zA-Z/.\"é\\\\\u{1}]{0,6}", any_json()), 0..6),
        at in any::<prop::sample::Index>(),
    ) {
        let mut all: Vec<_> = members.iter().map(|(key, value)| format!("{}:{value}", json!(key))).collect();
        let unknown = all.join(",");
        all.insert(at.index(all.len() + 1), r#""name":"n","inputSchema":{}"#.to_owned());
        let text = format!("{{{}}}", all.join(","));
        let tool: Tool = read(&text);
        let expected: Vec<(&str, &str)> =
            members.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        prop_assert_eq!(tool.extra.iter().map(|(key, raw)| (key, raw.as_str())).collect::<Vec<_>>(), expected);
        prop_assert_eq!(tool.unknown().len(), members.len());
        let comma = if members.is_empty() { "" } else { "," };
        prop_assert_eq!(tool.to_json(), format!(r#"{{"name":"n","inputSchema":{{}}{comma}{unknown}}}"#));
    }

    /// No JSON makes a type panic, and what one reads it reads again from what it wrote.
    #[test]
    fn what_is_read_is_written_so_that_it_is_read_again(
        value in any_json(),
        key in prop::sample::select(&["content", "structuredContent", "isError", "_meta", "resultType", "tools"][..]),
    ) {
        let text = format!(r#"{{"content":[],"tools":[],"{key}":{value}}}"#);
        for trip in [again!(CallToolResult), again!(ListToolsResult), again!(Tool), again!(ContentBlock)] {
            for text in [&text, &value] {
                if let Some(once) = trip(text) {
                    prop_assert_eq!(trip(&once), Some(once.clone()));
                }
            }
        }
    }

    /// A text is what it was, and is borrowed if it can be.
    #[test]
    fn texts_survive(text in any::<String>()) {
        let json = json!({"type": "text", "text": text}).to_string();
        let content: TextContent = read(&json);
        prop_assert_eq!(&content.text, &text);
        let escaped = json!(text).to_string().contains('\\');
        prop_assert_eq!(borrows(&content.text, &json), !escaped);
        prop_assert_eq!(serde_json::from_str::<Value>(&content.to_json()).unwrap(), json!({"type": "text", "text": text}));
    }

    /// Bytes survive base64.
    #[test]
    fn bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let blob = BlobResourceContents::new("a:b", Base64::encode(&bytes)).to_json();
        prop_assert_eq!(read::<BlobResourceContents>(&blob).blob.decode().unwrap(), bytes);
    }
}

#[test]
fn values_of_one_kind_fit_where_several_do() {
    let meta: RequestMetaObject = read(r#"{"progressToken":"t"}"#);
    assert_eq!(meta.progress_token, Some(RequestId::String("t".into())));
    let progress = ProgressNotificationParams::new(RequestId::Number(7u64.into()), 0u64);
    assert_eq!(progress.to_json(), r#"{"progressToken":7,"progress":0}"#);
    let use_ = SamplingMessageContentBlock::ToolUse(ToolUseContent::new("1", "add", Object::default()));
    let result = CreateMessageResult::new(Role::Assistant, OneOrMany::One(use_), "m");
    assert_eq!(
        result.to_json(),
        r#"{"role":"assistant","content":{"type":"tool_use","id":"1","name":"add","input":{}},"model":"m"}"#
    );
}

//! Input for machines as a peer might send it: valid, nearly valid, and random.
use mcp_sansio::method::Side;
use proptest::{collection, option, prelude::*, sample::select, strategy::Union};
use serde_json::{Value, json};

/// Ids and tokens, few enough to meet again, of both JSON types.
fn id() -> impl Strategy<Value = Value> {
    let small = (0..5_i64).prop_map(|number| json!(number)).boxed();
    let odd = select(vec![
        json!("1"),
        json!("a"),
        json!(""),
        json!(1.0),
        json!(-1),
        json!(9_007_199_254_740_993_u64),
        json!(0.5),
    ]);
    Union::new_weighted(vec![(4, small), (1, odd.boxed())])
}

/// What stands where an id or a token should.
fn token() -> impl Strategy<Value = Value> {
    let other = select(vec![json!(null), json!(true), json!([1, 2]), json!({"a": "-1e5,"}), json!([])]);
    Union::new_weighted(vec![(9, id().boxed()), (1, other.boxed())])
}

/// `_meta` of a request: none, complete, complete with a token, and malformed in several ways.
fn meta() -> impl Strategy<Value = Option<Value>> {
    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
    const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
    const LEVEL: &str = "io.modelcontextprotocol/logLevel";
    let complete = json!({VERSION: "2026-07-28", CAPABILITIES: {"roots": {}}});
    let with_token = token().prop_map(
        |token| json!({VERSION: "2026-07-28", CAPABILITIES: {}, LEVEL: "info", "progressToken": token}),
    );
    let with_token_alone = token().prop_map(|token| json!({"progressToken": token}));
    let malformed = select(vec![
        json!({VERSION: "2026-07-28"}),
        json!({VERSION: 3, CAPABILITIES: {}}),
        json!({VERSION: "1900-01-01", CAPABILITIES: {}}),
        json!({VERSION: "2025-11-25", CAPABILITIES: {}}),
        json!({VERSION: "2026-07-28", CAPABILITIES: []}),
        json!([]),
    ]);
    Union::new_weighted(vec![
        (4, Just(None).boxed()),
        (4, Just(Some(complete)).boxed()),
        (2, with_token.prop_map(Some).boxed()),
        (2, with_token_alone.prop_map(Some).boxed()),
        (1, malformed.prop_map(Some).boxed()),
    ])
}

fn message(members: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0"});
    if let (Value::Object(message), Value::Object(members)) = (&mut message, members) {
        message.extend(members);
    }
    message
}

fn with_params(mut members: Value, params: Option<Value>, meta: Option<Value>) -> Value {
    let params = match (params, meta) {
        (Some(Value::Object(mut params)), Some(meta)) => {
            params.insert("_meta".into(), meta);
            Some(Value::Object(params))
        }
        (None, Some(meta)) => Some(json!({"_meta": meta})),
        (params, _) => params,
    };
    if let (Value::Object(members), Some(params)) = (&mut members, params) {
        members.insert("params".into(), params);
    }
    message(members)
}

/// Params of a request that the receiver of this side may get.
fn request(receiver: Side) -> impl Strategy<Value = Value> {
    let client = json!({"protocolVersion": "2025-11-25", "capabilities": {"sampling": {}, "roots": {}}, "clientInfo": {"name": "c", "version": "1"}});
    let batching = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    let methods = match receiver {
        Side::Server => vec![
            ("initialize", Some(client)),
            ("initialize", Some(batching)),
            ("initialize", Some(json!({"protocolVersion": 1}))),
            ("ping", None),
            ("tools/list", None),
            ("tools/list", Some(json!({"cursor": "nonsense"}))),
            ("tools/call", Some(json!({"name": "echo", "arguments": {"text": "hi"}}))),
            ("tools/call", Some(json!({"name": "echo", "arguments": {}}))),
            ("tools/call", Some(json!({"name": "tool-1", "arguments": {"n": 1}}))),
            ("tools/call", Some(json!({"name": "echo"}))),
            ("tools/call", Some(json!({"name": "echo", "arguments": {"text": "x".repeat(700)}}))),
            ("tools/call", Some(json!({"name": "nobody", "arguments": {}}))),
            ("tools/call", Some(json!({}))),
            (
                "tools/call",
                Some(
                    json!({"name": "echo", "inputResponses": {"a": {"roots": []}}, "requestState": "forged"}),
                ),
            ),
            ("tools/call", Some(json!({"name": "echo", "inputResponses": {"a": {"roots": []}}}))),
            ("server/discover", None),
            ("logging/setLevel", Some(json!({"level": "warning"}))),
            ("subscriptions/listen", Some(json!({"notifications": {"toolsListChanged": true}}))),
            ("no/such", None),
        ],
        Side::Client => vec![
            ("ping", None),
            ("roots/list", None),
            ("sampling/createMessage", Some(json!({"messages": [], "maxTokens": 1}))),
            (
                "sampling/createMessage",
                Some(json!({"messages": [{"role": "user", "content": "x".repeat(700)}], "maxTokens": 1})),
            ),
            ("elicitation/create", Some(json!({"message": "m", "requestedSchema": {"type": "object"}}))),
            ("no/such", Some(json!({}))),
        ],
    };
    (token(), select(methods), meta()).prop_map(|(id, (method, params), meta)| {
        with_params(json!({"id": id, "method": method}), params, meta)
    })
}

fn notification() -> impl Strategy<Value = Value> {
    let about = |method: &'static str, member: &'static str| {
        (token(), 0..9_i32).prop_map(move |(token, progress)| {
            message(json!({"method": method, "params": {member: token, "progress": progress}}))
        })
    };
    prop_oneof![
        2 => Just(message(json!({"method": "notifications/initialized"}))),
        6 => about("notifications/cancelled", "requestId"),
        3 => about("notifications/progress", "progressToken"),
        1 => select(vec![
            message(json!({"method": "notifications/cancelled"})),
            message(json!({"method": "notifications/tools/list_changed"})),
            message(json!({"method": "notifications/roots/list_changed"})),
            message(json!({"method": "notifications/message", "params": {"level": "info", "data": 1}})),
            message(json!({"method": "no/such", "params": {"a": 1}})),
        ]),
    ]
}

/// Answers to the small ids that machines give their requests.
fn response() -> impl Strategy<Value = Value> {
    let results = select(vec![
        json!({}),
        json!({"resultType": "complete", "tools": []}),
        json!({"resultType": "input_required", "inputRequests": {}}),
        json!({"resultType": "input_required", "requestState": "s"}),
        json!({"resultType": "input_required", "requestState": "s", "inputRequests": {"a": {"method": "roots/list"}, "b": {
            "method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 1}}}}),
        json!({"roots": [{"uri": "file:///a"}]}),
        json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "t"}}),
        json!({"resultType": "other"}),
        json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}),
        json!({"protocolVersion": "1900-01-01", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}),
        json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
        json!({"resultType": "complete", "supportedVersions": ["2030-01-01"], "capabilities": {}}),
        json!(null),
    ]);
    let errors = select(vec![
        json!({"code": -32601, "message": "no"}),
        json!({"code": -32022, "message": "no", "data": {"supported": ["2026-07-28"], "requested": "2026-07-28"}}),
        json!({"code": 1.5}),
        json!("no"),
    ]);
    (token(), results, errors, 0..10).prop_map(|(id, result, error, kind)| match kind {
        0 => message(json!({"id": id, "result": result, "error": error})),
        1 => message(json!({"id": id})),
        2 => message(json!({"error": error})),
        3..6 => message(json!({"id": id, "error": error})),
        _ => message(json!({"id": id, "result": result})),
    })
}

/// The messages that open a conversation with a machine of this side, or some of them, or none.
pub fn opening(receiver: Side) -> impl Strategy<Value = Vec<Vec<u8>>> {
    let revision = select(vec!["2024-11-05", "2025-03-26", "2025-11-25"]);
    (revision, 0..6).prop_map(move |(revision, kind)| {
        let messages = match receiver {
            Side::Server => {
                let params = json!({"protocolVersion": revision, "capabilities": {"sampling": {}, "roots": {}}, "clientInfo": {"name": "c", "version": "1"}});
                let initialize = message(json!({"id": "open", "method": "initialize", "params": params}));
                let initialized = message(json!({"method": "notifications/initialized"}));
                match kind {
                    0 => vec![],
                    1 => vec![initialize],
                    _ => vec![initialize, initialized],
                }
            }
            // The probe has the id 1, the handshake after it 2.
            Side::Client => {
                let unknown = message(json!({"id": 1, "error": {"code": -32601, "message": "no"}}));
                let result = json!({"protocolVersion": revision, "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}});
                let initialized = message(json!({"id": 2, "result": result}));
                let discovered = json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}});
                match kind {
                    0 => vec![],
                    1 => vec![unknown],
                    2 => vec![message(json!({"id": 1, "result": discovered}))],
                    _ => vec![unknown, initialized],
                }
            }
        };
        messages.into_iter().map(|message| message.to_string().into_bytes()).collect()
    })
}

fn valid(receiver: Side) -> impl Strategy<Value = Value> {
    let single = prop_oneof![9 => request(receiver), 4 => notification(), 4 => response()].boxed();
    let batch = collection::vec(single.clone(), 0..5).prop_map(Value::Array);
    prop_oneof![9 => single, 1 => batch]
}

/// How a valid message is spoilt.
#[derive(Debug, Clone)]
enum Damage {
    Cut(usize),
    Remove(usize),
    Put(usize, u8),
    Repeat(&'static str),
    Nest(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<usize>().prop_map(Damage::Cut),
        any::<usize>().prop_map(Damage::Remove),
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Damage::Put(at, byte)),
        select(vec![r#""id":1,"#, r#""method":"ping","#, r#""jsonrpc":"2.0","#, r#""params":{},"#])
            .prop_map(Damage::Repeat),
        (1..200_usize).prop_map(Damage::Nest),
    ]
}

fn spoil(text: &str, damage: &Damage) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let length = bytes.len().max(1);
    match damage {
        Damage::Cut(at) => bytes.truncate(at % length),
        Damage::Remove(at) => {
            drop(bytes.drain((at % length).min(bytes.len())..bytes.len().min(at % length + 1)));
        }
        Damage::Put(at, byte) => bytes.insert(at % length, *byte),
        Damage::Repeat(member) => drop(bytes.splice(1..1, member.bytes())),
        Damage::Nest(depth) => {
            let member = format!("\"x\":{}{},", "[".repeat(*depth), "]".repeat(*depth));
            drop(bytes.splice(1..1, member.bytes()));
        }
    }
    bytes
}

/// One message to a machine of this side, without its end.
pub fn line(receiver: Side) -> impl Strategy<Value = Vec<u8>> {
    let text = valid(receiver).prop_map(|message| message.to_string()).boxed();
    prop_oneof![
        12 => text.clone().prop_map(String::into_bytes),
        4 => (text, damage()).prop_map(|(text, damage)| spoil(&text, &damage)),
        1 => collection::vec(any::<u8>(), 0..40),
        1 => (0..3000_usize).prop_map(|length| vec![b'a'; length]),
        1 => select(vec![&b"null"[..], b"42", b"[]", b"{}", b"  ", b"[1,{}]", b"\"text\"", b"\xef\xbb\xbf{}"]).prop_map(<[u8]>::to_vec),
    ]
}

/// A stream to a machine of this side: messages with their ends, the last one perhaps without.
pub fn stream(receiver: Side) -> impl Strategy<Value = Vec<u8>> {
    let end = select(vec![&b"\n"[..], b"\n", b"\r\n", b"\n\n", b" \r\n\t\n"]);
    let lines = collection::vec((option::weighted(0.05, Just(b"\xef\xbb\xbf")), line(receiver), end), 1..25);
    (opening(receiver), lines, line(receiver), any::<bool>()).prop_map(
        |(opening, lines, last, unfinished)| {
            let mut stream = Vec::new();
            for line in opening {
                stream.extend_from_slice(&line);
                stream.push(b'\n');
            }
            for (mark, line, end) in lines {
                stream.extend_from_slice(mark.map_or(&b""[..], |mark| &mark[..]));
                stream.extend_from_slice(&line);
                stream.extend_from_slice(end);
            }
            if unfinished {
                stream.extend_from_slice(&last);
            }
            stream
        },
    )
}

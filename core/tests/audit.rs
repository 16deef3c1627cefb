//! The audit: one record for each request that came and each question that was asked, however it ended, without payload.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use common::*;
use mcp_sansio::{
    CallHandle, InputHandle,
    audit::{AuditKind, AuditRecord, principal_digest},
    event::{Event, Outcome, Question},
    limits::{Limits, Rate},
    method::Side,
    revision::Revision,
    session::{CallOptions, Client, Server, ServerConfig},
    time::WallClock,
};
use serde_json::{Value, json};

fn audited(change: impl FnOnce(&mut Limits)) -> ServerConfig {
    server_config().audit(true).unknown_methods(true).limits(limits(change))
}

fn opened(config: ServerConfig, revision: &str) -> Host<Server> {
    let mut host = if revision == MODERN { serve(config) } else { session(config, revision, &json!({})) };
    while host.machine.poll_audit().is_some() {}
    host
}

fn all(mut next: impl FnMut() -> Option<AuditRecord>) -> Vec<AuditRecord> {
    std::iter::from_fn(&mut next).collect()
}

/// The one record since the last look.
fn record(host: &mut Host<Server>) -> AuditRecord {
    let mut records = all(|| host.machine.poll_audit());
    assert_eq!(records.len(), 1, "{records:?}");
    records.remove(0)
}

fn tool(revision: &str) -> Value {
    ask_in(revision, "tools/call", json!({"name": "slow", "arguments": {"secret": 1}}))
}

const ELICIT: &str = r#"{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}"#;

/// How a request to a server ends.
type End = fn(&mut Host<Server>, &str);

fn respond(host: &mut Host<Server>, revision: &str, outcome: Outcome<'_>) {
    host.tell(&tool(revision));
    let request = host.request().handle();
    let _ = host.machine.respond(host.now, request, outcome);
    host.drain();
}

const SERVER_ENDS: [(&str, &str, Option<&str>, End); 15] = [
    ("ok", "tools/call", Some("slow"), |host, revision| respond(host, revision, result(DONE))),
    ("tool_error", "tools/call", Some("slow"), |host, revision| {
        respond(host, revision, result(r#"{"content":[],"isError":true}"#));
    }),
    ("error:7", "tools/call", Some("slow"), |host, revision| {
        let data = json_text(r#"{"reason":"rate_limit"}"#);
        respond(host, revision, Outcome::Error { code: 7, message: "secret", data: Some(data) });
    }),
    ("error:-32603", "tools/call", Some("slow"), |host, revision| {
        let long = format!(r#"{{"content":[],"a":"{}"}}"#, "x".repeat(9000));
        respond(host, revision, result(&long));
    }),
    ("error:-32602", "tools/call", Some("gone"), |host, revision| {
        host.tell(&ask_in(revision, "tools/call", json!({"name": "gone"})));
    }),
    ("error:-32601", "resources/read", Some("https://…@a/b?…"), |host, revision| {
        host.tell(&ask_in(revision, "resources/read", json!({"uri": "https://me:secret@a/b?secret"})));
    }),
    ("ok", "tools/list", None, |host, revision| host.tell(&ask_in(revision, "tools/list", json!({})))),
    ("ok", "x/secretless", None, |host, revision| {
        host.tell(&ask_in(revision, "x/secretless", json!({"name": "secret"})));
        let request = host.request().handle();
        host.respond(request, "{}");
        host.drain();
    }),
    ("over.cancelled", "tools/call", Some("slow"), |host, revision| {
        let request = tool(revision);
        host.tell(&request);
        host.tell(&cancelled(request["id"].clone()));
    }),
    ("over.handler_timeout", "tools/call", Some("slow"), |host, revision| {
        host.tell(&tool(revision));
        host.wait(seconds(5));
    }),
    ("over.closed", "tools/call", Some("slow"), |host, revision| {
        host.tell(&tool(revision));
        host.close_channel();
    }),
    ("over.input", "tools/call", Some("slow"), |host, revision| {
        let questions =
            [Question { key: "k", method: "elicitation/create", params: Some(json_text(ELICIT)) }];
        respond(host, revision, Outcome::InputRequired { questions: &questions, state: None });
    }),
    ("refused.duplicate_id", "tools/call", Some("slow"), |host, revision| {
        let request = tool(revision);
        host.tell(&request);
        host.tell(&request);
    }),
    ("refused.id", "tools/call", Some("slow"), |host, revision| {
        let mut request = tool(revision);
        request["id"] = json!(1.5);
        host.tell(&request);
    }),
    ("refused.closing", "tools/call", Some("slow"), |host, revision| {
        host.tell(&tool(revision));
        host.machine.close(host.now, seconds(100));
        host.tell(&tool(revision));
    }),
];

fn json_text(text: &str) -> mcp_sansio::json::Json<'_> {
    common::json(text)
}

#[test]
fn every_end_of_a_request_to_a_server_has_its_record() {
    for revision in [LEGACY[0], NEWEST, MODERN] {
        for (outcome, method, name, end) in SERVER_ENDS {
            let mut host = opened(
                audited(|limits| {
                    limits.handler = Some(seconds(5));
                    limits.message_bytes = 8000;
                }),
                revision,
            );
            let began = host.now;
            end(&mut host, revision);
            let record = record(&mut host);
            assert_eq!((&*record.outcome, &*record.method), (outcome, method), "{revision}");
            assert_eq!(record.name.as_deref(), name, "{outcome}");
            assert_eq!(record.kind, AuditKind::Request);
            assert_eq!(record.side, Side::Server);
            assert_eq!((record.at, record.duration), (host.now, host.now.since(began)), "{outcome}");
            let unread = outcome.starts_with("refused.") && outcome.ends_with("id");
            assert_eq!(record.revision, Revision::from_name(revision).filter(|_| !unread), "{outcome}");
            assert_eq!((record.principal.as_deref(), record.round), (None, 0));
            assert!(!format!("{record:?}").contains("secret\""), "{record:?}");
        }
    }
}

/// Requests that a limit refuses, each with the limit that did.
#[test]
fn refusals_say_which_limit() {
    for revision in [NEWEST, MODERN] {
        type Change = fn(&mut Limits);
        let cases: [(&str, Change); 3] = [
            ("refused.rate_limit", |limits| limits.rates.calls = Some(Rate { per_second: 1, burst: 1 })),
            ("refused.too_many_requests", |limits| limits.requests = 1),
            ("refused.session_bytes", |limits| limits.session_bytes = 300),
        ];
        for (outcome, change) in cases {
            let mut host = opened(audited(change), revision);
            for _ in 0..4 {
                host.tell(&tool(revision));
            }
            let records = all(|| host.machine.poll_audit());
            assert!(!records.is_empty(), "{outcome}");
            assert!(records.iter().all(|record| record.outcome == outcome), "{outcome} {records:?}");
        }
    }
}

/// The opening of each era, and what comes before it.
#[test]
fn openings_are_recorded() {
    let mut host = serve(audited(|_| ()));
    host.tell(&tool(NEWEST));
    let told = host.one()["error"]["code"].as_i64().unwrap();
    assert_eq!(&*record(&mut host).outcome, format!("error:{told}"));
    host.tell(&initialize(1, NEWEST, &json!({})));
    let opening = record(&mut host);
    assert_eq!((&*opening.method, &*opening.outcome), ("initialize", "ok"));
    host.tell(&modern(2, "server/discover", json!({})));
    assert_eq!(&*record(&mut host).outcome, "ok");
    let mut unknown = modern(3, "tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    host.tell(&unknown);
    assert_eq!(&*record(&mut host).outcome, "error:-32022");
}

/// Legacy: a request that asks is one record, whose round counts; modern: each round is a request.
#[test]
fn rounds_of_input() {
    let declared = json!({"elicitation": {}});
    let mut host = session(audited(|_| ()), NEWEST, &declared);
    record(&mut host);
    host.tell(&tool(NEWEST));
    let request = host.request().handle();
    let questions = [Question { key: "k", method: "elicitation/create", params: Some(json_text(ELICIT)) }];
    let asked = Outcome::InputRequired { questions: &questions, state: None };
    host.machine.respond(host.now, request, asked).unwrap();
    let question = host.one();
    assert!(host.machine.poll_audit().is_none());
    host.tell(&answer(&question, &json!({"action": "decline"})));
    let again = host.request().handle();
    host.respond(again, DONE);
    let record_of_it = record(&mut host);
    assert_eq!((&*record_of_it.outcome, record_of_it.round), ("ok", 1));

    let config = audited(|_| ()).seal_keys(mcp_sansio::SealKeys(vec![[3; 32]]));
    let mut host = opened(config, MODERN);
    host.machine.set_wall_clock(WallClock { at: host.now, unix_millis: 1_700_000_000_000 });
    let mut request = tool(MODERN);
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = declared;
    host.tell(&request);
    let first = host.request().handle();
    host.machine.respond(host.now, first, asked).unwrap();
    assert_eq!(&*record(&mut host).outcome, "input_required");
    let asked = host.one();
    request["id"] = json!(77);
    request["params"]["requestState"] = asked["result"]["requestState"].clone();
    request["params"]["inputResponses"] = json!({"k": {"action": "decline"}});
    host.tell(&request);
    let again = host.request().handle();
    host.respond(again, DONE);
    let second = record(&mut host);
    assert_eq!((&*second.outcome, second.round), ("ok", 1));
}

/// A request that becomes a task is answered with it; what is done with the task are other requests. Its id is free, and
/// what ends later is not the request that has it next.
#[test]
fn tasks_are_other_requests() {
    let capabilities = br#"{"tools":{},"tasks":{"requests":{"tools":{"call":{}}},"cancel":{},"list":{}}}"#;
    let tools = json!({"tools": [{"name": "slow", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "optional"}}]});
    let catalog = mcp_sansio::session::Catalog::from_json(tools.to_string().as_bytes()).unwrap();
    let config = audited(|_| ()).catalog(catalog.into()).capabilities(capabilities).unwrap();
    let mut server = Server::new(config.into(), mcp_sansio::Seed([1; 32]));
    server.set_wall_clock(WallClock { at: mcp_sansio::time::Instant::from_nanos(0), unix_millis: 0 });
    let mut host = Host::new(server);
    host.ask(&initialize(0, NEWEST, &json!({})));
    host.tell(&initialized());
    host.events();
    record(&mut host);
    let mut request = call(5, "slow");
    request["params"]["task"] = json!({});
    host.tell(&request);
    assert_eq!(&*record(&mut host).outcome, "task");
    let task = host.request().handle();
    let id = host.one()["result"]["task"]["taskId"].as_str().unwrap().to_owned();
    host.tell(&call(5, "slow"));
    host.respond(task, r#"{"content":[],"isError":true}"#);
    host.drain();
    assert!(host.machine.poll_audit().is_none(), "the request with the same id is open");
    host.tell(&common::request(6, "tasks/result", json!({"taskId": id})));
    let fetched = record(&mut host);
    assert_eq!((&*fetched.method, &*fetched.outcome), ("tasks/result", "tool_error"));
    assert_eq!(fetched.name.as_deref(), Some(&*format!("{}…", &id[..8])));
}

#[test]
fn principals_are_digests() {
    let config = audited(|_| ());
    let server =
        Server::new(config.into(), mcp_sansio::Seed([1; 32])).with_principal("someone@example.com").unwrap();
    let mut host = Host::new(server);
    host.tell(&tool(MODERN));
    let request = host.request().handle();
    host.respond(request, DONE);
    let digest = principal_digest("someone@example.com").unwrap();
    assert_eq!(digest.len(), 32);
    assert_eq!(record(&mut host).principal, Some(digest));
    assert!(principal_digest(&"x".repeat(257)).is_err());
}

#[test]
fn the_audit_is_off_by_default_and_bounded() {
    let mut host = opened(server_config(), MODERN);
    host.tell(&tool(MODERN));
    host.close_channel();
    assert!(host.machine.poll_audit().is_none());

    let mut host = opened(audited(|limits| limits.trace = 2), MODERN);
    for name in ["a", "b", "c", &"é".repeat(200)] {
        host.tell(&ask_in(MODERN, "tools/call", json!({"name": name})));
    }
    let records = all(|| host.machine.poll_audit());
    assert_eq!(records.len(), 2);
    assert_eq!(records[0].name.as_deref(), Some("c"));
    assert_eq!(records[1].name.as_ref().unwrap().len(), 256);
    assert_eq!(host.machine.stat("audit_dropped"), 2);
}

const CAPABILITIES: &[u8] = br#"{"roots":{},"sampling":{},"elicitation":{"form":{}}}"#;

fn client_record(host: &mut Host<Client>) -> AuditRecord {
    let mut records = all(|| host.machine.poll_audit());
    assert_eq!(records.len(), 1, "{records:?}");
    records.remove(0)
}

fn asked(host: &mut Host<Client>) -> InputHandle {
    match host.event() {
        Event::Input(input) => input.input,
        other => panic!("a question, not {other:?}"),
    }
}

/// Requests to a client: those that its application is asked are questions.
#[test]
fn every_end_of_a_request_to_a_client_has_its_record() {
    type End = fn(&mut Host<Client>);
    let cases: [(&str, &str, AuditKind, End); 8] = [
        ("ok", "ping", AuditKind::Request, |host| host.tell(&request(9, "ping", json!({})))),
        ("error:-32601", "x/y", AuditKind::Request, |host| host.tell(&request(9, "x/y", json!({})))),
        ("error:-32602", "sampling/createMessage", AuditKind::Request, |host| {
            host.tell(&request(9, "sampling/createMessage", json!({"messages": []})));
        }),
        ("ok", "roots/list", AuditKind::Input, |host| {
            host.tell(&request(9, "roots/list", json!({})));
            let input = asked(host);
            host.machine.answer(host.now, input, result(r#"{"roots":[]}"#)).unwrap();
        }),
        ("error:-1", "roots/list", AuditKind::Input, |host| {
            host.tell(&request(9, "roots/list", json!({})));
            let input = asked(host);
            let no = Outcome::Error { code: -1, message: "no", data: None };
            host.machine.answer(host.now, input, no).unwrap();
        }),
        ("over.cancelled", "roots/list", AuditKind::Input, |host| {
            host.tell(&request(9, "roots/list", json!({})));
            host.tell(&cancelled(9));
        }),
        ("over.handler_timeout", "roots/list", AuditKind::Input, |host| {
            host.tell(&request(9, "roots/list", json!({})));
            host.wait(seconds(700));
        }),
        ("over.closed", "roots/list", AuditKind::Input, |host| {
            host.tell(&request(9, "roots/list", json!({})));
            host.eof();
        }),
    ];
    for (outcome, method, kind, end) in cases {
        let mut host = legacy_client(client_config().capabilities(CAPABILITIES).unwrap().audit(true));
        end(&mut host);
        host.drain();
        let record = client_record(&mut host);
        assert_eq!((&*record.outcome, &*record.method), (outcome, method));
        assert_eq!((record.kind, record.side), (kind, Side::Client), "{outcome} {method}");
    }
    // Modern: a server sends no requests.
    let mut host = modern_client(client_config().capabilities(CAPABILITIES).unwrap().audit(true));
    host.tell(&request(9, "roots/list", json!({})));
    let record = client_record(&mut host);
    assert_eq!((&*record.outcome, record.kind), ("dropped", AuditKind::Request));
}

/// Modern: questions come in results.
#[test]
fn every_end_of_a_question_in_a_result_has_its_record() {
    type End = fn(&mut Host<Client>, InputHandle, CallHandle);
    let cases: [(&str, End); 4] = [
        ("ok", |host, input, _| host.machine.answer(host.now, input, result(r#"{"roots":[]}"#)).unwrap()),
        ("error:-1", |host, input, _| {
            let no = Outcome::Error { code: -1, message: "no", data: None };
            host.machine.answer(host.now, input, no).unwrap();
        }),
        ("over.call", |host, _, call| host.machine.cancel(host.now, call, None).unwrap()),
        ("over.call", |host, _, _| host.eof()),
    ];
    for (outcome, end) in cases {
        let mut host = modern_client(client_config().capabilities(CAPABILITIES).unwrap().audit(true));
        let params = json_text(r#"{"name":"a"}"#);
        let call = host.machine.call(host.now, "tools/call", Some(params), CallOptions::new()).unwrap();
        let sent = host.one();
        let asks = json!({"resultType": "input_required", "inputRequests": {"k": {"method": "roots/list"}}});
        host.tell(&answer(&sent, &asks));
        let input = asked(&mut host);
        host.wait(seconds(3));
        end(&mut host, input, call);
        host.drain();
        let record = client_record(&mut host);
        assert_eq!((&*record.outcome, &*record.method), (outcome, "roots/list"));
        assert_eq!((record.kind, record.duration, record.round), (AuditKind::Input, seconds(3), 0));
    }
}

/// Numbers that depend on the seed alone.
fn next(dice: &mut u64, bound: u64) -> u64 {
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    (*dice >> 11) % bound
}

/// As many records as requests came, whatever becomes of them.
#[test]
fn there_are_as_many_records_as_requests() {
    let mut outcomes = std::collections::BTreeMap::<String, u64>::new();
    for seed in 1..300_u64 {
        let dice = &mut seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let revision = [LEGACY[1], NEWEST, MODERN][usize::try_from(next(dice, 3)).unwrap()];
        let config = audited(|limits| {
            limits.handler = Some(seconds(4));
            limits.requests = 5;
            limits.rates.calls = Some(Rate { per_second: 3, burst: 6 });
            limits.trace = usize::MAX;
        });
        let mut host = opened(config, revision);
        let (mut came, mut requests) = (0, Vec::new());
        for _ in 0..60 {
            let number = next(dice, 12);
            let make = |method: &str, params| {
                if revision == MODERN {
                    modern(format!("{method} {number}"), method, params)
                } else {
                    request(format!("{method} {number}"), method, params)
                }
            };
            let one = match next(dice, 12) {
                0..=3 => make("tools/call", json!({"name": "slow"})),
                4 => make("tools/call", json!({"name": "gone"})),
                5 => make("tools/list", json!({})),
                6 => make("x/y", json!({})),
                7 => make("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})),
                8 => {
                    host.tell(&cancelled(format!("tools/call {number}")));
                    continue;
                }
                9 => {
                    host.wait(seconds(1));
                    continue;
                }
                _ => {
                    for event in host.events() {
                        if let Event::Request(request) = event {
                            requests.push(request.handle());
                        }
                    }
                    if let Some(request) = requests.pop() {
                        let _ = host.machine.respond(host.now, request, result(DONE));
                    }
                    continue;
                }
            };
            if revision == LEGACY[1] && next(dice, 4) == 0 {
                let other = request(format!("ping {number}"), "ping", json!({}));
                host.tell(&json!([one, other]));
                came += 2;
            } else {
                host.tell(&one);
                came += 1;
            }
        }
        host.close_channel();
        let records = all(|| host.machine.poll_audit());
        assert_eq!(records.len(), came, "{records:?}");
        for record in records {
            *outcomes.entry(record.outcome.to_string()).or_default() += 1;
        }
    }
    println!("{outcomes:?}");
    for outcome in [
        "ok",
        "error:-32602",
        "over.cancelled",
        "over.closed",
        "over.handler_timeout",
        "refused.duplicate_id",
        "refused.rate_limit",
        "refused.too_many_requests",
    ] {
        assert!(outcomes.contains_key(outcome), "{outcome}: {outcomes:?}");
    }
}

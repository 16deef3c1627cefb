//! Whatever a peer and an application do, each message that goes out is one JSON-RPC message on one line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use common::*;
use mcp_sansio::{
    CallHandle, InputHandle, RequestHandle, Seed,
    event::{Action, CacheHint, Event, Outcome, Target},
    session::{CallOptions, Change, Client, LogLevel, Server},
    time::Instant,
};
use serde_json::Value;

/// Numbers that depend on the seed alone.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % bound
    }
    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
    fn handle(&mut self, given: &[u64]) -> u64 {
        if given.is_empty() { 7 } else { given[self.below(given.len())] }
    }
}

const IDS: [&str; 10] =
    ["1", "2", "1.0", "-0", "1e3", "0.5", "\"\"", "\"a\\n\\u0001\"", "\"\\u00e9\\ud83d\\ude00é\"", "null"];
/// Objects of an application, awkwardly spelled.
const OBJECTS: [&str; 10] = [
    "{}",
    " {\r\n\t} ",
    "{\"a\":1}\n",
    "\r\n{ \"a\" : [ 1 ,\n 2 ] , \"\\n\" : \"\\r\\n\" }",
    "{\"result\\u0054ype\":\"complete\"}",
    "{\n\"resultType\"\n:\n\"complete\"\n,\"z\":{\"_meta\":1}}",
    "{\"_meta\":{\"a\":\"}\"}}",
    "{\"a\":\"{\",\"_\\u006deta\":{ \n },\"b\":[]}",
    "{\"ttlMs\":0,\"cacheScope\":\"private\"}",
    "{\"text\":\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}",
];
const TEXTS: [&str; 5] = ["", "a\r\nb", "\"\\\u{0}\u{1f}\u{7f}", "é€😀\u{2028}", "plain"];
const VALUES: [&str; 5] = ["null", "\n1\n", "[\r\n]", "\"\\n\"", "{\"a\":\r\n{}}"];
const META: &str = "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
                    \"io.modelcontextprotocol/clientCapabilities\":{},\"io.modelcontextprotocol/logLevel\":\"debug\"";

/// What a peer may send to a server.
fn to_server(dice: &mut Dice) -> String {
    let (id, token) = (dice.of(&IDS), dice.of(&IDS));
    let meta = match dice.below(3) {
        0 => format!("\"_meta\":{{{META},\"progressToken\":{token}}}"),
        1 => format!("\"_meta\":{{\"progressToken\":{token}}}"),
        _ => String::from("\"x\":\n1"),
    };
    let method_and_params = dice.of(&[
        "\"tools/call\",\"params\":{\"name\":\"slow\",",
        "\"tools/call\",\"params\":{\"name\":\"no\\nsuch\",",
        "\"tools/call\",\"params\":{",
        "\"tools/list\",\"params\":{",
        "\"tools/list\",\"params\":{\"cursor\":\"\\n\",",
        "\"resources/read\",\"params\":{\"uri\":\"a\",",
        "\"ping\",\"params\":{",
        "\"server/discover\",\"params\":{",
        "\"subscriptions/listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true},",
        "\"logging/setLevel\",\"params\":{\"level\":\"debug\",",
        "\"no/\\u0000such\",\"params\":{",
    ]);
    let request = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{method_and_params}{meta}}}}}");
    let revision = dice.of(&["2025-03-26", "2025-11-25", "\\n"]);
    match dice.below(12) {
        0 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"initialize\",\"params\":{{\"protocolVersion\":\"{revision}\",\
             \"capabilities\":{{\"roots\":{{}}}},\"clientInfo\":{{\"name\":\"\",\"version\":\"\"}}}}}}"
        ),
        1 => String::from("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"),
        2 => format!("[{request},{{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}},1]"),
        3 => format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}"
        ),
        4 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"),
        5 => request.replace("2.0", dice.of(&["1.0", "2.0\\n"])),
        6 => request.replace(META, "\"io.modelcontextprotocol/protocolVersion\":\"\\\"\\n\""),
        _ => request,
    }
}

/// What a peer may send to a client.
fn to_client(dice: &mut Dice) -> String {
    let (id, token) = (dice.of(&IDS), dice.of(&IDS));
    let method = dice.of(&["ping", "roots/list", "sampling/createMessage", "no/such"]);
    let request = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{{\"messages\":[],\"maxTokens\":1,\
         \"_meta\":{{\"progressToken\":{token}}}}}}}"
    );
    let revision = dice.of(&["2025-03-26", "2025-11-25"]);
    match dice.below(12) {
        0 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":-32601,\"message\":\"\"}}}}"),
        1 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"protocolVersion\":\"{revision}\",\"capabilities\":{{\"tools\":{{}}}},\
             \"serverInfo\":{{}}}}}}"
        ),
        2 => format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\
             \"capabilities\":{{\"tools\":{{}}}}}}}}"
        ),
        3 => format!("[{request},{{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}},1]"),
        4 => format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{{\"requestId\":{id}}}}}"
        ),
        5 => request.replace("2.0", "1.0"),
        _ => request,
    }
}

#[derive(Default)]
struct Seen {
    kinds: BTreeMap<&'static str, u64>,
    requests: Vec<u64>,
    calls: Vec<u64>,
}

impl Seen {
    fn count(&mut self, kind: &'static str) {
        *self.kinds.entry(kind).or_default() += 1;
    }
    fn message(&mut self, message: &Value) {
        let members = message.as_object().expect("a message is an object");
        let has = |key| members.contains_key(key);
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let id = &message["id"];
        let kind = match (has("method"), has("result"), has("error")) {
            (true, false, false) if has("id") => "request",
            (true, false, false) => "notice",
            (false, true, false) => "result",
            (false, false, true) => "error",
            _ => panic!("no message: {message}"),
        };
        match kind {
            "error" => {
                assert!(
                    message["error"]["code"].is_i64() && message["error"]["message"].is_string(),
                    "{message}"
                );
            }
            "result" => assert!(message["result"].is_object(), "{message}"),
            _ => {
                assert!(message["method"].is_string(), "{message}");
                assert!(message.get("params").is_none_or(Value::is_object), "{message}");
            }
        }
        let named = id.is_string() || id.is_number();
        assert!(named || kind == "notice" || kind == "error" && id.is_null(), "{message}");
        self.count(kind);
    }
    fn drain<M: Machine>(&mut self, machine: &mut M) {
        while let Some(action) = machine.poll() {
            match action {
                Action::Send(outgoing) => match strict::message(outgoing.message) {
                    Value::Array(all) => {
                        assert!(!all.is_empty());
                        for message in &all {
                            self.message(message);
                        }
                        self.count("batch");
                    }
                    message => self.message(&message),
                },
                Action::Deliver(Event::Request(request)) => self.requests.push(request.handle().as_u64()),
                Action::Deliver(Event::Input(input)) => self.requests.push(input.input.as_u64()),
                _ => {}
            }
        }
    }
}

fn outcome<'a>(dice: &mut Dice) -> Outcome<'a> {
    match dice.below(4) {
        0 => Outcome::Error { code: 7, message: dice.of(&TEXTS), data: Some(json(dice.of(&VALUES))) },
        1 => Outcome::Result {
            result: json(dice.of(&OBJECTS)),
            cache: Some(CacheHint { ttl_ms: 0, public: false }),
        },
        _ => Outcome::Result { result: json(dice.of(&OBJECTS)), cache: None },
    }
}

fn serve_one(seed: u64, all: &mut BTreeMap<&'static str, u64>) {
    let mut dice = Dice(seed);
    let tight = limits(|limits| {
        limits.message_bytes = 600;
        limits.requests = 4;
        limits.output_bytes = 2000;
        limits.handler = Some(seconds(5));
    });
    let config = server_config()
        .limits(tight)
        .page_size(1)
        .info(b"{ \"name\":\n\"n\", \"version\":\r\"1\" }")
        .unwrap();
    let config =
        config.capabilities(b"{\"tools\":{\"listChanged\":\ntrue},\"logging\":{},\"resources\":{}}").unwrap();
    let mut server = Server::new(Arc::new(config.instructions("\r\n").unknown_methods(true)), Seed([3; 32]));
    let mut seen = Seen::default();
    let mut now = Instant::from_nanos(0);
    for _ in 0..60 {
        let handle = RequestHandle::from_u64(dice.handle(&seen.requests));
        let target = if dice.below(2) == 0 { Target::Channel } else { Target::Request(handle) };
        match dice.below(16) {
            0 | 1 => drop(server.respond(now, handle, outcome(&mut dice))),
            2 => {
                let _ = server.progress(now, handle, 1e-7, Some(1e300), Some(dice.of(&TEXTS)));
            }
            3 => {
                let _ =
                    server.log(now, target, LogLevel::Error, Some(dice.of(&TEXTS)), json(dice.of(&VALUES)));
            }
            4 => drop(server.notify(now, target, dice.of(&TEXTS), Some(json(dice.of(&OBJECTS))))),
            5 => {
                let params = json("{\r\n\"_meta\":{\"a\":\n1},\"b\":2}");
                let options = CallOptions::new().progress(true).meta(Some(json("{\"a\":\n2}")));
                if let Ok(call) = server.call(now, target, "roots/list", Some(params), options) {
                    seen.calls.push(call.as_u64());
                }
            }
            6 => drop(server.cancel(
                now,
                CallHandle::from_u64(dice.handle(&seen.calls)),
                Some(dice.of(&TEXTS)),
            )),
            7 => server.publish(now, Change::Tools),
            8 => {
                now = now.after(seconds(2));
                server.handle_timeout(now);
            }
            9 => drop(server.respond_tool_error(now, handle, dice.of(&TEXTS))),
            10 if dice.below(30) == 0 => server.close(now, Duration::ZERO),
            _ => server.handle_message(now, to_server(&mut dice).as_bytes()),
        }
        if dice.below(3) > 0 {
            seen.drain(&mut server);
        }
    }
    server.handle_eof(now);
    seen.drain(&mut server);
    seen.kinds.into_iter().for_each(|(kind, count)| *all.entry(kind).or_default() += count);
}

fn ask_one(seed: u64, all: &mut BTreeMap<&'static str, u64>) {
    let mut dice = Dice(seed);
    let tight = limits(|limits| {
        limits.message_bytes = 600;
        limits.call_silence = seconds(3);
        limits.handler = Some(seconds(5));
    });
    let config = client_config().limits(tight).capabilities(b"{\"roots\":\n{},\"sampling\":{}}").unwrap();
    let mut client =
        Client::new(Arc::new(config.info(b"{\"name\":\"\\n\",\n\"version\":\"\"}").unwrap()), Seed([3; 32]));
    let mut seen = Seen::default();
    let mut now = Instant::from_nanos(0);
    client.start(now, dice.of(&[&None, &Some(MODERN), &Some("2025-03-26")]).to_owned());
    for _ in 0..60 {
        let input = InputHandle::from_u64(dice.handle(&seen.requests));
        match dice.below(12) {
            0 | 1 => drop(client.answer(now, input, outcome(&mut dice))),
            2 => {
                let _ = client.progress(now, input, 0.1, None, Some(dice.of(&TEXTS)));
            }
            3 => drop(client.notify(now, dice.of(&TEXTS), Some(json(dice.of(&OBJECTS))))),
            4 | 5 => {
                let options = CallOptions::new()
                    .progress(dice.below(2) == 0)
                    .log_level(Some(LogLevel::Info))
                    .meta(Some(json("{ \"a\"\n:\r1 }")));
                let method = dice.of(&["tools/list", "tools/call", "no/\n\u{0}such", "subscriptions/listen"]);
                if let Ok(call) = client.call(now, method, Some(json(dice.of(&OBJECTS))), options) {
                    seen.calls.push(call.as_u64());
                }
            }
            6 => drop(client.cancel(
                now,
                CallHandle::from_u64(dice.handle(&seen.calls)),
                Some(dice.of(&TEXTS)),
            )),
            7 => {
                now = now.after(seconds(2));
                client.handle_timeout(now);
            }
            8 if dice.below(20) == 0 => client.close(now, seconds(1)),
            _ => client.handle_message(now, to_client(&mut dice).as_bytes()),
        }
        if dice.below(3) > 0 {
            seen.drain(&mut client);
        }
    }
    client.handle_eof(now);
    seen.drain(&mut client);
    seen.kinds.into_iter().for_each(|(kind, count)| *all.entry(kind).or_default() += count);
}

/// `basic/index` and `basic/transports/stdio` of every revision.
/// R-BAS-001 R-STD-001 R-STD-002 R-STD-003
#[test]
fn what_goes_out_is_one_message_a_line() {
    for one in [serve_one, ask_one] {
        let mut all = BTreeMap::new();
        for seed in 1..400_u64 {
            one(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), &mut all);
        }
        println!("{all:?}");
        assert_eq!(all.len(), 5, "some kind never went out: {all:?}");
    }
}

//! Sealed `requestState` is ours, of one principal, for one request, for a while: `basic/patterns/mrtr`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by a panic"
)]
mod common;

use std::{fmt::Write as _, sync::Arc, time::Duration};

use common::*;
use mcp_sansio::{
    SealKeys, Seed,
    error::SendError,
    event::{Outcome, Request},
    session::{Server, ServerConfig},
    time::{Instant, WallClock},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A result that fits every method here.
const FITTING: &str = r#"{"content":[],"messages":[],"contents":[],"tools":[],"completion":{"values":[]}}"#;

const KEY: [u8; 32] = [7; 32];
const OLD: [u8; 32] = [8; 32];

fn config(keys: &[[u8; 32]]) -> ServerConfig {
    let offers = br#"{"tools":{},"prompts":{},"resources":{}}"#;
    server_config().capabilities(offers).unwrap().seal_keys(SealKeys(keys.to_vec()))
}

/// An instance of a service that started at this wall time, with a clock of its own.
fn instance(keys: &[[u8; 32]], seed: u8, unix_millis: u64) -> Host<Server> {
    let server = Server::new(Arc::new(config(keys)), Seed([seed; 32]));
    let mut host = Host::new(server);
    host.now = Instant::from_nanos(u64::from(seed) * 1_000_000_000_000);
    host.machine.set_wall_clock(WallClock { at: host.now, unix_millis });
    host
}

fn of(host: &mut Host<Server>, principal: &str) {
    let fresh = Server::new(Arc::new(config(&[KEY])), Seed([9; 32]));
    let clock = WallClock { at: host.now, unix_millis: 0 };
    host.machine = fresh.with_principal(principal).unwrap().with_clock(clock);
}

/// A request with these params, in the text in which a client wrote them.
fn send(host: &mut Host<Server>, method: &str, params: &str, state: Option<&str>) {
    let state = state.map_or(String::new(), |state| format!(",\"requestState\":{}", json!(state)));
    host.tell_text(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params}{state},\"_meta\":{}}}}}",
        meta()
    ));
}

/// The state that a request with these params is answered with.
fn sealed(host: &mut Host<Server>, method: &str, params: &str) -> String {
    send(host, method, params, None);
    let request = host.request().handle();
    let outcome = Outcome::InputRequired { questions: &[], state: Some(b"secret") };
    host.machine.respond(host.now, request, outcome).unwrap();
    host.one()["result"]["requestState"].as_str().unwrap().to_owned()
}

/// The retry with this state, or what it is refused with.
fn retry(host: &mut Host<Server>, method: &str, params: &str, state: &str) -> Result<Request, String> {
    send(host, method, params, Some(state));
    let sent = host.sent();
    if sent.is_empty() {
        let request = host.request();
        assert_eq!(request.input().unwrap().state.as_deref(), Some(b"secret".as_slice()));
        host.respond(request.handle(), FITTING);
        host.sent();
        return Ok(request);
    }
    assert_eq!(sent[0]["error"]["code"], -32602);
    let faults = host.faults();
    assert_eq!((faults.len(), faults[0].code, faults[0].replied), (1, "fault.request_state", Some(-32602)));
    assert!(!sent[0].to_string().contains(&faults[0].detail), "the client is not told why");
    Err(faults[0].detail.clone())
}

const CALL: &str = r#""name":"echo","arguments":{"k":1}"#;

/// Every change of every byte is refused, and so is what was never sealed. R-MRT-008, R-MRT-009.
#[test]
fn any_change_is_refused() {
    let mut host = instance(&[KEY, OLD], 1, 0);
    let state = sealed(&mut host, "tools/call", CALL);
    assert!(retry(&mut host, "tools/call", CALL, &state).is_ok());
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for place in 0..state.len() {
        for other in alphabet
            .chars()
            .chain(['=', '+', ' ', '\u{e9}'])
            .filter(|other| !state[place..].starts_with(*other))
        {
            let changed = format!("{}{other}{}", &state[..place], &state[place + 1..]);
            assert!(retry(&mut host, "tools/call", CALL, &changed).is_err(), "{place} {other}");
        }
        assert!(retry(&mut host, "tools/call", CALL, &state[..place]).is_err(), "cut at {place}");
    }
    for other in [
        format!("{state}A"),
        format!("{state}-TAMPERED"),
        format!("A{state}"),
        "{\"admin\":true}".into(),
        "x".repeat(1_000_000),
    ] {
        assert!(retry(&mut host, "tools/call", CALL, &other).is_err());
    }
}

/// It is bound to the principal; nobody is one too. R-MRT-010, R-ELI-034, R-ELI-035.
#[test]
fn another_principal_is_refused() {
    let mut host = instance(&[KEY], 1, 0);
    let of_nobody = sealed(&mut host, "tools/call", CALL);
    of(&mut host, "alice");
    let of_alice = sealed(&mut host, "tools/call", CALL);
    assert!(retry(&mut host, "tools/call", CALL, &of_alice).is_ok());
    assert!(retry(&mut host, "tools/call", CALL, &of_nobody).unwrap_err().contains("principal"));
    of(&mut host, "bob");
    assert!(retry(&mut host, "tools/call", CALL, &of_alice).unwrap_err().contains("principal"));
    let mut nobody = instance(&[KEY], 1, 0);
    assert!(retry(&mut nobody, "tools/call", CALL, &of_alice).unwrap_err().contains("principal"));
}

/// It expires by the wall clock, on whichever instance. R-MRT-011.
#[test]
fn it_expires_by_the_wall_clock() {
    let start = 1_700_000_000_000;
    let mut first = instance(&[KEY], 1, start);
    first.wait(Duration::from_millis(500));
    let state = sealed(&mut first, "tools/call", CALL);
    for (wall, good) in [(start, true), (start + 3_600_499, true), (start + 3_600_500, false)] {
        let mut other = instance(&[KEY], 2, wall);
        assert_eq!(retry(&mut other, "tools/call", CALL, &state).is_ok(), good, "{wall}");
    }
    first.wait(Duration::from_millis(3_599_999));
    assert!(retry(&mut first, "tools/call", CALL, &state).is_ok());
    first.wait(Duration::from_millis(1));
    assert!(retry(&mut first, "tools/call", CALL, &state).unwrap_err().contains("expired"));
}

/// Keys are rotated: the first seals, all of them open. An instance without the key refuses.
#[test]
fn keys_are_rotated() {
    let old = sealed(&mut instance(&[OLD], 1, 0), "tools/call", CALL);
    let mut both = instance(&[KEY, OLD], 2, 0);
    assert!(retry(&mut both, "tools/call", CALL, &old).is_ok());
    let new = sealed(&mut both, "tools/call", CALL);
    assert!(retry(&mut instance(&[OLD, KEY], 3, 0), "tools/call", CALL, &new).is_ok());
    assert!(retry(&mut instance(&[KEY], 3, 0), "tools/call", CALL, &new).is_ok());
    assert!(retry(&mut instance(&[OLD], 3, 0), "tools/call", CALL, &new).is_err());
    assert!(retry(&mut instance(&[KEY], 3, 0), "tools/call", CALL, &old).is_err());
}

/// It is good for its own request alone. R-MRT-012.
#[test]
fn another_request_is_refused() {
    let requests = [
        ("tools/call", r#""name":"echo","arguments":{"k":1}"#),
        ("tools/call", r#""name":"slow","arguments":{"k":1}"#),
        ("tools/call", r#""name":"echo","arguments":{"k":2}"#),
        ("tools/call", r#""name":"echo""#),
        ("tools/call", r#""name":"echo","arguments":{"k":"1"}"#),
        ("prompts/get", r#""name":"echo","arguments":{"k":"1"}"#),
        ("resources/read", r#""uri":"test://a""#),
        ("resources/read", r#""uri":"test://b""#),
    ];
    let mut host = instance(&[KEY], 1, 0);
    for (made, (method, params)) in requests.iter().enumerate() {
        let state = sealed(&mut host, method, params);
        for (used, (method, params)) in requests.iter().enumerate() {
            let outcome = retry(&mut host, method, params, &state);
            assert_eq!(outcome.is_ok(), made == used, "{made} {used}");
        }
    }
    // A client may write no arguments as an empty object.
    let state = sealed(&mut host, "tools/call", r#""name":"echo""#);
    assert!(retry(&mut host, "tools/call", r#""name":"echo","arguments":{}"#, &state).is_ok());
}

/// Keys that other machines have too need a date that other machines know; a machine's own keys don't.
#[test]
fn shared_keys_need_the_wall_clock() {
    let mut host = serve(config(&[KEY]));
    send(&mut host, "tools/call", CALL, None);
    let request = host.request().handle();
    let outcome = Outcome::InputRequired { questions: &[], state: Some(b"secret") };
    let refused = host.machine.respond(host.now, request, outcome);
    assert!(matches!(refused, Err(SendError::Invalid(what)) if what.contains("with_clock")), "{refused:?}");
    host.silent();
    let state = sealed(&mut instance(&[KEY], 1, 0), "tools/call", CALL);
    host.respond(request, FITTING);
    host.one();
    assert!(retry(&mut host, "tools/call", CALL, &state).unwrap_err().contains("with_clock"));

    let mut alone = serve(server_config());
    let state = sealed(&mut alone, "tools/call", CALL);
    alone.wait(Duration::from_secs(3599));
    assert!(retry(&mut alone, "tools/call", CALL, &state).is_ok());
    alone.wait(Duration::from_secs(1));
    assert!(retry(&mut alone, "tools/call", CALL, &state).unwrap_err().contains("expired"));
}

/// Spellings of numbers, by value.
#[test]
fn numbers_are_told_apart_by_value() {
    let same: [&[&str]; 5] = [
        &["0", "-0", "0.0", "0e5", "-0.00E-3"],
        &["1", "1.0", "1e0", "10e-1", "0.1E+1"],
        &["100", "1e2", "1.00E2"],
        &["9007199254740993", "9007199254740993.0", "9007199254740993e0"],
        &["-1.5", "-15e-1", "-1.50"],
    ];
    let mut host = instance(&[KEY], 1, 0);
    let params = |number: &str| format!(r#""name":"echo","arguments":{{"k":{number}}}"#);
    for (group, spellings) in same.iter().enumerate() {
        let state = sealed(&mut host, "tools/call", &params(spellings[0]));
        for (other, spellings) in same.iter().enumerate() {
            for spelling in *spellings {
                let outcome = retry(&mut host, "tools/call", &params(spelling), &state);
                assert_eq!(outcome.is_ok(), group == other, "{spelling}");
            }
        }
        assert!(retry(&mut host, "tools/call", &params("9007199254740992"), &state).is_err());
    }
}

/// Values that look alike and are not the same.
#[test]
fn other_values_are_refused() {
    let values = [
        r#"{"a":1,"b":2}"#,
        r#"{"a":2,"b":1}"#,
        r#"{"a":[1,2]}"#,
        r#"{"a":[2,1]}"#,
        r#"{"a":[[1],2]}"#,
        r#"{"a":[1,[2]]}"#,
        r#"{"a":[12]}"#,
        r#"{"a":"1"}"#,
        r#"{"a":1}"#,
        r#"{"a":null}"#,
        "{}",
        r#"{"a":{}}"#,
        r#"{"a":[]}"#,
        r#"{"a":""}"#,
        r#"{"a":"b","c":"d"}"#,
        r#"{"a":"bc","":"d"}"#,
        r#"{"ab":"","c":"d"}"#,
        r#"{"a":true}"#,
        r#"{"a":"true"}"#,
        r#"{"a":"\ud800"}"#,
        r#"{"a":"\udfff"}"#,
        r#"{"a":"\ufffd"}"#,
        r#"{"A":1}"#,
        r#"{"a":["a",1]}"#,
        // The bytes of the one before it, if strings had no end.
        r#"{"a":["a+1e\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0001"]}"#,
        r#"{"a":1,"a":2}"#,
        r#"{"a":"\u0000"}"#,
    ];
    let mut host = instance(&[KEY], 1, 0);
    let params = |value: &str| format!(r#""name":"echo","arguments":{value}"#);
    for made in values {
        let state = sealed(&mut host, "tools/call", &params(made));
        for used in values {
            assert_eq!(
                retry(&mut host, "tools/call", &params(used), &state).is_ok(),
                made == used,
                "{made} {used}"
            );
        }
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |number| number.is_finite().then(|| Value::from(number))),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4).prop_map(Value::from_iter),
        ]
    })
}

/// The same value as another printer might write it: other whitespace, every escape, keys the other way round.
fn reprinted(value: &Value, out: &mut String) {
    let text = |text: &str, out: &mut String| {
        out.push('"');
        for unit in text.encode_utf16() {
            let _ = write!(out, "\\u{unit:04X}");
        }
        out.push('"');
    };
    match value {
        Value::Object(members) => {
            out.push_str("{\r\n");
            for (place, (key, member)) in members.iter().rev().enumerate() {
                out.push_str(if place == 0 { "\t" } else { " , " });
                text(key, out);
                out.push_str(" : ");
                reprinted(member, out);
            }
            out.push('}');
        }
        Value::Array(elements) => {
            out.push('[');
            for (place, element) in elements.iter().enumerate() {
                out.push_str(if place == 0 { "\n" } else { "\t,\n" });
                reprinted(element, out);
            }
            out.push_str(" ]");
        }
        Value::String(value) => text(value, out),
        Value::Number(number) if number.is_i64() => drop(write!(out, "{number}.000E+0")),
        other => out.push_str(&other.to_string()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
    /// An honest client may print its arguments anew: `basic/patterns/mrtr` wants the same request, not the same bytes.
    /// R-MRT-012.
    #[test]
    fn reprinted_arguments_are_the_same(members in prop::collection::btree_map(any::<String>(), value(), 0..4), other in value()) {
        let arguments = Value::from_iter(members.clone());
        let mut host = instance(&[KEY], 1, 0);
        let state = sealed(&mut host, "tools/call", &format!(r#""name":"echo","arguments":{arguments}"#));
        let mut text = String::new();
        reprinted(&arguments, &mut text);
        let again = format!(r#""arguments" : {text} , "name" : "\u0065cho""#);
        prop_assert!(retry(&mut host, "tools/call", &again, &state).is_ok());
        let mut changed = members;
        let first = changed.keys().next().cloned().unwrap_or_default();
        if changed.insert(first, other.clone()).is_none_or(|before| before != other) {
            let changed = Value::from_iter(changed);
            let outcome = retry(&mut host, "tools/call", &format!(r#""name":"echo","arguments":{changed}"#), &state);
            prop_assert!(outcome.is_err());
        }
    }
}

//! Log notices: `server/utilities/logging` of every revision.
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
    error::SendError,
    event::{Action, Event, Outgoing, Related, Target},
    session::{CallOptions, LogLevel, Server, ServerConfig},
};
use serde_json::{Value, json};

const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// In the order of syslog, the least severe first.
const LEVELS: [(&str, LogLevel); 8] = [
    ("debug", LogLevel::Debug),
    ("info", LogLevel::Info),
    ("notice", LogLevel::Notice),
    ("warning", LogLevel::Warning),
    ("error", LogLevel::Error),
    ("critical", LogLevel::Critical),
    ("alert", LogLevel::Alert),
    ("emergency", LogLevel::Emergency),
];

fn logging() -> ServerConfig {
    server_config().capabilities(br#"{"tools":{},"logging":{}}"#).unwrap()
}

fn log(host: &mut Host<Server>, target: Target, level: LogLevel) -> Result<bool, SendError> {
    host.machine.log(host.now, target, level, None, json("\"text\""))
}

/// The names of the levels that are sent, of all eight.
fn heard(host: &mut Host<Server>, target: Target) -> Vec<Value> {
    for (name, level) in LEVELS {
        let sent = log(host, target, level).unwrap();
        let messages = host.sent();
        assert_eq!(messages.len(), usize::from(sent), "{name}");
        if let [message] = &messages[..] {
            assert_eq!(message["params"], json!({"level": name, "data": "text"}));
        }
    }
    LEVELS
        .into_iter()
        .filter(|(_, level)| {
            let sent = log(host, target, *level).unwrap();
            host.sent();
            sent
        })
        .map(|(name, _)| json!(name))
        .collect()
}

fn from(least: usize) -> Vec<Value> {
    LEVELS[least..].iter().map(|(name, _)| json!(name)).collect()
}

/// R-LOG-001
#[test]
fn a_server_that_logs_declares_it() {
    for revision in LEGACY {
        let mut host = session(server_config(), revision, &json!({}));
        assert!(matches!(
            log(&mut host, Target::Channel, LogLevel::Error),
            Err(SendError::MissingCapability("logging"))
        ));
        assert_eq!(
            host.ask(&request(1, "logging/setLevel", json!({"level": "info"})))["error"]["code"],
            -32601
        );
        let mut host = serve(logging());
        let answer = host.ask(&initialize(0, revision, &json!({})));
        assert_eq!(answer["result"]["capabilities"]["logging"], json!({}), "{revision}");
    }
    let mut host = serve(logging());
    let answer = host.ask(&modern(0, "server/discover", json!({})));
    assert_eq!(answer["result"]["capabilities"]["logging"], json!({}));
}

/// The level of a legacy session holds from the moment it is set; before that all are sent.
/// R-LOG-002 R-LOG-003 R-LOG-004
#[test]
fn a_legacy_session_has_one_level() {
    for revision in LEGACY {
        let mut host = session(logging(), revision, &json!({}));
        assert_eq!(heard(&mut host, Target::Channel), from(0), "{revision}: none was set");
        for (least, (name, _)) in LEVELS.iter().enumerate() {
            let answer = host.ask(&request(1, "logging/setLevel", json!({"level": name})));
            assert_eq!(answer["result"], json!({}));
            assert_eq!(heard(&mut host, Target::Channel), from(least), "{revision} {name}");
        }
    }
}

/// R-LOG-005
#[test]
fn a_level_that_nobody_knows_is_refused() {
    for revision in LEGACY {
        let mut host = session(logging(), revision, &json!({}));
        host.ask(&request(1, "logging/setLevel", json!({"level": "error"})));
        for level in [json!("loud"), json!("Error"), json!(""), json!(4), json!(null)] {
            let refused = host.ask(&request(2, "logging/setLevel", json!({"level": level})));
            assert_eq!(refused["error"]["code"], -32602, "{revision} {level}");
        }
        assert_eq!(host.ask(&request(3, "logging/setLevel", json!({})))["error"]["code"], -32602);
        assert_eq!(heard(&mut host, Target::Channel), from(4), "the level is what it was");
    }
}

/// The level of a modern request is its own, and its notices come before its answer.
/// R-LOG-002 R-LOG-007 R-LOG-008
#[test]
fn a_modern_request_has_its_own_level() {
    let mut host = serve(logging());
    for (least, (name, _)) in LEVELS.iter().enumerate() {
        let params = json!({"name": "slow", "_meta": {LOG_LEVEL: name}});
        host.tell(&modern(1, "tools/call", params));
        let handle = host.request().handle();
        assert_eq!(heard(&mut host, Target::Request(handle)), from(least), "{name}");
        host.respond(handle, DONE);
        host.one();
        assert_eq!(log(&mut host, Target::Request(handle), LogLevel::Emergency), Err(SendError::Over));
    }
    host.tell(&modern(2, "tools/call", json!({"name": "slow"})));
    let quiet = host.request().handle();
    assert_eq!(heard(&mut host, Target::Request(quiet)), Vec::<Value>::new(), "nobody asked");
}

/// R-LOG-009
#[test]
fn nothing_is_logged_on_a_subscription() {
    let mut host = serve(logging());
    let listen = json!({"_meta": {LOG_LEVEL: "debug"}, "notifications": {"toolsListChanged": true}});
    host.hear(&modern(1, "subscriptions/listen", listen).to_string());
    let Some(Action::Send(Outgoing { related: Related::Request(handle), .. })) = host.machine.poll_action()
    else {
        panic!("an acknowledgement");
    };
    assert_eq!(log(&mut host, Target::Request(handle), LogLevel::Emergency), Err(SendError::Over));
    host.silent();
}

/// Data is any JSON, and a logger may be named.
/// R-LOG-006
#[test]
fn a_notice_carries_any_data() {
    let mut host = session(logging(), NEWEST, &json!({}));
    for data in [json!(null), json!(1.5), json!("t"), json!([1, {}]), json!({"a": {"b": null}})] {
        for logger in [None, Some(""), Some("a \"name\"")] {
            let text = data.to_string();
            let sent = host.machine.log(host.now, Target::Channel, LogLevel::Info, logger, json(&text));
            assert_eq!(sent, Ok(true));
            let params = host.one()["params"].clone();
            assert_eq!((&params["level"], &params["data"]), (&json!("info"), &data));
            assert_eq!(params.get("logger"), logger.map(|name| json!(name)).as_ref());
        }
    }
}

/// A client sets the level where it can, and gets what is logged.
/// R-LOG-003
#[test]
fn a_client_sets_the_level() {
    let mut host = start(client_config().probe(false));
    let opening = host.one();
    let mut initialized = initialize_result(NEWEST);
    initialized["capabilities"] = json!({"logging": {}});
    host.tell(&answer(&opening, &initialized));
    host.one();
    host.event();
    let level = Some(json(r#"{"level":"warning"}"#));
    let call = host.machine.call(host.now, "logging/setLevel", level, CallOptions::new()).unwrap();
    let sent = host.one();
    assert_eq!(sent["params"]["level"], "warning");
    host.tell(&answer(&sent, &json!({})));
    assert!(host.outcome(call).is_ok());
    host.tell(&notice("notifications/message", json!({"level": "error", "data": 1})));
    let Event::Notification { method, params, .. } = host.event() else { panic!("a notice") };
    assert_eq!(method.name(), "notifications/message");
    assert_eq!(params.unwrap().decode::<Value>().unwrap(), json!({"level": "error", "data": 1}));

    let mut without = legacy_client(client_config());
    let refused = without.machine.call(without.now, "logging/setLevel", level, CallOptions::new());
    assert_eq!(refused, Err(SendError::MissingCapability("logging")));
}

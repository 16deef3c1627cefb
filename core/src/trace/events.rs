//! What a trace says of an event.
use alloc::{boxed::Box, format, string::String};
use core::fmt::Write as _;

use base64ct::{Base64, Encoding};

use super::{TraceKind, TraceRecord};
use crate::{
    CallHandle, RequestHandle,
    error::{CallError, RpcError},
    event::{Event, InputAnswers},
    json::Payload,
    jsonrpc::write,
    time::Instant,
};

/// Members of an object; those that are absent are left out.
struct Members(String);

impl Members {
    fn key(&mut self, key: &str) -> &mut String {
        self.0.push_str(if self.0.is_empty() { "{" } else { "," });
        write::string(&mut self.0, key);
        self.0.push(':');
        &mut self.0
    }
    fn raw(mut self, key: &str, payload: Option<&Payload>) -> Self {
        if let Some(payload) = payload {
            write::json(self.key(key), payload.as_json());
        }
        self
    }
    fn text(mut self, key: &str, text: Option<&str>) -> Self {
        if let Some(text) = text {
            write::string(self.key(key), text);
        }
        self
    }
    fn number(mut self, key: &str, number: i64) -> Self {
        if number != 0 {
            let _ = write!(self.key(key), "{number}");
        }
        self
    }
    fn call(self, call: Option<CallHandle>) -> Self {
        self.number("call", call.map_or(0, |call| call.as_u64().cast_signed()))
    }
    fn error(self, error: Option<&RpcError>) -> Self {
        let Some(error) = error else { return self };
        self.number("code", error.code).raw("message", Some(&error.message)).raw("data", error.data.as_ref())
    }
    fn answers(mut self, input: Option<&InputAnswers>) -> Self {
        let Some(input) = input else { return self };
        for (key, answer) in &input.answers {
            self = self.raw(&format!("answers.{key}"), Some(answer));
        }
        for (key, error) in &input.failed {
            self = self.text(&format!("failed.{key}"), Some(error.code()));
        }
        let state = input.state.as_ref().map(|state| Base64::encode_string(state));
        let nonce = input.nonce.map(|nonce| format!("{:032x}", u128::from_be_bytes(nonce)));
        self.text("state", state.as_deref())
            .text("nonce", nonce.as_deref())
            .number("previous", input.previous.map_or(0, RequestHandle::as_u64).cast_signed())
    }
    fn end(mut self) -> Box<str> {
        if !self.0.is_empty() {
            self.0.push('}');
        }
        self.0.into()
    }
}

/// The record of an event.
pub(crate) fn facts(at: Instant, event: &Event) -> TraceRecord {
    let none = || Members(String::new());
    let (name, handle, outcome, members) = match event {
        Event::Ready(ready) => {
            let members = none()
                .raw("peer", ready.peer.as_ref())
                .raw("capabilities", ready.capabilities.as_ref())
                .raw("instructions", ready.instructions.as_ref());
            ("ready", 0, ready.revision, members)
        }
        Event::Request(request) => {
            let members = none()
                .text("method", Some(&request.method().name()))
                .number("round", i64::from(request.round()))
                .text("template", request.template())
                .text("task", request.task())
                .answers(request.input());
            ("request", request.handle().as_u64(), request.revision().name(), members)
        }
        Event::Over { request, reason } => ("over", request.as_u64(), reason.code(), none()),
        Event::Completed { call, outcome: Ok(completion) } => {
            let members = none()
                .raw("result", Some(&completion.result))
                .text("kind", completion.kind.as_deref())
                .number("cached", i64::from(completion.cached));
            ("completed", call.as_u64(), "ok", members)
        }
        Event::Completed { call, outcome: Err(error) } => {
            let members = match &**error {
                CallError::Rpc(error) => none().error(Some(error)),
                error => none().text("detail", Some(&format!("{error}"))),
            };
            ("completed", call.as_u64(), error.code(), members)
        }
        Event::Progress { call, params } => {
            ("progress", call.as_u64(), "", none().raw("params", Some(params)))
        }
        Event::Task { call, task, immediate } => {
            ("task", call.as_u64(), "", none().raw("task", Some(task)).raw("immediate", immediate.as_ref()))
        }
        Event::Input(input) => {
            let members = none()
                .text("method", Some(input.method))
                .call(input.call)
                .text("task", input.task())
                .raw("params", input.params.as_ref());
            ("input", input.input.as_u64(), "", members)
        }
        Event::InputOver { input } => ("input_over", input.as_u64(), "", none()),
        Event::Subscribed(subscribed) => {
            let members = none()
                .raw("filter", Some(&subscribed.filter))
                .raw("missing", Some(&subscribed.missing))
                .number("again", i64::from(subscribed.again));
            ("subscribed", subscribed.call.as_u64(), "", members)
        }
        Event::Notification { call, method, params } => {
            let members =
                none().text("method", Some(&method.name())).call(*call).raw("params", params.as_ref());
            ("notification", 0, "", members)
        }
        Event::Watched { uri, wanted } => {
            ("watched", 0, if *wanted { "wanted" } else { "unwanted" }, none().text("uri", Some(uri)))
        }
        Event::Fault(fault) => {
            let members = none()
                .text("page", Some(fault.page))
                .number("replied", fault.replied.map_or(0, i64::from))
                .text("detail", Some(&fault.detail))
                .error(fault.cause.as_ref());
            ("fault", 0, fault.code, members)
        }
        Event::Writable => ("writable", 0, "", none()),
        Event::Closed(reason) => ("closed", 0, reason.code(), none()),
    };
    TraceRecord {
        handle,
        outcome: outcome.into(),
        text: members.end(),
        ..TraceRecord::new(at, TraceKind::Event, name)
    }
}

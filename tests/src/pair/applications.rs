//! The two applications: what they want, and what must come of it.
use mcp_sansio::{
    embed::{Code, Options},
    method::{self, Handling},
    revision::{Era, Revision},
};

use super::{Call, Due, MS, Pair, Step, Work, refused, unless_over};
use crate::cases::{case::Side, machine::Event, value::Value};

impl Pair {
    pub(super) fn event(&mut self, side: Side, event: &Event) -> Result<(), String> {
        let described = &event.description;
        let kind = described.get("event").and_then(Value::as_str).unwrap_or_default();
        if let Some(reason) = &self.end(side).closed {
            return Err(format!("{} says {described} after its end, {reason}", side.name()));
        }
        match kind {
            "ready" if side == Side::Client => self.ready(described),
            "request" => {
                self.requests.insert(event.handle);
                self.plan(event.handle, described)
            }
            "over" => {
                self.due.retain(|_, due| !matches!(due, Due::Serve(request, _) if *request == event.handle));
                if !self.requests.remove(&event.handle) {
                    return Err(format!("request {} ended twice", event.handle));
                }
                // What was asked for it is not wanted any more.
                let asked =
                    self.asked.iter().filter(|(_, request)| **request == event.handle).map(|(call, _)| *call);
                let now = self.now;
                for call in asked.collect::<Vec<_>>() {
                    unless_over(self.server.machine.cancel(now, call, None))?;
                }
                Ok(())
            }
            "completed" | "failed" if side == Side::Client => self.outcome(event.handle, described),
            "completed" | "failed" => {
                let request =
                    self.asked.remove(&event.handle).ok_or("a second outcome of a server's call")?;
                let wanted = self.requests.contains(&request);
                if wanted && event.code == Code::Failed as u32 && !self.lossy {
                    return Err(format!("the client did not answer: {described}"));
                }
                if wanted {
                    self.schedule(self.now, Due::Serve(request, Step::Result("asked".into())));
                }
                Ok(())
            }
            "progress" => {
                let call =
                    self.calls.get_mut(&event.handle).ok_or("progress of a call that has its outcome")?;
                call.steps += 1;
                let seen = described.at(&["params", "progress"]).and_then(Value::as_u64);
                if seen == Some(call.steps) {
                    Ok(())
                } else {
                    Err(format!("progress {seen:?} in the place of {}", call.steps))
                }
            }
            "notification" => {
                let method = described.get("method").and_then(Value::as_str).unwrap_or_default();
                self.counts.changes += u64::from(method == "notifications/tools/list_changed");
                Ok(())
            }
            "input" => {
                self.questions.insert(event.handle);
                self.later(150, Due::Answer(event.handle));
                Ok(())
            }
            "input_over" => {
                self.due.retain(|_, due| !matches!(due, Due::Answer(question) if *question == event.handle));
                if self.questions.remove(&event.handle) {
                    Ok(())
                } else {
                    Err("a question ended twice".into())
                }
            }
            "closed" => {
                let reason = described.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned();
                self.end(side).closed = Some(reason);
                // Its process is gone: the other end sees the end of input after all that was sent.
                let to = Self::peer(side);
                let at = self.now.max(self.end(to).arrival) + self.rng.u64(0..50 * MS);
                if !self.dropped {
                    self.schedule(at, Due::Eof(to));
                    self.schedule(at + 5000 * MS, Due::Gone(to));
                }
                Ok(())
            }
            // What arrived of a line before the connection was dropped.
            "fault" if self.dropped && described.get("code") == Some(&Value::string("fault.parse")) => Ok(()),
            "fault" if self.expected.is_some() => Err(format!("{} finds fault: {described}", side.name())),
            _ => Ok(()),
        }
    }

    pub(super) fn ready(&mut self, described: &Value) -> Result<(), String> {
        self.revision = described.get("revision").and_then(Value::as_str).and_then(Revision::from_name);
        if self.revision != self.expected {
            return Err(format!("ready on {:?} in the place of {:?}", self.revision, self.expected));
        }
        self.left = self.rng.usize(1..16);
        for number in 0..self.left {
            let work = self.work(number);
            self.later(1500, Due::Start(work));
        }
        if self.rng.bool() {
            self.later(1500, Due::Tools);
        }
        Ok(())
    }

    pub(super) fn work(&mut self, number: usize) -> Work {
        let legacy = self.revision.is_some_and(|revision| revision.era() == Era::Legacy);
        match self.rng.u8(0..12) {
            0 | 1 => Work::List(None),
            2 | 3 => Work::Steps(self.rng.u64(1..6)),
            4 => Work::Fail,
            5 => Work::Silent,
            6 if legacy => Work::Ping,
            7 if legacy => Work::Ask,
            6 => Work::Listen,
            _ => Work::Echo(format!("call {number} ✓")),
        }
    }

    pub(super) fn start(&mut self, work: Work) -> Result<(), String> {
        if self.client.closed.is_some() {
            self.left -= 1;
            return Ok(());
        }
        let call_tool = self
            .revision
            .and_then(|revision| method::with_handling(Handling::CallTool, method::Side::Client, revision));
        let call_tool = call_tool.ok_or("no method calls a tool")?.row().name;
        let tool = |name: &str, arguments: String| {
            (call_tool, format!(r#"{{"name":"{name}","arguments":{arguments}}}"#))
        };
        let (method, params) = match &work {
            Work::Echo(text) => tool("echo", format!(r#"{{"text":"{text}"}}"#)),
            Work::Steps(steps) => tool("steps", format!(r#"{{"n":{steps}}}"#)),
            Work::Fail => tool("fail", "{}".into()),
            Work::Silent => tool("silent", "{}".into()),
            Work::Ask => tool("ask", "{}".into()),
            Work::List(None) => ("tools/list", "{}".into()),
            Work::List(Some(cursor)) => ("tools/list", format!(r#"{{"cursor":"{cursor}"}}"#)),
            Work::Ping => ("ping", "{}".into()),
            Work::Listen => ("subscriptions/listen", r#"{"notifications":{"toolsListChanged":true}}"#.into()),
        };
        let options = Options {
            progress: matches!(work, Work::Steps(_)),
            silence_ms: matches!(work, Work::Silent).then_some(700),
            ..Options::default()
        };
        let now = self.now;
        let call =
            self.client.machine.call(now, method, Some(params.as_bytes()), options).map_err(refused)?;
        if matches!(work, Work::Listen) {
            self.later(1500, Due::Cancel(call));
        } else if self.rng.u8(0..5) == 0 {
            self.later(200, Due::Cancel(call));
        }
        self.calls.insert(call, Call { work, steps: 0, cancelled: false });
        Ok(())
    }

    /// The server's application sees a request: what it will do.
    pub(super) fn plan(&mut self, request: u64, described: &Value) -> Result<(), String> {
        let argument = |name: &str| described.at(&["arguments", name]);
        let mut at = self.now + self.rng.u64(0..100 * MS);
        let last = match described.get("name").and_then(Value::as_str) {
            Some("echo") => {
                Step::Result(argument("text").and_then(Value::as_str).unwrap_or_default().to_owned())
            }
            Some("steps") => {
                let steps = argument("n").and_then(Value::as_u64).unwrap_or_default();
                for step in 1..=steps {
                    self.schedule(at, Due::Serve(request, Step::Progress(step)));
                    at += self.rng.u64(0..30 * MS);
                }
                Step::Result("stepped".into())
            }
            Some("fail") => Step::Fail,
            Some("ask") => Step::Ask,
            Some("silent") => return Ok(()),
            other => return Err(format!("a request for {other:?}, which nobody made")),
        };
        self.schedule(at, Due::Serve(request, last));
        Ok(())
    }

    pub(super) fn serve(&mut self, request: u64, step: Step) -> Result<(), String> {
        let now = self.now;
        let server = self.server.machine.server().ok_or("no server")?;
        let answered = match step {
            Step::Progress(step) => {
                return unless_over(server.progress(
                    now,
                    request,
                    f64::from(u32::try_from(step).unwrap_or_default()),
                    None,
                    None,
                ))
                .map(drop);
            }
            Step::Ask => {
                let params = br#"{"messages":[],"maxTokens":1}"#;
                match server.call(now, "sampling/createMessage", Some(params), Options::default()) {
                    Ok(call) => {
                        self.asked.insert(call, request);
                        self.counts.questions += 1;
                        return Ok(());
                    }
                    Err(error) if error.code == "send.closed" => server.respond_internal_error(now, request),
                    Err(error) => return Err(refused(error)),
                }
            }
            Step::Fail => server.respond_error(now, request, 7, "failed", None),
            Step::Result(text) => {
                let result = format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
                server.respond(now, request, result.as_bytes(), 0, false)
            }
        };
        let ended = unless_over(answered)?.is_some();
        if ended && !self.requests.remove(&request) {
            Err(format!("request {request} was answered twice"))
        } else {
            Ok(())
        }
    }

    pub(super) fn outcome(&mut self, handle: u64, described: &Value) -> Result<(), String> {
        let call = self
            .calls
            .remove(&handle)
            .ok_or_else(|| format!("a second outcome of call {handle}: {described}"))?;
        let text = described
            .at(&["result", "content"])
            .and_then(|content| content.elements().first()?.get("text")?.as_str());
        let failure = described.get("code").and_then(Value::as_str);
        let unexpected = || Err(format!("{:?} of {:?} came to {described}", handle, call.work));
        if failure.is_none() {
            self.counts.results += 1;
        } else {
            self.counts.failures += 1;
        }
        let cut_off = self.lossy && failure == Some("call.closed");
        match &call.work {
            _ if call.cancelled => {
                if failure != Some("call.cancelled") {
                    return unexpected();
                }
            }
            _ if cut_off => {}
            Work::Echo(said) if text == Some(said) => {}
            Work::Steps(steps) if text == Some("stepped") && call.steps == *steps => {}
            Work::Fail
                if failure == Some("call.rpc") && described.get("number") == Some(&Value::number(7)) => {}
            Work::Silent if failure == Some("call.timeout") => {}
            Work::Ask if text == Some("asked") => {}
            Work::Ping if failure.is_none() => {}
            Work::List(_) if failure.is_none() => {
                let next = described.at(&["result", "nextCursor"]).and_then(Value::as_str).map(str::to_owned);
                if let Some(cursor) = next {
                    self.schedule(self.now, Due::Start(Work::List(Some(cursor))));
                    return Ok(());
                }
            }
            // The list was replaced by one without the place that the cursor names.
            Work::List(Some(_))
                if failure == Some("call.rpc") && described.get("number") == Some(&Value::number(-32602)) => {
            }
            _ => return unexpected(),
        }
        self.left -= 1;
        if self.left == 0 {
            self.later(100, Due::Close);
        }
        Ok(())
    }
}

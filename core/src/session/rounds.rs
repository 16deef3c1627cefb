//! Calls that are answered with questions: the application is asked, then the call is made again with its answers:
//! `basic/patterns/mrtr`, the client's side.
use alloc::{borrow::Cow, boxed::Box, format, string::String, sync::Arc, vec::Vec};

use super::{
    calls::Call,
    config::{Allowed, Need},
    engine::{Engine, Wire},
    meta,
    questions::{MRTR, check_entered, check_own_answer, check_question, lacking, pause, tokens},
    timers::Timer,
};
use crate::{
    CallHandle, InputHandle,
    error::{CallError, Fault, SendError, TimeLimit},
    event::{Event, Input, Outcome, Related},
    json::{Json, Payload, unescape},
    jsonrpc::{
        envelope::{self, Field, Message},
        write,
    },
    limits::Limits,
    method::{self, Handling, MethodId},
    revision::Revision,
    time::Instant,
};

/// The rounds of input of one call.
#[derive(Debug)]
pub(crate) struct Rounds {
    done: u8,
    /// A JSON string, byte for byte as it came.
    state: Option<Box<str>>,
    questions: Vec<Asked>,
    /// Bytes of all that.
    held: usize,
    since: Instant,
    /// While no request is in flight: when it is made again, or the questions are given up.
    until: Option<Instant>,
}

#[derive(Debug)]
struct Asked {
    /// A JSON string, byte for byte as it came.
    key: Box<str>,
    row: MethodId,
    params: Option<Payload>,
    input: u64,
    answer: Option<Box<str>>,
}

/// Why questions are not put to the application.
enum Refusal {
    /// They break a rule.
    Invalid(&'static str),
    /// This client does not answer one of them.
    Unable { key: String, why: String },
}

/// A question as it came.
struct Parsed<'a> {
    key: &'a str,
    row: MethodId,
    params: Option<Json<'a>>,
}

/// What of a question this client does not do, whatever its form. Context for the model may be left out without a word.
pub(super) fn beyond(
    row: MethodId,
    revision: Revision,
    params: Option<Json<'_>>,
    served: Allowed,
    limits: &Limits,
) -> Option<String> {
    let mut missing = lacking(row, revision, params, served);
    missing.retain(|path| *path != Need::Context.path());
    if !missing.is_empty() {
        return Some(format!("the capability {} was not declared", missing.join(", ")));
    }
    if row.row().handling != Handling::Sample {
        return None;
    }
    let params = params.unwrap_or(Json::EMPTY_OBJECT);
    if params.member("maxTokens").and_then(tokens).is_some_and(|wanted| wanted > limits.sampling_tokens) {
        return Some(format!("`maxTokens` is more than {}", limits.sampling_tokens));
    }
    (params.get().len() > limits.sampling_bytes)
        .then(|| format!("the question is longer than {} bytes", limits.sampling_bytes))
}

impl Rounds {
    fn new(since: Instant) -> Self {
        Self { done: 0, state: None, questions: Vec::new(), held: 0, since, until: None }
    }
    /// While no request is in flight: until when, and whether the application is asked.
    pub(super) fn deadline(&self) -> Option<(Instant, bool)> {
        self.until.map(|until| (until, !self.questions.is_empty()))
    }
}

impl Call {
    /// Whether no request of it is in flight.
    pub(super) fn is_waiting(&self) -> bool {
        self.rounds.as_ref().is_some_and(|rounds| rounds.until.is_some())
    }
}

impl Engine {
    /// A call was answered with questions, or with state alone. `served`: what this client declared.
    pub(crate) fn input_required(&mut self, handle: u64, result: Json<'_>, served: Allowed) {
        let Some(call) = self.calls.get(handle) else { return };
        let (revision, done) = (call.revision, call.rounds.as_ref().map_or(0, |rounds| rounds.done));
        let parsed = if call.kept.is_none() {
            Err(Refusal::Invalid("questions in the answer to a method that may not ask any"))
        } else {
            parse(result, revision)
        };
        let checked = parsed.and_then(|(questions, state)| {
            self.check_questions(&questions, revision, served)?;
            Ok((questions, state))
        });
        let (questions, state) = match checked {
            Ok(parts) => parts,
            Err(Refusal::Invalid(what)) => {
                let fault = Fault::new("fault.input_required", MRTR, format!("{what}; the call failed"));
                return self.complete(handle, Err(CallError::InvalidResult(fault.into())));
            }
            Err(Refusal::Unable { key, why }) => {
                let shown: String = key.chars().take(64).collect();
                let detail = format!("the question `{shown}` is not answered, and its call failed: {why}");
                self.fault("fault.input_required", MRTR, None, detail);
                return self.complete(handle, Err(CallError::Input { key: Some(key) }));
            }
        };
        if done >= self.limits.input_rounds {
            let detail = format!(
                "more than `input_rounds`, {}, rounds of input for one call, which failed",
                self.limits.input_rounds
            );
            self.fault("fault.input_required", MRTR, None, detail);
            return self.complete(handle, Err(CallError::Input { key: None }));
        }
        let buf: Arc<str> = result.member("inputRequests").map_or("{}", Json::get).into();
        let held = buf.len() + state.map_or(0, |state| state.get().len());
        if self.kept_bytes + held > self.limits.session_bytes {
            let detail =
                String::from("no room to keep the questions of a call within `session_bytes`; it failed");
            self.fault("fault.input_required", MRTR, None, detail);
            return self.complete(handle, Err(CallError::Input { key: None }));
        }
        let wait = if questions.is_empty() { pause(done) } else { self.limits.input_timeout };
        let requests = Json::from_checked(&buf);
        let mut asked = Vec::with_capacity(questions.len());
        for question in &questions {
            let input = self.next_handle();
            self.inputs.push(input, handle);
            self.audit_input(input, question.row.row().name, revision, done);
            let params = params_span(requests, question.key).map(|span| Payload::new(Arc::clone(&buf), span));
            asked.push(Asked { key: question.key.into(), row: question.row, params, input, answer: None });
        }
        for question in &asked {
            self.outbox.deliver(Event::Input(Input {
                input: InputHandle::from_u64(question.input),
                call: Some(CallHandle::from_u64(handle)),
                task: None,
                method: question.row.row().name,
                params: question.params.clone(),
            }));
        }
        let (now, until) = (self.now, self.now.after(wait));
        let Some(call) = self.calls.get_mut(handle) else { return };
        let rounds = call.rounds.get_or_insert_with(|| Box::new(Rounds::new(now)));
        rounds.done = done.saturating_add(1);
        rounds.state = state.map(|state| state.get().into());
        rounds.questions = asked;
        rounds.held = held;
        self.kept_bytes += held;
        rounds.since = now;
        rounds.until = Some(until);
        let (wire, timer) = (core::mem::take(&mut call.wire), core::mem::take(&mut call.timer));
        let deadline = call.deadline();
        self.wires.remove(wire);
        self.disarm(timer);
        let timer = self.timers.arm(deadline, Timer::Call(handle));
        if let Some(call) = self.calls.get_mut(handle) {
            call.timer = timer;
        }
    }

    fn check_questions(
        &self,
        questions: &[Parsed<'_>],
        revision: Revision,
        served: Allowed,
    ) -> Result<(), Refusal> {
        let modes = revision.features().elicitation_modes;
        if questions.len() > self.limits.input_questions {
            return Err(Refusal::Invalid("more questions than `input_questions`"));
        }
        for question in questions {
            check_question(question.row, modes, question.params).map_err(Refusal::Invalid)?;
        }
        let unable = |question: &Parsed<'_>, why| Refusal::Unable {
            key: unescape(question.key).unwrap_or_default().into_owned(),
            why,
        };
        for question in questions {
            if let Some(why) = beyond(question.row, revision, question.params, served, &self.limits) {
                return Err(unable(question, why));
            }
        }
        match questions.first() {
            Some(first) if self.open_questions() + questions.len() > self.limits.open_questions => {
                Err(unable(first, format!("more than {} questions are open", self.limits.open_questions)))
            }
            _ => Ok(()),
        }
    }
    /// Questions that the application has not answered.
    pub(crate) fn open_questions(&self) -> usize {
        self.inputs.len() + self.requests.len()
    }

    /// The application answers a question that came in a result; `None`: there is no such question.
    pub(crate) fn answer_input(
        &mut self,
        input: u64,
        outcome: &Outcome<'_>,
    ) -> Option<Result<(), SendError>> {
        let handle = *self.inputs.get(input)?;
        let limit = self.limits.message_bytes;
        let call = self.calls.get_mut(handle)?;
        let rounds = call.rounds.as_mut()?;
        let asked = rounds.questions.iter_mut().find(|asked| asked.input == input)?;
        let failed = CallError::Input { key: unescape(&asked.key).map(Cow::into_owned) };
        let result = match outcome {
            Outcome::Result { result, .. } => *result,
            Outcome::Error { .. } => {
                self.inputs.remove(input);
                self.audit_input_over(input, Some(outcome));
                self.complete(handle, Err(failed));
                return Some(Ok(()));
            }
            Outcome::InputRequired { .. } | Outcome::Extension { .. } => {
                return Some(Err(SendError::Invalid("a question is answered with a result or an error")));
            }
        };
        let params = asked.params.as_ref().map(Payload::as_json);
        if let Err(what) = check_own_answer(asked.row, params, result) {
            return Some(Err(SendError::Invalid(what)));
        }
        if let Err(violations) = check_entered(asked.row, params, result) {
            return Some(Err(SendError::FormMismatch(format!("{violations}").into())));
        }
        self.inputs.remove(input);
        let mut text = String::new();
        write::json(&mut text, result);
        rounds.held += text.len();
        self.kept_bytes += text.len();
        asked.answer = Some(text.into());
        let all = rounds.questions.iter().map(|asked| asked.answer.as_ref().map_or(0, |answer| answer.len()));
        let too_large = all.sum::<usize>() > limit;
        let open = rounds.questions.iter().any(|asked| asked.answer.is_none());
        self.audit_input_over(input, Some(outcome));
        if too_large {
            self.complete(handle, Err(failed));
            return Some(Err(SendError::TooLarge));
        }
        Some(if open { Ok(()) } else { self.retry(handle) })
    }

    /// Nothing more is waited for: the call is made again, or its questions are given up.
    pub(crate) fn input_due(&mut self, handle: u64) {
        let Some(call) = self.calls.get(handle) else { return };
        let open = call
            .rounds
            .as_ref()
            .and_then(|rounds| rounds.questions.iter().find(|asked| asked.answer.is_none()));
        let outcome = if let Some(open) = open {
            CallError::Input { key: unescape(&open.key).map(Cow::into_owned) }
        } else if call.total_until <= self.now {
            CallError::Timeout { limit: TimeLimit::Total, began: call.began }
        } else {
            let _ = self.retry(handle);
            return;
        };
        self.stats.timeouts += 1;
        self.complete(handle, Err(outcome));
    }

    /// The same request under a new id, with the answers and the state. One that is too large ends the call.
    fn retry(&mut self, handle: u64) -> Result<(), SendError> {
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        let Some((kept, mut rounds)) = call.kept.clone().zip(call.rounds.take()) else { return Ok(()) };
        let (revision, silence) = (call.revision, call.silence);
        let Ok(Message::Single(first)) = envelope::parse(kept.as_bytes(), Json::MAX_DEPTH) else {
            return Ok(());
        };
        let wire_id = self.wires.add(handle);
        let wire = Wire { revision: Some(revision) };
        let related = Related::Call(CallHandle::from_u64(handle));
        let method = first.method().unwrap_or_default();
        let params = first.raw(Field::Params).map_or(Json::EMPTY_OBJECT, Json::from_checked);
        let sent = self.send(related, false, wire, |out| {
            write::request_head(out, wire_id, &method);
            out.push_str(",\"params\":{");
            write_params(out, params, wire_id, &rounds);
            out.push_str("}}");
        });
        let now = self.now;
        self.kept_bytes = self.kept_bytes.saturating_sub(core::mem::take(&mut rounds.held));
        let order = match sent {
            Ok(order) => order,
            Err(error) => {
                self.wires.remove(wire_id);
                self.complete(handle, Err(CallError::Input { key: None }));
                return Err(error);
            }
        };
        let Some(call) = self.calls.get_mut(handle) else { return Ok(()) };
        if !rounds.questions.is_empty() {
            call.total_until = call.total_until.after(now.since(rounds.since));
        }
        rounds.questions = Vec::new();
        (rounds.state, rounds.until) = (None, None);
        call.rounds = Some(rounds);
        (call.wire, call.order) = (wire_id, order);
        call.silence_until = now.after(silence);
        call.last_progress = f64::NEG_INFINITY;
        let (old, deadline) = (core::mem::take(&mut call.timer), call.deadline());
        self.disarm(old);
        let timer = self.timers.arm(deadline, Timer::Call(handle));
        if let Some(call) = self.calls.get_mut(handle) {
            call.timer = timer;
        }
        Ok(())
    }

    /// A call is over, and with it what was asked for it.
    pub(crate) fn end_rounds(&mut self, call: &Call) {
        let held = call.rounds.as_ref().map_or(0, |rounds| rounds.held);
        let kept = call.kept.as_ref().map_or(0, |kept| kept.len());
        self.kept_bytes = self.kept_bytes.saturating_sub(held + kept);
        for asked in call.rounds.iter().flat_map(|rounds| &rounds.questions) {
            if self.inputs.remove(asked.input).is_some() {
                self.audit_input_over(asked.input, None);
                self.outbox.deliver(Event::InputOver { input: InputHandle::from_u64(asked.input) });
            }
        }
    }
}

/// The questions and the state of a result.
fn parse(result: Json<'_>, revision: Revision) -> Result<(Vec<Parsed<'_>>, Option<Json<'_>>), Refusal> {
    let part = |key| result.member(key).filter(|part| part.get() != "null");
    let (requests, state) = (part("inputRequests"), part("requestState"));
    if state.is_some_and(|state| state.as_str().is_none()) {
        return Err(Refusal::Invalid("`requestState` is no string"));
    }
    if requests.is_some_and(|requests| !requests.is_object()) {
        return Err(Refusal::Invalid("`inputRequests` is no object"));
    }
    let mut questions: Vec<Parsed<'_>> = Vec::new();
    for (key, request) in requests.into_iter().flat_map(Json::members) {
        let name = request.member("method").and_then(Json::as_str).unwrap_or_default();
        let Some(row) = method::find_embedded(&name, revision) else {
            return Err(Refusal::Invalid("a question by a method that is none"));
        };
        if questions.iter().any(|known| unescape(known.key) == unescape(key)) {
            return Err(Refusal::Invalid("two questions with the same key"));
        }
        let params = request.member("params");
        let missing =
            row.row().required.iter().any(|field| params.and_then(|params| params.member(field)).is_none());
        if missing {
            return Err(Refusal::Invalid("a question without a member that its method needs"));
        }
        questions.push(Parsed { key, row, params });
    }
    if questions.is_empty() && state.is_none() {
        return Err(Refusal::Invalid("neither questions nor `requestState`"));
    }
    Ok((questions, state))
}

/// Where the params of a question lie in the requests.
fn params_span(requests: Json<'_>, key: &str) -> Option<envelope::Span> {
    let (start, end) = requests.member_span(&unescape(key)?)?;
    let request = requests.get().get(start as usize..end as usize).map(Json::from_checked)?;
    let (from, to) = request.member_span("params")?;
    Some((start + from, start + to))
}

/// The members of the first request's params, with a progress token of its own, and what this round adds.
fn write_params(out: &mut String, params: Json<'_>, wire_id: u64, rounds: &Rounds) {
    let start = out.len();
    let key_of = |out: &mut String, key: &str| {
        if out.len() > start {
            out.push(',');
        }
        out.push_str(key);
        out.push(':');
    };
    for (key, value) in params.members() {
        match unescape(key).as_deref() {
            Some("inputResponses" | "requestState") => {}
            Some("_meta") => {
                key_of(out, key);
                out.push('{');
                for (place, (key, value)) in value.members().enumerate() {
                    out.push_str(if place == 0 { "" } else { "," });
                    out.push_str(key);
                    out.push(':');
                    if unescape(key).is_some_and(|key| key == meta::PROGRESS_TOKEN) {
                        write::integer(out, wire_id);
                    } else {
                        write::json(out, value);
                    }
                }
                out.push('}');
            }
            _ => {
                key_of(out, key);
                write::json(out, value);
            }
        }
    }
    if !rounds.questions.is_empty() {
        key_of(out, "\"inputResponses\"");
        for (place, asked) in rounds.questions.iter().enumerate() {
            out.push_str(if place == 0 { "{" } else { "," });
            out.push_str(&asked.key);
            out.push(':');
            out.push_str(asked.answer.as_deref().unwrap_or("{}"));
        }
        out.push('}');
    }
    if let Some(state) = &rounds.state {
        key_of(out, "\"requestState\"");
        out.push_str(state);
    }
}

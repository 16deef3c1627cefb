//! Questions of a request's handler to the client, and the same request again with the answers: one handler for both eras.
//!
//! Where questions travel in results (`basic/patterns/mrtr`) the request is answered with them and with sealed state, and
//! the client's retry is a request of its own. Elsewhere the request stays in flight: the questions go out as requests,
//! and when all are over it is delivered again under a new handle.
use alloc::{boxed::Box, collections::BTreeSet, format, string::String, sync::Arc, vec::Vec};

use smallvec::SmallVec;

use super::{
    CallOptions, Server,
    calls::{NewCall, Purpose, check_meta},
    commands::stamp,
    config::Allowed,
    engine::{Engine, Wire},
    mint::Mint,
    questions::{
        MRTR, Paths, capabilities, check_answer, check_entered, check_own_question, is_url, lacking, pause,
        said,
    },
    requests::Received,
    role::Answer,
    sealed_state::{SealedState, request_digest},
    server::{Found, param, request_of},
    service::Service,
    tasks::Kept,
    timers::Timer,
    tools::write_tool_error,
};
use crate::{
    RequestHandle,
    error::{CallError, Fault, SendError},
    event::{Event, InputAnswers, OverReason, Question},
    json::{Json, Payload, unescape},
    jsonrpc::{
        code,
        envelope::{self, Envelope, Field, Message, Span},
        write::{self, ErrorId},
    },
    limits::Limits,
    method::{self, Handling, MethodId},
    revision::Revision,
};

/// What surrounds a question in the message that asks it, at most.
const AROUND: usize = 256;

/// What a request that is to be delivered again waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The client's `notifications/initialized`, before which it is asked nothing.
    Handshake,
    /// Its answers.
    Answers,
    /// A while: nothing was asked.
    Pause,
}

/// A request between two deliveries.
#[derive(Debug)]
pub(crate) struct Asking {
    stage: Stage,
    state: Option<Box<[u8]>>,
    questions: Vec<Asked>,
    /// Of all it holds.
    pub(super) bytes: usize,
}

#[derive(Debug)]
struct Asked {
    key: Box<str>,
    row: MethodId,
    params: Option<Box<str>>,
    elicitation: Option<Box<str>>,
    call: u64,
    outcome: Option<Result<Payload, CallError>>,
}

/// What came with a request that is a retry.
pub(super) struct Retry {
    round: u8,
    state: Option<Box<[u8]>>,
    nonce: Option<[u8; 16]>,
    answers: Vec<(Box<str>, Span)>,
}

impl Retry {
    /// For the request in `buf`.
    pub(super) fn deliver(self, buf: &Arc<str>) -> (u8, Box<InputAnswers>) {
        let payload = |span| Payload::new(Arc::clone(buf), span);
        let input = InputAnswers {
            state: self.state,
            answers: self.answers.into_iter().map(|(key, span)| (key, payload(span))).collect(),
            failed: Vec::new(),
            previous: None,
            nonce: self.nonce,
            elicitations: Vec::new(),
        };
        (self.round, Box::new(input))
    }
}

/// What is wrong with the questions of an application.
fn check(questions: &[Question<'_>], state: Option<&[u8]>, limits: &Limits) -> Result<(), SendError> {
    if questions.is_empty() && state.is_none() {
        return Err(SendError::Invalid("give questions, state, or both"));
    }
    if questions.len() > limits.input_questions {
        return Err(SendError::Invalid("more questions than `input_questions`"));
    }
    if state.is_some_and(|state| state.len() > limits.state_bytes) {
        return Err(SendError::Invalid("the state is longer than `state_bytes`"));
    }
    let keys: BTreeSet<&str> = questions.iter().map(|question| question.key).collect();
    if keys.len() < questions.len() {
        return Err(SendError::Invalid("two questions have the same key"));
    }
    for question in questions {
        let Some(row) = method::any_question(question.method) else {
            return Err(SendError::Invalid("this method is no question to a client"));
        };
        check_own_question(row, true, question.params).map_err(SendError::Invalid)?;
        check_meta(question.params.and_then(|params| params.member("_meta")), false)?;
    }
    Ok(())
}

/// The params as a revision wants them, and the id of an elicitation by URL where it has one: the application's own, or
/// a new one.
fn prepared(
    question: &Question<'_>,
    row: MethodId,
    revision: Revision,
    mint: &mut Mint,
) -> (Option<Box<str>>, Option<Box<str>>) {
    const ID: &str = "elicitationId";
    let degraded = said(row, revision, question.params).ok().flatten();
    let Some(params) = degraded.as_deref().map(Json::from_checked).or(question.params) else {
        return (None, None);
    };
    let own = params.member(ID).and_then(Json::as_str);
    let id: Option<Box<str>> =
        (revision.features().elicitation_id && is_url(question.params)).then(|| match own {
            Some(own) => own.into(),
            None => format!("{:032x}", u128::from_be_bytes(mint.draw())).into(),
        });
    let mut text = String::from("{");
    if let Some(id) = &id {
        text.push_str("\"elicitationId\":");
        write::string(&mut text, id);
    }
    for (key, value) in params.members().filter(|(key, _)| unescape(key).is_none_or(|key| key != ID)) {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(key);
        text.push(':');
        write::json(&mut text, value);
    }
    text.push('}');
    (Some(text.into()), id)
}

/// Whether a request has what a retry brings.
pub(super) fn is_retry(envelope: &Envelope<'_>) -> bool {
    [Field::RequestState, Field::InputResponses].into_iter().any(|field| envelope.span(field) != (0, 0))
}

/// The message of a request, scanned again.
fn parsed(buf: &str, depth: usize) -> Option<Envelope<'_>> {
    match envelope::parse(buf.as_bytes(), depth) {
        Ok(Message::Single(envelope)) => Some(envelope),
        _ => None,
    }
}

/// What `envelope` asks for, whatever its spelling.
fn digest_of(envelope: &Envelope<'_>, row: MethodId) -> [u8; 16] {
    let span = row.row().name_field.map_or((0, 0), |field| param(envelope, field));
    let name = envelope.text().get(span.0 as usize..span.1 as usize).and_then(unescape);
    let arguments = envelope.raw(Field::Arguments).map(Json::from_checked);
    request_digest(row.row().name, &name.unwrap_or_default(), arguments)
}

impl Service {
    /// Milliseconds that sealed state is dated with. Without a wall clock they are good for this machine alone.
    fn sealing_time(&self) -> Option<u64> {
        let own = u64::try_from(core::time::Duration::from_nanos(self.engine.now.as_nanos()).as_millis());
        self.engine.unix_millis().or_else(|| own.ok().filter(|_| !self.sealer.shared))
    }
}

impl Server {
    /// Answers a request with questions.
    pub(super) fn ask(
        &mut self,
        handle: u64,
        questions: &[Question<'_>],
        state: Option<&[u8]>,
    ) -> Result<(), SendError> {
        let engine = &self.service.engine;
        let request = engine.requests.get(handle).filter(|request| request.is_answerable());
        let Some(request) = request else { return Err(engine.gone(handle)) };
        let (revision, round) = (request.revision, request.round);
        let Some(row) = request.method.filter(|row| row.row().may_ask) else {
            return Err(SendError::Invalid("this method may not be answered with questions"));
        };
        check(questions, state, &engine.limits)?;
        let carried = !revision.features().server_requests;
        let now = self.service.sealing_time();
        if carried && now.is_none() {
            return Err(SendError::Invalid("seal keys need the wall clock: give it by `with_clock`"));
        }
        // From here on the request is over for the application.
        let declared = if carried {
            let envelope = parsed(&request.buf, engine.limits.depth);
            let declared = envelope.as_ref().and_then(|envelope| envelope.raw(Field::ClientCapabilities));
            Allowed::by(declared.map_or(Json::EMPTY_OBJECT, Json::from_checked))
        } else {
            self.state.peer
        };
        let mut rows: SmallVec<[MethodId; 4]> = SmallVec::new();
        let mut missing = Paths::new();
        for question in questions {
            match method::find_question(question.method, revision) {
                Some(row) => {
                    missing.extend(lacking(row, revision, question.params, declared));
                    if said(row, revision, question.params).is_err() {
                        missing.extend(row.row().capability);
                    }
                    rows.push(row);
                }
                None => {
                    missing
                        .extend(method::any_question(question.method).and_then(|row| row.row().capability));
                }
            }
        }
        if !missing.is_empty() {
            self.lacks(handle, &missing);
            return Ok(());
        }
        let engine = &mut self.service.engine;
        let bytes = |question: &Question<'_>| {
            question.key.len() + question.params.map_or(0, |params| params.get().len()) + AROUND
        };
        if round >= engine.limits.input_rounds {
            engine.fail(handle, OverReason::Input, code::INTERNAL_ERROR, "Input was asked for too often");
        } else if questions.iter().map(bytes).sum::<usize>() > engine.limits.message_bytes {
            return engine.too_large(handle);
        } else if carried {
            return self.carry(handle, row, (questions, &rows), state, now.unwrap_or_default());
        } else if engine.peer_left() {
            engine.fail(handle, OverReason::Closed, code::INTERNAL_ERROR, "No input can come any more");
        } else {
            self.lower(handle, questions, &rows, state);
        }
        Ok(())
    }

    /// Answers that the client lacks what a handler needs of it. Earlier clients show their model the result of a tool,
    /// and know no error for this.
    fn lacks(&mut self, handle: u64, paths: &[&str]) {
        let engine = &mut self.service.engine;
        let Some(request) = engine.requests.get(handle) else { return };
        let is_tool = request.method.is_some_and(|row| row.row().handling == Handling::CallTool);
        let carried = !request.revision.features().server_requests;
        let paths: BTreeSet<&str> = paths.iter().copied().collect();
        let paths: SmallVec<[&str; 4]> = paths.into_iter().collect();
        let message =
            format!("This needs of the client what it did not declare: the capability {}", paths.join(", "));
        if is_tool && !carried {
            let mut result = String::from("{");
            write_tool_error(&mut result, &message);
            result.push('}');
            engine.end_request(handle, OverReason::Input, Kept::result(Json::from_checked(&result)));
        } else {
            let code = if carried { code::MISSING_CLIENT_CAPABILITY } else { code::INVALID_PARAMS };
            let data = format!("{{\"requiredCapabilities\":{}}}", capabilities(&paths));
            let error = Kept::error_with(code, &message, Some(Json::from_checked(&data)));
            engine.end_request(handle, OverReason::Input, error);
        }
    }

    /// The questions go out in the result.
    fn carry(
        &mut self,
        handle: u64,
        row: MethodId,
        (questions, rows): (&[Question<'_>], &[MethodId]),
        state: Option<&[u8]>,
        now: u64,
    ) -> Result<(), SendError> {
        let Service { engine, mint, sealer, result_meta, .. } = &mut self.service;
        let related = engine.related(handle);
        let Some(request) = engine.take_request(handle) else { return Err(SendError::Over) };
        let lifetime = u64::try_from(engine.limits.state_ttl.as_millis()).unwrap_or(u64::MAX);
        let request_digest =
            parsed(&request.buf, engine.limits.depth).map(|envelope| digest_of(&envelope, row));
        let sealed = SealedState {
            expires: now.saturating_add(lifetime),
            round: request.round.saturating_add(1),
            nonce: mint.draw(),
            principal: self.state.principal,
            request: request_digest.unwrap_or_default(),
            questions: questions
                .iter()
                .map(|question| (question.key.into(), question.method.into()))
                .collect(),
            state: state.map(Into::into),
        };
        let sealed = sealer.seal_state(&sealed).unwrap_or_default();
        let wire = Wire { revision: Some(request.revision) };
        let id = request.id();
        let stamp = write::Stamp {
            result_type: Some("input_required"),
            ..stamp(request.revision, None, result_meta)
        };
        engine.answer(request.reply, related, false, wire, id, |out| {
            write::result_with(out, id, &stamp, |out| {
                for (place, (question, row)) in questions.iter().zip(rows).enumerate() {
                    out.push_str(if place == 0 { "\"inputRequests\":{" } else { "," });
                    write::string(out, question.key);
                    out.push_str(":{\"method\":");
                    write::string(out, question.method);
                    if let (Some(params), _) = prepared(question, *row, request.revision, mint) {
                        out.push_str(",\"params\":");
                        out.push_str(&params);
                    }
                    out.push('}');
                }
                out.push_str(if questions.is_empty() { "" } else { "}," });
                out.push_str("\"requestState\":\"");
                out.push_str(&sealed);
                out.push('"');
            });
        })
    }

    /// The questions go out as requests, and the request stays in flight.
    fn lower(&mut self, handle: u64, questions: &[Question<'_>], rows: &[MethodId], state: Option<&[u8]>) {
        let Service { engine, mint, .. } = &mut self.service;
        let Some(request) = engine.requests.get(handle) else { return };
        let (revision, round, handler) = (request.revision, request.round, request.timer);
        let questions = questions.iter().zip(rows).map(|(question, row)| {
            let (params, elicitation) = prepared(question, *row, revision, mint);
            Asked { key: question.key.into(), row: *row, params, elicitation, call: 0, outcome: None }
        });
        let questions: Vec<Asked> = questions.collect();
        let (stage, timer) = if questions.is_empty() {
            (Stage::Pause, Some(pause(round)))
        } else if self.state.initialized {
            (Stage::Answers, None)
        } else {
            (Stage::Handshake, Some(engine.limits.handshake))
        };
        let held = |asked: &Asked| asked.key.len() + asked.params.as_ref().map_or(0, |params| params.len());
        let bytes = questions.iter().map(held).sum::<usize>() + state.map_or(0, <[u8]>::len);
        let asking = Asking { stage, state: state.map(Into::into), questions, bytes };
        // While the client is asked, its handler is not late.
        let timer = timer.map_or(0, |wait| engine.timers.arm(engine.now.after(wait), Timer::Request(handle)));
        engine.requests.ask(handle, timer, asking);
        engine.disarm(handler);
        if stage == Stage::Answers {
            engine.send_questions(handle);
        }
    }

    /// The handshake is complete: what waited for it is asked.
    pub(super) fn ask_what_waits(&mut self) {
        let engine = &mut self.service.engine;
        let waits = |request: &Received| {
            request.asking.as_ref().is_some_and(|asking| asking.stage == Stage::Handshake)
        };
        let handles: SmallVec<[u64; 4]> =
            engine.requests.iter().filter_map(|(handle, request)| waits(request).then_some(handle)).collect();
        for handle in handles {
            let Some(request) = engine.requests.get_mut(handle) else { continue };
            let timer = core::mem::take(&mut request.timer);
            if let Some(asking) = &mut request.asking {
                asking.stage = Stage::Answers;
            }
            engine.disarm(timer);
            engine.send_questions(handle);
        }
    }

    /// A request that waits has waited long enough.
    pub(super) fn waited(&mut self, handle: u64) {
        let asking = self.service.engine.requests.get(handle).and_then(|request| request.asking.as_ref());
        match asking.map(|asking| (asking.stage, &asking.questions)) {
            Some((Stage::Handshake, questions)) => {
                let paths: Paths = questions.iter().filter_map(|asked| asked.row.row().capability).collect();
                self.lacks(handle, &paths);
            }
            Some(_) => self.service.engine.redeliver(handle),
            None => {}
        }
    }

    /// The answer of the client to a question of a request.
    pub(super) fn question_answered(&mut self, request: u64, call: u64, answer: Answer<'_>) {
        let outcome = match answer {
            Answer::Result { result, .. } => Ok(Payload::from_json(result)),
            Answer::Error(error) => Err(CallError::Rpc(error)),
            Answer::Invalid(fault) => Err(CallError::InvalidResult(fault.into())),
        };
        self.state.pings_missed = 0;
        self.service.engine.complete(call, Err(CallError::Cancelled));
        self.service.engine.question_over(request, call, outcome);
    }

    /// What a request brings from the round before, if it is a retry. `Err`: it is refused, and this is why.
    pub(super) fn retried(
        &mut self,
        envelope: &Envelope<'_>,
        row: MethodId,
        revision: Revision,
    ) -> Result<Option<Retry>, String> {
        let (state, responses) = (envelope.raw(Field::RequestState), envelope.raw(Field::InputResponses));
        if !row.row().may_ask || revision.features().server_requests {
            return Ok(None);
        }
        let responses = responses.map(Json::from_checked);
        if responses.is_some_and(|responses| !responses.is_object()) {
            return Err(String::from("`inputResponses` must be an object"));
        }
        let responses = responses.unwrap_or(Json::EMPTY_OBJECT);
        let (start, _) = envelope.span(Field::InputResponses);
        let place = |key: &str| responses.member_span(key).map(|(from, to)| (start + from, start + to));
        let wrong = |key: &str, what: &str| {
            let shown: String = key.chars().take(64).collect();
            format!("`inputResponses.{shown}`: {what}")
        };
        let mut retry = Retry { round: 0, state: None, nonce: None, answers: Vec::new() };
        let Some(state) = state else {
            // Nobody knows what was asked: it is the handler that looks for what it needs.
            for (token, answer) in responses.members() {
                let key = unescape(token).unwrap_or_default();
                if !answer.is_object() {
                    return Err(wrong(&key, "an answer is an object"));
                }
                if !retry.answers.iter().any(|(known, _)| **known == *key) {
                    retry.answers.extend(place(&key).map(|span| (key.into(), span)));
                }
            }
            return Ok(Some(retry));
        };
        let sealed = match self.opened(state, envelope, row) {
            Ok(sealed) => sealed,
            Err(why) => {
                let engine = &mut self.service.engine;
                engine.fault("fault.request_state", MRTR, Some(code::INVALID_PARAMS), String::from(why));
                return Err(String::from(
                    "`requestState` is not good for this request; begin again without it",
                ));
            }
        };
        for (key, method) in sealed.questions {
            let answer = responses.member(&key);
            let (Some(answer), Some(span)) = (answer, place(&key)) else { continue };
            if let Some(row) = method::find_question(&method, revision) {
                check_answer(row, answer).map_err(|what| wrong(&key, what))?;
            }
            retry.answers.push((key, span));
        }
        (retry.round, retry.state, retry.nonce) = (sealed.round, sealed.state, Some(sealed.nonce));
        Ok(Some(retry))
    }

    /// The state, if it is good for this request now. `Err`: why not, which the client is not told.
    fn opened(
        &self,
        state: &str,
        envelope: &Envelope<'_>,
        row: MethodId,
    ) -> Result<SealedState, &'static str> {
        let Some(text) = unescape(state) else { return Err("`requestState` is no string; refused") };
        let Some(now) = self.service.sealing_time() else {
            return Err(
                "a `requestState` that can't be dated without the wall clock, which `with_clock` gives; refused",
            );
        };
        let Some(sealed) = self.service.sealer.open_state(&text) else {
            return Err("a `requestState` that was not made here, or was changed; refused");
        };
        if sealed.principal != self.state.principal {
            Err("a `requestState` of another principal; refused")
        } else if sealed.request != digest_of(envelope, row) {
            Err("a `requestState` of another request; refused")
        } else if now >= sealed.expires {
            Err("a `requestState` that has expired; refused")
        } else {
            Ok(sealed)
        }
    }
}

impl Engine {
    /// What an application answered is too large, and was replaced.
    fn too_large(&mut self, handle: u64) -> Result<(), SendError> {
        const WHY: &str = "The answer is too large";
        if self.run_by(handle).is_some() {
            self.finish_task(handle, Kept::error(code::INTERNAL_ERROR, WHY))?;
            return Err(SendError::TooLarge);
        }
        let related = self.related(handle);
        if let Some(request) = self.take_request(handle) {
            let (id, wire) = (request.id(), Wire { revision: Some(request.revision) });
            let _ = self.answer(request.reply, related, false, wire, id, |out| {
                write::error(out, ErrorId::Id(id), code::INTERNAL_ERROR, WHY, None);
            });
        }
        Err(SendError::TooLarge)
    }
    fn send_questions(&mut self, handle: u64) {
        let Some(mut asking) = self.requests.get_mut(handle).and_then(|request| request.asking.take()) else {
            return;
        };
        let revision = self.requests.get(handle).map(|request| request.revision);
        let related_task = self.related_task(handle);
        let limit = Some(self.limits.input_timeout);
        let options = CallOptions::new().timeouts(limit, limit);
        for asked in &mut asking.questions {
            let Some(revision) = revision else { continue };
            let call = NewCall {
                purpose: Purpose::Question(handle),
                method: asked.row.row().name,
                row: Some(asked.row),
                revision,
                params: asked.params.as_deref().map(Json::from_checked),
                meta: &related_task,
            };
            match self.start_call(&call, &options) {
                Ok(call) => {
                    asked.call = call;
                    self.ask_for(handle, call);
                }
                Err(_) => asked.outcome = Some(Err(CallError::Closed { delivered: false })),
            }
        }
        let all_over = asking.questions.iter().all(|asked| asked.outcome.is_some());
        if let Some(request) = self.requests.get_mut(handle) {
            request.asking = Some(asking);
        }
        if all_over {
            self.redeliver(handle);
        }
    }
    /// A question of a request is answered, or never will be. The last one delivers the request again.
    pub(crate) fn question_over(&mut self, handle: u64, call: u64, outcome: Result<Payload, CallError>) {
        let room = self.limits.session_bytes.saturating_sub(self.retained());
        let Some(asking) = self.requests.get_mut(handle).and_then(|request| request.asking.as_mut()) else {
            return;
        };
        let Some(asked) = asking.questions.iter_mut().find(|asked| asked.call == call) else { return };
        let params = asked.params.as_deref().map(Json::from_checked);
        let refused = |what: &str| {
            let detail = format!("{what}; its question failed");
            Err(CallError::InvalidResult(Box::new(Fault::new("fault.input", MRTR, detail))))
        };
        let outcome = match outcome {
            Ok(answer) => match check_answer(asked.row, answer.as_json()) {
                Err(what) => refused(what),
                Ok(()) if check_entered(asked.row, params, answer.as_json()).is_err() => {
                    refused("what was entered does not fit `requestedSchema`")
                }
                Ok(()) if answer.held() > room => refused("no room to keep it within `session_bytes`"),
                Ok(()) => Ok(answer),
            },
            failed => failed,
        };
        let bytes = outcome.as_ref().map_or(0, Payload::held);
        asked.outcome = Some(outcome);
        let all_over = asking.questions.iter().all(|asked| asked.outcome.is_some());
        self.requests.hold(handle, bytes);
        if all_over {
            self.redeliver(handle);
        }
    }
    /// The same request again, under a new handle, with what was answered.
    fn redeliver(&mut self, handle: u64) {
        let task = self.run_by(handle);
        let Some(mut request) = self.requests.remove(handle) else { return };
        self.disarm(request.timer);
        let asking = request.asking.take();
        let again = self.next_handle();
        request.round = request.round.saturating_add(1);
        // The time of a task's handler is that of the task.
        let limit = self.limits.handler.filter(|_| task.is_none());
        request.timer =
            limit.map_or(0, |limit| self.timers.arm(self.now.after(limit), Timer::Request(again)));
        let mut input = InputAnswers {
            state: None,
            answers: Vec::new(),
            failed: Vec::new(),
            previous: Some(RequestHandle::from_u64(handle)),
            nonce: None,
            elicitations: Vec::new(),
        };
        if let Some(asking) = asking {
            input.state = asking.state;
            for asked in asking.questions {
                input.elicitations.extend(asked.elicitation.map(|id| (asked.key.clone(), id)));
                match asked.outcome {
                    Some(Ok(answer)) => input.answers.push((asked.key, answer)),
                    Some(Err(error)) => input.failed.push((asked.key, error)),
                    None => {}
                }
            }
        }
        let buf = Arc::clone(&request.buf);
        if let (Some(envelope), Some(row)) = (parsed(&buf, self.limits.depth), request.method) {
            // Its arguments were checked when it came first.
            let found = Found { template: request.template.clone(), ..Found::default() };
            let revision = request.revision;
            let mut delivered = request_of(&envelope, Arc::clone(&buf), again, Some(row), revision, found);
            (delivered.round, delivered.input) = (request.round, Some(Box::new(input)));
            delivered.task = task.and_then(|task| self.run_again(task, again)).map(Box::new);
            self.outbox.deliver(Event::Request(delivered));
        }
        self.requests.push(again, request);
    }
    /// The questions of a request that is over are not to be answered any more.
    pub(crate) fn take_back(&mut self, asking: &Asking, revision: Revision) {
        let wire = Wire { revision: Some(revision) };
        for asked in asking.questions.iter().filter(|asked| asked.outcome.is_none()) {
            self.send_cancelled(asked.call, None, wire);
            self.complete(asked.call, Err(CallError::Cancelled));
        }
    }
    /// No answer can come any more, but the peer still reads.
    pub(crate) fn end_asking(&mut self) {
        let handles: SmallVec<[u64; 4]> = self
            .requests
            .iter()
            .filter_map(|(handle, request)| request.asking.is_some().then_some(handle))
            .collect();
        for handle in handles {
            self.fail(handle, OverReason::Closed, code::INTERNAL_ERROR, "No input can come any more");
        }
    }
}

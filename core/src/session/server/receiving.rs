//! What a server makes of what it receives.
use alloc::{format, string::String, sync::Arc};

use super::Server;
use crate::{
    CallHandle, RequestHandle,
    error::{CloseReason, SendError},
    event::{Completion, Event, Method, Request, TemplateMatch},
    json::{Json, Payload, unescape},
    jsonrpc::{
        code,
        envelope::{Envelope, Field, Span},
        write,
    },
    method::{self, Handling, MethodId, MethodKind, RateClass, Side},
    revision::{Era, Revision},
    session::{
        LogLevel,
        calls::Purpose,
        catalog::ListKind,
        engine::{Engine, Reply},
        extensions::declares_extension,
        input::is_retry,
        missing::Missing,
        opening::Opening,
        principal::Principal,
        role::{Answer, BASE, PROGRESS, Role},
        seal::Sealer,
        tasks,
        traced::traced,
    },
    time::Instant,
    trace::arguments::Arguments,
};

impl Server {
    /// The row of a method of an extension that this server declares.
    fn extended(&self, name: &str, kind: MethodKind, revision: Revision) -> Option<MethodId> {
        method::find_extension(name, kind, Side::Client, revision)
            .filter(|row| self.service.allowed.has(*row, revision))
    }

    fn set_level(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply, revision: Revision) {
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        if let Some(level) = params
            .and_then(|params| params.member("level"))
            .and_then(|level| LogLevel::from_json(level.get()))
        {
            self.state.log_level = Some(level);
            self.service.reply(reply, id, revision, None, |_| ());
        } else {
            let message =
                "`level` must be one of debug, info, notice, warning, error, critical, alert, emergency";
            self.refuse(reply, id, code::INVALID_PARAMS, message, None);
        }
    }

    pub(in crate::session) fn deliver(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: Option<MethodId>,
        found: Found,
    ) {
        let retry = match row.filter(|_| is_retry(envelope)) {
            Some(row) => match self.retried(envelope, row, revision) {
                Ok(retry) => retry,
                Err(why) => return self.refuse(reply, id, code::INVALID_PARAMS, &why, None),
            },
            None => None,
        };
        let admitted = tasks::receive::admit(self, envelope, id, reply, revision, row);
        let Some((handle, buf, task)) = admitted else { return };
        let engine = &mut self.service.engine;
        let mut request = request_of(envelope, buf, handle, row, revision, found);
        request.task = task;
        if let Some(retry) = retry {
            let (round, input) = retry.deliver(&request.buf);
            (request.round, request.input) = (round, Some(input));
        }
        if (request.input.is_some() || request.template.is_some())
            && let Some(received) = engine.requests.get_mut(handle)
        {
            received.round = request.round;
            received.template.clone_from(&request.template);
        }
        engine.outbox.deliver(Event::Request(request));
    }
}

/// What the application sees of a request.
pub(in crate::session) fn request_of(
    envelope: &Envelope<'_>,
    buf: Arc<str>,
    handle: u64,
    row: Option<MethodId>,
    revision: Revision,
    found: Found,
) -> Request {
    Request {
        buf,
        params: envelope.span(Field::Params),
        name: match row {
            Some(row) => row.row().name_field.map_or((0, 0), |field| param(envelope, field)),
            None => envelope.span(Field::Method),
        },
        arguments: envelope.span(Field::Arguments),
        meta: envelope.span(Field::Meta),
        handle: RequestHandle::from_u64(handle),
        method: row,
        revision,
        unchecked: found.unchecked,
        template: found.template,
        round: 0,
        input: None,
        task: None,
    }
}

/// What the client declares in this request.
pub(super) fn capabilities<'a>(envelope: &Envelope<'a>) -> Json<'a> {
    envelope.raw(Field::ClientCapabilities).map_or(Json::EMPTY_OBJECT, Json::from_checked)
}

/// What the catalog knows of a request that is delivered.
#[derive(Default)]
pub(in crate::session) struct Found {
    /// It has a schema for the arguments that was not looked at.
    pub(in crate::session) unchecked: bool,
    /// The template that its URI matches.
    pub(in crate::session) template: Option<Arc<TemplateMatch>>,
}

/// Where a member of `params` lies in the message.
pub(in crate::session) fn param(envelope: &Envelope<'_>, field: &str) -> Span {
    match field {
        "name" => envelope.span(Field::Name),
        "uri" => envelope.span(Field::Uri),
        _ => {
            let (start, _) = envelope.span(Field::Params);
            let params = envelope.raw(Field::Params).map(Json::from_checked);
            params
                .and_then(|params| params.member_span(field))
                .map_or((0, 0), |(from, to)| (start + from, start + to))
        }
    }
}

impl Server {
    /// Refuses a request that names something the catalog lacks. `name`: a raw JSON string.
    pub(in crate::session) fn missing(
        &mut self,
        reply: Reply,
        id: &str,
        revision: Revision,
        row: MethodId,
        name: &str,
    ) {
        let missing = Missing::of(Some(row.row().handling), revision, name);
        self.refuse(reply, id, missing.code, &missing.message, missing.data.as_deref());
    }
}

impl Role for Server {
    fn engine(&mut self) -> &mut Engine {
        &mut self.service.engine
    }
    fn engine_ref(&self) -> &Engine {
        &self.service.engine
    }
    fn principal(&self) -> Principal {
        self.state.principal
    }
    fn revision(&self) -> Option<Revision> {
        self.state.revision.or(self.last_modern)
    }
    fn request(&mut self, envelope: &Envelope<'_>, id: &str, reply: Reply) {
        // A server of the legacy era alone knows nothing of such a member, and must not look modern.
        let version =
            envelope.raw(Field::ProtocolVersion).filter(|_| self.service.config.speaks(Era::Modern));
        let revision = match version {
            Some(version) => match self.opening(envelope, version) {
                Opening::Revision(revision) => {
                    self.last_modern = Some(revision);
                    revision
                }
                Opening::Unsupported => return self.unsupported(reply, id, version),
                Opening::Malformed(message) => {
                    self.refuse(reply, id, code::INVALID_PARAMS, message, None);
                    let detail = format!("malformed `_meta`: {message}; refused");
                    return self.service.engine.fault("fault.meta", BASE, Some(code::INVALID_PARAMS), detail);
                }
            },
            None => match self.state.revision {
                Some(revision) => revision,
                None => return self.unopened(envelope, id, reply),
            },
        };
        if reply != Reply::Message && !revision.features().batches {
            let message = "Batches are not part of this revision";
            return self.refuse(reply, id, code::INVALID_REQUEST, message, None);
        }
        let name = envelope.method().unwrap_or_default();
        let row = method::find(&name, MethodKind::Request, Side::Client, revision)
            .or_else(|| self.extended(&name, MethodKind::Request, revision));
        let Some(row) = row else {
            if self.service.config.unknown_methods && !method::is_known(&name) {
                if self.is_limited(id, reply, revision, Some(RateClass::Calls)) {
                    return;
                }
                return self.deliver(envelope, id, reply, revision, None, Found::default());
            }
            return self.refuse(reply, id, code::METHOD_NOT_FOUND, "Method not found", None);
        };
        if let Some(name) =
            row.row().extension.filter(|name| !declares_extension(capabilities(envelope), name))
        {
            let mut data = String::from("{\"requiredCapabilities\":{\"extensions\":{");
            write::string(&mut data, name);
            data.push_str(":{}}}}");
            let message = "The client does not declare the extension";
            return self.refuse(reply, id, code::MISSING_CLIENT_CAPABILITY, message, Some(&data));
        }
        if !self.service.allowed.has(row, revision) {
            return self.refuse(
                reply,
                id,
                code::METHOD_NOT_FOUND,
                "Method not found: its capability is not declared",
                None,
            );
        }
        if self.is_limited(id, reply, revision, row.row().rate) {
            return;
        }
        let missing = row.row().required.iter().find(|field| param(envelope, field) == (0, 0));
        let unnamed = row.row().name_field.filter(|field| {
            let (start, _) = param(envelope, field);
            start != 0 && envelope.text().as_bytes().get(start as usize) != Some(&b'"')
        });
        if row.row().handling != Handling::Initialize
            && let Some(field) = missing
        {
            return self.refuse(reply, id, code::INVALID_PARAMS, &format!("`{field}` is missing"), None);
        }
        if let Some(field) = unnamed {
            return self.refuse(
                reply,
                id,
                code::INVALID_PARAMS,
                &format!("`{field}` must be a string"),
                None,
            );
        }
        match row.row().handling {
            Handling::Initialize => {
                self.refuse(reply, id, code::INVALID_REQUEST, "The session is initialized already", None);
            }
            Handling::Discover => self.discover(id, reply, revision),
            Handling::Ping => self.service.reply(reply, id, revision, None, |_| ()),
            Handling::SetLevel => self.set_level(envelope, id, reply, revision),
            Handling::CallTool => self.call_tool(envelope, id, reply, revision, row),
            Handling::ReadResource => self.read_resource(envelope, id, reply, revision, row),
            Handling::GetPrompt => self.get_prompt(envelope, id, reply, revision, row),
            Handling::Complete => self.complete(envelope, id, reply, revision, row),
            Handling::Listen => self.listen(envelope, id, revision, row),
            Handling::Subscribe | Handling::Unsubscribe => {
                self.subscribe(envelope, id, reply, revision, row);
            }
            Handling::TaskGet | Handling::TaskResult | Handling::TaskCancel | Handling::TaskList => {
                tasks::receive::serve(self, envelope, id, reply, revision, row);
            }
            other => match ListKind::of(other) {
                Some(kind) => self.list(envelope, id, reply, revision, row, kind),
                None => self.deliver(envelope, id, reply, revision, Some(row), Found::default()),
            },
        }
    }
    fn notification(&mut self, envelope: &Envelope<'_>) {
        let tagged = envelope
            .raw(Field::ProtocolVersion)
            .and_then(unescape)
            .and_then(|name| Revision::from_name(&name))
            .filter(|revision| self.service.config.revisions.contains(*revision));
        let name = envelope.method().unwrap_or_default();
        // A cancellation takes the revision of the request that it names.
        let newest = self.service.config.revisions.newest_first().next();
        let revision = tagged.or(self.state.revision).or(self.last_modern).or(newest);
        let row = revision
            .and_then(|revision| method::find(&name, MethodKind::Notification, Side::Client, revision));
        if self.is_dropped(row) {
            return;
        }
        match row.map(|row| row.row().handling) {
            Some(Handling::Cancelled) => self.cancelled(envelope),
            Some(Handling::Initialized) if self.state.revision.is_some() => {
                self.state.initialized = true;
                self.ask_what_waits();
                self.tell_held_changes();
            }
            Some(Handling::Progress) => {
                if let Some(params) = envelope.raw(Field::Params).map(Json::from_checked) {
                    let token = params.member("progressToken").map_or("null", Json::get);
                    self.service.engine.progressed(token, params, PROGRESS);
                }
            }
            Some(Handling::Initialized) => self.service.engine.stats.ignored += 1,
            Some(Handling::TaskStatus) if self.service.engine.task_told(envelope) => {}
            Some(_) if self.state.revision.is_some() || tagged.is_some() => {
                let method = row.map_or("", |row| row.row().name);
                let params = envelope.raw(Field::Params).map(Json::from_checked).map(Payload::from_json);
                self.deliver_notice(Event::Notification {
                    call: None,
                    method: Method::Known(method),
                    params,
                });
            }
            None if self.service.config.unknown_methods && !method::is_known(&name) => {
                let raw = envelope.raw(Field::Method).map_or(Json::EMPTY_OBJECT, Json::from_checked);
                let method = Method::Other(Payload::from_json(raw));
                let params = envelope.raw(Field::Params).map(Json::from_checked).map(Payload::from_json);
                self.deliver_notice(Event::Notification { call: None, method, params });
            }
            _ => self.service.engine.stats.ignored += 1,
        }
    }
    fn answered(&mut self, handle: u64, purpose: Purpose, answer: Answer<'_>) {
        if let Purpose::Question(request) = purpose {
            return self.question_answered(request, handle, answer);
        }
        // Otherwise only keep-alive pings are sent for the engine here, and any answer shows life.
        self.state.pings_missed = 0;
        self.service.engine.complete(handle, Ok(Completion::new(Payload::from_json(Json::EMPTY_OBJECT))));
    }
    fn waited(&mut self, request: u64) {
        Server::waited(self, request);
    }
    fn opening_due(&mut self) {}
    #[inline]
    fn say_held(&mut self) {
        let engine = &self.service.engine;
        if engine.holds_notices && !engine.is_full() {
            let now = engine.now;
            traced!(self, now, in say_held());
            self.tell_held();
        }
    }
    fn cancel(&mut self, now: Instant, call: CallHandle, reason: Option<&str>) -> Result<(), SendError> {
        Server::cancel(self, now, call, reason)
    }
    fn command(&mut self, now: Instant, name: &str, arguments: Arguments<'_>) -> Option<()> {
        self.replayed(now, name, arguments)
    }
    fn pings_missed(&mut self) -> &mut u32 {
        &mut self.state.pings_missed
    }
    fn input_ended(&mut self, now: Instant) {
        self.handle_eof(now);
    }
    fn channel_end(&self) -> CloseReason {
        CloseReason::Peer
    }
    fn drained(&mut self) {
        self.service.engine.drained();
    }
    fn takes_task(&self, row: MethodId, revision: Revision) -> bool {
        self.service.allowed.takes_task(row, revision)
    }
    fn draw(&mut self) -> [u8; 16] {
        self.service.mint.draw()
    }
    fn sealer(&self) -> &Sealer {
        &self.service.sealer
    }
    fn page_size(&self) -> usize {
        self.service.config.page_size
    }
}

//! The machine under test behind one face: either role, over a byte stream or as whole messages. What it sends goes through
//! the schema gate.
use mcp_sansio::{
    embed::{Batch, Channel, ClientConnection, Code, EmbedError, Options, Record, ServerConnection},
    method,
};
use mcp_sansio_gate::Gate;

use super::{case::Side, value::Value};

/// A machine of one role.
pub struct Machine {
    connection: Connection,
    gate: Gate,
    heard: Lines,
    said: Lines,
}

enum Connection {
    Server(ServerConnection),
    Client(ClientConnection),
}

/// The wall clock when a run begins, in milliseconds since 1970.
const NEW_YEAR_2026: u64 = 1_767_225_600_000;

/// A stream on its way to the gate.
struct Lines {
    unfinished: Vec<u8>,
    longest: usize,
}

impl Lines {
    /// Lines that matter are no longer than this. The room is there from the beginning, so that it counts for nothing where
    /// the memory of a machine is measured.
    fn bounded(longest: usize) -> Self {
        Self { unfinished: Vec::with_capacity(longest), longest }
    }
    /// The lines that these bytes complete.
    fn complete(
        &mut self,
        bytes: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(), String> {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (line, ended) = piece.strip_suffix(b"\n").map_or((piece, false), |line| (line, true));
            if self.unfinished.len() + line.len() < self.longest {
                self.unfinished.extend_from_slice(line);
            }
            if ended {
                let checked = each(self.unfinished.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.unfinished));
                self.unfinished.clear();
                checked?;
            }
        }
        Ok(())
    }
}

/// What came out of a machine.
pub enum Output {
    /// Bytes of a stream.
    Bytes(String),
    /// A whole message.
    Message {
        /// Its text.
        text: String,
        /// The request (1) or call (2) that it belongs to; `None`: the session.
        related: Option<(i64, u64)>,
    },
    /// An event.
    Event(Event),
}

/// One event. What it is about are numbers of the machine; everything else is in its description.
pub struct Event {
    /// Which kind.
    pub code: u32,
    /// The request, call or question it is about.
    pub handle: u64,
    /// The event for assertions: `{"event": "request", "method": …}`.
    pub description: Value,
}

macro_rules! both {
    ($machine:expr, $connection:ident => $body:expr) => {
        match $machine {
            Connection::Server($connection) => $body,
            Connection::Client($connection) => $body,
        }
    };
}

impl Machine {
    /// A machine of this configuration. Servers of one seed know what each other sealed. `principal`: whose channel it is.
    pub fn new(
        side: Side,
        config: &Value,
        channel: Channel,
        seed: u8,
        principal: Option<&str>,
    ) -> Result<Self, EmbedError> {
        let seed = [seed; 32];
        let config = config.to_string();
        let (connection, side) = match side {
            Side::Server => {
                let server = ServerConnection::new_for(config.as_bytes(), seed, channel, principal, &[])?;
                (Connection::Server(server), method::Side::Server)
            }
            Side::Client => {
                let client = ClientConnection::new(config.as_bytes(), seed, channel)?;
                (Connection::Client(client), method::Side::Client)
            }
        };
        let mut connection = connection;
        both!(&mut connection, connection => connection.set_wall_clock(0, NEW_YEAR_2026))?;
        Ok(Self {
            connection,
            gate: Gate::new(side),
            heard: Lines::bounded(4 << 20),
            said: Lines { unfinished: Vec::new(), longest: usize::MAX },
        })
    }
    /// The server.
    pub fn server(&mut self) -> Option<&mut ServerConnection> {
        if let Connection::Server(server) = &mut self.connection { Some(server) } else { None }
    }
    /// The client.
    pub fn client(&mut self) -> Option<&mut ClientConnection> {
        if let Connection::Client(client) = &mut self.connection { Some(client) } else { None }
    }
    /// Bytes of a stream.
    pub fn handle_data(&mut self, now: u64, data: &[u8]) -> Result<(), EmbedError> {
        let heard = |line: &[u8]| {
            self.gate.received(line);
            Ok(())
        };
        self.heard.complete(data, heard).map_err(broken)?;
        both!(&mut self.connection, connection => connection.handle_data(now, data))
    }
    /// One whole message.
    pub fn handle_message(&mut self, now: u64, message: &[u8]) -> Result<(), EmbedError> {
        self.gate.received(message);
        both!(&mut self.connection, connection => connection.handle_message(now, message))
    }
    /// The end of input.
    pub fn handle_eof(&mut self, now: u64) -> Result<(), EmbedError> {
        // What the stream ends with is a line too.
        self.gate.received(&std::mem::take(&mut self.heard.unfinished));
        both!(&mut self.connection, connection => connection.handle_eof(now))
    }
    /// The channel broke.
    pub fn handle_closed(&mut self, now: u64) -> Result<(), EmbedError> {
        both!(&mut self.connection, connection => connection.handle_closed(now))
    }
    /// Time has passed.
    pub fn handle_timeout(&mut self, now: u64) -> Result<(), EmbedError> {
        both!(&mut self.connection, connection => connection.handle_timeout(now))
    }
    /// The next deadline.
    pub fn next_timeout(&self) -> Option<u64> {
        both!(&self.connection, connection => connection.next_timeout())
    }
    /// Whether the host may go.
    pub fn is_over(&self) -> bool {
        both!(&self.connection, connection => connection.is_over())
    }
    /// Its counters.
    pub fn stats(&self) -> String {
        both!(&self.connection, connection => connection.stats())
    }
    /// Starts a call.
    pub fn call(
        &mut self,
        now: u64,
        method: &str,
        params: Option<&[u8]>,
        options: Options<'_>,
    ) -> Result<u64, EmbedError> {
        both!(&mut self.connection, connection => connection.call(now, method, params, options))
    }
    /// Takes a call back.
    pub fn cancel(&mut self, now: u64, call: u64, reason: Option<&str>) -> Result<(), EmbedError> {
        both!(&mut self.connection, connection => connection.cancel(now, call, reason))
    }
    /// Sends a notice.
    pub fn notify(&mut self, now: u64, method: &str, params: Option<&[u8]>) -> Result<(), EmbedError> {
        both!(&mut self.connection, connection => connection.notify(now, method, params))
    }
    /// Says that something changed: `what`, and of a resource its `uri`.
    pub fn publish(&mut self, now: u64, what: &str, uri: Option<&str>) -> Result<(), EmbedError> {
        self.server().ok_or_else(wrong_side)?.publish(now, what, uri, None)
    }
    /// Follows a list to its end.
    pub fn list_all(&mut self, now: u64, method: &str, options: Options<'_>) -> Result<u64, EmbedError> {
        self.client().ok_or_else(wrong_side)?.list_all(now, method, None, options)
    }
    /// Asks whether the server lives.
    pub fn probe(&mut self, now: u64) -> Result<u64, EmbedError> {
        self.client().ok_or_else(wrong_side)?.probe(now)
    }
    /// Subscribes to changes: `tools`, `prompts`, `resources`, `uris`.
    pub fn subscribe(&mut self, now: u64, filter: &Value) -> Result<u64, EmbedError> {
        let wants = |what: &str| filter.get(what) == Some(&Value::Bool(true));
        let uris: Vec<&str> = filter
            .get("uris")
            .map(Value::elements)
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let (tools, prompts, resources) = (wants("tools"), wants("prompts"), wants("resources"));
        self.client().ok_or_else(wrong_side)?.subscribe(now, tools, prompts, resources, &uris)
    }
    /// Whom calls are made for from now on.
    pub fn set_principal(&mut self, principal: Option<&str>) -> Result<(), EmbedError> {
        self.client().ok_or_else(wrong_side)?.set_principal(principal)
    }
    /// A log notice for a request, or for the session if that is 0: `level`, `logger`, `data`.
    pub fn log(&mut self, now: u64, request: u64, notice: &Value) -> Result<bool, EmbedError> {
        let text = |member: &str| notice.get(member).and_then(Value::as_str);
        let data = notice.get("data").unwrap_or(&Value::Null).to_string();
        let server = self.server().ok_or_else(wrong_side)?;
        server.log(now, request, text("level").unwrap_or("info"), text("logger"), data.as_bytes())
    }
    /// One act of the application about a request or a question. The outer error is an act that there is not.
    pub fn act(&mut self, now: u64, about: u64, act: &Value) -> Result<Result<(), EmbedError>, String> {
        let unknown = || format!("there is no act {act}");
        let (kind, value) = act.members().first().ok_or_else(unknown)?;
        let json = value.to_string();
        let text = value.as_str().unwrap_or_default();
        let number = |member: &str| value.get(member).and_then(Value::as_f64);
        let error = (
            value.get("code").and_then(|code| code.to_string().parse().ok()).unwrap_or(-32603),
            value.get("message").and_then(Value::as_str).unwrap_or("failed"),
            value.get("data").map(Value::to_string),
        );
        Ok(match (&mut self.connection, kind.as_str()) {
            (Connection::Server(server), "result") => {
                let ttl = act.get("ttl_ms").and_then(Value::as_u64).unwrap_or(0);
                let public = act.get("public") == Some(&Value::Bool(true));
                let ttl = u32::try_from(ttl).unwrap_or(u32::MAX);
                server.respond(now, about, json.as_bytes(), ttl, public)
            }
            (Connection::Client(client), "result") => client.answer(now, about, json.as_bytes()),
            (Connection::Server(server), "error") => {
                let (code, message, data) = &error;
                server.respond_error(now, about, *code, message, data.as_deref().map(str::as_bytes))
            }
            (Connection::Client(client), "error") => client.answer_error(now, about, error.0, error.1),
            (Connection::Server(server), "internal_error") => server.respond_internal_error(now, about),
            (Connection::Client(client), "internal_error") => client.answer_internal_error(now, about),
            (Connection::Server(server), "unsupported") => server.respond_unsupported(now, about),
            (Connection::Client(client), "unsupported") => client.answer_unsupported(now, about),
            (Connection::Server(server), "not_found") => server.respond_not_found(now, about),
            (Connection::Server(server), "tool_error") => server.respond_tool_error(now, about, text),
            (Connection::Server(server), "progress") => {
                let progress = number("value").unwrap_or(f64::NAN);
                server.progress(now, about, progress, number("total"), None).map(drop)
            }
            (Connection::Server(server), "ask") => {
                let questions = value.get("questions").map_or_else(|| "{}".to_owned(), Value::to_string);
                let state = value.get("state").and_then(Value::as_str).map(str::as_bytes);
                server.respond_input_required(now, about, questions.as_bytes(), state)
            }
            (Connection::Server(_), "log") => self.log(now, about, value).map(drop),
            _ => return Err(unknown()),
        })
    }
    /// Ends it.
    pub fn close(&mut self, now: u64, drain_ms: u64) -> Result<(), EmbedError> {
        both!(&mut self.connection, connection => connection.close(now, drain_ms))
    }
    /// What is to be done, in order.
    pub fn take(&mut self) -> Result<Vec<Output>, EmbedError> {
        const AT_ONCE: usize = 1 << 16;
        let mut batch = Batch::default();
        both!(&mut self.connection, connection => connection.drain(AT_ONCE, &mut batch))?;
        let outputs: Vec<Output> = batch.records.iter().map(|record| read(record, &batch)).collect();
        for output in &outputs {
            let checked = match output {
                Output::Bytes(bytes) => self
                    .said
                    .complete(bytes.as_bytes(), |line| self.gate.sent(&String::from_utf8_lossy(line))),
                Output::Message { text, .. } => self.gate.sent(text),
                Output::Event(_) => Ok(()),
            };
            checked.map_err(broken)?;
        }
        Ok(outputs)
    }
}

fn wrong_side() -> EmbedError {
    EmbedError { code: "side", message: "the other side does this".into() }
}

fn broken(message: String) -> EmbedError {
    EmbedError { code: "gate", message }
}

fn read(record: &Record, batch: &Batch) -> Output {
    let [first, ..] = record.texts;
    let code = record.code;
    if code == Code::Output as u32 {
        return Output::Bytes(batch.text(first).unwrap_or_default().to_owned());
    }
    if code == Code::Send as u32 {
        return Output::Message {
            text: batch.text(first).unwrap_or_default().to_owned(),
            related: (record.number != 0).then_some((record.number, record.handle)),
        };
    }
    Output::Event(Event { code, handle: record.handle, description: describe(record, batch) })
}

/// How the texts of a record are named: those that are JSON are read as such.
fn describe(record: &Record, batch: &Batch) -> Value {
    const TEXT: bool = false;
    const JSON: bool = true;
    let (name, texts): (&str, &[(&str, bool)]) = match record.code {
        code if code == Code::Ready as u32 => {
            ("ready", &[("revision", TEXT), ("peer", JSON), ("capabilities", JSON), ("instructions", JSON)])
        }
        code if code == Code::Request as u32 => (
            "request",
            &[
                ("method", TEXT),
                ("revision", TEXT),
                ("name", TEXT),
                ("params", JSON),
                ("arguments", JSON),
                ("meta", JSON),
                ("template", TEXT),
                ("variables", JSON),
            ],
        ),
        code if code == Code::Answers as u32 => {
            ("answers", &[("answers", JSON), ("state", TEXT), ("failed", JSON)])
        }
        code if code == Code::Watched as u32 => ("watched", &[("uri", TEXT)]),
        code if code == Code::Task as u32 => ("task", &[("task", JSON)]),
        code if code == Code::Subscribed as u32 => ("subscribed", &[("filter", JSON), ("missing", JSON)]),
        code if code == Code::Over as u32 => ("over", &[("reason", TEXT)]),
        code if code == Code::Completed as u32 => ("completed", &[("result", JSON)]),
        code if code == Code::Failed as u32 => {
            ("failed", &[("code", TEXT), ("message", TEXT), ("data", JSON)])
        }
        code if code == Code::Progress as u32 => ("progress", &[("params", JSON)]),
        code if code == Code::Input as u32 => ("input", &[("method", TEXT), ("params", JSON)]),
        code if code == Code::InputOver as u32 => ("input_over", &[]),
        code if code == Code::Notification as u32 => ("notification", &[("method", TEXT), ("params", JSON)]),
        code if code == Code::Fault as u32 => ("fault", &[("code", TEXT), ("page", TEXT), ("detail", TEXT)]),
        code if code == Code::Writable as u32 => ("writable", &[]),
        code if code == Code::Closed as u32 => ("closed", &[("reason", TEXT)]),
        _ => ("other", &[]),
    };
    let mut description = vec![("event".to_owned(), Value::string(name))];
    for ((member, json), range) in texts.iter().zip(record.texts) {
        let Some(text) = batch.text(range).filter(|_| range != (0, 0)) else { continue };
        let value = if *json {
            Value::parse(text).unwrap_or_else(|_| Value::string(text))
        } else {
            Value::string(text)
        };
        description.push(((*member).to_owned(), value));
    }
    if record.number != 0 {
        description.push(("number".to_owned(), Value::number(record.number)));
    }
    Value::Object(description)
}

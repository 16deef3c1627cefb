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
    /// A machine of this configuration.
    pub fn new(side: Side, config: &Value, channel: Channel) -> Result<Self, EmbedError> {
        const SEED: [u8; 32] = [7; 32];
        let config = config.to_string();
        let (connection, side) = match side {
            Side::Server => {
                let server = ServerConnection::new(config.as_bytes(), SEED, channel)?;
                (Connection::Server(server), method::Side::Server)
            }
            Side::Client => {
                let client = ClientConnection::new(config.as_bytes(), SEED, channel)?;
                (Connection::Client(client), method::Side::Client)
            }
        };
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
            ],
        ),
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

//! The machine under test behind one face: either role, over a byte stream or as whole messages.
use mcp_sansio::embed::{
    Batch, Channel, ClientConnection, Code, EmbedError, Options, Record, ServerConnection,
};

use super::{case::Side, value::Value};

/// A machine of one role.
pub enum Machine {
    /// `mcp_sansio` as a server.
    Server(Box<ServerConnection>),
    /// `mcp_sansio` as a client.
    Client(Box<ClientConnection>),
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
            Machine::Server($connection) => $body,
            Machine::Client($connection) => $body,
        }
    };
}

impl Machine {
    /// A machine of this configuration.
    pub fn new(side: Side, config: &Value, channel: Channel) -> Result<Self, EmbedError> {
        const SEED: [u8; 32] = [7; 32];
        let config = config.to_string();
        match side {
            Side::Server => {
                ServerConnection::new(config.as_bytes(), SEED, channel).map(Box::new).map(Self::Server)
            }
            Side::Client => {
                ClientConnection::new(config.as_bytes(), SEED, channel).map(Box::new).map(Self::Client)
            }
        }
    }
    /// The server.
    pub fn server(&mut self) -> Option<&mut ServerConnection> {
        if let Self::Server(server) = self { Some(server) } else { None }
    }
    /// The client.
    pub fn client(&mut self) -> Option<&mut ClientConnection> {
        if let Self::Client(client) = self { Some(client) } else { None }
    }
    /// Bytes of a stream.
    pub fn handle_data(&mut self, now: u64, data: &[u8]) -> Result<(), EmbedError> {
        both!(self, connection => connection.handle_data(now, data))
    }
    /// One whole message.
    pub fn handle_message(&mut self, now: u64, message: &[u8]) -> Result<(), EmbedError> {
        both!(self, connection => connection.handle_message(now, message))
    }
    /// The end of input.
    pub fn handle_eof(&mut self, now: u64) -> Result<(), EmbedError> {
        both!(self, connection => connection.handle_eof(now))
    }
    /// The channel broke.
    pub fn handle_closed(&mut self, now: u64) -> Result<(), EmbedError> {
        both!(self, connection => connection.handle_closed(now))
    }
    /// Time has passed.
    pub fn handle_timeout(&mut self, now: u64) -> Result<(), EmbedError> {
        both!(self, connection => connection.handle_timeout(now))
    }
    /// The next deadline.
    pub fn next_timeout(&self) -> Option<u64> {
        both!(self, connection => connection.next_timeout())
    }
    /// Whether the host may go.
    pub fn is_over(&self) -> bool {
        both!(self, connection => connection.is_over())
    }
    /// Its counters.
    pub fn stats(&self) -> String {
        both!(self, connection => connection.stats())
    }
    /// Starts a call.
    pub fn call(
        &mut self,
        now: u64,
        method: &str,
        params: Option<&[u8]>,
        options: Options<'_>,
    ) -> Result<u64, EmbedError> {
        both!(self, connection => connection.call(now, method, params, options))
    }
    /// Takes a call back.
    pub fn cancel(&mut self, now: u64, call: u64, reason: Option<&str>) -> Result<(), EmbedError> {
        both!(self, connection => connection.cancel(now, call, reason))
    }
    /// Sends a notice.
    pub fn notify(&mut self, now: u64, method: &str, params: Option<&[u8]>) -> Result<(), EmbedError> {
        both!(self, connection => connection.notify(now, method, params))
    }
    /// Ends it.
    pub fn close(&mut self, now: u64, drain_ms: u64) -> Result<(), EmbedError> {
        both!(self, connection => connection.close(now, drain_ms))
    }
    /// What is to be done, in order.
    pub fn take(&mut self) -> Result<Vec<Output>, EmbedError> {
        const AT_ONCE: usize = 1 << 16;
        let mut batch = Batch::default();
        both!(self, connection => connection.drain(AT_ONCE, &mut batch))?;
        Ok(batch.records.iter().map(|record| read(record, &batch)).collect())
    }
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

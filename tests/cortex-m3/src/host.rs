//! What an application on a microcontroller writes: it carries bytes and answers one tool.
use alloc::{string::String, sync::Arc, vec::Vec};

use mcp_sansio::{
    RequestHandle, Seed,
    event::{Event, Outcome, OverReason, Request},
    json::Json,
    limits::Limits,
    session::{Catalog, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
};

const ECHO: &str = r#"{"name":"echo","description":"Answers with the text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}"#;
const SECOND: u64 = 1_000_000_000;
/// Bytes that arrive at once.
const PIECE: usize = 100;

/// The server and its one tool, `echo`. With the argument `wait` it answers only when it is told to.
pub struct Host {
    connection: Connection<Server>,
    now: u64,
    output: Vec<u8>,
    /// The call that waits.
    pub waiting: Option<RequestHandle>,
    /// Calls that the client took back.
    pub cancelled: usize,
    /// The machine has said that it is over.
    pub closed: bool,
}

impl Host {
    /// A server with the limits of a microcontroller.
    pub fn new() -> Option<Self> {
        let catalog = Catalog::new().tools([Json::parse(ECHO.as_bytes()).ok()?]).ok()?;
        let config = ServerConfig::new("cortex-m3", "1").catalog(Arc::new(catalog)).limits(Limits::small());
        Some(Self {
            connection: Connection::new(Server::new(Arc::new(config), Seed([3; 32]))),
            now: 0,
            output: Vec::new(),
            waiting: None,
            cancelled: 0,
            closed: false,
        })
    }
    /// Takes one line of the client, in pieces, and returns the lines that it is answered with.
    pub fn line(&mut self, line: &[u8]) -> &str {
        self.now += SECOND;
        for piece in line.chunks(PIECE).chain([b"\n".as_slice()]) {
            self.connection.handle_data(Instant::from_nanos(self.now), piece);
        }
        self.pump()
    }
    /// The client has gone.
    pub fn eof(&mut self) -> &str {
        self.connection.handle_eof(Instant::from_nanos(self.now));
        self.pump()
    }
    /// Answers a call with a text, a JSON string. Says whether it could be answered, and with which lines.
    pub fn answer(&mut self, request: RequestHandle, text: &str) -> (bool, &str) {
        let answered = self.respond(request, text);
        (answered, self.pump())
    }
    fn respond(&mut self, request: RequestHandle, text: &str) -> bool {
        let mut result = String::from("{\"content\":[{\"type\":\"text\",\"text\":");
        result.push_str(text);
        result.push_str("}]}");
        Json::parse(result.as_bytes()).is_ok_and(|result| {
            let outcome = Outcome::Result { result, cache: None };
            self.connection.respond(Instant::from_nanos(self.now), request, outcome).is_ok()
        })
    }
    fn request(&mut self, request: &Request) {
        let Some(arguments) = request.arguments() else { return };
        let arguments = arguments.as_json();
        if arguments.member("wait").is_some() {
            self.waiting = Some(request.handle());
        } else if let Some(text) = arguments.member("text") {
            self.respond(request.handle(), text.get());
        }
    }
    fn pump(&mut self) -> &str {
        self.connection.handle_timeout(Instant::from_nanos(self.now));
        while let Some(event) = self.connection.poll_event() {
            match event {
                Event::Request(request) => self.request(&request),
                Event::Over { reason: OverReason::Cancelled, .. } => self.cancelled += 1,
                Event::Closed(_) => self.closed = true,
                _ => {}
            }
        }
        self.output.clear();
        self.connection.write_to(&mut self.output, usize::MAX);
        core::str::from_utf8(&self.output).unwrap_or("output that is not UTF-8")
    }
}

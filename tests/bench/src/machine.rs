//! Our server, on messages and on a byte stream, with a handler that answers with the text it was given.
use std::sync::Arc;

use mcp_sansio::{
    RequestHandle, Seed,
    error::SendError,
    event::{Action, Event, Outcome, Request},
    json::Json,
    session::{Catalog, Server, ServerConfig},
    stdio::Connection,
    time::Instant,
};

use crate::{
    message::{Era, INITIALIZE, INITIALIZED},
    round_trip::RoundTrip,
};

const ECHO: &str = r#"{"name":"echo","description":"Answer with the text","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}"#;

fn server() -> Server {
    let tool = Json::parse(ECHO.as_bytes()).expect("the tool is JSON");
    server_with(Catalog::new().tools([tool]).expect("the tool is complete"))
}

/// Nanoseconds between two messages: none is refused for its rate.
const BETWEEN: u64 = 20_000_000;

/// A server with this catalog.
pub fn server_with(catalog: Catalog) -> Server {
    let config = ServerConfig::new("bench", "1").catalog(Arc::new(catalog));
    Server::new(Arc::new(config), Seed([7; 32]))
}

/// The application: what it is asked, how it answers, and a buffer that it uses again.
#[derive(Default)]
struct Application {
    result: String,
}

impl Application {
    fn answer(
        &mut self,
        request: &Request,
        respond: impl FnOnce(RequestHandle, Outcome<'_>) -> Result<(), SendError>,
    ) {
        let Some(arguments) = request.arguments() else { return };
        let Some(text) = arguments.as_json().member("text") else { return };
        self.result.clear();
        self.result.push_str(r#"{"content":[{"type":"text","text":"#);
        self.result.push_str(text.get());
        self.result.push_str("}]}");
        if let Ok(result) = Json::parse(self.result.as_bytes()) {
            // A failure shows as an answer that is missing.
            let _ = respond(request.handle(), Outcome::Result { result, cache: None });
        }
    }
}

/// A server on messages.
pub struct Machine {
    server: Server,
    application: Application,
    now: u64,
}

impl Machine {
    /// One that has been opened as the era wants.
    pub fn open(era: Era) -> Self {
        Self::open_with(server(), era)
    }
    /// This one, opened as the era wants.
    pub fn open_with(server: Server, era: Era) -> Self {
        let mut machine = Self { server, application: Application::default(), now: 0 };
        if era == Era::Legacy {
            for message in [INITIALIZE, INITIALIZED] {
                machine.run(message.as_bytes(), &mut Vec::new());
            }
        }
        machine
    }
}

impl RoundTrip for Machine {
    fn run(&mut self, line: &[u8], answer: &mut Vec<u8>) {
        let Self { server, application, now } = self;
        *now += BETWEEN;
        let at = Instant::from_nanos(*now);
        server.handle_message(at, line.strip_suffix(b"\n").unwrap_or(line));
        while let Some(action) = server.poll_action() {
            match action {
                Action::Send(outgoing) => answer.extend_from_slice(outgoing.message.as_bytes()),
                Action::Deliver(Event::Request(request)) => {
                    application.answer(&request, |handle, outcome| server.respond(at, handle, outcome));
                }
                _ => {}
            }
        }
    }
}

/// A server on a byte stream.
pub struct Stream {
    connection: Connection<Server>,
    application: Application,
    now: u64,
}

impl Stream {
    /// One that has been opened as the era wants.
    pub fn open(era: Era) -> Self {
        let connection = Connection::new(server());
        let mut stream = Self { connection, application: Application::default(), now: 0 };
        if era == Era::Legacy {
            for message in [INITIALIZE, INITIALIZED] {
                stream.run(message.as_bytes(), &mut Vec::new());
            }
        }
        stream
    }
}

impl RoundTrip for Stream {
    fn run(&mut self, line: &[u8], answer: &mut Vec<u8>) {
        let Self { connection, application, now } = self;
        *now += BETWEEN;
        let at = Instant::from_nanos(*now);
        connection.handle_data(at, line);
        while let Some(event) = connection.poll_event() {
            if let Event::Request(request) = event {
                application.answer(&request, |handle, outcome| connection.respond(at, handle, outcome));
            }
        }
        connection.write_to(answer, 64 << 10);
    }
}

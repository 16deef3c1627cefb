//! The [Model Context Protocol](https://modelcontextprotocol.io) as state machines without I/O.
//!
//! A host hands in what happened (bytes, the time, the end of the stream) and what its application wants; the machine hands
//! out what to do: send these bytes, tell the application this, wake me then. There is no clock, socket, thread or runtime
//! in here, so the same engine runs in a server on threads or on an async runtime, in a browser and on a microcontroller,
//! and a test of a timeout does not wait for it.
//!
//! # The machines
//!
//! | machine | for |
//! |---|---|
//! | [`session::Server`], [`session::Client`] | any ordered channel of messages: WebSocket, `MessagePort`, in process |
//! | [`stdio::Connection`] | either of them over a byte stream, one message a line |
//! | [`embed`] | the same for bindings to other languages |
//! | [`elicitation`] | forms that a server asks with, and the answers to them |
//! | `schema` (feature `schema`) | JSON Schema 2020-12 and draft-07: arguments and structured results of tools |
//!
//! What they carry they move without looking into it. An application that wants types for it finds them in [`model`].
//! Beside them, [`uri`] matches resource templates and keeps files in a root, and [`syntax`] checks single strings.
//!
//! All five revisions are spoken in one build ([`revision`]), by both roles, from one table of methods ([`method`]). A server
//! serves *modern* requests (2026-07-28, `_meta` on each) and one *legacy* session (`initialize`) side by side. A client
//! finds out which of them it has met:
//!
//! ```text
//! Client:  start ──► probing (server/discover) ──► ready, modern
//!                        │ any other error, silence      ▲ late proof
//!                        ▼                               │
//!                    handshaking (initialize) ───────────┴──► ready, legacy
//!                        │
//!                        ▼
//!                    closed (no common revision, no answer, or the server left)
//! ```
//!
//! # A host's loop
//!
//! ```
//! use std::sync::Arc;
//!
//! use mcp_sansio::{
//!     Seed,
//!     event::{Event, Outcome},
//!     json::Json,
//!     session::{CallOptions, Catalog, Client, ClientConfig, Server, ServerConfig},
//!     stdio::Connection,
//!     time::Instant,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tool = Json::parse(br#"{"name":"greet","description":"Greets","inputSchema":{"type":"object"}}"#)?;
//! let config = ServerConfig::new("greeter", "1.0.0").catalog(Arc::new(Catalog::new().tools([tool])?));
//! // Seeds are 32 fresh random bytes; these two are fixed so that the example is the same each time.
//! let mut server = Connection::new(Server::new(Arc::new(config), Seed([1; 32])));
//! let mut client = Connection::new(Client::new(Arc::new(ClientConfig::new("host", "1.0.0")), Seed([2; 32])));
//!
//! // A real host reads its clock here.
//! let now = Instant::from_nanos(0);
//! client.start(now, None);
//! let mut call = None;
//! let greeting = loop {
//!     // What the client writes, the server reads, and the other way round.
//!     let mut wire = Vec::new();
//!     client.write_to(&mut wire, usize::MAX);
//!     server.handle_data(now, &wire);
//!     while let Some(event) = server.poll_event() {
//!         if let Event::Request(request) = event {
//!             let who: std::collections::BTreeMap<String, String> =
//!                 request.arguments().map(|arguments| arguments.decode()).transpose()?.unwrap_or_default();
//!             let text = format!("Hello, {}!", who["name"]);
//!             let result = serde_json::json!({"content": [{"type": "text", "text": text}]}).to_string();
//!             let result = Json::parse(result.as_bytes())?;
//!             server.respond(now, request.handle(), Outcome::Result { result, cache: None })?;
//!         }
//!     }
//!     wire.clear();
//!     server.write_to(&mut wire, usize::MAX);
//!     client.handle_data(now, &wire);
//!     match client.poll_event() {
//!         Some(Event::Ready(ready)) => {
//!             assert_eq!(ready.revision, "2026-07-28");
//!             let params = Json::parse(br#"{"name":"greet","arguments":{"name":"Ada"}}"#)?;
//!             call = Some(client.call(now, "tools/call", Some(params), CallOptions::new())?);
//!         }
//!         Some(Event::Completed { call: done, outcome }) if Some(done) == call => break outcome?.result,
//!         _ => {}
//!     }
//! };
//! assert!(greeting.as_str().contains("Hello, Ada!"));
//! # Ok(())
//! # }
//! ```
//!
//! # Asking the client
//!
//! A handler that needs something of the user, the model or the client's folders answers its request with
//! [`Outcome::InputRequired`](event::Outcome::InputRequired). The same request comes again with the answers, in both eras:
//!
//! ```text
//! Request h1 ──► respond(h1, InputRequired { questions, state }) ──► Request h2, round 1, input { state, answers, … }
//!
//!    modern:  the result carries the questions and sealed state; the client's retry is the second request
//!    legacy:  the questions go out as requests, and the first request stays in flight
//! ```
//!
//! A client sees each question as [`Event::Input`](event::Event::Input), however it came, and answers it with
//! [`Client::answer`](session::Client::answer); a call that was answered with questions is made again by the engine.
//!
//! # Promises
//!
//! * **Facts** (`handle_*`) never fail and never panic: whatever a peer does comes out as an event. **Commands** return
//!   `Result`, with an error that the caller can act on.
//! * **Time.** A `now` smaller than one seen before is read as the one seen before. Only `handle_timeout` fires timers:
//!   each one due, in the order of deadlines, then of their arming. A call before the deadline does nothing.
//! * **Order.** Actions come out in the order of their causes. [`Action::Timeout`](event::Action::Timeout) is the
//!   exception: at most once a drain, last, and only if it changed.
//! * **Ends.** Every call has exactly one `Completed`; every delivered request ends exactly once, by `respond` or by `Over`.
//!   One that was answered with `InputRequired` comes again, or is `Over` after all, or (modern) is never heard of again.
//!   `Closed` is the last event, after all of these.
//! * **Handles** are never used twice in the life of a machine. A command on one that is over returns
//!   [`SendError::Over`](error::SendError::Over) and has no effect: that race is normal.
//! * **Room.** Only what starts something (`call`, `list_all`, `subscribe`, `notify`, `progress`, `log`) can be `Blocked`; `Writable` follows.
//!   Answers, `cancel` and `close` never are. Every table and queue is bounded by [`limits::Limits`].
//!
//! # Beyond a call
//!
//! A [`session::Client`] does what takes more than one message under one handle, with one `Completed`: `list_all` follows
//! the cursors of a list, `subscribe` keeps a subscription in force in either era, `probe` asks for life. It keeps results
//! for as long as their server allows, for the principal whom they are for, until a notice says that they are stale; what
//! it answers from there is `cached`. A result of an extension that both sides declare comes with its `kind`.
//!
//! # To look at it
//!
//! [`Fault`](error::Fault)s say which rule the peer broke and what was done, [`Stats`](session::Stats) count, the [`audit`]
//! says who asked for what and what came of it, and the [`trace`] holds everything that crossed the border of a machine, so
//! that it can be [replayed](session::replay()). The last two are off by default.
//!
//! # What a host owes
//!
//! * Taking output and writing it is one critical section; the clock is read inside it.
//! * Read on only while `wants_read` is true; arm one timer, for `next_timeout`.
//! * `handle_eof` says that the peer sends no more but still reads; `handle_closed` that nothing can be written.
//! * Fresh entropy for each machine's [`Seed`].
//! * The wall clock, by `with_clock`, where the capability `tasks.requests` is declared: tasks are dated.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
extern crate alloc;

pub mod audit;
pub mod degrade;
pub mod elicitation;
pub mod embed;
pub mod error;
pub mod event;
pub mod framing;
pub mod json;
pub mod jsonrpc;
pub mod limits;
pub mod method;
pub mod model;
pub mod revision;
mod scan;
#[cfg(feature = "schema")]
pub mod schema;
pub mod session;
pub mod stdio;
pub mod syntax;
pub mod time;
pub mod trace;
pub mod uri;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u64);
        impl $name {
            /// The handle as a plain number below 2^53, for bindings.
            pub const fn as_u64(self) -> u64 {
                self.0
            }
            /// Back from `as_u64`. A number the machine never gave out is answered with `UnknownHandle`, never with a panic.
            pub const fn from_u64(number: u64) -> Self {
                Self(number)
            }
        }
    )* };
}
handles! {
    /// A request that the peer sent to us and that awaits our answer.
    RequestHandle,
    /// A request that we sent. It is not its id on the wire.
    CallHandle,
    /// One question to the client application.
    InputHandle,
}

/// 32 bytes of fresh entropy. **Never reuse one**: two machines with one seed mint the same secrets. Tests may fix it.
#[derive(Clone)]
pub struct Seed(pub [u8; 32]);

/// Keys that seal `requestState` and cursors, shared by all instances of one service. The first seals, all of them open.
#[derive(Clone)]
pub struct SealKeys(pub alloc::vec::Vec<[u8; 32]>);

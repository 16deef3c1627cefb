//! Lists of operations for a server and a client on one virtual wire, in both eras.
//!
//! Whatever happens: no panic, one outcome for each call, one end for each request and each question, `Closed` last and
//! once, bounded memory, and nothing left at the end. While nobody tampers with the wire, no answer crosses to another
//! call, and nothing is told that was not asked for.
mod books;
mod client;
mod pair;
mod raw;
mod server;
mod setup;
mod wire;

use arbitrary::{Arbitrary, Result, Unstructured};

pub use books::Reached;
use pair::Pair;

/// Operations of one run.
const LONGEST: usize = 300;

/// One run.
#[derive(Debug, Clone)]
pub struct Program {
    /// What both ends are.
    pub setup: Setup,
    /// What happens, in order.
    pub operations: Vec<Operation>,
}

impl<'a> Arbitrary<'a> for Program {
    /// As many operations as there are bytes for: of a `Vec` half of the inputs would be empty.
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut program = Self { setup: bytes.arbitrary()?, operations: Vec::new() };
        while !bytes.is_empty() && program.operations.len() < LONGEST {
            program.operations.push(bytes.arbitrary()?);
        }
        Ok(program)
    }
}

/// What both ends are.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub struct Setup {
    pub spoken: Spoken,
    /// The limits of tests, or those by default.
    pub roomy: bool,
    pub catalog: Offer,
    /// The client finds out the era first.
    pub probe: bool,
    /// Both keep alive.
    pub pings: bool,
    /// The client knows the time.
    pub clock: bool,
    /// What is written arrives after each operation.
    pub at_once: bool,
    /// Below 32: the operations begin before the handshake.
    pub early: u8,
}

/// The revisions of the client; the server speaks all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Spoken {
    First,
    Second,
    Third,
    Fourth,
    Modern,
    All,
}

/// What the engine lists for the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Offer {
    Nothing,
    Little,
    Much,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum End {
    Server,
    Client,
}

impl End {
    pub const fn peer(self) -> Self {
        match self {
            Self::Server => Self::Client,
            Self::Client => Self::Server,
        }
    }
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Operation {
    /// Towards this end.
    Deliver(End, Piece),
    Client(ClientOperation),
    Server(ServerOperation),
    Time(Span),
    /// How the application of this end keeps up.
    Pace(End, Pace),
    /// A request or notice of another client, on the client's stream.
    Raw(Raw),
    /// Below 6: it happens.
    Rarely(u8, Rare),
}

/// Whether an application takes events, and whether it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Pace {
    Both,
    Events,
    Writes,
    Neither,
}

/// How much arrives.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Piece {
    Bytes(u8),
    Message,
    All,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Span {
    /// Sixteenths of a second.
    Sixteenths(u8),
    /// To the next deadline of either end.
    Deadline,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum ClientOperation {
    /// The call that most are.
    Tool(Options),
    Call(Method, Options),
    ListAll(List, Options),
    /// Bits of the lists and of the resources.
    Subscribe(u8, u8),
    Probe,
    Cancel(u8),
    Answer(u8, Answer),
    Progress(u8, u8),
    TaskStatus(u8),
    Notify(Notice),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Method {
    Tool,
    /// A tool that only runs as a task.
    TaskTool,
    Prompt,
    Read(u8),
    Complete,
    List(List),
    SetLevel(u8),
    Subscribe(u8),
    Unsubscribe(u8),
    Task(TaskMethod),
    Ping,
    MadeUp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum TaskMethod {
    Get(u8),
    Result(u8),
    Cancel(u8),
    List,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum List {
    Tools,
    Prompts,
    Resources,
    Templates,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub struct Options {
    pub progress: bool,
    pub fresh: bool,
    /// Below 24: seconds.
    pub silence: u8,
    /// Below 24: seconds.
    pub total: u8,
    /// Below 8.
    pub level: u8,
    pub task: Option<bool>,
    pub large: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Answer {
    Result,
    Error,
    /// Of another kind than was asked for.
    Malformed,
    Large,
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum ServerOperation {
    /// The answer that most are.
    Finish(u8),
    Respond(u8, Response),
    Progress(u8, u8),
    Log(To, u8),
    Notify(To, Notice),
    Publish(Published),
    Ask(To, Question, Options),
    Cancel(u8),
    TaskStatus(u8, u8),
    Catalog(Offer),
}

/// What a message of the server is about.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum To {
    Channel,
    Request(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Response {
    Result,
    /// May be kept.
    Kept,
    Large,
    ToolError,
    InvalidArguments,
    NotFound,
    Error(u8),
    /// So many questions, and whether there is state.
    Ask(u8, bool),
    Extension,
    /// To one that is over.
    Late,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Question {
    Sampling,
    Elicitation,
    Roots,
    Ping,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Notice {
    RootsChanged,
    ElicitationComplete,
    MadeUp,
    /// Of a kind that the engine sends itself.
    Updated,
    Large,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
pub enum Published {
    Tools,
    Prompts,
    Resources,
    Resource(u8),
    /// A part of another.
    Part(u8),
}

/// What a second, modern client says on the same stream.
#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Raw {
    Tool {
        progress: bool,
        level: u8,
    },
    Read(u8),
    Listen(u8, u8),
    List(List),
    Discover,
    Cancel(u8),
    /// Members of a batch of 2025-03-26.
    Batch(u8),
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Rare {
    Eof(End),
    Closed(End),
    /// So many seconds to finish.
    Close(End, u8),
    /// What is on its way to both ends is lost, and they learn it.
    Cut,
    /// The message that would arrive next.
    Tamper(End, Tampering),
    Clock(End, u32),
}

#[derive(Debug, Clone, Copy, Arbitrary)]
pub enum Tampering {
    Flip(u16),
    Twice,
    Lose,
    Swap,
}

/// Runs a program and says what had an effect, and how often.
pub fn check(program: &Program) -> Reached {
    let mut pair = Pair::new(program.setup);
    for operation in &program.operations {
        pair.apply(operation);
        pair.settle();
        if program.setup.at_once {
            pair.deliver_all();
        }
    }
    pair.end()
}

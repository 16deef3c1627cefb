//! A client and a server joined by two simulated links, on virtual time, all of it drawn from one seed.
//!
//! A stream is delayed and cut anywhere; on a message channel, messages about different requests also overtake each other;
//! either may be dropped in the middle of everything.
mod applications;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use mcp_sansio::{
    embed::{Channel, EmbedError},
    revision::{Era, Revision},
};

use crate::cases::{
    case::Side,
    machine::{Machine, Output},
    value::Value,
};

/// What was done to the links, and what went over them.
#[derive(Default, Debug, Clone, Copy)]
pub struct Counts {
    /// Pieces that took time.
    pub delays: u64,
    /// Pieces that end inside a message.
    pub splits: u64,
    /// Messages that arrived before one that was sent earlier.
    pub reorderings: u64,
    /// Pieces that were sent and never arrived.
    pub losses: u64,
    /// Calls that ended with a result.
    pub results: u64,
    /// Calls that ended otherwise.
    pub failures: u64,
    /// Requests of the server to the client.
    pub questions: u64,
    /// Notices of changed lists that reached the client.
    pub changes: u64,
    /// Conversations that could not begin, for lack of a common revision.
    pub refusals: u64,
}

impl Counts {
    /// Both together.
    pub fn add(&mut self, other: &Self) {
        let Self { delays, splits, reorderings, losses, results, failures, questions, changes, refusals } =
            other;
        self.delays += delays;
        self.splits += splits;
        self.reorderings += reorderings;
        self.losses += losses;
        self.results += results;
        self.failures += failures;
        self.questions += questions;
        self.changes += changes;
        self.refusals += refusals;
    }
}

const MS: u64 = 1_000_000;

/// Runs one conversation to its end. `Err` says what should not have been.
pub fn run(seed: u64) -> Result<Counts, String> {
    let mut pair = Pair::new(seed)?;
    pair.converse()?;
    Ok(pair.counts)
}

/// What is due.
enum Due {
    /// A piece arrives at this end.
    Arrive(Side, Vec<u8>),
    /// This end sees the end of input.
    Eof(Side),
    /// This end sees that the channel is gone.
    Gone(Side),
    /// The connection is dropped.
    Drop,
    /// The client's application does something.
    Start(Work),
    /// It takes this call back.
    Cancel(u64),
    /// The server's application does something for a request.
    Serve(u64, Step),
    /// The client's application answers a question.
    Answer(u64),
    /// The server's application has other tools.
    Tools,
    /// The client is done.
    Close,
}

/// A call that the client makes.
#[derive(Clone, Debug)]
enum Work {
    Echo(String),
    Steps(u64),
    Fail,
    Silent,
    Ask,
    List(Option<String>),
    Ping,
    /// To be told of changes until it is taken back.
    Listen,
}

enum Step {
    Progress(u64),
    Result(String),
    Fail,
    Ask,
}

struct Call {
    work: Work,
    steps: u64,
    cancelled: bool,
}

/// One end of the connection.
struct End {
    machine: Machine,
    /// When the last piece towards it arrives, in all, and about each request; and that of the last one about none.
    arrival: u64,
    arrivals: BTreeMap<(i64, u64), u64>,
    barrier: u64,
    closed: Option<String>,
    /// Nothing more arrives.
    deaf: bool,
}

struct Pair {
    rng: Rng,
    counts: Counts,
    now: u64,
    due: BTreeMap<(u64, u64), Due>,
    sequence: u64,
    channel: Channel,
    client: End,
    server: End,
    expected: Option<Revision>,
    revision: Option<Revision>,
    calls: BTreeMap<u64, Call>,
    left: usize,
    requests: BTreeSet<u64>,
    questions: BTreeSet<u64>,
    /// Calls of the server, and the requests that wait for them.
    asked: BTreeMap<u64, u64>,
    dropped: bool,
    lossy: bool,
}

fn value(text: &str) -> Result<Value, String> {
    Value::parse(text).map_err(|error| format!("{error}: {text}"))
}

#[expect(clippy::needless_pass_by_value, reason = "`map_err` passes it so")]
fn refused(error: EmbedError) -> String {
    format!("refused: {} ({error})", error.code)
}

/// `send.over` is how a race is told: no failure.
fn unless_over<T>(done: Result<T, EmbedError>) -> Result<Option<T>, String> {
    match done {
        Ok(done) => Ok(Some(done)),
        Err(error) if error.code == "send.over" => Ok(None),
        Err(error) => Err(refused(error)),
    }
}

impl Pair {
    fn new(seed: u64) -> Result<Self, String> {
        let mut rng = Rng::with_seed(seed);
        let channel = if rng.bool() { Channel::Stream } else { Channel::Messages };
        let all: Vec<Revision> = Revision::all().collect();
        let (legacy, modern): (Vec<Revision>, Vec<Revision>) =
            all.iter().partition(|revision| revision.era() == Era::Legacy);
        let one = |rng: &mut Rng, of: &[Revision]| rng.choice(of).copied().into_iter().collect::<Vec<_>>();
        let spoken = |rng: &mut Rng| match rng.u8(0..8) {
            0 => legacy.clone(),
            1 => modern.clone(),
            2 => one(rng, &all),
            _ => all.clone(),
        };
        let served = spoken(&mut rng);
        let mut wanted = spoken(&mut rng);
        wanted.reverse();
        // A client that speaks nothing else takes the modern era for granted when it does not ask.
        let asks = !wanted.iter().any(|revision| revision.era() == Era::Legacy);
        let probe = rng.u8(0..5) > 0 || asks;
        let expected = expect(&served, &wanted, probe);

        let names = |revisions: &[Revision]| {
            let names: Vec<String> =
                revisions.iter().map(|revision| format!("\"{}\"", revision.name())).collect();
            names.join(",")
        };
        let server = format!(
            r#"{{"info":{{"name":"s","version":"1"}},"tools":{},"page_size":2,"revisions":[{}]}}"#,
            tools(&mut rng),
            names(&served)
        );
        let client = format!(
            r#"{{"info":{{"name":"c","version":"1"}},"capabilities":{{"sampling":{{}}}},"probe":{probe},"revisions":[{}]}}"#,
            names(&wanted)
        );
        let end = |side, config: &str| -> Result<End, String> {
            Ok(End {
                machine: Machine::new(side, &value(config)?, channel, 7, None).map_err(refused)?,
                arrival: 0,
                arrivals: BTreeMap::new(),
                barrier: 0,
                closed: None,
                deaf: false,
            })
        };
        let mut pair = Self {
            client: end(Side::Client, &client)?,
            server: end(Side::Server, &server)?,
            lossy: rng.u8(0..3) == 0,
            rng,
            counts: Counts::default(),
            now: 0,
            due: BTreeMap::new(),
            sequence: 0,
            channel,
            expected,
            revision: None,
            calls: BTreeMap::new(),
            left: 0,
            requests: BTreeSet::new(),
            questions: BTreeSet::new(),
            asked: BTreeMap::new(),
            dropped: false,
        };
        if pair.lossy {
            let at = pair.rng.u64(0..2000 * MS);
            pair.schedule(at, Due::Drop);
        }
        Ok(pair)
    }

    fn schedule(&mut self, at: u64, due: Due) {
        self.sequence += 1;
        self.due.insert((at, self.sequence), due);
    }

    fn later(&mut self, most_ms: u64, due: Due) {
        let at = self.now + self.rng.u64(0..=most_ms * MS);
        self.schedule(at, due);
    }

    fn end(&mut self, side: Side) -> &mut End {
        match side {
            Side::Server => &mut self.server,
            Side::Client => &mut self.client,
        }
    }

    fn converse(&mut self) -> Result<(), String> {
        let now = self.now;
        self.client.machine.client().ok_or("no client")?.start(now, None).map_err(refused)?;
        self.read()?;
        for _ in 0..1_000_000 {
            if self.client.machine.is_over() && self.server.machine.is_over() {
                return self.ended();
            }
            self.step()?;
            self.read()?;
        }
        Err("the conversation does not end".into())
    }

    /// Goes on to what is due next.
    fn step(&mut self) -> Result<(), String> {
        let deadline = |end: &End| end.machine.next_timeout();
        let timers = [deadline(&self.client), deadline(&self.server)].into_iter().flatten().min();
        let next = self.due.first_key_value().map(|((at, _), _)| *at);
        match (next, timers) {
            (Some(at), timer) if timer.is_none_or(|timer| at <= timer) => {
                self.now = self.now.max(at);
                match self.due.pop_first() {
                    Some((_, due)) => self.happen(due),
                    None => Ok(()),
                }
            }
            (_, Some(timer)) => {
                self.now = self.now.max(timer);
                let now = self.now;
                for end in [&mut self.client, &mut self.server] {
                    if end.machine.next_timeout().is_some_and(|at| at <= now) {
                        end.machine.handle_timeout(now).map_err(refused)?;
                    }
                }
                Ok(())
            }
            _ => Err(format!(
                "nothing is due, but calls {:?} and requests {:?} wait",
                self.calls.keys().collect::<Vec<_>>(),
                self.requests
            )),
        }
    }

    fn happen(&mut self, due: Due) -> Result<(), String> {
        let now = self.now;
        match due {
            Due::Arrive(side, piece) => {
                let stream = self.channel == Channel::Stream;
                let machine = &mut self.end(side).machine;
                let arrived = if stream {
                    machine.handle_data(now, &piece)
                } else {
                    machine.handle_message(now, &piece)
                };
                arrived.map_err(refused)
            }
            Due::Eof(side) => {
                self.end(side).deaf = true;
                self.end(side).machine.handle_eof(now).map_err(refused)
            }
            Due::Gone(side) => {
                self.end(side).deaf = true;
                self.end(side).machine.handle_closed(now).map_err(refused)
            }
            Due::Drop => {
                self.lose();
                Ok(())
            }
            Due::Start(work) => self.start(work),
            Due::Cancel(call) => {
                if unless_over(self.client.machine.cancel(now, call, Some("enough")))?.is_some() {
                    self.calls.get_mut(&call).ok_or("a call without an outcome is not known")?.cancelled =
                        true;
                }
                Ok(())
            }
            Due::Serve(request, step) => self.serve(request, step),
            Due::Answer(question) => {
                let client = self.client.machine.client().ok_or("no client")?;
                let answer = br#"{"role":"assistant","content":{"type":"text","text":"yes"},"model":"m"}"#;
                if unless_over(client.answer(now, question, answer))?.is_some()
                    && !self.questions.remove(&question)
                {
                    return Err(format!("question {question} was answered twice"));
                }
                Ok(())
            }
            Due::Tools => {
                let tools = tools(&mut self.rng);
                self.server
                    .machine
                    .server()
                    .ok_or("no server")?
                    .set_catalog(now, format!("{{\"tools\":{tools}}}").as_bytes())
                    .map_err(refused)
            }
            Due::Close => self.client.machine.close(now, 1000).map_err(refused),
        }
    }

    /// The connection is dropped: what is on its way is lost, and each end learns it in its own time.
    fn lose(&mut self) {
        if std::mem::replace(&mut self.dropped, true) {
            return;
        }
        let before = self.due.len();
        self.due.retain(|_, due| !matches!(due, Due::Arrive(..) | Due::Eof(_)));
        self.counts.losses += u64::try_from(before - self.due.len()).unwrap_or(u64::MAX);
        for side in [Side::Client, Side::Server] {
            if self.rng.bool() {
                self.later(100, Due::Eof(side));
            }
            let at = self.now + self.rng.u64(100 * MS..300 * MS);
            self.schedule(at, Due::Gone(side));
        }
    }

    /// Takes all that both machines have to say.
    fn read(&mut self) -> Result<(), String> {
        loop {
            let mut quiet = true;
            for side in [Side::Client, Side::Server] {
                for output in self.end(side).machine.take().map_err(refused)? {
                    quiet = false;
                    match output {
                        Output::Bytes(bytes) => self.stream(side, bytes.as_bytes()),
                        Output::Message { text, related } => self.message(side, text, related),
                        Output::Event(event) => self.event(side, &event)?,
                    }
                }
            }
            if quiet {
                return Ok(());
            }
        }
    }

    fn peer(side: Side) -> Side {
        if side == Side::Client { Side::Server } else { Side::Client }
    }

    /// Bytes from this end: cut anywhere, in order.
    fn stream(&mut self, from: Side, bytes: &[u8]) {
        let to = Self::peer(from);
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = if self.rng.bool() { rest.len() } else { self.rng.usize(1..=rest.len()) };
            let (piece, left) = rest.split_at(length);
            rest = left;
            let sent = self.now + self.delay();
            let at = sent.max(self.end(to).arrival);
            self.end(to).arrival = at;
            self.counts.splits += u64::from(!piece.ends_with(b"\n"));
            self.send(to, at, piece.to_vec());
        }
    }

    /// A message from this end: those about other requests may be overtaken.
    fn message(&mut self, from: Side, text: String, related: Option<(i64, u64)>) {
        let sent = self.now + self.delay();
        let to = self.end(Self::peer(from));
        let at = match related {
            Some(about) => sent.max(to.barrier).max(to.arrivals.get(&about).copied().unwrap_or_default()),
            None => sent.max(to.arrival),
        };
        let overtakes = at < to.arrival;
        to.arrival = to.arrival.max(at);
        match related {
            Some(about) => drop(to.arrivals.insert(about, at)),
            None => to.barrier = at,
        }
        self.counts.reorderings += u64::from(overtakes);
        self.send(Self::peer(from), at, text.into_bytes());
    }

    fn delay(&mut self) -> u64 {
        let delay = if self.rng.u8(0..4) == 0 { 0 } else { self.rng.u64(0..60 * MS) };
        self.counts.delays += u64::from(delay > 0);
        delay
    }

    fn send(&mut self, to: Side, at: u64, piece: Vec<u8>) {
        if self.dropped || self.end(to).deaf {
            self.counts.losses += u64::from(self.dropped);
        } else {
            self.schedule(at, Due::Arrive(to, piece));
        }
    }

    /// Both ends are over.
    fn ended(&mut self) -> Result<(), String> {
        let open = (&self.calls.len(), &self.requests.len(), &self.questions.len(), &self.asked.len());
        if open != (&0, &0, &0, &0) {
            return Err(format!("(calls, requests, questions, server's calls) without an end: {open:?}"));
        }
        let reason = self.client.closed.as_deref().unwrap_or_default();
        match self.expected {
            None if !self.lossy && reason != "close.handshake" => {
                Err(format!("no common revision, but {reason}"))
            }
            Some(_) if !self.lossy && reason != "close.local" => {
                Err(format!("everything was done, but {reason}"))
            }
            None => {
                self.counts.refusals += 1;
                Ok(())
            }
            Some(_) => Ok(()),
        }
    }
}

/// The revision that a client and a server have to arrive at.
fn expect(served: &[Revision], wanted: &[Revision], probe: bool) -> Option<Revision> {
    let of = |era| move |revision: &&Revision| revision.era() == era;
    let modern = wanted.iter().filter(of(Era::Modern)).find(|revision| served.contains(revision));
    // Without a probe, a client that can opens with `initialize`, which a server that is only modern refuses by its versions.
    let opens_legacy = !probe && wanted.iter().any(|revision| revision.era() == Era::Legacy);
    let serves_legacy = served.iter().any(|revision| revision.era() == Era::Legacy);
    if modern.is_some() && !(opens_legacy && serves_legacy) {
        return modern.copied();
    }
    let asked = wanted.iter().find(of(Era::Legacy))?;
    let newest = served.iter().rev().find(of(Era::Legacy))?;
    let answered = if served.contains(asked) { asked } else { newest };
    wanted.contains(answered).then_some(*answered)
}

/// The tools of the server, some of them only sometimes there, in any order.
fn tools(rng: &mut Rng) -> String {
    let mut names = vec!["echo", "steps", "fail", "silent", "ask"];
    names.extend(["extra-1", "extra-2", "extra-3"].into_iter().filter(|_| rng.bool()));
    rng.shuffle(&mut names);
    let definitions: Vec<String> = names
        .iter()
        .map(|name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#))
        .collect();
    format!("[{}]", definitions.join(","))
}

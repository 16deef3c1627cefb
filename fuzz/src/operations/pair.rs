//! Two ends and the wire between them.
use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use mcp_sansio::{
    limits::Limits,
    session::{Client, Server},
    stdio::Connection,
    time::Instant,
};

use super::{
    Answer, End, Operation, Pace, Piece, Rare, Response, Setup, Span, Tampering,
    books::{Host, Reached},
    server::{Asked, Kind},
    setup,
    wire::{self, Observer},
};
use crate::host::Channel;

/// Messages on their way to one end, each with its LF.
#[derive(Default)]
pub struct Wire {
    pub lines: VecDeque<Vec<u8>>,
    /// Bytes of the first that have arrived.
    read: usize,
}

pub struct Pair {
    pub now: Instant,
    limits: Limits,
    pub server: Host<Connection<Server>>,
    pub client: Host<Connection<Client>>,
    pub to_server: Wire,
    to_client: Wire,
    pub observer: Observer,
    /// Nobody has tampered with the wire.
    pub strict: bool,
    pub reached: Reached,
    /// How many names were given out.
    names: u64,
    pub requests: BTreeMap<u64, Asked>,
    /// Requests that were answered with questions, and whether they come again for sure.
    pub waiting: BTreeMap<u64, bool>,
    pub watched: BTreeSet<String>,
    /// Questions, and what their answers say.
    pub questions: BTreeMap<u64, (Kind, String)>,
    pub tasks: Vec<String>,
    /// Requests of the second client.
    pub second: Vec<String>,
}

impl Pair {
    pub fn new(setup: Setup) -> Self {
        let mut pair = Self {
            now: Instant::from_nanos(0),
            limits: setup::limits(setup),
            server: Host::new(setup::server(setup)),
            client: Host::new(setup::client(setup)),
            to_server: Wire::default(),
            to_client: Wire::default(),
            observer: Observer::default(),
            strict: true,
            reached: Reached::default(),
            names: 0,
            requests: BTreeMap::new(),
            waiting: BTreeMap::new(),
            watched: BTreeSet::new(),
            questions: BTreeMap::new(),
            tasks: Vec::new(),
            second: Vec::new(),
        };
        pair.client.machine.start(pair.now, None);
        pair.settle();
        while setup.early >= 32 && !pair.client.ready {
            pair.deliver_all();
        }
        pair.deliver_all();
        pair
    }
    /// A text that nothing else has.
    pub fn name(&mut self) -> String {
        self.names += 1;
        format!("n:{}", self.names)
    }
    pub fn apply(&mut self, operation: &Operation) {
        match *operation {
            Operation::Deliver(to, piece) => self.deliver(to, piece),
            Operation::Client(operation) => self.operate_client(operation),
            Operation::Server(operation) => self.operate_server(operation),
            Operation::Time(span) => self.pass(span),
            Operation::Pace(end, pace) => {
                let polls = matches!(pace, Pace::Both | Pace::Events);
                let writes = matches!(pace, Pace::Both | Pace::Writes);
                match end {
                    End::Server => (self.server.polls, self.server.writes) = (polls, writes),
                    End::Client => (self.client.polls, self.client.writes) = (polls, writes),
                }
            }
            Operation::Raw(raw) => self.say_raw(raw),
            Operation::Rarely(chance, rare) if chance < 6 => self.happen(rare),
            Operation::Rarely(..) => {}
        }
    }
    fn happen(&mut self, rare: Rare) {
        let now = self.now;
        match rare {
            Rare::Eof(end) => {
                self.reached.note("end of input");
                match end {
                    End::Server => self.server.eof(now),
                    End::Client => self.client.eof(now),
                }
            }
            Rare::Closed(end) => {
                self.reached.note("closed");
                match end {
                    End::Server => self.server.shut(now),
                    End::Client => self.client.shut(now),
                }
            }
            Rare::Close(end, seconds) => {
                self.reached.note("close");
                let drain = Duration::from_secs(seconds.into());
                match end {
                    End::Server => self.server.machine.close(now, drain),
                    End::Client => self.client.machine.close(now, drain),
                }
            }
            Rare::Cut => {
                self.reached.note("cut");
                (self.to_server, self.to_client) = (Wire::default(), Wire::default());
                self.server.eof(now);
                self.client.eof(now);
            }
            Rare::Tamper(to, tampering) => self.tamper(to, tampering),
            Rare::Clock(End::Server, millis) => self.server.machine.set_wall_clock(setup::clock(now, millis)),
            Rare::Clock(End::Client, millis) => self.client.machine.set_wall_clock(setup::clock(now, millis)),
        }
    }
    fn tamper(&mut self, to: End, tampering: Tampering) {
        let wire = self.wire(to);
        let read = wire.read;
        let Some(first) = wire.lines.front_mut() else { return };
        match tampering {
            Tampering::Flip(bit) => {
                let place = read + usize::from(bit / 8) % (first.len() - read);
                first[place] ^= 1 << (bit % 8);
            }
            Tampering::Twice => {
                let copy = first.clone();
                wire.lines.insert(1, copy);
            }
            Tampering::Lose => {
                wire.lines.pop_front();
                wire.read = 0;
            }
            Tampering::Swap if wire.lines.len() > 1 && read == 0 => wire.lines.swap(0, 1),
            Tampering::Swap => return,
        }
        self.strict = false;
        self.reached.note("tampered");
    }
    fn wire(&mut self, to: End) -> &mut Wire {
        match to {
            End::Server => &mut self.to_server,
            End::Client => &mut self.to_client,
        }
    }
    fn pass(&mut self, span: Span) {
        let deadlines = [self.server.machine.deadline(), self.client.machine.deadline()];
        self.now = match span {
            Span::Sixteenths(number) => self.now.after(Duration::from_millis(u64::from(number) * 1000 / 16)),
            Span::Deadline => deadlines.into_iter().flatten().min().unwrap_or(self.now).max(self.now),
        };
        self.server.timeout(self.now);
        self.client.timeout(self.now);
    }

    /// What was written arrives, as far as it is wanted.
    fn deliver(&mut self, to: End, piece: Piece) {
        match piece {
            Piece::Bytes(bytes) => self.deliver_bytes(to, usize::from(bytes) + 1),
            Piece::Message => self.deliver_bytes(to, usize::MAX),
            Piece::All => {
                for _ in 0..self.wire(to).lines.len() {
                    self.deliver_bytes(to, usize::MAX);
                    self.settle();
                }
            }
        }
    }
    /// So much of the first message.
    fn deliver_bytes(&mut self, to: End, most: usize) {
        let (now, strict) = (self.now, self.strict);
        let wants = match to {
            End::Server => self.server.machine.wants_read(),
            End::Client => self.client.machine.wants_read(),
        };
        let wire = self.wire(to);
        if !wants {
            self.reached.note("not wanted");
            return;
        }
        let Some(line) = wire.lines.front() else { return };
        let end = wire.read + most.min(line.len() - wire.read);
        let piece = line[wire.read..end].to_vec();
        wire.read = end;
        let whole = if end == line.len() {
            wire.read = 0;
            wire.lines.pop_front()
        } else {
            None
        };
        match (to, whole) {
            (End::Server, Some(line)) if strict => {
                for message in &wire::parse(&line) {
                    self.observer.reached_server(message);
                }
            }
            _ => {}
        }
        match to {
            End::Server if !self.server.deaf => self.server.machine.data(now, &piece),
            End::Client if !self.client.deaf => self.client.machine.data(now, &piece),
            _ => {}
        }
    }
    pub fn deliver_all(&mut self) {
        self.deliver(End::Server, Piece::All);
        self.deliver(End::Client, Piece::All);
        self.settle();
    }

    /// The applications take what they want to take, and everything holds that holds always.
    pub fn settle(&mut self) {
        loop {
            if self.client.polls {
                while let Some(event) = self.client.event(self.strict, &mut self.reached) {
                    self.client_event(event);
                }
            }
            if self.server.polls {
                while let Some(event) = self.server.event(self.strict, &mut self.reached) {
                    self.server_event(event);
                }
            }
            let written = self.client.writes && self.write(End::Client);
            if !(self.server.writes && self.write(End::Server) || written) {
                break;
            }
        }
        while self.server.machine.trace() || self.client.machine.trace() {}
        let most = 3 * self.limits.session_bytes + 2 * self.limits.message_bytes;
        for (end, held) in
            [(End::Server, self.server.machine.held()), (End::Client, self.client.machine.held())]
        {
            assert!(held <= most, "the {end:?} holds {held} bytes, more than {most}");
        }
    }
    /// What an end has to say goes on its way. False: nothing.
    fn write(&mut self, end: End) -> bool {
        let mut out = Vec::new();
        // What waited for room is queued meanwhile; it is taken the next time.
        match end {
            End::Server => self.server.machine.output(&mut out, usize::MAX),
            End::Client => self.client.machine.output(&mut out, usize::MAX),
        };
        for line in out.split_inclusive(|&byte| byte == b'\n') {
            let messages = wire::parse(line.strip_suffix(b"\n").expect("a line"));
            let mut is_second = false;
            if self.strict {
                for message in &messages {
                    match end {
                        End::Client => self.observer.client_says(message),
                        End::Server => is_second |= self.observer.server_says(message, &mut self.reached),
                    }
                }
            }
            if !is_second {
                self.wire(end.peer()).lines.push_back(line.to_vec());
            }
        }
        !out.is_empty()
    }

    /// Everybody does what is to be done, and then nothing is left.
    pub fn end(mut self) -> Reached {
        (self.client.polls, self.client.writes) = (true, true);
        (self.server.polls, self.server.writes) = (true, true);
        self.settle();
        let subscriptions: Vec<u64> =
            self.client.made.iter().filter(|(_, made)| made.subscription).map(|(&call, _)| call).collect();
        for call in subscriptions {
            self.cancel_call(call);
        }
        for _ in 0..400 {
            self.deliver_all();
            while let Some(request) = self.server.pick(0) {
                self.respond(request, Response::Result);
                self.settle();
                // There may be no room for a subscription.
                if self.server.asked.0[&request] {
                    self.respond(request, Response::Error(1));
                    self.settle();
                }
                assert!(!self.server.asked.0[&request], "a request that nothing ends");
            }
            while let Some(question) = self.client.pick(0) {
                self.answer(question, Answer::Result);
                self.settle();
            }
            let quiet = self.to_server.lines.is_empty() && self.to_client.lines.is_empty();
            if quiet && self.client.calls.oldest().is_none() && self.server.calls.oldest().is_none() {
                break;
            }
            let span = if quiet { Span::Deadline } else { Span::Sixteenths(2) };
            self.pass(span);
            self.settle();
        }
        assert_eq!(self.client.calls.oldest(), None, "a call that nothing ends");
        assert_eq!(self.server.calls.oldest(), None, "a call that nothing ends");
        self.client.machine.close(self.now, Duration::from_secs(1));
        self.deliver_all();
        self.server.machine.close(self.now, Duration::from_secs(1));
        self.deliver_all();
        self.pass(Span::Sixteenths(16));
        self.settle();
        self.server.shut(self.now);
        self.client.shut(self.now);
        self.settle();
        assert!(self.watched.is_empty(), "watched for ever: {:?}", self.watched);
        assert!(!self.waiting.values().any(|comes_again| *comes_again), "requests that never come again");
        self.server.end(self.now);
        self.client.end(self.now);
        self.reached
    }
}

impl<C: Channel> Host<C> {
    fn eof(&mut self, now: Instant) {
        self.deaf = true;
        self.machine.eof(now);
    }
    fn shut(&mut self, now: Instant) {
        self.deaf = true;
        self.machine.closed(now);
    }
}

//! A raw client on the pipes of a server process. It keeps a number of calls in flight and reads the server's clock.
use std::{
    collections::HashMap,
    error::Error,
    ffi::OsString,
    io::{Read, Write},
    os::fd::AsFd,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    time::Duration,
};

use mcp_sansio_bench::message::{Era, INITIALIZE, INITIALIZED, echoed};
use nix::{
    poll::{PollFd, PollFlags, poll},
    time::{ClockId, clock_getcpuclockid},
    unistd::Pid,
};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Calls without an answer at any moment.
pub const IN_FLIGHT: usize = 64;
/// After this long without a byte the server counts as hung.
const PATIENCE_MILLIS: u16 = 20_000;
/// Processor time of the server before the measurement begins: its caches, and the compiler of a JavaScript engine.
const WARM_UP: Duration = Duration::from_millis(500);
/// Processor time of the server that is measured.
const MEASURED: Duration = Duration::from_millis(800);
/// Calls between two looks at the clock.
const SLICE: usize = 256;

/// Processor time of a server for one call, in microseconds: user and system, of all its threads.
pub fn cpu_micros(command: &[OsString], era: Era, handshake: bool) -> Result<f64> {
    let mut server = Server::start(command)?;
    let outcome = server.measure(era, handshake);
    let status = server.stop(outcome.is_err())?;
    let micros = outcome?;
    if !status.success() {
        return Err(format!("the server ended with {status}").into());
    }
    Ok(micros)
}

struct Server {
    process: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    clock: ClockId,
    received: Vec<u8>,
    calls: HashMap<u64, String>,
    next_id: u64,
}

impl Server {
    fn start(command: &[OsString]) -> Result<Self> {
        let [program, arguments @ ..] = command else { return Err("no command".into()) };
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let clock = clock_getcpuclockid(Pid::from_raw(process.id().try_into()?))?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or("no output")?;
        Ok(Self { process, input, output, clock, received: Vec::new(), calls: HashMap::new(), next_id: 1 })
    }

    fn measure(&mut self, era: Era, handshake: bool) -> Result<f64> {
        if handshake && era == Era::Legacy {
            self.write(INITIALIZE)?;
            while self.lines()?.is_empty() {}
            self.write(INITIALIZED)?;
        }
        self.load(era, WARM_UP)?;
        let (calls, time) = self.load(era, MEASURED)?;
        Ok(time.as_secs_f64() * 1e6 / calls as f64)
    }

    /// Keeps the calls in flight until the server has spent `least`, then lets the last of them end. Returns how many
    /// were answered and what the server spent on them.
    fn load(&mut self, era: Era, least: Duration) -> Result<(usize, Duration)> {
        let began = self.clock()?;
        let mut answered = 0;
        let mut look = SLICE;
        self.call(era, IN_FLIGHT)?;
        while !self.calls.is_empty() {
            let lines = self.lines()?;
            answered += lines.len();
            if answered >= look && look != usize::MAX {
                let spent = self.clock()? - began;
                look = if spent < least { answered + SLICE } else { usize::MAX };
            }
            if look != usize::MAX {
                self.call(era, lines.len())?;
            }
            for line in lines {
                let sent =
                    echoed(&line).and_then(|(id, text)| (self.calls.remove(&id)? == text).then_some(()));
                sent.ok_or_else(|| format!("not an answer to a call: {}", String::from_utf8_lossy(&line)))?;
            }
        }
        Ok((answered, self.clock()? - began))
    }

    fn call(&mut self, era: Era, count: usize) -> Result {
        let mut lines = String::new();
        for id in (self.next_id..).take(count) {
            let text = format!("hello {id}");
            lines += &era.call(id, &text);
            self.calls.insert(id, text);
            self.next_id = id + 1;
        }
        self.write(&lines)
    }

    fn write(&mut self, lines: &str) -> Result {
        self.input.as_mut().ok_or("the input is closed")?.write_all(lines.as_bytes())?;
        Ok(())
    }

    /// Waits for output and returns the whole lines of it.
    fn lines(&mut self) -> Result<Vec<Vec<u8>>> {
        if self.read()? == 0 {
            return Err("the server ended its output".into());
        }
        let Some(end) = self.received.iter().rposition(|byte| *byte == b'\n') else { return Ok(Vec::new()) };
        let rest = self.received.split_off(end + 1);
        let lines = std::mem::replace(&mut self.received, rest);
        Ok(lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    }

    fn read(&mut self) -> Result<usize> {
        let mut ready = [PollFd::new(self.output.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ready, PATIENCE_MILLIS)? == 0 {
            return Err("the server is silent".into());
        }
        let mut piece = [0; 64 << 10];
        let count = self.output.read(&mut piece)?;
        self.received.extend_from_slice(piece.get(..count).unwrap_or_default());
        Ok(count)
    }

    fn clock(&self) -> Result<Duration> {
        Ok(self.clock.now()?.into())
    }

    fn stop(mut self, failed: bool) -> Result<ExitStatus> {
        self.input = None;
        if failed {
            self.process.kill()?;
        }
        while self.read()? > 0 {}
        Ok(self.process.wait()?)
    }
}

//! What the client says, and what it must be answered.
use core::fmt::{self, Write};

use mcp_sansio::{json::Json, limits::Limits};

use crate::host::Host;

/// Calls in a row.
const CALLS: u32 = 1_000;

/// What was expected and did not come.
pub struct Mismatch {
    /// Which step.
    pub step: &'static str,
    /// What was wanted of the answer.
    pub wanted: &'static str,
}

type Step = Result<(), Mismatch>;

/// How the client's requests look.
#[derive(Clone, Copy)]
pub enum Era {
    /// 2026-07-28.
    Modern,
    /// 2025-11-25.
    Legacy,
}

impl Era {
    /// The member of `params` that each request has.
    const fn meta(self) -> &'static str {
        match self {
            Self::Modern => {
                r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"dry","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#
            }
            Self::Legacy => r#""_meta":{}"#,
        }
    }
    fn open(self, host: &mut Host) -> Step {
        match self {
            Self::Modern => {
                let discover = Line::request("\"open\"", "server/discover", self, format_args!(""));
                let answer = host.line(discover.bytes());
                expect("discover", answer, "\"open\"", &["result", "supportedVersions"], "[\"2026-07-28\"]")
            }
            Self::Legacy => {
                let initialize = r#"{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"dry","version":"1"}}}"#;
                let answer = host.line(initialize.as_bytes());
                expect("initialize", answer, "\"open\"", &["result", "protocolVersion"], "\"2025-11-25\"")?;
                let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
                nothing("initialized", host.line(initialized.as_bytes()))
            }
        }
    }
}

/// The whole conversation in one era, on a stream that may have carried the other.
pub fn run(host: &mut Host, era: Era) -> Step {
    era.open(host)?;
    list(host, era)?;
    unicode(host, era)?;
    unknown_tool(host, era)?;
    duplicate_id(host, era)?;
    cancelled(host, era)?;
    too_long(host, era)?;
    many(host, era)
}

fn list(host: &mut Host, era: Era) -> Step {
    let list = Line::request("1", "tools/list", era, format_args!(""));
    let answer = host.line(list.bytes());
    expect("list", answer, "1", &["result", "tools", "0", "name"], "\"echo\"")?;
    expect("list", answer, "1", &["result", "tools", "0", "inputSchema", "required"], "[\"text\"]")
}

fn unicode(host: &mut Host, era: Era) -> Step {
    for text in [r#""héé 漢 🦀""#, r#""h\u00e9\u00e9 \u6f22 \ud83e\udd80""#, r#""\u0000\"\\\/\n""#] {
        echo(host, era, "unicode", "2", text)?;
    }
    Ok(())
}

fn unknown_tool(host: &mut Host, era: Era) -> Step {
    let call = Line::request("3", "tools/call", era, format_args!(r#""name":"nobody","arguments":{{}},"#));
    expect("unknown tool", host.line(call.bytes()), "3", &["error", "code"], "-32602")
}

/// A second request with the id of one in flight is refused and does not disturb the first.
fn duplicate_id(host: &mut Host, era: Era) -> Step {
    let step = "duplicate id";
    wait(host, era, step, "4")?;
    let double = Line::call("4", era, format_args!(r#"{{"text":"double"}}"#));
    refused(step, host.line(double.bytes()), "-32600")?;
    let Some(request) = host.waiting.take() else { return missing(step, "a call that waits") };
    let (answered, answer) = host.answer(request, "\"first\"");
    let true = answered else { return missing(step, "an answer that may be given") };
    expect_text(step, answer, "4", "\"first\"")
}

/// A call that was taken back is over: nothing comes for its id, and the next call works.
fn cancelled(host: &mut Host, era: Era) -> Step {
    let step = "cancelled call";
    wait(host, era, step, "5")?;
    let before = host.cancelled;
    let mut cancel = Line::new();
    cancel.add(format_args!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":5,{}}}}}"#,
        era.meta()
    ));
    nothing(step, host.line(cancel.bytes()))?;
    let true = host.cancelled == before + 1 else { return missing(step, "the end of the call") };
    let Some(request) = host.waiting.take() else { return missing(step, "a call that waits") };
    let (answered, answer) = host.answer(request, "\"late\"");
    nothing(step, answer)?;
    let false = answered else { return missing(step, "a refusal of the late answer") };
    echo(host, era, step, "6", "\"next\"")
}

/// A line over the limit is dropped while it arrives, and the next one is read.
fn too_long(host: &mut Host, era: Era) -> Step {
    let step = "line over its limit";
    const LINE: [u8; 5_000] = {
        let start =
            br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":""#;
        let mut line = [b'x'; 5_000];
        let mut at = 0;
        while at < start.len() {
            line[at] = start[at];
            at += 1;
        }
        line
    };
    let longer = LINE.len() > Limits::small().message_bytes;
    let true = longer else { return missing(step, "a lower limit") };
    refused(step, host.line(&LINE), "-32600")?;
    echo(host, era, step, "7", "\"next\"")
}

fn many(host: &mut Host, era: Era) -> Step {
    for number in 0..CALLS {
        let (mut id, mut text) = (Line::new(), Line::new());
        id.add(format_args!("{}", 1_000 + number));
        text.add(format_args!("\"call {number} 漢\""));
        echo(host, era, "many calls", id.text(), text.text())?;
    }
    Ok(())
}

/// Calls `echo` and compares its answer.
fn echo(host: &mut Host, era: Era, step: &'static str, id: &str, text: &str) -> Step {
    let call = Line::call(id, era, format_args!(r#"{{"text":{text}}}"#));
    expect_text(step, host.line(call.bytes()), id, text)
}

/// Calls `echo` so that it waits.
fn wait(host: &mut Host, era: Era, step: &'static str, id: &str) -> Step {
    let call = Line::call(id, era, format_args!(r#"{{"text":"later","wait":true}}"#));
    nothing(step, host.line(call.bytes()))
}

fn expect_text(step: &'static str, answer: &str, id: &str, text: &str) -> Step {
    expect(step, answer, id, &["result", "content", "0", "text"], text)
}

fn missing(step: &'static str, wanted: &'static str) -> Step {
    Err(Mismatch { step, wanted })
}

fn nothing(step: &'static str, answer: &str) -> Step {
    if answer.is_empty() { Ok(()) } else { missing(step, "no answer") }
}

/// One error that names no request.
fn refused(step: &'static str, answer: &str, code: &str) -> Step {
    expect(step, answer, "null", &["error", "code"], code)
}

/// One line with this id, in which the value at `path` is `value`, byte for byte. In an error of a revision that has no
/// `null` there, the id is absent.
fn expect(step: &'static str, answer: &str, id: &str, path: &[&'static str], value: &str) -> Step {
    let Some(line) = answer.strip_suffix('\n').filter(|line| !line.contains('\n')) else {
        return missing(step, "one line");
    };
    let Ok(message) = Json::parse(line.as_bytes()) else { return missing(step, "JSON") };
    if message.member("id").map_or("null", Json::get) != id {
        return missing(step, "the id of the request");
    }
    let found = path.iter().try_fold(message, |value, key| match key.parse() {
        Ok(place) => value.elements().nth(place),
        Err(_) => value.member(key),
    });
    if found.map(Json::get) == Some(value) {
        Ok(())
    } else {
        missing(step, path.last().copied().unwrap_or("a value"))
    }
}

/// A line of the client, on the stack: the heap belongs to the server.
struct Line {
    bytes: [u8; 512],
    used: usize,
}

impl Line {
    const fn new() -> Self {
        Self { bytes: [0; 512], used: 0 }
    }
    /// `params`: members, each followed by a comma.
    fn request(id: &str, method: &str, era: Era, params: fmt::Arguments<'_>) -> Self {
        let mut line = Self::new();
        let meta = era.meta();
        line.add(format_args!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}{meta}}}}}"#
        ));
        line
    }
    fn call(id: &str, era: Era, arguments: fmt::Arguments<'_>) -> Self {
        Self::request(id, "tools/call", era, format_args!(r#""name":"echo","arguments":{arguments},"#))
    }
    fn add(&mut self, text: fmt::Arguments<'_>) {
        // A line that does not fit would be cut, and its answer a mismatch.
        let _ = self.write_fmt(text);
    }
    fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }
    fn text(&self) -> &str {
        core::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.used..self.used + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.used += text.len();
        Ok(())
    }
}

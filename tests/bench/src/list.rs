//! `tools/list` of many tools, and the least that it takes: the bytes of its answer are copied into the output, and from
//! there to where they go.
use mcp_sansio::{json::Json, session::Catalog};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    machine::{Machine, server_with},
    message::Era,
    round_trip::RoundTrip,
};

/// Tools of the list.
pub const TOOLS: usize = 101;

/// A server with so many tools, on messages.
pub struct List(Machine);

impl List {
    /// One that has been opened as the era wants.
    pub fn open(era: Era) -> Self {
        let tools: Vec<String> = (0..TOOLS)
            .map(|place| {
                format!(
                    r#"{{"name":"tool_{place}","title":"Tool {place}","description":"Does what the tool of this number does","inputSchema":{{"type":"object","properties":{{"text":{{"type":"string","description":"What to do it with"}},"count":{{"type":"integer"}}}},"required":["text"]}}}}"#
                )
            })
            .collect();
        let tools = tools.iter().map(|tool| Json::parse(tool.as_bytes()).expect("the tool is JSON"));
        let catalog = Catalog::new().tools(tools).expect("the tools are complete");
        Self(Machine::open_with(server_with(catalog), era))
    }
}

impl RoundTrip for List {
    fn run(&mut self, line: &[u8], answer: &mut Vec<u8>) {
        self.0.run(line, answer);
    }
    fn question(&self, era: Era) -> String {
        era.list(7)
    }
    fn works(&mut self, era: Era) -> bool {
        let mut answer = Vec::new();
        self.run(self.question(era).as_bytes(), &mut answer);
        tools(&answer) == Some(TOOLS)
    }
}

/// How many tools an answer lists.
fn tools(answer: &[u8]) -> Option<usize> {
    #[derive(Deserialize)]
    struct Answer<'a> {
        #[serde(borrow)]
        result: Tools<'a>,
    }
    #[derive(Deserialize)]
    struct Tools<'a> {
        #[serde(borrow)]
        tools: Vec<&'a RawValue>,
    }
    serde_json::from_slice::<Answer>(answer).ok().map(|answer| answer.result.tools.len())
}

/// The bytes of that answer.
pub struct Copy {
    bytes: Vec<u8>,
    output: Vec<u8>,
}

impl Copy {
    /// Those that the server of this era gives.
    pub fn of(era: Era) -> Self {
        let mut list = List::open(era);
        let mut bytes = Vec::new();
        list.run(list.question(era).as_bytes(), &mut bytes);
        Self { bytes, output: Vec::new() }
    }
}

impl RoundTrip for Copy {
    fn run(&mut self, _: &[u8], answer: &mut Vec<u8>) {
        self.output.clear();
        self.output.extend_from_slice(&self.bytes);
        answer.extend_from_slice(&self.output);
    }
    fn question(&self, era: Era) -> String {
        era.list(7)
    }
    fn works(&mut self, era: Era) -> bool {
        let mut answer = Vec::new();
        self.run(self.question(era).as_bytes(), &mut answer);
        tools(&answer) == Some(TOOLS)
    }
}

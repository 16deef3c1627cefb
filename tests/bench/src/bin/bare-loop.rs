//! The least that a Rust server does: read lines, parse each, print the answer, write when no line is left.
use std::{
    error::Error,
    io::{BufRead, BufReader, BufWriter, Write, stdin, stdout},
};

use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Call {
    id: u64,
    params: Params,
}

#[derive(Deserialize)]
struct Params {
    arguments: Arguments,
}

#[derive(Deserialize)]
struct Arguments {
    text: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut input = BufReader::with_capacity(64 << 10, stdin().lock());
    let mut output = BufWriter::with_capacity(64 << 10, stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let Call { id, params } = serde_json::from_slice(&line)?;
        let result = json!({"content": [{"type": "text", "text": params.arguments.text}]});
        serde_json::to_writer(&mut output, &json!({"jsonrpc": "2.0", "id": id, "result": result}))?;
        output.write_all(b"\n")?;
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

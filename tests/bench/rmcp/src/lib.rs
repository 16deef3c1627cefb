//! A server of the tool `echo` as `rmcp` has its users write one, and its round trip over a pipe in memory.
use mcp_sansio_bench::{
    message::{Era, INITIALIZE, INITIALIZED},
    round_trip::RoundTrip,
};
use rmcp::{
    ServerHandler, ServiceExt,
    handler::server::{router::tool::ToolRouter, wrapper::Parameters},
    tool, tool_handler, tool_router,
};
use serde::Deserialize;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf},
    runtime::{Builder, Runtime},
};

/// The arguments of `echo`.
#[derive(Deserialize, schemars::JsonSchema)]
pub struct Echo {
    text: String,
}

/// The server. It keeps its router, which would else be built anew for each call.
#[derive(Clone)]
pub struct Server {
    tools: ToolRouter<Self>,
}

impl Default for Server {
    fn default() -> Self {
        Self { tools: Self::tool_router() }
    }
}

#[tool_router]
impl Server {
    /// Answers with its text.
    #[tool]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Server {}

struct Duplex {
    runtime: Runtime,
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl Duplex {
    fn open(era: Era) -> std::io::Result<Self> {
        const PIPE: usize = 64 << 10;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (ours, theirs) = tokio::io::duplex(PIPE);
        runtime.spawn(async move {
            if let Ok(service) = Server::default().serve(theirs).await {
                let _ = service.waiting().await;
            }
        });
        let (reader, writer) = tokio::io::split(ours);
        let mut duplex = Self { runtime, reader: BufReader::new(reader), writer };
        if era == Era::Legacy {
            duplex.run(INITIALIZE.as_bytes(), &mut Vec::new());
            duplex.runtime.block_on(duplex.writer.write_all(INITIALIZED.as_bytes()))?;
        }
        Ok(duplex)
    }
}

impl RoundTrip for Duplex {
    fn run(&mut self, line: &[u8], answer: &mut Vec<u8>) {
        let done = self.runtime.block_on(async {
            self.writer.write_all(line).await?;
            self.reader.read_until(b'\n', answer).await
        });
        if done.is_err() {
            answer.clear();
        }
    }
}

/// The subjects of this crate by name.
pub fn subject(name: &str, era: Era) -> Option<Box<dyn RoundTrip>> {
    match name {
        "rmcp" => Some(Box::new(Duplex::open(era).ok()?)),
        _ => None,
    }
}

//! A server on `rmcp`, on its `stdio_pipes` transport.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ProgressNotificationParam, ServerCapabilities, ServerConfig};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;

#[derive(Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Count {
    n: u32,
}

struct Peer;

async fn report_progress(context: &RequestContext<RoleServer>, progress: u32) {
    if let Some(token) = context.meta.get_progress_token() {
        let notice = ProgressNotificationParam::new(token, progress.into());
        if let Err(error) = context.peer.notify_progress(notice).await {
            eprintln!("progress not sent: {error}");
        }
    }
}

#[tool_router]
impl Peer {
    #[tool(description = "Return the text.")]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Fail.")]
    async fn fail(&self) -> Result<String, String> {
        Err("failed as asked".into())
    }

    #[tool(description = "Count to n.")]
    async fn count(
        &self,
        Parameters(Count { n }): Parameters<Count>,
        context: RequestContext<RoleServer>,
    ) -> String {
        for value in 1..=n {
            report_progress(&context, value).await;
        }
        format!("counted to {n}")
    }

    #[tool(description = "Run until cancelled.")]
    async fn wait(&self, context: RequestContext<RoleServer>) -> String {
        report_progress(&context, 1).await;
        context.ct.cancelled().await;
        eprintln!("cancelled wait");
        String::new()
    }
}

#[tool_handler]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // A client that only probes leaves before a session is open.
    match Peer.serve(stdio_pipes()).await {
        Ok(service) => {
            if let Err(error) = service.waiting().await {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
        Err(error) => eprintln!("no session: {error}"),
    }
}

//! A server on `rmcp`, on its `stdio_pipes` transport.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::stdio_pipes;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};

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

/// A result, from what it is on the wire.
fn result<T: serde::de::DeserializeOwned>(mut value: Value) -> Result<T, ErrorData> {
    value["resultType"] = "complete".into();
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

#[tool_handler]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts();
        ServerConfig::new(capabilities.enable_completions().build())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        result(json!({"resources": [
            {"uri": "test://text", "name": "text", "mimeType": "text/plain"},
            {"uri": "test://blob", "name": "blob", "mimeType": "application/octet-stream"},
        ]}))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        result(json!({"resourceTemplates": [{"uriTemplate": "test://item/{number}", "name": "item"}]}))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let content = match (uri.as_str(), uri.strip_prefix("test://item/")) {
            ("test://text", _) => json!({"uri": uri, "text": "héé 漢 🦀"}),
            ("test://blob", _) => json!({"uri": uri, "blob": "+/+//v8="}),
            (_, Some(number)) => json!({"uri": uri, "text": format!("item {number}")}),
            _ => return Err(ErrorData::resource_not_found("no such resource", None)),
        };
        result::<ReadResourceResult>(json!({"contents": [content]})).map(Into::into)
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        result(json!({"prompts": [{"name": "greet", "arguments": [{"name": "who", "required": true}]}]}))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = json!(request.arguments);
        let text = format!("Hello {}", arguments["who"].as_str().unwrap_or_default());
        let message = json!({"role": "user", "content": {"type": "text", "text": text}});
        result::<GetPromptResult>(json!({"messages": [message]})).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let typed = request.argument.value;
        let names: Vec<_> =
            ["Ada", "Alan", "Grace"].into_iter().filter(|name| name.starts_with(&typed)).collect();
        result(json!({"completion": {"values": names}}))
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

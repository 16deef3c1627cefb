//! A client on `rmcp`: `rmcp-client --mode initialize|discover SCRIPT -- SERVER [ARGUMENT…]`.
//!
//! The README beside the harness has the contract of scripts and of the lines printed.

use std::collections::HashMap;
use std::error::Error;
use std::sync::Mutex;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ProgressNotificationParam,
    ProgressToken, ProtocolVersion, ServerResult,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestHandle,
};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};
use tokio::sync::Notify;

type Failure = Box<dyn Error>;

/// Keeps the progress of every call: each request of this SDK has a token.
#[derive(Default)]
struct Progress {
    values: Mutex<HashMap<ProgressToken, Vec<f64>>>,
    arrived: Notify,
}

impl Progress {
    fn of(&self, token: &ProgressToken) -> Vec<f64> {
        self.values.lock().unwrap().get(token).cloned().unwrap_or_default()
    }
}

impl ClientHandler for Progress {
    async fn on_progress(
        &self,
        notice: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.values.lock().unwrap().entry(notice.progress_token).or_default().push(notice.progress);
        self.arrived.notify_waiters();
    }
}

type Session = rmcp::service::RunningService<RoleClient, Progress>;

fn report(step: &str, mut fields: Value) {
    fields["step"] = step.into();
    println!("{fields}");
}

async fn start(session: &Session, step: &Value) -> Result<RequestHandle<RoleClient>, Failure> {
    let name = step["name"].as_str().ok_or("a step without the name of a tool")?.to_owned();
    let arguments = step["arguments"].as_object().cloned().unwrap_or_default();
    let params = CallToolRequestParams::new(name).with_arguments(arguments);
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
    Ok(session.send_cancellable_request(request, PeerRequestOptions::no_options()).await?)
}

async fn finish(call: RequestHandle<RoleClient>) -> Result<CallToolResult, Failure> {
    match call.await_response().await? {
        ServerResult::CallToolResult(result) => Ok(result),
        other => Err(format!("not the result of a tool: {other:?}").into()),
    }
}

async fn text(session: &Session, step: &Value) -> Result<String, Failure> {
    let result = finish(start(session, step).await?).await?;
    Ok(result.content.iter().filter_map(|item| item.as_text()).map(|item| item.text.as_str()).collect())
}

async fn cancel(session: &Session, script: &Value) -> Result<(), Failure> {
    let step = &script["cancel"];
    let arrived = session.service().arrived.notified();
    let call = start(session, step).await?;
    if step["after"] == "first-progress" {
        arrived.await;
    } else {
        // A whole round trip later the handler has begun.
        text(session, &script["echo"]).await?;
    }
    call.cancel(Some("no longer needed".into())).await?;
    report("cancel", json!({ "outcome": "call.cancelled" }));
    report("after_cancel", json!({ "text": text(session, &script["echo"]).await? }));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [flag, mode, script, separator, command, server @ ..] = arguments.as_slice() else {
        return Err("usage: rmcp-client --mode initialize|discover SCRIPT -- SERVER [ARGUMENT…]".into());
    };
    let lifecycle = match (flag.as_str(), mode.as_str(), separator.as_str()) {
        ("--mode", "initialize", "--") => ClientLifecycleMode::Initialize,
        ("--mode", "discover", "--") => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
        _ => return Err(format!("unknown options {flag} {mode} {separator}").into()),
    };
    let script: Value = if script.starts_with('{') {
        serde_json::from_str(script)?
    } else {
        serde_json::from_reader(std::fs::File::open(script)?)?
    };

    let mut process = tokio::process::Command::new(command);
    process.args(server);
    let transport = TokioChildProcess::new(process)?;
    let mut session = Progress::default().serve_with_lifecycle(transport, lifecycle).await?;
    let revision = session.peer_info().map(|info| info.protocol_version.to_string());
    report("connect", json!({ "revision": revision }));
    let tools = session.list_all_tools().await?;
    report("list", json!({ "tools": tools.iter().map(|tool| &tool.name).collect::<Vec<_>>() }));
    if script.get("echo").is_some() {
        report("echo", json!({ "text": text(&session, &script["echo"]).await? }));
    }
    if let Some(step) = script.get("fail") {
        let result = finish(start(&session, step).await?).await?;
        report("fail", json!({ "isError": result.is_error.unwrap_or(false) }));
    }
    if let Some(step) = script.get("progress") {
        let call = start(&session, step).await?;
        let token = call.progress_token.clone();
        finish(call).await?;
        report("progress", json!({ "values": session.service().of(&token) }));
    }
    if script.get("cancel").is_some() {
        cancel(&session, &script).await?;
    }
    session.close().await?;
    report("close", json!({ "server_exit": null }));
    Ok(())
}

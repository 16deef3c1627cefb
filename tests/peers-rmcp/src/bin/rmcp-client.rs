//! A client on `rmcp`: `rmcp-client --mode initialize|discover SCRIPT -- SERVER [ARGUMENT…]`.
//!
//! The README beside the harness has the contract of scripts and of the lines printed.
#![allow(deprecated, reason = "what this SDK calls deprecated is in the protocol, and is to be seen")]

use std::collections::HashMap;
use std::error::Error;
use std::sync::Mutex;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientConfig, ClientRequest,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ResourceUpdatedNotificationParam, ServerResult, SubscriptionFilter,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt, NotificationContext, PeerRequestOptions, RequestContext,
    RequestHandle, ServiceError, Subscription,
};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::sync::Notify;

type Failure = Box<dyn Error>;

/// Keeps the progress of every call: each request of this SDK has a token.
#[derive(Default)]
struct Progress {
    values: Mutex<HashMap<ProgressToken, Vec<f64>>>,
    arrived: Notify,
    /// What is declared, and what questions are answered with.
    capabilities: Value,
    answers: Value,
    asked: Mutex<Vec<&'static str>>,
    /// Methods and params of notices that nobody waited for yet.
    notices: Mutex<Vec<(&'static str, Value)>>,
    told: Notify,
}

impl Progress {
    fn of(&self, token: &ProgressToken) -> Vec<f64> {
        self.values.lock().unwrap().get(token).cloned().unwrap_or_default()
    }
    fn answer<T: serde::de::DeserializeOwned>(&self, method: &'static str) -> Result<T, ErrorData> {
        self.asked.lock().unwrap().push(method);
        let answer = serde_json::from_value(self.answers[method].clone());
        answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
    fn keep(&self, method: &'static str, params: Value) {
        self.notices.lock().unwrap().push((method, params));
        self.told.notify_one();
    }
    async fn wait(&self, wanted: &str) -> Value {
        loop {
            let mut notices = self.notices.lock().unwrap();
            if let Some(place) = notices.iter().position(|(method, _)| *method == wanted) {
                return notices.remove(place).1;
            }
            drop(notices);
            self.told.notified().await;
        }
    }
}

impl ClientHandler for Progress {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.capabilities = serde_json::from_value(self.capabilities.clone()).unwrap_or_default();
        info
    }
    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        self.answer("sampling/createMessage")
    }
    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        self.answer("elicitation/create")
    }
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.answer("roots/list")
    }
    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.keep("notifications/message", json!(params));
    }
    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.keep("notifications/resources/updated", json!(params));
    }
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

/// A call of `more`. The legacy ones have no other name.
async fn call(session: &Session, method: &str, params: Value) -> Result<Value, ServiceError> {
    fn read<T: serde::de::DeserializeOwned>(params: Value) -> T {
        serde_json::from_value(params).expect("params of the script")
    }
    Ok(match method {
        "resources/list" => json!(session.list_resources(None).await?),
        "resources/templates/list" => json!(session.list_resource_templates(None).await?),
        "resources/read" => json!(session.read_resource(read(params)).await?),
        "prompts/list" => json!(session.list_prompts(None).await?),
        "prompts/get" => json!(session.get_prompt(read(params)).await?),
        "completion/complete" => json!(session.complete(read(params)).await?),
        "logging/setLevel" => {
            session.set_level(read(params)).await?;
            json!({})
        }
        _ => json!(session.call_tool(read(params)).await?),
    })
}

/// One step of `more`.
async fn more(session: &Session, step: &Value, stream: &mut Option<Subscription>) -> Result<Value, Failure> {
    if let Some(method) = step["call"].as_str() {
        let mut params = step["params"].clone();
        if let Some(level) = step["log"].as_str() {
            params["_meta"] = json!({ "io.modelcontextprotocol/logLevel": level });
        }
        return match call(session, method, params).await {
            Err(ServiceError::McpError(error)) => Ok(json!({ "error": error.code.0 })),
            outcome => Ok(outcome?),
        };
    }
    if let Some(method) = step["wait"].as_str() {
        let Some(stream) = stream.as_mut().filter(|_| method.ends_with("updated")) else {
            return Ok(session.service().wait(method).await);
        };
        let notice = stream.next().await?.ok_or("the subscription ended")?;
        return Ok(json!(notice)["params"].take());
    }
    let uris = &step["subscribe"];
    let modern =
        session.peer_info().is_some_and(|info| info.protocol_version == ProtocolVersion::V_2026_07_28);
    if modern {
        let filter: SubscriptionFilter = serde_json::from_value(json!({ "resourceSubscriptions": uris }))?;
        let opened = session.listen(filter).await?;
        let honored = json!(opened.acknowledged());
        *stream = Some(opened);
        return Ok(honored);
    }
    for uri in uris.as_array().into_iter().flatten() {
        session.subscribe(serde_json::from_value(json!({ "uri": uri }))?).await?;
    }
    Ok(json!({ "resourceSubscriptions": uris }))
}

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
    let handler = Progress {
        capabilities: script.get("capabilities").cloned().unwrap_or_else(|| json!({})),
        answers: script["answers"].clone(),
        ..Progress::default()
    };
    let mut session = handler.serve_with_lifecycle(transport, lifecycle).await?;
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
    let mut stream = None;
    for step in script["more"].as_array().into_iter().flatten() {
        report("more", json!({ "result": more(&session, step, &mut stream).await? }));
    }
    if script.get("more").is_some() {
        report("asked", json!({ "methods": *session.service().asked.lock().unwrap() }));
    }
    session.close().await?;
    report("close", json!({ "server_exit": null }));
    Ok(())
}

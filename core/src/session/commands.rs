//! What an application says, checked: answers and notices of both roles.
use super::{
    completion,
    engine::{Engine, Wire},
    meta,
    prompts::check_prompt,
    questions::is_url,
    tasks::{Kept, Part},
};
use crate::{
    degrade,
    error::SendError,
    event::{CacheHint, Outcome},
    json::{Flags, Json, unescape},
    jsonrpc::{
        code,
        write::{self, ErrorId, Stamp},
    },
    method::{self, Handling, MethodId},
    revision::{Features, Revision},
};

pub(super) fn stamp(revision: Revision, cache: Option<CacheHint>, result_meta: &str) -> Stamp<'_> {
    let features = revision.features();
    Stamp {
        result_type: features.result_type.then_some("complete"),
        cache: cache.filter(|_| features.cache_hints).map(|hint| (hint.ttl_ms, hint.public)),
        meta: Some(result_meta).filter(|meta| features.server_info && !meta.is_empty()),
    }
}

/// Whether an application may send this notice.
pub(super) fn check_notice(
    row: Option<MethodId>,
    method: &str,
    params: Option<Json<'_>>,
) -> Result<(), SendError> {
    if params.is_some_and(|params| !params.is_object()) {
        return Err(SendError::Invalid("params must be an object"));
    }
    let has = |field| params.and_then(|params| params.member(field)).is_some();
    match row.map(|row| row.row().handling) {
        None if method::is_known(method) => Err(SendError::NotInRevision),
        Some(Handling::Cancelled) => Err(SendError::Invalid("a call is taken back with `cancel`")),
        Some(Handling::Progress) => Err(SendError::Invalid("progress is sent with `progress`")),
        Some(Handling::Log) => Err(SendError::Invalid("a log notice is sent with `log`")),
        Some(Handling::Initialized | Handling::Acknowledged) => {
            Err(SendError::Invalid("the engine sends this notice itself"))
        }
        Some(
            Handling::ToolsChanged
            | Handling::PromptsChanged
            | Handling::ResourcesChanged
            | Handling::ResourceUpdated,
        ) => Err(SendError::Invalid("a change is told with `publish`")),
        Some(Handling::TaskStatus) => Err(SendError::Invalid("what a task does is told with `task_status`")),
        _ if !row.is_none_or(|row| row.row().required.iter().copied().all(has)) => {
            Err(SendError::Invalid("the params lack a member that this notice needs"))
        }
        _ => Ok(()),
    }
}

/// Answers a request of the peer for the application.
pub(super) fn respond(
    engine: &mut Engine,
    handle: u64,
    outcome: Outcome<'_>,
    result_meta: &str,
) -> Result<(), SendError> {
    let request = engine.requests.get(handle).filter(|request| request.is_answerable());
    let Some(request) = request else { return Err(engine.gone(handle)) };
    let (revision, features) = (request.revision, request.revision.features());
    let related_task = request.part.as_deref().map(Part::related);
    let runs_task = matches!(request.part.as_deref(), Some(Part::Runs(_)));
    let writes_meta = features.server_info || related_task.is_some();
    let cacheable = request.method.is_some_and(|row| row.row().cacheable.contains(revision));
    match outcome {
        Outcome::Result { result, cache } => {
            let said = match request.method.map(|row| row.row().handling) {
                Some(Handling::Complete) => completion::cut(result),
                Some(Handling::CallTool) => {
                    check_content(result)?;
                    degrade::tool_result(result, revision)
                }
                Some(Handling::GetPrompt) => {
                    check_prompt(result)?;
                    degrade::prompt(result, revision)
                }
                _ => None,
            };
            let result = said.as_deref().map_or(result, Json::from_checked);
            let cache = cacheable.then(|| cache.unwrap_or_default());
            check_result(result, revision, cache, writes_meta)?;
            if runs_task {
                return engine.finish_task(handle, Kept::result(result));
            }
            let related = engine.related(handle);
            let Some(request) = engine.take_request(handle) else { return Err(SendError::Over) };
            let id = request.id();
            let mut stamp = stamp(revision, cache, result_meta);
            stamp.meta = related_task.as_deref().or(stamp.meta);
            let wire = Wire { revision: Some(revision) };
            engine
                .answer(request.reply, related, false, wire, id, |out| write::result(out, id, result, &stamp))
        }
        Outcome::Extension { result_type, result } => {
            check_result(result, revision, None, writes_meta)?;
            let related = engine.related(handle);
            let Some(request) = engine.take_request(handle) else { return Err(SendError::Over) };
            let id = request.id();
            let stamp = Stamp { result_type: Some(result_type), ..stamp(revision, None, result_meta) };
            let wire = Wire { revision: Some(revision) };
            engine
                .answer(request.reply, related, false, wire, id, |out| write::result(out, id, result, &stamp))
        }
        Outcome::InputRequired { .. } => {
            Err(SendError::Invalid("a question is answered with a result or an error"))
        }
        Outcome::Error { code, message, data } => {
            check_error(code, data, features)?;
            let code = if code == code::RESOURCE_NOT_FOUND { features.resource_not_found } else { code };
            if runs_task {
                return engine.finish_task(handle, Kept::error_with(code, message, data));
            }
            let related = engine.related(handle);
            let Some(request) = engine.take_request(handle) else { return Err(SendError::Over) };
            let id = request.id();
            let wire = Wire { revision: Some(revision) };
            engine.answer(request.reply, related, false, wire, id, |out| {
                write::error(out, ErrorId::Id(id), code, message, data);
            })
        }
    }
}

/// Whether the members that the engine writes are absent from a result, or have the value that it would write.
fn check_result(
    result: Json<'_>,
    revision: Revision,
    cache: Option<CacheHint>,
    writes_meta: bool,
) -> Result<(), SendError> {
    if !result.is_object() {
        return Err(SendError::Invalid("a result is an object"));
    }
    let (features, flags) = (revision.features(), result.flags());
    if flags.has(Flags::STEERING) {
        let text = |key| result.member(key).map(Json::get);
        let kind = text("resultType").is_none_or(|kind| features.result_type && kind == "\"complete\"");
        let hint = cache.filter(|_| features.cache_hints);
        let ttl = text("ttlMs").is_none_or(|ttl| hint.is_some_and(|hint| ttl.parse() == Ok(hint.ttl_ms)));
        let scope = text("cacheScope").is_none_or(|scope| {
            hint.is_some_and(|hint| scope == if hint.public { "\"public\"" } else { "\"private\"" })
        });
        if !(kind && ttl && scope) {
            return Err(SendError::Invalid(
                "`resultType`, `ttlMs` and `cacheScope` are written by the engine",
            ));
        }
    }
    if writes_meta && flags.has(Flags::META) {
        let mut metas = result.members().filter(|(key, _)| unescape(key).is_some_and(|key| key == "_meta"));
        let (Some((_, own)), None) = (metas.next().filter(|(_, own)| own.is_object()), metas.next()) else {
            return Err(SendError::Invalid("`_meta` must be one object"));
        };
        if own.members().any(|(key, _)| unescape(key).is_some_and(|key| meta::is_engine_key(&key))) {
            return Err(SendError::Invalid("this `_meta` key belongs to the engine"));
        }
    }
    Ok(())
}

/// Whether the data of an error names the URLs to visit: `client/elicitation` of 2025-11-25.
fn lists_elicitations(data: Option<Json<'_>>) -> bool {
    let Some(list) = data.and_then(|data| data.member("elicitations")) else { return false };
    let is_text = |item: Json<'_>, key| item.member(key).and_then(Json::as_str).is_some();
    let names = |item: Json<'_>| {
        is_url(Some(item)) && ["elicitationId", "url", "message"].into_iter().all(|key| is_text(item, key))
    };
    list.elements().next().is_some() && list.elements().all(names)
}

/// Whether the `content` of a tool's result is an array, where there is one.
fn check_content(result: Json<'_>) -> Result<(), SendError> {
    if result.flags().has(Flags::CONTENT) || result.member("content").is_none() {
        return Ok(());
    }
    Err(SendError::Invalid("`content` of a tool's result is an array"))
}

/// Whether an application may send an error in a revision. JSON-RPC reserves -32768…-32000; `basic/index` of 2026-07-28
/// says what of it is whose.
fn check_error(code: i32, data: Option<Json<'_>>, features: &Features) -> Result<(), SendError> {
    let allowed = match code {
        code::MISSING_CLIENT_CAPABILITY if features.result_type => {
            let required = data.and_then(|data| data.member("requiredCapabilities"));
            if !required.is_some_and(Json::is_object) {
                return Err(SendError::Invalid(
                    "this error needs `requiredCapabilities` in its data, an object like the client's `capabilities`",
                ));
            }
            true
        }
        code::URL_ELICITATION_REQUIRED if features.elicitation_id => {
            if !lists_elicitations(data) {
                return Err(SendError::Invalid(
                    "this error needs `elicitations` in its data, each with `mode` url, `elicitationId`, `url` and \
                     `message`",
                ));
            }
            true
        }
        code::PARSE_ERROR
        | code::INVALID_REQUEST
        | code::METHOD_NOT_FOUND
        | code::INVALID_PARAMS
        | code::INTERNAL_ERROR
        | code::RESOURCE_NOT_FOUND => true,
        -32019..=-32000 => !features.result_type,
        code => !(-32768..=-32000).contains(&code),
    };
    if allowed {
        return Ok(());
    }
    Err(SendError::Invalid(
        "the protocol reserves this error code; those outside -32768…-32000 are the application's",
    ))
}

//! What a question of a server is and what an answer to it, for both roles: `client/elicitation`, `client/sampling`,
//! `client/roots`.
use alloc::{collections::BTreeSet, string::String};
use core::time::Duration;

use smallvec::SmallVec;

use super::config::{Allowed, Need};
use crate::{
    degrade::{self, CannotAsk},
    elicitation,
    error::Violations,
    json::Json,
    method::{Handling, MethodId},
    revision::Revision,
    uri::is_file_uri,
};

/// The page on questions that are carried in results.
pub(super) const MRTR: &str = "basic/patterns/mrtr";

/// Capabilities by their dotted paths.
pub(super) type Paths = SmallVec<[&'static str; 2]>;

/// The params of a question, if they are not the same for this revision.
pub(super) fn said(
    row: MethodId,
    revision: Revision,
    params: Option<Json<'_>>,
) -> Result<Option<String>, CannotAsk> {
    match (row.row().handling, params) {
        (Handling::Elicit, Some(params)) => degrade::elicitation(params, revision),
        (Handling::Sample, Some(params)) => degrade::sampling(params, revision),
        _ => Ok(None),
    }
}

/// What a question needs of its client and was not declared.
pub(super) fn lacking(
    row: MethodId,
    revision: Revision,
    params: Option<Json<'_>>,
    declared: Allowed,
) -> Paths {
    let mut paths = Paths::new();
    if !declared.has(row, revision) {
        paths.extend(row.row().capability);
    }
    let features = revision.features();
    let member = |key| params.and_then(|params| params.member(key));
    let mut needs = |need: Need, exists: bool| {
        if !exists || !declared.covers(need) {
            paths.push(need.path());
        }
    };
    match row.row().handling {
        Handling::Elicit if is_url(params) => needs(Need::Url, features.elicitation_modes),
        Handling::Elicit if features.elicitation_modes => needs(Need::Form, true),
        Handling::Sample => {
            if member("tools").or(member("toolChoice")).is_some() {
                needs(Need::Tools, features.sampling_tools);
            }
            let context = member("includeContext").and_then(Json::as_str);
            if features.sampling_tools && context.is_some_and(|context| context != "none") {
                needs(Need::Context, true);
            }
        }
        _ => {}
    }
    paths
}

/// Capabilities as the object that declares them.
pub(super) fn capabilities(paths: &[&str]) -> String {
    let mut out = String::from("{");
    let tops: BTreeSet<&str> = paths.iter().filter_map(|path| path.split('.').next()).collect();
    for top in tops {
        out.push_str(if out.ends_with('{') { "\"" } else { ",\"" });
        out.push_str(top);
        out.push_str("\":{");
        let members = paths.iter().filter_map(|path| path.strip_prefix(top)?.strip_prefix('.'));
        for (place, member) in members.collect::<BTreeSet<_>>().into_iter().enumerate() {
            out.push_str(if place == 0 { "\"" } else { ",\"" });
            out.push_str(member);
            out.push_str("\":{}");
        }
        out.push('}');
    }
    out.push('}');
    out
}

/// Whether an elicitation sends the user to a URL.
pub(super) fn is_url(params: Option<Json<'_>>) -> bool {
    mode(params).is_some_and(|mode| mode.as_str().is_some_and(|mode| mode == "url"))
}

fn mode(params: Option<Json<'_>>) -> Option<Json<'_>> {
    params.and_then(|params| params.member("mode"))
}

/// What is wrong with the params of a question. `modes`: whether an elicitation has modes.
pub(super) fn check_question(
    row: MethodId,
    modes: bool,
    params: Option<Json<'_>>,
) -> Result<(), &'static str> {
    if params.is_some_and(|params| !params.is_object()) {
        return Err("the params of a question are an object");
    }
    let member = |key| params.and_then(|params| params.member(key));
    match row.row().handling {
        Handling::Elicit => {
            if member("message").and_then(Json::as_str).is_none() {
                return Err("`message` must be a string");
            }
            let mode = mode(params).filter(|_| modes);
            let known = mode.map_or(Some("form"), |mode| {
                mode.as_str().and_then(|mode| ["form", "url"].into_iter().find(|known| *known == mode))
            });
            match known {
                None => Err("`mode` must be `form` or `url`"),
                Some("url") if !member("url").is_some_and(is_web_address) => {
                    Err("`url` must be an http or https URL")
                }
                Some("form") if !member("requestedSchema").is_some_and(Json::is_object) => {
                    Err("`requestedSchema` must be an object")
                }
                Some(_) => Ok(()),
            }
        }
        Handling::Sample => {
            if !member("messages").is_some_and(|messages| messages.get().starts_with('[')) {
                return Err("`messages` must be an array");
            }
            if member("maxTokens").and_then(tokens).is_none() {
                return Err("`maxTokens` must be a whole number");
            }
            check_balance(member("messages").unwrap_or(Json::EMPTY_OBJECT))
        }
        _ => Ok(()),
    }
}

/// A whole number of tokens.
pub(super) fn tokens(value: Json<'_>) -> Option<u64> {
    crate::jsonrpc::id::as_u64(value.get())
}

/// Whether a string is a URL that a browser may be sent to: other schemes run programs or read files.
fn is_web_address(url: Json<'_>) -> bool {
    let Some(url) = url.as_str() else { return false };
    let rest = url
        .split_once("://")
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http"));
    let plain = url.bytes().all(|byte| byte > b' ' && byte != 0x7f && byte != b'\\');
    plain && rest.is_some_and(|(_, rest)| !rest.starts_with(['/', '?', '#', ':', '@']) && !rest.is_empty())
}

/// The blocks of a message: its content may be one block or an array of them.
fn blocks<'a>(message: Json<'a>, mut each: impl FnMut(&str, Json<'a>)) {
    let Some(content) = message.member("content") else { return };
    let mut block = |block: Json<'a>| {
        let kind = block.member("type").and_then(Json::as_str);
        each(kind.as_deref().unwrap_or_default(), block);
    };
    if content.is_object() { block(content) } else { content.elements().for_each(block) }
}

/// `client/sampling`: every use of a tool is followed at once by a message with its result, which holds nothing else.
fn check_balance(messages: Json<'_>) -> Result<(), &'static str> {
    let mut open = BTreeSet::new();
    for message in messages.elements() {
        let (mut uses, mut results, mut others) = (BTreeSet::new(), BTreeSet::new(), false);
        blocks(message, |kind, block| {
            let id = |key| block.member(key).and_then(Json::as_str).unwrap_or_default();
            match kind {
                "tool_use" => drop(uses.insert(id("id"))),
                "tool_result" => drop(results.insert(id("toolUseId"))),
                _ => others = true,
            }
        });
        let role = message.member("role").and_then(Json::as_str);
        let said_by = |who| role.as_deref() == Some(who);
        if !results.is_empty() && (others || !uses.is_empty()) {
            return Err("a message with tool results holds nothing else");
        }
        if results != open || !results.is_empty() && !said_by("user") {
            return Err("each use of a tool is followed at once by its result, in a message of the user");
        }
        if !uses.is_empty() && !said_by("assistant") {
            return Err("a use of a tool is in a message of the assistant");
        }
        open = uses;
    }
    if open.is_empty() { Ok(()) } else { Err("a use of a tool has no result") }
}

/// What is wrong with the answer to a question.
pub(super) fn check_answer(row: MethodId, answer: Json<'_>) -> Result<(), &'static str> {
    let text = |key| answer.member(key).and_then(Json::as_str);
    match row.row().handling {
        _ if !answer.is_object() => Err("an answer is an object"),
        Handling::Elicit => {
            let action = text("action");
            let content = answer.member("content").filter(|content| content.get() != "null");
            match action.as_deref() {
                Some("accept") if content.is_some_and(|content| !content.is_object()) => {
                    Err("`content` must be an object")
                }
                Some("accept" | "decline" | "cancel") => Ok(()),
                _ => Err("`action` must be `accept`, `decline` or `cancel`"),
            }
        }
        Handling::Sample => {
            let content = answer.member("content").map(Json::get);
            if text("role").is_none_or(|role| role != "assistant" && role != "user") {
                Err("`role` must be `assistant` or `user`")
            } else if text("model").is_none() {
                Err("`model` must be a string")
            } else if !content.is_some_and(|content| content.starts_with(['{', '['])) {
                Err("`content` must be a block or an array of blocks")
            } else {
                Ok(())
            }
        }
        Handling::ListRoots => {
            let roots = answer.member("roots");
            if roots.is_some_and(|roots| roots.get().starts_with('[')) {
                Ok(())
            } else {
                Err("`roots` must be an array")
            }
        }
        _ => Ok(()),
    }
}

/// What is wrong with an answer of our own application, besides.
pub(super) fn check_own_answer(
    row: MethodId,
    params: Option<Json<'_>>,
    answer: Json<'_>,
) -> Result<(), &'static str> {
    check_answer(row, answer)?;
    let content = answer.member("content").map(Json::get);
    match row.row().handling {
        Handling::Elicit => {
            let accepts =
                answer.member("action").and_then(Json::as_str).is_some_and(|action| action == "accept");
            match content {
                Some(_) if !accepts => Err("`content` is left out of `decline` and `cancel`"),
                Some(_) if is_url(params) => Err("`content` is left out of the answer to a URL"),
                None | Some("null") if accepts && !is_url(params) => Err("`accept` needs `content`"),
                _ => Ok(()),
            }
        }
        Handling::ListRoots => {
            let is_file = |root: Json<'_>| {
                root.member("uri").and_then(Json::as_str).is_some_and(|uri| is_file_uri(&uri))
            };
            let roots = answer.member("roots").into_iter().flat_map(Json::elements);
            if roots.into_iter().all(is_file) {
                Ok(())
            } else {
                Err("the `uri` of each root begins with `file://`")
            }
        }
        _ => Ok(()),
    }
}

/// Whether what a user entered fits the form that was asked for: `client/elicitation`. `params` are the question's.
pub(super) fn check_entered(
    row: MethodId,
    params: Option<Json<'_>>,
    answer: Json<'_>,
) -> Result<(), Violations> {
    let accepts = answer.member("action").and_then(Json::as_str).is_some_and(|action| action == "accept");
    let form = params.and_then(|params| params.member("requestedSchema"));
    match form.filter(|_| accepts && row.row().handling == Handling::Elicit && !is_url(params)) {
        Some(form) => elicitation::check(form, answer.member("content")),
        None => Ok(()),
    }
}

/// How long to wait with state alone: each round twice as long as the one before.
pub(super) fn pause(round: u8) -> Duration {
    Duration::from_millis(100 << u32::from(round).min(16))
}

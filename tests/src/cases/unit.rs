//! Functions of the library that no message reaches, for cases about them.
use std::time::{Duration, Instant};

use mcp_sansio::{
    elicitation,
    embed::{Channel, ServerConnection},
    json::Json,
    model,
    revision::Revision,
    schema::Validator,
    uri,
};
use serde::{Deserialize, Serialize};

use super::value::Value;

/// What `unit` may name.
pub const FUNCTIONS: &[&str] =
    &["match", "lint", "model", "base64", "base64_of", "form", "form_answer", "result"];

/// Calls one of them. What comes of it is an object for patterns: `{"ok": …}` or `{"error": …}`.
pub fn run(name: &str, args: &Value) -> Result<Value, String> {
    let text = |member: &str| args.get(member).and_then(Value::as_str).unwrap_or_default();
    let json = |member: &str| args.get(member).map(Value::to_string).unwrap_or_default();
    let revision = || Revision::from_name(text("revision")).ok_or("which revision?");
    let nothing = |()| Value::Object(Vec::new());
    Ok(match name {
        "match" => return matched(text("template"), text("uri")),
        "model" => outcome(round_trip(text("type"), &json("value"))?),
        "base64" => {
            let hex = |bytes: Vec<u8>| {
                let digits = bytes.iter().fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"));
                Value::string(digits)
            };
            let text = json("text");
            let read: model::Base64<'_> = serde_json::from_str(&text).map_err(|error| error.to_string())?;
            outcome(read.decode().map(hex))
        }
        "base64_of" => {
            let digits: Vec<u8> = text("hex").bytes().collect();
            let bytes = digits.chunks(2).map(|pair| u8::from_str_radix(&String::from_utf8_lossy(pair), 16));
            let bytes = bytes.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
            Value::object([("ok", Value::string(model::Base64::encode(&bytes).as_str()))])
        }
        "lint" => {
            let server = ServerConnection::new(json("config").as_bytes(), [0; 32], Channel::Messages);
            outcome(server.map(|server| Value::parse(&server.lint()).unwrap_or(Value::Null)))
        }
        "form" => outcome(elicitation::check_form(parsed(&json("schema"))?, revision()?).map(nothing)),
        "form_answer" => {
            let content = args.get("content").map(Value::to_string);
            let content = content.as_deref().map(parsed).transpose()?;
            outcome(elicitation::check(parsed(&json("schema"))?, content).map(nothing))
        }
        "result" => {
            let (schema, result) = (json("schema"), json("result"));
            let result = parsed(&result)?;
            match Validator::compile(parsed(&schema)?) {
                Ok(validator) => outcome(validator.check_result(result).map(nothing)),
                Err(error) => outcome(Err::<Value, _>(error)),
            }
        }
        other => return Err(format!("there is no function {other}")),
    })
}

fn outcome(result: Result<Value, impl std::fmt::Display>) -> Value {
    match result {
        Ok(value) => Value::object([("ok", value)]),
        Err(error) => Value::object([("error", Value::string(error.to_string()))]),
    }
}

fn parsed(text: &str) -> Result<Json<'_>, String> {
    Json::parse(text.as_bytes()).map_err(|error| error.to_string())
}

/// Whether a template matches, and the best of three times that it took.
fn matched(template: &str, uri: &str) -> Result<Value, String> {
    let template = uri::Template::parse(template).map_err(|error| error.to_string())?;
    let mut best = Duration::MAX;
    let mut found = false;
    for _ in 0..3 {
        let began = Instant::now();
        found = std::hint::black_box(template.matches(std::hint::black_box(uri))).is_some();
        best = best.min(began.elapsed());
    }
    Ok(Value::object([("ok", Value::Bool(found)), ("ms", Value::number(best.as_millis()))]))
}

/// Reads a value as this type of the model and writes it again.
fn round_trip(name: &str, text: &str) -> Result<Result<Value, serde_json::Error>, String> {
    fn through<'a, T: Deserialize<'a> + Serialize>(text: &'a str) -> Result<Value, serde_json::Error> {
        let read: T = serde_json::from_str(text)?;
        Value::parse(&serde_json::to_string(&read)?)
    }
    Ok(match name {
        "Annotations" => through::<model::Annotations<'_>>(text),
        "CreateMessageResult" => through::<model::CreateMessageResult<'_>>(text),
        "Icon" => through::<model::Icon<'_>>(text),
        "LoggingMessageNotificationParams" => through::<model::LoggingMessageNotificationParams<'_>>(text),
        "PromptMessage" => through::<model::PromptMessage<'_>>(text),
        "Tool" => through::<model::Tool<'_>>(text),
        other => return Err(format!("there is no type {other} here")),
    })
}

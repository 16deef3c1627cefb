//! Requests of several rounds: questions in a result, answers in the next request (`basic/patterns/mrtr` of 2026-07-28).
use alloc::{borrow::Cow, string::String};

use super::{
    CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult, ListRootsRequest,
    ListRootsResult, Map, Misfit, Model, RequestMetaObject, ResultMetaObject, ResultType, Unknown,
    codec::{having, tagged},
};
use crate::json::Json;

objects! {
    /// A result that asks: the request is to be sent again with the answers and the state.
    InputRequiredResult {
        /// `input_required`.
        "resultType" => result_type: ResultType<'a>,
    } optional {
        /// The questions, each under a key of the server.
        "inputRequests" => input_requests: InputRequests<'a>,
        /// To be sent back as it came.
        "requestState" => request_state: Cow<'a, str>,
        /// Metadata.
        "_meta" => meta: ResultMetaObject<'a>,
    }

    /// What each request has that may ask.
    InputResponseRequestParams {} optional {
        /// The answers, each under the key of its question.
        "inputResponses" => input_responses: InputResponses<'a>,
        /// The state that came with the questions.
        "requestState" => request_state: Cow<'a, str>,
        /// Metadata; required on the wire, where the machine writes it.
        "_meta" => meta: RequestMetaObject<'a>,
    }
}

unions! {
    /// A question.
    InputRequest by tagged("method") => {
        /// To the model.
        "sampling/createMessage" => CreateMessage(CreateMessageRequest<'a>),
        /// For the roots.
        "roots/list" => ListRoots(ListRootsRequest<'a>),
        /// To the user.
        "elicitation/create" => Elicit(ElicitRequest<'a>),
    }

    /// An answer. It does not say to what: its members tell.
    InputResponse by having(&["action", "roots", "model"]) => {
        /// Of the user.
        "action" => Elicit(ElicitResult<'a>),
        /// The roots.
        "roots" => ListRoots(ListRootsResult<'a>),
        /// Of the model.
        "model" => CreateMessage(CreateMessageResult<'a>),
    }
}

/// Questions, each under a key of the server.
pub type InputRequests<'a> = Map<'a, InputRequest<'a>>;
/// Answers, each under the key of its question.
pub type InputResponses<'a> = Map<'a, InputResponse<'a>>;

/// A result, or questions that come before it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::large_enum_variant, clippy::allow_attributes, reason = "moved seldom, boxed never")]
pub enum InputRequiredOr<'a, T> {
    /// Questions.
    InputRequired(InputRequiredResult<'a>),
    /// The result.
    Complete(T),
}

impl<'a, T: Model<'a>> Model<'a> for InputRequiredOr<'a, T> {
    type Owned = InputRequiredOr<'static, T::Owned>;
    fn read(json: Json<'a>) -> Result<Self, Misfit> {
        let kind = json.member("resultType").and_then(Json::as_str).map(ResultType::from);
        if kind == Some(ResultType::InputRequired) {
            InputRequiredResult::read(json).map(Self::InputRequired)
        } else {
            T::read(json).map(Self::Complete)
        }
    }
    fn write(&self, out: &mut String) {
        match self {
            Self::InputRequired(result) => result.write(out),
            Self::Complete(result) => result.write(out),
        }
    }
    fn into_owned(self) -> Self::Owned {
        match self {
            Self::InputRequired(result) => InputRequiredOr::InputRequired(result.into_owned()),
            Self::Complete(result) => InputRequiredOr::Complete(result.into_owned()),
        }
    }
    fn find_unknown(&self, unknown: &mut Unknown) {
        match self {
            Self::InputRequired(result) => result.find_unknown(unknown),
            Self::Complete(result) => result.find_unknown(unknown),
        }
    }
}

serde_by_model!(InputRequiredOr<T>);

//! Elicitations by URL that the server has still to report complete: `client/elicitation` of 2025-11-25.
use alloc::{boxed::Box, collections::VecDeque};

use crate::{error::RpcError, json::Json, jsonrpc::code};

/// The ids that are known, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Elicitations(VecDeque<Box<str>>);

/// How many are known at a time, and how long an id may be.
const MOST: usize = 64;
const LONGEST: usize = 1024;

impl Elicitations {
    /// The params of a question, or one that an error lists.
    pub(crate) fn asked(&mut self, params: Json<'_>) {
        let id = params.member("elicitationId").and_then(Json::as_str);
        let Some(id) = id.filter(|id| id.len() <= LONGEST && !self.0.iter().any(|known| **known == **id))
        else {
            return;
        };
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(id.as_ref().into());
    }
    /// An error that asks for elicitations first.
    pub(crate) fn listed(&mut self, error: &RpcError) {
        if error.code != i64::from(code::URL_ELICITATION_REQUIRED) {
            return;
        }
        let listed = error.data.as_ref().and_then(|data| data.as_json().member("elicitations"));
        listed.into_iter().flat_map(Json::elements).for_each(|params| self.asked(params));
    }
    /// One is complete. False: it is unknown, or was reported before.
    pub(crate) fn complete(&mut self, params: Option<Json<'_>>) -> bool {
        let id = params.and_then(|params| params.member("elicitationId")).and_then(Json::as_str);
        let place = id.and_then(|id| self.0.iter().position(|known| **known == *id));
        place.and_then(|place| self.0.remove(place)).is_some()
    }
}

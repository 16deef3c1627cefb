//! Elicitations by URL whose end the server may tell: `client/elicitation` of 2025-11-25.
use alloc::{boxed::Box, vec::Vec};

use crate::{error::RpcError, json::Json, jsonrpc::code};

/// Most of them that are remembered; the oldest is forgotten first.
const MOST: usize = 64;
/// Longest id that is remembered, in bytes.
const ID_BYTES: usize = 1024;

/// The ids of those that are not done, which mean nothing but themselves.
#[derive(Debug, Default)]
pub(super) struct Elicitations(Vec<Box<str>>);

impl Elicitations {
    /// The user is asked to go to a URL. `params`: of the question, or an item of an error that asks for it.
    pub(super) fn expect(&mut self, params: Json<'_>) {
        let id = params.member("elicitationId").and_then(Json::as_str);
        let Some(id) = id.filter(|id| id.len() <= ID_BYTES && !self.0.iter().any(|known| **known == **id))
        else {
            return;
        };
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(id.into());
    }
    /// The same of an error that says that URLs must be visited first.
    pub(super) fn expect_of(&mut self, error: &RpcError) {
        if error.code != i64::from(code::URL_ELICITATION_REQUIRED) {
            return;
        }
        let items = error.data.as_ref().and_then(|data| data.as_json().member("elicitations"));
        for item in items.into_iter().flat_map(Json::elements) {
            self.expect(item);
        }
    }
    /// The server says that one is done. False: it is unknown, or was done before.
    pub(super) fn is_done(&mut self, params: Json<'_>) -> bool {
        let id = params.member("elicitationId").and_then(Json::as_str);
        let place = id.and_then(|id| self.0.iter().position(|known| **known == *id));
        place.map(|place| self.0.remove(place)).is_some()
    }
}

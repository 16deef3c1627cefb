//! Lists that are gathered page by page: `server/utilities/pagination`.
use alloc::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

use sha2::{Digest, Sha256};

use super::{Client, Plan, cache::Key};
use crate::{
    CallHandle,
    error::{CallError, Fault, SendError},
    event::Completion,
    json::{Json, Payload, unescape},
    jsonrpc::{code, write},
    method::{MethodId, Side},
    revision::Revision,
    session::{
        CallOptions,
        calls::{NewCall, Purpose},
        principal::Principal,
        role::Role,
        tasks::follow,
        traced::traced,
    },
    time::Instant,
};

const PAGE: &str = "server/utilities/pagination";

/// A list that is being gathered.
#[derive(Debug)]
pub(crate) struct List {
    row: MethodId,
    revision: Revision,
    /// Of every request, without `cursor`: an object.
    params: Box<str>,
    /// Members of the engine for `_meta`.
    meta: Arc<str>,
    /// Those of the application.
    own_meta: Option<Box<str>>,
    progress: bool,
    /// Whom it is asked for.
    principal: Principal,
    /// Every page is asked for.
    fresh: bool,
    /// The token of the page that is wanted now.
    cursor: Option<Box<str>>,
    /// Digests of the cursors so far.
    seen: Vec<[u8; 16]>,
    /// Members of the first page but for those that are of a page alone.
    head: String,
    /// The items of all pages so far, with commas between them.
    items: String,
    /// It was begun again already, because the server took a cursor back.
    restarted: bool,
    /// The page on its way may be older than what a notice told since.
    pub(super) outdated: bool,
}

/// What follows from a page.
enum Step {
    More,
    Whole,
}

fn invalid(code: &'static str, detail: String) -> CallError {
    CallError::InvalidResult(Box::new(Fault::new(code, PAGE, detail)))
}

impl List {
    fn request(&self) -> String {
        let Some(cursor) = &self.cursor else { return self.params.as_ref().into() };
        let mut params = format!("{{\"cursor\":{cursor}");
        let rest = self.params.get(1..).unwrap_or("}");
        if rest != "}" {
            params.push(',');
        }
        params.push_str(rest);
        params
    }
    fn has_params(&self) -> bool {
        self.cursor.is_some() || &*self.params != "{}"
    }
    fn key(&self) -> Option<Key> {
        Key::new(self.row, Some(Json::from_checked(&self.request())))
    }
    /// Under what the page on its way may be kept.
    pub(super) fn waits_for(&self) -> Option<Key> {
        let cacheable = self.row.row().cacheable.contains(self.revision);
        if self.outdated || !cacheable { None } else { self.key() }
    }
    fn bytes(&self) -> usize {
        self.head.len() + self.items.len() + self.seen.len() * size_of::<[u8; 16]>()
    }
    fn restart(&mut self) {
        self.cursor = None;
        self.seen.clear();
        self.head.clear();
        self.items.clear();
    }
    /// Takes a page. `pages`: how many there may be; `room`: how many bytes there may be.
    fn add(&mut self, page: Json<'_>, pages: usize, room: usize) -> Result<Step, CallError> {
        let name = self.row.row().items.unwrap_or_default();
        let missing = || invalid("fault.list", format!("a page whose `{name}` is no array; given up"));
        let list = page.member(name).ok_or_else(missing)?.get();
        let items = list.strip_prefix('[').and_then(|list| list.strip_suffix(']')).ok_or_else(missing)?;
        let items = items.trim_matches([' ', '\t', '\n', '\r']);
        if self.bytes() + items.len() > room {
            return Err(invalid("fault.list", String::from("a list larger than `list_bytes`; given up")));
        }
        if self.seen.is_empty() {
            self.keep_head(page, name);
        }
        if !items.is_empty() {
            if !self.items.is_empty() {
                self.items.push(',');
            }
            self.items.push_str(items);
        }
        let Some(cursor) = page.member("nextCursor").filter(|cursor| cursor.get() != "null") else {
            return Ok(Step::Whole);
        };
        let Some(text) = cursor.as_str() else {
            return Err(invalid("fault.list", String::from("a `nextCursor` that is no string; given up")));
        };
        let mut digest = [0; 16];
        for (to, from) in digest.iter_mut().zip(Sha256::digest(text.as_bytes())) {
            *to = from;
        }
        if self.seen.contains(&digest) {
            return Err(invalid("fault.list", String::from("a cursor that was given before; given up")));
        }
        self.seen.push(digest);
        if self.seen.len() >= pages {
            return Err(invalid(
                "fault.list",
                format!("a list of more than `list_pages`, {pages}; given up"),
            ));
        }
        self.cursor = Some(cursor.get().into());
        Ok(Step::More)
    }
    fn keep_head(&mut self, page: Json<'_>, name: &str) {
        for (key, value) in page.members() {
            let of_page = |key: &str| key == name || matches!(key, "nextCursor" | "ttlMs" | "cacheScope");
            if unescape(key).is_some_and(|key| !of_page(&key)) {
                self.head.push_str(key);
                self.head.push(':');
                write::json(&mut self.head, value);
                self.head.push(',');
            }
        }
    }
    /// The whole list in the form of one page.
    fn result(&self) -> Payload {
        let name = self.row.row().items.unwrap_or_default();
        let text = format!("{{{}\"{name}\":[{}]}}", self.head, self.items);
        Payload::from_json(Json::from_checked(&text))
    }
}

impl Client {
    /// Asks for a whole list: follows the cursors of `tools/list`, `prompts/list`, `resources/list`,
    /// `resources/templates/list` or `tasks/list` to the end. One `Completed` follows. Its result is one object with the
    /// items of all pages, as they came, in the member that the method has for them, and what else the first page had
    /// but for `nextCursor` and the hints for caches.
    ///
    /// `params` has no `cursor`. Progress may begin anew with each page; `CallOptions::total` bounds the whole. Pages
    /// that are fresh in the cache are not asked for. If the server takes a cursor back (-32602), the list is begun again,
    /// once. It ends with [`CallError::InvalidResult`] if a cursor repeats, or beyond `Limits::list_pages` and
    /// `Limits::list_bytes`.
    pub fn list_all(
        &mut self,
        now: Instant,
        method: &str,
        params: Option<Json<'_>>,
        options: CallOptions<'_>,
    ) -> Result<CallHandle, SendError> {
        traced!(self, now, list_all(method, params, options));
        self.engine.begin(now);
        let (row, revision) = self.callable(method)?;
        let Some(row) = row.filter(|row| row.row().items.is_some()) else {
            return Err(SendError::Invalid("this method gives no list"));
        };
        let options = follow::checked(options, Side::Client, Some(row), revision, self.offered)?;
        if params.is_some_and(|params| params.member("cursor").is_some()) {
            return Err(SendError::Invalid("the engine follows the cursors itself"));
        }
        let meta = self.meta_of(&options, revision);
        let call =
            NewCall { purpose: Purpose::Application, method, row: Some(row), revision, params, meta: &meta };
        super::Engine::check_call(&call, &options)?;
        let mut own = String::from("{");
        for (key, value) in params.into_iter().flat_map(Json::members) {
            own.push_str(if own.len() > 1 { "," } else { "" });
            own.push_str(key);
            own.push(':');
            write::json(&mut own, value);
        }
        own.push('}');
        let list = List {
            row,
            revision,
            params: own.into(),
            meta: Arc::clone(&meta),
            own_meta: options.meta.map(|meta| meta.get().into()),
            progress: options.progress,
            principal: self.principal,
            fresh: options.fresh,
            cursor: None,
            seen: Vec::new(),
            head: String::new(),
            items: String::new(),
            restarted: false,
            outdated: false,
        };
        let mut list = Box::new(list);
        // What is wrong with kept pages is wrong with them alone: the list is begun again without them.
        match self.kept_pages(&mut list) {
            Ok(Step::Whole) => return self.engine.answer_from_cache(list.result()),
            Ok(Step::More) => {}
            Err(_) => {
                list.restart();
                list.fresh = true;
            }
        }
        let params = list.request();
        let call = NewCall { params: list.has_params().then(|| Json::from_checked(&params)), ..call };
        let handle = self.engine.start_call(&call, &options)?;
        self.plan(handle, Plan::List(list));
        Ok(CallHandle(handle))
    }

    /// Takes pages from the cache while it has them.
    fn kept_pages(&mut self, list: &mut List) -> Result<Step, CallError> {
        let (pages, room) = (self.engine.limits.list_pages, self.room_for_list());
        while !list.fresh
            && let Some(page) = list.key().and_then(|key| self.kept(&key, list.principal))
        {
            if let Step::Whole = list.add(page.as_json(), pages, room)? {
                return Ok(Step::Whole);
            }
        }
        Ok(Step::More)
    }
    /// Bytes that lists may still take, one that is in no call included.
    fn room_for_list(&self) -> usize {
        let held = self.engine.calls.iter().filter_map(|(_, call)| match call.plan.as_deref() {
            Some(Plan::List(list)) => Some(list.bytes()),
            _ => None,
        });
        self.engine.limits.list_bytes.saturating_sub(held.sum())
    }
    /// A page came, or none will.
    pub(super) fn list_answered(
        &mut self,
        handle: u64,
        mut list: Box<List>,
        outcome: Result<Completion, CallError>,
    ) {
        let step = match outcome {
            Ok(Completion { kind: Some(_), .. }) => Err(invalid(
                "fault.list",
                String::from("a page of a list that is no complete result; given up"),
            )),
            Ok(page) => {
                if let Some(key) = list.waits_for() {
                    self.keep(key, list.principal, &page.result);
                }
                let (pages, room) = (self.engine.limits.list_pages, self.room_for_list());
                match list.add(page.result.as_json(), pages, room) {
                    Ok(Step::More) => self.kept_pages(&mut list),
                    step => step,
                }
            }
            Err(CallError::Rpc(error))
                if error.code == i64::from(code::INVALID_PARAMS)
                    && list.cursor.is_some()
                    && !list.restarted =>
            {
                self.engine.cache.forget(list.row);
                self.count_cache();
                list.restart();
                list.restarted = true;
                Ok(Step::More)
            }
            Err(error) => Err(error),
        };
        let outcome = match step {
            Ok(Step::Whole) => Ok(Completion::new(list.result())),
            Ok(Step::More) => match self.ask_for_page(handle, &mut list) {
                Ok(()) => return self.plan(handle, Plan::List(list)),
                Err(_) => Err(invalid(
                    "fault.list",
                    String::from("a cursor that does not fit `message_bytes`; given up"),
                )),
            },
            Err(error) => Err(error),
        };
        self.engine.complete(handle, outcome);
    }
    fn ask_for_page(&mut self, handle: u64, list: &mut List) -> Result<(), SendError> {
        list.outdated = false;
        let params = list.request();
        let call = NewCall {
            purpose: Purpose::Application,
            method: list.row.row().name,
            row: Some(list.row),
            revision: list.revision,
            params: list.has_params().then(|| Json::from_checked(&params)),
            meta: &list.meta,
        };
        let options =
            CallOptions::new().progress(list.progress).meta(list.own_meta.as_deref().map(Json::from_checked));
        self.engine.send_again(handle, &call, &options)
    }
}

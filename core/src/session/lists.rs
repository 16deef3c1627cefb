//! The lists of what a server offers: `server/utilities/pagination` and `server/utilities/caching`.
use super::{
    Server,
    catalog::ListKind,
    engine::Reply,
    role::Role,
    seal::{Cursor, Scope, Sealer},
    server::Found,
};
use crate::{
    event::CacheHint,
    json::Json,
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
    },
    method::MethodId,
    revision::Revision,
};

impl Server {
    pub(super) fn list(
        &mut self,
        envelope: &Envelope<'_>,
        id: &str,
        reply: Reply,
        revision: Revision,
        row: MethodId,
        kind: ListKind,
    ) {
        let catalog = self.service.catalog.clone();
        let Some((catalog, pages)) =
            catalog.as_ref().and_then(|catalog| Some((catalog, catalog.pages(kind)?)))
        else {
            return self.deliver(envelope, id, reply, revision, Some(row), Found::default());
        };
        let scope = pages
            .is_restricted()
            .then(|| Scope { principal: self.state.principal, groups: self.state.groups() });
        let params = envelope.raw(Field::Params).map(Json::from_checked);
        // Half a message leaves room for what surrounds the items.
        let (size, bytes) = (self.service.config.page_size, self.service.engine.limits.message_bytes / 2);
        let page = cursor_of(params, &self.service.sealer, kind as u8, scope)
            .ok()
            .and_then(|cursor| pages.page(self.view(catalog, revision), cursor.as_ref(), size, bytes));
        let Some(page) = page else {
            let message = "Invalid cursor; begin the list again without one";
            return self.refuse(reply, id, code::INVALID_PARAMS, message, None);
        };
        let next =
            page.next.as_ref().and_then(|cursor| self.service.sealer.seal_cursor(kind as u8, scope, cursor));
        // What differs from session to session is nobody else's.
        let hint = self.service.config.list_cache;
        let cache = Some(CacheHint { public: hint.public && !pages.is_restricted(), ..hint });
        self.service.reply(reply, id, revision, cache, |out| {
            out.push('"');
            out.push_str(kind.member());
            out.push_str("\":[");
            page.write(out);
            out.push(']');
            if let Some(next) = next {
                out.push_str(",\"nextCursor\":\"");
                out.push_str(&next);
                out.push('"');
            }
        });
    }
}

/// The cursor of a request's params; `Err`: there is one that is not ours.
pub(super) fn cursor_of(
    params: Option<Json<'_>>,
    sealer: &Sealer,
    list: u8,
    scope: Option<Scope<'_>>,
) -> Result<Option<Cursor>, ()> {
    // A null is what some clients write for none.
    match params.and_then(|params| params.member("cursor")).filter(|cursor| cursor.get() != "null") {
        None => Ok(None),
        Some(cursor) => {
            cursor.as_str().and_then(|text| sealer.open_cursor(list, scope, &text)).map(Some).ok_or(())
        }
    }
}

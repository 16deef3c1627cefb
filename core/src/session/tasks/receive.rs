//! Requests that become tasks, and those about tasks.
use alloc::{boxed::Box, format, string::String, sync::Arc};

use super::{Kept, Part};
use crate::{
    event::{Related, TaskId},
    json::Json,
    jsonrpc::{
        code,
        envelope::{Envelope, Field},
        write::{self, Stamp},
    },
    method::{Handling, MethodId},
    revision::Revision,
    session::{
        engine::{Engine, Reply, Wire},
        lists::cursor_of,
        meta,
        role::Role,
        seal::{Cursor, Scope},
    },
};

/// The list of tasks, where cursors are sealed; it is none of the catalog's.
const LIST: u8 = 16;
/// Of a task that is unknown, over, or someone else's.
pub(super) const NOT_FOUND: &str = "Task not found: there is none of this id, or it has expired";

/// The `task` of a request's params.
pub(crate) fn task_of<'a>(envelope: &'a Envelope<'_>) -> Option<Json<'a>> {
    let params = envelope.raw(Field::Params).map(Json::from_checked)?;
    // A null is what some peers write for none.
    params.member("task").filter(|task| task.get() != "null")
}

/// The milliseconds that a `task` asks for; `Err`: it is not valid.
fn ttl_of(task: Json<'_>) -> Result<Option<u64>, ()> {
    if !task.is_object() {
        return Err(());
    }
    let Some(ttl) = task.member("ttl").filter(|ttl| ttl.get() != "null") else { return Ok(None) };
    let ttl = ttl.get().parse::<f64>().ok().filter(|ttl| *ttl >= 0.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the largest is as good")]
    ttl.map(|ttl| Some(ttl as u64)).ok_or(())
}

impl Engine {
    /// Notes for which task of the peer a question is asked, if for any. The call that became that task, if it is one of ours.
    pub(crate) fn serve_task(
        &mut self,
        handle: u64,
        envelope: &Envelope<'_>,
        revision: Revision,
    ) -> Option<u64> {
        let meta = envelope.raw(Field::Meta).filter(|_| revision.features().tasks).map(Json::from_checked)?;
        let id = meta.member(meta::RELATED_TASK)?.member("taskId")?.get();
        id.starts_with('"').then(|| self.part_in(handle, Part::Serves(id.into())))?;
        self.following(id)
    }
}

/// Admits a request for the application, as a task if it is to be one. `None`: it was refused.
pub(crate) fn admit(
    role: &mut impl Role,
    envelope: &Envelope<'_>,
    id: &str,
    reply: Reply,
    revision: Revision,
    row: Option<MethodId>,
) -> Option<(u64, Arc<str>, Option<Box<TaskId>>)> {
    let task = row.filter(|row| role.takes_task(*row, revision)).and_then(|_| task_of(envelope));
    let Some(task) = task else {
        let (handle, buf) = role.engine().admit(envelope, id, reply, revision, row, false)?;
        return Some((handle, buf, None));
    };
    let Ok(ttl) = ttl_of(task) else {
        let message = "`task` must be an object, and its `ttl` a number of milliseconds";
        role.refuse(reply, id, code::INVALID_PARAMS, message, None);
        return None;
    };
    let (name, owner) = (TaskId::new(role.draw()), role.principal());
    let engine = role.engine();
    let wire = Wire { revision: Some(revision) };
    let limit = engine.limits.tasks;
    if engine.tasks.table.len() >= limit {
        engine.refuse(reply, id, wire, ("too_many_tasks", Some(limit)));
        return None;
    }
    // A role that takes tasks opens no session without a clock.
    let now = engine.unix_millis().unwrap_or_default();
    let (handle, buf) = engine.admit(envelope, id, reply, revision, row, false)?;
    let serial = engine.create_task((handle, revision), name, owner, ttl, now);
    let poll = engine.poll_millis();
    let mut body = String::from("\"task\":{");
    if let Some(task) = engine.tasks.table.get(serial) {
        task.write(&mut body, poll);
    }
    body.push('}');
    let related = engine.related(handle);
    let answered = engine.answer(reply, related, true, wire, id, |out| {
        write::result_with(out, id, &Stamp::default(), |out| out.push_str(&body));
    });
    if answered.is_err() {
        // It was answered with an error, so nobody knows of the task.
        engine.take_request(handle);
        engine.drop_task(serial);
        return None;
    }
    Some((handle, buf, Some(Box::new(name))))
}

/// Answers a request about tasks.
pub(crate) fn serve(
    role: &mut impl Role,
    envelope: &Envelope<'_>,
    id: &str,
    reply: Reply,
    revision: Revision,
    row: MethodId,
) {
    if row.row().handling == Handling::TaskList {
        return list(role, envelope, id, reply, revision);
    }
    let owner = role.principal();
    let params = envelope.raw(Field::Params).map(Json::from_checked);
    let name = params.and_then(|params| params.member("taskId")).and_then(Json::as_str);
    let found = name.and_then(|name| role.engine().tasks.find(&name, owner).map(|(serial, _)| serial));
    let Some(serial) = found else {
        return role.refuse(reply, id, code::INVALID_PARAMS, NOT_FOUND, None);
    };
    let engine = role.engine();
    let wire = Wire { revision: Some(revision) };
    let Some(task) = engine.tasks.table.get(serial) else { return };
    match row.row().handling {
        Handling::TaskCancel if task.status.is_terminal() => {
            let message = format!("Cannot cancel task: already in terminal status '{}'", task.status.name());
            role.refuse(reply, id, code::INVALID_PARAMS, &message, None);
        }
        Handling::TaskCancel => {
            engine.cancel_task(serial);
            tell(engine, serial, reply, id, wire);
        }
        Handling::TaskResult => {
            let name = task.id;
            match &task.outcome {
                None => {
                    let admitted = engine.admit(envelope, id, reply, revision, Some(row), true);
                    if let Some((handle, _)) = admitted {
                        engine.part_in(handle, Part::Awaits(name));
                    }
                }
                Some(kept) => {
                    let mut text = String::new();
                    Kept::write(kept, &mut text, id, &name);
                    let related = Related::Session;
                    let _ = engine.answer(reply, related, true, wire, id, |out| out.push_str(&text));
                }
            }
        }
        _ => tell(engine, serial, reply, id, wire),
    }
}

/// Answers with the state of a task.
fn tell(engine: &mut Engine, serial: u64, reply: Reply, id: &str, wire: Wire) {
    let poll = engine.poll_millis();
    let Some(task) = engine.tasks.table.get(serial) else { return };
    let mut body = String::new();
    task.write(&mut body, poll);
    let _ = engine.answer(reply, Related::Session, true, wire, id, |out| {
        write::result_with(out, id, &Stamp::default(), |out| out.push_str(&body));
    });
}

/// A page of the tasks of whoever asks, oldest first.
fn list(role: &mut impl Role, envelope: &Envelope<'_>, id: &str, reply: Reply, revision: Revision) {
    let owner = role.principal();
    let params = envelope.raw(Field::Params).map(Json::from_checked);
    let scope = Some(Scope { principal: owner, groups: &[] });
    let cursor = cursor_of(params, role.sealer(), LIST, scope);
    let after = cursor.and_then(|cursor| cursor.map_or(Ok(0), |cursor| cursor.after.parse().map_err(drop)));
    let Ok(after) = after else {
        let message = "Invalid cursor; begin the list again without one";
        return role.refuse(reply, id, code::INVALID_PARAMS, message, None);
    };
    let size = role.page_size().max(1);
    let engine = role.engine();
    // Half a message leaves room for what surrounds the items.
    let (poll, bytes) = (engine.poll_millis(), engine.limits.message_bytes / 2);
    let mut body = String::from("\"tasks\":[");
    let (mut last, mut more) = (0, false);
    let all = engine.tasks.table.iter();
    let own = all.filter(|(serial, task)| *serial > after && task.owner == owner);
    for (count, (serial, task)) in own.enumerate() {
        if count >= size || count > 0 && body.len() > bytes {
            more = true;
            break;
        }
        body.push_str(if count == 0 { "{" } else { ",{" });
        task.write(&mut body, poll);
        body.push('}');
        last = serial;
    }
    body.push(']');
    if more {
        let cursor = Cursor { fingerprint: [0; 8], offset: 0, after: format!("{last}") };
        if let Some(next) = role.sealer().seal_cursor(LIST, scope, &cursor) {
            body.push_str(",\"nextCursor\":");
            write::string(&mut body, &next);
        }
    }
    let wire = Wire { revision: Some(revision) };
    let _ = role.engine().answer(reply, Related::Session, true, wire, id, |out| {
        write::result_with(out, id, &Stamp::default(), |out| out.push_str(&body));
    });
}

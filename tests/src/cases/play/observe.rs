//! What the machine does: its messages and events are taken in, time passes, the application serves.
use mcp_sansio::embed::Code;

use super::{Failure, Happening, NANOS_PER_MS, Run, Sent, Setting, Task, command};
use crate::cases::{
    adapt::is_modern,
    machine::{Event, Output},
    pattern::Matcher,
    value::Value,
};

impl Run<'_> {
    /// Takes all that the machine has to say. Reactions come before anything that it said after.
    pub(super) fn read(&mut self) -> Result<(), Failure> {
        loop {
            let outputs = self.link()?.machine.take().map_err(command)?;
            if outputs.is_empty() {
                return Ok(());
            }
            for output in outputs {
                match output {
                    Output::Bytes(bytes) => self.written(&bytes)?,
                    Output::Message { text, .. } => self.sent(&text)?,
                    Output::Event(event) => self.event(event)?,
                }
            }
        }
    }

    pub(super) fn written(&mut self, bytes: &str) -> Result<(), Failure> {
        let link = self.link()?;
        link.written.bytes += bytes.len();
        link.written.carriage_returns += bytes.matches('\r').count();
        link.unfinished.push_str(bytes);
        while let Some((line, rest)) = self.link()?.unfinished.split_once('\n') {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            let link = self.link()?;
            link.unfinished = rest;
            link.written.lines += 1;
            self.sent(&line)?;
        }
        Ok(())
    }

    pub(super) fn sent(&mut self, raw: &str) -> Result<(), Failure> {
        let message = Value::parse(raw)
            .map_err(|error| format!("the machine sent what is not JSON ({error}): {raw}"))?;
        let modern = is_modern(self.setting.revision);
        let link = self.link.as_mut().ok_or("no machine")?;
        link.happened.push(Happening::Sent(link.sent.len()));
        let mut matcher = Matcher { captures: &mut self.captures, modern };
        let due = link
            .reactions
            .iter_mut()
            .find(|reaction| reaction.left > 0 && matcher.message(&reaction.pattern, &message, raw).is_ok());
        let steps = due.map(|reaction| {
            reaction.left -= 1;
            reaction.steps.clone()
        });
        link.sent.push(Sent { message, raw: raw.to_owned(), matched: false });
        steps.unwrap_or_default().iter().try_for_each(|step| self.act(step))
    }

    pub(super) fn event(&mut self, event: Event) -> Result<(), Failure> {
        let Event { code, handle, mut description } = event;
        let now = self.now;
        let link = self.link.as_mut().ok_or("no machine")?;
        let known = link.calls.iter().position(|call| call.handle == Some(handle));
        if let Some(call) = known.and_then(|index| link.calls.get_mut(index))
            && [Code::Completed, Code::Failed, Code::Progress].into_iter().any(|about| about as u32 == code)
        {
            description.set("call", Value::string(&*call.label));
            if code != Code::Progress as u32 {
                if call.outcome.is_some() {
                    return Err(format!("a second outcome of {}: {description}", call.label));
                }
                call.outcome = Some(description.clone());
            }
        }
        if code == Code::Over as u32 || code == Code::InputOver as u32 {
            if let Some(request) = link.requests.remove(&handle) {
                for member in ["method", "name"] {
                    request.get(member).into_iter().for_each(|value| description.set(member, value.clone()));
                }
            }
            link.tasks.retain(|_, task| task.about != handle);
        }
        if code == Code::Answers as u32 {
            link.input = Some(description);
            return Ok(());
        }
        if let Some(input) = link.input.take_if(|_| code == Code::Request as u32) {
            description.set("input", input);
        }
        link.happened.push(Happening::Event(link.events.len()));
        link.events.push(description.clone());
        if code == Code::Request as u32 || code == Code::Input as u32 {
            self.serve(now, handle, &description)?;
        } else if code == Code::Ready as u32 {
            link.ready = true;
            while let Some((name, args, label)) = self.link()?.waiting.pop_front() {
                self.api(&name, &args, &label)?;
            }
        }
        Ok(())
    }

    /// The application gets a request or a question.
    pub(super) fn serve(&mut self, now: u64, handle: u64, event: &Value) -> Result<(), Failure> {
        let Setting { host, revision, .. } = self.setting;
        let acts = host.serve(event, &mut self.captures, is_modern(revision));
        let link = self.link.as_mut().ok_or("no machine")?;
        link.requests.insert(handle, event.clone());
        for (after_ms, act) in
            acts.unwrap_or_else(|| vec![(0, Value::object([("unsupported", Value::Null)]))])
        {
            link.task_count += 1;
            let due = (now + after_ms * NANOS_PER_MS, link.task_count);
            link.tasks.insert(due, Task { about: handle, act });
        }
        Ok(())
    }

    /// When the application or the machine has something to do next.
    pub(super) fn next_due(&self) -> Option<u64> {
        let link = self.link.as_ref()?;
        let task = link.tasks.keys().next().map(|(due, _)| *due);
        [task, link.machine.next_timeout()].into_iter().flatten().min()
    }

    /// Goes on to the next thing that is due, at most until `until`. False: there is none.
    pub(super) fn advance(&mut self, until: u64) -> Result<bool, Failure> {
        let Some(due) = self.next_due().filter(|due| *due <= until) else {
            self.now = until;
            return Ok(false);
        };
        self.now = self.now.max(due);
        let now = self.now;
        let link = self.link()?;
        if link.machine.next_timeout().is_some_and(|deadline| deadline <= now) {
            link.machine.handle_timeout(now).map_err(command)?;
            if link.machine.next_timeout().is_some_and(|deadline| deadline <= now) {
                return Err("a deadline is still due after handle_timeout".into());
            }
        }
        self.read()?;
        let link = self.link()?;
        if let Some(entry) = link.tasks.first_entry().filter(|entry| entry.key().0 <= now) {
            let Task { about, act } = entry.remove();
            if let Err(refused) = link.machine.act(now, about, &act)? {
                link.refused(refused.code);
            }
        }
        self.read()?;
        Ok(true)
    }

    pub(super) fn pass(&mut self, ms: u64) -> Result<(), Failure> {
        let until = self.now + ms * NANOS_PER_MS;
        while self.advance(until)? {}
        Ok(())
    }
}

//! Commands as a trace has them.
use super::{Client, Server};
use crate::{time::Instant, trace::arguments::Arguments};

impl Server {
    /// Does what a trace says that the application wanted. `None`: there is no such command.
    pub(super) fn replayed(&mut self, now: Instant, name: &str, arguments: Arguments<'_>) -> Option<()> {
        let text = |key| arguments.text(key);
        match name {
            "respond" => {
                let request = arguments.request()?;
                drop(arguments.with_outcome(|outcome| self.respond(now, request, outcome))?);
            }
            "respond_invalid_arguments" => {
                drop(self.respond_invalid_arguments(now, arguments.request()?, &text("text")?));
            }
            "respond_tool_error" => {
                drop(self.respond_tool_error(now, arguments.request()?, &text("text")?));
            }
            "respond_not_found" => drop(self.respond_not_found(now, arguments.request()?)),
            "progress" => {
                let (progress, total) = (arguments.float("progress")?, arguments.float("total"));
                let (request, message) = (arguments.request()?, text("message"));
                drop(self.progress(now, request, progress, total, message.as_deref()));
            }
            "task_status" => drop(self.task_status(now, arguments.request()?, &text("message")?)),
            "log" => {
                let (target, level) = (arguments.target()?, arguments.level("level")?);
                drop(self.log(now, target, level, text("logger").as_deref(), arguments.json("data")?));
            }
            "notify" => {
                let (target, params) = (arguments.target()?, arguments.json("params"));
                drop(self.notify(now, target, &text("method")?, params));
            }
            "call" => {
                let (target, params) = (arguments.target()?, arguments.json("params"));
                let method = text("method")?;
                drop(arguments.with_options(|options| self.call(now, target, &method, params, options))?);
            }
            "publish" => arguments.with_change(|change| self.publish(now, change))?,
            "set_catalog" => self.set_catalog(now, arguments.catalog()?),
            "close" => self.close(now, arguments.duration("drain")?),
            _ => return None,
        }
        Some(())
    }
}

impl Client {
    /// Does what a trace says that the application wanted. `None`: there is no such command.
    pub(super) fn replayed(&mut self, now: Instant, name: &str, arguments: Arguments<'_>) -> Option<()> {
        let text = |key| arguments.text(key);
        match name {
            "start" => self.start(now, text("remembered").as_deref()),
            "set_principal" => drop(self.set_principal(text("principal").as_deref())),
            "call" => {
                let (method, params) = (text("method")?, arguments.json("params"));
                drop(arguments.with_options(|options| self.call(now, &method, params, options))?);
            }
            "list_all" => {
                let (method, params) = (text("method")?, arguments.json("params"));
                drop(arguments.with_options(|options| self.list_all(now, &method, params, options))?);
            }
            "probe" => drop(self.probe(now)),
            "subscribe" => drop(arguments.with_filter(|filter| self.subscribe(now, filter))?),
            "answer" => {
                let input = arguments.input()?;
                drop(arguments.with_outcome(|outcome| self.answer(now, input, outcome))?);
            }
            "progress" => {
                let (progress, total) = (arguments.float("progress")?, arguments.float("total"));
                let (input, message) = (arguments.input()?, text("message"));
                drop(self.progress(now, input, progress, total, message.as_deref()));
            }
            "task_status" => drop(self.task_status(now, arguments.input()?, &text("message")?)),
            "notify" => drop(self.notify(now, &text("method")?, arguments.json("params"))),
            "close" => self.close(now, arguments.duration("drain")?),
            _ => return None,
        }
        Some(())
    }
}

//! What has to hold: messages that come, silence, assertions.
use super::{Failure, Happening, NANOS_PER_MS, Run};
use crate::cases::{
    adapt::{Expectation, is_modern},
    case::Assertion,
    pattern::{Matcher, brief, fill},
    value::Value,
};

impl Run<'_> {
    /// `rx`
    pub(super) fn receive(&mut self, pattern: &Value, within_ms: u64) -> Result<(), Failure> {
        let link = self.link.as_ref().ok_or("no machine")?;
        let id = pattern.get("id").map(|id| fill(id, &self.captures));
        let about_ping = pattern.get("method").and_then(Value::as_str) == Some("ping");
        let expectation = match &link.liveness {
            Some(liveness) if about_ping => Expectation::Message(Value::object([
                ("id", liveness.clone()),
                ("result", Value::object([("$any", Value::Bool(true))])),
            ])),
            _ => match link.answers.iter().find(|(answered, _)| Some(answered) == id.as_ref()) {
                Some((_, Expectation::Message(wanted))) => Expectation::Message(wanted.clone()),
                Some(_) => Expectation::Nothing,
                None => self.adaptation.expectation(pattern, &self.captures, &link.asked),
            },
        };
        match expectation {
            Expectation::Nothing => return Ok(()),
            Expectation::LocalFailure => self.local_failure(within_ms)?,
            Expectation::Message(wanted) => match wanted.get("$set").map(Value::elements) {
                Some(patterns) => self.take_set(patterns, within_ms)?,
                None => self.take(&wanted, within_ms).map(drop)?,
            },
        }
        self.assertions += 1;
        Ok(())
    }

    /// The first message not matched yet that matches.
    pub(super) fn take(&mut self, pattern: &Value, within_ms: u64) -> Result<Value, Failure> {
        let until = self.now + within_ms * NANOS_PER_MS;
        self.read()?;
        loop {
            let modern = is_modern(self.setting.revision);
            let link = self.link.as_mut().ok_or("no machine")?;
            let mut matcher = Matcher { captures: &mut self.captures, modern };
            let mut unmatched = link.sent.iter_mut().filter(|sent| !sent.matched);
            if let Some(sent) =
                unmatched.find(|sent| matcher.message(pattern, &sent.message, &sent.raw).is_ok())
            {
                sent.matched = true;
                return Ok(sent.message.clone());
            }
            if !self.advance(until)? {
                return Err(self.missed(pattern, within_ms));
            }
        }
    }

    /// As many messages as there are patterns, in any order, whether they come one by one or in arrays.
    pub(super) fn take_set(&mut self, patterns: &[Value], within_ms: u64) -> Result<(), Failure> {
        let until = self.now + within_ms * NANOS_PER_MS;
        self.read()?;
        loop {
            let modern = is_modern(self.setting.revision);
            let link = self.link.as_mut().ok_or("no machine")?;
            let unmatched = link.sent.iter().filter(|sent| !sent.matched);
            let members = unmatched.flat_map(|sent| match &sent.message {
                Value::Array(elements) => elements.clone(),
                single => vec![single.clone()],
            });
            let members = members.collect::<Vec<_>>();
            let mut matcher = Matcher { captures: &mut self.captures, modern };
            if matcher.set(patterns, &members).is_ok() {
                link.sent.iter_mut().for_each(|sent| sent.matched = true);
                return Ok(());
            }
            if !self.advance(until)? {
                return Err(self.missed(&Value::Array(patterns.to_vec()), within_ms));
            }
        }
    }

    pub(super) fn missed(&mut self, pattern: &Value, within_ms: u64) -> Failure {
        let modern = is_modern(self.setting.revision);
        let Some(link) = &self.link else { return "no machine".into() };
        let wanted = brief(&fill(pattern, &self.captures));
        let mut matcher = Matcher { captures: &mut self.captures, modern };
        let unmatched = link.sent.iter().filter(|sent| !sent.matched);
        let seen = unmatched.map(|sent| match matcher.message(pattern, &sent.message, &sent.raw) {
            Ok(()) => brief(&sent.message),
            Err(mismatch) => format!("{} ({mismatch})", brief(&sent.message)),
        });
        let seen = seen.collect::<Vec<_>>();
        let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(" | ") };
        format!("wanted {wanted} within {within_ms} ms, saw {seen}{}", link.complaints())
    }

    /// R3: the call that asked ends by itself.
    pub(super) fn local_failure(&mut self, within_ms: u64) -> Result<(), Failure> {
        let wanted = Value::object([
            ("event", Value::string("failed")),
            ("code", Value::object([("$starts", Value::string("call."))])),
        ]);
        self.outcome("asked", Some(&wanted), within_ms)?;
        let retry = Value::object([("method", Value::string("tools/call"))]);
        let link = self.link()?;
        let retried =
            link.sent.iter().any(|sent| !sent.matched && sent.message.get("method") == retry.get("method"));
        if retried { Err("the call was repeated although its question was refused".into()) } else { Ok(()) }
    }

    /// `rx_none_ms`
    pub(super) fn silence(&mut self, ms: u64) -> Result<(), Failure> {
        self.read()?;
        self.pass(ms)?;
        let link = self.link()?;
        if let Some(sent) = link.sent.iter().find(|sent| !sent.matched) {
            return Err(format!("wanted silence for {ms} ms, saw {}", brief(&sent.message)));
        }
        self.assertions += 1;
        Ok(())
    }

    pub(super) fn assert(&mut self, assertion: &Assertion) -> Result<(), Failure> {
        self.read()?;
        match assertion {
            Assertion::Call { label, outcome, within_ms } => {
                self.outcome(label, outcome.as_ref(), *within_ms)?;
            }
            Assertion::Sent { pattern, count } => self.counted("sent", pattern, count)?,
            Assertion::Event { pattern, count } => self.counted("event", pattern, count)?,
            Assertion::Order(happenings) => self.ordered(happenings)?,
            Assertion::Stats(pattern) => {
                let stats = self.link()?.machine.stats();
                let stats = Value::parse(&stats).map_err(|error| format!("stats: {error}"))?;
                self.compare("stats", pattern, &stats)?;
            }
            Assertion::Output(pattern) => {
                let link = self.link()?;
                let output = Value::object([
                    ("bytes", Value::number(link.written.bytes)),
                    ("lines", Value::number(link.written.lines)),
                    ("carriage_returns", Value::number(link.written.carriage_returns)),
                    ("unfinished", Value::number(link.unfinished.len())),
                ]);
                self.compare("output", pattern, &output)?;
            }
            Assertion::Memory(pattern) => {
                let memory = self.setting.memory.ok_or("memory is not counted here")?;
                let before = self.held_before.ok_or("nothing was repeated yet")?;
                let held = memory().saturating_sub(before);
                let seen = Value::object([("peak", Value::number(self.peak)), ("held", Value::number(held))]);
                self.compare("memory", pattern, &seen)?;
            }
            Assertion::Over(wanted) => {
                let over = self.link()?.machine.is_over();
                if over != *wanted {
                    return Err(format!("over is {over}, wanted {wanted}"));
                }
            }
        }
        self.assertions += 1;
        Ok(())
    }

    pub(super) fn compare(&mut self, subject: &str, pattern: &Value, seen: &Value) -> Result<(), Failure> {
        let modern = is_modern(self.setting.revision);
        let mut matcher = Matcher { captures: &mut self.captures, modern };
        matcher
            .message(pattern, seen, &seen.to_string())
            .map_err(|mismatch| format!("{subject}{mismatch}; saw {}", brief(seen)))
    }

    pub(super) fn outcome(
        &mut self,
        label: &str,
        wanted: Option<&Value>,
        within_ms: u64,
    ) -> Result<(), Failure> {
        let until = self.now + within_ms * NANOS_PER_MS;
        self.read()?;
        loop {
            let call = self.link()?.calls.iter().rev().find(|call| call.label == label);
            let outcome = call.ok_or_else(|| format!("there is no call {label}"))?.outcome.clone();
            match (outcome, wanted) {
                (None, None) => return Ok(()),
                (Some(outcome), None) => {
                    return Err(format!("call {label} is not pending: {}", brief(&outcome)));
                }
                (Some(outcome), Some(wanted)) => {
                    return self.compare(&format!("call {label}: "), wanted, &outcome);
                }
                (None, Some(wanted)) => {
                    if !self.advance(until)? {
                        let complaints = self.link()?.complaints();
                        return Err(format!(
                            "call {label} is pending after {within_ms} ms, wanted {}{complaints}",
                            brief(wanted)
                        ));
                    }
                }
            }
        }
    }

    pub(super) fn matches(&mut self, kind: &str, pattern: &Value) -> Result<Vec<usize>, Failure> {
        let modern = is_modern(self.setting.revision);
        let link = self.link.as_ref().ok_or("no machine")?;
        let mut places = Vec::new();
        for (place, happening) in link.happened.iter().enumerate() {
            let (value, raw) = match (happening, kind) {
                (Happening::Sent(index), "sent") => match link.sent.get(*index) {
                    Some(sent) => (&sent.message, sent.raw.clone()),
                    None => continue,
                },
                (Happening::Event(index), "event") => match link.events.get(*index) {
                    Some(event) => (event, event.to_string()),
                    None => continue,
                },
                _ => continue,
            };
            let mut captures = self.captures.clone();
            if (Matcher { captures: &mut captures, modern }).message(pattern, value, &raw).is_ok() {
                places.push(place);
            }
        }
        Ok(places)
    }

    pub(super) fn counted(&mut self, kind: &str, pattern: &Value, count: &Value) -> Result<(), Failure> {
        let found = Value::number(self.matches(kind, pattern)?.len());
        let complaints = self.link()?.complaints();
        let subject = format!("{kind} {}: the count", brief(&fill(pattern, &self.captures)));
        self.compare(&subject, count, &found).map_err(|failure| failure + &complaints)
    }

    pub(super) fn ordered(&mut self, happenings: &[Value]) -> Result<(), Failure> {
        let mut after = None;
        for happening in happenings {
            let Some((kind, pattern)) = happening.members().first() else { continue };
            let places = self.matches(kind, pattern)?;
            after = places.into_iter().find(|place| after.is_none_or(|after| *place > after));
            if after.is_none() {
                return Err(format!(
                    "{} did not happen in this order",
                    brief(&fill(happening, &self.captures))
                ));
            }
        }
        Ok(())
    }
}

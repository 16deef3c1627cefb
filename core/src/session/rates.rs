//! How often one principal may have something done: a token bucket for each class of message.
use alloc::collections::BTreeMap;
use core::time::Duration;

use super::principal::Principal;
use crate::{limits::Rates, method::RateClass, time::Instant};

/// Principals whose buckets are kept apart; any more share one.
const PRINCIPALS: usize = 1024;
/// The shortest wait that is told, in nanoseconds.
const MILLI: u64 = 1_000_000;

/// For each class, when its bucket will be full again, in nanoseconds.
type Buckets = [u64; RateClass::ALL.len()];

/// The buckets of the principals that took anything lately.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// Whoever took something last: on a message channel it is always the same.
    last: Principal,
    buckets: Buckets,
    others: BTreeMap<[u8; 16], Buckets>,
}

impl Meter {
    /// Takes a token, or says how long there is none.
    pub(crate) fn take(
        &mut self,
        rates: &Rates,
        principal: Principal,
        class: RateClass,
        now: Instant,
    ) -> Result<(), Duration> {
        let Some(rate) = rates.of(class) else { return Ok(()) };
        if principal != self.last {
            self.turn_to(principal, now);
        }
        let Some(full) = self.buckets.get_mut(class as usize) else { return Ok(()) };
        // The time in which one token is made, and that in which all but this one are.
        let one = 1_000_000_000 / u64::from(rate.per_second.max(1));
        let others = one.saturating_mul(u64::from(rate.burst.saturating_sub(1)));
        let ahead = full.saturating_sub(now.as_nanos());
        if rate.burst == 0 || ahead > others {
            return Err(Duration::from_nanos(ahead.saturating_sub(others).max(MILLI)));
        }
        *full = now.as_nanos().saturating_add(ahead).saturating_add(one);
        Ok(())
    }
    #[cold]
    fn turn_to(&mut self, principal: Principal, now: Instant) {
        let Principal(before) = core::mem::replace(&mut self.last, principal);
        if self.others.len() >= PRINCIPALS {
            self.others.retain(|_, buckets| buckets.iter().any(|full| *full > now.as_nanos()));
        }
        let crowded = self.others.len() >= PRINCIPALS && !self.others.contains_key(&before);
        let Principal(everyone) = Principal::default();
        self.others.insert(if crowded { everyone } else { before }, self.buckets);
        let Principal(key) = principal;
        let crowded = self.others.len() >= PRINCIPALS && !self.others.contains_key(&key);
        let known = self.others.get(if crowded { &everyone } else { &key });
        self.buckets = known.copied().unwrap_or_default();
    }
}

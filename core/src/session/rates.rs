//! How often one principal may have something done: a token bucket for each class of message.
use alloc::collections::BTreeMap;
use core::time::Duration;

use super::principal::Principal;
use crate::{limits::Rates, method::RateClass, time::Instant};

/// Principals whose buckets are kept apart; any more share one.
const PRINCIPALS: usize = 1024;

/// For each class, when its bucket will be full again.
type Buckets = [Instant; RateClass::ALL.len()];

/// The buckets of the principals that took anything lately.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    by_principal: BTreeMap<[u8; 16], Buckets>,
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
        let Some(full) = self.buckets(principal, now).get_mut(class as usize) else { return Ok(()) };
        // The time in which one token is made, and that in which all but this one are.
        let one = Duration::from_secs(1) / rate.per_second.max(1);
        let others = one.saturating_mul(rate.burst.saturating_sub(1));
        let wait = full.since(now).saturating_sub(others);
        if rate.burst == 0 || !wait.is_zero() {
            return Err(wait.max(Duration::from_millis(1)));
        }
        *full = (*full).max(now).after(one);
        Ok(())
    }
    fn buckets(&mut self, principal: Principal, now: Instant) -> &mut Buckets {
        let Principal(key) = principal;
        let known = self.by_principal.contains_key(&key);
        if !known && self.by_principal.len() >= PRINCIPALS {
            self.by_principal.retain(|_, buckets| buckets.iter().any(|full| *full > now));
        }
        let crowded = !known && self.by_principal.len() >= PRINCIPALS;
        let Principal(everyone) = Principal::default();
        self.by_principal.entry(if crowded { everyone } else { key }).or_default()
    }
}

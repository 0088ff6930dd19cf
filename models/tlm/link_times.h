#pragma once

#include <algorithm>

#include <systemc>

#include "models/tlm/clock_domain.h"

namespace strata {

// What the two ends of a link make of each other's cycles where their clocks differ.

/// Cycle of `to`, another clock, in which it sees what `from` sends in its cycle `at`, or now when that is
/// past.
inline Cycle seen(const ClockDomain& from, const ClockDomain& to, Cycle at) {
  const Cycle now = to.now();
  return at <= from.now() ? now : std::max(now, to.arrival_from(from, at));
}

/// Cycle of `user` from which on it may use a link again that is taken until cycle `until` of `owner`.
inline Cycle freed(const ClockDomain& owner, const ClockDomain& user, Cycle until) {
  return &owner == &user ? std::max(until, user.now()) : user.free_from(owner, until);
}

/// The same as an annotation; of an external user (null) no clock is known. Never later than `until`: what
/// the owner does then must not come before it.
inline sc_core::sc_time freed_delay(const ClockDomain& owner, const ClockDomain* user, Cycle until) {
  const sc_core::sc_time delay = owner.delay_to(until);
  if (user == nullptr || user == &owner) return delay;
  return std::min(delay, user->delay_to(user->free_from(owner, until)));
}

/// The end of a phase that began at `from`, which may lie ahead, comes then or later.
inline sc_core::sc_time not_before(const sc_core::sc_time& from, const sc_core::sc_time& delay) {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  return from > now ? std::max(delay, from - now) : delay;
}

}  // namespace strata

#pragma once

#include "models/l1/l1_at.h"

namespace strata {

// What an at L1 does with accesses that its organization keeps in queues.

// Into the organization's queues; at once to the cache when it is its turn.
template <class Organization, bool carried>
Accept L1At<Organization, carried>::enter([[maybe_unused]] Access& access, Cycle at) {
  if constexpr (Organization::queues_accesses) {
    ++waiting_;
    if (!organization.enter(access)) return Accept::held();
    if (at > clock().now())
      book(at, send_unit);
    else
      drain(at);
  }
  return Accept::taken(at + 1);
}

// The access whose turn it is meets the cache; one that stalls stays the next.
template <class Organization, bool carried>
void L1At<Organization, carried>::drain([[maybe_unused]] Cycle now) {
  if constexpr (Organization::queues_accesses) {
    if (now < port_free_) {
      wait_for_port();
      return;
    }
    if (const Cycle next = organization.earliest(); next > now) {
      if (next != never) book(next, send_unit);
      return;
    }
    Access& access = organization.take(now);  // before the decision, which may link it into an MSHR's chain
    if (banked_ && wait_for_banks(access, now)) return organization.put_back(access);
    if (stall_ == L1Stall::none) access.ledger.charge_until(places_.port, clock().ledger_at(now));
    const L1Decision decision = take(Txn::of(access), now);
    if (decision.outcome == L1Outcome::stall) {
      if (stall_ == L1Stall::none) stalled_since_ = now;
      if (stall_ == L1Stall::none) stall_ = decision.stall;
      return organization.put_back(access);
    }
    if (stall_ != L1Stall::none) accounts_.count_stall(stall_, now - stalled_since_);
    stall_ = L1Stall::none;
    --waiting_;
    if (is_answered(decision)) queue_hit(access, now);
    if (sm.holding() && organization.enter(sm.held()->access())) sm.accept(now + 1);
    if (queued() != 0) book(std::max(now + 1, port_free_), send_unit);
  }
}

}  // namespace strata

#pragma once

#include "models/tlm/txn.h"

namespace strata {

/// Those for whom the reply of a fetch is here in `ledger` leave one after the other: the one that asked for
/// it has spent what the fetch has, the others have waited for it. `leave(access)` sends each on.
template <class Leave>
[[gnu::always_inline]] inline void serve_waiters(AccessFifo waiters, Txn& fetch, Place merge, Cycle ledger,
                                                 Leave leave) {
  const Access& reply = fetch.access();
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    if (&waiter == fetch.cause())
      waiter.ledger.absorb(reply.ledger);
    else
      waiter.ledger.charge_until(merge, ledger);
    if (reply.failed != 0) Txn::of(waiter).set_response_status(fetch.get_response_status());
    leave(waiter);
  }
}

/// The same where the first access went for the data itself, and leaves first: it may be over then.
template <class Leave>
[[gnu::always_inline]] inline void serve_itself(AccessFifo others, Txn& first, Place merge, Cycle ledger,
                                                Leave leave) {
  const bool failed = first.access().failed != 0;
  const auto status = failed ? first.get_response_status() : tlm::TLM_OK_RESPONSE;
  leave(first.access());
  while (!others.empty()) {
    Access& other = others.pop();
    other.ledger.charge_until(merge, ledger);
    if (failed) Txn::of(other).set_response_status(status);
    leave(other);
  }
}

}  // namespace strata

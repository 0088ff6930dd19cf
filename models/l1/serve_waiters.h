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

}  // namespace strata

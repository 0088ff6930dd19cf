#pragma once

#include "models/tlm/txn_pool.h"

namespace strata {

// The fill requests of caches, and what their replies do for those that wait for them.

/// A fill request for `sectors` of `line` on behalf of `access`, whose ledger it continues. `route` comes
/// back with its reply.
inline Txn& make_fill_request(TxnPool& pool, Access& access, AccessClass access_class, Address line,
                              std::uint8_t sectors, int route) {
  Txn& request = pool.make(access_class, line, sectors, access.ledger.mark());
  copy_identity(access, request.access());
  request.cause() = &access;
  request.access().push_route(route);
  return request;
}

/// Asks the host for the access that a reply's request was made for: its state has not been used since then.
inline void prefetch_waiter(Txn& reply) {
  const Access* const waiter = reply.cause();
  __builtin_prefetch(waiter, 1);
  waiter->ledger.prefetch();
  __builtin_prefetch(&waiter->birth, 1);
}

/// The reply of a fill request is here in `ledger`. Its waiters are served in order: the access that it was
/// made for has spent the time that it spent, the others have waited in `merge`. `leave(access)` sends each
/// of them on.
template <class Leave>
[[gnu::always_inline]] inline void serve_waiters(AccessFifo waiters, Txn& reply, Place merge, Cycle ledger,
                                                 Leave leave) {
  const Access& line = reply.access();
  while (!waiters.empty()) {
    Access& waiter = waiters.pop();
    if (&waiter == reply.cause())
      waiter.ledger.absorb(line.ledger);
    else
      waiter.ledger.charge_until(merge, ledger);
    if (line.failed != 0) Txn::of(waiter).set_response_status(reply.get_response_status());
    leave(waiter);
  }
}

}  // namespace strata

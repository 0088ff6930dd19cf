#pragma once

#include "models/l1/l1_at_shell.h"
#include "models/tlm/fill_request.h"

namespace strata {

inline void L1AtShell::fetch(Access& access, const L1Decision& decision, Cycle ready) {
  const PartMask named = organization_.parts(decision.fetch);
  if (splits_ && is_large(decision.chunks)) {
    parts_[static_cast<std::size_t>(decision.fetch)].to_come =
        queue_parts(access, decision.chunks, named, decision.fetch, ready);
    return;
  }
  Txn& request =
      make_fill_request(pool_, access, access.access_class, access.line, decision.chunks, decision.fetch);
  if (named != 0) request.access().ask_parts(named);
  queue_request(request.access(), ready);
}

inline void L1AtShell::forward(Access& access, Cycle ready) {
  ++passing_count_;
  if (bank_queues_ && access.bypass_l1) ready -= miss_latency_ - 1U;  // past the banks
  if (splits_ && is_large(access.chunks)) {
    access.tag = static_cast<std::uint16_t>(queue_parts(access, access.chunks, 0, part, ready));
    return;
  }
  access.push_route(passing);
  queue_request(access, ready);
}

}  // namespace strata

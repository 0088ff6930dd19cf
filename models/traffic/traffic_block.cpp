#include "models/traffic/traffic_block.h"

#include <algorithm>

namespace strata {

TrafficBlock::TrafficBlock(sc_core::sc_module_name module_name, const TrafficParams& params,
                           const BuildContext& context)
    : Block(module_name, context.clock, params.ports),
      core_(params, context.seed, name(), context.index * params.ports, context.count * params.ports),
      place_(params.place),
      index_(context.index),
      chunks_(static_cast<std::uint8_t>((1U << (params.line.count / chunk_bytes)) - 1)) {}

Txn& TrafficBlock::make(int port, Cycle now) {
  const TrafficAccess next = core_.send(port, now);
  Txn& txn = pool_.make(next.access_class, next.line, chunks_, clock().ledger_at(now));
  Access& access = txn.access();
  copy_identity(Access{}, access);
  access.sm = static_cast<std::uint16_t>(index_ * core_.ports() + port);
  access.cluster = static_cast<std::uint16_t>(index_);
  access.load_slot = 0;
  return txn;
}

// As an L1 does where it stands in place of one: the tail of a reply follows its head. An L1 hands lines over
// in one piece.
void TrafficBlock::retire(Txn& txn, int port, Cycle at, bool at_once) {
  Access& access = txn.access();
  Cycle whole = at;
  if (place_ == TrafficPlace::l1 && !at_once) {
    whole += access.flits - 1U;
    access.ledger.charge_until(Cause::reply_link, clock().ledger_at(at));
    access.ledger.charge_until(Cause::reply_serial, clock().ledger_at(whole));
  }
  const Cycle retired = clock().ledger_at(whole);
  const bool hit = at_once && place_ == TrafficPlace::sm;
  access.ledger.charge_until(hit ? Cause::l1_pipeline : Cause::foreign, retired);
  if (!(at_once ? totals_.add_hit(access, retired) : totals_.add(access, retired))) ledger_error(access);
  if (access.failed != 0) SC_REPORT_ERROR(name(), ("error response: " + txn.get_response_string()).c_str());
  core_.answer(port, whole, retired - access.birth, at_once);
  txn.release();
}

void TrafficBlock::ledger_error(const Access& access) {
  ++core_.stats().ledger_errors;
  SC_REPORT_ERROR(name(), ("the ledger of an access of port " + std::to_string(access.sm) + " sums to " +
                           std::to_string(access.ledger.sum()) + " cycles, which is not its latency")
                              .c_str());
}

void TrafficBlock::reset_stats() {
  core_.reset_stats(clock().now());
  totals_ = {};
}

Faults TrafficBlock::check_idle() const {
  Faults faults;
  const auto fault = [&](const std::string& message) { faults.push_back({{name(), 0, 0}, message}); };
  if (pool_.in_use() != 0) fault(std::to_string(pool_.in_use()) + " accesses were never answered");
  int unsent = 0;
  for (int p = 0; p < core_.ports(); ++p)
    if (!core_.all_sent(p)) ++unsent;
  if (unsent != 0) fault(std::to_string(unsent) + " ports have not sent all their accesses");
  return faults;
}

}  // namespace strata

#include "models/traffic/traffic_shell.h"

#include <algorithm>

#include "models/tlm/packet_tail.h"

namespace strata {

TrafficShell::TrafficShell(sc_core::sc_module_name module_name, const TrafficParams& params,
                           const BuildContext& context)
    : Block(module_name, context.clock, params.ports, context.place_as(Role::generator)),
      core_(params, context.seed, name(), context.index * params.ports, context.count * params.ports),
      stands_for_(params.place),
      first_sm_(context.index * params.ports),
      cluster_(static_cast<std::uint16_t>(context.index)),
      chunks_(static_cast<std::uint8_t>((1U << (params.line.count / chunk_bytes)) - 1)),
      pool_(&context.clock.places()) {}

void TrafficShell::end_of_elaboration() {
  const bool sm = stands_for_ == TrafficPlace::sm;
  for (const PortBase* port : ports()) {
    Places places;
    places.queue = place_for(Cause::queue);
    places.foreign = port->place_beyond(Cause::foreign);
    places.port = sm ? port->place_beyond(Cause::port) : places.queue;
    places.pipeline = sm ? port->place_beyond(Cause::pipeline) : places.foreign;
    places.reply_link = sm ? places.foreign : port->place_of_link(Cause::reply_link);
    places.reply_serial = sm ? places.foreign : port->place_of_link(Cause::reply_serial);
    places_.push_back(places);
  }
}

// As an L1 does where it stands in place of one: the tail of a reply follows its head.
void TrafficShell::retire(Txn& txn, int port, const PortBase& socket, Cycle at) {
  Access& access = txn.access();
  const Places& places = places_[static_cast<std::size_t>(port)];
  Cycle whole = at;
  if (stands_for_ == TrafficPlace::l1)
    whole = charge_tail(socket, clock(), access, at, places.reply_link, places.reply_serial);
  const Cycle retired = clock().ledger_at(whole);
  access.ledger.charge_until(places.foreign, retired);
  if (!totals_.add(access, retired)) ledger_error(access);
  if (access.failed != 0) response_error(txn);
  core_.answer(port, whole, false);
  txn.release();
}

// In one piece, whoever it comes from.
void TrafficShell::retire_at_once(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle retired = clock().ledger_at(at);
  const Places& places = places_[static_cast<std::size_t>(port)];
  access.ledger.charge_until(places.pipeline, retired);
  if (!totals_.add_hit(access, retired, places.queue, places.port, places.pipeline)) ledger_error(access);
  if (access.failed != 0) response_error(txn);
  core_.answer(port, at, true);
  txn.release();
}

void TrafficShell::response_error(const Txn& txn) const {
  SC_REPORT_ERROR(name(), ("error response: " + txn.get_response_string()).c_str());
}

void TrafficShell::ledger_error(const Access& access) {
  ++core_.stats().ledger_errors;
  SC_REPORT_ERROR(name(), ("the ledger of an access of port " + std::to_string(access.sm) + " sums to " +
                           std::to_string(access.ledger.sum()) + " cycles, which is not its latency")
                              .c_str());
}

void TrafficShell::settle(Cycle now) {
  core_.settle(now);
  Histogram& latency = core_.stats().latency = {};
  for (const LedgerTotals::Sums& sums : totals_.groups) latency += sums.histogram;
}

void TrafficShell::reset_stats() {
  core_.reset_stats(clock().now());
  totals_ = {};
}

Faults TrafficShell::check_idle() const {
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

#include "models/traffic/traffic.h"

#include <algorithm>

#include "models/tlm/packet_tail.h"

namespace strata {
namespace {

std::unique_ptr<TrafficCheck> make_check(const TrafficParams& params, const BuildContext& context,
                                         const char* name) {
  if (!params.check) return nullptr;
  if (!context.clock.carries_data())
    throw ConfigError(
        Faults{{{name, 0, 0}, "check: true needs payloads that carry bytes; set run.data: carried"}});
  return std::make_unique<TrafficCheck>(
      params, seed_of(context.seed, "check") + static_cast<unsigned>(params.seed),
      context.index * params.ports, params.ports, context.count * params.ports, context.shared);
}

}  // namespace

Traffic::Traffic(sc_core::sc_module_name module_name, const TrafficParams& params,
                 const BuildContext& context)
    : Block(module_name, context.clock, params.ports, context.place_as(Role::generator)),
      core_(params, context.seed, name(), context.index * params.ports, context.count * params.ports),
      stands_for_(params.place),
      first_sm_(context.index * params.ports),
      cluster_(static_cast<std::uint16_t>(context.index)),
      sectors_(static_cast<std::uint8_t>((1U << (params.line.count / sector_bytes)) - 1)),
      pool_(&context.clock.places()),
      check_(make_check(params, context, name())),
      most_open_(params.outstanding),
      links_(static_cast<std::size_t>(params.ports)) {
  core_.stats().checks = params.check;
  const char* const group = params.place == TrafficPlace::sm ? "l1" : "noc";
  for (int p = 0; p < params.ports; ++p) {
    links_[static_cast<std::size_t>(p)].port = std::make_unique<InitiatorPort>(*this, group, p);
    if (const Cycle first = core_.due(p); first != never) book(first, p);
  }
}

// The next access of `port`, sent in cycle `now`.
[[gnu::always_inline]] inline Txn& Traffic::make(int port, Cycle now) {
  if (check_ != nullptr) return make_checked(port, now);
  const TrafficAccess next = core_.send(port, now);
  Txn& txn = pool_.make(next.access_class, next.line, sectors_, clock().ledger_at(now));
  Access& access = txn.access();
  access.sm = static_cast<std::uint16_t>(first_sm_ + port);
  access.cluster = cluster_;
  return txn;
}

Txn& Traffic::make_checked(int port, Cycle now) {
  const TrafficAccess next =
      core_.send(port, now, [this, port](const TrafficAccess& drawn) { return check_->draw(port, drawn); });
  Txn& txn = pool_.make(next.access_class, next.line, check_->sectors(), clock().ledger_at(now));
  txn.access().sm = static_cast<std::uint16_t>(first_sm_ + port);
  txn.access().cluster = cluster_;
  txn.access().local = check_->is_local(next.line);
  check_->begin(txn, port);
  return txn;
}

void Traffic::check(Txn& txn, int port) {
  const std::string fault = check_->end(txn, port);
  if (!fault.empty()) SC_REPORT_ERROR(name(), ("port " + std::to_string(port) + ": " + fault).c_str());
}

void Traffic::end_of_elaboration() {
  const bool sm = stands_for_ == TrafficPlace::sm;
  for (const PortBase* port : ports()) {
    Places places;
    places.queue = place_for(Cause::queue);
    places.external = port->place_beyond(Cause::external);
    places.port = sm ? port->place_beyond(Cause::port) : places.queue;
    places.pipeline = sm ? port->place_beyond(Cause::pipeline) : places.external;
    places.reply_link = sm ? places.external : port->place_of_link(Cause::reply_link);
    places.reply_serial = sm ? places.external : port->place_of_link(Cause::reply_serial);
    places_.push_back(places);
  }
}

void Traffic::advance(Cycle now, int unit) {
  Link& link = links_[static_cast<std::size_t>(unit)];
  core_.take_replies(unit, now);
  if (link.blocked == nullptr && link.free <= now && core_.may_send(unit, now)) send(link, unit, now);
  book_next(link, unit, now);
}

void Traffic::send(Link& link, int unit, Cycle now) {
  Txn& txn = make(unit, now);
  const Accept accept = link.port->send(txn);
  link.free = now + 1;
  if (accept.is_done()) {
    retire_at_once(txn, unit, accept.at);
  } else if (accept.is_held()) {
    ++core_.stats().held_requests;
    link.blocked = &txn;
  } else {
    link.free = std::max(accept.at, now + 1);
  }
}

// A port with a held request is woken by END_REQ; one without a free slot, by a reply.
void Traffic::book_next(const Link& link, int unit, Cycle now) {
  const bool left = !core_.all_sent(unit);
  if (left && link.blocked != nullptr) return;
  const Cycle due = core_.due(unit);
  if (due != never) book(std::max({due, left ? link.free : 0, now + 1}), unit);
}

void Traffic::request_unblocked(int port, Cycle at) {
  Link& link = links_[static_cast<std::size_t>(port)];
  link.blocked = nullptr;
  link.free = at;
  book_next(link, port, clock().now());
}

Accept Traffic::response(Txn& txn, int port, Cycle at) {
  retire(txn, port, *links_[static_cast<std::size_t>(port)].port, at);
  if (core_.all_sent(port) || core_.open(port) == most_open_)
    book_next(links_[static_cast<std::size_t>(port)], port, clock().now());
  return Accept::taken(at + 1);
}

std::vector<WaitNote> Traffic::waits() const {
  std::vector<WaitNote> notes;
  for (int p = 0; p < core_.ports(); ++p) {
    const Link& link = links_[static_cast<std::size_t>(p)];
    if (core_.open(p) == 0) continue;
    const bool held = link.blocked != nullptr;
    notes.push_back(
        {"port " + std::to_string(p) + ": accesses without an answer" + (held ? ", request held back" : ""),
         link.port->peer(), core_.open(p), most_open_, held ? &link.blocked->access() : nullptr});
  }
  return notes;
}

// Takes in the reply to `txn`, whose head arrives in cycle `at`, and releases the transaction. A generator in
// place of an L1 waits for the tail of the reply, as an L1 does.
void Traffic::retire(Txn& txn, int port, const PortBase& socket, Cycle at) {
  Access& access = txn.access();
  const Places& places = places_[static_cast<std::size_t>(port)];
  Cycle whole = at;
  if (stands_for_ == TrafficPlace::l1)
    whole = charge_tail(socket, clock(), access, at, places.reply_link, places.reply_serial);
  const Cycle retired = clock().ledger_at(whole);
  access.ledger.charge_until(places.external, retired);
  if (!totals_.add(access, retired)) ledger_error(access);
  if (access.failed != 0) response_error(txn);
  if (check_ != nullptr) check(txn, port);
  core_.answer(port, whole, false);
  pool_.release(txn);
}

// Like retire(), for a request that was answered in the call itself: its reply has no tail.
void Traffic::retire_at_once(Txn& txn, int port, Cycle at) {
  Access& access = txn.access();
  const Cycle retired = clock().ledger_at(at);
  const Places& places = places_[static_cast<std::size_t>(port)];
  access.ledger.charge_until(places.pipeline, retired);
  if (!totals_.add_hit(access, retired, places.queue, places.port, places.pipeline)) ledger_error(access);
  if (access.failed != 0) response_error(txn);
  if (check_ != nullptr) check(txn, port);
  core_.answer(port, at, true);
  pool_.release(txn);
}

void Traffic::response_error(const Txn& txn) const {
  SC_REPORT_ERROR(name(), ("error response: " + txn.get_response_string()).c_str());
}

void Traffic::ledger_error(const Access& access) {
  ++core_.stats().ledger_errors;
  SC_REPORT_ERROR(name(), ("the ledger of an access of port " + std::to_string(access.sm) + " sums to " +
                           std::to_string(access.ledger.sum()) + " cycles, which is not its latency")
                              .c_str());
}

void Traffic::settle(Cycle now) {
  core_.settle(now);
  if (check_ != nullptr) core_.stats().checked_bytes = check_->checked();
  if (check_ != nullptr) core_.stats().wrong_bytes = check_->wrong();
  Histogram& latency = core_.stats().latency = {};
  for (const LedgerTotals::Sums& sums : totals_.groups) latency += sums.histogram;
}

void Traffic::reset_stats() {
  core_.reset_stats(clock().now());
  if (check_ != nullptr) check_->reset();
  totals_ = {};
}

Faults Traffic::check_idle() const {
  Faults faults;
  const auto fault = [&](const std::string& message) { faults.push_back({{name(), 0, 0}, message}); };
  if (pool_.in_use() != 0) fault(std::to_string(pool_.in_use()) + " accesses were never answered");
  int unsent = 0;
  for (int p = 0; p < core_.ports(); ++p)
    if (!core_.all_sent(p)) ++unsent;
  if (unsent != 0) fault(std::to_string(unsent) + " ports have not sent all their accesses");
  for (int p = 0; check_ != nullptr && faults.empty() && p < core_.ports(); ++p)
    if (const std::string wrong = check_->check_memory(*links_[static_cast<std::size_t>(p)].port, p);
        !wrong.empty())
      fault("port " + std::to_string(p) + ", at the end: " + wrong);
  return faults;
}

}  // namespace strata

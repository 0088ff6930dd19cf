#include "models/l1/l1_private_lt.h"

#include <algorithm>

namespace strata {
namespace {

void charge(Access& access, Cause cause, Cycle ledger) {
  if (ledger > access.ledger.mark()) access.ledger.charge(cause, ledger);
}

}  // namespace

L1PrivateLt::L1PrivateLt(sc_core::sc_module_name module_name, const L1PrivateParams& params,
                         const BuildContext& context)
    : LtBlock(module_name, context.clock),
      core_(params),
      line_chunks_(static_cast<std::uint8_t>((1U << (params.line / chunk_bytes)) - 1)),
      fills_(static_cast<std::size_t>(params.mshrs)),
      fetches_(static_cast<std::size_t>(params.mshrs)),
      departures_(static_cast<std::size_t>(params.miss_queue)) {}

// Take in what happens before `cycle`: fills, and departures from the miss queue.
[[gnu::always_inline]] inline void L1PrivateLt::pass_until(Cycle cycle) {
  while (core_.queued() != 0 && departures_[departed_] < cycle) {
    core_.departed();
    departed_ = departed_ + 1 == departures_.size() ? 0 : departed_ + 1;
  }
  while (fills_.next() < cycle) {
    AccessFifo waiters = core_.fill(fills_.pop().value);
    while (!waiters.empty()) Txn::of(waiters.pop()).release();
  }
}

// A stalled access is looked at again in the cycle after a fill or a departure.
L1Decision L1PrivateLt::decide(Access& access, Cycle& now, bool& held) {
  pass_until(now);
  L1Decision decision = core_.begin(access, now);
  if (decision.outcome != L1Outcome::stall) {
    charge(access, Cause::l1_port, clock().ledger_at(now));
    return decision;
  }
  held = true;
  const L1Stall reason = decision.stall;
  const Cycle since = now;
  while (decision.outcome == L1Outcome::stall) {
    const Cycle departure = core_.queued() != 0 ? departures_[departed_] : never;
    now = std::max(now, std::min(departure, fills_.next())) + 1;
    pass_until(now);
    decision = core_.begin(access, now);
  }
  core_.count_stall(reason, now - since);
  charge(access, reason == L1Stall::miss_queue ? Cause::l1_miss_queue : Cause::l1_mshr_full,
         clock().ledger_at(now));
  return decision;
}

LtAnswer L1PrivateLt::transport(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) return flush(txn, at);
  const L1PrivateParams& params = core_.params();
  Cycle now = std::max(at, port_free_);
  bool held = false;
  const L1Decision decision = decide(access, now, held);
  port_free_ = now + static_cast<Cycle>(params.port_cycles);
  switch (decision.outcome) {
    case L1Outcome::hit: {
      const Cycle done = now + static_cast<Cycle>(params.latency);
      charge(access, Cause::l1_pipeline, clock().ledger_at(done));
      ++core_.stats().replies;
      return {port_free_, done, !held};
    }
    case L1Outcome::miss_new:
      return fetch(txn, decision.mshr, now);
    case L1Outcome::miss_merged:
      return merge(txn, decision.mshr, now);
    default:
      break;
  }
  return answer(access, send(txn, now + static_cast<Cycle>(params.miss_latency)) + 1);
}

// Through the miss queue to the LLC and back: the cycle in which the whole reply is here.
[[gnu::always_inline]] inline Cycle L1PrivateLt::send(Txn& txn, Cycle ready) {
  Access& access = txn.access();
  const Cycle sent = std::max(ready, noc_free_);
  const Cycle ledger = clock().ledger_at(sent);
  if (ledger > access.ledger.mark())
    access.ledger.charge_split(Cause::l1_pipeline, static_cast<Cycle>(core_.params().miss_latency),
                               Cause::l1_miss_queue, ledger);
  const std::size_t last = departed_ + static_cast<std::size_t>(core_.queued()) - 1;
  departures_[last >= departures_.size() ? last - departures_.size() : last] = sent;
  access.flits = 1;
  const LtAnswer reply = noc.transport(txn, sent);
  noc_free_ = std::max(reply.accepted, sent + 1);
  const Cycle whole = reply.done + access.flits - 1U;
  charge(access, Cause::reply_link, clock().ledger_at(reply.done));
  charge(access, Cause::reply_serial, clock().ledger_at(whole));
  ++core_.stats().replies_from_llc;
  return whole;
}

LtAnswer L1PrivateLt::fetch(Txn& txn, int mshr, Cycle now) {
  Access& access = txn.access();
  Txn& line = pool_.make(access.access_class, access.line, line_chunks_, access.ledger.mark());
  copy_identity(access, line.access());
  const Cycle whole = send(line, now + static_cast<Cycle>(core_.params().miss_latency));
  txn.acquire();  // it stays in its MSHR's chain until the fill
  fills_.push(whole + 1U - line.access().flits, static_cast<std::uint16_t>(mshr));
  Fetch& under_way = fetches_[static_cast<std::size_t>(mshr)];
  under_way = {whole + 2, clock().ledger_at(whole), line.get_response_status()};
  access.ledger.absorb(line.access().ledger);
  if (line.access().failed != 0) txn.set_response_status(under_way.status);
  line.release();
  return answer(access, whole + 1);
}

LtAnswer L1PrivateLt::merge(Txn& txn, int mshr, Cycle now) {
  txn.acquire();
  Fetch& under_way = fetches_[static_cast<std::size_t>(mshr)];
  charge(txn.access(), Cause::l1_merge, under_way.ledger);
  if (under_way.status < tlm::TLM_INCOMPLETE_RESPONSE) txn.set_response_status(under_way.status);
  const Cycle reply = std::max(under_way.next_reply, now + 1);
  under_way.next_reply = reply + 1;
  return answer(txn.access(), reply);
}

LtAnswer L1PrivateLt::answer(Access& access, Cycle at) {
  charge(access, Cause::l1_fill, clock().ledger_at(at));
  ++core_.stats().replies;
  access.flits = 1;
  return {port_free_, at, false, Cause::l1_fill};
}

LtAnswer L1PrivateLt::flush(Txn& txn, Cycle at) {
  Cycle now = at;
  for (pass_until(now); !fills_.empty(); pass_until(now)) now = fills_.next() + 1;
  core_.flush();
  ++core_.stats().replies;
  charge(txn.access(), Cause::reconfiguration, clock().ledger_at(now + 1));
  return {now + 1, now + 1, true};
}

unsigned L1PrivateLt::debug(tlm::tlm_generic_payload& payload, int) {
  return noc.debug(payload);
}

void L1PrivateLt::settle(Cycle now) {
  pass_until(now + 1);
}

Faults L1PrivateLt::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (!core_.idle()) blame(std::to_string(core_.mshrs().in_use()) + " lines are still being fetched");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " fetches were never released");
  return faults;
}

}  // namespace strata

#include "models/sm_cluster/sm_cluster_lt.h"

#include <algorithm>

#include "models/sm_cluster/make_line_access.h"
#include "models/sm_cluster/sm_core_hot.h"

namespace strata {
namespace {

constexpr int validated_quantum = 64;  // docs/lt-accuracy.md: beyond it latencies are up to 40 % off

}  // namespace

SmClusterLt::SmClusterLt(sc_core::sc_module_name module_name, const SmClusterParams& params,
                         const BuildContext& context)
    : SmClusterShell(module_name, params, context) {
  sms_.reserve(static_cast<std::size_t>(params.sms));
  for (int s = 0; s < params.sms; ++s) {
    sms_.emplace_back(params_, tenants_.of(0));
    sms_.back().port = std::make_unique<LtInitiatorPort>(*this, "l1", s, static_cast<LtCaller*>(this));
    touches_first(s, &sms_.back());
    states_.push_back(&sms_.back());
  }
}

SmClusterLt::~SmClusterLt() = default;

void SmClusterLt::end_of_elaboration() {
  for (Sm& sm : sms_) sm.places = SmPlaces(*sm.port);
  if (params_.quantum <= validated_quantum || cluster_ != 0) return;
  SC_REPORT_WARNING(name(),
                    ("quantum is " + std::to_string(params_.quantum) + "; beyond " +
                     std::to_string(validated_quantum) + " latencies are far off (docs/lt-accuracy.md)")
                        .c_str());
}

// True while the SM only takes answers. It does not run ahead meanwhile.
bool SmClusterLt::run_stalled(Sm& sm, int unit, Cycle now) {
  if (!update_stall(sm, now)) return false;
  SmTenant& tenant = *sm.tenant;
  sm.local = now;
  const bool was_drained = sm.core.drained();
  take_answers(sm, now);
  sm.core.begin(now);
  if (sm.core.has_finished() || (!was_drained && sm.core.drained())) report(sm, unit, now);
  report_quiesced(tenant, now,
                  [](const SmState& other) { return other.stopped && other.core.lines_in_flight() == 0; });
  Cycle next = sm.core.next_event(now);
  if (!sm.answers.empty()) next = std::min(next, std::max(sm.answers.next(), now) + 1);
  if (next != never) book(next, unit);
  return true;
}

void SmClusterLt::take_answers(Sm& sm, Cycle now) {
  while (sm.answers.next() < now) {
    const TimeQueue<>::Event answer = sm.answers.pop();
    sm.core.answer(answer.at, static_cast<std::uint8_t>(answer.value >> 8),
                   static_cast<std::uint8_t>(answer.value));
  }
}

void SmClusterLt::advance(Cycle now, int unit) {
  if (unit == flush_unit_) return advance_flushes(now);
  Sm& sm = sms_[static_cast<std::size_t>(unit)];
  if (SmTenant& tenant = *sm.tenant; now >= tenant.drained_from) {
    tenant.drained_from = never;
    dispatcher_->drained(dispatcher_cluster_, tenant.application, clock().ledger_at(now));
  }
  if (now <= sm.local) return;  // it has run past this wake
  if (now >= sm.tenant->attention && run_stalled(sm, unit, now)) return;
  // A stall that was ordered in this cycle is at most one cycle away.
  const Cycle limit = std::min(now + static_cast<Cycle>(params_.quantum), sm.tenant->attention);
  sm.reported = false;
  for (Cycle cycle = now; cycle != never;) {
    const Cycle next = step(sm, unit, cycle);
    if (next == never) return;
    if (next >= limit || sm.reported) return book(next, unit);
    cycle = next;
  }
}

// One cycle of an SM; the next one with something to do.
[[gnu::always_inline]] inline Cycle SmClusterLt::step(Sm& sm, int unit, Cycle now) {
  sm.local = now;
  const bool was_drained = sm.core.drained();
  take_answers(sm, now);
  sm.core.begin(now);
  const bool waiting = sm.core.line_waiting(now);
  if (waiting && sm.link_free <= now) send_line(sm, unit, now);
  sm.core.issue(now);
  if (sm.core.has_finished() || (!was_drained && sm.core.drained())) report(sm, unit, now);

  Cycle next = sm.core.next_wake(now);
  if (!sm.core.lsu().empty()) next = std::min(next, std::max(sm.link_free, now + 1));
  if (!sm.answers.empty()) next = std::min(next, std::max(sm.answers.next(), now) + 1);
  return next;
}

// Tells the dispatcher what ended in this cycle; it acts on it in the next one.
void SmClusterLt::report(Sm& sm, int unit, Cycle now) {
  SmTenant& tenant = *sm.tenant;
  sm.reported = true;
  report_ended(sm, unit, now);
  const auto empty = [&](const Sm& other) { return other.tenant != &tenant || other.core.drained(); };
  if (sm.core.drained() && dispatcher_ != nullptr && std::all_of(sms_.begin(), sms_.end(), empty)) {
    tenant.drained_from = now;  // the other SMs may have run further
    for (const Sm& other : sms_)
      if (other.tenant == &tenant) tenant.drained_from = std::max(tenant.drained_from, other.local);
    book(tenant.drained_from, unit);
  }
}

void SmClusterLt::send_line(Sm& sm, int unit, Cycle now) {
  Txn& txn = make_line_access(pool_, sm.core, cluster_ * sms() + unit, cluster_, clock(), now, sm.places,
                              sm.tenant->stall);
  sm.core.line_sent(now);
  const LtAnswer answer = sm.port->post(txn, now);
  sm.link_free = answer.accepted == never ? never : std::max(answer.accepted, now + 1);
  if (answer.done == never) return;
  if (!answer.at_once) sm.port->answer_taken(answer.done, answer.done + 1);
  retire(sm, txn, answer);
}

// What is answered in the past of the SM, beyond the validated quantum, comes in its present.
void SmClusterLt::answered(Txn& txn, int unit, const LtAnswer& answer) {
  Sm& sm = sms_[static_cast<std::size_t>(unit)];
  sm.port->answer_taken(answer.done, answer.done + 1);  // an SM takes answers as they come
  retire(sm, txn, answer);
  book(std::max(answer.done, sm.local) + 1, unit);
}

void SmClusterLt::accepted(int unit, Cycle at) {
  Sm& sm = sms_[static_cast<std::size_t>(unit)];
  sm.link_free = std::max(at, sm.local + 1);
  book(sm.link_free, unit);
}

void SmClusterLt::retire(Sm& sm, Txn& txn, const LtAnswer& answer) {
  Access& access = txn.access();
  const Cycle retired = clock().ledger_at(answer.done);
  const SmPlaces& places = sm.places;
  access.ledger.charge_until(answer.at_once ? places.pipeline : places.foreign, retired);
  LedgerTotals& totals = sm.tenant->totals;
  if (!(answer.at_once ? totals.add_hit(access, retired, places.queue, places.port, places.pipeline)
                       : totals.add(access, retired)))
    ledger_error(*sm.tenant, access);
  sm.tenant->stats.memory_latency += retired - access.birth;
  if (access.failed != 0) SC_REPORT_ERROR(name(), ("error response: " + txn.get_response_string()).c_str());
  const auto warp = static_cast<std::uint8_t>(access.warp);
  const std::uint8_t slot = access.load_slot;
  txn.release();
  if (answer.at_once)
    sm.core.answer_at_once(answer.done, warp, slot);
  else
    sm.answers.push(std::max(answer.done, sm.local), static_cast<std::uint16_t>(warp << 8 | slot));
}

}  // namespace strata

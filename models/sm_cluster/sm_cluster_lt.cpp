#include "models/sm_cluster/sm_cluster_lt.h"

#include <algorithm>

#include "models/sm_cluster/make_line_access.h"

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
  }
}

SmClusterLt::~SmClusterLt() = default;

void SmClusterLt::end_of_elaboration() {
  if (params_.quantum <= validated_quantum || cluster_ != 0) return;
  SC_REPORT_WARNING(name(),
                    ("quantum is " + std::to_string(params_.quantum) + "; beyond " +
                     std::to_string(validated_quantum) + " latencies are far off (docs/lt-accuracy.md)")
                        .c_str());
}

void SmClusterLt::assign(const std::vector<int>& application_of_sm) {
  tenants_.assign(application_of_sm);
  for (std::size_t s = 0; s < sms_.size(); ++s) {
    sms_[s].tenant = &tenants_.of(application_of_sm[s]);
    sms_[s].core.count_into(sms_[s].tenant->stats);
  }
}

int SmClusterLt::room(int sm, const KernelInfo& kernel) const {
  return sms_[static_cast<std::size_t>(sm)].core.occupancy().room(kernel);
}

int SmClusterLt::occupancy(const KernelInfo& kernel, std::string* limiter) const {
  return sms_.front().core.occupancy().most(kernel, limiter);
}

void SmClusterLt::launch(int unit, const KernelInfo& kernel, std::shared_ptr<const CtaTrace> cta) {
  Sm& sm = sms_[static_cast<std::size_t>(unit)];
  sm.local = std::max(sm.local, clock().now());
  sm.core.launch(kernel, *cta, sm.local);
  book(sm.local + 1, unit);
}

// What an SM has done ahead of time has not happened yet.
bool SmClusterLt::is_drained(int application) const {
  const Cycle now = clock().now();
  const SmTenant* tenant = &tenants_.of(application);
  return std::all_of(sms_.begin(), sms_.end(), [=](const Sm& sm) {
    return sm.tenant != tenant || (sm.core.drained() && sm.local <= now);
  });
}

void SmClusterLt::stall(int application) {
  SmTenant& tenant = tenants_.of(application);
  const Cycle from = clock().now() + 1;
  begin_stall(tenant, sms_, from);
  for (int s = 0; s < sms(); ++s)
    if (Sm& sm = sms_[static_cast<std::size_t>(s)]; sm.tenant == &tenant)
      book(std::max(from, sm.local + 1), s);
}

void SmClusterLt::resume(int application) {
  SmTenant& tenant = tenants_.of(application);
  tenant.stall.until = clock().now() + 1;
  for (int s = 0; s < sms(); ++s)
    if (sms_[static_cast<std::size_t>(s)].tenant == &tenant) book(tenant.stall.until, s);
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
  const auto quiesced = [&](const Sm& other) {
    return other.tenant != &tenant || (other.stopped && other.core.lines_in_flight() == 0);
  };
  if (tenant.quiescing && std::all_of(sms_.begin(), sms_.end(), quiesced)) {
    tenant.quiescing = false;
    dispatcher_->quiesced(dispatcher_cluster_, tenant.application, clock().ledger_at(now));
  }
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
  std::uint32_t kernel = 0;
  while (sm.core.take_finished(kernel))
    if (dispatcher_ != nullptr)
      dispatcher_->cta_done(dispatcher_cluster_, unit, kernel, clock().ledger_at(now));
  const auto empty = [&](const Sm& other) { return other.tenant != &tenant || other.core.drained(); };
  if (sm.core.drained() && dispatcher_ != nullptr && std::all_of(sms_.begin(), sms_.end(), empty)) {
    tenant.drained_from = now;  // the other SMs may have run further
    for (const Sm& other : sms_)
      if (other.tenant == &tenant) tenant.drained_from = std::max(tenant.drained_from, other.local);
    book(tenant.drained_from, unit);
  }
}

void SmClusterLt::send_line(Sm& sm, int unit, Cycle now) {
  Txn& txn =
      make_line_access(pool_, sm.core, cluster_ * sms() + unit, cluster_, clock(), now, sm.tenant->stall);
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
  access.ledger.charge_until(answer.at_once ? Cause::l1_pipeline : Cause::foreign, retired);
  LedgerTotals& totals = sm.tenant->totals;
  if (!(answer.at_once ? totals.add_hit(access, retired) : totals.add(access, retired)))
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

void SmClusterLt::settle(Cycle now) {
  for (Sm& sm : sms_) sm.core.settle(std::max(now, sm.local));
}

Faults SmClusterLt::check_idle() const {
  Faults faults;
  const auto fault = [&](const std::string& message) { faults.push_back({{name(), 0, 0}, message}); };
  const SmClusterStats& all = counters();
  if (all.records_launched != all.records_issued)
    fault(std::to_string(all.records_launched - all.records_issued) + " trace records were never issued");
  if (const int left = tenants_.flushes_left(); left != 0)
    fault(std::to_string(left) + " flushes were never answered");
  for (int s = 0; s < sms(); ++s) {
    const SmCore& core = sms_[static_cast<std::size_t>(s)].core;
    if (core.drained()) continue;
    fault("SM " + std::to_string(s) + ": " + std::to_string(core.occupancy().ctas()) +
          " CTAs still resident, " + std::to_string(core.lines_in_flight()) + " line accesses in flight");
  }
  return faults;
}

std::vector<WaitNote> SmClusterLt::waits() const {
  std::vector<WaitNote> notes;
  for (int s = 0; s < sms(); ++s) {
    const SmCore& core = sms_[static_cast<std::size_t>(s)].core;
    if (core.drained()) continue;
    const WaitingWarps waiting = core.waiting();
    notes.push_back({"SM " + std::to_string(s) + ": " + std::to_string(core.lines_in_flight()) +
                         " line accesses in flight; " + std::to_string(waiting.memory) +
                         " warps wait for loads, " + std::to_string(waiting.barrier) + " at barriers",
                     "", core.occupancy().warps(), params_.warps, nullptr});
  }
  return notes;
}

}  // namespace strata

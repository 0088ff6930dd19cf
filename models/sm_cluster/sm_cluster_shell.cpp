#include "models/sm_cluster/sm_cluster_shell.h"

namespace strata {

SmClusterShell::SmClusterShell(sc_core::sc_module_name module_name, const SmClusterParams& params,
                               const BuildContext& context)
    : Block(module_name, context.clock, params.sms + 1 + (params.dsmem == Dsmem::network ? params.sms : 0),
            context.place_as(Role::sm)),
      dispatch(*this, "dispatch", 0, *this),
      params_(params),
      cluster_(context.index),
      flush_unit_(params.sms),
      carries_data_(context.clock.carries_data()),
      pool_(&context.clock.places()),
      tenants_(params.sms) {
  for (int s = 0; s < params.sms; ++s)
    flush_.push_back(std::make_unique<ControlOut<LineFlushIf>>(*this, "flush", s));
}

void SmClusterShell::connect(CtaDoneIf& dispatcher, int cluster) {
  dispatcher_ = &dispatcher;
  dispatcher_cluster_ = cluster;
}

void SmClusterShell::assign(const std::vector<int>& application_of_sm) {
  tenants_.assign(application_of_sm);
  for (std::size_t s = 0; s < states_.size(); ++s) {
    states_[s]->tenant = &tenants_.of(application_of_sm[s]);
    states_[s]->core.count_into(states_[s]->tenant->stats);
  }
}

int SmClusterShell::room(int sm, const KernelInfo& kernel) const {
  return states_[static_cast<std::size_t>(sm)]->core.occupancy().room(kernel);
}

int SmClusterShell::occupancy(const KernelInfo& kernel, std::string* limiter) const {
  return states_.front()->core.occupancy().most(kernel, limiter);
}

void SmClusterShell::launch(int unit, const KernelInfo& kernel, std::shared_ptr<const CtaTrace> cta) {
  SmState& sm = *states_[static_cast<std::size_t>(unit)];
  const Cycle now = std::max(sm.local, clock().now());
  sm.local = now;
  if (sm.kernel != &kernel) begin_kernel(unit, kernel);
  try {
    sm.core.launch(kernel, *cta, now);
  } catch (const ConfigError& error) {
    SC_REPORT_ERROR(name(), error.what());
  }
  book(now + 1, unit);
}

// The first CTA of a kernel here: what keeps lines in the same memory has to know of its shared memory.
// Beside CTAs of other kernels it may only get more.
void SmClusterShell::begin_kernel(int unit, const KernelInfo& kernel) {
  SmState& sm = *states_[static_cast<std::size_t>(unit)];
  const Occupancy& occupancy = sm.core.occupancy();
  const std::int64_t of_one = Occupancy::cost(kernel).shared_bytes;
  std::int64_t bytes = occupancy.most(kernel, nullptr) * of_one;
  if (occupancy.ctas() != 0) {
    bytes = std::max(bytes, occupancy.shared_bytes() + of_one);
    if (bytes <= sm.shared_bytes) return;
  }
  sm.kernel = &kernel;
  sm.shared_bytes = bytes;
  ControlOut<LineFlushIf>& holders = flush_of(unit);
  for (int h = 0; h < holders.ends(); ++h) holders.end(h).begin_kernel(static_cast<std::uint64_t>(bytes));
}

// What an SM has done ahead of time has not happened yet.
bool SmClusterShell::is_drained(int application) const {
  const Cycle now = clock().now();
  const SmTenant* tenant = &tenants_.of(application);
  return std::all_of(states_.begin(), states_.end(), [=](const SmState* sm) {
    return sm->tenant != tenant || (sm->core.drained() && sm->local <= now);
  });
}

bool SmClusterShell::kernel_drained(int application, std::uint32_t kernel) const {
  const std::vector<KernelAccesses>& kernels = tenants_.of(application).kernels;
  return kernel >= kernels.size() ||
         (kernels[kernel].in_flight == 0 && kernels[kernel].answered <= clock().now());
}

void SmClusterShell::note_answer(SmTenant& tenant, std::uint32_t kernel, Cycle at) {
  KernelAccesses& accesses = tenant.accesses_of(kernel);
  accesses.answered = std::max(accesses.answered, at + 1);
  if (--accesses.in_flight == 0 && dispatcher_ != nullptr)
    dispatcher_->drained(dispatcher_cluster_, tenant.application, clock().ledger_at(accesses.answered));
}

void SmClusterShell::stall(int application) {
  SmTenant& tenant = tenants_.of(application);
  const Cycle from = clock().now() + 1;
  begin_stall(tenant, states_, from);
  for (int s = 0; s < sms(); ++s)
    if (const SmState& sm = *states_[static_cast<std::size_t>(s)]; sm.tenant == &tenant)
      book(std::max(from, sm.local + 1), s);
}

void SmClusterShell::resume(int application) {
  SmTenant& tenant = tenants_.of(application);
  tenant.stall.until = clock().now() + 1;
  for (int s = 0; s < sms(); ++s)
    if (states_[static_cast<std::size_t>(s)]->tenant == &tenant) book(tenant.stall.until, s);
}

void SmClusterShell::report_ended(SmState& sm, int unit, Cycle now) {
  std::uint32_t kernel = 0;
  while (sm.core.take_finished(kernel))
    if (dispatcher_ != nullptr)
      dispatcher_->cta_done(dispatcher_cluster_, unit, kernel, clock().ledger_at(now));
}

void SmClusterShell::ledger_error(SmTenant& tenant, const Access& access) {
  ++tenant.stats.ledger_errors;
  SC_REPORT_ERROR(name(), ("the ledger of an access of SM " + std::to_string(access.sm) + " sums to " +
                           std::to_string(access.ledger.sum()) + " cycles, which is not its latency")
                              .c_str());
}

void SmClusterShell::settle(Cycle now) {
  for (SmState* const sm : states_) sm->core.settle(std::max(now, sm->local));
}

void SmClusterShell::flush(int application) {
  tenants_.of(application).flush_from = clock().now() + 1;
  book(clock().now() + 1, flush_unit_);
}

void SmClusterShell::advance_flushes(Cycle now) {
  for (SmTenant& tenant : tenants_) {
    if (tenant.flush_from <= now) begin_flush(tenant, now);
    if (tenant.flushed_from > now) continue;
    tenant.flushed_from = never;
    if (dispatcher_ != nullptr)
      dispatcher_->flush_done(dispatcher_cluster_, tenant.application, clock().ledger_at(now));
  }
}

void SmClusterShell::begin_flush(SmTenant& tenant, Cycle now) {
  tenant.flush_from = never;
  tenant.flushes_left = 1;  // until all have been asked
  for (int s = 0; s < sms(); ++s) {
    ControlOut<LineFlushIf>& holders = flush_of(s);
    for (int h = 0; tenants_.application_of(s) == tenant.application && h < holders.ends(); ++h) {
      ++tenant.flushes_left;
      ++tenant.stats.flushes;
      if (states_[static_cast<std::size_t>(s)]->core.drained())
        holders.end(h).begin_flush(*this, tenant.application);
      else
        holders.end(h).begin_flush_of_some(*this, tenant.application);
    }
  }
  note_flushed(tenant, now);
}

void SmClusterShell::lines_flushed(int application) {
  SmTenant& tenant = tenants_.of(application);
  ++tenant.stats.flush_answers;
  note_flushed(tenant, clock().now());
}

// A cycle to drop the lines, and one until the cluster sees it, as for any answer.
void SmClusterShell::note_flushed(SmTenant& tenant, Cycle now) {
  if (--tenant.flushes_left != 0) return;
  tenant.flushed_from = now + 2;
  book(tenant.flushed_from, flush_unit_);
}

Faults SmClusterShell::check_idle() const {
  Faults faults;
  const auto fault = [&](const std::string& message) { faults.push_back({{name(), 0, 0}, message}); };
  if (pool_.in_use() != 0) fault(std::to_string(pool_.in_use()) + " accesses were never answered");
  const SmClusterStats& all = counters();
  if (all.records_launched != all.records_issued)
    fault(std::to_string(all.records_launched - all.records_issued) + " trace records were never issued");
  if (const int left = tenants_.flushes_left(); left != 0)
    fault(std::to_string(left) + " flushes were never answered");
  for (int s = 0; s < sms(); ++s) {
    const SmCore& core = states_[static_cast<std::size_t>(s)]->core;
    const std::string sm = "SM " + std::to_string(s) + ": ";
    if (core.occupancy().ctas() != 0)
      fault(sm + std::to_string(core.occupancy().ctas()) + " CTAs still resident");
    if (core.lines_in_flight() != 0)
      fault(sm + std::to_string(core.lines_in_flight()) + " line accesses in flight");
    if (!core.lsu().empty()) fault(sm + "load/store queue not empty");
  }
  return faults;
}

std::vector<WaitNote> SmClusterShell::waits() const {
  std::vector<WaitNote> notes;
  for (int s = 0; s < sms(); ++s) {
    const SmCore& core = states_[static_cast<std::size_t>(s)]->core;
    const Access* const held = held_of(s);
    const std::string who = "SM " + std::to_string(s);
    if (!core.lsu().empty() || held != nullptr)
      notes.push_back({who + ": load/store queue" + (held != nullptr ? ", request held back" : ""), l1_of(s),
                       core.lsu().size(), params_.lsu_depth, held});
    if (core.drained()) continue;
    const WaitingWarps waiting = core.waiting();
    notes.push_back({who + ": " + std::to_string(core.lines_in_flight()) + " line accesses in flight; " +
                         std::to_string(waiting.memory) + " warps wait for loads, " +
                         std::to_string(waiting.lsu) + " for the load/store queue, " +
                         std::to_string(waiting.barrier) + " at barriers" +
                         (waiting.barrier != 0 ? ": " + core.waiting_at_barriers() : ""),
                     core.lines_in_flight() != 0 ? l1_of(s) : std::string(), core.occupancy().warps(),
                     params_.warps, nullptr});
  }
  return notes;
}

}  // namespace strata

#include "models/sm_cluster/sm_cluster_shell.h"

namespace strata {

SmClusterShell::SmClusterShell(sc_core::sc_module_name module_name, const SmClusterParams& params,
                               const BuildContext& context)
    : Block(module_name, context.clock, params.sms + 1),
      dispatch(*this, "dispatch", 0, *this),
      params_(params),
      cluster_(context.index),
      flush_unit_(params.sms),
      tenants_(params.sms) {
  for (int s = 0; s < params.sms; ++s)
    flush_.push_back(std::make_unique<ControlOut<LineFlushIf>>(*this, "flush", s));
}

void SmClusterShell::connect(CtaDoneIf& dispatcher, int cluster) {
  dispatcher_ = &dispatcher;
  dispatcher_cluster_ = cluster;
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
      holders.end(h).begin_flush(*this, tenant.application);
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

void SmClusterShell::ledger_error(SmTenant& tenant, const Access& access) {
  ++tenant.stats.ledger_errors;
  SC_REPORT_ERROR(name(), ("the ledger of an access of SM " + std::to_string(access.sm) + " sums to " +
                           std::to_string(access.ledger.sum()) + " cycles, which is not its latency")
                              .c_str());
}

}  // namespace strata

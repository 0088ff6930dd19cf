#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/sm_cluster/sm_cluster_shell.h"

namespace strata {

/// Timing shell of N SMs: one agenda unit and one initiator socket `l1[s]` per SM, one pool of
/// transactions.
class SmClusterAt final : public SmClusterShell, public WaitingLoadsIf, private ClusterMeetingIf {
 public:
  SmClusterAt(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);
  ~SmClusterAt() override;

  InitiatorPort& l1(int sm) { return *sms_[static_cast<std::size_t>(sm)].port; }

  // Block
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  /// Of the unit without an SM; the others are visited by visit().
  void advance(Cycle now, int /*unit*/) override { advance_flushes(now); }

 private:
  using Sm = SmState;

  std::string l1_of(int sm) const override { return sms_[static_cast<std::size_t>(sm)].port->peer(); }
  const Access* held_of(int sm) const override;
  ClusterBarriers& barriers() override { return barriers_; }
  void release(const std::vector<ClusterWarp>& warps, Cycle now) override;
  void visit(Cycle now, int unit);
  bool run_stalled(Sm& sm, int unit, Cycle now);
  /// What became of a line that should leave without a transaction.
  enum class Directly { not_so, hits, waits };
  bool send(Sm& sm, int unit, Cycle now);
  Directly send_directly(Sm& sm, Cycle now);
  void wait_for_line(Sm& sm, Cycle now);
  void load_answered(int port, const WaitingLoad& load, const WaitedFor& waited, Cycle now) override;
  void send_more(Sm& sm, int unit, Cycle now);
  void send_copy(Sm& sm, int unit, Cycle now);
  bool send_line(Sm& sm, int unit, Cycle now);
  void report_error(tlm::tlm_response_status status);
  void note_link(Sm& sm, Txn& txn, const Accept& accept);
  void retire_hit(Sm& sm, Txn& txn, Cycle at);
  void report(Sm& sm, int unit, Cycle now);
  void end_of_elaboration() override;

  std::vector<Sm> sms_;
  ClusterBarriers barriers_;
};

/// Row of the table of modules.
const ModuleKind& sm_cluster_kind();

}  // namespace strata

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/sm_cluster/sm_cluster_shell.h"

namespace strata {

/// Timing shell of N SMs: one agenda unit and one initiator socket `l1[s]` per SM, one pool of
/// transactions.
class SmClusterAt : public SmClusterShell, private ClusterMeetingIf {
 public:
  SmClusterAt(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);
  ~SmClusterAt() override;

  InitiatorPort& l1(int sm) { return *sms_[static_cast<std::size_t>(sm)].port; }

  // Block
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  /// Of the unit without an SM; the others are visited by visit().
  void advance(Cycle now, int /*unit*/) override { advance_flushes(now); }

 protected:
  using Sm = SmState;

  void report_error(tlm::tlm_response_status status);
  void end_of_elaboration() override;

  std::vector<Sm> sms_;

 private:
  std::string l1_of(int sm) const override { return sms_[static_cast<std::size_t>(sm)].port->peer(); }
  const Access* held_of(int sm) const override;
  ClusterBarriers& barriers() override { return barriers_; }
  void release(const std::vector<ClusterWarp>& warps, Cycle now) override;
  ClusterMeetingIf::Place find(const ResidentCta& mate, std::uint32_t rank) override;
  void visit(Cycle now, int unit);
  bool run_stalled(Sm& sm, int unit, Cycle now);
  void send_more(Sm& sm, int unit, Cycle now);
  void send_copy(Sm& sm, int unit, Cycle now);
  bool send_line(Sm& sm, int unit, Cycle now);
  void note_link(Sm& sm, Txn& txn, const Accept& accept);
  void retire_hit(Sm& sm, Txn& txn, Cycle at);
  void report(Sm& sm, int unit, Cycle now);

  ClusterBarriers barriers_;
};

/// The cluster with these parameters: with `dsmem: network` an SmClusterDsmem.
std::unique_ptr<SmClusterAt> make_sm_cluster(sc_core::sc_module_name name, const SmClusterParams& params,
                                             const BuildContext& context);

/// Row of the table of modules.
const ModuleKind& sm_cluster_kind();

}  // namespace strata

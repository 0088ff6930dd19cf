#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/sm_cluster/sm_cluster_shell.h"
#include "models/sm_cluster/sm_core.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"

namespace strata {

/// Timing shell of N SMs: one agenda unit and one initiator socket `l1[s]` per SM, one pool of
/// transactions.
class SmClusterAt final : public SmClusterShell {
 public:
  SmClusterAt(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);
  ~SmClusterAt() override;

  InitiatorPort& l1(int sm) { return *sms_[static_cast<std::size_t>(sm)].port; }

  // CtaLaunchIf
  void assign(const std::vector<int>& application_of_sm) override;
  int room(int sm, const KernelInfo& kernel) const override;
  int occupancy(const KernelInfo& kernel, std::string* limiter) const override;
  void launch(int sm, const KernelInfo& kernel, std::shared_ptr<const CtaTrace> cta) override;
  bool is_drained(int application) const override;
  bool can_stall() const override { return true; }
  void stall(int application) override;
  void resume(int application) override;

  // Block
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Sm {
    Sm(const SmClusterParams& params, SmTenant& its) : core(params, its.stats), tenant(&its) {}
    SmCore core;
    SmTenant* tenant;
    Cycle link_free = 0;     // first cycle in which the socket may send
    Txn* blocked = nullptr;  // request that the L1 holds back
    bool stopped = false;    // by a stall
    std::unique_ptr<InitiatorPort> port;
  };

  /// Of each SM of an application: the SM and its number.
  template <class Work>
  void each_of(const SmTenant& tenant, Work work);
  bool run_stalled(Sm& sm, int unit, Cycle now);
  void send_line(Sm& sm, int unit, Cycle now);
  void note_link(Sm& sm, Txn& txn, const Accept& accept);
  void retire_hit(Sm& sm, Txn& txn, Cycle at);
  void report(Sm& sm, int unit, Cycle now);

  std::vector<Sm> sms_;
};

/// Row of the table of modules.
const ModuleKind& sm_cluster_kind();

}  // namespace strata

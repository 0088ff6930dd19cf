#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/common/time_queue.h"
#include "models/sm_cluster/sm_cluster_shell.h"
#include "models/tlm/lt_ports.h"

namespace strata {

/// N SMs that run ahead of simulated time, each by up to `quantum` cycles: the core of SmClusterAt.
///
/// An SM is woken in a cycle in which it has something to do, runs from event to event until the quantum is
/// used up, and books its next event. Accesses are posted; an answer comes in simulated time, and the SM
/// takes it in when its local time reaches it. Nothing is lost by that as long as no access that leaves the
/// L1 is answered within a quantum. It stops early when the dispatcher must hear of something. A stall begins
/// where each SM is: at most a quantum late.
class SmClusterLt final : public SmClusterShell, private LtCaller {
 public:
  SmClusterLt(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);
  ~SmClusterLt() override;

  LtInitiatorPort& l1(int sm) { return *sms_[static_cast<std::size_t>(sm)].port; }

  // Block
  void advance(Cycle now, int unit) override;

 private:
  struct Sm : SmState {
    using SmState::SmState;
    bool reported = false;
    TimeQueue<> answers;  // warp and load slot of accesses that left the L1, by the cycle of their answer
    std::unique_ptr<LtInitiatorPort> port;
  };

  std::string l1_of(int sm) const override { return sms_[static_cast<std::size_t>(sm)].port->peer(); }
  void answered(Txn& txn, int sm, const LtAnswer& answer) override;
  void accepted(int sm, Cycle at) override;
  void retire(Sm& sm, Txn& txn, const LtAnswer& answer);
  Cycle step(Sm& sm, int unit, Cycle now);
  void take_answers(Sm& sm, Cycle now);
  bool run_stalled(Sm& sm, int unit, Cycle now);
  void send_line(Sm& sm, int unit, Cycle now);
  void report(Sm& sm, int unit, Cycle now);
  void end_of_elaboration() override;

  std::vector<Sm> sms_;
};

}  // namespace strata

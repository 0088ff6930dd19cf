#pragma once

#include <array>
#include <deque>

#include "models/llc_control/organization_if.h"
#include "models/router_stage/crossbar_lt.h"
#include "models/router_stage/router_stage_params.h"
#include "models/router_stage/router_stage_stats.h"
#include "models/tlm/lt_ports.h"
#include "models/tlm/module_kind.h"

namespace strata {

/// A crossbar stage behind b_transport: routes as RouterStage does, passes packets by CrossbarLt. One VC
/// that holds whole packets, no internal speed-up, no virtual output queues.
class RouterStageLt final : public LtBlock, private LtCaller {
 public:
  /// Throws ConfigError when the parameters ask for what only the at version has.
  RouterStageLt(sc_core::sc_module_name name, const RouterStageParams& params, const BuildContext& context);

  LtAnswer transport(Txn& txn, int port, Cycle at) override;
  LtAnswer post(Txn& txn, int port, Cycle at) override;
  void answer_taken(int port, Cycle began, Cycle until) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  LtTargetPort& in(int index) { return in_ports_[static_cast<std::size_t>(index)]; }
  LtInitiatorPort& out(int index) { return out_ports_[static_cast<std::size_t>(index)]; }
  ControlOut<OrganizationPortIf>& organization() { return organization_; }

 private:
  /// Requests in an input's buffer whose passage is not known yet, because one in front of them waits for a
  /// link that is held.
  struct Waiting {
    AccessFifo packets;
    int flits = 0;
    Txn* outside = nullptr;  // finds no room: it holds the link
  };

  LtAnswer go(Txn& txn, int port, int output, Cycle at);
  void release(Cycle at);
  void release_input(int port, Cycle at);
  int output_for(Access& access, int port) { return params_.bypass ? port : route(access); }
  void refused(int port) override;
  void answered(Txn& txn, int port, const LtAnswer& answer) override;
  void accepted(int port, Cycle at) override;
  CrossbarLt::Passage pass_request(Access& access, int port, int output, Cycle at);
  CrossbarLt::Passage pass_reply(Access& access, int output, int port, const LtAnswer& answer);
  void charge(Access& access, Cause link, Cause router, Cause queue, Cycle ledger) const;
  int route(Access& access);
  int choose(Access& access);
  int output_of(std::uint64_t target) const {
    return output_[target < output_.size() ? target : target % output_.size()];
  }

  RouterStageParams params_;
  const AddressMap& map_;
  RouterStageStats stats_;
  CrossbarLt requests_;
  CrossbarLt replies_;
  std::array<std::uint8_t, 256> flits_;  // by chunk mask
  std::vector<std::uint16_t> output_;    // by slice, or by line number modulo its size
  std::uint64_t line_shift_;
  std::vector<Waiting> waiting_;      // by input
  std::vector<std::uint8_t> blocked_;  // by output: the next block has not accepted the last request
  int turn_ = 0;                      // input that is looked at first when a link is free again
  int waiting_inputs_ = 0;
  Cycle counted_until_ = 0;
  Cycle link_limit_;    // in ledger cycles
  Cycle router_limit_;  // in ledger cycles
  Cycle enter_;         // from the link to the switch
  std::deque<LtTargetPort> in_ports_;
  std::deque<LtInitiatorPort> out_ports_;
  ControlOut<OrganizationPortIf> organization_;
};

}  // namespace strata

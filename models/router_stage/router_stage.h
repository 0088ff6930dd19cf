#pragma once

#include <array>
#include <deque>

#include "models/router_stage/flit_crossbar.h"
#include "models/router_stage/packet_crossbar.h"
#include "models/router_stage/reserved_crossbar.h"
#include "models/router_stage/router_stage_params.h"
#include "models/router_stage/router_stage_stats.h"
#include "models/tlm/lt_shell.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/organization_if.h"
#include "models/tlm/router_control_if.h"

namespace strata {

/// How packets that need no flit-exact network pass a stage: bid for cycle by cycle, or reserved ahead.
template <class Links>
struct PacketNetwork;
template <>
struct PacketNetwork<AtLinks> {
  using Type = PacketCrossbar;
};
template <>
struct PacketNetwork<LtLinks> {
  using Type = ReservedCrossbar;
};

/// What both timings of a router stage share: routing, statistics, control and the flit-exact network.
///
/// A crossbar stage: requests go from `in` to `out`, replies back from `out` to `in`, each network by itself.
///
/// Concentrators, distributors and the routers of hierarchical crossbars are all router stages. The first
/// stage that a request meets chooses its LLC slice; a stage routes by that slice (or by line number) and
/// remembers the way back in the request.
template <class Links>
class RouterStageShell : public Links::Base, protected RouterControlIf {
 public:
  using Target = typename Links::Target;
  using Initiator = typename Links::Initiator;

  RouterStageShell(sc_core::sc_module_name name, const RouterStageParams& params,
                   const BuildContext& context);
  ~RouterStageShell() override;

  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;

  const StatSet& stats() const override { return stats_; }
  void reset_stats() override;
  void settle(Cycle now) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

  Target& in(int index) { return *in_[static_cast<std::size_t>(index)]; }
  Initiator& out(int index) { return *out_[static_cast<std::size_t>(index)]; }
  ControlOut<OrganizationPortIf>& organization() { return organization_; }
  ControlIn<RouterControlIf>& control() { return control_; }

  /// No packet is inside.
  bool drained() const;
  bool bypassed() const { return bypassed_; }
  /// Gate the crossbar and lead input i straight to output i, or go back. Only while drained.
  void set_bypass(bool on) override;

 protected:
  /// One network: packets, bid for or reserved ahead, or flit by flit where that makes a difference.
  struct Network {
    typename PacketNetwork<Links>::Type packets;
    std::unique_ptr<FlitCrossbar> flits;
    template <class Function>
    auto visit(Function function) {
      return flits == nullptr ? function(packets) : function(*flits);
    }
    template <class Function>
    auto visit(Function function) const {
      return flits == nullptr ? function(packets) : function(*flits);
    }
  };
  using Links::Base::book;
  using Links::Base::clock;
  using Links::Base::name;

  static constexpr int request_unit = 0;
  static constexpr int reply_unit = 1;
  static int agenda_unit(int unit) { return unit + 1; }  // the first is the links'

  void end_of_elaboration() override;
  /// Room is made in `flits` of an access for its length as a request or reply; its way is remembered or
  /// taken back. The port that it leaves through.
  int enter_request(Access& access, int port);
  int enter_reply(Access& access);
  Accept take_flits(bool reply, Access& access, int port, int output, Cycle at);
  void unblock_flits(bool reply, int port, Cycle at);
  void run_flits(bool reply, Cycle now);
  void wake(Cycle due, int unit);
  void charge(Access& access, Cause link, Cause router, Cause queue) const;

  int output_for(Access& access, int port) { return bypassed_ ? port : route(access); }
  int request_flits(const Access& access) const;
  int reply_flits(const Access& access) const;
  const RouterStageParams& params() const { return params_; }

  // What every packet needs comes first.
  std::array<Cycle, 2> booked_{never, never};  // next cycle for which each network is booked
  Cycle ledger_now_ = 0;                       // of the cycle in which packets leave
  Cycle link_limit_ = 0;                       // in ledger cycles
  Cycle router_limit_ = 0;                     // in ledger cycles
  std::vector<std::uint16_t> output_;          // by slice, or by line number modulo its size
  std::vector<Target*> in_;
  std::vector<Initiator*> out_;
  std::uint32_t targets_ = 0;  // size of output_
  bool flit_exact_ = false;
  bool bypassed_;
  bool by_line_;
  alignas(64) std::array<std::uint8_t, 256> flits_;  // by chunk mask
  Network requests_;
  Network replies_;
  RouterStageStats stats_;

 private:
  /// The stage at the other end of a port, when both are flit-exact.
  struct Neighbour {
    RouterStageShell* stage = nullptr;
    int port = 0;
  };
  /// Carries flits and credits of one network to the neighbours.
  class Link final : public FlitNeighbours {
   public:
    Link(RouterStageShell& stage, bool reply) : stage_(stage), reply_(reply) {}
    void forward_flit(int output, int vc, Cycle at) override;
    void return_credit(int input, int vc, Cycle at) override;

   private:
    RouterStageShell& stage_;
    bool reply_;
  };

  std::string bypass_fault() const override;
  bool is_drained() const override { return drained(); }
  bool is_bypassed() const override { return bypassed_; }
  ReplyStage reply_stage() const override;

  void link_neighbours();
  void wake_flits(bool reply);
  void force_reply(Access& access, int output, Cycle at, Cycle now);
  void send_packet(FlitCrossbar& core, const CrossbarGrant& grant, bool reply, Cycle now);
  void end_holds(FlitCrossbar& core, bool reply);
  int route(Access& access);
  int choose(Access& access);
  int output_of(std::uint64_t target) const;
  void count_time(Cycle now);

  RouterStageParams params_;
  const AddressMap& map_;
  Link request_link_{*this, false};
  Link reply_link_{*this, true};
  std::vector<Neighbour> before_;  // by input
  std::vector<Neighbour> behind_;  // by output
  std::uint64_t line_shift_ = 0;
  std::uint64_t counted_until_ = 0;
  std::array<Cycle, 256> ledger_tail_{};  // by length: flits behind the head, in ledger cycles
  std::deque<Target> in_ports_;
  std::deque<Initiator> out_ports_;
  ControlOut<OrganizationPortIf> organization_;
  ControlIn<RouterControlIf> control_;
};

/// A router stage in at: packets bid for their outputs.
class RouterStage final : public RouterStageShell<AtLinks> {
 public:
  using RouterStageShell::RouterStageShell;

  Accept request(Txn& txn, int port, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  void advance(Cycle now, int unit) override;

 private:
  void run_requests(PacketCrossbar& core, Cycle now);
  void run_replies(PacketCrossbar& core, Cycle now);
  void answered_at_once(Access& access, int output, Cycle at, Cycle now);
};

/// The row of the table of modules.
const ModuleKind& router_stage_kind();

}  // namespace strata

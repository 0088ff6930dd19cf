#pragma once

#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "models/sm_cluster/sm_cluster.h"

namespace strata {

/// SMs whose accesses to each other's shared memory (distributed shared memory) go over a network:
/// `dsmem_out[s]` sends the requests of SM s, `dsmem_in[s]` takes those of the others to its shared memory.
///
/// Everything here hangs on wheel units and ports of its own: an SM cluster without that network has none
/// of it, and its visits do not know of it.
class SmClusterDsmem final : public SmCluster, private DsmemQueuesIf {
 public:
  SmClusterDsmem(sc_core::sc_module_name name, const SmClusterParams& params, const BuildContext& context);

  InitiatorPort& dsmem_out(int sm) { return *ends_[static_cast<std::size_t>(sm)].out; }
  TargetPort& dsmem_in(int sm) { return *ends_[static_cast<std::size_t>(sm)].in; }

  // Block
  Accept request(Txn& txn, int sm, Cycle at) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  void response_unblocked(int sm, Cycle at) override;
  void advance(Cycle now, int unit) override;
  Faults check_idle() const override;
  std::vector<WaitNote> waits() const override;

 private:
  struct Reply {
    Txn* txn;
    Cycle due;
  };
  /// An SM's end of the network.
  struct End {
    std::unique_ptr<InitiatorPort> out;
    std::unique_ptr<TargetPort> in;
    SmPlaces places;                                         // of what is behind `out`
    strata::Place request_link, request_serial, reply_port;  // of what comes to `in`, and of its replies
    // What its SM asks of others.
    std::deque<DsmemPacket> queue;
    Cycle turn = 0;  // from which the front could have left
    Txn* blocked = nullptr;
    Cycle link_free = 0;
    std::multimap<Cycle, std::uint32_t> answered;  // by when the whole answer is here: number of the packet
    // What others ask of it.
    AccessFifo waiting;
    Txn* held = nullptr;
    Cycle others_until = 0;                     // shared memory is taken for others until then
    std::multimap<Cycle, DsmemReport> reports;  // by when they happen
    std::deque<Reply> replies;
    Cycle reply_free = 0;
  };

  bool has_room(int sm) const override;
  void push(int sm, const DsmemPacket& packet, Cycle now) override;
  void end_of_elaboration() override;

  void send(End& end, int sm, Cycle now);
  void take_replies(End& end, int sm, Cycle now);
  void enter(End& end, Txn& txn, Cycle from);
  void serve(End& end, int sm, Cycle now);
  bool serve_first(End& end, int sm, Cycle now);
  void carry_out(End& end, Cycle now);
  void reply(End& end, int sm, Cycle now);
  Cycle next_turn(const End& end, int sm, Cycle now) const;
  int replies_due(const End& end, Cycle now) const;
  End& end_of(int sm) { return ends_[static_cast<std::size_t>(sm)]; }
  Sm& sm_of(int sm) { return sms_[static_cast<std::size_t>(sm)]; }
  int unit_of(int sm) const { return flush_unit_ + 1 + sm; }

  const std::size_t depth_;
  const Cycle shared_latency_;
  std::vector<End> ends_;
  std::vector<DsmemPacket> packets_;  // under way, by the number that their transaction has as its pc
  std::vector<std::uint32_t> free_packets_;
  strata::Place port_, pipeline_;  // of shared memory: requests of others wait for it, and are in it
};

}  // namespace strata

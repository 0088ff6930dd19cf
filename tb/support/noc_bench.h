#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "models/noc/router/router_stage.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/checkers.h"

namespace strata::tb {

/// What became of one packet; cycles of the bench clock, 0 = not yet.
struct PacketLog {
  int source = 0;
  int slice = 0;
  int flits = 0;
  Cycle planned = 0;   // created at the source
  Cycle sent = 0;      // BEGIN_REQ at the source
  Cycle released = 0;  // END_REQ, if it was held
  Cycle arrived = 0;   // head at the sink
  Cycle tail = 0;      // last flit at the sink
  Cycle answered = 0;  // BEGIN_RESP at the source
  Cycle ledger_sum = 0;
  Cycle queue = 0;  // ledger: noc.request_queue
};

struct PacketPlan {
  Cycle at = 0;
  int slice = 0;
  int flits = 1;
};

/// Sends a plan of packets in order, each as soon as its time has come and the link is free. Packets are
/// stores (or loads when `loads`): with an 8-byte header and 32 B channels a packet of n flits has n - 1
/// sectors.
class NocSource final : public Block {
 public:
  NocSource(sc_core::sc_module_name name, ClockDomain& clock, int index);
  void plan(PacketPlan packet);
  void advance(Cycle now, int unit) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort port;
  bool loads = false;
  std::vector<PacketLog> log;
  std::function<int()> hold_reply;  // cycles for which a reply is held; none = never
  TxnPool pool;

 private:
  int index_;
  NoStats stats_;
  std::deque<PacketPlan> plan_;
  Cycle free_at_ = 0;
  bool blocked_ = false;
  Cycle release_at_ = never;
};

/// Takes packets and answers them in order of arrival after `service` cycles.
class NocSink final : public Block {
 public:
  NocSink(sc_core::sc_module_name name, ClockDomain& clock, std::vector<NocSource*> sources);
  void advance(Cycle now, int unit) override;
  Accept request(Txn& txn, int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort port;
  int service = 1;
  bool at_once = false;       // answer with the request (TLM_COMPLETED)
  std::function<int()> hold;  // cycles for which a request is held; none = never
  std::uint64_t received = 0;
  unsigned debugged = 0;

 private:
  PacketLog& log_of(Txn& txn);

  NoStats stats_;
  std::vector<NocSource*> sources_;
  std::deque<std::pair<Cycle, Txn*>> replies_;
  Cycle reply_free_at_ = 0;
  bool reply_blocked_ = false;
  Cycle release_at_ = never;
};

/// Sources in front of one or two levels of router stages, sinks behind them; 1 GHz.
class NocBench {
 public:
  /// One stage of params.inputs sources and params.outputs sinks.
  explicit NocBench(const RouterStageParams& params, bool checked = true);
  /// Two stages: `first` stages of first_count, their output m to stage m of the second level, whose outputs
  /// are sinks.
  NocBench(const RouterStageParams& first, int first_count, const RouterStageParams& second,
           bool checked = true);

  void run(Cycle cycles);
  /// Runs until nothing is scheduled any more.
  void finish() { run(10'000'000); }
  /// Plans these packets, each at a source, runs to the end and requires that there are no faults().
  void deliver(const std::vector<std::pair<std::size_t, PacketPlan>>& packets = {}) {
    for (const auto& [source, packet] : packets) sources[source]->plan(packet);
    finish();
    REQUIRE(faults().empty());
  }
  /// Faults of all stages, pools and counts once everything has come back.
  Faults faults() const;
  std::vector<PacketLog> all() const;

  std::unique_ptr<AddressMap> map;
  std::unique_ptr<ClockDomain> clock;
  Checkers checkers;
  std::vector<std::unique_ptr<RouterStage>> stages;
  std::vector<std::unique_ptr<NocSource>> sources;
  std::vector<std::unique_ptr<NocSink>> sinks;

 private:
  void make_ends(int source_count, int sink_count);
  void connect(InitiatorPort& from, TargetPort& to);
  BuildContext context() const;
  bool checked_;  // a protocol checker on each hop
  Cycle ran_ = 0;
};

}  // namespace strata::tb

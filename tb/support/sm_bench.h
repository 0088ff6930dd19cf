#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/cta_dispatcher/cta_dispatcher.h"
#include "models/sm_cluster/sm_cluster.h"
#include "models/sm_cluster/sm_cluster_params.h"
#include "models/sm_cluster/sm_core.h"
#include "models/tlm/ports.h"
#include "tb/support/block_checks.h"
#include "tb/support/checkers.h"

namespace strata::tb {

using Program = std::vector<WarpInstruction>;  // of one warp

WarpInstruction alu(int destination, int source = 255);
WarpInstruction load(Address address, int destination, int stride = 4);
WarpInstruction store(Address address, int stride = 4);
WarpInstruction plain(OpClass op);

/// A CTA of the given warps.
std::shared_ptr<const CtaTrace> make_cta(const std::vector<Program>& warps, std::uint64_t index = 0);

/// Kernels given in C++: every CTA of kernel k is made by `cta(k, c)`.
class ProgramSource final : public InstructionSource {
 public:
  KernelInfo& add_kernel(std::uint32_t ctas, std::uint32_t warps);
  std::function<std::vector<Program>(std::uint32_t kernel, std::uint64_t cta)> warps;

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return "program"; }

 private:
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
};

/// One line access as it left a core.
struct LineLog {
  Cycle issued;  // cycle in which the instruction issued
  Cycle sent;    // cycle in which the line left the queue
  Address line;
  int sectors;
  int warp;
  std::uint32_t pc;
};

/// An SmCore with a memory of fixed latency, driven only in the cycles that it asks for.
class CoreBench {
 public:
  explicit CoreBench(const SmClusterParams& params = {})
      : core(params, stats, std::make_shared<CtaDecoder>(params)) {}

  SmClusterStats stats;
  SmCore core;
  Cycle latency = 10;      // from sending a line to its answer
  bool responses = false;  // answers by response instead of at once
  std::function<bool(Cycle)> link_free = [](Cycle) { return true; };
  std::function<void(Cycle)> visited = [](Cycle) {};  // after each cycle

  std::vector<LineLog> lines;
  std::vector<Cycle> issues;  // cycle of each issued record, in order
  std::vector<Cycle> ends;    // cycle of each CTA's end

  KernelInfo& launch(const std::vector<Program>& warps, Cycle now = 0) {
    return launch_cta(*make_cta(warps), now);
  }
  KernelInfo& launch_cta(const CtaTrace& cta, Cycle now = 0);
  /// Run until nothing can happen any more; returns the last cycle that was executed.
  Cycle run(Cycle limit = 100000);

 private:
  std::vector<std::unique_ptr<KernelInfo>> kernels_;
  std::multimap<Cycle, std::pair<int, int>> replies_;  // cycle -> warp, slot
  Cycle now_ = 0;
};

/// A request as a target saw it.
struct RequestLog {
  Cycle at;
  int port;
  Access access;
};

/// Target of N ports with scripted behaviour, in the place of the L1s.
class FixedTarget final : public Block, private LineFlushIf {
 public:
  FixedTarget(sc_core::sc_module_name name, ClockDomain& clock, int ports);
  TargetPort& port(int p) { return *ports_[static_cast<std::size_t>(p)]; }

  std::function<bool(const Access&)> hits = [](const Access&) { return true; };         // answered at once
  std::function<Cycle(const Access&)> hold = [](const Access&) -> Cycle { return 0; };  // END_REQ withheld
  Cycle hit_latency = 10;
  Cycle miss_latency = 50;
  Cycle flush_time = 0;
  bool keeps_ledger = false;  // charges target.access for misses
  bool record = true;         // keep the log
  std::vector<RequestLog> log;
  std::vector<Cycle> flushes;               // when they began
  std::vector<std::uint64_t> shared_bytes;  // of each kernel that began
  ControlIn<LineFlushIf> flush{*this, "flush", 0, *this};

  Accept request(Txn& txn, int port, Cycle at) override;
  void response_unblocked(int, Cycle) override {}
  void advance(Cycle now, int unit) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

 private:
  void begin_flush(LineFlushDoneIf& done, int id) override;
  void begin_kernel(std::uint64_t bytes) override { shared_bytes.push_back(bytes); }

  NoStats stats_;
  std::vector<std::unique_ptr<TargetPort>> ports_;
  std::multimap<Cycle, std::pair<LineFlushDoneIf*, int>> flushing_;
  struct Due {
    Txn* txn;  // null: end of a held request
    int port;
  };
  std::multimap<Cycle, Due> due_;
};

/// Clock, clusters, one FixedTarget for all their sockets, and a dispatcher.
struct ClusterBench {
  explicit ClusterBench(SmClusterParams sm = {}, CtaDispatcherParams dispatch = {});

  ClockDomain clock{"clock", Hertz{1'000'000'000}};
  Checkers checkers;
  std::unique_ptr<AddressMap> map;
  std::vector<std::unique_ptr<SmCluster>> clusters;
  std::unique_ptr<CtaDispatcher> dispatcher;
  std::unique_ptr<FixedTarget> target;
  ProgramSource source;

  /// The cycles of a group of accesses in the row of that name.
  std::uint64_t spent(const LedgerTotals::Sums& sums, const char* row) const {
    return cycles_at(clock.places(), sums.cycles, row);
  }
  /// Run to the end (or `limit` cycles) and check every law that must hold then.
  void run(Cycle limit = 100000);
  std::vector<std::string> broken;  // laws and idle checks that failed
};

inline SmClusterParams one_scheduler() {
  SmClusterParams params;
  params.schedulers = 1;
  return params;
}

}  // namespace strata::tb

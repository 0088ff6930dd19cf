#pragma once

#include <random>
#include <vector>

#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"
#include "platforms/studies/noc/noc_options.h"

namespace strata::platforms {

/// What is seen of the packets that arrive in a window of cycles.
class NocMeter {
 public:
  NocMeter(int sources, int destinations, int packet_flits);
  void open(Cycle begin, Cycle end);
  /// The tail of a packet arrives. `latency`: since its head entered the network.
  void arrived(int source, int destination, Cycle tail, Cycle latency);
  /// A packet enters the network, `waited` cycles after it was made.
  void entered(Cycle now, Cycle waited);

  std::uint64_t packets() const { return packets_; }
  double mean() const;
  /// Cycles that packets which enter have waited in front of the network.
  double mean_wait() const { return entered_ == 0 ? 0 : waited_ / static_cast<double>(entered_); }
  /// The smallest latency that at least `share` of the packets do not exceed.
  double percentile(double share) const;
  const std::vector<std::uint64_t>& by_source() const { return by_source_; }
  const std::vector<std::uint64_t>& by_destination() const { return by_destination_; }

 private:
  std::uint64_t flits_;  // of a packet
  Cycle begin_ = 0;
  Cycle end_ = 0;
  std::uint64_t packets_ = 0;
  std::uint64_t total_ = 0;
  std::uint64_t entered_ = 0;
  double waited_ = 0;
  std::vector<std::uint64_t> latencies_;  // packets, by latency
  std::vector<std::uint64_t> by_source_;  // flits
  std::vector<std::uint64_t> by_destination_;
};

struct NocEndParams final : ParamSet {
  void for_each_param(ParamVisitor&) override {}
};
struct NocEndStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

/// Packets by a Bernoulli process with an endless queue in front of the network.
class NocSource final : public Block {
 public:
  NocSource(sc_core::sc_module_name name, const NocEndParams& params, const BuildContext& context);
  /// Before it starts: what it sends, and where in permutation traffic.
  void attach(const NocOptions& options, NocMeter& meter, int permuted);
  /// Begin to make `load` flits a cycle from cycle `at` on.
  void start(double load, Cycle at, std::uint64_t seed);
  void stop() { birth_ = never; }
  bool idle() const { return pool_.in_use() == 0; }

  void advance(Cycle now, int unit) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort port;

 private:
  double random();
  int random_below(int count);
  int destination();
  Cycle gap();

  const NocOptions* options_ = nullptr;
  NocMeter* meter_ = nullptr;
  int index_;
  int permuted_ = 0;
  std::uint8_t sectors_ = 0;
  NocEndStats stats_;
  double log_none_ = 0;  // logarithm of the chance that a cycle makes no packet
  Cycle birth_ = never;  // of the next packet
  Cycle free_at_ = 0;
  bool blocked_ = false;
  TxnPool pool_;
  std::mt19937_64 generator_;
};

/// Takes packets at once and answers them.
class NocSink final : public Block {
 public:
  NocSink(sc_core::sc_module_name name, const NocEndParams& params, const BuildContext& context);
  void attach(NocMeter& meter) { meter_ = &meter; }
  void advance(Cycle, int) override {}
  Accept request(Txn& txn, int port, Cycle at) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort port;

 private:
  NocMeter* meter_ = nullptr;
  int index_;
  Place pipeline_;
  NocEndStats stats_;
};

const ModuleKind& noc_source_kind();
const ModuleKind& noc_sink_kind();

}  // namespace strata::platforms

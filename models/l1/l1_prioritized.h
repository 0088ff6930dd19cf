#pragma once

#include "models/l1/l1_queues.h"
#include "models/l1/l1_sectored.h"
#include "models/l1/queued_accesses_if.h"

namespace strata {

/// A sectored L1 behind queues (MRPB). Default: whole lines, which have their place from the miss on.
struct L1PrioritizedParams final : L1SectoredParams {
  enum class Bypass : int { none, set_full, stalls };

  int queues = 8;
  int queue_entries = 16;
  SignatureQueues::Signature signature = SignatureQueues::Signature::warp;
  SignatureQueues::Drain drain = SignatureQueues::Drain::lowest;
  Bypass bypass = Bypass::set_full;
  bool queue_lanes = false;

  L1PrioritizedParams() {
    sector = Bytes{128};
    allocation = Allocation::on_miss;
  }
  void for_each_param(ParamVisitor& visitor) override;
};

struct L1PrioritizedStats final : L1SectoredStats {
  std::uint64_t stall_bypasses = 0;
  std::uint64_t queue_turns = 0;
  void for_each_stat(StatVisitor& visitor) const override;
};

/// Accesses wait in queues by signature and come to the cache queue by queue. A load that the cache cannot
/// take goes past it instead of holding up the others, as far as `bypass` says.
class L1Prioritized : public L1Sectored, public QueuedAccessesIf {
 public:
  using Params = L1PrioritizedParams;
  using Stats = L1PrioritizedStats;
  static constexpr bool queues_accesses = true;

  explicit L1Prioritized(const L1PrioritizedParams& params, std::uint64_t seed = 0)
      : L1Sectored(params, seed, &stats_),
        params_(params),
        queues_(params.queues, params.queue_entries, params.signature, params.drain) {}
  static StorageFields storage(const L1PrioritizedParams& params);

  // What waits in front of the cache: for its shell.
  bool enter(Access& access) override { return queues_.enter(access); }
  Cycle earliest() const override { return queues_.earliest(); }
  Access& take(Cycle now) override {
    Access& access = queues_.take(now);
    stats_.queue_turns = queues_.turns() - turns_before_;
    return access;
  }
  void put_back(Access& access) override { queues_.put_back(access); }
  const SignatureQueues& queues() const { return queues_; }

  L1Decision lookup(Access& access, Cycle now, bool room) override;
  const L1PrioritizedParams& params() const override { return params_; }
  L1PrioritizedStats& stats() override { return stats_; }
  void reset_stats() override {
    stats_ = {};
    turns_before_ = queues_.turns();
  }

 private:
  L1PrioritizedParams params_;
  L1PrioritizedStats stats_;
  SignatureQueues queues_;
  std::uint64_t turns_before_ = 0;
};

}  // namespace strata

#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/common/address_map.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "models/tlm/txn_pool.h"
#include "tb/support/block_checks.h"

namespace strata::tb {

/// One access that a scripted initiator makes.
struct Order {
  Cycle at;  ///< not before this cycle, and not before the accesses in front of it
  AccessClass access_class;
  Address line;
  std::uint8_t sectors = 0xf;
  bool bypass_l1 = false;
  std::uint16_t warp = 0;
  bool non_coherent = false;  ///< by the texture path
  AtomicLanes lanes = {};     ///< of an atomic
  bool reduces = false;
  bool local = false;  ///< of local memory
};

/// Sends its orders one after the other and notes when each was answered. Checks that every answer is OK and
/// that every ledger sums to its latency.
class ScriptedInitiator final : public Block {
 public:
  struct Answer {
    Cycle sent = never;
    Cycle at = never;
    Ledger ledger;
    bool at_once = false;
    int spare_words = 0;  ///< that the reply left out
  };
  /// `slowness`: answers are held back for up to so many cycles, at random; 0 = never.
  ScriptedInitiator(sc_core::sc_module_name name, ClockDomain& clock, std::vector<Order> orders,
                    unsigned slowness = 0, std::uint64_t seed = 1);
  void advance(Cycle now, int unit) override;
  Accept response(Txn& txn, int port, Cycle at) override;
  void request_unblocked(int port, Cycle at) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  int answered() const { return answered_; }

  InitiatorPort out{*this, "out", 0};
  TxnPool pool;
  std::vector<Answer> answers;

 private:
  void finish(Txn& txn, Cycle at);
  std::vector<Order> orders_;
  unsigned slowness_;
  std::mt19937_64 random_;
  std::size_t next_ = 0;
  Cycle free_ = 0;
  int answered_ = 0;
  NoStats stats_;
};

/// Replies every request `latency` cycles after its arrival, or up to `jitter` later; with jitter it also
/// holds requests back at random. One answer a cycle.
class DelayTarget final : public Block {
 public:
  struct Arrival {
    Cycle at;
    AccessClass access_class;
    Address line;
    std::uint8_t sectors;
    AtomicLanes lanes;  ///< of an atomic
    bool reduces;
  };
  DelayTarget(sc_core::sc_module_name name, ClockDomain& clock, Cycle latency, unsigned jitter = 0,
              std::uint64_t seed = 2);
  void advance(Cycle now, int unit) override;
  Accept request(Txn& txn, int port, Cycle at) override;
  void response_unblocked(int port, Cycle at) override;
  unsigned debug(tlm::tlm_generic_payload& payload, int port) override;
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in{*this, "in", 0};
  std::vector<Arrival> arrivals;

 private:
  void take(Txn& txn, Cycle at);
  Cycle latency_;
  unsigned jitter_;
  std::mt19937_64 random_;
  std::multimap<Cycle, Txn*> pending_;
  Cycle free_ = 0;
  NoStats stats_;
};

}  // namespace strata::tb

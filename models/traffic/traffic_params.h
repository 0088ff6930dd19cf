#pragma once

#include "models/common/params.h"

namespace strata {

/// Where the sockets of a traffic generator lead.
enum class TrafficPlace : int {
  sm,  ///< in place of SMs: sockets `l1`, to L1s
  l1,  ///< in place of SMs and L1s: sockets `noc`, to a router stage
};

/// Which lines are accessed.
enum class TrafficPattern : int {
  uniform,  ///< any line of the footprint
  hot,      ///< a share of the accesses goes to a few lines at the start of the footprint
  stride,   ///< each port walks through the footprint
};

/// Parameters of `traffic_generator`.
struct TrafficParams final : ParamSet {
  TrafficPlace place = TrafficPlace::sm;
  int ports = 1;
  double load = 0.1;
  int accesses = 1000;
  int outstanding = 64;
  double loads = 0.8;
  double read_only = 0.0;
  TrafficPattern pattern = TrafficPattern::uniform;
  Bytes footprint{4 * MiB};
  int hot_lines = 64;
  double hot_share = 0.5;
  Bytes stride{128};
  Bytes line{128};
  int seed = 1;
  bool check = false;
  double atomics = 0.0;
  double local = 0.0;
  bool overlap = true;

  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;
};

}  // namespace strata

#pragma once

#include <string_view>

#include "models/common/params.h"
#include "models/common/units.h"

namespace strata::traces {

/// Parameters of a synthetic stream. One warp executes `loads` memory instructions in groups of `in_flight`:
/// the group is issued back to back, then each of its loads is followed by `alu` instructions, the first of
/// which reads the loaded register.
struct SyntheticParams final : ParamSet {
  enum class Pattern : int { streaming, strided, random, hot_set, chase };
  Pattern pattern = Pattern::streaming;
  int kernels = 1;
  int ctas = 160;  ///< per kernel
  int warps = 8;   ///< per CTA
  int loads = 64;  ///< memory instructions per warp, stores and atomics included
  int alu = 1;     ///< ALU instructions per memory instruction
  int in_flight = 4;
  double stores = 0;   ///< share of the memory instructions that are stores
  double atomics = 0;  ///< share that are atomics
  double hits = 0;     ///< probability that a load repeats a line its warp used recently
  int reuse = 4;       ///< how many of the warp's last new lines a repeated load chooses from
  Bytes footprint{0};  ///< 0 = streaming and strided: every byte once; random and chase: 16 MiB
  Bytes stride{0};     ///< between lanes; 0 = strided: 128 B, others: 4 B
  double hot_fraction = 0.9;
  Bytes hot_size{64 * KiB};
  Bytes base{0x7f0000000000};
  bool read_only = false;  ///< loads of data that the kernel never stores to
  int registers = 32;      ///< per thread (occupancy)
  Bytes shared{0};         ///< shared memory per CTA (occupancy)
  int seed = 0;            ///< 0 = the seed of the run

  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;

  std::uint64_t lane_stride() const;  ///< `stride` with its default resolved
  std::uint64_t warp_bytes() const;   ///< distance of adjacent warp accesses: the lanes' span, in whole lines
  std::uint64_t cta_instructions() const;  ///< all warps of a CTA together; at most 2^20
  std::uint64_t footprint_bytes() const;   ///< `footprint` with its default resolved
  bool is_of_run_seed() const;             ///< true if the stream depends on the seed of the run
};

/// Seed of a stream whose spec has none, derived from the seed of the run: equal to it if it fits.
int synthetic_seed(std::uint64_t run_seed);

/// Parses `pattern:name=value,...`, e.g. `random:footprint=4MiB,loads=64,seed=3`. Throws ConfigError with
/// every fault.
SyntheticParams parse_synthetic(std::string_view spec);

/// The spec that gives the same parameters: pattern and all values that differ from the defaults.
std::string to_spec(const SyntheticParams& params);

}  // namespace strata::traces

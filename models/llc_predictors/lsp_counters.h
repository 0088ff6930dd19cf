#pragma once

#include <cstdint>
#include <vector>

#include "models/common/units.h"

namespace strata {

/// Counters behind one LSP figure.
struct LspParams {
  int slices = 64;           // private LSP by the paper's rule: memory controllers, counted at one SM-router
  int counter_bits = 16;     // both papers: 16 bits suffice
  std::uint64_t window = 0;  // cycles; 0 = the whole epoch is one window
};

/// LLC slice parallelism: accesses of all slices divided by those of the busiest one, from saturating
/// counters. With windows it is the sum of all windows' accesses divided by the sum of all windows' maxima:
/// the windows' LSPs weighted by the time that their busiest slice needs.
class LspCounters {
 public:
  explicit LspCounters(const LspParams& params);

  /// `now` may go backwards: an access older than the window counts in it.
  void count(int slice, Cycle now) {
    if (now >= window_end_) close_window(now);
    std::uint32_t& counter = counters_[static_cast<std::size_t>(slice)];
    if (counter == limit_) return;
    ++sum_;
    if (++counter > maximum_) maximum_ = counter;
  }
  /// Between 1 and the number of slices; 0 without accesses.
  double lsp() const;
  std::uint64_t accesses() const { return closed_sum_ + sum_; }
  /// Sum of the windows' maxima: accesses of the busiest slices.
  std::uint64_t busiest() const { return closed_maximum_ + maximum_; }
  std::uint32_t counter(int slice) const { return counters_[static_cast<std::size_t>(slice)]; }
  bool saturated() const { return maximum_ == limit_; }
  /// A new epoch begins.
  void reset(Cycle now);
  /// The counters, and with windows two 32-bit accumulators.
  std::uint64_t storage_bits() const;
  const LspParams& params() const { return params_; }

 private:
  void close_window(Cycle now);

  LspParams params_;
  std::uint32_t limit_;
  Cycle window_end_;
  std::uint64_t sum_ = 0;  // of the counters of the open window
  std::uint32_t maximum_ = 0;
  std::uint64_t closed_sum_ = 0;
  std::uint64_t closed_maximum_ = 0;
  std::vector<std::uint32_t> counters_;
};

/// LSP of the private organization over all slices, from the LSP over memory controllers that one cluster's
/// SM-router saw. D: clusters use disjoint slices, so theirs add up.
inline double private_lsp(const LspCounters& at_first_router, int clusters) {
  return at_first_router.lsp() * clusters;
}

}  // namespace strata

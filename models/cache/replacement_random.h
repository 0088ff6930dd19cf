#pragma once

#include "models/cache/replacement.h"
#include "models/common/random_stream.h"

namespace strata {

/// Any way may be the victim. Each fill of a set draws the number that its next victim follows from.
class ReplacementRandom final : public Replacement {
 public:
  explicit ReplacementRandom(const ReplacementShape& shape) {
    RandomStream seeds(shape.seed);
    for (std::uint64_t set = 0; set < shape.sets; ++set) draws_.emplace_back(seeds.next());
  }

  static std::uint64_t bits(int) { return 0; }  // a generator for all sets

  void hit(std::uint32_t, int, const ReplacementContext&) override {}
  void fill(std::uint32_t set, int, const ReplacementContext&) override { draws_[set].skip(); }
  int victim(std::uint32_t set, WayMask candidates) const override {
    RandomStream draw = draws_[set];
    for (auto passed = draw.below(static_cast<std::uint64_t>(__builtin_popcountll(candidates))); passed > 0;
         --passed)
      candidates &= candidates - 1;
    return __builtin_ctzll(candidates);
  }

 private:
  std::vector<RandomStream> draws_;
};

}  // namespace strata

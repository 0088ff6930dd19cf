#include "models/l1/l1_duel.h"

#include "models/common/random_stream.h"

namespace strata {

L1Duel::L1Duel(std::uint64_t sets, int samplers, int aging, std::uint64_t seed)
    : sets_(sets, Sampler::none), aging_(static_cast<std::uint32_t>(aging)) {
  RandomStream draw(seed);
  for (int left = 2 * samplers; left > 0;) {
    Sampler& drawn = sets_[draw.below(sets)];
    if (drawn != Sampler::none) continue;
    drawn = left > samplers ? Sampler::fine : Sampler::coarse;
    --left;
  }
}

void L1Duel::missed(Sampler sampler, int packets) {
  Counts& counts = sampler == Sampler::fine ? fine_ : large_;
  ++counts.misses;
  if (packets != 0) counts.packets += 1 + static_cast<std::uint32_t>(packets);
  if (counts.misses > aging_)
    for (Counts* aged : {&fine_, &large_}) *aged = {aged->misses / 2, aged->packets / 2};
  const auto cost = [](const Counts& c) { return std::uint64_t{c.misses} * c.packets; };
  const bool coarse = cost(large_) < cost(fine_);
  if (coarse != coarse_) ++switches_;
  coarse_ = coarse;
}

}  // namespace strata

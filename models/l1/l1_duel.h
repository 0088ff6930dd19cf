#pragma once

#include <cstdint>
#include <vector>

namespace strata {

/// Which way of storing suits a program: some sets of one L1 always keep what is asked for (fine), some
/// always whole lines (coarse), and all other sets of all L1s do as those for which misses x packets is less
/// (ICS 2016, section 3.5). A request for n sectors makes 1 + n packets; smaller ones than 32 B share them.
class L1Duel {
 public:
  enum class Sampler : std::uint8_t { none, fine, coarse };

  /// `samplers`: sets of each kind, drawn from the seed. `aging`: all counts are halved when one of misses is
  /// above it.
  L1Duel(std::uint64_t sets, int samplers, int aging, std::uint64_t seed);

  Sampler sampler(std::uint32_t set) const { return sets_[set]; }
  /// Once for each miss of a sampler set; `packets`: with what it asks for, 0: it sends nothing.
  void missed(Sampler sampler, int packets);
  bool coarse() const { return coarse_; }
  std::uint64_t switches() const { return switches_; }

  struct Counts {
    std::uint32_t misses = 0;
    std::uint32_t packets = 0;
  };
  const Counts& counts(Sampler sampler) const { return sampler == Sampler::fine ? fine_ : large_; }

 private:
  std::vector<Sampler> sets_;
  std::uint32_t aging_;
  Counts fine_, large_;
  bool coarse_ = false;
  std::uint64_t switches_ = 0;
};

}  // namespace strata

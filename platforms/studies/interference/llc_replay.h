#pragma once

#include <deque>
#include <vector>

#include "models/common/access_watch_if.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/studies/interference/contention_shares.h"

namespace strata::platforms {

/// A lookup of an LLC slice.
struct LlcRequest {
  Address line = 0;
  std::uint16_t slice = 0;
  std::uint8_t application = 0;
  std::uint8_t sectors = 0;
  AccessClass access_class = AccessClass::load;
};

/// Records the lookups of all slices, in the order of their decisions.
class LlcStream {
 public:
  /// Throws ConfigError if no slice of the platform can be watched. At most `limit` lookups are recorded.
  LlcStream(const Platform& platform, std::uint64_t limit);

  const std::vector<LlcRequest>& requests() const { return requests_; }
  bool full() const { return requests_.size() >= limit_; }
  /// Stops recording.
  void stop() { stopped_ = true; }

 private:
  struct Watch final : AccessWatchIf {
    Watch(LlcStream& its, std::size_t number) : stream(its), slice(static_cast<std::uint16_t>(number)) {}
    void seen(const Access& access, Cycle) override;
    LlcStream& stream;
    std::uint16_t slice;
  };

  std::uint64_t limit_;
  bool stopped_ = false;
  std::deque<Watch> watches_;
  std::vector<LlcRequest> requests_;
};

/// Misses of each application if only some of them use the LLC: replays their requests from a recorded
/// stream, in order, in slices like those of the platform, with fills that take no time.
std::vector<std::uint64_t> replayed_misses(const std::vector<LlcRequest>& stream, const Platform& platform,
                                           ApplicationSet who);

/// Shapley values: the misses of each of `count` applications that are due to each, from the misses of every
/// subset. Misses of an application alone are its own. `misses_of(set)`: by application.
template <class MissesOf>
Shares shapley_values(int count, int victim, MissesOf misses_of) {
  Shares values(static_cast<std::size_t>(count));
  const int contenders = count - 1;
  const auto misses = [&](ApplicationSet who) {
    return static_cast<double>(misses_of(who | only_application(victim))[static_cast<std::size_t>(victim)]);
  };
  values[static_cast<std::size_t>(victim)] = misses(0);
  for (int a = 0; a < count; ++a) {
    if (a == victim) continue;
    const ApplicationSet both = only_application(a) | only_application(victim);
    for (ApplicationSet before = 0; before < only_application(count); ++before) {
      if ((before & both) != 0) continue;
      const int size = __builtin_popcount(before);
      double orders =
          1.0 / contenders;  // share of orders in which exactly these come before: s! (n-1-s)! / n!
      for (int i = 1; i <= size; ++i) orders *= static_cast<double>(i) / (contenders - i);
      values[static_cast<std::size_t>(a)] += orders * (misses(before | only_application(a)) - misses(before));
    }
  }
  return values;
}

}  // namespace strata::platforms

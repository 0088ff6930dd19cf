#include "platforms/report/contention_table.h"

#include "models/contention_tracker/contention_tracker.h"

namespace strata::platforms {

std::string contention_csv(const Platform& platform) {
  std::string text;
  for (const PlatformInstance& instance : platform.of_role(Role::observer)) {
    const auto* tracker = dynamic_cast<const ContentionTracker*>(instance.block);
    if (tracker == nullptr) continue;
    const ContentionCounters& counters = tracker->counters();
    if (text.empty()) text = "tracker,victim,aggressor,demotions,evictions,victim_misses\n";
    for (int v = 0; v < counters.kernels(); ++v)
      for (int a = 0; a < counters.kernels(); ++a) {
        const std::uint64_t demotions = counters.demotions(v, a), evictions = counters.evictions(v, a);
        if (demotions == 0 && evictions == 0) continue;
        for (const std::string& cell : {instance.full_name(), std::to_string(v), std::to_string(a),
                                        std::to_string(demotions), std::to_string(evictions)})
          text += cell + ",";
        text += std::to_string(counters.misses(v)) + "\n";
      }
  }
  return text;
}

}  // namespace strata::platforms

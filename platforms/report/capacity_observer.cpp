#include "platforms/report/capacity_observer.h"

#include <algorithm>

#include "platforms/engine/netlist/param_table.h"

namespace strata::platforms {
namespace {

std::vector<SummaryRow> figures_of(std::uint64_t misses, std::uint64_t spared) {
  return {
      observed("l1_seen_misses", "accesses", "loads that missed in L1s or bypassed their tags", misses),
      observed("l1_spared_misses", "accesses",
               "of these: loads of lines that an LRU cache of twice as many sets would have kept, and one "
               "of as many would not",
               spared)};
}

}  // namespace

bool LruLines::use(std::uint64_t number) {
  std::vector<std::uint64_t>& set = sets_[index_(number)];
  const auto at = std::find(set.begin(), set.end(), number);
  const bool there = at != set.end();
  if (there)
    std::rotate(set.begin(), at, at + 1);
  else
    set.insert(set.begin(), number);
  if (set.size() > ways_) set.pop_back();
  return there;
}

void LruLines::clear() {
  for (std::vector<std::uint64_t>& set : sets_) set.clear();
}

CapacityObserver::CapacityObserver(const Platform& platform) {
  for (const PlatformInstance& instance : platform.of_role(Role::l1)) {
    auto* const watched = dynamic_cast<WatchedAccesses*>(instance.block);
    if (watched == nullptr) continue;
    for (const ResolvedGroup& group : platform.netlist().groups) {
      if (group.name != instance.name) continue;
      const ParamValues values(*group.members[static_cast<std::size_t>(instance.index)].params);
      if (const auto shape = cache_shape(values, 0))
        watched->watch_accesses(
            &watches_.emplace_back(shape->line, shape->sets, static_cast<std::size_t>(shape->ways),
                                   shape->set_index.value_or(SetIndex::Kind::plain), shape->shared));
    }
  }
}

std::vector<SummaryRow> CapacityObserver::figures() {
  std::uint64_t misses = 0, spared = 0;
  for (const Watch& watch : watches_) misses += watch.misses, spared += watch.spared;
  return figures_of(misses, spared);
}

double CapacityObserver::spared() const {
  double spared = 0;
  for (const Watch& watch : watches_) spared += static_cast<double>(watch.spared);
  return spared;
}

std::vector<SummaryRow> describe_capacity() {
  return figures_of(0, 0);
}

}  // namespace strata::platforms

// The line that has been in its set longest is evicted.
#include "models/cache/replacement.h"

#include <algorithm>

#include "platforms/engine/plugins/plugin.h"

namespace {

using strata::WayMask;

class MyPlugin final : public strata::Replacement {
 public:
  explicit MyPlugin(const strata::ReplacementShape& shape)
      : ways_(static_cast<std::size_t>(shape.ways)), filled_(shape.sets * ways_) {}
  void hit(std::uint32_t, int, const strata::ReplacementContext&) override {}
  void fill(std::uint32_t set, int way, const strata::ReplacementContext&) override {
    filled_[place(set, way)] = ++fills_;
  }
  int victim(std::uint32_t set, WayMask candidates) const override {
    int oldest = __builtin_ctzll(candidates);
    for (WayMask left = candidates; left != 0; left &= left - 1) {
      const int way = __builtin_ctzll(left);
      if (filled_[place(set, way)] < filled_[place(set, oldest)]) oldest = way;
    }
    return oldest;
  }

 private:
  std::size_t place(std::uint32_t set, int way) const { return set * ways_ + static_cast<std::size_t>(way); }
  std::size_t ways_;
  std::vector<std::uint64_t> filled_;  // by way: which fill of the cache it was
  std::uint64_t fills_ = 0;
};

std::unique_ptr<strata::Replacement> make(const strata::ReplacementShape& shape) {
  return std::make_unique<MyPlugin>(shape);
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::ReplacementPolicy{"my_plugin", "the one filled first", make, [](int ways) {
                                       return std::uint64_t{32} * static_cast<unsigned>(ways);
                                     }});
}

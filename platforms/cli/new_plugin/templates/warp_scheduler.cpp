// The warp that has issued fewest instructions goes first, so that warps stay together.
#include <array>

#include "models/sm_cluster/warp_order.h"
#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::WarpOrder {
 public:
  int pick(const strata::ReadyWarps& ready) override {
    int least = ready.oldest();
    for (int age = least; age < 64; ++age)
      if (ready.has(age) && of(ready.slot(age)) < of(ready.slot(least))) least = age;
    return least;
  }
  void issued(int slot) override { ++of(slot); }
  void began(int slot) override { of(slot) = 0; }

 private:
  std::uint64_t& of(int slot) { return issued_[static_cast<std::size_t>(slot)]; }
  std::array<std::uint64_t, 64> issued_{};  // by warp slot
};

std::unique_ptr<strata::WarpOrder> make(const strata::SmClusterParams&) {
  return std::make_unique<MyPlugin>();
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::WarpOrderRow{"my_plugin", "the one that has issued fewest instructions", make});
}

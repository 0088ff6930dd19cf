// The first SM with room gets the next CTA, so that the last SMs stay empty.
#include "models/cta_dispatcher/cta_placement.h"

#include "platforms/engine/plugins/plugin.h"

namespace {

class MyPlugin final : public strata::CtaPlacement {
 public:
  void begin(std::uint64_t ctas, const std::vector<int>&) override {
    next_ = 0;
    end_ = ctas;
  }
  bool next(const strata::PlacementView& view, std::uint64_t& cta, strata::SmPlace& place) override {
    if (next_ == end_) return false;
    for (int cluster = 0; cluster < static_cast<int>(view.sms.size()); ++cluster)
      for (int sm = 0; sm < view.sms[static_cast<std::size_t>(cluster)]; ++sm) {
        place = {cluster, sm};
        if (view.room(place) == 0) continue;
        cta = next_++;
        return true;
      }
    return false;
  }

 private:
  std::uint64_t next_ = 0, end_ = 0;
};

std::unique_ptr<strata::CtaPlacement> make(const strata::CtaDispatcherParams&, strata::PlacementTurn&) {
  return std::make_unique<MyPlugin>();
}

}  // namespace

STRATA_PLUGIN(rows) {
  rows.add(strata::CtaPlacementRow{"my_plugin", "the first with room", make});
}

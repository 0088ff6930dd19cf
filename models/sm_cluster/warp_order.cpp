#include "models/sm_cluster/warp_order.h"

namespace strata {
namespace {

/// WarpScheduler calls the functions of gto and lrr itself: they are asked in every cycle.
template <int (*function)(const ReadyWarps&)>
struct PlainOrder final : WarpOrder {
  int pick(const ReadyWarps& ready) override { return function(ready); }
  static std::unique_ptr<WarpOrder> make(const SmClusterParams&) { return std::make_unique<PlainOrder>(); }
};

}  // namespace

// In the order of WarpPolicy.
PolicyTable<WarpOrderRow>& WarpOrderRow::table() {
  static PolicyTable<WarpOrderRow> rows = {
      {"gto", "the last one while it is ready, then the oldest", PlainOrder<pick_gto>::make},
      {"lrr", "the next one by age behind the last", PlainOrder<pick_lrr>::make},
  };
  return rows;
}

}  // namespace strata

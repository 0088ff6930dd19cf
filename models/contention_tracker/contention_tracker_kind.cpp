// The row of `contention_tracker` in the table of modules.
#include "models/contention_tracker/contention_tracker.h"

namespace strata {

const ModuleKind& contention_tracker_kind() {
  static const ModuleKind kind = [] {
    ModuleKind row = module_kind<ContentionTrackerParams, ContentionTrackerStats, ContentionTracker>(
        "contention_tracker",
        "Counts the misses that applications cause each other in the LLC: evictions (PLOB) and demotions "
        "(GDC) by victim and aggressor",
        Role::observer, "core", [](const ParamSet&) -> std::vector<PortSpec> {
          return {{"slice", PortRole::control_in, 1, true, "LineUsePortIf", "LLC slices, any number of them"},
                  {"registers", PortRole::target, 1, true, "registers",
                   "register window, for initiators of users' benches"}};
        });
    row.untimed = true;
    return row;
  }();
  return kind;
}

}  // namespace strata

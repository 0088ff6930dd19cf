// `llc_slice` once more: the file of its row, compiled with other names for its classes, gives the same
// sockets.
#include "models/llc_slice/llc_slice.h"
#include "platforms/engine/plugins/plugin.h"

namespace strata {
const ModuleKind& llc_slice_kind();  // of the program
}

STRATA_PLUGIN(rows) {
  using namespace strata;
  rows.add(module_kind<LlcSliceParams, LlcSliceStats, LlcSlice, true>(
      "copy_slice", "llc_slice once more", Role::llc, "core",
      [](const ParamSet& params) { return llc_slice_kind().ports(params); }));
}

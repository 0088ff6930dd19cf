// One fault each, by the macro that CMakeLists.txt defines.
#include <stdexcept>

#include "models/l1/l1_kind.h"
#include "models/l1/l1_private.h"
#include "platforms/engine/plugins/plugin.h"

namespace {

[[maybe_unused]] strata::ModuleKind l1(const char* name) {
  return strata::l1_kind<strata::L1Private>(name, "an L1");
}

}  // namespace

STRATA_PLUGIN(rows) {
#if defined(FAULT_no_hook)
  strata::ModuleKind kind = l1("no_hook_l1");
  kind.make = nullptr;
  rows.add(kind);
#elif defined(FAULT_name_of_ours)
  rows.add(l1("l1_private"));
#elif defined(FAULT_twice)
  rows.add(l1("one"));
  rows.add(l1("one"));
#elif defined(FAULT_bad_name)
  rows.add(l1("my l1"));
#elif defined(FAULT_throws)
  throw std::runtime_error("no licence found");
#else
  (void)rows;
#endif
}

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

void vector_add(HostData& data) {
  const auto a = data.f32("a"), b = data.f32("b", a.size()), c = data.f32("c");
  for (std::size_t i = 0; i < c.size(); ++i) c[i] = a[i] + b[i];
}

}  // namespace strata::traces::references

#include "traces/workloads/references/all.h"

namespace strata::traces::references {

// One histogram a CTA: word i belongs to CTA (i / 256) mod CTAs.
void histogram(HostData& data) {
  const std::int64_t ctas = data.value("ctas");
  const auto words = data.u32("data"), partial = data.u32("partial", ctas * 256);
  for (std::uint32_t& count : partial) count = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint32_t* const bins = partial.data() + i / 256 % static_cast<std::size_t>(ctas) * 256;
    for (int byte = 0; byte < 4; ++byte) ++bins[words[i] >> (8 * byte) & 255];
  }
}

}  // namespace strata::traces::references

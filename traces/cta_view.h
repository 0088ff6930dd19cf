#pragma once

#include <vector>

#include "models/common/instruction_source.h"

namespace strata::traces {

/// What a thread block executed, where it lies: valid until that changes.
struct CtaView {
  struct Warp {
    const WarpInstruction* begin = nullptr;
    const WarpInstruction* end = nullptr;
    std::size_t size() const { return static_cast<std::size_t>(end - begin); }
  };
  std::uint64_t index = 0;
  std::vector<Warp> warps;
  const Address* addresses = nullptr;  ///< pool of AddressKind::list

  CtaView() = default;
  explicit CtaView(const CtaTrace& cta) : index(cta.index), addresses(cta.addresses.data()) {
    warps.reserve(cta.warps());
    for (std::size_t w = 0; w < cta.warps(); ++w)
      warps.push_back(
          {cta.instructions.data() + cta.warp_begin[w], cta.instructions.data() + cta.warp_begin[w + 1]});
  }
  std::uint64_t instructions() const {
    std::uint64_t all = 0;
    for (const Warp& warp : warps) all += warp.size();
    return all;
  }
};

}  // namespace strata::traces

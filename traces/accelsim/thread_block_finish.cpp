#include "traces/accelsim/thread_block_finish.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "models/common/coalesce.h"
#include "traces/accelsim/mbarriers.h"
#include "traces/local_memory.h"

namespace strata::traces {
namespace {

/// Calls visit(warp, instruction) for every instruction.
template <class Cta, class Visit>
void for_each_instruction(Cta& cta, Visit visit) {
  for (std::uint32_t warp = 0; warp < cta.warps(); ++warp)
    for (std::uint32_t i = cta.warp_begin[warp]; i < cta.warp_begin[warp + 1]; ++i)
      visit(warp, cta.instructions[i]);
}

bool is_barrier(const WarpInstruction& instruction) {
  return instruction.sync == Sync::barrier_sync || instruction.sync == Sync::barrier_arrive;
}

}  // namespace

std::uint64_t ThreadBlockFinish::finish(CtaTrace& cta) const {
  resolve_barriers(cta);
  const std::uint64_t elsewhere = resolve_mbarriers(cta, header_);
  place_local(cta);
  return elsewhere;
}

/// A barrier without a number of threads is of the warps that name it. Where the tracer has lost which
/// barrier it is, those with one number of threads are one barrier if a warp arrives there without waiting,
/// else consecutive warps belong together.
void ThreadBlockFinish::resolve_barriers(CtaTrace& cta) const {
  constexpr unsigned last_barrier = 15;
  const auto all = static_cast<unsigned>(cta.warps());
  std::array<std::uint32_t, last_barrier + 1> naming{};  // bit w: warp w
  struct Lost {
    std::uint32_t warps = 0;
    bool arrivals = false;
  };
  std::map<unsigned, Lost> lost;  // by the number of warps that meet
  for_each_instruction(cta, [&](std::uint32_t warp, const WarpInstruction& instruction) {
    if (!is_barrier(instruction)) return;
    if (instruction.stride != number_lost) {
      naming[barrier_of(instruction.operand)] |= 1U << warp;
      return;
    }
    Lost& of = lost[barrier_warps(instruction.operand)];
    of.warps |= 1U << warp;
    of.arrivals = of.arrivals || instruction.sync == Sync::barrier_arrive;
  });
  for_each_instruction(cta, [&](std::uint32_t warp, WarpInstruction& instruction) {
    if (!is_barrier(instruction)) return;
    unsigned barrier = barrier_of(instruction.operand), meet = barrier_warps(instruction.operand);
    if (instruction.stride == number_lost) {
      const auto kind = lost.find(meet);
      const auto before = static_cast<unsigned>(__builtin_popcount(kind->second.warps & ((1U << warp) - 1)));
      const auto kinds = static_cast<unsigned>(std::distance(lost.begin(), kind));
      barrier = last_barrier - (kinds + (kind->second.arrivals ? 0 : before / meet)) % last_barrier;
      instruction.stride = 0;
    } else if (meet == 0) {
      meet = barrier == 0 ? all : static_cast<unsigned>(__builtin_popcount(naming[barrier]));
    }
    const bool usual = barrier == 0 && meet == all && instruction.sync == Sync::barrier_sync;
    if (usual) instruction.sync = Sync::none;
    instruction.operand = usual ? std::uint16_t{0} : barrier_operand(barrier, meet);
  });
}

void ThreadBlockFinish::place_local(CtaTrace& cta) const {
  const LocalRows rows(header_.info.ctas(), header_.info.warps_per_cta());
  for_each_instruction(cta, [&](std::uint32_t warp, WarpInstruction& instruction) {
    if (!instruction.local || instruction.address_kind == AddressKind::none) return;
    instruction.operand = rows.warps();
    if (header_.local_is_interleaved) return;
    std::array<Address, 32> lanes;
    const int count = lane_addresses(instruction, cta, lanes);
    std::uint32_t left = instruction.active_mask;
    bool regular = true;
    for (int n = 0; n < count; ++n, left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      Address& address = lanes[static_cast<std::size_t>(n)];
      address = rows.address(cta.index, warp, lane, offset_of(address));
      if (n > 1) regular = regular && address - lanes[static_cast<std::size_t>(n) - 1] == lanes[1] - lanes[0];
    }
    const std::int64_t step = count > 1 ? static_cast<std::int64_t>(lanes[1] - lanes[0]) : 0;
    if (regular && step == static_cast<std::int32_t>(step)) {
      instruction.address_kind = AddressKind::stride;
      instruction.address = lanes[0];
      instruction.stride = static_cast<std::int32_t>(step);
      return;
    }
    if (instruction.address_kind != AddressKind::list) {
      instruction.address_kind = AddressKind::list;
      instruction.address = cta.addresses.size();
      instruction.stride = 0;
      cta.addresses.resize(cta.addresses.size() + static_cast<std::size_t>(count));
    }
    std::copy_n(lanes.begin(), count,
                cta.addresses.begin() + static_cast<std::ptrdiff_t>(instruction.address));
  });
}

}  // namespace strata::traces

#include "traces/accelsim/out/copy_groups.h"

#include <algorithm>

namespace strata::traces {
namespace {

constexpr std::uint32_t places = 16;  // PCs of an instruction

}  // namespace

void CopyGroups::begin() {
  under_way_.clear();
  groups_ = 0;
}

/// When all places are in use, the last one is taken again.
std::uint32_t CopyGroups::pc_of(std::uint32_t pc, Address first_address) {
  const auto is_under_way = [&](std::uint32_t written) {
    return std::any_of(under_way_.begin(), under_way_.end(),
                       [&](const Copy& copy) { return copy.pc == written && copy.address == first_address; });
  };
  const std::uint32_t last = pc + places - 1;
  while (pc != last && is_under_way(pc)) ++pc;
  under_way_.push_back({pc, groups_, first_address});
  return pc;
}

std::uint32_t CopyGroups::wait(std::uint32_t left) {
  left = std::min(left, groups_);
  const std::uint32_t ended = groups_ - left;
  under_way_.erase(std::remove_if(under_way_.begin(), under_way_.end(),
                                  [&](const Copy& copy) { return copy.group < ended; }),
                   under_way_.end());
  return left;
}

}  // namespace strata::traces

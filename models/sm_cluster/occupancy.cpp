#include "models/sm_cluster/occupancy.h"

#include <algorithm>

namespace strata {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t block) {
  return (value + block - 1) / block * block;
}

int fitting(std::int64_t free, std::int64_t need, int bound) {
  if (need <= 0) return bound;
  return static_cast<int>(std::min<std::int64_t>(free / need, bound));
}

}  // namespace

Occupancy::Cost Occupancy::cost(const KernelInfo& kernel) {
  const int warps = static_cast<int>(std::max(kernel.warps_per_cta(), 1U));
  const std::int64_t per_warp = round_up(std::int64_t{kernel.registers} * 32, registers_per_block);
  return {warps, per_warp * warps, round_up(kernel.shared_bytes, shared_bytes_per_block)};
}

int Occupancy::room(const KernelInfo& kernel) const {
  const Cost need = cost(kernel);
  int room = most_ctas_ - ctas_;
  room = fitting(most_warps_ - warps_, need.warps, room);
  room = fitting(most_registers_ - registers_, need.registers, room);
  return fitting(most_shared_ - shared_, need.shared_bytes, room);
}

int Occupancy::most(const KernelInfo& kernel, std::string* limiter) const {
  const Cost need = cost(kernel);
  int most = most_ctas_;
  std::string by = std::to_string(most_ctas_) + " CTA slots";
  const auto limit = [&](std::int64_t have, std::int64_t wanted, const char* what) {
    const int fit = fitting(have, wanted, most);
    if (fit < most) {
      most = fit;
      by = std::to_string(wanted) + " " + what + " a CTA of " + std::to_string(have);
    }
  };
  limit(most_warps_, need.warps, threads_limit_ ? "warps (limit: threads)" : "warps");
  limit(most_registers_, need.registers, "registers");
  limit(most_shared_, need.shared_bytes, "bytes of shared memory");
  if (limiter != nullptr) *limiter = by;
  return most;
}

void Occupancy::take(const Cost& cost) {
  ++ctas_;
  warps_ += cost.warps;
  registers_ += cost.registers;
  shared_ += cost.shared_bytes;
}

void Occupancy::give_back(const Cost& cost) {
  --ctas_;
  warps_ -= cost.warps;
  registers_ -= cost.registers;
  shared_ -= cost.shared_bytes;
}

}  // namespace strata

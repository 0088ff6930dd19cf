#include "traces/cuda/device/conditions.h"

namespace strata::cuda {

std::uint64_t Conditions::make(std::uint32_t initial, bool assigned) {
  all_.push_back({0, initial, assigned});
  return all_.size();
}

bool Conditions::set(std::uint64_t handle, std::uint32_t value) {
  if (handle == 0 || handle > all_.size()) return false;
  all_[handle - 1].value = value;
  return true;
}

const std::uint32_t* Conditions::value(std::uint64_t handle) const {
  return handle == 0 || handle > all_.size() ? nullptr : &all_[handle - 1].value;
}

void Conditions::begin(const std::vector<std::uint64_t>& handles) {
  for (const std::uint64_t handle : handles) {
    Condition& one = all_[handle - 1];
    if (one.assigned) one.value = one.initial;
  }
}

}  // namespace strata::cuda

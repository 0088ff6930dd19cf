#pragma once

#include <cstdint>
#include <vector>

namespace strata::cuda {

/// The values that kernels set for conditional nodes of graphs, by their handles.
class Conditions {
 public:
  /// `initial`: what it is at the beginning of each launch when `assigned`. The handle is never 0.
  std::uint64_t make(std::uint32_t initial, bool assigned);
  /// False, as below nullptr: there is no such handle.
  bool set(std::uint64_t handle, std::uint32_t value);
  const std::uint32_t* value(std::uint64_t handle) const;
  /// A graph that has these is launched.
  void begin(const std::vector<std::uint64_t>& handles);

 private:
  struct Condition {
    std::uint32_t value = 0, initial = 0;
    bool assigned = false;
  };
  std::vector<Condition> all_;
};

}  // namespace strata::cuda

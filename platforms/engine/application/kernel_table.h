#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "traces/cuda/channel.h"

namespace strata::platforms {

/// Figures of the kernels of an application, one row per name.
class KernelTable {
 public:
  void launch(const std::string& name);
  /// Adds thread blocks of the last launch, if it is recorded.
  void add(const cuda::CtasMessage& ctas);
  void ended(const cuda::LaunchEnded& counts);
  std::uint64_t launches() const { return launches_; }
  std::uint64_t thread_instructions() const { return thread_instructions_; }
  double seconds() const { return seconds_; }
  std::string text() const;

 private:
  struct Row {
    std::string name;
    std::uint64_t launches = 0, warp_instructions = 0, thread_instructions = 0;
    bool recorded = false;                              ///< some of its thread blocks are recorded:
    std::uint64_t accesses = 0, lines = 0, shared = 0;  ///< of the recorded blocks
    double seconds = 0;
  };
  std::vector<Row> rows_;
  std::map<std::string, std::size_t> by_name_;
  std::size_t last_ = 0;
  std::uint64_t launches_ = 0, thread_instructions_ = 0;
  double seconds_ = 0;
};

}  // namespace strata::platforms

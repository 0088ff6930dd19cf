#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/common/instruction_source.h"

namespace strata {

/// Which kernels of a program may begin. The launches of one stream run in order, the default stream and
/// blocking streams wait for each other (models/common/streams.h), and a kernel waits for those in
/// KernelInfo::after. Free of SystemC.
class StreamOrder {
 public:
  /// `kernels` must outlive it. Throws TraceError, which names `source`, when a kernel waits for one that is
  /// not launched before it.
  StreamOrder(const std::vector<KernelInfo>& kernels, const std::string& source);
  static bool several_streams(const std::vector<KernelInfo>& kernels);

  /// A pass through the program begins: no kernel has begun.
  void restart();
  bool any_ready() const { return !ready_.empty(); }
  /// The kernel that begins next: the one of the highest priority among those that need not wait; among
  /// equals the one that was launched first.
  std::size_t take_ready();
  void ended(std::size_t kernel);
  std::size_t ended_count() const { return ended_count_; }
  bool all_ended() const { return ended_count_ == kernels_.size(); }
  /// The next kernel of its stream, if it waits for others, and the first kernel that it waits for.
  struct Waiting {
    std::size_t kernel, for_kernel;
  };
  std::vector<Waiting> waiting(std::size_t most) const;

 private:
  void add_edge(std::size_t before, std::size_t kernel);

  const std::vector<KernelInfo>& kernels_;
  struct Node {
    std::vector<std::uint32_t> before, behind;  // kernels that it waits for, and that wait for it
    std::int64_t in_stream = -1;                // of `before`: the one of its stream
    std::uint32_t left = 0;                     // of `before`: not ended yet
    bool ended = false;
  };
  std::vector<Node> nodes_;
  std::set<std::pair<std::int64_t, std::size_t>> ready_;  // by priority, highest first, then number
  std::size_t ended_count_ = 0;
};

}  // namespace strata

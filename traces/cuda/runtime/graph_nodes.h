#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "traces/cuda/device/streams.h"

namespace strata::cuda {

/// What a handle of a graph, a node or an executable graph stands for. Throws CallError.
template <class T>
T& at(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_value);
  return *static_cast<T*>(handle);
}

/// A graph that can be launched: a copy, which knows the nodes that it was made from.
struct Executable {
  std::unique_ptr<Graph> graph;
  std::vector<std::pair<const GraphNode*, GraphNode*>> copies;
  bool frees = false;  ///< before a launch what the one before has left
  GraphNode& node(const void* of) const {
    for (const auto& one : copies)
      if (one.first == of) return *one.second;
    throw CallError(invalid_value);
  }
};

/// What nodes of these parameters do.
std::function<void(Device&)> copy_of(const abi::Copy3D& what);
std::function<void(Device&)> copy_of(void* to, const void* from, std::size_t bytes);
std::function<void(Device&)> fill_of(const abi::MemsetNode& what);
std::function<void(Device&)> call_of(const abi::HostNode& what);
Launch launch_of(Device& device, const abi::KernelNode& node);

}  // namespace strata::cuda

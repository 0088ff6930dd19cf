// Nodes of graphs, one call for each kind, and the one for all kinds.
#include <cstring>

#include "traces/cuda/device/arrays.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/graph_nodes.h"
#include "traces/cuda/runtime/registry.h"
#include "traces/cuda/runtime/runtime_version.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

namespace strata::cuda {

Launch launch_of(Device& device, const abi::KernelNode& node) {
  if (node.extra != nullptr) throw CallError(not_supported);
  return device.prepare(function_of(node.function), node.grid, node.block, node.shared, node.values);
}

std::function<void(Device&)> copy_of(const abi::Copy3D& what) {
  return [what](Device& device) { copy_box(device, what); };
}
std::function<void(Device&)> copy_of(void* to, const void* from, std::size_t bytes) {
  return [=](Device& device) { device.copy(to, from, bytes); };
}
std::function<void(Device&)> fill_of(const abi::MemsetNode& what) {
  return [what](Device& device) {
    for (std::size_t row = 0; row < what.height; ++row)
      device.fill(static_cast<char*>(what.to) + row * what.pitch, &what.value, what.element_bytes,
                  what.width);
  };
}
std::function<void(Device&)> call_of(const abi::HostNode& what) {
  return [what](Device&) { what.function(what.data); };
}

}  // namespace strata::cuda

namespace {

GraphNode behind(Handle const* before, std::size_t count) {
  GraphNode node;
  for (std::size_t i = 0; i < count; ++i) node.before.push_back(&at<GraphNode>(before[i]));
  return node;
}

void add_node(Handle* to, Handle graph, Handle const* before, std::size_t count, GraphNode node) {
  node.before = behind(before, count).before;
  *to = &at<Graph>(graph).add(std::move(node));
}
template <class Does>
int add(Handle* to, Handle graph, Handle const* before, std::size_t count, GraphNode::Kind kind,
        Does&& does) {
  return call([&](Device&) {
    GraphNode node;
    node.kind = kind;
    node.does = std::forward<Does>(does);
    add_node(to, graph, before, count, std::move(node));
  });
}

}  // namespace

STRATA_CUDA_CALL cudaGraphAddKernelNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::KernelNode* what) {
  return call([&](Device& device) {
    GraphNode node;
    node.kind = GraphNode::Kind::kernel;
    node.launch = std::make_shared<Launch>(launch_of(device, *what));
    add_node(to, graph, before, count, std::move(node));
  });
}
STRATA_CUDA_CALL cudaGraphAddMemcpyNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::Copy3D* what) {
  return add(to, graph, before, count, GraphNode::Kind::copy, copy_of(*what));
}
STRATA_CUDA_CALL cudaGraphAddMemcpyNode1D(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                          void* target, const void* source, std::size_t bytes, int) {
  return add(to, graph, before, count, GraphNode::Kind::copy, copy_of(target, source, bytes));
}
STRATA_CUDA_CALL cudaGraphAddMemsetNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::MemsetNode* what) {
  return add(to, graph, before, count, GraphNode::Kind::fill, fill_of(*what));
}
STRATA_CUDA_CALL cudaGraphAddHostNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                      const abi::HostNode* what) {
  return add(to, graph, before, count, GraphNode::Kind::host, call_of(*what));
}
STRATA_CUDA_CALL cudaGraphAddEmptyNode(Handle* to, Handle graph, Handle const* before, std::size_t count) {
  return add(to, graph, before, count, GraphNode::Kind::empty, [](Device&) {});
}
STRATA_CUDA_CALL cudaGraphAddChildGraphNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                            Handle child) {
  return call([&](Device&) {
    const std::shared_ptr<Graph> inner = at<Graph>(child).copy();
    GraphNode node;
    node.kind = GraphNode::Kind::graph;
    node.does = [inner](Device& d) { inner->run(d); };
    add_node(to, graph, before, count, std::move(node));
  });
}
STRATA_CUDA_CALL cudaGraphAddDependencies(Handle graph, Handle const* from, Handle const* to,
                                          std::size_t count) {
  return call([&](Device&) {
    at<Graph>(graph);
    for (std::size_t i = 0; i < count; ++i) at<GraphNode>(to[i]).before.push_back(&at<GraphNode>(from[i]));
  });
}

STRATA_CUDA_CALL cudaGraphAddMemAllocNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                          abi::MemoryNode* what) {
  return call([&](Device& device) {
    GraphNode& node = add_allocation(device, at<Graph>(graph), behind(before, count), what->bytes);
    what->at = reinterpret_cast<void*>(node.memory->address());
    *to = &node;
  });
}
STRATA_CUDA_CALL cudaGraphMemAllocNodeGetParams(Handle node, abi::MemoryNode* to) {
  return call([&](Device&) {
    const auto& memory = at<GraphNode>(node).memory;
    if (memory == nullptr) throw CallError(invalid_value);
    std::memset(to, 0, sizeof *to);
    const int pinned[] = {1, 0, 1, 0};  // cudaMemAllocationTypePinned, no handles, on device 0
    std::memcpy(to->pool, pinned, sizeof pinned);
    to->bytes = memory->bytes();
    to->at = reinterpret_cast<void*>(memory->address());
  });
}
STRATA_CUDA_CALL cudaGraphAddMemFreeNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                         void* what) {
  return call([&](Device&) {
    if (what == nullptr) throw CallError(invalid_value);
    *to = &add_release(at<Graph>(graph), behind(before, count), reinterpret_cast<Address>(what));
  });
}
/// cudaGraphMemAttributeType: 0 and 2 are the memory that graphs hold, 1 and 3 the most that it was.
STRATA_CUDA_CALL cudaDeviceGetGraphMemAttribute(int number, int attribute, std::uint64_t* value) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    if (attribute < 0 || attribute > 3) throw CallError(invalid_value);
    *value = attribute % 2 == 0 ? device.graph_pool().held() : device.graph_pool().most_held();
  });
}
/// The most can be forgotten, which is all that can be set.
STRATA_CUDA_CALL cudaDeviceSetGraphMemAttribute(int number, int attribute, const std::uint64_t* value) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    if ((attribute != 1 && attribute != 3) || *value != 0) throw CallError(invalid_value);
    device.graph_pool().forget_most();
  });
}
STRATA_CUDA_CALL cudaDeviceGraphMemTrim(int number) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    device.graph_pool().trim();
  });
}

STRATA_CUDA_CALL cudaGraphConditionalHandleCreate(std::uint64_t* handle, Handle graph, unsigned initial,
                                                  unsigned flags) {
  return call([&](Device& device) {
    if (flags > 1) throw CallError(invalid_value);
    *handle = device.conditions().make(initial, flags == 1);  // cudaGraphCondAssignDefault
    at<Graph>(graph).conditions.push_back(*handle);
  });
}

namespace {

void add_conditional(Device& device, Handle* to, Handle graph, GraphNode node, abi::ConditionNode& what) {
  const auto kind = static_cast<GraphNode::Condition>(what.kind);
  const bool known = kind == GraphNode::Condition::choice ? what.count > 0
                     : kind == GraphNode::Condition::once
                         ? what.count == 1 || what.count == 2
                         : kind == GraphNode::Condition::loop && what.count == 1;
  if (!known || device.conditions().value(what.handle) == nullptr) throw CallError(invalid_value);
  node.kind = GraphNode::Kind::conditional;
  node.condition = kind;
  node.handle = what.handle;
  for (unsigned i = 0; i < what.count; ++i) {
    node.bodies.push_back(std::make_shared<Graph>());
    node.body_handles.push_back(node.bodies.back().get());
  }
  GraphNode& made = at<Graph>(graph).add(std::move(node));
  what.bodies = made.body_handles.data();
  *to = &made;
}

int add_any(Handle* to, Handle graph, Handle const* before, std::size_t count, abi::NodeParameters* what) {
  switch (static_cast<GraphNode::Kind>(what->kind)) {
    case GraphNode::Kind::kernel:
      return cudaGraphAddKernelNode(to, graph, before, count, &what->kernel);
    case GraphNode::Kind::copy:
      return cudaGraphAddMemcpyNode(to, graph, before, count, &what->copy.all);
    case GraphNode::Kind::fill:
      return cudaGraphAddMemsetNode(to, graph, before, count, &what->fill);
    case GraphNode::Kind::host:
      return cudaGraphAddHostNode(to, graph, before, count, &what->host);
    case GraphNode::Kind::graph:
      return cudaGraphAddChildGraphNode(to, graph, before, count, what->graph);
    case GraphNode::Kind::empty:
      return cudaGraphAddEmptyNode(to, graph, before, count);
    case GraphNode::Kind::allocate:
      return cudaGraphAddMemAllocNode(to, graph, before, count, &what->allocate);
    case GraphNode::Kind::free:
      return cudaGraphAddMemFreeNode(to, graph, before, count, what->free);
    case GraphNode::Kind::conditional:
      return call([&](Device& device) {
        add_conditional(device, to, graph, behind(before, count), what->condition);
      });
  }
  return call([&](Device& device) {
    device.absent("cudaGraphAddNode of an event or a semaphore");
    throw CallError(not_supported);
  });
}

}  // namespace

STRATA_CUDA_CALL cudaGraphAddNode_v2(Handle* to, Handle graph, Handle const* before, const void*,
                                     std::size_t count, abi::NodeParameters* what) {
  return add_any(to, graph, before, count, what);
}
/// As _v2 since version 13; before, without the list of edges.
STRATA_CUDA_CALL cudaGraphAddNode(Handle* to, Handle graph, Handle const* before, void* third,
                                  std::uintptr_t fourth, abi::NodeParameters* what) {
  if (runtime_major >= 13) return add_any(to, graph, before, fourth, what);
  return add_any(to, graph, before, reinterpret_cast<std::size_t>(third),
                 reinterpret_cast<abi::NodeParameters*>(fourth));
}

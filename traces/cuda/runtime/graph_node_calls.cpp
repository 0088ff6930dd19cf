// Nodes of graphs, one call for each kind, and the one for all kinds.
#include "traces/cuda/device/arrays.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/graph_parameters.h"
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

}  // namespace strata::cuda

namespace {

template <class Does>
int add(Handle* to, Handle graph, Handle const* before, std::size_t count, GraphNode::Kind kind,
        Does&& does) {
  return call([&](Device&) { NodePlace{to, graph, before, count}.add(kind, std::forward<Does>(does)); });
}

}  // namespace

STRATA_CUDA_CALL cudaGraphAddKernelNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::KernelNode* what) {
  return call([&](Device& device) {
    NodePlace{to, graph, before, count}.add_launch(launch_of(device, *what));
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
  return call([&](Device&) { NodePlace{to, graph, before, count}.add_child(child); });
}
STRATA_CUDA_CALL cudaGraphAddDependencies(Handle graph, Handle const* from, Handle const* to,
                                          std::size_t count) {
  return call([&](Device&) { depend(graph, from, to, count); });
}

STRATA_CUDA_CALL cudaGraphAddMemAllocNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                          abi::MemoryNode* what) {
  return call([&](Device& device) { NodePlace{to, graph, before, count}.add_allocation(device, *what); });
}
STRATA_CUDA_CALL cudaGraphMemAllocNodeGetParams(Handle node, abi::MemoryNode* to) {
  return call([&](Device&) { *to = allocation_parameters(known<GraphNode>(node)); });
}
STRATA_CUDA_CALL cudaGraphAddMemFreeNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                         void* what) {
  return call([&](Device&) {
    NodePlace{to, graph, before, count}.add_release(reinterpret_cast<Address>(what));
  });
}
STRATA_CUDA_CALL cudaDeviceGetGraphMemAttribute(int number, int attribute, std::uint64_t* value) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    *value = graph_memory(device, attribute);
  });
}
STRATA_CUDA_CALL cudaDeviceSetGraphMemAttribute(int number, int attribute, const std::uint64_t* value) {
  return call([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    set_graph_memory(device, attribute, *value);
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
  return call([&](Device& device) { *handle = make_condition(device, graph, initial, flags); });
}

namespace {

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
    case GraphNode::Kind::wait_event:
    case GraphNode::Kind::record_event:
      return call([&](Device&) {
        NodePlace{to, graph, before, count}.add_event(what->event, static_cast<GraphNode::Kind>(what->kind));
      });
    case GraphNode::Kind::memory_operation:
      break;
    case GraphNode::Kind::conditional:
      return call([&](Device& device) {
        NodePlace{to, graph, before, count}.add_conditional(device, what->condition);
      });
  }
  return call([&](Device& device) {
    device.absent("cudaGraphAddNode of a semaphore or operations on memory");
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

STRATA_CUDA_CALL cudaGraphKernelNodeSetAttribute(Handle node, int number, const void* value) {
  return call([&](Device& device) { set_node_attribute(device, node, number, value); });
}
STRATA_CUDA_CALL cudaGraphKernelNodeGetAttribute(Handle node, int number, void* value) {
  return call([&](Device&) { get_node_attribute(node, number, value); });
}
STRATA_CUDA_CALL cudaGraphKernelNodeCopyAttributes(Handle to, Handle from) {
  return call([&](Device&) { copy_node_attributes(to, from); });
}

// What programs ask of nodes of graphs, and what they change of them.
#include <algorithm>

#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/graph_parameters.h"
#include "traces/cuda/runtime/registry.h"
#include "traces/cuda/runtime/runtime_version.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

STRATA_CUDA_CALL cudaGraphKernelNodeGetParams(Handle handle, abi::KernelNode* to) {
  return call([&](Device&) {
    auto& node = known<GraphNode>(handle);
    if (node.launch == nullptr) throw CallError(invalid_value);
    *to = launch_parameters(node, host_of(*node.launch->function));
  });
}
STRATA_CUDA_CALL cudaGraphKernelNodeSetParams(Handle node, const abi::KernelNode* what) {
  return call([&](Device& device) { change_launch(known<GraphNode>(node), launch_of(device, *what)); });
}
STRATA_CUDA_CALL cudaGraphExecKernelNodeSetParams(Handle graph, Handle node, const abi::KernelNode* what) {
  return call(
      [&](Device& device) { change_launch(known<Executable>(graph).node(node), launch_of(device, *what)); });
}
STRATA_CUDA_CALL cudaGraphMemcpyNodeSetParams(Handle node, const abi::Copy3D* what) {
  return call([&](Device&) { change(known<GraphNode>(node), GraphNode::Kind::copy, copy_of(*what)); });
}
STRATA_CUDA_CALL cudaGraphExecMemcpyNodeSetParams(Handle graph, Handle node, const abi::Copy3D* what) {
  return call(
      [&](Device&) { change(known<Executable>(graph).node(node), GraphNode::Kind::copy, copy_of(*what)); });
}
STRATA_CUDA_CALL cudaGraphMemcpyNodeSetParams1D(Handle node, void* to, const void* from, std::size_t bytes,
                                                int) {
  return call(
      [&](Device&) { change(known<GraphNode>(node), GraphNode::Kind::copy, copy_of(to, from, bytes)); });
}
STRATA_CUDA_CALL cudaGraphExecMemcpyNodeSetParams1D(Handle graph, Handle node, void* to, const void* from,
                                                    std::size_t bytes, int) {
  return call([&](Device&) {
    change(known<Executable>(graph).node(node), GraphNode::Kind::copy, copy_of(to, from, bytes));
  });
}
STRATA_CUDA_CALL cudaGraphMemsetNodeSetParams(Handle node, const abi::MemsetNode* what) {
  return call([&](Device&) { change(known<GraphNode>(node), GraphNode::Kind::fill, fill_of(*what)); });
}
STRATA_CUDA_CALL cudaGraphExecMemsetNodeSetParams(Handle graph, Handle node, const abi::MemsetNode* what) {
  return call(
      [&](Device&) { change(known<Executable>(graph).node(node), GraphNode::Kind::fill, fill_of(*what)); });
}
STRATA_CUDA_CALL cudaGraphHostNodeSetParams(Handle node, const abi::HostNode* what) {
  return call([&](Device&) { change(known<GraphNode>(node), GraphNode::Kind::host, call_of(*what)); });
}
STRATA_CUDA_CALL cudaGraphExecHostNodeSetParams(Handle graph, Handle node, const abi::HostNode* what) {
  return call(
      [&](Device&) { change(known<Executable>(graph).node(node), GraphNode::Kind::host, call_of(*what)); });
}

STRATA_CUDA_CALL cudaGraphNodeSetEnabled(Handle graph, Handle node, unsigned enabled) {
  return call([&](Device&) { known<Executable>(graph).node(node).enabled = enabled != 0; });
}
STRATA_CUDA_CALL cudaGraphNodeGetEnabled(Handle graph, Handle node, unsigned* enabled) {
  return call([&](Device&) { *enabled = known<Executable>(graph).node(node).enabled ? 1 : 0; });
}
STRATA_CUDA_CALL cudaGraphGetRootNodes(Handle graph, Handle* to, std::size_t* count) {
  return call([&](Device&) { list(nodes_of(known<Graph>(graph), true), to, count); });
}
/// Since version 13 with what is said of the edges, which is nothing, in front of the count.
STRATA_CUDA_CALL cudaGraphNodeGetDependencies(Handle node, Handle* to, void* third, std::size_t* fourth) {
  return call([&](Device&) {
    list(known<GraphNode>(node).before, to, runtime_major >= 13 ? fourth : static_cast<std::size_t*>(third));
  });
}

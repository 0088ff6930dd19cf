// Graphs: operations of streams, from a capture or added node by node, launched any number of times.
#include <algorithm>

#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/device/textures.h"
#include "traces/cuda/runtime/call.h"

using namespace strata;
using namespace strata::cuda;

using abi::Handle;

STRATA_CUDA_CALL cudaStreamBeginCapture(Handle handle, int) {
  return call([&](Device&) { begin_capture(handle); });
}
STRATA_CUDA_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture)
STRATA_CUDA_CALL cudaStreamEndCapture(Handle handle, Handle* to) {
  return call([&](Device&) {
    const Handle made = take_capture(handle);
    if (to != nullptr) *to = made;
  });
}
STRATA_CUDA_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture)
STRATA_CUDA_CALL cudaStreamBeginCaptureToGraph(Handle handle, Handle graph, Handle const*, const void*,
                                               std::size_t, int) {
  return call([&](Device&) { begin_capture(handle, &known<Graph>(graph)); });
}
STRATA_CUDA_ALIAS(cudaStreamBeginCaptureToGraph_ptsz, cudaStreamBeginCaptureToGraph)
/// The next captured operation waits for the last node of the graph anyway: no change needed.
STRATA_CUDA_CALL cudaStreamUpdateCaptureDependencies(Handle handle) {
  return call([&](Device&) {
    if (stream_of(handle).capture == nullptr) throw CallError(invalid_value);
    continue_capture(stream_of(handle));
  });
}
STRATA_CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_ptsz, cudaStreamUpdateCaptureDependencies)
STRATA_CUDA_ALIAS(cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies)
STRATA_CUDA_CALL cudaStreamGetCaptureInfo_v2(Handle handle, int* status, unsigned long long* id,
                                             Handle* graph, Handle const** before, std::size_t* count) {
  return call([&](Device&) {
    if (status == nullptr) throw CallError(invalid_value);
    const Capture what = capture_of(handle);
    *status = what.graph != nullptr ? 1 : 0;
    if (what.graph == nullptr) return;
    if (id != nullptr) *id = what.id;
    if (graph != nullptr) *graph = what.graph;
    if (before != nullptr) *before = what.last;
    if (count != nullptr) *count = what.count;
  });
}
STRATA_CUDA_ALIAS(cudaStreamGetCaptureInfo_v2_ptsz, cudaStreamGetCaptureInfo_v2)
STRATA_CUDA_CALL cudaStreamGetCaptureInfo_v3(Handle stream, int* status, unsigned long long* id,
                                             Handle* graph, Handle const** before, const void** edges,
                                             std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;  // ordinary edges
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, before, count);
}
STRATA_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3)
/// The form _v3 since version 13; before, the caller passes only the first three.
STRATA_CUDA_CALL cudaStreamGetCaptureInfo(Handle stream, int* status, unsigned long long* id, Handle* graph,
                                          Handle const** before, const void** edges, std::size_t* count) {
  if (runtime_major < 13) return cudaStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, before, edges, count);
}
STRATA_CUDA_ALIAS(cudaStreamGetCaptureInfo_ptsz, cudaStreamGetCaptureInfo)
STRATA_CUDA_CALL cudaStreamIsCapturing(Handle handle, int* status) {
  return call([&](Device&) { *status = stream_of(handle).capture != nullptr ? 1 : 0; });
}
STRATA_CUDA_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing)

STRATA_CUDA_CALL cudaGraphCreate(Handle* to, unsigned) {
  return call([&](Device&) { *to = new Graph; });
}
STRATA_CUDA_CALL cudaGraphDestroy(Handle graph) {
  return call([&](Device&) { delete &known<Graph>(graph); });
}
STRATA_CUDA_CALL cudaGraphClone(Handle* to, Handle graph) {
  return call([&](Device&) { *to = known<Graph>(graph).copy().release(); });
}
STRATA_CUDA_CALL cudaGraphInstantiate(Handle* to, Handle graph, unsigned long long flags) {
  return call([&](Device&) { *to = instantiate(graph, flags); });
}
STRATA_CUDA_ALIAS(cudaGraphInstantiateWithFlags, cudaGraphInstantiate)
STRATA_CUDA_CALL cudaGraphExecDestroy(Handle graph) {
  return call([&](Device&) { delete &known<Executable>(graph); });
}
STRATA_CUDA_CALL cudaGraphExecUpdate(Handle executable, Handle graph, void* result) {
  return call([&](Device&) {
    update(executable, graph);
    if (result != nullptr) *static_cast<int*>(result) = 0;
  });
}
STRATA_CUDA_CALL cudaGraphUpload(Handle graph, Handle) {
  return call([&](Device&) { known<Executable>(graph); });
}
STRATA_CUDA_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload)
STRATA_CUDA_CALL cudaGraphLaunch(Handle graph, Handle stream) {
  return call([&](Device& device) { launch_graph(device, graph, stream); });
}
STRATA_CUDA_CALL cudaGraphLaunch_ptsz(Handle graph, Handle stream) {
  return cudaGraphLaunch(graph, of_thread(stream));
}
STRATA_CUDA_CALL cudaGraphGetNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return call([&](Device&) { list(nodes_of(known<Graph>(graph), false), nodes, count); });
}
STRATA_CUDA_CALL cudaGraphNodeGetType(Handle node, int* kind) {
  return call([&](Device&) { *kind = static_cast<int>(known<GraphNode>(node).kind); });
}

// Queries and changes of nodes.

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
/// Since version 13 with the edges, which are ordinary, before the count.
STRATA_CUDA_CALL cudaGraphNodeGetDependencies(Handle node, Handle* to, void* third, std::size_t* fourth) {
  return call([&](Device&) {
    list(known<GraphNode>(node).before, to, runtime_major >= 13 ? fourth : static_cast<std::size_t*>(third));
  });
}

// Nodes of graphs: one call for each kind, and one for all kinds.

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
/// The form _v2 since version 13; before, without the list of edges.
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

// Nodes of graphs that record events and wait for them.

STRATA_CUDA_CALL cudaGraphAddEventRecordNode(Handle* to, Handle graph, Handle const* before,
                                             std::size_t count, Handle event) {
  return call([&](Device&) {
    NodePlace{to, graph, before, count}.add_event(event, GraphNode::Kind::record_event);
  });
}
STRATA_CUDA_CALL cudaGraphEventRecordNodeGetEvent(Handle node, Handle* event) {
  return call(
      [&](Device&) { *event = event_of_node(known<GraphNode>(node), GraphNode::Kind::record_event); });
}
STRATA_CUDA_CALL cudaGraphEventRecordNodeSetEvent(Handle node, Handle event) {
  return call([&](Device&) { change_event(known<GraphNode>(node), event, GraphNode::Kind::record_event); });
}
STRATA_CUDA_CALL cudaGraphExecEventRecordNodeSetEvent(Handle graph, Handle node, Handle event) {
  return call([&](Device&) {
    change_event(known<Executable>(graph).node(node), event, GraphNode::Kind::record_event);
  });
}
STRATA_CUDA_CALL cudaGraphAddEventWaitNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                           Handle event) {
  return call([&](Device&) {
    NodePlace{to, graph, before, count}.add_event(event, GraphNode::Kind::wait_event);
  });
}
STRATA_CUDA_CALL cudaGraphEventWaitNodeGetEvent(Handle node, Handle* event) {
  return call([&](Device&) { *event = event_of_node(known<GraphNode>(node), GraphNode::Kind::wait_event); });
}
STRATA_CUDA_CALL cudaGraphEventWaitNodeSetEvent(Handle node, Handle event) {
  return call([&](Device&) { change_event(known<GraphNode>(node), event, GraphNode::Kind::wait_event); });
}
STRATA_CUDA_CALL cudaGraphExecEventWaitNodeSetEvent(Handle graph, Handle node, Handle event) {
  return call([&](Device&) {
    change_event(known<Executable>(graph).node(node), event, GraphNode::Kind::wait_event);
  });
}

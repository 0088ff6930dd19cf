// Graphs of the driver library; the shared part is in device/graph_nodes.h.
#include <cstring>

#include "traces/cuda/device/device.h"
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata;
using namespace strata::cuda;

using abi::Handle;

STRATA_CUDA_CALL cuGraphCreate(Handle* to, unsigned flags) {
  return guarded([&](Device&) {
    if (to == nullptr || flags != 0) throw CallError(invalid_value);
    *to = new Graph;
  });
}
STRATA_CUDA_CALL cuGraphDestroy(Handle graph) {
  return guarded([&](Device&) { delete &known<Graph>(graph); });
}
STRATA_CUDA_CALL cuGraphClone(Handle* to, Handle graph) {
  return guarded([&](Device&) { *to = known<Graph>(graph).copy().release(); });
}
STRATA_CUDA_CALL cuGraphInstantiateWithFlags(Handle* to, Handle graph, unsigned long long flags) {
  return guarded([&](Device&) { *to = instantiate(graph, flags); });
}
/// The form of CUDA 11, whose node and text would report an error.
STRATA_CUDA_CALL cuGraphInstantiate_v2(Handle* to, Handle graph, Handle* node, char* text,
                                       std::size_t bytes) {
  if (node != nullptr) *node = nullptr;
  if (text != nullptr && bytes != 0) *text = '\0';
  return cuGraphInstantiateWithFlags(to, graph, 0);
}
namespace {
/// CUDA_GRAPH_INSTANTIATE_PARAMS.
struct InstantiateParameters {
  std::uint64_t flags;
  Handle upload_stream, node;
  int result;  ///< 0: success, 1: an error
};
}  // namespace
STRATA_CUDA_CALL cuGraphInstantiateWithParams(Handle* to, Handle graph, InstantiateParameters* what) {
  const int code = cuGraphInstantiateWithFlags(to, graph, what->flags);
  what->node = nullptr;
  what->result = code == success ? 0 : 1;
  return code;
}
STRATA_CUDA_ALIAS(cuGraphInstantiateWithParams_ptsz, cuGraphInstantiateWithParams)
STRATA_CUDA_CALL cuGraphExecDestroy(Handle graph) {
  return guarded([&](Device&) { delete &known<Executable>(graph); });
}
STRATA_CUDA_CALL cuGraphExecUpdate(Handle executable, Handle graph, Handle* node, int* result) {
  return guarded([&](Device&) {
    update(executable, graph);
    if (node != nullptr) *node = nullptr;
    if (result != nullptr) *result = 0;
  });
}
namespace {
/// CUgraphExecUpdateResultInfo.
struct UpdateResult {
  int result;
  Handle node, from;
};
}  // namespace
STRATA_CUDA_CALL cuGraphExecUpdate_v2(Handle executable, Handle graph, UpdateResult* result) {
  if (result != nullptr) *result = {0, nullptr, nullptr};
  return cuGraphExecUpdate(executable, graph, nullptr, nullptr);
}
STRATA_CUDA_CALL cuGraphUpload(Handle graph, Handle stream) {
  return guarded([&](Device&) {
    known<Executable>(graph);
    stream_of(stream);
  });
}
STRATA_CUDA_ALIAS(cuGraphUpload_ptsz, cuGraphUpload)
STRATA_CUDA_CALL cuGraphLaunch(Handle graph, Handle stream) {
  return guarded([&](Device& device) { launch_graph(device, graph, stream); });
}
STRATA_CUDA_ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch)

STRATA_CUDA_CALL cuGraphGetNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return guarded([&](Device&) { list(nodes_of(known<Graph>(graph), false), nodes, count); });
}
STRATA_CUDA_CALL cuGraphGetRootNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return guarded([&](Device&) { list(nodes_of(known<Graph>(graph), true), nodes, count); });
}
STRATA_CUDA_CALL cuGraphNodeGetType(Handle node, int* kind) {
  return guarded([&](Device&) { *kind = static_cast<int>(known<GraphNode>(node).kind); });
}
STRATA_CUDA_CALL cuGraphNodeGetDependencies(Handle node, Handle* to, std::size_t* count) {
  return guarded([&](Device&) { list(known<GraphNode>(node).before, to, count); });
}
STRATA_CUDA_CALL cuGraphNodeGetDependencies_v2(Handle node, Handle* to, void*, std::size_t* count) {
  return cuGraphNodeGetDependencies(node, to, count);
}
STRATA_CUDA_CALL cuGraphNodeSetEnabled(Handle graph, Handle node, unsigned enabled) {
  return guarded([&](Device&) { known<Executable>(graph).node(node).enabled = enabled != 0; });
}
STRATA_CUDA_CALL cuGraphNodeGetEnabled(Handle graph, Handle node, unsigned* enabled) {
  return guarded([&](Device&) { *enabled = known<Executable>(graph).node(node).enabled ? 1 : 0; });
}
STRATA_CUDA_CALL cuDeviceGetGraphMemAttribute(int number, int attribute, std::uint64_t* value) {
  return guarded([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    *value = graph_memory(device, attribute);
  });
}
STRATA_CUDA_CALL cuDeviceSetGraphMemAttribute(int number, int attribute, const std::uint64_t* value) {
  return guarded([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    set_graph_memory(device, attribute, *value);
  });
}
STRATA_CUDA_CALL cuDeviceGraphMemTrim(int number) {
  return guarded([&](Device& device) {
    if (number != 0) throw CallError(invalid_device);
    device.graph_pool().trim();
  });
}

// --- capture ---

STRATA_CUDA_CALL cuStreamBeginCaptureToGraph(Handle stream, Handle graph, Handle const*, const void*,
                                             std::size_t, int) {
  return guarded([&](Device&) { begin_capture(stream, &known<Graph>(graph)); });
}
STRATA_CUDA_ALIAS(cuStreamBeginCaptureToGraph_ptsz, cuStreamBeginCaptureToGraph)
/// The next captured operation waits for the last node of the graph anyway: no change needed.
STRATA_CUDA_CALL cuStreamUpdateCaptureDependencies(Handle stream) {
  return guarded([&](Device&) {
    if (stream_of(stream).capture == nullptr) throw CallError(invalid_value);
    continue_capture(stream_of(stream));
  });
}
STRATA_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_ptsz, cuStreamUpdateCaptureDependencies)
STRATA_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_v2, cuStreamUpdateCaptureDependencies)
STRATA_CUDA_ALIAS(cuStreamUpdateCaptureDependencies_v2_ptsz, cuStreamUpdateCaptureDependencies)
STRATA_CUDA_CALL cuStreamGetCaptureInfo_v2(Handle stream, int* status, std::uint64_t* id, Handle* graph,
                                           Handle const** before, std::size_t* count) {
  return guarded([&](Device&) {
    if (status == nullptr) throw CallError(invalid_value);
    const Capture what = capture_of(stream);
    *status = what.graph != nullptr ? 1 : 0;
    if (what.graph == nullptr) return;
    if (id != nullptr) *id = what.id;
    if (graph != nullptr) *graph = what.graph;
    if (before != nullptr) *before = what.last;
    if (count != nullptr) *count = what.count;
  });
}
STRATA_CUDA_ALIAS(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2)
STRATA_CUDA_CALL cuStreamGetCaptureInfo_v3(Handle stream, int* status, std::uint64_t* id, Handle* graph,
                                           Handle const** before, const void** edges, std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;  // ordinary edges
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, before, count);
}
STRATA_CUDA_ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3)
STRATA_CUDA_CALL cuStreamGetCaptureInfo(Handle stream, int* status, std::uint64_t* id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
STRATA_CUDA_ALIAS(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo)

// Nodes of graphs of the driver library: one call for each kind, the one for all kinds, and changes.

namespace {

using Kind = GraphNode::Kind;

Launch launch_of(Device& device, const abi::KernelNode& what) {
  return prepare_launch(device, const_cast<void*>(what.function), what.grid, what.block, what.shared,
                        what.values, what.extra);
}

int add(Handle* to, Handle graph, Handle const* before, std::size_t count, Kind kind,
        const std::function<std::function<void(Device&)>()>& made) {
  return guarded([&](Device&) { NodePlace{to, graph, before, count}.add(kind, made()); });
}

}  // namespace

STRATA_CUDA_CALL cuGraphAddKernelNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                      const abi::KernelNode* what) {
  return guarded([&](Device& device) {
    NodePlace{to, graph, before, count}.add_launch(launch_of(device, *what));
  });
}
namespace {
/// CUDA_KERNEL_NODE_PARAMS since version 12: a function, or else a kernel.
struct KernelNode2 {
  abi::KernelNode first;
  Handle kernel, context;
  abi::KernelNode plain() const {
    abi::KernelNode node = first;
    if (node.function == nullptr) node.function = kernel;
    return node;
  }
};
}  // namespace
STRATA_CUDA_CALL cuGraphAddKernelNode_v2(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                         const KernelNode2* what) {
  const abi::KernelNode plain = what->plain();
  return cuGraphAddKernelNode(to, graph, before, count, &plain);
}
STRATA_CUDA_CALL cuGraphAddMemcpyNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                      const DriverCopy3D* what, Handle) {
  return add(to, graph, before, count, Kind::copy, [&] { return copy_of(*what); });
}
STRATA_CUDA_CALL cuGraphAddMemsetNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                      const abi::MemsetNode* what, Handle) {
  return add(to, graph, before, count, Kind::fill, [&] { return fill_of(*what); });
}
STRATA_CUDA_CALL cuGraphAddHostNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                    const abi::HostNode* what) {
  return add(to, graph, before, count, Kind::host, [&] { return call_of(*what); });
}
STRATA_CUDA_CALL cuGraphAddEmptyNode(Handle* to, Handle graph, Handle const* before, std::size_t count) {
  return add(to, graph, before, count, Kind::empty, [] { return [](Device&) {}; });
}
STRATA_CUDA_CALL cuGraphAddChildGraphNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                          Handle child) {
  return guarded([&](Device&) { NodePlace{to, graph, before, count}.add_child(child); });
}
STRATA_CUDA_CALL cuGraphAddMemAllocNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        abi::MemoryNode* what) {
  return guarded([&](Device& device) { NodePlace{to, graph, before, count}.add_allocation(device, *what); });
}
STRATA_CUDA_CALL cuGraphAddMemFreeNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                       Address what) {
  return guarded([&](Device&) { NodePlace{to, graph, before, count}.add_release(what); });
}
STRATA_CUDA_CALL cuGraphAddDependencies(Handle graph, Handle const* from, Handle const* to,
                                        std::size_t count) {
  return guarded([&](Device&) { depend(graph, from, to, count); });
}
STRATA_CUDA_CALL cuGraphAddDependencies_v2(Handle graph, Handle const* from, Handle const* to, const void*,
                                           std::size_t count) {
  return cuGraphAddDependencies(graph, from, to, count);
}
STRATA_CUDA_CALL cuGraphConditionalHandleCreate(std::uint64_t* handle, Handle graph, Handle, unsigned initial,
                                                unsigned flags) {
  return guarded([&](Device& device) { *handle = make_condition(device, graph, initial, flags); });
}

namespace {

/// CUgraphNodeParams: `kind` selects the member.
struct NodeParameters {
  int kind;
  int reserved[3];
  union {
    KernelNode2 kernel;
    struct {
      int flags, reserved;
      Handle context;
      char all[200];  ///< a DriverCopy3D
    } copy;
    abi::MemsetNode fill;
    abi::HostNode host;
    Handle graph;
    abi::MemoryNode allocate;
    Address free;
    Handle event;
    abi::ConditionNode condition;
  };
};

}  // namespace

STRATA_CUDA_CALL cuGraphAddNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                NodeParameters* what) {
  switch (static_cast<Kind>(what->kind)) {
    case Kind::kernel:
      return cuGraphAddKernelNode_v2(to, graph, before, count, &what->kernel);
    case Kind::copy:
      return cuGraphAddMemcpyNode(to, graph, before, count,
                                  reinterpret_cast<const DriverCopy3D*>(what->copy.all), nullptr);
    case Kind::fill:
      return cuGraphAddMemsetNode(to, graph, before, count, &what->fill, nullptr);
    case Kind::host:
      return cuGraphAddHostNode(to, graph, before, count, &what->host);
    case Kind::graph:
      return cuGraphAddChildGraphNode(to, graph, before, count, what->graph);
    case Kind::empty:
      return cuGraphAddEmptyNode(to, graph, before, count);
    case Kind::allocate:
      return cuGraphAddMemAllocNode(to, graph, before, count, &what->allocate);
    case Kind::free:
      return cuGraphAddMemFreeNode(to, graph, before, count, what->free);
    case Kind::wait_event:
    case Kind::record_event:
      return guarded([&](Device&) {
        NodePlace{to, graph, before, count}.add_event(what->event, static_cast<Kind>(what->kind));
      });
    case Kind::memory_operation:
      break;
    case Kind::conditional:
      return guarded([&](Device& device) {
        // CUDA_CONDITIONAL_NODE_PARAMS ends with a context, of which there is one.
        NodePlace{to, graph, before, count}.add_conditional(device, what->condition);
      });
  }
  return guarded([&](Device& device) {
    throw CallError(
        device.absent("cuGraphAddNode of a semaphore or operations on memory", "CUDA_ERROR_NOT_SUPPORTED"));
  });
}
STRATA_CUDA_CALL cuGraphAddNode_v2(Handle* to, Handle graph, Handle const* before, const void*,
                                   std::size_t count, NodeParameters* what) {
  return cuGraphAddNode(to, graph, before, count, what);
}

// --- queries and changes of nodes ---

STRATA_CUDA_CALL cuGraphKernelNodeGetParams(Handle handle, abi::KernelNode* to) {
  return guarded([&](Device&) {
    auto& node = known<GraphNode>(handle);
    if (node.launch == nullptr) throw CallError(invalid_value);
    *to = launch_parameters(node, node.launch->function);
  });
}
STRATA_CUDA_CALL cuGraphKernelNodeGetParams_v2(Handle handle, KernelNode2* to) {
  to->kernel = to->context = nullptr;
  return cuGraphKernelNodeGetParams(handle, &to->first);
}
STRATA_CUDA_CALL cuGraphKernelNodeSetParams(Handle node, const abi::KernelNode* what) {
  return guarded([&](Device& device) { change_launch(known<GraphNode>(node), launch_of(device, *what)); });
}
STRATA_CUDA_CALL cuGraphKernelNodeSetParams_v2(Handle node, const KernelNode2* what) {
  const abi::KernelNode plain = what->plain();
  return cuGraphKernelNodeSetParams(node, &plain);
}
STRATA_CUDA_CALL cuGraphExecKernelNodeSetParams(Handle graph, Handle node, const abi::KernelNode* what) {
  return guarded(
      [&](Device& device) { change_launch(known<Executable>(graph).node(node), launch_of(device, *what)); });
}
STRATA_CUDA_CALL cuGraphExecKernelNodeSetParams_v2(Handle graph, Handle node, const KernelNode2* what) {
  const abi::KernelNode plain = what->plain();
  return cuGraphExecKernelNodeSetParams(graph, node, &plain);
}
STRATA_CUDA_CALL cuGraphMemcpyNodeSetParams(Handle node, const DriverCopy3D* what) {
  return guarded([&](Device&) { change(known<GraphNode>(node), Kind::copy, copy_of(*what)); });
}
STRATA_CUDA_CALL cuGraphExecMemcpyNodeSetParams(Handle graph, Handle node, const DriverCopy3D* what, Handle) {
  return guarded([&](Device&) { change(known<Executable>(graph).node(node), Kind::copy, copy_of(*what)); });
}
STRATA_CUDA_CALL cuGraphMemsetNodeSetParams(Handle node, const abi::MemsetNode* what) {
  return guarded([&](Device&) { change(known<GraphNode>(node), Kind::fill, fill_of(*what)); });
}
STRATA_CUDA_CALL cuGraphExecMemsetNodeSetParams(Handle graph, Handle node, const abi::MemsetNode* what,
                                                Handle) {
  return guarded([&](Device&) { change(known<Executable>(graph).node(node), Kind::fill, fill_of(*what)); });
}
STRATA_CUDA_CALL cuGraphHostNodeSetParams(Handle node, const abi::HostNode* what) {
  return guarded([&](Device&) { change(known<GraphNode>(node), Kind::host, call_of(*what)); });
}
STRATA_CUDA_CALL cuGraphExecHostNodeSetParams(Handle graph, Handle node, const abi::HostNode* what) {
  return guarded([&](Device&) { change(known<Executable>(graph).node(node), Kind::host, call_of(*what)); });
}
STRATA_CUDA_CALL cuGraphMemAllocNodeGetParams(Handle node, abi::MemoryNode* to) {
  return guarded([&](Device&) { *to = allocation_parameters(known<GraphNode>(node)); });
}

STRATA_CUDA_CALL cuGraphKernelNodeSetAttribute(Handle node, int number, const void* value) {
  return guarded([&](Device& device) { set_node_attribute(device, node, number, value); });
}
STRATA_CUDA_CALL cuGraphKernelNodeGetAttribute(Handle node, int number, void* value) {
  return guarded([&](Device&) { get_node_attribute(node, number, value); });
}
STRATA_CUDA_CALL cuGraphKernelNodeCopyAttributes(Handle to, Handle from) {
  return guarded([&](Device&) { copy_node_attributes(to, from); });
}

// Nodes of graphs that record events and wait for them.

STRATA_CUDA_CALL cuGraphAddEventRecordNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                           Handle event) {
  return guarded([&](Device&) {
    NodePlace{to, graph, before, count}.add_event(event, GraphNode::Kind::record_event);
  });
}
STRATA_CUDA_CALL cuGraphEventRecordNodeGetEvent(Handle node, Handle* event) {
  return guarded(
      [&](Device&) { *event = event_of_node(known<GraphNode>(node), GraphNode::Kind::record_event); });
}
STRATA_CUDA_CALL cuGraphEventRecordNodeSetEvent(Handle node, Handle event) {
  return guarded(
      [&](Device&) { change_event(known<GraphNode>(node), event, GraphNode::Kind::record_event); });
}
STRATA_CUDA_CALL cuGraphExecEventRecordNodeSetEvent(Handle graph, Handle node, Handle event) {
  return guarded([&](Device&) {
    change_event(known<Executable>(graph).node(node), event, GraphNode::Kind::record_event);
  });
}
STRATA_CUDA_CALL cuGraphAddEventWaitNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                         Handle event) {
  return guarded([&](Device&) {
    NodePlace{to, graph, before, count}.add_event(event, GraphNode::Kind::wait_event);
  });
}
STRATA_CUDA_CALL cuGraphEventWaitNodeGetEvent(Handle node, Handle* event) {
  return guarded(
      [&](Device&) { *event = event_of_node(known<GraphNode>(node), GraphNode::Kind::wait_event); });
}
STRATA_CUDA_CALL cuGraphEventWaitNodeSetEvent(Handle node, Handle event) {
  return guarded([&](Device&) { change_event(known<GraphNode>(node), event, GraphNode::Kind::wait_event); });
}
STRATA_CUDA_CALL cuGraphExecEventWaitNodeSetEvent(Handle graph, Handle node, Handle event) {
  return guarded([&](Device&) {
    change_event(known<Executable>(graph).node(node), event, GraphNode::Kind::wait_event);
  });
}

// Graphs of the driver library, whole ones; those of the runtime are the same (device/graph_nodes.h).
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/device/guarded.h"

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
/// That of CUDA 11: a node and a text would say what is wrong.
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
/// What is captured next waits for the last node of the graph, whichever that is: nothing to change.
STRATA_CUDA_CALL cuStreamUpdateCaptureDependencies(Handle stream) {
  return guarded([&](Device&) {
    if (stream_of(stream).capture == nullptr) throw CallError(invalid_value);
    follow_last(stream_of(stream));
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
  if (edges != nullptr) *edges = nullptr;  // plain ones
  return cuStreamGetCaptureInfo_v2(stream, status, id, graph, before, count);
}
STRATA_CUDA_ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3)
STRATA_CUDA_CALL cuStreamGetCaptureInfo(Handle stream, int* status, std::uint64_t* id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}
STRATA_CUDA_ALIAS(cuStreamGetCaptureInfo_ptsz, cuStreamGetCaptureInfo)

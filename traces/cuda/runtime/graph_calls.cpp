// Graphs: lists of what streams do, made by capture or node by node, and run as often as the program wants.
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/runtime_version.h"

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
/// What is captured next waits for the last node of the graph, whichever that is: nothing to change.
STRATA_CUDA_CALL cudaStreamUpdateCaptureDependencies(Handle handle) {
  return call([&](Device&) {
    if (stream_of(handle).capture == nullptr) throw CallError(invalid_value);
    follow_last(stream_of(handle));
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
  if (edges != nullptr) *edges = nullptr;  // plain ones
  return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, before, count);
}
STRATA_CUDA_ALIAS(cudaStreamGetCaptureInfo_v3_ptsz, cudaStreamGetCaptureInfo_v3)
/// As _v3 since version 13; before, the caller has given the first three alone.
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

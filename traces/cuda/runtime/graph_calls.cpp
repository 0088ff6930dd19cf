// Graphs: lists of what streams do, made by capture or node by node, and run as often as the program wants.
#include "traces/cuda/device/arrays.h"
#include "traces/cuda/device/streams.h"
#include "traces/cuda/runtime/call.h"
#include "traces/cuda/runtime/registry.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

namespace {

/// A graph that can be launched: a copy, which knows the nodes that it was made from.
struct Executable {
  std::unique_ptr<Graph> graph;
  std::vector<std::pair<const GraphNode*, GraphNode*>> copies;
  GraphNode& node(const void* of) const {
    for (const auto& one : copies)
      if (one.first == of) return *one.second;
    throw CallError(invalid_value);
  }
};

template <class T>
T& at(Handle handle) {
  if (handle == nullptr) throw CallError(invalid_value);
  return *static_cast<T*>(handle);
}

Launch launch_of(Device& device, const abi::KernelNode& node) {
  if (node.extra != nullptr) throw CallError(not_supported);
  return device.prepare(function_of(node.function), node.grid, node.block, node.shared, node.values);
}

void add_node(Handle* to, Handle graph, Handle const* before, std::size_t count, GraphNode node) {
  for (std::size_t i = 0; i < count; ++i) node.before.push_back(&at<GraphNode>(before[i]));
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

void fill(Device& device, const abi::MemsetNode& what) {
  for (std::size_t row = 0; row < what.height; ++row)
    device.fill(static_cast<char*>(what.to) + row * what.pitch, &what.value, what.element_bytes, what.width);
}

void run(Device& device, const Graph& graph) {
  for (const GraphNode* node : graph.order()) node->run(device);
}

}  // namespace

STRATA_CUDA_CALL cudaStreamBeginCapture(Handle handle, int) {
  return call([&](Device&) { begin_capture(handle); });
}
STRATA_CUDA_ALIAS(cudaStreamBeginCapture_ptsz, cudaStreamBeginCapture)
STRATA_CUDA_CALL cudaStreamEndCapture(Handle handle, Handle* to) {
  return call([&](Device&) { *to = take_capture(handle); });
}
STRATA_CUDA_ALIAS(cudaStreamEndCapture_ptsz, cudaStreamEndCapture)
STRATA_CUDA_CALL cudaStreamIsCapturing(Handle handle, int* status) {
  return call([&](Device&) { *status = stream_of(handle).capture != nullptr ? 1 : 0; });
}
STRATA_CUDA_ALIAS(cudaStreamIsCapturing_ptsz, cudaStreamIsCapturing)

STRATA_CUDA_CALL cudaGraphCreate(Handle* to, unsigned) {
  return call([&](Device&) { *to = new Graph; });
}
STRATA_CUDA_CALL cudaGraphDestroy(Handle graph) {
  return call([&](Device&) { delete &at<Graph>(graph); });
}
STRATA_CUDA_CALL cudaGraphClone(Handle* to, Handle graph) {
  return call([&](Device&) { *to = at<Graph>(graph).copy().release(); });
}
STRATA_CUDA_CALL cudaGraphInstantiate(Handle* to, Handle graph, unsigned long long) {
  return call([&](Device&) {
    auto made = std::make_unique<Executable>();
    made->graph = at<Graph>(graph).copy(&made->copies);
    made->graph->order();
    *to = made.release();
  });
}
STRATA_CUDA_ALIAS(cudaGraphInstantiateWithFlags, cudaGraphInstantiate)
STRATA_CUDA_CALL cudaGraphExecDestroy(Handle graph) {
  return call([&](Device&) { delete &at<Executable>(graph); });
}
STRATA_CUDA_CALL cudaGraphExecUpdate(Handle executable, Handle graph, void* result) {
  return call([&](Device&) {
    auto& made = at<Executable>(executable);
    made.copies.clear();
    made.graph = at<Graph>(graph).copy(&made.copies);
    if (result != nullptr) *static_cast<int*>(result) = 0;
  });
}
STRATA_CUDA_CALL cudaGraphUpload(Handle graph, Handle) {
  return call([&](Device&) { at<Executable>(graph); });
}
STRATA_CUDA_ALIAS(cudaGraphUpload_ptsz, cudaGraphUpload)
STRATA_CUDA_CALL cudaGraphLaunch(Handle graph, Handle stream) {
  return call([&](Device& device) {
    const Graph* const what = at<Executable>(graph).graph.get();
    put(device, stream, GraphNode::Kind::graph, [what](Device& d) { run(d, *what); });
  });
}
STRATA_CUDA_ALIAS(cudaGraphLaunch_ptsz, cudaGraphLaunch)
STRATA_CUDA_CALL cudaGraphGetNodes(Handle graph, Handle* nodes, std::size_t* count) {
  return call([&](Device&) {
    const auto& all = at<Graph>(graph).nodes;
    for (std::size_t i = 0; nodes != nullptr && i < *count && i < all.size(); ++i) nodes[i] = all[i].get();
    *count = all.size();
  });
}
STRATA_CUDA_CALL cudaGraphNodeGetType(Handle node, int* kind) {
  return call([&](Device&) { *kind = static_cast<int>(at<GraphNode>(node).kind); });
}

STRATA_CUDA_CALL cudaGraphAddKernelNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::KernelNode* what) {
  return call([&](Device& device) {
    GraphNode node;
    node.kind = GraphNode::Kind::kernel;
    node.launch = std::make_shared<Launch>(launch_of(device, *what));
    add_node(to, graph, before, count, std::move(node));
  });
}
STRATA_CUDA_CALL cudaGraphKernelNodeSetParams(Handle node, const abi::KernelNode* what) {
  return call([&](Device& device) { *at<GraphNode>(node).launch = launch_of(device, *what); });
}
STRATA_CUDA_CALL cudaGraphExecKernelNodeSetParams(Handle graph, Handle node, const abi::KernelNode* what) {
  return call([&](Device& device) { *at<Executable>(graph).node(node).launch = launch_of(device, *what); });
}
STRATA_CUDA_CALL cudaGraphAddMemcpyNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::Copy3D* what) {
  return add(to, graph, before, count, GraphNode::Kind::copy, [all = *what](Device& d) { copy_box(d, all); });
}
STRATA_CUDA_CALL cudaGraphAddMemcpyNode1D(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                          void* target, const void* source, std::size_t bytes, int) {
  return add(to, graph, before, count, GraphNode::Kind::copy,
             [=](Device& d) { d.copy(target, source, bytes); });
}
STRATA_CUDA_CALL cudaGraphAddMemsetNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                        const abi::MemsetNode* what) {
  return add(to, graph, before, count, GraphNode::Kind::fill, [all = *what](Device& d) { fill(d, all); });
}
STRATA_CUDA_CALL cudaGraphAddHostNode(Handle* to, Handle graph, Handle const* before, std::size_t count,
                                      const abi::HostNode* what) {
  return add(to, graph, before, count, GraphNode::Kind::host,
             [all = *what](Device&) { all.function(all.data); });
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
    node.does = [inner](Device& d) { run(d, *inner); };
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

// Nodes of graphs that record events and wait for them.
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/runtime/call.h"

using namespace strata;
using namespace strata::cuda;
using abi::Handle;

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

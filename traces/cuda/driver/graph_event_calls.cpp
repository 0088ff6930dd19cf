// Nodes of graphs that record events and wait for them.
#include "traces/cuda/device/graph_nodes.h"
#include "traces/cuda/driver/driver_call.h"

using namespace strata::cuda;

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

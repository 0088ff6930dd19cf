#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "traces/cuda/device/streams.h"

/// Graph functions shared by the runtime and the driver library, whose calls differ in names and in the
/// arguments of copies and kernels. All throw CallError.
namespace strata::cuda {

/// The object behind a handle of a graph, a node or an executable graph.
template <class T>
T& known(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_value);
  return *static_cast<T*>(handle);
}

/// An executable graph: a copy that knows the original nodes.
struct Executable {
  std::unique_ptr<Graph> graph;
  std::vector<std::pair<const GraphNode*, GraphNode*>> copies;
  bool frees = false;  ///< frees before a launch what the launch before has left allocated
  GraphNode& node(const void* of) const {
    for (const auto& one : copies)
      if (one.first == of) return *one.second;
    throw CallError(invalid_value);
  }
};

abi::Handle instantiate(abi::Handle graph, unsigned long long flags);
/// Replaces the executable by `graph`.
void update(abi::Handle executable, abi::Handle graph);
void launch_graph(Device& device, abi::Handle executable, abi::Handle stream);

/// Position of a new node: after `count` others.
struct NodePlace {
  abi::Handle* to;
  abi::Handle graph;
  abi::Handle const* before;
  std::size_t count;
  void add(GraphNode node) const;
  void add(GraphNode::Kind kind, std::function<void(Device&)> does) const;
  void add_launch(Launch launch) const;
  void add_child(abi::Handle child) const;
  void add_allocation(Device& device, abi::MemoryNode& what) const;
  void add_release(Address what) const;
  /// Adds a node that records an event or waits for it.
  void add_event(abi::Handle event, GraphNode::Kind kind) const;
  void add_conditional(Device& device, abi::ConditionNode& what) const;

 private:
  GraphNode behind() const;
};
/// Handle of a condition of a graph with value `initial`, assigned at each launch if flags is 1.
std::uint64_t make_condition(Device& device, abi::Handle graph, unsigned initial, unsigned flags);
void depend(abi::Handle graph, abi::Handle const* from, abi::Handle const* to, std::size_t count);

/// Actions of nodes with these parameters.
std::function<void(Device&)> copy_of(void* to, const void* from, std::size_t bytes);
std::function<void(Device&)> fill_of(const abi::MemsetNode& what);
std::function<void(Device&)> call_of(const abi::HostNode& what);
void change(GraphNode& node, GraphNode::Kind kind, std::function<void(Device&)> does);
void change_launch(GraphNode& node, Launch launch);
void change_event(GraphNode& node, abi::Handle event, GraphNode::Kind kind);
abi::Handle event_of_node(const GraphNode& node, GraphNode::Kind kind);
/// Attributes of a kernel node.
void set_node_attribute(const Device& device, abi::Handle node, int number, const void* value);
void get_node_attribute(abi::Handle node, int number, void* value);
void copy_node_attributes(abi::Handle to, abi::Handle from);
/// Parameters of the node's launch, with its values.
abi::KernelNode launch_parameters(GraphNode& node, const void* function);
/// Parameters of an allocation node.
abi::MemoryNode allocation_parameters(const GraphNode& node);

/// With `to` null, returns the number of nodes; else at most `count` nodes, and their number.
void list(const std::vector<GraphNode*>& all, abi::Handle* to, std::size_t* count);
std::vector<GraphNode*> nodes_of(const Graph& graph, bool roots);
/// cudaGraphMemAttributeType: 0 and 2 are the memory held by graphs, 1 and 3 its maximum.
std::uint64_t graph_memory(Device& device, int attribute);
/// Only the maximum can be set, which resets it.
void set_graph_memory(Device& device, int attribute, std::uint64_t value);
/// Allocates at once, or adds a node to the graph that the stream captures.
Address allocate_on(Device& device, abi::Handle stream, std::uint64_t bytes, MemoryPool& pool);
void free_on(Device& device, abi::Handle stream, Address at);

/// The capture of a stream: its number (0: none), its graph, and the last nodes. The stream keeps the array.
struct Capture {
  std::uint64_t id = 0;
  abi::Handle graph = nullptr;
  abi::Handle const* last = nullptr;
  std::size_t count = 0;
};
Capture capture_of(abi::Handle stream);

}  // namespace strata::cuda

#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "traces/cuda/device/streams.h"

/// What the runtime and the driver library do with graphs: their calls differ in names and in what they say
/// of copies and kernels. All throws CallError.
namespace strata::cuda {

/// What a handle of a graph, a node or an executable graph stands for.
template <class T>
T& known(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_value);
  return *static_cast<T*>(handle);
}

/// A graph that can be launched: a copy, which knows the nodes that it was made from.
struct Executable {
  std::unique_ptr<Graph> graph;
  std::vector<std::pair<const GraphNode*, GraphNode*>> copies;
  bool frees = false;  ///< before a launch what the one before has left
  GraphNode& node(const void* of) const {
    for (const auto& one : copies)
      if (one.first == of) return *one.second;
    throw CallError(invalid_value);
  }
};

abi::Handle instantiate(abi::Handle graph, unsigned long long flags);
/// The executable becomes that of `graph`, whatever it was.
void update(abi::Handle executable, abi::Handle graph);
void launch_graph(Device& device, abi::Handle executable, abi::Handle stream);

/// Where a call puts a node: behind `count` others.
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
  /// One that records an event, or waits for it.
  void add_event(abi::Handle event, GraphNode::Kind kind) const;
  void add_conditional(Device& device, abi::ConditionNode& what) const;

 private:
  GraphNode behind() const;
};
/// The handle of a condition that a graph begins with `initial`, at each launch if flags is 1.
std::uint64_t make_condition(Device& device, abi::Handle graph, unsigned initial, unsigned flags);
void depend(abi::Handle graph, abi::Handle const* from, abi::Handle const* to, std::size_t count);

/// What nodes of these parameters do.
std::function<void(Device&)> copy_of(void* to, const void* from, std::size_t bytes);
std::function<void(Device&)> fill_of(const abi::MemsetNode& what);
std::function<void(Device&)> call_of(const abi::HostNode& what);
void change(GraphNode& node, GraphNode::Kind kind, std::function<void(Device&)> does);
void change_launch(GraphNode& node, Launch launch);
void change_event(GraphNode& node, abi::Handle event, GraphNode::Kind kind);
abi::Handle event_of_node(const GraphNode& node, GraphNode::Kind kind);
/// Attributes of a node that is a kernel.
void set_node_attribute(const Device& device, abi::Handle node, int number, const void* value);
void get_node_attribute(abi::Handle node, int number, void* value);
void copy_node_attributes(abi::Handle to, abi::Handle from);
/// What it was told of its launch, with its values.
abi::KernelNode launch_parameters(GraphNode& node, const void* function);
/// Of a node that allocates.
abi::MemoryNode allocation_parameters(const GraphNode& node);

/// With `to` null, how many there are; else at most as many as `count` says, and how many these are.
void list(const std::vector<GraphNode*>& all, abi::Handle* to, std::size_t* count);
std::vector<GraphNode*> nodes_of(const Graph& graph, bool roots);
/// cudaGraphMemAttributeType: 0 and 2 are the memory that graphs hold, 1 and 3 the most that it was.
std::uint64_t graph_memory(Device& device, int attribute);
/// The most can be forgotten, which is all that can be set.
void set_graph_memory(Device& device, int attribute, std::uint64_t value);
/// At once, or into the graph that the stream captures.
Address allocate_on(Device& device, abi::Handle stream, std::uint64_t bytes, MemoryPool& pool);
void free_on(Device& device, abi::Handle stream, Address at);

/// What a stream captures: its number, 0 for none, its graph, and the last nodes, which the stream keeps.
struct Capture {
  std::uint64_t id = 0;
  abi::Handle graph = nullptr;
  abi::Handle const* last = nullptr;
  std::size_t count = 0;
};
Capture capture_of(abi::Handle stream);

}  // namespace strata::cuda

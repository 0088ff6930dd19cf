#include "traces/cuda/device/graph_nodes.h"

#include <cstring>

#include "traces/cuda/device/pending.h"

namespace strata::cuda {

abi::Handle instantiate(abi::Handle graph, unsigned long long flags) {
  auto made = std::make_unique<Executable>();
  made->frees = flags == 1;  // cudaGraphInstantiateFlagAutoFreeOnLaunch; of version 11 a pointer
  made->graph = known<Graph>(graph).copy(&made->copies);
  made->graph->order();
  return made.release();
}

void update(abi::Handle executable, abi::Handle graph) {
  auto& made = known<Executable>(executable);
  made.copies.clear();
  made.graph = known<Graph>(graph).copy(&made.copies);
}

void launch_graph(Device& device, abi::Handle executable, abi::Handle stream) {
  const Executable* const what = &known<Executable>(executable);
  if (stream_of(stream).capture == nullptr)
    for (const auto& node : what->graph->nodes)
      if (node->kind == GraphNode::Kind::record_event && node->enabled)
        event_of(node->event).work = std::make_shared<Work>();  // not done before the node has run
  put(device, stream, GraphNode::Kind::graph, [what](Device& d) {
    if (what->frees) what->graph->release(d);
    what->graph->run(d);
  });
}

GraphNode NodePlace::behind() const {
  GraphNode node;
  for (std::size_t i = 0; i < count; ++i) node.before.push_back(&known<GraphNode>(before[i]));
  return node;
}

void NodePlace::add(GraphNode node) const {
  node.before = behind().before;
  *to = &known<Graph>(graph).add(std::move(node));
}

void NodePlace::add(GraphNode::Kind kind, std::function<void(Device&)> does) const {
  GraphNode node;
  node.kind = kind;
  node.does = std::move(does);
  add(std::move(node));
}

void NodePlace::add_launch(Launch launch) const {
  GraphNode node;
  node.kind = GraphNode::Kind::kernel;
  node.launch = std::make_shared<Launch>(std::move(launch));
  add(std::move(node));
}

void NodePlace::add_child(abi::Handle child) const {
  const std::shared_ptr<Graph> inner = known<Graph>(child).copy();
  add(GraphNode::Kind::graph, [inner](Device& d) { inner->run(d); });
}

void NodePlace::add_allocation(Device& device, abi::MemoryNode& what) const {
  GraphNode& node = cuda::add_allocation(device, known<Graph>(graph), behind(), what.bytes);
  what.at = reinterpret_cast<void*>(node.memory->address());
  *to = &node;
}

void NodePlace::add_release(Address what) const {
  if (what == 0) throw CallError(invalid_value);
  *to = &cuda::add_release(known<Graph>(graph), behind(), what);
}

void NodePlace::add_event(abi::Handle event, GraphNode::Kind kind) const {
  GraphNode node;
  node.kind = kind;
  change_event(node, event, kind);
  add(std::move(node));
}

void NodePlace::add_conditional(Device& device, abi::ConditionNode& what) const {
  const auto kind = static_cast<GraphNode::Condition>(what.kind);
  const bool right = kind == GraphNode::Condition::choice ? what.count > 0
                     : kind == GraphNode::Condition::once
                         ? what.count == 1 || what.count == 2
                         : kind == GraphNode::Condition::loop && what.count == 1;
  if (!right || device.conditions().value(what.handle) == nullptr) throw CallError(invalid_value);
  GraphNode node = behind();
  node.kind = GraphNode::Kind::conditional;
  node.condition = kind;
  node.handle = what.handle;
  for (unsigned i = 0; i < what.count; ++i) {
    node.bodies.push_back(std::make_shared<Graph>());
    node.body_handles.push_back(node.bodies.back().get());
  }
  GraphNode& made = known<Graph>(graph).add(std::move(node));
  what.bodies = made.body_handles.data();
  *to = &made;
}

std::uint64_t make_condition(Device& device, abi::Handle graph, unsigned initial, unsigned flags) {
  Graph& of = known<Graph>(graph);
  if (flags > 1) throw CallError(invalid_value);
  const std::uint64_t handle = device.conditions().make(initial, flags == 1);  // cudaGraphCondAssignDefault
  of.conditions.push_back(handle);
  return handle;
}

void depend(abi::Handle graph, abi::Handle const* from, abi::Handle const* to, std::size_t count) {
  known<Graph>(graph);
  for (std::size_t i = 0; i < count; ++i)
    known<GraphNode>(to[i]).before.push_back(&known<GraphNode>(from[i]));
}

std::function<void(Device&)> copy_of(void* to, const void* from, std::size_t bytes) {
  return [=](Device& device) { device.copy(to, from, bytes); };
}

std::function<void(Device&)> fill_of(const abi::MemsetNode& what) {
  return [what](Device& device) {
    for (std::size_t row = 0; row < what.height; ++row)
      device.fill(static_cast<char*>(what.to) + row * what.pitch, &what.value, what.element_bytes,
                  what.width);
  };
}

std::function<void(Device&)> call_of(const abi::HostNode& what) {
  return [what](Device&) { what.function(what.data); };
}

void change(GraphNode& node, GraphNode::Kind kind, std::function<void(Device&)> does) {
  if (node.kind != kind) throw CallError(invalid_value);
  node.does = std::move(does);
}

void change_launch(GraphNode& node, Launch launch) {
  if (node.launch == nullptr) throw CallError(invalid_value);
  launch.attributes = node.launch->attributes;
  launch.cooperative = node.launch->cooperative;
  launch.window = node.launch->window;
  *node.launch = std::move(launch);
}

void change_event(GraphNode& node, abi::Handle event, GraphNode::Kind kind) {
  event_of(event);
  const bool records = kind == GraphNode::Kind::record_event;
  change(node, kind, [event, records](Device& device) {
    records ? record_event_in_graph(device, event) : wait_for_in_graph(device, event);
  });
  node.event = event;
}

abi::Handle event_of_node(const GraphNode& node, GraphNode::Kind kind) {
  if (node.kind != kind) throw CallError(invalid_value);
  return node.event;
}

namespace {

Launch& kernel_of(abi::Handle node) {
  auto& found = known<GraphNode>(node);
  if (found.launch == nullptr) throw CallError(invalid_value);
  return *found.launch;
}
void apply(Launch& launch) {
  const Attributes& own = launch.attributes;
  if (own.has(Attributes::access_window)) launch.window = own.has_window();
  if (own.has(Attributes::cooperative)) launch.cooperative = own.word(Attributes::cooperative) != 0;
}

}  // namespace

void set_node_attribute(const Device& device, abi::Handle node, int number, const void* value) {
  Launch& launch = kernel_of(node);
  launch.attributes.set(device, Attributes::Of::node, number, value);
  apply(launch);
}

void get_node_attribute(abi::Handle node, int number, void* value) {
  const Launch& launch = kernel_of(node);
  launch.attributes.get(Attributes::Of::node, number, value);
  if (number == Attributes::cooperative) *static_cast<int*>(value) = launch.cooperative ? 1 : 0;
}

void copy_node_attributes(abi::Handle to, abi::Handle from) {
  Launch& launch = kernel_of(to);
  launch.attributes = kernel_of(from).attributes;
  apply(launch);
}

abi::KernelNode launch_parameters(GraphNode& node, const void* function) {
  node.values.clear();
  for (auto& one : node.launch->arguments) node.values.push_back(one.bytes.data());
  return {function,           node.launch->grid,
          node.launch->block, static_cast<unsigned>(node.launch->dynamic_shared),
          node.values.data(), nullptr};
}

abi::MemoryNode allocation_parameters(const GraphNode& node) {
  if (node.memory == nullptr) throw CallError(invalid_value);
  abi::MemoryNode what;
  std::memset(&what, 0, sizeof what);
  const int pinned[] = {1, 0, 1, 0};  // cudaMemAllocationTypePinned, no handles, on device 0
  std::memcpy(what.pool, pinned, sizeof pinned);
  what.bytes = node.memory->bytes();
  what.at = reinterpret_cast<void*>(node.memory->address());
  return what;
}

void list(const std::vector<GraphNode*>& all, abi::Handle* to, std::size_t* count) {
  for (std::size_t i = 0; to != nullptr && i < *count && i < all.size(); ++i) to[i] = all[i];
  *count = to == nullptr ? all.size() : std::min(*count, all.size());
}

std::vector<GraphNode*> nodes_of(const Graph& graph, bool roots) {
  std::vector<GraphNode*> all;
  for (const auto& node : graph.nodes)
    if (!roots || node->before.empty()) all.push_back(node.get());
  return all;
}

std::uint64_t graph_memory(Device& device, int attribute) {
  if (attribute < 0 || attribute > 3) throw CallError(invalid_value);
  return attribute % 2 == 0 ? device.graph_pool().held() : device.graph_pool().most_held();
}

void set_graph_memory(Device& device, int attribute, std::uint64_t value) {
  if ((attribute != 1 && attribute != 3) || value != 0) throw CallError(invalid_value);
  device.graph_pool().forget_most();
}

Address allocate_on(Device& device, abi::Handle handle, std::uint64_t bytes, MemoryPool& pool) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr) {
    if (!pool.has_room(bytes)) throw CallError(out_of_memory);
    const Address at = device.allocate(bytes);
    device.memory_pools().take(pool, at, bytes);
    return at;
  }
  const GraphNode& node = add_allocation(device, *stream.capture, captured_node(stream), bytes);
  continue_capture(stream);
  return node.memory->address();
}

void free_on(Device& device, abi::Handle handle, Address at) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr && device.pending().empty()) return device.free(at);
  if (stream.capture == nullptr) {  // after kernels in progress
    GraphNode node;
    node.kind = GraphNode::Kind::free;
    node.does = [at](Device& on) { on.free_behind(at); };
    device.pending().put(stream, std::move(node), device.order().put(stream.place));
    return;
  }
  add_release(*stream.capture, captured_node(stream), at);
  continue_capture(stream);
}

Capture capture_of(abi::Handle handle) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr) return {};
  stream.last.clear();
  for (GraphNode* node : captured_node(stream).before) stream.last.push_back(node);
  return {reinterpret_cast<std::uintptr_t>(stream.capture), stream.capture, stream.last.data(),
          stream.last.size()};
}

}  // namespace strata::cuda

#include "traces/cuda/device/streams.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "traces/cuda/device/pending.h"

namespace strata::cuda {
namespace {

std::set<Stream*>& streams() {
  static auto* const all = new std::set<Stream*>;
  return *all;
}

void visit(const GraphNode& node, std::map<const GraphNode*, int>& seen,
           std::vector<const GraphNode*>& order) {
  int& state = seen[&node];  // 1: being visited
  if (state == 1) throw CallError(invalid_value);
  if (state == 2) return;
  state = 1;
  for (const GraphNode* one : node.before) visit(*one, seen, order);
  seen[&node] = 2;
  order.push_back(&node);
}

}  // namespace

void GraphNode::run(Device& device) const {
  if (!enabled) return;
  if (launch != nullptr) device.run(*launch);
  if (does) does(device);
  if (memory != nullptr) device.graph_pool().take(device, memory);
  if (bodies.empty()) return;
  const auto value = [&] { return *device.conditions().value(handle); };
  if (condition == Condition::loop)
    while (value() != 0) bodies[0]->run(device);
  else if (condition == Condition::choice && value() < bodies.size())
    bodies[value()]->run(device);
  else if (condition == Condition::once && (value() != 0 || bodies.size() > 1))
    bodies[value() != 0 ? 0 : 1]->run(device);
}

void Graph::run(Device& device) const {
  device.conditions().begin(conditions);
  device.pending().run(order());
}

void Graph::release(Device& device) const {
  for (const auto& node : nodes) {
    if (node->memory != nullptr) device.graph_pool().give(node->memory->address());
    for (const auto& body : node->bodies) body->release(device);
  }
}

GraphNode& Graph::add(GraphNode node) {
  nodes.push_back(std::make_unique<GraphNode>(std::move(node)));
  return *nodes.back();
}

std::vector<const GraphNode*> Graph::order() const {
  std::vector<const GraphNode*> all;
  std::map<const GraphNode*, int> seen;
  for (const auto& node : nodes) visit(*node, seen, all);
  return all;
}

std::unique_ptr<Graph> Graph::copy(std::vector<std::pair<const GraphNode*, GraphNode*>>* copies) const {
  auto made = std::make_unique<Graph>();
  made->conditions = conditions;
  std::map<const GraphNode*, GraphNode*> by_node;
  for (const auto& node : nodes) {
    GraphNode& one = made->add(*node);
    if (one.launch != nullptr) one.launch = std::make_shared<Launch>(*one.launch);
    for (auto& body : one.bodies) body = body->copy(copies);
    by_node[node.get()] = &one;
    if (copies != nullptr) copies->push_back({node.get(), &one});
  }
  for (const auto& node : made->nodes)
    for (GraphNode*& one : node->before)
      if (by_node.count(one) != 0) one = by_node[one];
  return made;
}

Stream& stream_of(abi::Handle handle) {
  static auto* const standard = new Stream;
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 2) return *standard;  // cudaStreamLegacy, cudaStreamPerThread
  auto* const stream = static_cast<Stream*>(handle);
  if (streams().count(stream) == 0) throw CallError(invalid_handle);
  return *stream;
}

namespace {

void end_capture(Graph& graph) {
  const auto end = [&](Stream& stream) {
    if (stream.capture != &graph) return;
    stream.capture = nullptr;
    stream.begins = false;
  };
  end(stream_of(nullptr));
  for (Stream* stream : streams()) end(*stream);
}

}  // namespace

abi::Handle make_stream(unsigned flags, int priority) {
  auto* const stream = new Stream;
  stream->flags = flags;
  stream->priority = priority;
  streams().insert(stream);
  return stream;
}

void destroy_stream(abi::Handle handle) {
  Stream& stream = stream_of(handle);
  if (streams().erase(&stream) == 0) throw CallError(invalid_handle);
  delete &stream;
}

void begin_capture(abi::Handle handle, Graph* to) {
  Stream& stream = stream_of(handle);
  if (handle == nullptr) throw CallError(capture_unsupported);
  if (stream.capture != nullptr) throw CallError(invalid_value);
  stream.capture = to != nullptr ? to : new Graph;
  stream.begins = true;
}

abi::Handle take_capture(abi::Handle handle) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr || !stream.begins) throw CallError(capture_invalid);
  Graph& graph = *stream.capture;
  end_capture(graph);
  return &graph;
}

Event& event_of(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_handle);
  return *static_cast<Event*>(handle);
}

void record_event(Device& device, abi::Handle event, abi::Handle handle) {
  Stream& stream = stream_of(handle);
  event_of(event).capture = stream.capture;
  event_of(event).work = nullptr;
  if (stream.capture == nullptr && !device.pending().empty())
    event_of(event).work = device.pending().put(stream, GraphNode());
  event_of(event).milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

float elapsed(abi::Handle from, abi::Handle to) {
  if (!is_done(event_of(from)) || !is_done(event_of(to))) throw CallError(not_ready);
  const double a = event_of(from).milliseconds, b = event_of(to).milliseconds;
  if (a < 0 || b < 0) throw CallError(invalid_handle);
  return static_cast<float>(std::max(b - a, 1e-3));
}

void wait_for(abi::Handle stream, abi::Handle event) {
  if (event_of(event).capture != nullptr) stream_of(stream).capture = event_of(event).capture;
  if (!is_done(event_of(event))) stream_of(stream).awaits.push_back(event_of(event).work);
}

bool is_standard(const Stream& stream) {
  return &stream == &stream_of(nullptr);
}

void for_each_stream(const std::function<void(const Stream&)>& visit) {
  for (const Stream* const stream : streams()) visit(*stream);
}

bool is_done(const Event& event) {
  return event.work == nullptr || event.work->done;
}

void wait_for_stream(Device& device, abi::Handle handle) {
  const Stream& stream = stream_of(handle);
  if (stream.capture != nullptr) throw CallError(capture_unsupported);
  device.pending().finish([&] { return device.pending().is_done(stream); });
  device.print();
}

void wait_for_event(Device& device, abi::Handle handle) {
  const Event& event = event_of(handle);
  device.pending().finish([&] { return is_done(event); });
  device.print();
}

void query_stream(Device& device, abi::Handle handle) {
  const Stream& stream = stream_of(handle);
  if (stream.capture != nullptr) throw CallError(capture_unsupported);
  device.pending().go_on();
  if (!device.pending().is_done(stream)) throw CallError(not_ready);
}

void query_event(Device& device, abi::Handle handle) {
  const Event& event = event_of(handle);
  device.pending().go_on();
  if (!is_done(event)) throw CallError(not_ready);
}

GraphNode captured_node(const Stream& stream) {
  GraphNode node;
  if (!stream.capture->nodes.empty()) node.before = {stream.capture->nodes.back().get()};
  return node;
}

void put(Device& device, abi::Handle handle, GraphNode node) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr) {
    using Kind = GraphNode::Kind;
    const Kind kind = node.kind;
    if (kind == Kind::kernel || kind == Kind::host) device.print();
    const auto work = device.pending().put(stream, std::move(node));
    if (kind != Kind::copy || handle != nullptr) return;  // copies on the default stream are waited for
    if (work != nullptr) device.pending().finish([&] { return work->done; });
    device.print();
    return;
  }
  node.before = captured_node(stream).before;
  stream.capture->add(std::move(node));
}

}  // namespace strata::cuda

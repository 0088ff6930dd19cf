#include "traces/cuda/device/streams.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "traces/cuda/device/pending.h"
#include "traces/cuda/device/stream_values.h"

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
  LaunchOrder& launches = device.order();
  std::map<const GraphNode*, LaunchOrder::Handle> operations, last;
  device.pending().run(order(), [&](const GraphNode& node) {
    std::vector<LaunchOrder::Handle> before;
    for (const GraphNode* one : node.before) {
      const auto known = operations.find(one);
      if (known != operations.end()) before.push_back(known->second);
      last.erase(one);
    }
    last[&node] = operations[&node] = launches.branch(before);
    const RunningOperation running(launches, operations[&node]);
    node.run(device);
  });
  std::vector<LaunchOrder::Handle> ends;
  for (const auto& [node, operation] : last) ends.push_back(operation);
  launches.join(ends);
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

namespace {

/// cudaStreamPerThread: a blocking stream for each thread of the program.
Stream& stream_of_thread() {
  static thread_local Stream* own = nullptr;
  if (own == nullptr) own = static_cast<Stream*>(make_stream(0, 0));
  return *own;
}

}  // namespace

Stream& stream_of(abi::Handle handle) {
  static auto* const standard = new Stream;
  const auto number = reinterpret_cast<std::uintptr_t>(handle);
  if (number <= 1) return *standard;  // cudaStreamLegacy
  if (number == 2) return stream_of_thread();
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
    stream.tail.clear();
  };
  end(stream_of(nullptr));
  for (Stream* stream : streams()) end(*stream);
}

}  // namespace

abi::Handle make_stream(unsigned flags, int priority) {
  auto* const stream = new Stream;
  stream->flags = flags;
  stream->priority = priority;
  stream->place = Device::get().order().add_stream((flags & 1) == 0, -priority);  // cudaStreamNonBlocking
  streams().insert(stream);
  return stream;
}

void destroy_stream(abi::Handle handle) {
  Stream& stream = stream_of(handle);
  if (&stream != handle || streams().erase(&stream) == 0) throw CallError(invalid_handle);
  Device::get().order().remove_stream(stream.place);
  delete &stream;
}

void begin_capture(abi::Handle handle, Graph* to) {
  Stream& stream = stream_of(handle);
  if (handle == nullptr) throw CallError(capture_unsupported);
  if (stream.capture != nullptr) throw CallError(invalid_value);
  stream.capture = to != nullptr ? to : new Graph;
  stream.begins = true;
  follow_last(stream);
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

namespace {

double milliseconds_now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void record_event(Device& device, abi::Handle handle, abi::Handle stream_handle) {
  Stream& stream = stream_of(stream_handle);
  Event& event = event_of(handle);
  event.capture = stream.capture;
  event.tail = stream.tail;
  event.work = nullptr;
  if (stream.capture == nullptr) {
    event.operation = device.order().mark(stream.place);
    if (!device.pending().empty()) event.work = device.pending().put(stream, GraphNode(), event.operation);
  }
  event.milliseconds = milliseconds_now();
}

void record_event_in_graph(Device& device, abi::Handle handle) {
  Event& event = event_of(handle);
  event.capture = nullptr;
  event.tail.clear();
  event.operation = device.order().running();
  if (event.work != nullptr) event.work->done = true;
  event.work = nullptr;
  event.milliseconds = milliseconds_now();
}

void wait_for_in_graph(Device& device, abi::Handle handle) {
  const Event& event = event_of(handle);
  traces::PtxWaiting waiting;
  waiting.where = "a graph waits for an event behind work that does not end: no end";
  while (!is_done(event))
    if (device.pending().wait(waiting) == traces::PtxWaiting::Next::fault) {
      device.tell_fault(waiting.where);
      device.fail(launch_timeout);
      throw CallError(launch_timeout);
    }
  device.order().follow(event.operation);
}

float elapsed(abi::Handle from, abi::Handle to) {
  if (!is_done(event_of(from)) || !is_done(event_of(to))) throw CallError(not_ready);
  const double a = event_of(from).milliseconds, b = event_of(to).milliseconds;
  if (a < 0 || b < 0) throw CallError(invalid_handle);
  return static_cast<float>(std::max(b - a, 1e-3));
}

void wait_for(Device& device, abi::Handle handle, abi::Handle event) {
  Stream& stream = stream_of(handle);
  const Event& for_event = event_of(event);
  if (for_event.capture == nullptr) {
    device.order().wait(stream.place, for_event.operation);
    if (!is_done(for_event)) stream.awaits.push_back(for_event.work);
    return;
  }
  stream.capture = for_event.capture;
  for (GraphNode* node : for_event.tail)
    if (std::find(stream.tail.begin(), stream.tail.end(), node) == stream.tail.end())
      stream.tail.push_back(node);
}

bool is_standard(const Stream& stream) {
  return &stream == &stream_of(nullptr);
}

bool is_done(const Event& event) {
  return event.work == nullptr || event.work->done;
}

void synchronize_stream(Device& device, abi::Handle handle) {
  const Stream& stream = stream_of(handle);
  if (stream.capture != nullptr) throw CallError(capture_unsupported);
  device.pending().finish([&] { return device.pending().is_done(stream); });
  device.order().synchronize(device.order().mark(stream.place));
  device.print();
}

void synchronize_event(Device& device, abi::Handle handle) {
  const Event& event = event_of(handle);
  device.pending().finish([&] { return is_done(event); });
  device.order().synchronize(event.operation);
  device.print();
}

void query_stream(Device& device, abi::Handle handle) {
  const Stream& stream = stream_of(handle);
  if (stream.capture != nullptr) throw CallError(capture_unsupported);
  device.pending().go_on();
  if (!device.pending().is_done(stream)) throw CallError(not_ready);
  device.order().synchronize(device.order().mark(stream.place));
}

void query_event(Device& device, abi::Handle handle) {
  const Event& event = event_of(handle);
  device.pending().go_on();
  if (!is_done(event)) throw CallError(not_ready);
  device.order().synchronize(event.operation);
}

GraphNode captured_node(const Stream& stream) {
  GraphNode node;
  node.before = stream.tail;
  return node;
}

void follow_last(Stream& stream) {
  stream.tail.clear();
  if (!stream.capture->nodes.empty()) stream.tail = {stream.capture->nodes.back().get()};
}

void put(Device& device, abi::Handle handle, GraphNode node) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr) {
    using Kind = GraphNode::Kind;
    const Kind kind = node.kind;
    if (kind == Kind::kernel || kind == Kind::host) device.print();
    const LaunchOrder::Handle operation = device.order().put(stream.place);
    const auto work = device.pending().put(stream, std::move(node), operation);
    if (kind != Kind::copy || handle != nullptr) return;
    // A copy that names no stream: the host waits for it.
    if (work != nullptr) device.pending().finish([&] { return work->done; });
    device.order().synchronize(operation);
    device.print();
    return;
  }
  node.before = captured_node(stream).before;
  stream.capture->add(std::move(node));
  follow_last(stream);
}

void put_launch(Device& device, abi::Handle stream, Launch launch) {
  const Attributes& own = launch.attributes;
  launch.window =
      own.has(Attributes::access_window) ? own.has_window() : stream_of(stream).attributes.has_window();
  if (own.has(Attributes::cooperative)) launch.cooperative = own.word(Attributes::cooperative) != 0;
  GraphNode node;
  node.kind = GraphNode::Kind::kernel;
  node.launch = std::make_shared<Launch>(std::move(launch));
  put(device, stream, std::move(node));
}

void set_stream_attribute(const Device& device, abi::Handle handle, int number, const void* value) {
  Stream& stream = stream_of(handle);
  stream.attributes.set(device, Attributes::Of::stream, number, value);
  if (number == Attributes::priority) stream.priority = stream.attributes.word(number);
}

void get_stream_attribute(abi::Handle handle, int number, void* value) {
  const Stream& stream = stream_of(handle);
  stream.attributes.get(Attributes::Of::stream, number, value);
  if (number == Attributes::priority) *static_cast<int*>(value) = stream.priority;
}

void copy_stream_attributes(abi::Handle to, abi::Handle from) {
  const Stream& source = stream_of(from);
  Stream& target = stream_of(to);
  target.attributes = source.attributes;
  if (source.attributes.has(Attributes::priority)) target.priority = source.priority;
}

namespace {

/// Who wrote a value last, by its address: kernels behind a wait come after those before the write.
std::map<Address, LaunchOrder::Handle>& writers() {
  static auto* const all = new std::map<Address, LaunchOrder::Handle>;
  return *all;
}

void check(const StreamValue& what) {
  if (what.at == 0 || what.at % what.bytes != 0 || what.condition > 3) throw CallError(invalid_value);
}

bool is_there(Device& device, const StreamValue& what) {
  std::uint64_t found = 0;
  device.copy(&found, reinterpret_cast<const void*>(what.at), what.bytes);
  const std::uint64_t mask = what.bytes == 8 ? ~std::uint64_t{0} : 0xffffffffu;
  const std::uint64_t value = what.value & mask;
  switch (what.condition) {
    case 0:
      return ((found - value) & (what.bytes == 8 ? std::uint64_t{1} << 63 : 0x80000000u)) == 0;
    case 1:
      return found == value;
    case 2:
      return (found & value) != 0;
    default:
      return (~(found | value) & mask) != 0;
  }
}

void wait(Device& device, const StreamValue& what) {
  traces::PtxWaiting waiting;
  waiting.where = "a stream waits for the value " + std::to_string(what.value) +
                  " in memory, which no work writes: no end";
  while (!is_there(device, what))
    if (device.pending().wait(waiting) == traces::PtxWaiting::Next::fault) {
      device.tell_fault(waiting.where);
      device.fail(launch_timeout);
      throw CallError(launch_timeout);
    }
  const auto writer = writers().find(what.at);
  if (writer != writers().end()) device.order().follow(writer->second);
}

void put_node(Device& device, abi::Handle stream, std::function<void(Device&)> does) {
  put(device, stream, GraphNode::Kind::memory_operation, std::move(does));
}

}  // namespace

void wait_for_value(Device& device, abi::Handle stream, const StreamValue& what) {
  check(what);
  put_node(device, stream, [what](Device& on) { wait(on, what); });
}

void write_value(Device& device, abi::Handle stream, const StreamValue& what) {
  check(what);
  put_node(device, stream, [what](Device& on) {
    on.copy(reinterpret_cast<void*>(what.at), &what.value, what.bytes);
    writers()[what.at] = on.order().running();
  });
}

}  // namespace strata::cuda

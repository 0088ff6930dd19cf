#include "traces/cuda/runtime/streams.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "traces/cuda/runtime/call.h"

namespace strata::cuda {
namespace {

double now() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::set<Stream*>& streams() {
  static auto* const all = new std::set<Stream*>;
  return *all;
}

Event& event_of(abi::Handle handle) {
  if (handle == nullptr) throw CallError(invalid_handle);
  return *static_cast<Event*>(handle);
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

int& last_error() {
  static thread_local int code = success;
  return code;
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
  std::map<const GraphNode*, GraphNode*> by_node;
  for (const auto& node : nodes) {
    GraphNode& one = made->add(*node);
    if (one.launch != nullptr) one.launch = std::make_shared<Launch>(*one.launch);
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

void end_capture(Graph& graph) {
  const auto end = [&](Stream& stream) {
    if (stream.capture != &graph) return;
    stream.capture = nullptr;
    stream.begins = false;
  };
  end(stream_of(nullptr));
  for (Stream* stream : streams()) end(*stream);
}

void put(Device& device, abi::Handle handle, GraphNode node) {
  Stream& stream = stream_of(handle);
  if (stream.capture == nullptr) return node.run(device);
  if (!stream.capture->nodes.empty()) node.before = {stream.capture->nodes.back().get()};
  stream.capture->add(std::move(node));
}

}  // namespace strata::cuda

using namespace strata::cuda;
using abi::Handle;

STRATA_CUDA_CALL cudaStreamCreateWithPriority(Handle* to, unsigned flags, int priority) {
  return call([&](Device&) {
    if (to == nullptr) throw CallError(invalid_value);
    auto* const stream = new Stream;
    stream->flags = flags;
    stream->priority = priority;
    streams().insert(stream);
    *to = stream;
  });
}
STRATA_CUDA_CALL cudaStreamCreateWithFlags(Handle* to, unsigned flags) {
  return cudaStreamCreateWithPriority(to, flags, 0);
}
STRATA_CUDA_CALL cudaStreamCreate(Handle* to) {
  return cudaStreamCreateWithPriority(to, 0, 0);
}
STRATA_CUDA_CALL cudaStreamDestroy(Handle handle) {
  return call([&](Device&) {
    Stream& stream = stream_of(handle);
    if (streams().erase(&stream) == 0) throw CallError(invalid_handle);
    delete &stream;
  });
}
STRATA_CUDA_CALL cudaStreamSynchronize(Handle handle) {
  return call([&](Device&) {
    if (stream_of(handle).capture != nullptr) throw CallError(capture_unsupported);
  });
}
STRATA_CUDA_ALIAS(cudaStreamSynchronize_ptsz, cudaStreamSynchronize)
STRATA_CUDA_CALL cudaStreamQuery(Handle handle) {
  return cudaStreamSynchronize(handle);
}
STRATA_CUDA_ALIAS(cudaStreamQuery_ptsz, cudaStreamQuery)
// A stream that waits for an event of a captured one is captured with it.
STRATA_CUDA_CALL cudaStreamWaitEvent(Handle handle, Handle event, unsigned) {
  return call([&](Device&) {
    if (event_of(event).capture != nullptr) stream_of(handle).capture = event_of(event).capture;
  });
}
STRATA_CUDA_ALIAS(cudaStreamWaitEvent_ptsz, cudaStreamWaitEvent)
STRATA_CUDA_CALL cudaStreamGetFlags(Handle handle, unsigned* flags) {
  return call([&](Device&) { *flags = stream_of(handle).flags; });
}
STRATA_CUDA_ALIAS(cudaStreamGetFlags_ptsz, cudaStreamGetFlags)
STRATA_CUDA_CALL cudaStreamGetPriority(Handle handle, int* priority) {
  return call([&](Device&) { *priority = stream_of(handle).priority; });
}
STRATA_CUDA_ALIAS(cudaStreamGetPriority_ptsz, cudaStreamGetPriority)
STRATA_CUDA_CALL cudaStreamGetDevice(Handle handle, int* device) {
  return call([&](Device&) {
    stream_of(handle);
    *device = 0;
  });
}
STRATA_CUDA_CALL cudaStreamAttachMemAsync(Handle handle, void*, std::size_t, unsigned) {
  return call([&](Device&) { stream_of(handle); });
}
STRATA_CUDA_ALIAS(cudaStreamAttachMemAsync_ptsz, cudaStreamAttachMemAsync)
STRATA_CUDA_CALL cudaStreamSetAttribute(Handle handle, int, const void*) {
  return call([&](Device&) { stream_of(handle); });
}
STRATA_CUDA_ALIAS(cudaStreamSetAttribute_ptsz, cudaStreamSetAttribute)

STRATA_CUDA_CALL cudaLaunchHostFunc(Handle stream, void (*function)(void*), void* data) {
  return call(
      [&](Device& device) { put(device, stream, GraphNode::Kind::host, [=](Device&) { function(data); }); });
}
STRATA_CUDA_ALIAS(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc)
STRATA_CUDA_CALL cudaStreamAddCallback(Handle stream, void (*function)(Handle, int, void*), void* data,
                                       unsigned) {
  return call([&](Device& device) {
    put(device, stream, GraphNode::Kind::host, [=](Device&) { function(stream, success, data); });
  });
}
STRATA_CUDA_ALIAS(cudaStreamAddCallback_ptsz, cudaStreamAddCallback)

STRATA_CUDA_CALL cudaEventCreateWithFlags(Handle* to, unsigned) {
  return call([&](Device&) {
    if (to == nullptr) throw CallError(invalid_value);
    *to = new Event;
  });
}
STRATA_CUDA_CALL cudaEventCreate(Handle* to) {
  return cudaEventCreateWithFlags(to, 0);
}
STRATA_CUDA_CALL cudaEventDestroy(Handle event) {
  return call([&](Device&) { delete &event_of(event); });
}
STRATA_CUDA_CALL cudaEventRecord(Handle event, Handle stream) {
  return call([&](Device&) {
    event_of(event).capture = stream_of(stream).capture;
    event_of(event).milliseconds = now();
  });
}
STRATA_CUDA_ALIAS(cudaEventRecord_ptsz, cudaEventRecord)
STRATA_CUDA_CALL cudaEventRecordWithFlags(Handle event, Handle stream, unsigned) {
  return cudaEventRecord(event, stream);
}
STRATA_CUDA_ALIAS(cudaEventRecordWithFlags_ptsz, cudaEventRecordWithFlags)
STRATA_CUDA_CALL cudaEventSynchronize(Handle event) {
  return call([&](Device&) { event_of(event); });
}
STRATA_CUDA_CALL cudaEventQuery(Handle event) {
  return cudaEventSynchronize(event);
}
// The time of the interpreter: it stands for no GPU's, but it is never 0, by which programs divide.
STRATA_CUDA_CALL cudaEventElapsedTime(float* milliseconds, Handle from, Handle to) {
  return call([&](Device&) {
    const double a = event_of(from).milliseconds, b = event_of(to).milliseconds;
    if (a < 0 || b < 0) throw CallError(invalid_handle);
    *milliseconds = static_cast<float>(std::max(b - a, 1e-3));
  });
}
STRATA_CUDA_ALIAS(cudaEventElapsedTime_v2, cudaEventElapsedTime)

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/device.h"
#include "traces/cuda/device/device_memory.h"

namespace strata::cuda {

/// An operation of a stream or a node of a graph.
struct GraphNode {
  enum class Kind : int {
    kernel = 0,
    copy = 1,
    fill = 2,
    host = 3,
    graph = 4,
    empty = 5,
    wait_event = 6,
    record_event = 7,
    allocate = 10,
    free = 11,
    memory_operation = 12,
    conditional = 13
  };
  enum class Condition : int { once = 0, loop = 1, choice = 2 };  ///< if, while, switch
  Kind kind = Kind::empty;
  std::shared_ptr<Launch> launch;     ///< of a kernel
  std::function<void(Device&)> does;  ///< for other kinds
  bool enabled = true;
  std::vector<void*> values;            ///< of the launch, as given by the program
  std::vector<GraphNode*> before;       ///< nodes that must be done first
  std::shared_ptr<GraphMemory> memory;  ///< its allocation
  abi::Handle event = nullptr;          ///< that it records or waits for
  // Conditional nodes:
  Condition condition = Condition::once;
  std::uint64_t handle = 0;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<abi::Handle> body_handles;  ///< handles of the program, which adds nodes to the bodies
  void run(Device& device) const;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  struct Freed {
    std::shared_ptr<GraphMemory> memory;
    const GraphNode* by;
  };
  std::vector<Freed> freed;               ///< memory that later nodes may reuse
  std::vector<std::uint64_t> conditions;  ///< handles made for this graph
  GraphNode& add(GraphNode node);
  /// Topological order; else the order in which nodes were added. Throws CallError if there is a cycle.
  std::vector<const GraphNode*> order() const;
  /// A copy; `copies` maps nodes of this graph to nodes of the copy.
  std::unique_ptr<Graph> copy(std::vector<std::pair<const GraphNode*, GraphNode*>>* copies = nullptr) const;
  void run(Device& device) const;
  /// Frees allocations of its nodes that have not been freed.
  void release(Device& device) const;
};

struct Work;
constexpr unsigned non_blocking = 1;  ///< flag of a stream: not ordered with the default stream

struct Stream {
  Graph* capture = nullptr;  ///< graph that receives its operations
  bool begins = false;       ///< the capture began on this stream
  unsigned flags = 0;
  int priority = 0;
  StreamPlace place;              ///< the current properties for the default stream
  std::vector<GraphNode*> tail;   ///< predecessors of the next captured node
  std::vector<abi::Handle> last;  ///< their handles, for the program
  Attributes attributes;
  std::shared_ptr<Work> latest;               ///< last work of the stream; null: all is done
  std::vector<std::shared_ptr<Work>> awaits;  ///< work that the next operation waits for
};

struct Event {
  Graph* capture = nullptr;
  std::vector<GraphNode*> tail;  ///< of the capture: nodes recorded by the event
  LaunchOrder::Handle operation;
  double milliseconds = -1;
  std::shared_ptr<Work> work;  ///< work before the event; null: done
};

/// The stream of a handle: the default stream for 0 and 1, the thread's for 2. Throws CallError.
Stream& stream_of(abi::Handle handle);
/// For calls compiled for per-thread default streams: 0 is the thread's.
inline abi::Handle of_thread(abi::Handle handle) {
  return handle != nullptr ? handle : reinterpret_cast<abi::Handle>(std::uintptr_t{2});
}
abi::Handle make_stream(unsigned flags, int priority);
/// The default stream cannot be destroyed. Throws CallError, as all below.
void destroy_stream(abi::Handle handle);
/// Captures into a new graph, or appends to `to`.
void begin_capture(abi::Handle stream, Graph* to = nullptr);
/// Ends the capture on all its streams and returns the graph.
abi::Handle take_capture(abi::Handle stream);
Event& event_of(abi::Handle handle);
void record_event(Device& device, abi::Handle event, abi::Handle stream);
/// Milliseconds of the interpreter, not of a GPU; never 0, since programs divide by it.
float elapsed(abi::Handle from, abi::Handle to);
/// Waits for work on the stream, or before the event.
void synchronize_stream(Device& device, abi::Handle stream);
void synchronize_event(Device& device, abi::Handle event);
/// A stream that waits for an event of a capture joins it.
void wait_for(Device& device, abi::Handle stream, abi::Handle event);
/// Runs the event node of a graph.
void record_event_in_graph(Device& device, abi::Handle event);
void wait_for_in_graph(Device& device, abi::Handle event);
/// A node for the stream's capture, after its last node.
GraphNode captured_node(const Stream& stream);
/// Makes the last node of the graph the predecessor of the stream's next captured node.
void continue_capture(Stream& stream);
/// Enqueues a launch with the attributes of the stream.
void put_launch(Device& device, abi::Handle stream, Launch launch);
void set_stream_attribute(const Device& device, abi::Handle stream, int number, const void* value);
void get_stream_attribute(abi::Handle stream, int number, void* value);
void copy_stream_attributes(abi::Handle to, abi::Handle from);
bool is_standard(const Stream& stream);
bool is_done(const Event& event);
/// Throws CallError `not_ready` if work is left; else the host counts as synchronized with the stream.
void query_stream(Device& device, abi::Handle stream);
void query_event(Device& device, abi::Handle event);
/// Enqueues on the stream, or adds to the graph that it captures.
void put(Device& device, abi::Handle stream, GraphNode node);
template <class Does>
void put(Device& device, abi::Handle stream, GraphNode::Kind kind, Does&& does) {
  GraphNode node;
  node.kind = kind;
  node.does = std::forward<Does>(does);
  put(device, stream, std::move(node));
}

// Waits for a value in memory, and writes of values, by streams (CUDA driver API, "Stream Memory
// Operations").

struct StreamValue {
  Address at = 0;
  std::uint64_t value = 0;
  unsigned bytes = 4;  ///< 4 or 8
  /// CUstreamWaitValue_flags: 0 at least (cyclic), 1 equal, 2 any of these bits, 3 any bit that is 0 in both
  /// (NOR).
  unsigned condition = 0;
};

/// Later operations of the stream wait until memory has the value. If it never has, that is a fault of the
/// device (launch timeout). Throws CallError: invalid_value for a null or misaligned address or an unknown
/// condition.
void wait_for_value(Device& device, abi::Handle stream, const StreamValue& what);
/// Writes after earlier operations of the stream. Throws CallError as above.
void write_value(Device& device, abi::Handle stream, const StreamValue& what);

/// Pointer copies of one call. `attributes[k]` applies to copies `firsts[k]` to before `firsts[k + 1]`.
struct CopyBatch {
  void* const* to;
  const void* const* from;
  const std::size_t* bytes;
  std::size_t count;
  const abi::CopyAttributes* attributes;
  const std::size_t* firsts;
  std::size_t kinds;
};
/// Enqueues the copies in order, if all are valid. Throws CallError; `failed`, unless null, is then the first
/// invalid copy, or the largest number if the batch is invalid.
void copy_batch(Device& device, abi::Handle stream, const CopyBatch& batch, std::size_t* failed);
/// Batches are not allowed on the legacy default stream. Throws CallError.
void check_not_legacy(abi::Handle stream);

}  // namespace strata::cuda

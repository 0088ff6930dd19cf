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

/// Something that a stream or a graph does.
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
  std::function<void(Device&)> does;  ///< of the others
  bool enabled = true;
  std::vector<void*> values;            ///< of the launch: what the program was told
  std::vector<GraphNode*> before;       ///< must have been done
  std::shared_ptr<GraphMemory> memory;  ///< that it allocates
  abi::Handle event = nullptr;          ///< that it records or waits for
  // Of a conditional one:
  Condition condition = Condition::once;
  std::uint64_t handle = 0;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::vector<abi::Handle> body_handles;  ///< of the program, which adds nodes to the bodies
  void run(Device& device) const;
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  struct Freed {
    std::shared_ptr<GraphMemory> memory;
    const GraphNode* by;
  };
  std::vector<Freed> freed;               ///< that nodes may allocate again
  std::vector<std::uint64_t> conditions;  ///< handles that were made for it
  GraphNode& add(GraphNode node);
  /// Each behind those before it; else in the order in which they were added. Throws CallError when there is
  /// a ring.
  std::vector<const GraphNode*> order() const;
  /// The same nodes, which change with `copies_of`: node of this -> node of the copy.
  std::unique_ptr<Graph> copy(std::vector<std::pair<const GraphNode*, GraphNode*>>* copies = nullptr) const;
  void run(Device& device) const;
  /// Frees what its nodes have allocated and nobody has freed.
  void release(Device& device) const;
};

struct Work;
constexpr unsigned non_blocking = 1;  ///< of a stream's flags: the default stream does not wait for it

struct Stream {
  Graph* capture = nullptr;  ///< what is put on it goes there
  bool begins = false;       ///< the capture began here
  unsigned flags = 0;
  int priority = 0;
  StreamPlace place;              ///< of the default stream, as it is
  std::vector<GraphNode*> tail;   ///< of the capture: what it goes on behind
  std::vector<abi::Handle> last;  ///< the same, as the program was told
  Attributes attributes;
  std::shared_ptr<Work> latest;               ///< that was put on it; null: all of it is done
  std::vector<std::shared_ptr<Work>> awaits;  ///< what the next one waits for
};

struct Event {
  Graph* capture = nullptr;
  std::vector<GraphNode*> tail;  ///< of the capture: what it was recorded behind
  LaunchOrder::Handle operation;
  double milliseconds = -1;
  std::shared_ptr<Work> work;  ///< behind it; null: that is done
};

/// The stream behind a handle: the default one for 0 and 1, that of the thread for 2. Throws CallError.
Stream& stream_of(abi::Handle handle);
/// Of a call that was compiled for default streams of threads: theirs for 0.
inline abi::Handle of_thread(abi::Handle handle) {
  return handle != nullptr ? handle : reinterpret_cast<abi::Handle>(std::uintptr_t{2});
}
abi::Handle make_stream(unsigned flags, int priority);
/// The default one cannot be destroyed. Throws CallError, as all below.
void destroy_stream(abi::Handle handle);
/// Into a new graph, or behind what `to` has.
void begin_capture(abi::Handle stream, Graph* to = nullptr);
/// The graph that was captured; no stream goes on capturing for it.
abi::Handle take_capture(abi::Handle stream);
Event& event_of(abi::Handle handle);
void record_event(Device& device, abi::Handle event, abi::Handle stream);
/// Milliseconds of the interpreter, which stand for no GPU's; never 0, by which programs divide.
float elapsed(abi::Handle from, abi::Handle to);
/// The host waits for what was put on the stream, or before the event.
void synchronize_stream(Device& device, abi::Handle stream);
void synchronize_event(Device& device, abi::Handle event);
/// A stream that waits for an event of a captured one is captured with it.
void wait_for(Device& device, abi::Handle stream, abi::Handle event);
/// The same as nodes of a graph do it, when they run.
void record_event_in_graph(Device& device, abi::Handle event);
void wait_for_in_graph(Device& device, abi::Handle event);
/// A node that would be captured by the stream: behind what it has captured last.
GraphNode captured_node(const Stream& stream);
/// The stream's capture goes on behind the last node of its graph.
void follow_last(Stream& stream);
/// A launch, which the stream's attributes hold for, too.
void put_launch(Device& device, abi::Handle stream, Launch launch);
void set_stream_attribute(const Device& device, abi::Handle stream, int number, const void* value);
void get_stream_attribute(abi::Handle stream, int number, void* value);
void copy_stream_attributes(abi::Handle to, abi::Handle from);
bool is_standard(const Stream& stream);
bool is_done(const Event& event);
/// Throws CallError, `not_ready` when some is left; else the host knows, as when it has waited.
void query_stream(Device& device, abi::Handle stream);
void query_event(Device& device, abi::Handle event);
/// At once, or into the graph that the stream captures.
void put(Device& device, abi::Handle stream, GraphNode node);
template <class Does>
void put(Device& device, abi::Handle stream, GraphNode::Kind kind, Does&& does) {
  GraphNode node;
  node.kind = kind;
  node.does = std::forward<Does>(does);
  put(device, stream, std::move(node));
}

}  // namespace strata::cuda

/// Streams that wait for a value in memory, and write one (CUDA driver API, "Stream Memory Operations").
namespace strata::cuda {

struct StreamValue {
  Address at = 0;
  std::uint64_t value = 0;
  unsigned bytes = 4;  ///< 4 or 8
  /// CUstreamWaitValue_flags: 0 at least (cyclic), 1 equal, 2 any of these bits, 3 any bit that is in
  /// neither.
  unsigned condition = 0;
};

/// What is put on the stream next waits until memory holds the value. A value that nobody brings is a fault
/// of the device (launch timeout). Throws CallError: invalid_value for a null or misaligned address or an
/// unknown condition.
void wait_for_value(Device& device, abi::Handle stream, const StreamValue& what);
/// Behind what was put on the stream. Throws CallError as above.
void write_value(Device& device, abi::Handle stream, const StreamValue& what);

/// Copies between pointers that one call asks for. `attributes[k]` are those of the copies from number
/// `firsts[k]` to before `firsts[k + 1]`.
struct CopyBatch {
  void* const* to;
  const void* const* from;
  const std::size_t* bytes;
  std::size_t count;
  const abi::CopyAttributes* attributes;
  const std::size_t* firsts;
  std::size_t kinds;
};
/// Puts them on the stream in their order, when all of them are right. Throws CallError; `failed`, unless
/// null, is then the first copy that is wrong, or the greatest number where it is the batch.
void copy_batch(Device& device, abi::Handle stream, const CopyBatch& batch, std::size_t* failed);
/// Batches are not for the stream that all others wait for. Throws CallError.
void check_not_legacy(abi::Handle stream);

}  // namespace strata::cuda

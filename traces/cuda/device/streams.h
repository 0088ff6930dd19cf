#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "traces/cuda/device/abi.h"
#include "traces/cuda/device/device.h"

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
    allocate = 10,
    free = 11
  };
  Kind kind = Kind::empty;
  std::shared_ptr<Launch> launch;     ///< of a kernel
  std::function<void(Device&)> does;  ///< of the others
  std::vector<GraphNode*> before;     ///< must have been done
  void run(Device& device) const {
    if (launch != nullptr) device.run(*launch);
    if (does) does(device);
  }
};

struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  GraphNode& add(GraphNode node);
  /// Each behind those before it; else in the order in which they were added. Throws CallError when there is
  /// a ring.
  std::vector<const GraphNode*> order() const;
  /// The same nodes, which change with `copies_of`: node of this -> node of the copy.
  std::unique_ptr<Graph> copy(std::vector<std::pair<const GraphNode*, GraphNode*>>* copies = nullptr) const;
};

struct Stream {
  Graph* capture = nullptr;  ///< what is put on it goes there
  bool begins = false;       ///< the capture began here
  unsigned flags = 0;
  int priority = 0;
};

struct Event {
  Graph* capture = nullptr;
  double milliseconds = -1;
};

/// The stream behind a handle: the default one for 0, 1 and 2. Throws CallError.
Stream& stream_of(abi::Handle handle);
abi::Handle make_stream(unsigned flags, int priority);
/// The default one cannot be destroyed. Throws CallError, as all below.
void destroy_stream(abi::Handle handle);
void begin_capture(abi::Handle stream);
/// The graph that was captured; no stream goes on capturing for it.
abi::Handle take_capture(abi::Handle stream);
Event& event_of(abi::Handle handle);
void record_event(abi::Handle event, abi::Handle stream);
/// Milliseconds of the interpreter, which stand for no GPU's; never 0, by which programs divide.
float elapsed(abi::Handle from, abi::Handle to);
/// A stream that waits for an event of a captured one is captured with it.
void wait_for(abi::Handle stream, abi::Handle event);
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

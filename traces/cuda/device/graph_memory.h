#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "models/common/units.h"

namespace strata::cuda {

class Device;
struct Graph;
struct GraphNode;

/// An address that a node of a graph allocates: it stays the node's own, in every launch.
class GraphMemory {
 public:
  GraphMemory(Device& device, std::uint64_t bytes);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  Address address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  Device& device_;
  std::uint64_t bytes_;
  Address address_;
};

/// What nodes of graphs have allocated and nobody has freed, and how much memory that takes: whole pages,
/// kept for later launches until they are trimmed.
class GraphPool {
 public:
  /// A node allocates. Throws CallError(invalid_value) when nobody has freed what it allocated before.
  void take(Device& device, std::shared_ptr<GraphMemory> memory);
  /// False: it is not allocated.
  bool give(Address address);
  /// Whether it is that of a node: only what has been allocated there can be freed.
  bool reserves(Address address) const { return reserved_.count(address) != 0; }
  void reserve(Address address) { reserved_.insert(address); }
  void unreserve(Address address) { reserved_.erase(address); }
  void trim() { held_ = live_; }
  std::uint64_t held() const { return held_; }
  std::uint64_t most_held() const { return most_held_; }
  void forget_most() { most_held_ = held_; }

 private:
  std::map<Address, std::shared_ptr<GraphMemory>> allocated_;
  std::set<Address> reserved_;
  std::uint64_t live_ = 0, held_ = 0, most_held_ = 0;
};

/// A node that allocates, at the address of one that is freed before it when there is one large enough.
/// Throws CallError.
GraphNode& add_allocation(Device& device, Graph& graph, GraphNode node, std::uint64_t bytes);
/// A node that frees what this graph, another one or nobody's allocated.
GraphNode& add_release(Graph& graph, GraphNode node, Address address);

}  // namespace strata::cuda

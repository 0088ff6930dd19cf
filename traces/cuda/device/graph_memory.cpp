#include "traces/cuda/device/graph_memory.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "traces/cuda/device/streams.h"

namespace strata::cuda {
namespace {

constexpr std::uint64_t page = std::uint64_t{2} << 20;  // in which a GPU maps memory

std::uint64_t pages(const GraphMemory& memory) {
  return (memory.bytes() + page - 1) / page * page;
}

/// Whether `node` is done behind `other`.
bool follows(const GraphNode& node, const GraphNode* other) {
  std::set<const GraphNode*> seen;
  std::vector<const GraphNode*> left = {&node};
  while (!left.empty()) {
    const GraphNode* const one = left.back();
    left.pop_back();
    for (const GraphNode* before : one->before) {
      if (before == other) return true;
      if (seen.insert(before).second) left.push_back(before);
    }
  }
  return false;
}

}  // namespace

GraphMemory::GraphMemory(Device& device, std::uint64_t bytes)
    : device_(device), bytes_(bytes), address_(device.allocate(bytes)) {
  device.graph_pool().reserve(address_);
}

GraphMemory::~GraphMemory() {
  device_.graph_pool().unreserve(address_);
  device_.memory().free(address_);
}

void GraphPool::take(Device& device, std::shared_ptr<GraphMemory> memory) {
  const Address at = memory->address();
  if (allocated_.count(at) != 0) throw CallError(invalid_value);
  device.memory().forget(at);
  live_ += pages(*memory);
  held_ = std::max(held_, live_);
  most_held_ = std::max(most_held_, held_);
  allocated_[at] = std::move(memory);
}

bool GraphPool::give(Address address) {
  const auto found = allocated_.find(address);
  if (found == allocated_.end()) return false;
  live_ -= pages(*found->second);
  allocated_.erase(found);
  return true;
}

GraphNode& add_allocation(Device& device, Graph& graph, GraphNode node, std::uint64_t bytes) {
  if (bytes == 0) throw CallError(invalid_value);
  node.kind = GraphNode::Kind::allocate;
  for (Graph::Freed& one : graph.freed) {
    if (one.memory->bytes() < bytes || !follows(node, one.by)) continue;
    node.memory = one.memory;
    graph.freed.erase(graph.freed.begin() + (&one - graph.freed.data()));
    break;
  }
  if (node.memory == nullptr) node.memory = std::make_shared<GraphMemory>(device, bytes);
  return graph.add(std::move(node));
}

GraphNode& add_release(Graph& graph, GraphNode node, Address address) {
  node.kind = GraphNode::Kind::free;
  node.does = [address](Device& device) { device.free_behind(address); };
  GraphNode& made = graph.add(std::move(node));
  for (const auto& one : graph.nodes)
    if (one->memory != nullptr && one->memory->address() == address) {
      graph.freed.push_back({one->memory, &made});
      break;
    }
  return made;
}

}  // namespace strata::cuda

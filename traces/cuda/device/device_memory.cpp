#include "traces/cuda/device/device_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "traces/cuda/device/device.h"
#include "traces/cuda/device/errors.h"
#include "traces/cuda/device/streams.h"

namespace strata::cuda {

std::uint64_t MemoryPool::reserved() const {
  return std::max((used + page - 1) / page * page, std::min(held, kept));
}

void MemoryPool::take(std::uint64_t bytes) {
  used += bytes;
  most_used = std::max(most_used, used);
  held = std::max(held, reserved());
  most_reserved = std::max(most_reserved, reserved());
}

void MemoryPool::trim(std::uint64_t to) {
  held = std::min(held, to);
}

void MemoryPool::get(int attribute, void* value) const {
  if (value == nullptr || attribute < 1 || attribute > 8) throw CallError(invalid_value);
  if (attribute <= 3) {
    std::memcpy(value, &reuse[attribute - 1], sizeof reuse[0]);
    return;
  }
  const std::uint64_t all[] = {kept, reserved(), most_reserved, used, most_used};
  std::memcpy(value, &all[attribute - 4], sizeof all[0]);
}

void MemoryPool::set(int attribute, const void* value) {
  constexpr int keep = 4, highest_reserved = 6, highest_used = 8;
  if (value == nullptr || attribute < 1 || attribute > 8) throw CallError(invalid_value);
  if (attribute < keep) {
    std::memcpy(&reuse[attribute - 1], value, sizeof reuse[0]);
    return;
  }
  std::uint64_t number = 0;
  std::memcpy(&number, value, sizeof number);
  if (attribute == keep) {
    kept = number;
    return;
  }
  // High-water marks can be reset; current values cannot be set.
  if (number != 0 || (attribute != highest_reserved && attribute != highest_used))
    throw CallError(invalid_value);
  if (attribute == highest_reserved) most_reserved = reserved();
  if (attribute == highest_used) most_used = used;
}

MemoryPools::MemoryPools() : standard_(&make()), current_(standard_) {}

MemoryPool& MemoryPools::make() {
  const auto made = std::make_shared<MemoryPool>();
  pools_[made.get()] = made;
  return *made;
}

MemoryPool& MemoryPools::at(void* handle) {
  const auto found = pools_.find(handle);
  if (found == pools_.end()) throw CallError(invalid_value);
  return *found->second;
}

void MemoryPools::destroy(void* handle) {
  MemoryPool& pool = at(handle);
  if (&pool == standard_) throw CallError(invalid_value);
  if (&pool == current_) current_ = standard_;
  pools_.erase(handle);
}

void MemoryPools::take(MemoryPool& pool, Address address, std::uint64_t bytes) {
  pieces_[address] = {pools_.at(&pool), bytes};
  pool.take(bytes);
}

void MemoryPools::give(Address address) {
  const auto found = pieces_.find(address);
  if (found == pieces_.end()) return;
  found->second.pool->give(found->second.bytes);
  pieces_.erase(found);
}

MemoryPool& make_pool(Device& device, const abi::PoolProperties& properties) {
  if (properties.type != 1) throw CallError(invalid_value);
  check_location(&properties.location);
  if (properties.handles != 0)
    throw CallError(device.absent("cuMemPoolCreate of memory that processes share"));
  MemoryPool& pool = device.memory_pools().make();
  pool.most = properties.most;
  return pool;
}

void check_location(const abi::MemoryLocation* location) {
  constexpr int of_device = 1;
  if (location == nullptr) throw CallError(invalid_value);
  if (location->type != of_device)
    throw CallError(Device::get().absent("cuMemPool... of memory of the host"));
  if (location->id != 0) throw CallError(invalid_device);
}

void check_access(Device& device, void* pool, const abi::MemoryAccess* rights, std::size_t count) {
  constexpr unsigned all = 3;  // the pool's device can always read and write
  device.memory_pools().at(pool);
  if (rights == nullptr && count != 0) throw CallError(invalid_value);
  for (std::size_t i = 0; i < count; ++i) {
    if (rights[i].location.id != 0) throw CallError(invalid_device);
    if (rights[i].access != all) throw CallError(invalid_value);
  }
}

namespace {

constexpr std::uint64_t page = std::uint64_t{2} << 20;  // page size of a GPU

std::uint64_t pages(const GraphMemory& memory) {
  return (memory.bytes() + page - 1) / page * page;
}

/// True if `node` runs after `other`.
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

namespace {

constexpr std::uint64_t bytes_of_set(std::uint64_t bytes) {
  return bytes / 8;  // one bit per byte; whole pages of the host
}

std::uint8_t* nothing(std::uint64_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw CallError(out_of_memory);
  return static_cast<std::uint8_t*>(at);
}

/// Maps part of a file over the range; without a file, nothing.
void put(std::uint8_t* at, std::uint64_t bytes, int file, std::uint64_t offset) {
  void* const got =
      file < 0 ? ::mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)
               : ::mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file,
                        static_cast<off_t>(offset));
  if (got == MAP_FAILED) throw CallError(out_of_memory);
}

bool whole(std::uint64_t bytes) {
  return bytes != 0 && bytes % VirtualMemory::granularity == 0;
}

}  // namespace

VirtualMemory::~VirtualMemory() {
  for (auto& [begin, range] : ranges_) {
    show(begin, range, false);
    ::munmap(range.data, range.bytes);
    ::munmap(range.set, bytes_of_set(range.bytes));
  }
  for (const auto& one : all_) ::close(one.second.file);
}

Address VirtualMemory::reserve(std::uint64_t bytes, std::uint64_t align) {
  if (!whole(bytes) || (align & (align - 1)) != 0) throw CallError(invalid_value);
  Range range;
  range.bytes = bytes;
  range.align = std::max(align, granularity);
  range.data = nothing(bytes);
  range.set = nothing(bytes_of_set(bytes));
  const Address at = memory_.reserve_range(bytes, range.align);
  ranges_[at] = std::move(range);
  return at;
}

void VirtualMemory::release(Address at, std::uint64_t bytes) {
  const auto found = ranges_.find(at);
  if (found == ranges_.end() || found->second.bytes != bytes || !found->second.pieces.empty())
    throw CallError(invalid_value);
  ::munmap(found->second.data, bytes);
  ::munmap(found->second.set, bytes_of_set(bytes));
  memory_.release_range(at, bytes, found->second.align);
  ranges_.erase(found);
}

std::uint64_t VirtualMemory::create(const abi::MemoryProperties& properties, std::uint64_t bytes) {
  if (!whole(bytes)) throw CallError(invalid_value);
  Physical made;
  made.properties = properties;
  made.bytes = bytes;
  made.users = made.handles = 1;
  made.file = ::memfd_create("memory of a device", MFD_CLOEXEC);
  if (made.file < 0 || ::ftruncate(made.file, static_cast<off_t>(bytes + bytes_of_set(bytes))) != 0) {
    if (made.file >= 0) ::close(made.file);
    throw CallError(out_of_memory);
  }
  bytes_ += bytes;
  all_[++made_] = made;
  return made_;
}

VirtualMemory::Physical& VirtualMemory::physical(std::uint64_t handle) {
  const auto found = all_.find(handle);
  if (found == all_.end() || found->second.handles == 0) throw CallError(invalid_value);
  return found->second;
}

void VirtualMemory::leave(std::uint64_t handle) {
  const auto found = all_.find(handle);
  if (--found->second.users != 0) return;
  ::close(found->second.file);
  bytes_ -= found->second.bytes;
  all_.erase(found);
}

void VirtualMemory::drop(std::uint64_t handle) {
  --physical(handle).handles;
  leave(handle);
}

std::uint64_t VirtualMemory::retain(Address at) {
  auto& pieces = range_of(at, 1)->second.pieces;
  const auto piece = pieces.upper_bound(at);
  if (piece == pieces.begin() || at - std::prev(piece)->first >= std::prev(piece)->second.bytes)
    throw CallError(invalid_value);
  const std::uint64_t handle = std::prev(piece)->second.handle;
  Physical& one = all_.at(handle);
  ++one.handles;
  ++one.users;
  return handle;
}

const abi::MemoryProperties& VirtualMemory::properties(std::uint64_t handle) const {
  return const_cast<VirtualMemory*>(this)->physical(handle).properties;
}

VirtualMemory::Ranges::iterator VirtualMemory::range_of(Address at, std::uint64_t bytes) {
  const auto behind = ranges_.upper_bound(at);
  if (behind == ranges_.begin()) throw CallError(invalid_value);
  const auto found = std::prev(behind);
  const std::uint64_t offset = at - found->first;
  if (offset >= found->second.bytes || bytes > found->second.bytes - offset) throw CallError(invalid_value);
  return found;
}

bool VirtualMemory::reserves(Address at) const {
  const auto behind = ranges_.upper_bound(at);
  return behind != ranges_.begin() && at - std::prev(behind)->first < std::prev(behind)->second.bytes;
}

/// The accessible ranges as allocations; adjacent ranges with equal rights are merged. The set bits belong to
/// the memory, however often it is mapped; the number of unset bytes is reported as all of them, an upper
/// bound.
void VirtualMemory::show(Address begin, Range& range, bool shown) {
  for (const auto& one : range.pieces) memory_.displace(one.first);
  for (auto piece = range.pieces.begin(); shown && piece != range.pieces.end();) {
    traces::DeviceAllocation run;
    const Access access = piece->second.access;
    run.address = piece->first;
    for (; piece != range.pieces.end() && piece->first == run.end() && piece->second.access == access;
         ++piece)
      run.bytes += piece->second.bytes;
    if (access == none) continue;
    run.name = "mapped memory";
    run.constant = access == read;
    run.data = range.data + (run.address - begin);
    run.set = reinterpret_cast<std::uint64_t*>(range.set + (run.address - begin) / 8);
    run.unset_bytes = run.bytes;
    memory_.place(std::move(run));
  }
}

void VirtualMemory::map(Address at, std::uint64_t bytes, std::uint64_t handle) {
  Physical& memory = physical(handle);
  auto& [begin, range] = *range_of(at, bytes);
  if (!whole(bytes) || (at - begin) % granularity != 0 || bytes > memory.bytes)
    throw CallError(invalid_value);
  const auto behind = range.pieces.lower_bound(at);
  if ((behind != range.pieces.end() && behind->first < at + bytes) ||
      (behind != range.pieces.begin() && std::prev(behind)->first + std::prev(behind)->second.bytes > at))
    throw CallError(invalid_value);
  put(range.data + (at - begin), bytes, memory.file, 0);
  put(range.set + (at - begin) / 8, bytes_of_set(bytes), memory.file, memory.bytes);
  range.pieces[at] = {bytes, handle, none};
  ++memory.users;
}

void VirtualMemory::unmap(Address at, std::uint64_t bytes) {
  auto& [begin, range] = *range_of(at, bytes);
  const auto first = range.pieces.find(at);
  Address end = at;
  auto last = first;
  for (; last != range.pieces.end() && last->first == end && end < at + bytes; ++last)
    end += last->second.bytes;
  if (end != at + bytes || bytes == 0) throw CallError(invalid_value);
  show(begin, range, false);
  put(range.data + (at - begin), bytes, -1, 0);
  put(range.set + (at - begin) / 8, bytes_of_set(bytes), -1, 0);
  for (auto piece = first; piece != last; ++piece) leave(piece->second.handle);
  range.pieces.erase(first, last);
  show(begin, range, true);
}

void VirtualMemory::allow(Address at, std::uint64_t bytes, Access access) {
  auto& [begin, range] = *range_of(at, bytes);
  const auto first = range.pieces.find(at);
  Address end = at;
  for (auto piece = first; piece != range.pieces.end() && piece->first == end && end < at + bytes; ++piece)
    end += piece->second.bytes;
  if (end != at + bytes || bytes == 0) throw CallError(invalid_value);
  show(begin, range, false);
  for (auto piece = first; piece != range.pieces.end() && piece->first < end; ++piece)
    piece->second.access = access;
  show(begin, range, true);
}

VirtualMemory::Access VirtualMemory::access(Address at) const {
  const auto& pieces = const_cast<VirtualMemory*>(this)->range_of(at, 1)->second.pieces;
  const auto behind = pieces.upper_bound(at);
  if (behind == pieces.begin() || at - std::prev(behind)->first >= std::prev(behind)->second.bytes)
    throw CallError(invalid_value);
  return std::prev(behind)->second.access;
}

}  // namespace strata::cuda

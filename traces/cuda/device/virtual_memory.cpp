#include "traces/cuda/device/virtual_memory.h"

#include <algorithm>
#include <iterator>
#include <sys/mman.h>
#include <unistd.h>

#include "traces/cuda/device/errors.h"

namespace strata::cuda {
namespace {

constexpr std::uint64_t bytes_of_set(std::uint64_t bytes) {
  return bytes / 8;  // one bit a byte: whole pages of the host's
}

std::uint8_t* nothing(std::uint64_t bytes) {
  void* const at = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw CallError(out_of_memory);
  return static_cast<std::uint8_t*>(at);
}

/// Part of a file in the place of what is there; with no file, nothing.
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

/// What may be used, as allocations: pieces side by side of the same rights are one. Bytes that are set are
/// those of the memory, however often it is mapped; how many are not is said to be all, which is never too
/// few.
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

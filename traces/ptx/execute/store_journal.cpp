#include "traces/ptx/execute/store_journal.h"

#include <algorithm>

namespace strata::traces::ptx {

void StoreJournal::before_store(const GlobalMemory::Allocation& allocation, std::uint64_t first) {
  const auto index = static_cast<std::size_t>(&allocation - memory_.allocations().data());
  const std::uint64_t line = first / line_bytes;
  if (written(index, line)) return;
  auto& bits = written_[index];
  if (bits.empty()) bits.resize(allocation.bytes / line_bytes / 64 + 1);
  bits[line / 64] |= std::uint64_t{1} << (line % 64);
  ++lines_;
  unset_before_.emplace(index, allocation.unset_bytes);
  Saved saved;
  saved.allocation = index;
  saved.line = line;
  const std::uint64_t from = line * line_bytes;
  std::memcpy(saved.bytes, allocation.data + from, std::min(line_bytes, allocation.bytes - from));
  std::memcpy(saved.set, allocation.set + from / 64, sizeof(saved.set));  // the bitmap has a word to spare
  saved_.push_back(saved);
}

void StoreJournal::restore() {
  for (const Saved& saved : saved_) {
    GlobalMemory::Allocation& a = *memory_.find(memory_.allocations()[saved.allocation].address);
    const std::uint64_t from = saved.line * line_bytes;
    std::memcpy(a.data + from, saved.bytes, std::min(line_bytes, a.bytes - from));
    std::memcpy(a.set + from / 64, saved.set, sizeof(saved.set));
  }
  for (const auto& [index, unset] : unset_before_)
    memory_.find(memory_.allocations()[index].address)->unset_bytes = unset;
  saved_ = {};
}

bool StoreJournal::untouched(const std::uint64_t* address, int count) const {
  const auto& allocations = memory_.allocations();
  const GlobalMemory::Allocation* a = nullptr;
  for (int i = 0; i < count; ++i) {
    if (a == nullptr || address[i] - a->address >= a->bytes) a = memory_.find(address[i]);
    if (a == nullptr) return false;
    if (written(static_cast<std::size_t>(a - allocations.data()), (address[i] - a->address) / line_bytes))
      return false;
  }
  return true;
}

}  // namespace strata::traces::ptx

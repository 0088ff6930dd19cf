#include "traces/ptx/decode/row_allocator.h"

#include <cstring>

#include "models/common/faults.h"

namespace strata::traces::ptx {
namespace {

std::uint32_t row_bytes(char kind) {
  return kind == 'l' ? 256 : kind == 'w' ? 128 : 64;
}
std::uint32_t lane_bytes(char kind) {
  return kind == 'l' ? 8 : kind == 'h' ? 2 : 4;
}

}  // namespace

std::uint32_t RowAllocator::new_register(char kind) {
  kinds_.push_back(kind);
  offsets_.push_back(register_bytes_);
  register_bytes_ += row_bytes(kind);
  if (register_bytes_ > (1u << 28))
    throw TraceError(Fault{{kernel_.module->path, kernel_.function->line, 0},
                           "kernel " + kernel_.function->name + ": too many registers"});
  return static_cast<std::uint32_t>(kinds_.size() - 1);
}

Row RowAllocator::constant(char kind, std::uint64_t value) {
  if (kind == 'p') value = value != 0 ? all_lanes : 0;
  const auto key = std::make_pair(kind, value);
  const auto found = constants_.find(key);
  if (found != constants_.end()) return found->second;
  const Row row = new_constant(kind);
  const std::size_t at = row & ~Row{1};
  const std::size_t size = lane_bytes(kind);
  for (std::size_t i = 0; i < 32 * size && i < row_bytes(kind); i += size)
    std::memcpy(&kernel_.constants[at + i], &value, size);
  constants_[key] = row;
  return row;
}

Row RowAllocator::new_constant(char kind) {
  const auto at = static_cast<Row>(kernel_.constants.size());
  kernel_.constants.resize(at + row_bytes(kind));
  return at | 1;
}

Row RowAllocator::patched(char kind, Patch patch) {
  const auto key = std::make_tuple(kind, static_cast<int>(patch.kind), patch.value, patch.index);
  const auto found = patches_.find(key);
  if (found != patches_.end()) return found->second;
  const Row row = new_constant(kind);
  patch.offset = row & ~Row{1};
  patch.bytes = lane_bytes(kind);
  kernel_.patches.push_back(patch);
  return patches_[key] = row;
}

Row RowAllocator::lanes(char kind, std::uint32_t (*value)(std::uint32_t)) {
  const Row row = new_constant(kind);
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint64_t v = value(i);
    std::memcpy(&kernel_.constants[(row & ~Row{1}) + i * (kind == 'l' ? 8 : 4)], &v, kind == 'l' ? 8 : 4);
  }
  return row;
}

}  // namespace strata::traces::ptx

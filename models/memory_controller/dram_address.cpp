#include "models/memory_controller/dram_address.h"

namespace strata {

DramAddressDecoder::Digit DramAddressDecoder::digit(std::uint64_t size) {
  return {size, (size & (size - 1)) == 0 ? __builtin_ctzll(size) : -1};
}

std::uint64_t DramAddressDecoder::Digit::take(std::uint64_t& index) const {
  std::uint64_t value = 0;
  if (shift >= 0) {
    value = index & (size - 1);
    index >>= shift;
  } else {
    value = index % size;
    index /= size;
  }
  return value;
}

DramAddressDecoder::DramAddressDecoder(const MemoryControllerParams& params)
    : interleave_(params.interleave),
      bank_xor_(params.bank_xor),
      group_(digit(static_cast<std::uint64_t>(params.timing.bank_groups))),
      bank_(digit(static_cast<std::uint64_t>(params.timing.banks_per_group))),
      column_(digit(params.timing.row_bytes / params.line)),
      banks_per_group_(params.timing.banks_per_group),
      bursts_(params.bursts_per_line()) {}

DramLocation DramAddressDecoder::decode(std::uint64_t index) const {
  std::uint64_t group = 0;
  std::uint64_t bank = 0;
  std::uint64_t column = 0;
  switch (interleave_) {
    case Interleave::row_bank_column_group:
      group = group_.take(index);
      column = column_.take(index);
      bank = bank_.take(index);
      break;
    case Interleave::row_bank_group_column:
      column = column_.take(index);
      group = group_.take(index);
      bank = bank_.take(index);
      break;
    case Interleave::row_column_bank_group:
      group = group_.take(index);
      bank = bank_.take(index);
      column = column_.take(index);
      break;
  }
  if (bank_xor_) bank ^= index & (bank_.size - 1);
  return {static_cast<int>(group) * banks_per_group_ + static_cast<int>(bank),
          static_cast<std::int64_t>(index), static_cast<int>(column) * bursts_};
}

}  // namespace strata

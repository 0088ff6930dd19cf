#include "models/memory_controller/dram_address_decoder.h"

namespace strata {

DramAddressDecoder::Digit DramAddressDecoder::digit(std::uint64_t size) {
  return {size, (size & (size - 1)) == 0 ? __builtin_ctzll(size) : -1};
}

DramAddressDecoder::DramAddressDecoder(const MemoryControllerParams& params)
    : interleave_(params.interleave),
      bank_xor_(params.bank_xor),
      group_(digit(static_cast<std::uint64_t>(params.timing.bank_groups))),
      bank_(digit(static_cast<std::uint64_t>(params.timing.banks_per_group))),
      column_(digit(params.timing.row_bytes / params.line)),
      banks_per_group_(params.timing.banks_per_group),
      bursts_(params.bursts_per_line()) {}

}  // namespace strata

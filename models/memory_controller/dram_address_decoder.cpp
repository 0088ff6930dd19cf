#include "models/memory_controller/dram_address_decoder.h"

namespace strata {

DramAddressDecoder::Digit DramAddressDecoder::digit(std::uint64_t size) {
  return {size, (size & (size - 1)) == 0 ? __builtin_ctzll(size) : -1};
}

DramAddressDecoder::DramAddressDecoder(const MemoryControllerParams& params)
    : order_(params.field_order),
      line_bits_(__builtin_ctzll(params.line)),
      cas_bytes_(static_cast<std::uint64_t>(params.timing.bytes_per_CAS)),
      interleave_(params.interleave),
      bank_xor_(params.bank_xor),
      group_(digit(static_cast<std::uint64_t>(params.timing.bank_groups))),
      bank_(digit(static_cast<std::uint64_t>(params.timing.banks_per_group))),
      column_(digit(params.timing.row_bytes / params.line)),
      banks_per_group_(params.timing.banks_per_group),
      bursts_(params.bursts_per_line()) {}

std::function<DramRow(Address)> MemoryControllerParams::dram_rows(const AddressMap& map) const {
  const DramAddressDecoder decoder(*this);
  return [&map, decoder, controllers = controllers_per_channel](Address address) {
    const DramLocation where = decoder.decode(index_in_controller(map, address, controllers));
    const std::uint64_t partition = map.local_line(address) / map.lines_per_partition();
    return DramRow{static_cast<std::uint64_t>(map.locate(address).channel),
                   partition % static_cast<std::uint64_t>(controllers),
                   static_cast<std::uint64_t>(where.bank), where.row};
  };
}

DramLocation DramAddressDecoder::decode_in_order(std::uint64_t index) const {
  const Address address = index << line_bits_;
  return location(order_.group(address), order_.bank(address), order_.row(address),
                  static_cast<int>(order_.column(address) / cas_bytes_));
}

}  // namespace strata

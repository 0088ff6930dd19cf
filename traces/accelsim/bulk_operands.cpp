#include "traces/accelsim/bulk_operands.h"

#include <algorithm>
#include <iterator>

namespace strata::traces {
namespace {

constexpr std::string_view names[] = {"UBLKCP", "UBLKPF",   "UBLKRED", "UTMALDG",
                                      "UTMAPF", "UTMAREDG", "UTMASTG"};
constexpr std::uint32_t list_mode = 3, delta_mode = 4;
constexpr std::uint32_t most_places = 1 << 15;  // a line has 65536 characters

}  // namespace

bool is_bulk_copy(std::string_view opcode) {
  return std::find(std::begin(names), std::end(names), opcode.substr(0, opcode.find('.'))) != std::end(names);
}

bool BulkOperands::read(Scanner& in) {
  std::uint32_t multicast = 0, mode = 0, count = 0;
  if (!in.hexadecimal(mbarrier, "the address of an mbarrier (hexadecimal)") ||
      !in.decimal(multicast, "0 or 1, whether it is multicast"))
    return false;
  if (multicast > 1) return in.fail_token("0 or 1, whether it is multicast");
  if (multicast == 1 && !in.hexadecimal(ctas, "a mask of thread blocks (hexadecimal)")) return false;
  if (!in.decimal(bytes, "a number of bytes") ||
      !in.decimal(outside, "a number of bytes outside the tensor") ||
      !in.decimal(mode, "an address mode: 3 (list) or 4 (deltas)"))
    return false;
  if (mode != list_mode && mode != delta_mode)
    return in.fail_token("an address mode: 3 (list) or 4 (deltas)");
  Address address = 0;
  if (mode == delta_mode && !in.hexadecimal(address, "a base address (hexadecimal)")) return false;
  if (!in.decimal(count, "a number of addresses")) return false;
  if (count > most_places) return in.fail_token("a number of addresses that fit into the line");
  places.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    std::int64_t delta = 0;
    if (mode == list_mode) {
      if (!in.hexadecimal(address, "an address (hexadecimal)")) return false;
    } else if (i > 0) {
      if (!in.decimal(delta, "an address delta (signed decimal)")) return false;
      address += static_cast<Address>(delta);
    }
    places.push_back(address);
  }
  return true;
}

}  // namespace strata::traces

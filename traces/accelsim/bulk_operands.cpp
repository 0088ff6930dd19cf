#include "traces/accelsim/bulk_operands.h"

#include <algorithm>
#include <iterator>

namespace strata::traces {
namespace {

constexpr std::string_view names[] = {"UBLKCP", "UBLKPF",   "UBLKRED", "UTMALDG",
                                      "UTMAPF", "UTMAREDG", "UTMASTG"};
constexpr unsigned lane_bytes = 16, most_gap = 128;
constexpr std::uint64_t most_place_bytes = 4096;  // more is no request of an engine
constexpr std::uint32_t list_mode = 3, delta_mode = 4;
constexpr std::uint32_t most_places = 1 << 15;  // a line has 65536 characters

}  // namespace

bool is_bulk_copy(std::string_view opcode) {
  return std::find(std::begin(names), std::end(names), opcode.substr(0, opcode.find('.'))) != std::end(names);
}

OpClass bulk_access(std::string_view opcode) {
  const std::string_view base = opcode.substr(0, opcode.find('.'));
  if (base == "UTMALDG" || base == "UTMAPF" || base == "UBLKPF") return OpClass::load;
  if (base == "UTMASTG" || base == "UTMAREDG" || base == "UBLKRED") return OpClass::store;
  if (opcode.find(".S.G") != std::string_view::npos) return OpClass::load;
  if (opcode.find(".G.S") != std::string_view::npos) return OpClass::store;
  return OpClass::other;
}

unsigned BulkOperands::place_bytes() const {
  if (places.empty()) return 0;
  std::uint64_t each = bytes > outside ? (bytes - outside) / places.size() : 0;
  for (std::size_t i = 1; each == 0 && i < places.size(); ++i)
    if (places[i] > places[i - 1]) each = std::min<std::uint64_t>(places[i] - places[i - 1], most_gap);
  each = std::min(each, most_place_bytes);
  return each <= lane_bytes ? lane_bytes
                            : static_cast<unsigned>((each + lane_bytes - 1) / lane_bytes * lane_bytes);
}

void BulkOperands::add_pieces(WarpInstruction copy, OpClass access, CtaTrace& cta) const {
  copy.op = access;
  copy.width = lane_bytes;
  copy.async = copy.bulk = true;
  copy.bypass_l1 = access == OpClass::load;
  copy.destination = no_register;
  std::vector<Address> lanes;
  const auto flush = [&] {
    const std::size_t count = lanes.size();
    copy.active_mask = count == 32 ? ~0U : (1U << count) - 1;
    bool regular = true;
    for (std::size_t i = 1; i < count; ++i) regular = regular && lanes[i] - lanes[i - 1] == lane_bytes;
    copy.address_kind = regular ? AddressKind::stride : AddressKind::list;
    copy.address = regular ? lanes.front() : cta.addresses.size();
    copy.stride = regular && count > 1 ? static_cast<std::int32_t>(lane_bytes) : 0;
    if (!regular) cta.addresses.insert(cta.addresses.end(), lanes.begin(), lanes.end());
    cta.instructions.push_back(copy);
    lanes.clear();
  };
  const unsigned each = place_bytes();
  for (const Address place : places)
    for (unsigned at = 0; at < each; at += lane_bytes) {
      lanes.push_back(place + at);
      if (lanes.size() == 32) flush();
    }
  if (!lanes.empty()) flush();
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

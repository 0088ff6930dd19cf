#include "models/sm_cluster/remote_access.h"

#include <algorithm>
#include <array>
#include <map>

#include "models/sm_cluster/decoded_instruction.h"

namespace strata {
namespace {

constexpr Address place_mask = (Address{1} << SyncWord::rank_shift) - 1;

/// 1 + the rank of the CTA that an address names; 0: one's own.
Address code_of(Address address, unsigned rank) {
  const Address code = address >> SyncWord::rank_shift;
  return code == rank + 1 ? 0 : code;
}

/// The lanes of `instruction` at these places of one shared memory, as an instruction of their own.
struct Lanes {
  Lanes(const WarpInstruction& instruction, std::vector<Address> places) : of_lanes(instruction) {
    of_lanes.address_kind = AddressKind::list;
    of_lanes.address = 0;
    of_lanes.active_mask = ~std::uint32_t{0} >> (32 - places.size());
    cta.addresses = std::move(places);
  }
  SharedPasses passes() const { return shared_passes(of_lanes, cta); }
  std::size_t words() const {
    std::vector<Address> all;
    for (const Address place : cta.addresses)
      for (Address word = place / 4; word <= (place + of_lanes.width - 1) / 4; ++word) all.push_back(word);
    std::sort(all.begin(), all.end());
    return static_cast<std::size_t>(std::unique(all.begin(), all.end()) - all.begin());
  }

  WarpInstruction of_lanes;
  CtaTrace cta;
};

}  // namespace

bool names_other_cta(const WarpInstruction& instruction, const CtaTrace& cta, unsigned rank) {
  if (!touches_shared_memory(instruction.op) || instruction.address_kind == AddressKind::none) return false;
  std::array<Address, 32> addresses;
  const int lanes = lane_addresses(instruction, cta, addresses);
  return std::any_of(addresses.begin(), addresses.begin() + lanes,
                     [rank](Address address) { return code_of(address, rank) != 0; });
}

bool wants_result(const WarpInstruction& instruction) {
  return instruction.op == OpClass::shared_load || instruction.destination != no_register ||
         instruction.first_use != unknown_distance;
}

RemoteAccess remote_access(const WarpInstruction& instruction, const CtaTrace& cta, unsigned rank) {
  RemoteAccess access;
  access.access_class = instruction.op == OpClass::shared_load ? AccessClass::load
                        : wants_result(instruction)            ? AccessClass::atomic
                                                               : AccessClass::store;
  std::array<Address, 32> addresses;
  const int lanes = lane_addresses(instruction, cta, addresses);
  std::map<Address, std::vector<Address>> places;  // by 1 + rank
  for (int i = 0; i < lanes; ++i) {
    const Address address = addresses[static_cast<std::size_t>(i)];
    places[code_of(address, rank)].push_back(address & place_mask);
  }
  for (auto& [code, of_cta] : places) {
    const Lanes group(instruction, of_cta);
    if (code == 0) {
      access.own = group.passes();
      continue;
    }
    RemotePart part;
    part.rank = static_cast<std::uint8_t>(code - 1);
    part.cycles = static_cast<std::uint8_t>(std::max(group.passes().cycles, 1));
    part.words = static_cast<std::uint16_t>(std::max<std::size_t>(group.words(), 1));
    part.bytes = static_cast<std::uint16_t>(of_cta.size() * instruction.width);
    access.parts.push_back(part);
  }
  return access;
}

}  // namespace strata

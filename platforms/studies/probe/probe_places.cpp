#include "platforms/studies/probe/probe_places.h"

#include <array>
#include <map>

#include "models/common/dram_rows_if.h"

namespace strata::platforms {
namespace {

constexpr Address base = 0x7f0000000000;
constexpr Address searched = 16 * MiB;

}  // namespace

ProbePlaces probe_places(const ResolvedNetlist& netlist) {
  const DramRowsParams* params = nullptr;
  for (const ResolvedGroup& group : netlist.groups)
    if (const auto* found = dynamic_cast<const DramRowsParams*>(group.base.params.get())) params = found;
  ProbePlaces places;
  if (params == nullptr) return places;
  const auto map = make_address_map(netlist.address_map);
  const auto row_at = params->dram_rows(*map);
  std::map<std::array<std::uint64_t, 3>, std::int64_t> row_of;  // by channel, controller and bank
  std::array<std::uint64_t, 3> first{};
  std::int64_t first_row = 0;
  for (Address line = base; line < base + searched; line += map->line_bytes()) {
    const DramRow where = row_at(line);
    const std::array<std::uint64_t, 3> bank{where.channel, where.controller, where.bank};
    if (line == base) {
      first = bank;
      first_row = where.row;
    }
    if (bank == first && where.row == first_row && places.same_row.size() < 64)
      places.same_row.push_back(line);
    if (places.banks.size() < 64 && row_of.emplace(bank, where.row).second) places.banks.push_back(line);
  }
  return places;
}

}  // namespace strata::platforms

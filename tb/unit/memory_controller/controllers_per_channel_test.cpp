// Several memory controllers behind one channel of the address map: each line has one place.
#include <set>
#include <tuple>

#include "models/memory_controller/dram_address_decoder.h"
#include "models/noc/routing/destination.h"
#include "tb/support/catch.h"

using namespace strata;

// 4 channels of 8 controllers, partitions of 2 lines. 2^14 neighbouring lines are 2^13 partitions: 2^11 a
// channel, 2^8 a controller, so each controller holds the indices 0 to 511, each once.
TEST_CASE("lines spread over the controllers of a channel, dense and each once") {
  for (const auto kind : {AddressMapParams::Kind::bits, AddressMapParams::Kind::pae}) {
    AddressMapParams params;
    params.kind = kind;
    params.channels = 4;
    params.slices_per_channel = 16;
    const auto map = make_address_map(params);
    std::set<std::tuple<int, std::uint64_t, std::uint64_t>> places;
    for (Address line = 0; line < (Address{1} << 14) * 128; line += 128) {
      Access access;
      access.line = line;
      const std::uint64_t controller = destination_of(DestinationKind::partition, *map, access) % 8;
      const std::uint64_t index = index_in_controller(*map, line, 8);
      CHECK(index < 512);
      places.insert({map->locate(line).channel, controller, index});
      // Two slices of a channel share a controller: slice and controller follow from the same partition.
      CHECK(static_cast<std::uint64_t>(map->locate(line).slice) % 8 == controller);
    }
    CHECK(places.size() == std::size_t{1} << 14);
  }
}

TEST_CASE("one controller a channel keeps the index of the address map") {
  const auto map = make_address_map(AddressMapParams{});
  for (Address line = 0; line < 100000; line += 128)
    CHECK(index_in_controller(*map, line, 1) == map->local_line(line));
}

#include "models/common/address_map.h"

#include <fstream>
#include <random>
#include <set>

#include "models/common/faults.h"
#include "models/common/gf2_matrix.h"
#include "models/common/reciprocal.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"

using namespace strata;

namespace {

AddressMapParams shape(AddressMapParams::Kind kind, int channels, int slices, std::uint64_t partition = 256) {
  AddressMapParams params;
  params.kind = kind;
  params.channels = channels;
  params.slices_per_channel = slices;
  params.partition = Bytes(partition);
  return params;
}

/// The only fault of making a PAE map from a matrix file with this text.
Fault matrix_fault(const std::string& text) {
  const strata::tb::TempFolder folder;
  const std::string path = folder.path() + "/matrix.txt";
  std::ofstream(path) << text;
  AddressMapParams params = shape(AddressMapParams::Kind::pae, 8, 8);
  params.matrix = path;
  try {
    make_address_map(params);
  } catch (const ConfigError& error) {
    REQUIRE(error.faults().size() == 1);
    CHECK(error.faults()[0].where.file == path);
    return error.faults()[0];
  }
  FAIL("the matrix was accepted");
  return {};
}

bool mentions(const Fault& fault, const std::string& words) {
  return fault.message.find(words) != std::string::npos;
}

constexpr auto bits = AddressMapParams::Kind::bits;
constexpr auto pae = AddressMapParams::Kind::pae;

}  // namespace

TEST_CASE("plain slicing takes channel and slice from the bits above the partition") {
  const auto map = make_address_map(shape(bits, 8, 8));
  // 0x12345680 / 256 = 0x123456: channel = 6, above it 0x2468a: slice = 2; 0x80 is the second line of the
  // partition.
  const Location where = map->locate(0x12345680);
  CHECK(where.channel == 6);
  CHECK(where.slice == 2);
  CHECK(map->local_line(0x12345680) == 0x2468a * 2 + 1);
}

TEST_CASE("a number of channels that is no power of two takes a modulo") {
  const auto map = make_address_map(shape(bits, 6, 5));
  // Partition 1000 = 166 * 6 + 4; 166 = 33 * 5 + 1.
  CHECK(map->locate(256000).channel == 4);
  CHECK(map->locate(256000).slice == 1);
  CHECK(map->local_line(256000) == 332);
}

TEST_CASE("channel and local line name every line once and stay dense") {
  for (const auto kind : {bits, pae})
    for (const int channels : {1, 2, 5, 6, 8, 12, 32})
      for (const int slices : {1, 3, 8, 16}) {
        CAPTURE(static_cast<int>(kind), channels, slices);
        const auto map = make_address_map(shape(kind, channels, slices));
        constexpr std::uint64_t partitions = 1 << 13;  // an aligned block: PAE permutes within it
        std::set<std::pair<int, std::uint64_t>> seen;
        std::uint64_t farthest = 0;
        for (std::uint64_t line = 0; line < 2 * partitions; ++line) {
          const Location where = map->locate(line * 128);
          const std::uint64_t local = map->local_line(line * 128);
          REQUIRE(where.channel < channels);
          REQUIRE(where.slice == static_cast<int>(local / 2 % static_cast<std::uint64_t>(slices)));
          seen.emplace(where.channel, local);
          farthest = std::max(farthest, local);
        }
        CHECK(seen.size() == 2 * partitions);
        const auto n = static_cast<std::uint64_t>(channels);
        CHECK(farthest < 2 * ((partitions + n - 1) / n));
      }
}

TEST_CASE("the built-in matrix spreads every power-of-two stride over all channels and slices") {
  const auto map = make_address_map(shape(pae, 8, 8));
  // The columns of 6 successive bits are 6 successive powers of x modulo a primitive polynomial: independent.
  for (int stride = 8; stride + 6 <= 40; ++stride) {
    std::set<int> places;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const Location where = map->locate(i << stride);
      places.insert(where.channel * 8 + where.slice);
    }
    CHECK(places.size() == 64);
  }
}

TEST_CASE("PAE agrees with the matrix product for random addresses") {
  constexpr std::uint64_t seed = 11;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::uint64_t partition : {128, 256, 4096})
    for (const int channels : {8, 12}) {
      const auto map = make_address_map(shape(pae, channels, 8, partition));
      const int low = __builtin_ctzll(partition);
      const Gf2Matrix matrix = default_pae_matrix(40 - low, channels == 8 ? 6 : 7);
      for (int i = 0; i < 2000; ++i) {
        const Address address = random() >> 15;  // 49 bits, as virtual addresses of GPUs have
        const std::uint64_t product =
            matrix.multiply((address & 0xff'ffff'ffff) >> low) | address >> 40 << (40 - low);
        const auto n = static_cast<std::uint64_t>(channels);
        const Location where = map->locate(address);
        REQUIRE(where.channel == static_cast<int>(product % n));
        REQUIRE(where.slice == static_cast<int>(product / n % 8));
        REQUIRE(map->local_line(address) ==
                product / n * (partition / 128) + (address >> 7 & (partition / 128 - 1)));
      }
    }
}

TEST_CASE("every built-in matrix is invertible and a duplicated row is found") {
  for (int hashed = 0; hashed <= 20; ++hashed) {
    Gf2Matrix matrix = default_pae_matrix(32, hashed);
    CHECK(first_dependent_row(matrix) == gf2_invertible);
    matrix.rows[31] = matrix.rows[3] ^ matrix.rows[7] ^ matrix.rows[20];
    CHECK(first_dependent_row(matrix) == 31);
  }
}

TEST_CASE("a matrix file means what the built-in matrix means") {
  const strata::tb::TempFolder folder;
  AddressMapParams params = shape(pae, 8, 8);
  const auto built_in = make_address_map(params);
  params.matrix = folder.path() + "/matrix.txt";
  std::ofstream(params.matrix) << "# a comment\n" << to_text(default_pae_matrix(32, 6), 8);
  const auto read = make_address_map(params);
  params.matrix = "platforms/machines/address_maps/pae_64_targets.txt";
  const auto shipped = make_address_map(params);
  for (Address address = 0; address < 4 * MiB; address += 128 * 37) {
    REQUIRE(read->local_line(address) == built_in->local_line(address));
    REQUIRE(shipped->locate(address).channel == built_in->locate(address).channel);
    REQUIRE(shipped->locate(address).slice == built_in->locate(address).slice);
  }
}

TEST_CASE("the shipped IPOLY matrix divides an address by x^6 + x + 1") {
  AddressMapParams params = shape(pae, 32, 2);
  params.matrix = "platforms/machines/address_maps/ipoly_64_slices.txt";
  const auto map = make_address_map(params);
  // Number of a slice of 64, as GPGPU-Sim has it: channel above, slice of the channel below. Address bit 13
  // is x^0, bits 8 to 12 are x^1 to x^5, bit 14 is x^6 = x + 1, bit 19 is x^11 = x^5 + x + 1.
  const auto slice = [&](Address address) {
    const Location where = map->locate(address);
    return where.channel * 2 + where.slice;
  };
  CHECK(slice(0x2000) == 1);
  CHECK(slice(0x100) == 2);
  CHECK(slice(0x1000) == 32);
  CHECK(slice(0x4000) == 3);
  CHECK(slice(0x80000) == 35);
  CHECK(slice(0x84100) == (35 ^ 3 ^ 2));
  CHECK(slice(Address{1} << 33) == 0);  // not hashed in
  // What is left is the address without bits 8 to 12; bit 13 is the slice.
  const auto bit = static_cast<std::uint64_t>(slice(0x84180) % 2);
  CHECK(map->local_line(0x84180) == (0x84180U >> 14 << 2 | bit << 1 | 1U));
}

TEST_CASE("faults of a matrix file name its line") {
  const std::string good = to_text(default_pae_matrix(32, 6), 8);
  const auto line_end = [&](int line) {
    std::size_t at = 0;
    for (int i = 0; i < line; ++i) at = good.find('\n', at) + 1;
    return at;
  };
  std::string text = good;
  text[line_end(5)] = '2';
  CHECK(matrix_fault(text).where.line == 6);
  CHECK(mentions(matrix_fault(text), "row of output bit 35: '2' is neither 0 nor 1"));
  text = good;
  text.replace(line_end(1), 32, std::string(32, '0'));
  CHECK(matrix_fault(text).where.line == 2);
  CHECK(mentions(matrix_fault(text), "not invertible: the row of output bit 39 is zero"));
  text = good;
  text.replace(line_end(1), 32, good.substr(line_end(9), 32));
  CHECK(mentions(matrix_fault(text), "not invertible"));
  text = good;
  text.erase(line_end(7), 1);
  CHECK(matrix_fault(text).where.line == 8);
  CHECK(mentions(matrix_fault(text), "31 columns; 32 are needed"));
  CHECK(mentions(matrix_fault(good.substr(0, line_end(20))), "19 rows; 32 are needed"));
  CHECK(mentions(matrix_fault(good + std::string(32, '1') + "\n"), "more than 32 rows"));
  CHECK(mentions(matrix_fault("bits 39..7\n"), "needs bits 39..8"));
  CHECK(mentions(matrix_fault(good.substr(line_end(1))), "must come before the rows"));
  CHECK(mentions(matrix_fault(""), "is missing"));
}

TEST_CASE("faults of the parameters") {
  AddressMapParams params = shape(pae, 8, 8);
  params.matrix = "no/such/file.txt";
  CHECK_THROWS_WITH(make_address_map(params),
                    "no/such/file.txt: cannot read the matrix file: no such file or directory");
  params.kind = bits;
  CHECK_THROWS_WITH(make_address_map(params), strata::tb::has_text("only kind pae has a matrix"));
  CHECK_THROWS_WITH(make_address_map(shape(bits, 8, 8, 64)), strata::tb::has_text("less than a line"));
  CHECK_THROWS_AS(make_address_map(shape(bits, 0, 8)), ConfigError);
  CHECK_THROWS_AS(make_address_map(shape(bits, 8, 8, 384)), ConfigError);
}

TEST_CASE("division by reciprocal is exact up to 48 bits") {
  constexpr std::uint64_t seed = 3;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const std::uint64_t divisor : {1, 2, 3, 5, 6, 7, 12, 48, 64, 641, 65521, 65535}) {
    const Reciprocal reciprocal(divisor);
    for (int i = 0; i < 5000; ++i) {
      std::uint64_t value = random() >> 16;
      if (i % 2 == 0)
        value = value / divisor * divisor - (i % 4 == 0 && value >= divisor ? 1 : 0);  // the edges
      REQUIRE(reciprocal.quotient(value) == value / divisor);
      REQUIRE(reciprocal.remainder(value) == value % divisor);
    }
  }
}

TEST_CASE("a map of a plug-in permutes partitions, and one that gives two of them one number is refused") {
  struct Swapped final : PartitionMap {
    std::uint64_t permute(std::uint64_t partition) const override { return partition ^ 1; }
  };
  struct Folded final : PartitionMap {
    std::uint64_t permute(std::uint64_t partition) const override { return partition & ~std::uint64_t{64}; }
  };
  auto& table = AddressMapRow::table();
  CHECK(table.find("pae") == static_cast<int>(pae));
  table.add({"swapped", "adjacent partitions change places", [](const AddressMapParams& params) {
               return std::make_unique<AddressMap>(params, std::make_unique<Swapped>());
             }});
  table.add({"folded", "wrong", [](const AddressMapParams& params) {
               return std::make_unique<AddressMap>(params, std::make_unique<Folded>());
             }});
  const auto map = make_address_map(shape(static_cast<AddressMapParams::Kind>(table.find("swapped")), 8, 8));
  CHECK(map->locate(256).channel == 0);  // partition 1 has the number 0
  CHECK(map->locate(0).channel == 1);
  CHECK(map->local_line(8 * 256 + 128) == 3);  // partition 8: number 9, the second of channel 1
  CHECK_THROWS_WITH(make_address_map(shape(static_cast<AddressMapParams::Kind>(table.find("folded")), 8, 8)),
                    "address_map: kind 'folded' gives partition 64 the number of one before it");
}

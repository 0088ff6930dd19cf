// An L1 that shares its memory with the shared memory of its SM.
#include "models/l1/l1_carve_out.h"

#include <random>

#include "models/l1/l1_sectored.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

template <class Params>
Params carved(int ways) {
  Params params;
  params.size.count = 64 * KiB;
  params.ways = ways;
  params.carve_out = "0 16 32 48";
  return params;
}

Access load_of(Address line) {
  Access access;
  access.access_class = AccessClass::load;
  access.line = line;
  access.sectors = 0xf;
  return access;
}

// Whether each of some random loads hits. Each is answered before the next comes.
template <class Organization>
std::vector<bool> hits(Organization& l1, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<bool> found;
  for (int i = 0; i < 20000; ++i) {
    Access access = load_of(random() % 800 * 128);
    const L1Decision decision = l1.lookup(access, static_cast<Cycle>(i), true);
    found.push_back(decision.outcome == L1Outcome::hit);
    if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch).pop();
  }
  return found;
}

// With 48, 32 and 16 KiB left it is a cache of that size, and with all of it the whole one again.
template <class Organization>
void check_as_smaller(typename Organization::Params params) {
  Organization l1(params);
  for (const std::uint64_t shared : {10 * KiB, 17 * KiB, 48 * KiB, std::uint64_t{0}}) {
    l1.share(shared);
    const std::uint64_t taken = shared == 0 ? 0 : (shared + 16 * KiB - 1) / (16 * KiB) * 16;
    typename Organization::Params smaller = params;
    smaller.carve_out.clear();
    smaller.size.count = (64 - taken) * KiB;
    smaller.ways = params.ways - static_cast<int>(params.ways * taken / 64);
    INFO(taken << " KiB taken");
    Organization expected(smaller);
    const auto seed = static_cast<unsigned>(taken);
    CHECK(hits(l1, seed) == hits(expected, seed));
  }
}

}  // namespace

// The V100: 128 KiB in 64 ways of 2 KiB. 96 KiB of shared memory leave 16 of them.
TEST_CASE("the smallest carve-out that holds a kernel's shared memory is taken") {
  const L1CarveOut v100("0 8 16 32 64 96", Bytes(128 * KiB), 64);
  CHECK(v100.ways_beside(0) == 64);
  CHECK(v100.ways_beside(1) == 60);
  CHECK(v100.ways_beside(8 * KiB) == 60);
  CHECK(v100.ways_beside(8 * KiB + 1) == 56);
  CHECK(v100.ways_beside(33 * KiB) == 32);
  CHECK(v100.ways_beside(96 * KiB) == 16);
  CHECK(v100.ways_beside(200 * KiB) == 16);
  CHECK(L1CarveOut("", Bytes(128 * KiB), 64).ways_beside(96 * KiB) == 64);
}

TEST_CASE("a carved L1 is a smaller one, hit by hit") {
  check_as_smaller<L1Private>(carved<L1PrivateParams>(8));
  check_as_smaller<L1Private>(carved<L1PrivateParams>(16));
  check_as_smaller<L1Sectored>(carved<L1SectoredParams>(8));
  L1SectoredParams reserving = carved<L1SectoredParams>(8);
  reserving.allocation = Allocation::on_miss;
  check_as_smaller<L1Sectored>(reserving);
}

// A line that is being fetched when the size changes serves its waiter and is not kept.
TEST_CASE("what is under way when the size changes is not kept") {
  L1SectoredParams params = carved<L1SectoredParams>(8);
  params.allocation = Allocation::on_miss;
  L1Sectored l1(params);
  Access access = load_of(0);
  const L1Decision decision = l1.lookup(access, 0, true);
  REQUIRE(decision.outcome == L1Outcome::miss_new);
  l1.share(48 * KiB);
  AccessFifo served = l1.fill(decision.fetch);
  REQUIRE_FALSE(served.empty());
  CHECK(&served.pop() == &access);
  CHECK_FALSE(l1.contains(0));
}

TEST_CASE("carve-outs that leave no whole ways are refused by name") {
  const auto message = [](const char* sizes) {
    L1PrivateParams params = carved<L1PrivateParams>(8);
    params.carve_out = sizes;
    const Faults faults = params.validate();
    if (faults.empty()) return std::string();
    CHECK(faults.size() == 1);
    CHECK(faults[0].where.file == "carve_out");
    return faults[0].message;
  };
  CHECK(message("0 8 16 56").empty());
  CHECK_THAT(message("0 12"), tb::has_text("names 12") && tb::has_text("multiples of 8 KiB below $.size"));
  CHECK_THAT(message("64"), tb::has_text("names 64"));
  CHECK_THAT(message("16 8"), tb::has_text("names 8 behind 16"));
  CHECK_THAT(message("lots"), tb::has_text("'lots'; allowed: rising numbers of KiB"));
  CHECK_THAT(message("-8"), tb::has_text("rising numbers"));
}

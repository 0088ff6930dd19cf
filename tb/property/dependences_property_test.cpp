// SmCore on decoded CTAs against a specification that keeps a time for every register.
#include <algorithm>
#include <random>

#include "models/sm_cluster/decoded_cta.h"
#include "tb/property/register_sm.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

using Random = std::mt19937_64;

int up_to(Random& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most + 1));
}

// Short latencies mostly, any allowed one at times.
int latency(Random& random) {
  return 1 + (random() % 4 == 0 ? up_to(random, 999) : up_to(random, 40));
}

SmClusterParams random_params(Random& random) {
  SmClusterParams params;
  params.schedulers = 1;
  params.alu_latency = latency(random);
  for (UnitParams* const units : params.units()) {
    units->latency = random() % 3 == 0 ? 0 : latency(random);
    units->interval = random() % 3 == 0 ? 1 : 1 + up_to(random, random() % 2 == 0 ? 5 : 63);
    units->units = 1 + up_to(random, most_units - 1);
  }
  params.shared_latency = latency(random);
  params.alu_interval = random() % 2 == 0 ? 1 : 1 + up_to(random, 63);
  params.lsu_depth = 1 + up_to(random, 63);
  if (random() % 3 == 0) params.instruction_buffer = 1 + up_to(random, random() % 2 == 0 ? 3 : 63);
  params.fetch_bubble = 1 + up_to(random, random() % 2 == 0 ? 3 : 63);
  params.arbitration = random() % 2 == 0 ? Arbitration::fixed : Arbitration::oldest;
  params.loads_per_warp = 1 + up_to(random, 31);
  params.line.count = std::uint64_t{32} << random() % 4;
  return params;
}

std::uint8_t random_register(Random& random, int registers) {
  const std::uint64_t kind = random() % 8;
  if (kind == 0) return static_cast<std::uint8_t>(250 + random() % 6);
  return kind < 3 ? no_register : static_cast<std::uint8_t>(up_to(random, registers));
}

WarpInstruction random_instruction(Random& random, CtaTrace& cta, int registers) {
  WarpInstruction i;
  i.pc = static_cast<std::uint32_t>(random());
  i.op = static_cast<OpClass>(random() % static_cast<unsigned>(OpClass::count_));
  if (random() % 2 == 0) i.op = OpClass::alu;
  i.active_mask = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : ~0U;
  if (random() % 20 == 0) i.active_mask = 0;
  i.width = static_cast<std::uint8_t>(1U << random() % 5);
  i.destination = random_register(random, registers);
  i.destination_count = static_cast<std::uint8_t>(random() % 4 == 0 ? random() % 6 : 1);
  for (std::uint8_t& source : i.sources) source = random_register(random, registers);
  if (random() % 2 == 0) std::fill(i.sources.begin() + 1, i.sources.end(), no_register);
  i.weight = static_cast<std::uint8_t>(random() % 8 != 0 ? 1 : random() % 4 != 0 ? random() % 4 : random());
  if (random() % 2 == 0)
    for (std::uint8_t& units : i.units)
      units = static_cast<std::uint8_t>(random() % 3 == 0 ? random() % 9 : 0);
  if (random() % 3 == 0)
    i.first_use = static_cast<std::uint8_t>(random() % 8 == 0 ? random() : random() % 12);
  i.address_kind = static_cast<AddressKind>(random() % 3);
  if (i.address_kind == AddressKind::stride) {
    constexpr std::int32_t strides[] = {0, 4, 8, 128, -64, 4096};
    i.address = 0x7f0000000000 + random() % 4096 * 4;
    i.stride = strides[random() % 6];
  } else if (i.address_kind == AddressKind::list) {
    i.address = cta.addresses.size();
    for (int lane = 0; lane < i.active_lanes(); ++lane)
      cta.addresses.push_back(random() % 8 == 0 ? 0 : 0x10000 + random() % 8192 * 4);
  }
  return i;
}

// A warp of the same program, as a rule: elsewhere in memory, with other lanes, or a little different.
std::vector<WarpInstruction> another_warp(Random& random, CtaTrace& cta, std::vector<WarpInstruction> warp) {
  const Address moves[] = {0, 32, 128, 4096};
  for (WarpInstruction& i : warp) {
    if (i.address_kind == AddressKind::stride) {
      i.address += moves[random() % 4];
      if (random() % 16 == 0) i.address %= 16;  // lanes with address 0 do not count
      if (random() % 16 == 0) i.stride = random() % 2 == 0 ? 4 : -4;
      if (random() % 16 == 0) i.active_mask = 15;
    }
    if (random() % 32 == 0) i.active_mask = static_cast<std::uint32_t>(random());
    if (random() % 64 == 0) i.sources[random() % 5] = random_register(random, 8);
    if (random() % 64 == 0) i.weight = static_cast<std::uint8_t>(random() % 4);
    if (random() % 64 == 0) i.units[random() % 4] = static_cast<std::uint8_t>(random() % 3);
    if (i.address_kind != AddressKind::list) continue;  // addresses of its own, in case it has more lanes
    i.address = cta.addresses.size();
    for (int lane = 0; lane < 32; ++lane) cta.addresses.push_back(random() % 8192 * 4);
  }
  if (random() % 8 == 0) warp[random() % warp.size()] = random_instruction(random, cta, 8);
  if (random() % 8 == 0) warp.pop_back();
  if (warp.empty()) warp.push_back(random_instruction(random, cta, 8));
  return warp;
}

}  // namespace

TEST_CASE("Random instructions issue in the cycles that registers with times allow") {
  const unsigned seed = 20261122;
  INFO("seed " << seed);
  Random random(seed);
  std::size_t issued = 0;
  for (int n = 0; n < 600; ++n) {
    const SmClusterParams params = random_params(random);
    const int registers = 1 + up_to(random, 40), count = 1 + up_to(random, 300);
    CtaTrace cta;
    for (int i = 0; i < count; ++i) cta.instructions.push_back(random_instruction(random, cta, registers));
    cta.warp_begin = {0, static_cast<std::uint32_t>(count)};
    CoreBench bench(params);
    bench.latency = 1 + static_cast<Cycle>(up_to(random, 300));
    const RegisterSm expected(params, cta, bench.latency);
    bench.launch_cta(cta);
    bench.run(never);
    INFO("stream " << n);
    REQUIRE(bench.issues == expected.issues);
    REQUIRE(bench.lines.size() == expected.lines.size());
    for (std::size_t i = 0; i < bench.lines.size(); ++i) {
      REQUIRE(bench.lines[i].sent == expected.lines[i].sent);
      REQUIRE(bench.lines[i].line == expected.lines[i].line);
      REQUIRE(bench.lines[i].sectors == __builtin_popcount(expected.lines[i].sectors));
    }
    issued += bench.issues.size();
  }
  CHECK(issued > 50000);
}

TEST_CASE("A warp decodes as it would alone, however like the one before it is") {
  const unsigned seed = 20261123;
  INFO("seed " << seed);
  Random random(seed);
  int shared = 0;
  for (int n = 0; n < 400; ++n) {
    const SmClusterParams params = random_params(random);
    CtaTrace all;
    std::vector<WarpInstruction> warp;
    for (int i = up_to(random, 30); i >= 0; --i) warp.push_back(random_instruction(random, all, 8));
    all.warp_begin = {0};
    for (int w = 0; w < 12; ++w) {
      all.instructions.insert(all.instructions.end(), warp.begin(), warp.end());
      all.warp_begin.push_back(static_cast<std::uint32_t>(all.instructions.size()));
      warp = another_warp(random, all, warp);
    }
    DecodedCta together, alone;
    CtaDecoder(params).decode(all, together);
    const InstructionWord::Word* lines = together.warp(0).lines;
    for (std::size_t w = 0; w < all.warps(); ++w) {
      CtaTrace one;
      one.addresses = all.addresses;
      one.instructions.assign(all.instructions.begin() + all.warp_begin[w],
                              all.instructions.begin() + all.warp_begin[w + 1]);
      one.warp_begin = {0, static_cast<std::uint32_t>(one.instructions.size())};
      CtaDecoder(params).decode(one, alone);
      INFO("CTA " << n << ", warp " << w);
      const DecodedCode here = together.warp(w), there = alone.warp(0);
      REQUIRE(here.lines == lines);
      REQUIRE(std::equal(there.code, there.code + alone.code_words(), here.code));
      REQUIRE(std::equal(there.lines, there.lines + alone.line_words(), lines));
      lines += alone.line_words();
      shared += w > 0 && here.code == together.warp(w - 1).code ? 1 : 0;
    }
    REQUIRE(lines == together.warp(0).lines + together.line_words());
  }
  CHECK(shared > 400);
}

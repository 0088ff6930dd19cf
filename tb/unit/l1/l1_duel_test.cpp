#include <deque>

#include "models/l1/l1_tag_split.h"
#include "tb/support/catch.h"

using namespace strata;

// Four parts make a packet of 32 B: five are two packets and the request.
TEST_CASE("a duel counts packets of 32 B where chunks are smaller") {
  L1TagSplitParams params;
  params.chunk = Bytes(8);
  params.mode = L1TagSplitParams::Mode::duel;
  L1TagSplit l1(params, 1);
  const L1Duel& duel = *l1.tags().duel();
  std::uint64_t line = 0;
  const SetIndex index(params.sets(), params.set_index);
  while (duel.sampler(index(line)) != L1Duel::Sampler::fine) ++line;
  Access access;
  access.line = line * 128;
  access.sectors = 0b0011;
  access.parts = 0x001f;
  l1.lookup(access, 0, true);
  CHECK(duel.counts(L1Duel::Sampler::fine).misses == 1);
  CHECK(duel.counts(L1Duel::Sampler::fine).packets == 3);
}

// 1 + n packets: a fine miss of one sector costs 2, a coarse one of four 5.
TEST_CASE("a duel: misses x packets, halved when misses pass the bound") {
  L1Duel duel(8, 1, 4, 7);
  using Sampler = L1Duel::Sampler;
  int fine = 0, coarse = 0;
  for (std::uint32_t set = 0; set < 8; ++set) {
    fine += duel.sampler(set) == Sampler::fine ? 1 : 0;
    coarse += duel.sampler(set) == Sampler::coarse ? 1 : 0;
  }
  CHECK(fine == 1);
  CHECK(coarse == 1);
  CHECK_FALSE(duel.coarse());
  duel.missed(Sampler::coarse, 4);  // 1 x 5 against 0
  CHECK_FALSE(duel.coarse());
  duel.missed(Sampler::fine, 1);  // 1 x 2
  CHECK_FALSE(duel.coarse());
  duel.missed(Sampler::fine, 1);  // 2 x 4 = 8 > 5
  CHECK(duel.coarse());
  CHECK(duel.switches() == 1);
  duel.missed(Sampler::fine, 1);
  duel.missed(Sampler::fine, 1);
  CHECK(duel.counts(Sampler::fine).misses == 4);
  duel.missed(Sampler::fine, 1);  // five are above four: 5 and 10 become 2 and 5, 1 and 5 become 0 and 2
  CHECK(duel.counts(Sampler::fine).misses == 2);
  CHECK(duel.counts(Sampler::fine).packets == 5);
  CHECK(duel.counts(Sampler::coarse).misses == 0);
  CHECK(duel.counts(Sampler::coarse).packets == 2);
}

TEST_CASE("the L1s of a name follow the samplers of the first") {
  L1TagSplitParams params;
  params.mode = L1TagSplitParams::Mode::duel;
  std::shared_ptr<void> shared;
  L1TagSplit first(params, 1, &shared), second(params, 2, &shared);
  CHECK(first.tags().duel() == second.tags().duel());
  const L1Duel& duel = *first.tags().duel();
  std::deque<Access> accesses;
  const auto fetched = [&](L1TagSplit& l1, std::uint64_t line) {
    Access& access = accesses.emplace_back();
    access.line = line * 128;
    access.sectors = 1;
    const L1Decision decision = l1.lookup(access, 0, true);
    l1.fill(decision.fetch);
    return decision.sectors;
  };
  const SetIndex index(params.sets(), params.set_index);
  const auto line_in = [&](L1Duel::Sampler sampler) {
    for (std::uint64_t line = 0;; ++line)
      if (duel.sampler(index(line)) == sampler) return line;
  };
  using Sampler = L1Duel::Sampler;
  CHECK(fetched(second, line_in(Sampler::coarse)) == 0b0001);  // not a sampler
  CHECK(fetched(first, line_in(Sampler::coarse)) == 0b1111);   // coarse: 1 x 5
  CHECK(fetched(first, line_in(Sampler::fine)) == 0b0001);     // fine: 1 x 2
  for (std::uint64_t line = 1000; !duel.coarse(); ++line)
    if (duel.sampler(index(line)) == Sampler::fine) fetched(first, line);
  CHECK(duel.counts(Sampler::fine).misses == 2);  // 2 x 4
  CHECK(fetched(first, line_in(Sampler::none)) == 0b1111);
  CHECK(fetched(second, line_in(Sampler::none)) == 0b1111);
  CHECK(fetched(second, line_in(Sampler::fine)) == 0b1111);
  CHECK(first.stats().mode_switches == 1);
  CHECK(second.stats().mode_switches == 0);
}

// ICS 2016, Table 3 and section 5.6: 0.58 KB beyond the 128 B baseline, 0.44 KB with private tags of 5 bits.

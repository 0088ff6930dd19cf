#include "models/l1/l1_tag_split.h"

#include <deque>

#include "models/l1/l1_private.h"
#include "tb/support/catch.h"

using namespace strata;

namespace {

/// Two sets of 8 chunks of 32 B in 2 groups; lines of 128 B. Line number n lies in set n % 2, its tag is n
/// / 2.
L1TagSplitParams tiny(int private_tag = 2) {
  L1TagSplitParams params;
  params.size = Bytes(512);
  params.ways = 2;
  params.groups = 2;
  params.private_tag = private_tag;
  params.set_index = SetIndex::Kind::plain;
  params.replacement = replacement_row("lru");
  params.mshrs = 4;
  return params;
}

/// The address of a line of set 0 with this tag.
constexpr Address line_of(std::uint64_t tag) {
  return tag * 2 * 128;
}

class Driver {
 public:
  explicit Driver(const L1TagSplitParams& params, std::uint64_t seed = 0) : l1(params, seed) {}
  Access& access(std::uint64_t tag, int chunks, AccessClass kind = AccessClass::load) {
    Access& made = accesses_.emplace_back();
    made.line = line_of(tag);
    made.sectors = static_cast<std::uint8_t>(chunks);
    made.access_class = kind;
    return made;
  }
  /// A load that names parts of 8 B.
  Access& of_parts(std::uint64_t tag, unsigned parts) {
    Access& made = access(tag, 0);
    for (int i = 0; i < 4; ++i)
      if ((parts >> 4 * i & 0xf) != 0) made.sectors = static_cast<std::uint8_t>(made.sectors | 1 << i);
    made.parts = static_cast<PartMask>(parts);
    return made;
  }
  L1Decision load(std::uint64_t tag, int chunks) { return l1.lookup(access(tag, chunks), 0, true); }
  /// With the fill, if it misses.
  L1Outcome bring(std::uint64_t tag, int chunks) {
    const L1Decision decision = load(tag, chunks);
    if (decision.outcome == L1Outcome::miss_new) l1.fill(decision.fetch);
    return decision.outcome;
  }
  void store(std::uint64_t tag, int chunks) { l1.lookup(access(tag, chunks, AccessClass::store), 0, true); }
  bool has(std::uint64_t tag, int chunks) const {
    return l1.contains(line_of(tag), static_cast<std::uint8_t>(chunks));
  }
  L1TagSplit l1;

 private:
  std::deque<Access> accesses_;
};

std::uint64_t bits_of(const StorageFields& fields, bool tags_only) {
  std::uint64_t sum = 0;
  for (const StorageField& field : fields)
    if (!tags_only || (field.name != "data" && field.name.rfind("MSHR", 0) != 0))
      sum += field.entries * field.bits;
  return sum;
}

}  // namespace

TEST_CASE("a partial miss fetches the missing chunks, and no chunk is fetched twice") {
  Driver d(tiny());
  Access& first = d.access(0, 0b0011);
  const L1Decision miss = d.l1.lookup(first, 0, true);
  CHECK(miss.outcome == L1Outcome::miss_new);
  CHECK(miss.sectors == 0b0011);
  Access& second = d.access(0, 0b0110);  // chunk 1 is in flight, 2 is not
  const L1Decision more = d.l1.lookup(second, 0, true);
  CHECK(more.outcome == L1Outcome::miss_new);
  CHECK(more.sectors == 0b0100);
  Access& third = d.access(0, 0b0101);
  CHECK(d.l1.lookup(third, 0, true).outcome == L1Outcome::miss_merged);
  CHECK(d.l1.fetching() == 2);
  CHECK(d.l1.fill(more.fetch).empty());  // the second waits for chunk 1, the third for chunk 0
  AccessFifo left = d.l1.fill(miss.fetch);
  REQUIRE(left.size() == 3);
  CHECK(&left.pop() == &first);
  CHECK(&left.pop() == &second);
  CHECK(&left.pop() == &third);
  CHECK(d.load(0, 0b0111).outcome == L1Outcome::hit);
  const L1Decision partial = d.load(0, 0b1111);
  CHECK(partial.sectors == 0b1000);
  CHECK(d.l1.stats().partial_misses == 1);
  CHECK(d.l1.stats().fetched_chunks == 4);
}

TEST_CASE("a load that waits for two fetches leaves with the second, in order of arrival") {
  Driver d(tiny());
  const L1Decision a = d.load(0, 0b0001);
  const L1Decision b = d.load(0, 0b0010);
  Access& both = d.access(0, 0b0011);
  CHECK(d.l1.lookup(both, 0, true).fetch == b.fetch);  // the one asked for last
  CHECK(d.l1.fill(a.fetch).size() == 1);
  AccessFifo left = d.l1.fill(b.fetch);
  REQUIRE(left.size() == 2);
  left.pop();
  CHECK(&left.pop() == &both);
  CHECK(d.l1.fetching() == 0);
}

// Private tags have 2 bits: tags 0 to 3 share, tags 4 to 7 share.
TEST_CASE("lines share a group when the upper bits of their tags are the same, or take another") {
  Driver d(tiny());
  d.bring(0, 0b0001);
  d.bring(1, 0b0011);  // in the same group, which has one place left
  d.bring(5, 0b0001);  // the other group
  d.bring(6, 0b0111);  // and its rest
  CHECK(d.has(0, 1));
  CHECK(d.has(1, 3));
  CHECK(d.has(5, 1));
  CHECK(d.has(6, 7));
  CHECK(d.l1.stats().evictions == 0);
  d.bring(2, 0b0001);  // the free place of tags 0 to 3
  CHECK(d.l1.stats().replaced_chunks == 0);
  d.bring(8, 0b0001);  // a third shared tag: the group of the chunk used longest ago, that of tag 0, goes
  CHECK_FALSE(d.has(0, 1));
  CHECK_FALSE(d.has(1, 1));
  CHECK_FALSE(d.has(2, 1));
  CHECK(d.has(6, 7));
  CHECK(d.l1.stats().evictions == 1);
  CHECK(d.l1.stats().replaced_chunks == 4);
  CHECK(d.l1.stats().retagged_chunks == 3);  // one was evicted itself
}

TEST_CASE("without private tags a group is a line") {
  Driver d(tiny(0));
  d.bring(0, 0b0001);
  d.bring(1, 0b0001);
  d.bring(2, 0b0001);  // no group is left
  CHECK_FALSE(d.has(0, 1));
  CHECK(d.has(1, 1));
  CHECK(d.has(2, 1));
}

// Chunks in order of age: tags 0 and 4 alternate, so that every second one is of the other group.
TEST_CASE("several victims at once: together in a group that changes its tag, or scattered by age") {
  for (const auto victims : {L1TagSplitParams::Victims::together, L1TagSplitParams::Victims::scattered}) {
    L1TagSplitParams params = tiny();
    params.victims = victims;
    Driver d(params);
    for (const int chunk : {1, 2, 4, 8}) {
      d.bring(0, chunk);
      d.bring(4, chunk);
    }
    CHECK(d.load(8, 0b0011).outcome == L1Outcome::miss_new);  // one request, one cycle
    CHECK_FALSE(d.has(0, 1));
    const bool together = victims == L1TagSplitParams::Victims::together;
    CHECK(d.has(4, 0b1111) == together);  // scattered: the second oldest chunk goes, and its group with it
    CHECK(d.l1.stats().replaced_chunks == (together ? 4 : 8));
  }
}

TEST_CASE("chunks of the same shared tag are evicted alone") {
  Driver d(tiny());
  d.bring(0, 0b1111);
  d.bring(1, 0b1111);
  d.bring(2, 0b0011);  // the two oldest: chunks 0 and 1 of tag 0
  CHECK_FALSE(d.has(0, 1));
  CHECK_FALSE(d.has(0, 2));
  CHECK(d.has(0, 0b1100));
  CHECK(d.has(1, 0b1111));
  CHECK(d.l1.stats().retagged_chunks == 0);
}

// Both groups have tags 0 to 3. In order of age: every second chunk is of the other group.
TEST_CASE("a whole line takes the group of its first victim, and of it no more than it needs") {
  for (const auto victims : {L1TagSplitParams::Victims::together, L1TagSplitParams::Victims::lines}) {
    const bool lines = victims == L1TagSplitParams::Victims::lines;
    L1TagSplitParams params = tiny();
    params.victims = victims;
    Driver d(params);
    d.bring(0, 0b1111);
    d.bring(1, 0b1111);
    for (const int chunk : {1, 2, 4, 8}) {
      d.bring(0, chunk);
      d.bring(1, chunk);
    }
    d.bring(2, 0b1111);
    CHECK_FALSE(d.has(0, 0b0001));
    CHECK(d.has(0, 0b1100) == !lines);  // together: the four oldest, two of each
    CHECK(d.has(1, 0b1111) == lines);
    CHECK(d.l1.stats().replaced_chunks == 4);
    d.bring(3, 0b0011);  // half a line: the two oldest, chunks of tag 1 or what is left of tag 0
    CHECK(d.l1.stats().replaced_chunks == 6);
    CHECK(d.has(2, 0b1111));
  }
}

namespace {

/// A set of four groups; each tag is a shared tag of its own. Lines 0 to 3 fill groups 0 to 3.
L1TagSplitParams four_groups(std::string_view replacement) {
  L1TagSplitParams params = tiny(0);
  params.size = Bytes(1024);
  params.ways = 4;
  params.groups = 4;
  params.replacement = replacement_row(replacement);
  return params;
}

}  // namespace

// Bits of the set's 16 places, group by group:
//   lines 0 to 3           1111 1111 1111 1111
//   4, chunk 0             no place is without: place 0, group 0 changes its tag: 1--- 0000 0000 0000
//   1, chunk 1, hits       1--- 0100 0000 0000
//   5, chunks 0 and 1      place 4 is the first without; the group goes to 5: 1--- 11-- 0000 0000
//   6, chunk 0             place 8: 1--- 11-- 1--- 0000
// Places 9 to 15 had no bit when 5 came, so none falls, though place 5 had one until its chunk went.
TEST_CASE("nru: no bit falls while a place is without, whatever else goes with the group") {
  Driver d(four_groups("nru"));
  for (const std::uint64_t tag : {0, 1, 2, 3}) CHECK(d.bring(tag, 0b1111) == L1Outcome::miss_new);
  CHECK(d.bring(4, 0b0001) == L1Outcome::miss_new);
  CHECK(d.bring(1, 0b0010) == L1Outcome::hit);
  CHECK(d.bring(5, 0b0011) == L1Outcome::miss_new);
  CHECK(d.bring(6, 0b0001) == L1Outcome::miss_new);
  CHECK_FALSE(d.has(2, 0b0001));
  CHECK(d.has(5, 0b0011));
  CHECK(d.has(3, 0b1111));
  CHECK(d.bring(4, 0b0001) == L1Outcome::hit);
}

// Two groups; tags 0 to 3 share, tags 4 to 7 share. Chunks by place, and their bits:
//   0.0 1.0 1.1 1.2   4.0 4.1 4.2 4.3    1111 1111
//   0, chunks 0 and 1: reads place 0; of the others none is without, the first is 1:
//   0.0 0.1 1.1 1.2   4.0 4.1 4.2 4.3    1100 0000
//   2, chunk 0: place 2, the first without
TEST_CASE("nru: a partial miss is one use: what it reads keeps its bit when the others' fall") {
  L1TagSplitParams params = tiny();
  params.replacement = replacement_row("nru");
  Driver d(params);
  d.bring(0, 0b0001);
  d.bring(1, 0b0111);
  d.bring(4, 0b1111);
  CHECK(d.bring(0, 0b0011) == L1Outcome::miss_new);
  CHECK_FALSE(d.has(1, 0b0001));
  CHECK(d.bring(2, 0b0001) == L1Outcome::miss_new);
  CHECK_FALSE(d.has(1, 0b0010));
  CHECK(d.has(0, 0b0011));
  CHECK(d.has(1, 0b0100));
  CHECK(d.has(4, 0b1111));
}

// Lines with the bits of their places; of what is drawn only where it may lie is said.
//   0 whole           all that holds something has the bit: all fall: 0000
//   1, 2, 3 whole     0000 1111 1111 1111
//   0, chunk 0        1000 1111 1111 1111
//   4, chunk 0        a place of 1 to 3, and group 0 with it; then all have the bit again and fall
// Were the places of line 0 aged one after the other, chunk 0 alone would be without the bit, its hit would
// let all fall, and 4 would take any place.
TEST_CASE("nru_random: a whole line is one use, and bits fall once for it") {
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    Driver d(four_groups("nru_random"), seed);
    for (const std::uint64_t tag : {0, 1, 2, 3}) CHECK(d.bring(tag, 0b1111) == L1Outcome::miss_new);
    CHECK(d.bring(0, 0b0001) == L1Outcome::hit);
    CHECK(d.bring(4, 0b0001) == L1Outcome::miss_new);
    CHECK_FALSE(d.has(0, 0b0001));
    for (const std::uint64_t tag : {1, 2, 3}) CHECK(d.bring(tag, 0b1111) == L1Outcome::hit);
  }
}

TEST_CASE("what is reserved makes no room: the load stalls and nothing changes") {
  Driver d(tiny());
  const L1Decision a = d.load(0, 0b1111);
  const L1Decision b = d.load(4, 0b1111);
  Access& waits = d.access(8, 0b0001);
  for (int i = 0; i < 3; ++i) {
    const L1Decision stall = d.l1.lookup(waits, 0, true);
    CHECK(stall.outcome == L1Outcome::stall);
    CHECK(stall.stall == L1Stall::set_full);
  }
  CHECK(d.l1.fetching() == 2);
  d.l1.fill(b.fetch);
  CHECK(d.l1.lookup(waits, 0, true).outcome == L1Outcome::miss_new);
  CHECK_FALSE(d.has(4, 0b0010));  // its group has a new tag
  CHECK(d.l1.fill(a.fetch).size() == 1);
  CHECK(d.has(0, 0b1111));
}

TEST_CASE("a store drops the line or what it writes, and makes a fetch of it stale") {
  for (const auto evict : {L1ByChunksParams::Evict::line, L1ByChunksParams::Evict::chunks}) {
    L1TagSplitParams params = tiny();
    params.evict = evict;
    Driver d(params);
    const bool line = evict == L1ByChunksParams::Evict::line;
    d.bring(0, 0b0111);
    d.store(0, 0b0001);
    CHECK_FALSE(d.has(0, 0b0001));
    CHECK(d.has(0, 0b0110) == !line);
    CHECK(d.l1.stats().write_hits == 1);
    CHECK(d.l1.stats().write_evictions == 1);
    const L1Decision miss = d.load(0, 0b1000);
    d.store(0, 0b0001);  // another chunk than the one in flight
    CHECK(d.load(0, 0b1000).outcome == (line ? L1Outcome::forward : L1Outcome::miss_merged));
    d.store(0, 0b1000);
    CHECK(d.load(0, 0b1000).outcome == L1Outcome::forward);
    CHECK(d.l1.fill(miss.fetch).size() == (line ? 1 : 2));
    CHECK_FALSE(d.has(0, 0b1000));
    CHECK(d.l1.stats().dropped_fills == 1);
    CHECK(d.load(0, 0b1000).outcome == L1Outcome::miss_new);
  }
}

TEST_CASE("a flush drops lines, and keeps none that are being fetched") {
  Driver d(tiny());
  d.bring(0, 0b0011);
  d.bring(1, 0b0001);
  const L1Decision miss = d.load(4, 0b0001);
  d.l1.flush();
  CHECK(d.l1.stats().flushed_lines == 2);
  CHECK_FALSE(d.has(0, 0b0001));
  CHECK(d.l1.fill(miss.fetch).size() == 1);
  CHECK_FALSE(d.has(4, 0b0001));
}

TEST_CASE("chunks of two 32 B parts are asked for by both") {
  L1TagSplitParams params = tiny();
  params.chunk = Bytes(64);
  Driver d(params);
  CHECK(d.load(0, 0b0010).sectors == 0b0011);
  CHECK(d.load(0, 0b0001).outcome == L1Outcome::miss_merged);
}

// Chunks of 8 B: a set of 16 in 2 groups of 8. Lanes touch parts 3 and 4, of two chunks of 32 B.
TEST_CASE("chunks of 8 B are asked for by the parts that lanes touch") {
  L1TagSplitParams params = tiny();
  params.chunk = Bytes(8);
  params.size = Bytes(256);
  params.ways = 1;
  Driver d(params);
  Access& first = d.of_parts(0, 0x0018);
  const L1Decision miss = d.l1.lookup(first, 0, true);
  CHECK(miss.outcome == L1Outcome::miss_new);
  CHECK(miss.sectors == 0b0011);
  CHECK(miss.parts == 0x0018);
  CHECK(d.l1.lookup(d.of_parts(0, 0x0010), 0, true).outcome == L1Outcome::miss_merged);
  // Part 5 of the second 32 B is not in flight, and is asked for alone.
  const L1Decision more = d.l1.lookup(d.of_parts(0, 0x0030), 0, true);
  CHECK(more.outcome == L1Outcome::miss_new);
  CHECK(more.sectors == 0b0010);
  CHECK(more.parts == 0x0020);
  CHECK(d.l1.fill(miss.fetch).size() == 2);  // the third waits for part 5
  CHECK(d.l1.fill(more.fetch).size() == 1);
  CHECK(d.l1.lookup(d.of_parts(0, 0x0038), 0, true).outcome == L1Outcome::hit);
  CHECK_FALSE(d.has(0, 0b0010));  // parts 6 and 7 are not there
  CHECK(d.l1.contains_some(line_of(0), 0b0010));
  CHECK_FALSE(d.l1.contains_some(line_of(0), 0b0100));
  // A load that names no parts asks for all of its chunks: parts 4 to 11, of which 4 and 5 are here.
  const L1Decision whole = d.l1.lookup(d.access(0, 0b0110), 0, true);
  CHECK(whole.parts == 0x0fc0);
  CHECK(d.l1.stats().partial_misses == 1);
  CHECK(d.l1.stats().fetched_chunks == 2 + 1 + 6);
}

TEST_CASE("chunks of 16 B are two parts each, and a store drops those that it writes") {
  L1TagSplitParams params = tiny();
  params.chunk = Bytes(16);
  params.evict = L1TagSplitParams::Evict::chunks;
  Driver d(params);
  const L1Decision miss = d.l1.lookup(d.of_parts(0, 0x0012), 0, true);  // chunks 0 and 2
  CHECK(miss.sectors == 0b0011);
  CHECK(miss.parts == 0x0033);
  CHECK(d.l1.fill(miss.fetch).size() == 1);
  Access& store = d.of_parts(0, 0x0020);
  store.access_class = AccessClass::store;
  d.l1.lookup(store, 0, true);
  CHECK(d.l1.lookup(d.of_parts(0, 0x0001), 0, true).outcome == L1Outcome::hit);
  CHECK(d.l1.lookup(d.of_parts(0, 0x0010), 0, true).outcome == L1Outcome::miss_new);
}

// The only set and another: loads of tags 0, 0 and, behind a store to it, 0 again.
TEST_CASE("sampler sets count requests, or all loads that miss") {
  using Samples = L1TagSplitParams::Samples;
  for (const auto samples : {Samples::requests, Samples::misses, Samples::traffic}) {
    L1TagSplitParams params = tiny();
    params.mode = L1TagSplitParams::Mode::duel;
    params.samplers = 1;
    params.samples = samples;
    Driver d(params);
    const L1Duel& duel = *d.l1.tags().duel();
    const auto kind = duel.sampler(0);
    const bool all = samples != Samples::requests;
    const bool more = samples == Samples::misses;  // packets of what others have asked for
    const bool coarse = kind == L1Duel::Sampler::coarse;
    const std::uint32_t first = coarse ? 5 : 2;
    CHECK(d.load(0, 0b0001).outcome == L1Outcome::miss_new);
    CHECK(d.load(0, 0b0001).outcome == L1Outcome::miss_merged);
    CHECK(duel.counts(kind).misses == (all ? 2 : 1));
    CHECK(duel.counts(kind).packets == (more ? 2 * first : first));
    d.store(0, 0b0001);
    CHECK(d.load(0, 0b0011).outcome == L1Outcome::forward);
    CHECK(duel.counts(kind).misses == (all ? 3 : 1));
    CHECK(duel.counts(kind).packets == (more ? 2 * first + (coarse ? 5 : 3) : first));
    CHECK(d.l1.stats().mode_samples == duel.counts(kind).misses);
  }
}

// By hand: (8 + 2 + 1 + 1) x 512 chunks + shared tags of 12 x 128 groups - (20 + 1 + 2) x 128 lines = 4736
// bits.
TEST_CASE("storage beyond that of the plain cache is the paper's") {
  L1PrivateParams plain;
  plain.size = Bytes(16 * KiB);
  plain.ways = 4;
  const std::uint64_t lru_ranks = 2 * 128;  // the paper counts a rank a line
  std::uint64_t baseline = lru_ranks;
  for (const StorageField& field : L1Private::storage(plain))
    if (field.name == "tag" || field.name == "valid") baseline += field.entries * field.bits;
  L1TagSplitParams split;
  CHECK(bits_of(L1TagSplit::storage(split), true) - baseline == 4736);
  split.private_tag = 5;
  CHECK(bits_of(L1TagSplit::storage(split), true) - baseline == 3584);  // 448 B
}

// By hand, 16 KiB in chunks of 8 B: 2048 x (8 private + 4 place + 1 valid + 1 NRU) + 128 groups x 27 bits of
// 47 - 7 - 5 - 8; a register knows 16 issued chunks, a waiter 6 + 5 + 16.
TEST_CASE("storage of chunks of 8 B") {
  L1TagSplitParams params;
  params.chunk = Bytes(8);
  CHECK(bits_of(L1TagSplit::storage(params), true) == 2048 * 14 + 128 * 27);
  for (const StorageField& field : L1TagSplit::storage(params)) {
    if (field.name == "MSHR: issued chunks") CHECK(field.bits == 16);
    if (field.name == "MSHR: warp, load and chunks of a waiter") CHECK(field.bits == 27);
  }
}

TEST_CASE("shapes that cannot be are named") {
  const auto fault = [](auto change) {
    L1TagSplitParams params;
    change(params);
    const Faults faults = params.validate();
    return faults.empty() ? "" : to_text(faults.front(), "l1");
  };
  CHECK(fault([](auto&) {}).empty());
  CHECK(fault([](auto& p) { p.line = Bytes(64), p.chunk = Bytes(128); }).find("l1.line=64 B") !=
        std::string::npos);
  CHECK(fault([](auto& p) { p.chunk = Bytes(8); }).empty());
  CHECK(fault([](auto& p) { p.line = Bytes(256), p.chunk = Bytes(16); }).find("lines of up to 128 B") !=
        std::string::npos);
  CHECK(fault([](auto& p) { p.ways = 8, p.chunk = Bytes(8); }).find("l1.chunk=8 B: 1 to 4") !=
        std::string::npos);
  CHECK(fault([](auto& p) { p.groups = 5; }).find("nearest: 4") != std::string::npos);
  CHECK(fault([](auto& p) { p.private_tag = 40; }).find("0 to 35") != std::string::npos);
  CHECK(fault([](auto& p) { p.ways = 32; }).find("128 chunks") != std::string::npos);
  CHECK(fault([](auto& p) {
          p.mode = L1TagSplitParams::Mode::duel;
          p.samplers = 17;
        }).find("32 sets") != std::string::npos);
  CHECK(fault([](auto& p) {
          p.victims = L1TagSplitParams::Victims::groups;
          p.groups = 8;
        }).find("l1.ways=4") != std::string::npos);
}

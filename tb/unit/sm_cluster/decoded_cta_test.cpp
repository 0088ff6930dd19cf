// What instructions become when their CTA starts, by hand.
#include "models/sm_cluster/decoded_cta.h"

#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"

using namespace strata;
using namespace strata::tb;

namespace {

using Word = InstructionWord::Word;

/// An instruction where a warp has come to it, with its lines.
class Reached : public DecodedInstruction {
 public:
  explicit Reached(const DecodedCode& at) : DecodedInstruction(at.code), lines_(at.lines) {}
  const Word* lines() const { return lines_; }
  unsigned line_count() const { return InstructionWord::line_count(lines_); }
  DecodedCode next() const { return {after(), touches_global_memory(op()) ? after_lines(lines_) : lines_}; }
  MemoryOp op_at(Cycle entered) const { return {word(), lines_, entered, 0, 0, 0}; }

 private:
  const Word* lines_;
};

/// A CTA of one warp, decoded.
struct Decoded {
  explicit Decoded(const Program& program, const SmClusterParams& params = {})
      : Decoded(*make_cta({program}), params) {}
  Decoded(const CtaTrace& trace, const SmClusterParams& params) {
    CtaDecoder(params).decode(trace, cta);
    DecodedCode at = cta.warp(0);
    for (std::uint32_t i = 0; i < trace.warp_begin[1]; ++i) {
      all.emplace_back(at);
      at = all.back().next();
    }
    if (trace.warps() > 1) return;
    CHECK(at.code == cta.warp(0).code + cta.code_words());
    CHECK(at.lines == cta.warp(0).lines + cta.line_words());
  }
  const Reached& operator[](std::size_t i) const { return all[i]; }

  DecodedCta cta;
  std::vector<Reached> all;
};

// First use of each instruction, negative for those that wait for a result of fixed latency themselves.
std::vector<int> uses(const Decoded& decoded) {
  std::vector<int> list;
  for (const Reached& i : decoded.all) {
    const int distance = static_cast<int>(i.first_use());
    list.push_back(i.waits() ? -1 - distance : distance);
  }
  return list;
}

using Uses = std::vector<int>;
constexpr int waits = -1;  // no use

WarpInstruction wide(WarpInstruction instruction, int registers) {
  instruction.destination_count = static_cast<std::uint8_t>(registers);
  return instruction;
}

}  // namespace

TEST_CASE("the first reader of a result waits for it, later ones need not") {
  CHECK(uses(Decoded({alu(1), alu(2, 1), alu(3, 1), alu(4)})) == Uses{1, waits, 0, 0});
}

TEST_CASE("results of fixed latency matter up to the latency in instructions") {
  // alu_latency 4: the third instruction behind may issue 3 cycles later, the fourth 4 cycles later.
  CHECK(uses(Decoded({alu(1), alu(2), alu(3), alu(4, 1)})) == Uses{3, 0, 0, waits});
  CHECK(uses(Decoded({alu(1), alu(2), alu(3), alu(4), alu(5, 1)})) == Uses{0, 0, 0, 0, 0});
  SmClusterParams params;
  params.alu_latency = 1;
  CHECK(uses(Decoded({alu(1), alu(2, 1)}, params)) == Uses{0, 0});
}

TEST_CASE("a second write waits for the first") {
  CHECK(uses(Decoded({alu(1), alu(1), store(0x80)})) == Uses{1, waits, 0});
  // A load writes register 1 in its own time; the next writer waits for the load, not for the first one.
  CHECK(uses(Decoded({alu(1), load(0x80, 1), alu(1)})) == Uses{1, waits - 1, 0});
}

TEST_CASE("any register of a wide result is waited for, also by a wide write") {
  CHECK(uses(Decoded({wide(alu(4), 4), alu(1, 7)})) == Uses{1, waits});
  CHECK(uses(Decoded({wide(alu(4), 4), alu(1, 8)})) == Uses{0, 0});
  CHECK(uses(Decoded({alu(6), wide(load(0x80, 4), 4), alu(1, 6), alu(2, 5)})) == Uses{1, waits - 1, 0, 0});
  // Registers end at 254: what would lie beyond is none.
  CHECK(uses(Decoded({wide(alu(253), 4), alu(1, 254), alu(0)})) == Uses{1, waits, 0});
}

TEST_CASE("a write of no registers waits, and no instruction waits for it") {
  CHECK(uses(Decoded({alu(1), wide(alu(1), 0), alu(2, 1)})) == Uses{1, waits, 0});
}

TEST_CASE("loads are waited for however far their reader is") {
  Program program = {load(0x80, 1)};
  for (int n = 0; n < 299; ++n) program.push_back(alu(255));
  program.push_back(alu(2, 1));
  CHECK(Decoded(program)[0].first_use() == 300);
  program.resize(254);
  program.push_back(alu(2, 1));
  CHECK(Decoded(program)[0].first_use() == 254);
}

TEST_CASE("distances of the trace stand above registers") {
  Program program = {load(0x80, 1), alu(2, 1), alu(3)};
  program[0].first_use = 2;
  CHECK(uses(Decoded(program)) == Uses{2, 0, 0});
  program[0].first_use = 255;
  CHECK(uses(Decoded(program)) == Uses{255, 0, 0});
}

TEST_CASE("stores and atomics without a result await no answer") {
  WarpInstruction sum = store(0x80);
  sum.op = OpClass::atomic;
  WarpInstruction fetch_and_add = load(0x80, 1);
  fetch_and_add.op = OpClass::atomic;
  WarpInstruction marked = sum;
  marked.first_use = 1;
  WarpInstruction no_result = load(0x80, 255);
  const Decoded decoded({store(0x80), sum, fetch_and_add, marked, no_result});
  CHECK(uses(decoded) == Uses{0, 0, 0, 1, 0});
  const bool returns[] = {false, false, true, true, true};
  for (std::size_t i = 0; i < 5; ++i) CHECK(decoded[i].returns() == returns[i]);
}

TEST_CASE("far results of long special functions keep their distance") {
  SmClusterParams params;
  params.sfu.latency = 1000;
  Program program = {alu(1)};
  program[0].op = OpClass::sfu;
  for (int n = 0; n < 699; ++n) program.push_back(alu(255));
  program.push_back(alu(2, 1));
  const Decoded decoded(program, params);
  CHECK(decoded[0].first_use() == 700);
  CHECK(decoded[700].waits());
}

TEST_CASE("words that no lane touches are counted beside the sectors of their line") {
  SmClusterParams params;
  params.replies = ReplyData::words;
  const auto spare = [](Word line) { return static_cast<int>(line >> InstructionWord::spare_shift); };
  // A word of each of 32 lines: 7 of 8 are spare, and the lines make a row.
  const Decoded column({load(0x8000, 1, 128)}, params);
  REQUIRE(column[0].form() == LineForm::row);
  CHECK(column[0].lines()[0] == (0x8000 | 1 | Word{7} << InstructionWord::spare_shift));
  CHECK(column[0].lines()[1] >> 8 == 128);
  // Every second word of two lines: 16 of 32; lanes without gaps: none.
  const Decoded second({load(0x8000, 1, 8), load(0x8000, 2, 4)}, params);
  CHECK(spare(second[0].lines()[0]) == 16);
  CHECK(spare(second[1].lines()[0]) == 0);
  // All lanes one word of 16 B that straddles two lines: two words of a sector in each.
  WarpInstruction straddles = load(0x8078, 1, 0);
  straddles.width = 16;
  const Decoded both({straddles}, params);
  REQUIRE(both[0].line_count() == 2);
  CHECK(spare(both[0].lines()[0]) == 6);
  // Without the option nothing is counted, and addresses may use every bit.
  CHECK(spare(Decoded({load(0x8000, 1, 128)})[0].lines()[0]) == 0);
  const Address high = Address{1} << InstructionWord::spare_shift;
  CHECK(Decoded({load(high, 1)})[0].lines()[0] == (high | 0xf));
  CHECK_THROWS_AS(Decoded({load(high, 1)}, params), ConfigError);
}

TEST_CASE("what an issue and an access need is kept") {
  WarpInstruction instruction = load(0x1000, 1);
  instruction.op = OpClass::read_only_load;
  instruction.pc = 0xfffffff8;
  instruction.weight = 0;  // stands for one
  instruction.active_mask = 0x7;
  instruction.non_coherent = true;
  WarpInstruction other = load(0x1000, 1);
  other.bypass_l1 = true;
  other.weight = 255;
  const Decoded decoded({instruction, other});
  CHECK(decoded[0].op() == OpClass::read_only_load);
  CHECK(decoded[0].pc() == (0xfffffff8 & InstructionWord::pc_mask));
  CHECK(decoded[0].weight() == 1);
  CHECK(decoded[0].lanes() == 3);
  CHECK(decoded[0].non_coherent());
  CHECK(!decoded[0].bypass_l1());
  CHECK(decoded[1].weight() == 255);
  CHECK(decoded[1].lanes() == 32);
  CHECK(!decoded[1].non_coherent());
  CHECK(decoded[1].bypass_l1());
}

TEST_CASE("accesses of the texture path are merged to lines of their own") {
  // 32 lanes of 4 B: four lines of the data, or one of the texture path; two warps, the second like the
  // first.
  WarpInstruction texel = load(0x1000, 1);
  texel.non_coherent = true;
  const CtaTrace cta = *make_cta({{load(0x1000, 1), texel}, {load(0x2000, 1), texel}});
  SmClusterParams params;
  params.line = Bytes(32);
  params.texture_line = Bytes(128);
  DecodedCta decoded;
  CtaDecoder(params).decode(cta, decoded);
  for (std::size_t w = 0; w < 2; ++w) {
    const Reached data(decoded.warp(w));
    CHECK(data.line_count() == 4);
    CHECK(data.lines()[0] == (w == 0 ? 0x1001U : 0x2001U));
    const Reached texture(data.next());
    CHECK(texture.line_count() == 1);
    CHECK(texture.lines()[0] == 0x100fU);
  }
}

TEST_CASE("lines are written one by one, as a row or as a list") {
  // 32 lanes of 4 B: one line of four sectors. 64 B apart: 16 lines in a row, of which two lanes touch each.
  // None: no lane is active.
  WarpInstruction none = load(0x1000, 1);
  none.active_mask = 0;
  CtaTrace cta = *make_cta({{load(0x1000, 1), load(0x2000, 1, 64), none, load(0, 1)}});
  cta.instructions[3].address_kind = AddressKind::list;
  cta.instructions[3].active_mask = 0x7;
  cta.addresses = {0x5000, 0x3020, ~Address{0} - 3};
  const Decoded decoded(cta, {});
  CHECK(decoded[0].form() == LineForm::one);
  CHECK(decoded[0].line_count() == 1);
  CHECK(decoded[0].lines()[0] == (0x1000 | 0xf));
  CHECK(decoded[1].form() == LineForm::row);
  CHECK(decoded[1].line_count() == 16);
  CHECK(decoded[1].lines()[0] == (0x2000 | 5));
  CHECK(decoded[1].lines()[1] == (128 << 8 | 16));
  CHECK(decoded[2].form() == LineForm::none);
  CHECK(decoded[2].line_count() == 0);
  CHECK(decoded[3].form() == LineForm::list);
  CHECK(decoded[3].line_count() == 3);
  CHECK(decoded[3].lines()[1] == (0x5000 | 1));
  CHECK(decoded[3].lines()[2] == (0x3000 | 2));
  CHECK(decoded[3].lines()[3] == ((~Address{0} & ~Address{127}) | 8));
}

TEST_CASE("the queue gives the lines of every form in order") {
  for (const unsigned line_bytes : {32U, 64U, 128U, 256U}) {
    SmClusterParams params;
    params.line.count = line_bytes;
    CtaTrace cta = *make_cta({{load(0x2000, 1, 512), load(0x8000, 1, -512), load(0, 1), load(0x4000, 1)}});
    cta.instructions[2].address_kind = AddressKind::list;
    for (unsigned lane = 0; lane < 32; ++lane) cta.addresses.push_back(0x100000 + lane * lane * 1024);
    const Decoded decoded(cta, params);
    LoadStoreUnit lsu(4, line_bytes, false);
    LineAccesses expected;
    for (std::size_t i = 0; i < 4; ++i) lsu.push(decoded[0].op_at(0));
    for (std::size_t i = 0; i < 4; ++i) lsu.pop();
    for (std::size_t i = 0; i < 4; ++i) {
      coalesce(cta.instructions[i], cta, line_bytes, expected);
      lsu.push(decoded[i].op_at(0));
      for (int n = 0; n < expected.count; ++n) {
        INFO(line_bytes << " B, instruction " << i << ", line " << n);
        REQUIRE(lsu.has_line());
        CHECK(lsu.line().line == expected.lines[static_cast<std::size_t>(n)].line);
        CHECK(lsu.line().sectors == expected.lines[static_cast<std::size_t>(n)].sectors);
        CHECK(lsu.sent(1) == (n + 1 == expected.count));
      }
      lsu.pop();
    }
  }
}

// What stands beside the lines of an atomic: lanes by sector, and the most of one address.
TEST_CASE("atomics have their lanes behind their lines") {
  struct Line {
    Address line;
    std::array<std::uint8_t, 8> all, same;
    bool operator==(const Line& o) const { return line == o.line && all == o.all && same == o.same; }
  };
  const auto lines = [](WarpInstruction instruction, const SmClusterParams& params = {}) {
    instruction.op = OpClass::atomic;
    WarpInstruction after = load(0x9000, 2);
    const Decoded decoded({instruction, after}, params);
    CHECK(decoded[1].line_count() == 1);
    CHECK((decoded[1].lines()[0] & ~Word{0xff}) == 0x9000);  // the next instruction finds its own
    LoadStoreUnit lsu(4, 128, false);
    std::vector<Line> all;
    lsu.push(decoded[0].op_at(0));
    do {
      const AtomicLanes lanes = lsu.atomic_lanes();
      all.push_back({lsu.line().line, lanes.all, lanes.same});
    } while (!lsu.sent(1));
    return all;
  };
  using Lines = std::vector<Line>;
  CHECK(lines(load(0x2000, 1)) == Lines{{0x2000, {8, 8, 8, 8}, {1, 1, 1, 1}}});
  CHECK(lines(load(0x2064, 1, 0)) == Lines{{0x2000, {0, 0, 0, 32}, {0, 0, 0, 32}}});
  CHECK(lines(load(0x2040, 1, 64)).size() == 17);  // a row of lines, of 1, 2, ... 2 and 1 lanes
  CHECK(lines(load(0x2040, 1, 64))[1] == Line{0x2080, {1, 0, 1, 0}, {1, 0, 1, 0}});
  CHECK(lines(load(0x2040, 1, 64))[16] == Line{0x2800, {1}, {1}});
  // Vectors of 16 B: two a sector, four words each; and four lanes of one address.
  WarpInstruction vectors = load(0x2000, 1, 16);
  vectors.width = 16;
  vectors.active_mask = 0xf;
  CHECK(lines(vectors) == Lines{{0x2000, {8, 8}, {1, 1}}});
  vectors.stride = 0;
  CHECK(lines(vectors) == Lines{{0x2000, {16}, {4}}});
  // Halves: as elements of 2 B two accesses to one line, each with its own lanes.
  WarpInstruction halves = load(0x2000, 1, 4);
  halves.width = 2;
  SmClusterParams params;
  params.segments = Segments::elements;
  CHECK(lines(halves, params) == Lines{{0x2000, {8, 8}, {1, 1}}, {0x2000, {0, 0, 8, 8}, {0, 0, 1, 1}}});
}

// Lanes 4 B apart from 0x2000 on, whose elements have 1, 2 and 4 B: a line in four parts, in two and whole.
// On the texture path, and where nothing is said, it is whole.
TEST_CASE("segments follow the bytes of an element") {
  SmClusterParams params;
  params.segments = Segments::elements;
  LoadStoreUnit lsu(4, 128, false);
  const auto sectors = [&](const WarpInstruction& instruction) {
    const Decoded decoded({instruction}, params);
    std::vector<int> all;
    lsu.push(decoded[0].op_at(0));
    do {
      CHECK(lsu.line().line == 0x2000);
      all.push_back(lsu.line().sectors);
    } while (!lsu.sent(1));
    lsu.pop();
    return all;
  };
  WarpInstruction bytes = load(0x2000, 1);
  bytes.element = 1;
  WarpInstruction halves = load(0x2000, 1);
  halves.element = 2;
  WarpInstruction narrow = load(0x2000, 1);
  narrow.width = 1;
  WarpInstruction texels = bytes;
  texels.non_coherent = true;
  CHECK(sectors(bytes) == std::vector<int>{1, 2, 4, 8});
  CHECK(sectors(halves) == std::vector<int>{3, 12});
  CHECK(sectors(narrow) == std::vector<int>{1, 2, 4, 8});
  CHECK(sectors(load(0x2000, 1)) == std::vector<int>{15});
  CHECK(sectors(texels) == std::vector<int>{15});
  params.segments = Segments::lines;
  CHECK(sectors(bytes) == std::vector<int>{15});
}

// Lanes of 4 B: all of a line, every 16 B of four lines, and at 0x20f0 the last two parts of a line and the
// first two of the next. As elements of a byte the line is four accesses of four parts each.
TEST_CASE("parts stand above addresses, and the queue gives them with their lines") {
  SmClusterParams params;
  params.asks = Asked::parts;
  REQUIRE(params.validate().empty());
  LoadStoreUnit lsu(4, 128, false, true);
  using Lines = std::vector<std::array<Address, 3>>;
  const auto lines = [&](const WarpInstruction& instruction) {
    const Decoded decoded({instruction}, params);
    Lines all;
    lsu.push(decoded[0].op_at(0));
    do {
      const LineAccess line = lsu.line();
      CHECK(line.spare_words == 0);
      all.push_back({line.line, line.sectors, line.parts});
    } while (!lsu.sent(1));
    lsu.pop();
    return all;
  };
  WarpInstruction eight = load(0x20f0, 1);
  eight.active_mask = 0xff;
  WarpInstruction bytes = load(0x2000, 1);
  bytes.element = 1;
  CHECK(lines(load(0x2000, 1)) == Lines{{0x2000, 0xf, 0xffff}});
  CHECK(lines(load(0x2000, 1, 16)) ==
        Lines{{0x2000, 0xf, 0x5555}, {0x2080, 0xf, 0x5555}, {0x2100, 0xf, 0x5555}, {0x2180, 0xf, 0x5555}});
  CHECK(lines(eight) == Lines{{0x2080, 0x8, 0xc000}, {0x2100, 0x1, 0x0003}});
  params.segments = Segments::elements;
  CHECK(lines(bytes) ==
        Lines{{0x2000, 1, 0x000f}, {0x2000, 2, 0x00f0}, {0x2000, 4, 0x0f00}, {0x2000, 8, 0xf000}});
  // Two warps that differ in the address alone, and an address that leaves no room.
  params.segments = Segments::lines;
  const Decoded moved(*make_cta({{load(0x2000, 1, 0)}, {load(0x4000, 1, 0)}}), params);
  CHECK(*moved.cta.warp(1).lines == (0x4000 | 1 | Word{1} << InstructionWord::part_shift));
  const Address high = Address{1} << InstructionWord::part_shift;
  CHECK_THROWS_AS(Decoded({load(high, 1)}, params), ConfigError);
  CHECK_THROWS_AS(Decoded(*make_cta({{load(0x2000, 1)}, {load(high, 1)}}), params), ConfigError);
}

TEST_CASE("bank conflicts are counted once") {
  WarpInstruction conflict_free = load(0, 1, 4);
  conflict_free.op = OpClass::shared_load;
  WarpInstruction all_in_one_bank = load(0, 2, 128);
  all_in_one_bank.op = OpClass::shared_load;
  WarpInstruction inactive = all_in_one_bank;
  inactive.active_mask = 0;
  const Decoded decoded({conflict_free, all_in_one_bank, inactive, alu(3, 2)});
  CHECK(decoded[0].more_cycles() == 0);
  CHECK(decoded[1].more_cycles() == 31);
  CHECK(decoded[2].more_cycles() == 0);
  CHECK(decoded[1].first_use() == 1);  // the second of two writes of register 2 waits for the first
}

TEST_CASE("a run says on which units it executes where some of them may be busy") {
  WarpInstruction run = alu(255);
  run.weight = 7;
  run.units = {2, 1, 0, 0};
  WarpInstruction single = alu(255);
  single.units = {0, 0, 1, 0};
  SmClusterParams params;
  params.dp.latency = 9;
  const Decoded plain_run({run, single, alu(1)}, params);
  CHECK_FALSE(plain_run[0].may_wait());
  CHECK_FALSE(plain_run[0].is_mixed());
  CHECK(plain_run[0].unit() == Unit::dp);  // the slowest
  CHECK(plain_run[1].unit() == Unit::tensor);
  CHECK(plain_run[2].unit() == Unit::integer);
  params.sp.interval = 2;
  const Decoded decoded({run, single, alu(1)}, params);
  CHECK(decoded[0].may_wait());
  REQUIRE(decoded[0].is_mixed());
  CHECK(decoded[0].mix().count(Unit::sp) == 2);
  CHECK(decoded[0].mix().count(Unit::dp) == 1);
  CHECK(decoded[0].mix().count(Unit::integer) == 4);
  CHECK_FALSE(decoded[1].may_wait());
}

// Three warps of a load, arithmetic and a store. The second accesses elsewhere, the third with other lanes in
// its store: it has a text of its own, and all the lines.
TEST_CASE("warps that differ in addresses alone have one text, and CTAs as well") {
  const auto warp = [](Address base, std::uint32_t lanes) {
    WarpInstruction last = store(base + 0x80);
    last.active_mask = lanes;
    return Program{load(base, 1), alu(2, 1), last};
  };
  CtaDecoder decoder({});
  DecodedCta first, second, other;
  decoder.decode(*make_cta({warp(0x1000, ~0U), warp(0x2000, ~0U), warp(0x3000, 0xff)}), first);
  CHECK(first.warp(1).code == first.warp(0).code);
  CHECK(first.warp(2).code == first.warp(0).code + 3);
  CHECK(first.code_words() == 6);
  CHECK(std::vector<Word>(first.warp(0).lines, first.warp(0).lines + first.line_words()) ==
        std::vector<Word>{0x100f, 0x108f, 0x200f, 0x208f, 0x300f, 0x3081});
  const DecodedInstruction third(first.warp(2).code);
  CHECK(third.word().op() == OpClass::load);
  CHECK(DecodedInstruction(first.warp(2).code + 2).lanes() == 8);

  decoder.decode(*make_cta({warp(0x4000, ~0U), warp(0x5000, ~0U), warp(0x6000, 0xff)}), second);
  CHECK(second.warp(0).code == first.warp(0).code);
  CHECK(second.warp(0).lines[0] == 0x400f);
  decoder.decode(*make_cta({warp(0x4000, ~0U)}), other);
  CHECK(other.warp(0).code != first.warp(0).code);
  // A text outlives the CTA that was the first to have it.
  first.clear();
  CHECK(DecodedInstruction(second.warp(2).code + 2).lanes() == 8);
}

// The third warp is as long as the second, but begins with arithmetic.
TEST_CASE("a warp of other instructions has a text of its own") {
  DecodedCta cta;
  CtaDecoder({}).decode(
      *make_cta({{load(0x1000, 1)}, {load(0x2000, 1), alu(2, 1)}, {alu(1), load(0x3000, 2, 128)}}), cta);
  CHECK(cta.code_words() == 5);
  CHECK(cta.line_words() == 4);  // a row of lines takes two
  CHECK(DecodedInstruction(cta.warp(2).code).op() == OpClass::alu);
  CHECK(cta.warp(2).lines[0] == 0x3001);
}

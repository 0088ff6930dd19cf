#include <algorithm>
#include <array>
#include <fstream>
#include <random>
#include <string>

#include "models/common/coalesce.h"
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/record/block_codec.h"
#include "traces/record/lane_form.h"
#include "traces/record/record_source.h"
#include "traces/record/record_writer.h"

using namespace strata;
using namespace strata::traces;
using record::LaneForm;
using record::Lanes;

namespace {

void require_same(const CtaTrace& a, const CtaTrace& b) {
  REQUIRE(a.index == b.index);
  REQUIRE(a.warp_begin == b.warp_begin);
  REQUIRE(a.addresses == b.addresses);
  REQUIRE(a.instructions.size() == b.instructions.size());
  for (std::size_t i = 0; i < a.instructions.size(); ++i) {
    const WarpInstruction &x = a.instructions[i], &y = b.instructions[i];
    INFO("instruction " << i);
    REQUIRE((x.address == y.address && x.stride == y.stride && x.active_mask == y.active_mask &&
             x.pc == y.pc && x.op == y.op && x.address_kind == y.address_kind && x.width == y.width &&
             x.element == y.element && x.first_use == y.first_use));
  }
}

KernelInfo kernel_of(std::uint32_t ctas, std::uint32_t warps) {
  KernelInfo kernel;
  kernel.name = "k";
  kernel.grid.x = ctas;
  kernel.block.x = warps * 32;
  return kernel;
}

/// Listed addresses of every form there is, around those of the same instruction before.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  CtaTrace cta(std::uint64_t index, std::uint32_t warps, std::uint64_t most) {
    CtaTrace cta;
    cta.index = index;
    cta.warp_begin.push_back(0);
    for (std::uint32_t w = 0; w < warps; ++w) {
      for (std::uint64_t n = random_() % (most + 1); n > 0; --n) add(cta);
      cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
    }
    return cta;
  }

 private:
  void add(CtaTrace& cta) {
    WarpInstruction i;
    const auto place = static_cast<std::uint32_t>(random_() % 12);
    i.pc = place * 16;
    i.op = OpClass::load;
    i.width = static_cast<std::uint8_t>(place == 11 ? 0 : 1u << place % 5);
    i.element = place % 3 & 3U;
    i.active_mask = mask();
    if (place < 3) {
      i.address_kind = AddressKind::stride;
      i.address = random_() % 4 == 0 ? random_() : 0x7f0000000000 + random_() % 100 * 4;
      i.stride = i.active_lanes() == 1 ? 0 : static_cast<std::int32_t>(random_() % 5 == 0 ? random_() : 4);
    } else {
      i.address_kind = AddressKind::list;
      i.address = cta.addresses.size();
      list(place);
      for (unsigned lane = 0; lane < 32; ++lane)
        if ((i.active_mask >> lane & 1) != 0) cta.addresses.push_back(lanes_[place][lane]);
    }
    cta.instructions.push_back(i);
  }

  std::uint32_t mask() {
    switch (random_() % 6) {
      case 0:
        return static_cast<std::uint32_t>(random_());
      case 1:
        return 1u << random_() % 32;
      case 2:
        return 0;
      case 3:
        return 0xffff0000;
      default:
        return 0xffffffff;
    }
  }

  void list(std::uint32_t place) {
    auto& lanes = lanes_[place];
    const Address base = 0x7f0000000000 + random_() % 1000 * 256;
    const auto kind = random_() % 6;
    const unsigned columns = 1u << (1 + random_() % 5);
    const Address a = random_() % 9 * 4 - 16, b = random_() % 2 == 0 ? 4096 : random_();
    for (unsigned lane = 0; lane < 32; ++lane) switch (kind) {
        case 0:
          lanes[lane] = base + a * (lane % columns) + b * (lane / columns);
          break;
        case 1:
          lanes[lane] += 64;
          break;  // moved as a whole
        case 2:
          lanes[lane] += random_() % 8 == 0 ? random_() % 4096 * 4 : 4;
          break;  // each on its own
        case 3:
          lanes[lane] = base + random_() % 1024 * 4;
          break;
        case 4:
          lanes[lane] = base + (lanes_[3][lane] - lanes_[3][0]) * 2;
          break;  // as another list, scaled
        default:
          lanes[lane] = random_();
      }
  }

  std::mt19937_64 random_;
  std::array<std::array<Address, 32>, 12> lanes_{};
};

Lanes full(std::uint8_t width = 4) {
  Lanes lanes;
  lanes.mask = 0xffffffff;
  lanes.width = width;
  return lanes;
}

}  // namespace

TEST_CASE("record: the rows of a 16 x 16 thread block are one form") {
  Lanes lanes = full();
  for (unsigned lane = 0; lane < 32; ++lane) lanes.at[lane] = 0x1000 + lane % 16 * 4 + lane / 16 * 2048;
  const LaneForm form = choose_form(lanes, {}, {}, record::LaneMemory::none);
  CHECK(form.kind == LaneForm::grid);
  CHECK(form.columns == 4);  // rows of 2^4 lanes
  CHECK(form.a == 4);
  CHECK(form.b == 2048);
  // Lane 21 is in row 1, column 5: 20 + 2048 bytes from lane 0.
  CHECK(form.offset(21) == 2068);
  lanes.mask = 0x00f0ff0f;  // holes change nothing
  CHECK(choose_form(lanes, form, {}, record::LaneMemory::none) == form);
}

TEST_CASE("record: a list that repeats another at twice the width is that list moved") {
  record::LaneMemory memory;
  std::uint32_t row = record::LaneMemory::none, other = record::LaneMemory::none;
  Lanes narrow = full(4), wide = full(8);
  for (unsigned lane = 0; lane < 32; ++lane) {
    narrow.at[lane] = 0x1000 + lane * lane * 4;  // no grid
    wide.at[lane] = 0x90000 + lane * lane * 8;
  }
  const LaneForm first = choose_form(narrow, {}, memory, row);
  CHECK(first.has_differences());
  memory.insert(row, narrow);
  const LaneForm form = choose_form(wide, {}, memory, other);
  CHECK(form.kind == LaneForm::moved);
  CHECK(form.back == 1);  // the latest list of any instruction
  for (Address& address : narrow.at) address += 4096;
  const LaneForm again = choose_form(narrow, {}, memory, row);
  CHECK(again.kind == LaneForm::moved);
  CHECK(again.back == 0);  // the instruction's own
}

TEST_CASE("record: lists of any form survive, whatever the order of writing and reading") {
  const tb::TempFolder folder;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    Generator generator(seed);
    std::mt19937_64 random(seed);
    std::vector<KernelInfo> kernels = {kernel_of(1 + random() % 30, 1 + random() % 4),
                                       kernel_of(1 + random() % 30, 1 + random() % 4)};
    kernels[1].id = 1;
    std::vector<std::pair<std::uint32_t, CtaTrace>> all;
    for (const KernelInfo& kernel : kernels)
      for (std::uint64_t c = 0; c < kernel.ctas(); ++c)
        all.emplace_back(kernel.id, generator.cta(c, kernel.warps_per_cta(), 60));
    if (seed % 2 == 0) std::shuffle(all.begin(), all.end(), random);
    RecordWriter writer(folder.path() + "/r", "random", kernels, {});
    for (const auto& one : all) writer.add(one.first, one.second);
    writer.finish();
    if (seed % 3 == 0) std::shuffle(all.begin(), all.end(), random);
    RecordSource source(folder.path() + "/r");
    for (const auto& one : all) require_same(one.second, *source.fetch(one.first, one.second.index));
  }
}

TEST_CASE(
    "record: loops survive in which an instruction now and then has another mask, stride or first use") {
  const tb::TempFolder folder;
  std::mt19937_64 random(3);
  RecordWriter writer(folder.path() + "/r", "loops", {kernel_of(40, 2)}, {});
  std::vector<CtaTrace> all;
  for (unsigned c = 0; c < 40; ++c) {
    CtaTrace cta;
    cta.index = c;
    cta.warp_begin.push_back(0);
    for (unsigned w = 0; w < 2; ++w) {
      for (unsigned turn = 0; turn < 20; ++turn)
        for (std::uint32_t place = 0; place < 5; ++place) {  // three accesses, two of arithmetic
          WarpInstruction i;
          i.pc = place * 16;
          i.active_mask = random() % 16 == 0 ? static_cast<std::uint32_t>(random()) | 1 : ~0U;
          if (random() % 32 == 0) i.active_mask = 1u << random() % 32;
          if (place < 3) {
            i.op = place == 2 ? OpClass::store : OpClass::load;
            i.address_kind = AddressKind::stride;
            i.width = 4;
            i.stride = random() % 16 == 0 ? 8 : 4;
            if (i.active_lanes() == 1) i.stride = random() % 2 == 0 ? 0 : 4;
            i.address = 0x7f0000000000 + place * 65536 + c * 4096 + w * 2048 + turn * 128;
            if (place != 2) i.first_use = random() % 8 == 0 ? 3 : 1;
          }
          cta.instructions.push_back(i);
        }
      cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
    }
    writer.add(0, cta);
    all.push_back(std::move(cta));
  }
  writer.finish();
  RecordSource source(folder.path() + "/r");
  for (const CtaTrace& cta : all) {
    require_same(cta, *source.fetch(0, cta.index));
  }
}

// Warps that mostly do what the one before did, at other addresses; now and then one is changed somewhere,
// and those behind it do as it does, or as the ones before. Masks, strides of one lane, lists and jumps of
// addresses are among the changes.
TEST_CASE("record: warps that repeat the one before them survive among others") {
  const tb::TempFolder folder;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    const auto one_in = [&random](unsigned n) { return random() % n == 0; };
    const auto instruction = [&] {
      WarpInstruction i;
      i.pc = static_cast<std::uint32_t>(random() % 12 * 16);
      i.active_mask = one_in(6) ? 1U << random() % 32 : one_in(6) ? 0xffff0000U : ~0U;
      if (i.pc % 48 != 0) return i;
      i.op = OpClass::load;
      i.width = 4;
      i.address_kind = AddressKind::stride;
      i.stride = i.active_lanes() == 1 ? (one_in(2) ? 0 : 4) : (one_in(4) ? 8 : 4);
      return i;
    };
    const unsigned warps = 1 + random() % 8, ctas = 1 + random() % 40;
    std::vector<WarpInstruction> text, other;
    for (unsigned n = random() % 40; n > 0; --n) text.push_back(instruction());
    RecordWriter writer(folder.path() + "/r", "repeats", {kernel_of(ctas, warps)}, {});
    std::vector<CtaTrace> all(ctas);
    bool lists = false;
    for (unsigned c = 0; c < ctas; ++c) {
      CtaTrace& cta = all[c];
      cta.index = c;
      cta.warp_begin.push_back(0);
      for (unsigned w = 0; w < warps; ++w) {
        if (one_in(8)) {
          other = text;
          if (!text.empty()) text[random() % text.size()] = instruction();
          if (one_in(3)) text.push_back(instruction());
        } else if (one_in(8)) {
          std::swap(text, other);
        }
        if (one_in(8)) lists = !lists;
        std::uint64_t step = 0;
        for (WarpInstruction i : text) {
          if (i.address_kind == AddressKind::stride)
            i.address =
                0x7f0000000000 + i.pc * 65536 + c * 8192 + w * 512 + step++ * (one_in(64) ? 4096 : 128);
          if (lists && i.address_kind == AddressKind::stride && i.active_mask == ~0U) {
            i.address_kind = AddressKind::list;
            i.stride = 0;
            i.address = cta.addresses.size();
            for (unsigned lane = 0; lane < 32; ++lane) cta.addresses.push_back(0x1000 + lane * lane * 64 + w);
          }
          cta.instructions.push_back(i);
        }
        cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
      }
      writer.add(0, cta);
    }
    writer.finish();
    RecordSource source(folder.path() + "/r");
    for (const CtaTrace& cta : all) require_same(cta, *source.fetch(0, cta.index));
  }
}

// The third warp has the columns of the second. In one pair the second one's first stride is what the first
// one left, 4, and the third one's what the second one left, 16; then both go on to 8 and 16. In the other
// pair so do the instructions behind the one at 0.
TEST_CASE("record: the same columns may stand for other warps, after one that was another") {
  const auto strides = [](std::initializer_list<int> list) {
    std::vector<WarpInstruction> warp;
    for (const int stride : list) {
      WarpInstruction i;
      i.op = OpClass::load;
      i.address_kind = AddressKind::stride;
      i.active_mask = ~0U;
      i.width = 4;
      i.stride = stride;
      i.address = 0x1000;
      warp.push_back(i);
    }
    return warp;
  };
  const auto codes = [](std::initializer_list<std::uint32_t> list) {
    std::vector<WarpInstruction> warp;
    for (const std::uint32_t pc : list) {
      WarpInstruction i;
      i.active_mask = ~0U;
      i.pc = pc;
      warp.push_back(i);
    }
    return warp;
  };
  using Warps = std::vector<std::vector<WarpInstruction>>;
  const Warps both[] = {
      {strides({4, 4, 4}), strides({4, 8, 16}), strides({16, 8, 16})},
      {codes({0, 1, 0, 2, 0, 3, 0, 1, 0}), codes({0, 1, 0, 3, 0, 2, 0}), codes({0, 2, 0, 3, 0, 2, 0})}};
  for (const Warps& warps : both) {
    CtaTrace cta;
    cta.warp_begin.push_back(0);
    for (const auto& warp : warps) {
      cta.instructions.insert(cta.instructions.end(), warp.begin(), warp.end());
      cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
    }
    record::Dictionary dictionary;
    const std::string frame = record::pack_cta(0, cta, dictionary, 1);
    require_same(cta, *record::unpack_cta(frame, 0, 0, 3, dictionary));
  }
}

TEST_CASE("record: many blocks are read from several places at once") {
  // 6000 CTAs of up to 60 instructions: blocks end after 4096 CTAs or 131072 instructions.
  const tb::TempFolder folder;
  const unsigned ctas = 6000;
  Generator generator(5);
  RecordWriter writer(folder.path() + "/r", "random", {kernel_of(ctas, 1)}, {});
  std::vector<CtaTrace> all;
  for (unsigned c = 0; c < ctas; ++c) {
    all.push_back(generator.cta(c, 1, 60));
    writer.add(0, all.back());
  }
  writer.finish();
  RecordSource source(folder.path() + "/r");
  const unsigned ranges = 48;  // more than are held open
  for (unsigned step = 0; step < 20; ++step)
    for (unsigned range = 0; range < ranges; ++range) {
      const unsigned c = range * (ctas / ranges) + step;
      require_same(all[c], *source.fetch(0, c));
    }
  require_same(all[ctas - 1], *source.fetch(0, ctas - 1));
  require_same(all[0], *source.fetch(0, 0));
}

TEST_CASE("record: what others have put into columns makes the same file") {
  // 3000 CTAs of up to 99 instructions, some 150 000: the second block begins where the writer would begin
  // it.
  const tb::TempFolder folder;
  const unsigned ctas = 3000;
  Generator generator(7);
  const std::string plain = folder.path() + "/plain", encoded = folder.path() + "/encoded";
  RecordWriter one(plain, "random", {kernel_of(ctas, 1)}, {});
  RecordWriter two(encoded, "random", {kernel_of(ctas, 1)}, {});
  record::Dictionary dictionary;
  record::ColumnEncoder encoder(dictionary);
  record::EncodedCtas said;
  said.begins_block = true;
  std::uint64_t known = 0, in_block = 0;
  for (unsigned c = 0; c < ctas; ++c) {
    const CtaTrace cta = generator.cta(c, 1, 99);
    one.add(0, cta);
    encoder.add(CtaView(cta));
    ++said.count;
    said.instructions += cta.instructions.size();
    in_block += cta.instructions.size();
    const bool full = in_block >= record::block_instructions;
    if (!full && c % 7 != 0 && c + 1 < ctas) continue;  // seven at a time
    std::vector<record::StaticPart> entries;
    for (auto n = static_cast<std::uint32_t>(known); n < dictionary.size(); ++n)
      entries.push_back(dictionary[n].part);
    said.columns = encoder.columns();
    two.add(0, said, known, entries);
    encoder.columns().clear();
    known = dictionary.size();
    said = {};
    said.first = c + 1;
    if (!full) continue;
    encoder.begin_block();
    said.begins_block = true;
    in_block = 0;
  }
  one.finish();
  two.finish();
  const auto bytes = [](const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  REQUIRE(bytes(plain).size() > 1000);
  CHECK((bytes(plain) == bytes(encoded)));
}

TEST_CASE("record: columns with a dictionary that does not match are refused") {
  const tb::TempFolder folder;
  RecordWriter writer(folder.path() + "/r", "random", {kernel_of(2, 1)}, {});
  const std::vector<record::StaticPart> entry(1);
  record::EncodedCtas ctas;
  ctas.count = 1;
  writer.add(0, ctas, 0, entry);
  ctas.first = 1;
  CHECK_THROWS_WITH(writer.add(0, ctas, 0, entry),
                    tb::has_text("two programs launch kernels at the same time"));
}

TEST_CASE("record: a streaming kernel takes hundredths of a byte per access") {
  // Two loads and a store of one word per thread, 8 warps a CTA: all addresses follow from the first two
  // CTAs.
  const tb::TempFolder folder;
  RecordWriter writer(folder.path() + "/r", "streaming", {kernel_of(4000, 8)}, {});
  for (std::uint64_t c = 0; c < 4000; ++c) {
    CtaTrace cta;
    cta.index = c;
    cta.warp_begin.push_back(0);
    for (std::uint64_t w = 0; w < 8; ++w) {
      for (std::uint64_t a = 0; a < 3; ++a) {
        WarpInstruction i;
        i.pc = static_cast<std::uint32_t>(a * 16);
        i.op = a < 2 ? OpClass::load : OpClass::store;
        i.address_kind = AddressKind::stride;
        i.address = 0x7f0000000000 + a * (1 << 24) + (c * 8 + w) * 128;
        i.stride = 4;
        i.width = 4;
        i.active_mask = ~0U;
        cta.instructions.push_back(i);
      }
      cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
    }
    writer.add(0, cta);
  }
  writer.finish();
  CHECK(writer.bytes_written() < 2000);  // 96000 accesses
}

TEST_CASE("record: a file of another version says what to do") {
  const tb::TempFolder folder;
  RecordWriter writer(folder.path() + "/r", "empty", {}, {});
  writer.finish();
  std::fstream file(folder.path() + "/r", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(8);
  file.put(2);
  file.close();
  CHECK_THROWS_WITH(RecordSource(folder.path() + "/r"),
                    strata::tb::has_text("expected format version 4, found 2: it was written by an earlier "
                                         "Strata; record it again"));
}

TEST_CASE(
    "Launches that become known while a record is written are in it, and a cut one has its first thread "
    "blocks") {
  const tb::TempFolder folder;
  const std::string path = folder.path() + "/late.strata";
  const auto cta = [](std::uint64_t index) {
    CtaTrace trace;
    trace.index = index;
    WarpInstruction end;
    end.op = OpClass::exit;
    end.active_mask = 0xffffffff;
    trace.instructions = {end};
    trace.warp_begin = {0, 1};
    return trace;
  };
  KernelInfo kernel;
  kernel.name = "k";
  kernel.grid = {2, 3, 1};
  kernel.block.x = 32;
  {
    RecordWriter writer(path, "an application");
    CHECK(writer.begin_kernel(kernel) == 0);
    for (std::uint64_t c = 0; c < 6; ++c) writer.add(0, cta(c));
    writer.add_copy({0x7f0000000000, 64, 1});
    CHECK(writer.begin_kernel(kernel) == 1);
    for (std::uint64_t c = 0; c < 4; ++c) writer.add(1, cta(c));
    CHECK(writer.cut_kernel());
    writer.begin_kernel(kernel);
    CHECK_FALSE(writer.cut_kernel());
    writer.finish();
  }
  RecordSource source(path);
  REQUIRE(source.kernels().size() == 2);
  CHECK(source.kernels()[0].grid.y == 3);
  CHECK(source.kernels()[1].ctas() == 4);
  CHECK(source.kernels()[1].id == 1);
  REQUIRE(source.copies().size() == 1);
  CHECK(source.copies()[0].before_kernel == 1);
  CHECK(source.fetch(1, 3)->instructions.size() == 1);
  CHECK(source.warp_instructions() == 10);
}

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <unistd.h>

#include "models/common/coalesce.h"
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/record/record_source.h"
#include "traces/tools.h"

using namespace strata;
using namespace strata::traces;

namespace {

struct Scratch {  // a directory of this process, removed at the end
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("strata-traces-" + std::to_string(::getpid()));
  Scratch() { std::filesystem::create_directories(path); }
  ~Scratch() { std::filesystem::remove_all(path); }
  std::string file(const std::string& name) const { return (path / name).string(); }
};

void require_same(const CtaTrace& a, const CtaTrace& b) {
  REQUIRE(a.index == b.index);
  REQUIRE(a.warp_begin == b.warp_begin);
  REQUIRE(a.addresses == b.addresses);
  REQUIRE(a.instructions.size() == b.instructions.size());
  for (std::size_t i = 0; i < a.instructions.size(); ++i) {
    const WarpInstruction &x = a.instructions[i], &y = b.instructions[i];
    const bool same = x.address == y.address && x.stride == y.stride && x.active_mask == y.active_mask &&
                      x.pc == y.pc && x.op == y.op && x.address_kind == y.address_kind &&
                      x.width == y.width && x.first_use == y.first_use && x.non_coherent == y.non_coherent &&
                      x.bypass_l1 == y.bypass_l1 && x.destination == y.destination &&
                      x.destination_count == y.destination_count && x.sources == y.sources &&
                      x.weight == y.weight && x.units == y.units;
    INFO("instruction " << i);
    REQUIRE(same);
  }
}

void require_same(InstructionSource& a, InstructionSource& b) {
  REQUIRE(a.kernels().size() == b.kernels().size());
  REQUIRE(a.copies().size() == b.copies().size());
  for (const KernelInfo& kernel : a.kernels())
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta)
      require_same(*a.fetch(kernel.id, cta), *b.fetch(kernel.id, cta));
}

std::string fault_of(const std::string& path) {
  try {
    check(path);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "no fault";
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// One CTA, one warp of 32 threads; `body` holds `count` instruction lines.
std::string kernel_text(const std::string& body, int count, const std::string& version = "5",
                        const std::string& binary = "70", const std::string& grid = "(1,1,1)") {
  return "-kernel name = k\n-grid dim = " + grid + "\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n" +
         "-binary version = " + binary + "\n-shmem base_addr = 0x00007f2000000000\n" +
         "-local mem base_addr = 0x00007f2001000000\n-accelsim tracer version = " + version +
         "\n#traces format = x\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " + std::to_string(count) +
         "\n" + body + "#END_TB\n";
}
const std::string exit_line = "00d0 ffffffff 0 EXIT 0 0 0\n";

}  // namespace

TEST_CASE("Counts of the samples equal those of their meta.json") {
  struct Row {
    const char* name;
    std::uint64_t ctas, warps, instructions, threads, load_lines, store_lines, load_sectors, store_sectors,
        lines, sectors;
  };
  // From traces/samples/*/meta.json: ctas, warps, warp_insts, thread_insts, gld_lines, gst_lines,
  // gld_sectors, gst_sectors, unique_lines_128B, unique_sectors_32B.
  const Row rows[] = {
      {"chase_8K", 1, 1, 2051, 2144, 2048, 0, 2048, 0, 64, 64},
      {"hotline_l1", 160, 1280, 331520, 10608640, 163840, 0, 655360, 0, 512, 2048},
      {"hotline_l2", 160, 1280, 167680, 5365760, 81920, 0, 327680, 0, 512, 2048},
      {"matmul_512", 256, 2048, 1331200, 42598400, 262144, 8192, 1048576, 32768, 24576, 98304},
      {"stride128_32M", 128, 1024, 19456, 622592, 262144, 0, 262144, 0, 262144, 262144},
      {"vectoradd_160", 160, 1280, 16640, 532480, 2560, 1280, 10240, 5120, 3840, 15360},
      {"vectoradd_640", 640, 5120, 66560, 2129920, 10240, 5120, 40960, 20480, 15360, 61440}};
  for (const Row& row : rows) {
    INFO(row.name);
    const auto source = open_trace("traces/samples/" + std::string(row.name));
    const TraceInfo info = analyse(*source);
    CHECK(info.ctas == row.ctas);
    CHECK(info.warps == row.warps);
    CHECK(info.warp_instructions == row.instructions);
    CHECK(info.thread_instructions == row.threads);
    CHECK(info.global_load_lines == row.load_lines);
    CHECK(info.global_store_lines == row.store_lines);
    CHECK(info.global_load_sectors == row.load_sectors);
    CHECK(info.global_store_sectors == row.store_sectors);
    CHECK(info.unique_lines == row.lines);
    CHECK(info.unique_sectors == row.sectors);
  }
}

TEST_CASE("A record of a sample holds the same instructions and is the same file twice") {
  const Scratch scratch;
  for (const char* name : {"chase_8K", "matmul_512", "stride128_32M", "vectoradd_160"}) {
    INFO(name);
    const auto source = open_trace("traces/samples/" + std::string(name));
    const std::uint64_t bytes = convert(*source, scratch.file("a"));
    convert(*source, scratch.file("b"));
    CHECK(bytes == std::filesystem::file_size(scratch.file("a")));
    CHECK(read_bytes(scratch.file("a")) == read_bytes(scratch.file("b")));
    const auto record = open_trace(scratch.file("a"));
    require_same(*source, *record);
    CHECK(check(scratch.file("a")).ctas == source->kernels()[0].ctas());
  }
}

TEST_CASE("CTAs asked for out of order are those of the file") {
  auto ascending = open_trace("traces/samples/vectoradd_160");
  auto shuffled = open_trace("traces/samples/vectoradd_160");
  for (const std::uint64_t cta :
       {159u, 0u, 80u, 81u, 1u, 80u}) {  // ahead, kept, kept, kept, kept, started again
    const auto expected = open_trace("traces/samples/vectoradd_160")->fetch(0, cta);
    require_same(*expected, *shuffled->fetch(0, cta));
  }
  require_same(*ascending, *shuffled);
}

TEST_CASE("Random instructions survive a record") {
  const Scratch scratch;
  const unsigned seed = 20261121;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  KernelInfo kernel;
  kernel.name = "random";
  kernel.grid.x = 20;
  kernel.block.x = 96;
  std::vector<CtaTrace> ctas(20);
  for (std::uint64_t c = 0; c < 20; ++c) {
    CtaTrace& cta = ctas[c];
    cta.index = c;
    cta.warp_begin.push_back(0);
    for (int w = 0; w < 3; ++w) {
      for (std::uint64_t n = random() % 200; n > 0; --n) {
        WarpInstruction i;
        i.pc = static_cast<std::uint32_t>(random() % 50 * 16);
        i.op = static_cast<OpClass>(random() % static_cast<unsigned>(OpClass::count_));
        i.active_mask = random() % 3 == 0 ? static_cast<std::uint32_t>(random()) : 0xffffffff;
        i.address_kind = static_cast<AddressKind>(random() % 3);
        i.width = static_cast<std::uint8_t>(1u << random() % 5);
        i.first_use = static_cast<std::uint8_t>(random());
        i.non_coherent = random() % 2 == 0;
        i.bypass_l1 = random() % 2 == 0;
        i.destination = static_cast<std::uint8_t>(random());
        i.destination_count = static_cast<std::uint8_t>(random());
        i.weight = static_cast<std::uint8_t>(random());
        for (std::uint8_t& units : i.units) units = static_cast<std::uint8_t>(random() % 3);
        for (std::uint8_t& register_number : i.sources) register_number = static_cast<std::uint8_t>(random());
        if (i.address_kind == AddressKind::stride) {
          i.address = random();
          i.stride = static_cast<std::int32_t>(random());
        } else if (i.address_kind == AddressKind::list) {
          i.address = cta.addresses.size();
          for (int lane = 0; lane < i.active_lanes(); ++lane) cta.addresses.push_back(random());
        }
        cta.instructions.push_back(i);
      }
      cta.warp_begin.push_back(static_cast<std::uint32_t>(cta.instructions.size()));
    }
  }
  RecordWriter writer(scratch.file("r"), "random", {kernel}, {{0x7f0000000000, 4096, 0}});
  for (std::size_t c = 20; c-- > 0;) writer.add(0, ctas[c]);  // backwards: frames out of order
  writer.finish();
  RecordSource record(scratch.file("r"));
  for (const std::size_t c : {7u, 19u, 0u, 7u}) require_same(ctas[c], *record.fetch(0, c));
  for (const CtaTrace& cta : ctas) require_same(cta, *record.fetch(0, cta.index));
}

TEST_CASE("Damaged records are refused, or hold what they held, whichever byte is hit") {
  const Scratch scratch;
  const auto source = open_trace("synthetic:streaming:ctas=2,warps=1,loads=4");
  convert(*source, scratch.file("whole"));
  const std::string whole = read_bytes(scratch.file("whole"));
  for (std::size_t size = 8; size < whole.size(); ++size) {
    write_bytes(scratch.file("cut"), whole.substr(0, size));
    CHECK_THROWS_AS(check(scratch.file("cut")), TraceError);
  }
  int harmless = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    write_bytes(scratch.file("damaged"), damaged);
    INFO("byte " << at);
    try {  // a few bits of a zstd frame mean nothing
      check(scratch.file("damaged"));
      require_same(*source, *open_trace(scratch.file("damaged")));
      ++harmless;
    } catch (const TraceError&) {
    }
  }
  CHECK(harmless < 4);
}

TEST_CASE("An unfinished record leaves nothing behind and the old file intact") {
  const Scratch scratch;
  write_bytes(scratch.file("r"), "old");
  {
    KernelInfo kernel;
    RecordWriter writer(scratch.file("r"), "x", {kernel}, {});
    CHECK_THROWS_WITH(writer.finish(),
                      strata::tb::has_text("thread block 0 of kernel '' was never recorded"));
  }
  CHECK(read_bytes(scratch.file("r")) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(scratch.path), {}) == 1);
}

TEST_CASE("Every fault of a trace file is named with its line") {
  const Scratch scratch;
  const std::string load = "0080 ffffffff 1 R2 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4 0\n";
  const auto fault = [&](const std::string& text) {
    write_bytes(scratch.file("k.traceg"), text);
    return fault_of(scratch.file("k.traceg"));
  };
  CHECK(fault(kernel_text(load + exit_line, 2)) == "no fault");
  // Line 15 is the first instruction.
  CHECK_THAT(fault(kernel_text(load + exit_line, 3)),
             strata::tb::has_text(":17: expected instruction 3 of 3 of warp 0"));
  CHECK_THAT(fault(kernel_text(load + exit_line, 1)),
             strata::tb::has_text(":15: expected EXIT for every thread of warp 0"));
  CHECK_THAT(fault(kernel_text(exit_line + load, 1)),
             strata::tb::has_text(":16: expected 'warp = W' or '#END_TB'"));
  CHECK_THAT(fault(kernel_text(load, 1)), strata::tb::has_text("expected EXIT for every thread of warp 0"));
  CHECK_THAT(fault(kernel_text("00d0 0000ffff 0 EXIT 0 0 0\n", 1)),
             strata::tb::has_text("found none for lane 16"));
  CHECK_THAT(fault(kernel_text(exit_line, 1, "7")),
             strata::tb::has_text("expected a trace version from 1 to 6, found '7'"));
  CHECK_THAT(fault(kernel_text(exit_line, 1, "5", "71")),
             strata::tb::has_text("35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, "
                                  "110, 120, 121, found '71'"));
  CHECK_THAT(fault(kernel_text(exit_line, 1, "5", "70", "(2,1,1)")),
             strata::tb::has_text("thread block 2 of 2"));
  CHECK_THAT(fault(kernel_text("0080 ffffffff 1 R2 LDQ 0 0 0\n" + exit_line, 2)),
             strata::tb::has_text(":15:20: expected an opcode of binary version 70, found 'LDQ'"));
  CHECK_THAT(fault(kernel_text("0080 ffffffff 1 R2 LDG.E.SYS 1 R2 4 1 0x0 0 0\n" + exit_line, 2)),
             strata::tb::has_text(":15: expected the address of an active lane, found 0 for all 32 lanes"));
  CHECK_THAT(fault(kernel_text("0080 fffxffff 0 NOP 0 0 0\n" + exit_line, 2)),
             strata::tb::has_text("found 'fffxffff'"));
  const std::string whole = kernel_text(load + exit_line, 2);
  // The last #END_TB may be missing, and no more than that.
  CHECK(fault(whole.substr(0, whole.size() - 8)) == "no fault");
  CHECK_THAT(fault(whole.substr(0, whole.size() - 9 - exit_line.size())),
             strata::tb::has_text("the file is cut"));
  const std::string two = kernel_text(load + exit_line, 2, "5", "70", "(2,1,1)");
  CHECK_THAT(fault(two.substr(0, two.size() - 8)), strata::tb::has_text("the file is cut"));
  CHECK_THAT(fault_of(scratch.file("nothing.traceg")), strata::tb::has_text("no such file"));
  const std::string xz = read_bytes("traces/samples/vectoradd_160/kernel-1.traceg.xz");
  write_bytes(scratch.file("k.traceg.xz"), xz.substr(0, xz.size() / 2));
  CHECK_THAT(fault_of(scratch.file("k.traceg.xz")), strata::tb::has_text("truncated"));
}

TEST_CASE("Address modes, versions, widths and windows are read as documented") {
  const Scratch scratch;
  const auto first = [&](const std::string& line, const std::string& version, const std::string& binary) {
    const std::string prefix = version == "1.2" ? "0 0 0 0 " : "";
    write_bytes(scratch.file("k.traceg"),
                kernel_text(prefix + line + "\n" + prefix + exit_line, 2, version, binary));
    return open_trace(scratch.file("k.traceg"))->fetch(0, 0);
  };
  std::array<Address, 32> lanes;
  for (const char* version : {"1.2", "3", "4", "5"}) {
    // Mode 2 with the immediate: +0x100, then +256, -128, +8 from lane to lane; 8 B lanes fill two registers.
    const auto deltas =
        first("0080 0000000f 1 R4 LDG.E.64.SYS 1 R2 8 2 0x7f0000000100 256 -128 8 0", version, "70");
    REQUIRE(lane_addresses(deltas->instructions[0], *deltas, lanes) == 4);
    CHECK(lanes[1] == 0x7f0000000200);
    CHECK(lanes[2] == 0x7f0000000180);
    CHECK(lanes[3] == 0x7f0000000188);
    CHECK(deltas->instructions[0].width == 8);
    CHECK(deltas->instructions[0].destination_count == 2);
  }
  const auto list = first("0020 00000005 1 R2 LDG.E.U8 1 R2 1 0 0x7f0000000180 0x7f0000000990", "5", "70");
  REQUIRE(lane_addresses(list->instructions[0], *list, lanes) == 2);
  CHECK(lanes[1] == 0x7f0000000990);
  CHECK(list->instructions[0].width == 1);
  const auto bypass = first("0020 ffffffff 1 R2 LDG.E.STRONG.GPU 1 R2 4 1 0x7f0000000000 4", "5", "70");
  CHECK(bypass->instructions[0].bypass_l1);
  // Generic loads: [0x7f2000000000, 0x7f2001000000) is shared, above that local, elsewhere global.
  CHECK(first("0 1 1 R2 LD.E 1 R2 4 2 0x7f2000000010", "5", "70")->instructions[0].op ==
        OpClass::shared_load);
  CHECK(first("0 1 1 R2 LD.E 1 R2 4 2 0x7f2001000010", "5", "70")->instructions[0].op == OpClass::load);
  CHECK(first("0 1 0 ST.E 2 R2 R255 4 2 0x7f0000000010", "5", "35")->instructions[0].op == OpClass::store);
  CHECK(first("0 1 0 LDGSTS.E 2 R2 R4 4 2 0x7f0000000010", "5", "86")->instructions[0].op == OpClass::load);
  // Version 6: two immediates, and what the destinations held.
  for (const char* end : {"", " 7", " 7 -8", " 0 0 NoVal", " 0 0 Val 1 2 3", " NoVal"}) {
    INFO(end);
    CHECK(first(std::string("0 ffffffff 1 R2 IADD3 1 R3 0") + end, "6", "90")->instructions.size() == 2);
  }
  CHECK(first("0 ffffffff 1 R2 VIADD 1 R3 0", "6", "90")->instructions[0].op == OpClass::alu);
  CHECK(first("0 ffffffff 1 R2 UFADD 1 R3 0", "6", "120")->instructions[0].op == OpClass::alu);
  const auto six = first("0 ffffffff 1 R4 LDG.E.128 1 R2 16 1 0x7f00 16 0 0 NoVal", "6", "100");
  CHECK(six->instructions[0].address == 0x7f00);
  CHECK(six->instructions[0].width == 16);
  const auto five = first("0 ffffffff 1 R2 IMAD 5 R1 R2 R3 R4 R5 0 0", "5", "70");
  CHECK(five->instructions[0].sources[4] == 5);
  CHECK(first("0 0 1 R2 LDG.E 1 R2 4 1 0x0 77", "5", "70")->instructions[0].active_mask == 0);
}

TEST_CASE("Accesses merge into lines in order of first touch") {
  const CtaTrace none;
  LineAccesses lines;
  WarpInstruction i;
  i.op = OpClass::load;
  i.address_kind = AddressKind::stride;
  i.active_mask = 0xffffffff;
  i.width = 4;
  i.address = 0x1000;
  i.stride = 4;  // 128 B: one whole line
  coalesce(i, none, 128, lines);
  REQUIRE(lines.count == 1);
  CHECK(lines.lines[0].sectors == 0xf);
  i.address = 0x1010;  // 16 B over the end: the second line's first sector
  coalesce(i, none, 128, lines);
  REQUIRE(lines.count == 2);
  CHECK(lines.lines[1].line == 0x1080);
  CHECK(lines.lines[1].sectors == 1);
  i.address = 0x2000;
  i.stride = -128;  // descending: 32 lines, first sector each
  coalesce(i, none, 128, lines);
  REQUIRE(lines.count == 32);
  CHECK(lines.lines[0].line == 0x2000);
  CHECK(lines.lines[31].line == 0x2000 - 31 * 128);
  CHECK(lines.lines[31].sectors == 1);
  // Listed: lane 0 straddles 0x107e..0x1081, lane 1 has address 0, lane 2 returns to the first line's sector
  // 0.
  CtaTrace cta;
  cta.addresses = {0x107e, 0, 0x1000};
  i.address_kind = AddressKind::list;
  i.address = 0;
  i.active_mask = 7;
  coalesce(i, cta, 128, lines);
  REQUIRE(lines.count == 2);
  CHECK(lines.lines[0].line == 0x1000);
  CHECK(lines.lines[0].sectors == 9);
  CHECK(lines.lines[1].sectors == 1);
  // Shared memory: stride 8 B puts 32 words into 16 banks, two each; stride 128 B all into one.
  i.address_kind = AddressKind::stride;
  i.active_mask = 0xffffffff;
  i.stride = 8;
  CHECK(shared_passes(i, none).cycles == 2);
  i.stride = 128;
  CHECK(shared_passes(i, none).cycles == 32);
  i.stride = 0;
  CHECK(shared_passes(i, none).cycles == 1);
}

TEST_CASE("Synthetic streams depend on their parameters only and keep their promises") {
  for (const char* spec :
       {"streaming", "strided", "random:hits=0.7,in_flight=8", "hot_set:stores=0.2", "chase"}) {
    INFO(spec);
    const std::string text = "synthetic:" + std::string(spec) +
                             (std::string(spec).find(':') == std::string::npos ? ":" : ",") + "ctas=6";
    const auto a = open_trace(text), b = open_trace(text);
    b->fetch(0, 5);
    require_same(*a, *b);
    CHECK(check(text).warp_instructions == a->warp_instructions());
    const auto again = open_trace(a->description());
    require_same(*a, *again);
  }
  // Without a seed in the spec that of the run counts, and the description holds it.
  const auto seeded = [](const char* spec, std::uint64_t seed) {
    OpenOptions options;
    options.seed = seed;
    return open_trace(spec, options);
  };
  const char* const open = "synthetic:random:ctas=2";
  CHECK(seeded(open, 9)->description() == "synthetic:random:ctas=2,seed=9");
  CHECK(seeded(open, 0)->description() != seeded(open, std::uint64_t{1} << 40)->description());
  CHECK(seeded("synthetic:random:ctas=2,seed=3", 9)->description() == "synthetic:random:ctas=2,seed=3");
  require_same(*seeded(open, 1), *open_trace(open));
  // 2 CTAs x 8 warps x 64 loads of 128 B, every line once.
  const auto stream = open_trace("synthetic:streaming:ctas=2");
  CHECK(analyse(*stream).unique_lines == 1024);
  // One warp follows all 64 lines of 8 KiB exactly once in 64 steps.
  const auto chase = open_trace("synthetic:chase:ctas=1,warps=1,loads=64,footprint=8KiB");
  CHECK(analyse(*chase).unique_lines == 64);
  CHECK_THROWS_WITH(open_trace("synthetic:random:footprnt=4MiB"),
                    strata::tb::has_text("did you mean 'footprint'"));
}

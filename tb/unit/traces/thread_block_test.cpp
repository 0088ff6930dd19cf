// What Accel-Sim traces say of local memory, barriers by number and asynchronous copies.
#include <fstream>

#include "models/common/coalesce.h"
#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/accelsim/kernel_file.h"
#include "traces/local_memory.h"
#include "traces/open.h"
#include "traces/selection.h"
#include "traces/tools.h"

using namespace strata;
using namespace strata::traces;
using strata::tb::has_text;

namespace {

/// The first thread blocks of a kernel whose warps execute these lines and EXIT.
struct Kernel {
  int version = 5;
  int binary = 80;
  std::string more_header = {};

  std::vector<std::shared_ptr<CtaTrace>> read(const std::vector<std::vector<std::string>>& warps,
                                              int ctas = 1) const {
    const tb::TempFolder folder;
    const std::string path = folder.path() + "/kernel-1.traceg";
    std::ofstream file(path);
    file << "-kernel name = k\n-kernel id = 1\n-grid dim = (" << ctas << ",1,1)\n-block dim = ("
         << 32 * warps.size() << ",1,1)\n-shmem = 0\n-nregs = 16\n-binary version = " << binary
         << "\n-shmem base_addr = 0x7f2000000000\n-local mem base_addr = 0x7f2001000000\n"
         << more_header << "-accelsim tracer version = " << version
         << "\n-enable lineinfo = 0\n#traces format\n";
    for (int cta = 0; cta < ctas; ++cta) {
      file << "#BEGIN_TB\nthread block = " << cta << ",0,0\n";
      for (std::size_t w = 0; w < warps.size(); ++w) {
        file << "warp = " << w << "\ninsts = " << warps[w].size() + 1 << "\n";
        for (const std::string& line : warps[w]) file << line << "\n";
        file << "0f00 ffffffff 0 EXIT 0 0" << (version >= 6 ? " 0 0 NoVal\n" : "\n");
      }
      file << "#END_TB\n";
    }
    file.close();
    KernelFile kernel(path, false);
    std::vector<std::shared_ptr<CtaTrace>> out;
    for (int cta = 0; cta < ctas; ++cta) out.push_back(kernel.next());
    return out;
  }
  WarpInstruction first(const std::string& line) const { return read({{line}}).at(0)->instructions.at(0); }
};

std::string text_of(const WarpInstruction& i) {
  return std::to_string(static_cast<int>(i.sync)) + ":" + std::to_string(barrier_of(i.operand)) + "/" +
         std::to_string(barrier_warps(i.operand));
}

std::vector<Address> lines_of(const WarpInstruction& i, const CtaTrace& cta) {
  LineAccesses lines;
  coalesce(i, cta, 128, lines);
  std::vector<Address> out;
  for (const LineAccess& line : lines) out.push_back(line.line);
  return out;
}

}  // namespace

// A thread has 512 KiB, of which 0xfff700 is byte 0x7f700: word 0x1fdc0. All lanes name it: 32 words side by
// side, one line. The launch has four warps, so that the next word lies four lines further on; between are
// the words of the other warps.
TEST_CASE("local memory of a warp's threads lies side by side") {
  const std::vector<std::string> warp = {"0100 ffffffff 0 STL 2 R1 R10 4 1 0xfff700 0 0",
                                         "0110 ffffffff 1 R3 LDL 1 R1 4 1 0xfff704 0 0"};
  const auto ctas = Kernel{}.read({warp, warp}, 2);
  const WarpInstruction& store = ctas[0]->instructions[0];
  CHECK(store.op == OpClass::store);
  CHECK(store.local);
  CHECK(store.address_kind == AddressKind::stride);
  const Address first = local_memory_base + Address{0x1fdc0} * 4 * 128;
  CHECK(store.address == first);
  CHECK(store.stride == 4);
  CHECK(ctas[0]->instructions[1].address == first + 4 * 128);
  CHECK(ctas[0]->instructions[3].address == first + 128);
  CHECK(ctas[1]->instructions[0].address == first + 256);
}

// 8 B of each lane are two words: two lines, of full ones all of both; lane 3 alone touches a sector of each.
// The launch has one warp: a line for each word.
TEST_CASE("wide accesses of local memory touch a line for each word") {
  const auto cta = Kernel{}.read(
      {{"0100 ffffffff 1 R4 LDL.64 1 R1 8 1 0x0 0 0", "0110 00000008 1 R4 LDL.64 1 R1 8 1 0x8 0 0"}})[0];
  constexpr Address word = 128;
  LineAccesses lines;
  coalesce(cta->instructions[0], *cta, 128, lines);
  REQUIRE(lines.count == 2);
  CHECK(lines.lines[0].line == local_memory_base);
  CHECK(lines.lines[0].sectors == 0xf);
  CHECK(lines.lines[1].line == local_memory_base + word);
  CHECK(lines.lines[1].sectors == 0xf);
  coalesce(cta->instructions[1], *cta, 128, lines);
  REQUIRE(lines.count == 2);
  CHECK(lines.lines[0].line == local_memory_base + 2 * word);
  CHECK(lines.lines[0].sectors == 0b1);
  CHECK(lines.lines[1].line == local_memory_base + 3 * word);
  CHECK(lines.lines[1].sectors == 0b1);
}

// Byte 1 of each thread's first word.
TEST_CASE("narrow accesses of local memory stay in the words of their threads") {
  const WarpInstruction i = Kernel{}.first("0100 ffffffff 1 R4 LDL.U8 1 R1 1 1 0x1 0 0");
  CHECK(i.address == local_memory_base + 1);
  CHECK(i.stride == 4);
  CHECK(i.width == 1);
}

// Lanes with offsets of their own: lane n, word n, each word in its line.
TEST_CASE("lanes may be at different offsets of their local memory") {
  const auto cta = Kernel{}.read({{"0100 0000000f 1 R4 LDL 1 R1 4 1 0x0 4 0"}})[0];
  const WarpInstruction& i = cta->instructions[0];
  CHECK(i.address == local_memory_base);
  CHECK(i.stride == 128 + 4);
  CHECK(lines_of(i, *cta).size() == 4);
}

TEST_CASE("generic accesses in the local window are of local memory") {
  const auto cta = Kernel{}.read({{"0100 ffffffff 0 STL 2 R1 R10 4 1 0xfff700 0 0",
                                   "0110 ffffffff 1 R4 LD.E 1 R2 4 1 0x7f2001fff700 0 0",
                                   "0120 ffffffff 1 R4 LD.E 1 R2 4 1 0x7f2000000010 4 0",
                                   "0130 ffffffff 1 R4 LD.E 1 R2 4 1 0x7f3000000000 4 0"}})[0];
  CHECK(cta->instructions[1].local);
  CHECK(cta->instructions[1].op == OpClass::load);
  CHECK(cta->instructions[1].address == cta->instructions[0].address);
  CHECK(cta->instructions[2].op == OpClass::shared_load);
  CHECK_FALSE(cta->instructions[3].local);
  CHECK(cta->instructions[3].address == 0x7f3000000000);
}

TEST_CASE("a trace may hold local addresses as hardware has them") {
  Kernel kernel;
  kernel.more_header = "-local mem layout = interleaved\n";
  const WarpInstruction i = kernel.first("0100 ffffffff 0 STL 2 R1 R10 4 1 0x7ef000000080 4 0");
  CHECK(i.local);
  CHECK(i.address == 0x7ef000000080);
}

TEST_CASE("barriers by number meet with the warps that name them") {
  const std::string one = "0010 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 1";
  const std::string two = "0020 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 2";
  const std::string all = "0030 ffffffff 0 BAR.SYNC 0 0 0";
  const std::string arrives = "0040 ffffffff 0 BAR.ARV 0 0 2";
  const auto cta = Kernel{}.read({{one, all}, {one, all}, {two, all}, {arrives, all}})[0];
  CHECK(text_of(cta->instructions[0]) == "1:1/2");
  CHECK(text_of(cta->instructions[6]) == "1:2/2");
  CHECK(text_of(cta->instructions[9]) == "2:2/2");
  CHECK(cta->instructions[1].sync == Sync::none);  // the barrier of all warps
}

TEST_CASE("from version 6 on a barrier has its number and its threads") {
  Kernel kernel;
  kernel.version = 6;
  const std::string all = "0010 ffffffff 0 BAR.SYNC 0 0 0 0 NoVal",
                    both = "0010 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal";
  const auto cta = kernel.read({{both}, {both}, {all}, {all}})[0];
  CHECK(text_of(cta->instructions[0]) == "1:1/2");
  CHECK(cta->instructions[4].sync == Sync::none);
  CHECK_THROWS_WITH(kernel.read({{"0010 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal"}}),
                    has_text("expected a barrier of at most as many threads as the block has"));
  CHECK_THROWS_WITH(kernel.read({{"0010 ffffffff 0 BAR.SYNC 0 0 16 32 NoVal"}}),
                    has_text("expected a barrier from 0 to 15"));
}

// Before, the last immediate is noted: the number of threads where there is one.
TEST_CASE("warps whose barrier the tracer has lost meet with adjacent warps, or with the next arrivals") {
  const std::string sync = "0010 ffffffff 0 BAR.SYNC 0 0 64", arrives = "0020 ffffffff 0 BAR.ARV 0 0 64";
  const auto pairs = Kernel{}.read({{sync}, {sync}, {sync}, {sync}})[0];
  CHECK(text_of(pairs->instructions[0]) == "1:15/2");
  CHECK(text_of(pairs->instructions[2]) == "1:15/2");
  CHECK(text_of(pairs->instructions[4]) == "1:14/2");
  const auto others = Kernel{}.read({{arrives}, {sync}, {arrives}, {sync}})[0];
  CHECK(text_of(others->instructions[0]) == "2:15/2");
  CHECK(text_of(others->instructions[6]) == "1:15/2");
  // All threads of the block: the usual barrier.
  CHECK(Kernel{}.read({{sync}, {sync}})[0]->instructions[0].sync == Sync::none);
}

TEST_CASE("asynchronous copies form groups that DEPBAR waits for") {
  const auto cta = Kernel{}.read({{"0100 ffffffff 0 LDGSTS.E.BYPASS.128 2 R10 R2 16 1 0x7f0000000000 16 0",
                                   "0108 ffffffff 0 LDGSTS.E.64 2 R10 R2 8 1 0x7f0000001000 8 0",
                                   "0110 ffffffff 0 LDGDEPBAR 0 0 0", "0120 ffffffff 0 DEPBAR.LE 0 0 3"}})[0];
  const WarpInstruction& copy = cta->instructions[0];
  CHECK(copy.op == OpClass::load);
  CHECK(copy.async);
  CHECK(copy.bypass_l1);
  CHECK(copy.width == 16);
  CHECK_FALSE(cta->instructions[1].bypass_l1);
  CHECK(cta->instructions[2].sync == Sync::copy_commit);
  CHECK(cta->instructions[3].sync == Sync::copy_wait);
  CHECK(cta->instructions[3].operand == 3);
}

// Tracers write a line for each address of the instruction, first that in shared memory.
TEST_CASE("the side of a copy in shared memory is a store there") {
  const auto cta = Kernel{}.read({{"0100 ffffffff 0 LDGSTS.E.128 2 R10 R2 16 1 0x400 16 0",
                                   "0100 ffffffff 0 LDGSTS.E.128 2 R10 R2 16 1 0x7f0000000000 16 0"}})[0];
  CHECK(cta->instructions[0].op == OpClass::shared_store);
  CHECK_FALSE(cta->instructions[0].async);
  CHECK(cta->instructions[1].op == OpClass::load);
  CHECK(cta->instructions[1].async);
}

TEST_CASE("what a trace does not tell of copies and orders is marked") {
  Kernel kernel;
  kernel.binary = 90;
  const WarpInstruction copy = kernel.first("0100 ffffffff 0 UTMALDG.2D 0 0 0");
  CHECK(copy.op == OpClass::other);
  CHECK(copy.bulk);
  const WarpInstruction waits = kernel.first("0100 ffffffff 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 0 0 0");
  CHECK(waits.op == OpClass::other);
  CHECK(waits.async);
}

TEST_CASE("a wait for copies of which no group was made is refused, with its place") {
  const std::string copy = "0100 ffffffff 0 LDGSTS.E.128 2 R10 R2 16 1 0x7f0000000000 16 0";
  const std::string waits = "0120 ffffffff 0 DEPBAR.LE 0 0 0";
  CHECK_THROWS_WITH(Kernel{}.read({{waits}, {copy, waits}}),
                    has_text(":22: ") && has_text("warp 1 of thread block 1 of 1 of kernel 'k'") &&
                        has_text("a barrier that is never set"));
  CHECK(Kernel{}.read({{waits}}).size() == 1);  // of results of other kinds
}

TEST_CASE("what is not modelled is counted by reason") {
  const tb::TempFolder folder;
  const std::string path =
      folder.write("k.traceg",
                   "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                   "-binary version = 80\n-accelsim tracer version = 5\n#traces format\n"
                   "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 5\n"
                   "0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n"
                   "0020 ffffffff 1 R2 TEX 1 R4 0\n0030 ffffffff 1 R2 IADD3 1 R4 0\n"
                   "0f00 ffffffff 0 EXIT 0 0\n#END_TB\n");
  KernelFile kernel(path, false);
  kernel.next();
  std::map<std::string_view, std::uint64_t> counts;
  for (const auto& [reason, count] : kernel.ignored()) counts[reason.substr(0, reason.find(':'))] = count;
  CHECK(counts == std::map<std::string_view, std::uint64_t>{{"fences", 2}, {"fetches of textures", 1}});
}

// Four requests of 128 B: 32 pieces of 16 B in one instruction, then the report of 512 B to the barrier at
// 0x40.
TEST_CASE("bulk copies of Accel-Sim 2.0 traces move what their operands say") {
  Kernel kernel;
  kernel.binary = 90;
  kernel.version = 6;
  const auto cta =
      kernel.read({{"0100 00000001 0 UTMALDG.2D 0 16 0x40 0 512 0 4 0x7f0000000000 4 256 256 256 0 0 NoVal",
                    "0110 00000001 0 UTMASTG.2D 0 16 0x0 0 64 0 3 1 0x7f0000010000 0 0 NoVal"}})[0];
  const WarpInstruction& load = cta->instructions[0];
  CHECK(load.op == OpClass::load);
  CHECK(load.async);
  CHECK(load.bulk);
  CHECK(lines_of(load, *cta) ==
        std::vector<Address>{0x7f0000000000, 0x7f0000000100, 0x7f0000000200, 0x7f0000000300});
  const WarpInstruction& report = cta->instructions[1];
  CHECK(report.sync == Sync::bulk_arrive);
  CHECK(report.operand == 512 / 16);
  CHECK(report.address == 0x40);
  const WarpInstruction& store = cta->instructions[2];
  CHECK(store.op == OpClass::store);
  CHECK(store.active_mask == 0xf);  // 64 B
  CHECK(cta->instructions[3].sync == Sync::bulk_commit);
}

TEST_CASE("a check names what is not modelled, with its count and what it can change") {
  const tb::TempFolder folder;
  const std::string path =
      folder.write("k.traceg",
                   "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                   "-binary version = 80\n-accelsim tracer version = 5\n#traces format\n"
                   "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 3\n"
                   "0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n0018 ffffffff 0 MEMBAR.SC.GPU 0 0\n"
                   "0f00 ffffffff 0 EXIT 0 0\n#END_TB\n");
  const CheckReport report = check(path);
  REQUIRE(report.notes.size() == 1);
  CHECK(report.notes[0] == path +
                               ": not in the figures of a run: 2 fences: a warp does not wait until its "
                               "stores are seen, so a kernel with many may be too fast");
}

// Two kernels; the second has 2 fences a warp. A record of the trace says the same, of what is fetched of it.
TEST_CASE("what is not modelled is said by kernel and kept by records") {
  const tb::TempFolder folder;
  const auto kernel = [&](const std::string& name, const std::string& more, int count) {
    folder.write(
        name,
        "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-binary version = 80\n"
        "-accelsim tracer version = 5\n#traces format\n" +
            [&] {
              std::string blocks;
              for (const char* place : {"0", "1"})
                blocks += std::string("#BEGIN_TB\nthread block = ") + place +
                          ",0,0\nwarp = 0\ninsts = " + std::to_string(1 + count) + "\n" + more +
                          "0f00 ffffffff 0 EXIT 0 0\n#END_TB\n";
              return blocks;
            }());
  };
  kernel("kernel-1.traceg", "0010 ffffffff 1 R2 LDC 1 R4 0\n", 1);
  kernel("kernel-2.traceg", "0010 ffffffff 0 MEMBAR.SC.GPU 0 0\n0010 ffffffff 0 ERRBAR 0 0\n", 2);
  const std::string list = folder.write("kernelslist.g", "kernel-1.traceg\nkernel-2.traceg\n");
  const auto said = [](InstructionSource& source, std::uint32_t launch) {
    for (std::uint64_t cta = 0; cta < 2; ++cta) source.fetch(launch, cta);
    std::string text;
    for (const SourceGap& gap : source.gaps())
      text += std::to_string(gap.kernel) + " " + std::to_string(gap.count) + " " +
              gap.reason.substr(0, gap.reason.find(':')) + "; ";
    return text;
  };
  const std::string second = "1 4 fences; ", both = "0 2 loads of constants; 1 4 fences; ";
  const auto trace = open_trace(list);
  CHECK(said(*trace, 1) == second);
  CHECK(said(*trace, 0) == both);
  const std::string record = folder.path() + "/r.strata";
  const auto whole = open_trace(list);
  convert(*whole, record);
  const auto read = open_trace(record);
  CHECK(read->gaps().empty());
  CHECK(said(*read, 1) == second);
  CHECK(said(*read, 0) == both);
  LaunchSelection last;
  last.first = 1;
  CHECK(said(*select_launches(open_trace(list), last), 0) == "0 4 fences; ");
}

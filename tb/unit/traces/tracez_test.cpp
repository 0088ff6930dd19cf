#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "models/common/faults.h"
#include "tb/support/catch.h"
#include "traces/accelsim/bulk_operands.h"
#include "traces/accelsim/opcode_table.h"
#include "traces/tools.h"

using namespace strata;
using namespace strata::traces;

namespace {

/// A folder of its own for each test, removed at its end.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("strata-trace-faults-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directory(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

std::string kernel(const std::string& key, const std::string& lines, int count) {
  return "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 70\n"
         "-accelsim tracer version = 5\n" +
         key +
         "#traces format = x\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = " + std::to_string(count) +
         "\n" + lines + "#END_TB\n";
}

std::string fault_of(const std::string& path) {
  try {
    check(path);
  } catch (const TraceError& error) {
    return error.what();
  }
  return {};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("With line info each instruction begins with its source line") {
  const Folder folder;
  const std::string exit = "0010 ffffffff 0 EXIT 0 0 0\n";
  const std::string load = "0000 ffffffff 1 R2 LDG.E.SYS 1 R2 4 1 0x7f0000000000 4 0\n";
  const std::string with =
      folder.write("with.traceg", kernel("-enable lineinfo = 1\n", "42 " + load + "43 " + exit, 2));
  const auto cta = open_trace(with)->fetch(0, 0);
  REQUIRE(cta->instructions.size() == 2);
  CHECK(cta->instructions[0].op == OpClass::load);
  CHECK(cta->instructions[0].pc == 0);
  CHECK(cta->instructions[1].pc == 16);
  // A source line number is decimal: x0000 is none.
  // anyway.
  const std::string without =
      folder.write("without.traceg", kernel("-enable lineinfo = 1\n", "x" + load + exit, 2));
  CHECK(holds(fault_of(without),
              "without.traceg:12:1: expected a source line number (decimal; line info is enabled)"));
  CHECK(holds(fault_of(folder.write("flag.traceg", kernel("-enable lineinfo = 2\n", load + exit, 2))),
              "-enable lineinfo: expected 0 or 1, found '2'"));
}

TEST_CASE("Copies are hexadecimal addresses and decimal sizes before the kernel that follows") {
  const Folder folder;
  folder.write("kernel-1.traceg", kernel("", "0010 ffffffff 0 EXIT 0 0 0\n", 1));
  const std::string list =
      folder.write("kernelslist.g",
                   "MemcpyHtoD,0x00007f0000000000,163840\nMemcpyHtoD,7f00,10\nkernel-1.traceg\nMemcpyDtoH,x\n"
                   "MemcpyHtoD,0x10,1\n");
  const auto source = open_trace(list);
  REQUIRE(source->copies().size() == 3);
  CHECK(source->copies()[0].address == 0x7f0000000000);
  CHECK(source->copies()[0].bytes == 163840);
  CHECK(source->copies()[1].address == 0x7f00);
  CHECK(source->copies()[1].before_kernel == 0);
  CHECK(source->copies()[2].before_kernel == 1);
  for (const char* bad : {"MemcpyHtoD", "MemcpyHtoD,0x10", "MemcpyHtoD,0x10,0x20", "MemcpyHtoD,zz,1",
                          "MemcpyHtoD,0x10,1,2", "MemcpyHtoD,0x10,-1"}) {
    INFO(bad);
    CHECK(holds(fault_of(folder.write("bad.g", "kernel-1.traceg\n" + std::string(bad) + "\n")),
                "bad.g:2: expected 'MemcpyHtoD,<hex address>,<bytes>'"));
  }
}

// Looking up bisects: a name out of order would not be found.
TEST_CASE("A list of kernels leaves out no line without a word") {
  const Folder folder;
  std::filesystem::create_directory(folder.path / "sub");
  const std::string text = kernel("", "0010 ffffffff 0 EXIT 0 0 0\n", 1);
  for (const char* name : {"kernel-1.traceg", "kernel-2.traceg", "sub/kernel-3.traceg", "my_kernel.traceg"})
    folder.write(name, text);
  const std::string absolute = (folder.path / "kernel-2.traceg").string();
  const std::string good =
      folder.write("good.g", "\xef\xbb\xbfkernel-1.traceg\n./kernel-2.traceg\n " + absolute +
                                 "\t\n  sub/kernel-3.traceg\r\n\n# kernel-9.traceg\n"
                                 "MemcpyDtoH,0x7f0000000000,64\nmy_kernel.traceg\n");
  CHECK(open_trace(good)->kernels().size() == 5);
  const auto refused = [&](const std::string& line, const std::string& part) {
    const std::string path = folder.write("bad.g", "kernel-1.traceg\n" + line + "\nkernel-2.traceg\n");
    INFO(line << " gives " << fault_of(path));
    CHECK(holds(fault_of(path), "bad.g:2: expected"));
    CHECK(holds(fault_of(path), part));
  };
  refused("kernl-2", "found 'kernl-2'");
  refused("kernel-2.traceg.gz", "ending in .traceg, .traceg.xz or .tracez, found 'kernel-2.traceg.gz'");
  refused("kernel-2.trace", "post-traces-processing");
  refused("// kernel-2", "a comment '# ...'");
  refused("\xef\xbb\xbfkernel-2", "found");  // the mark belongs to the first line
  refused(std::string(5000, 'k'), "...");
  CHECK(holds(fault_of(folder.write("bad.g", "kernel-1.traceg\nkernel-7.traceg\n")), "bad.g:2: "));
}

TEST_CASE("Blank lines, header lines and lists without end are refused where they become too many") {
  const Folder folder;
  const std::string blank(1'000'100, '\n');
  CHECK(holds(fault_of(folder.write("blank.g", "kernel-1.traceg\n" + blank)), "blank.g:"));
  CHECK(holds(fault_of(folder.write("blank.traceg", "-grid dim = (1,1,1)\n" + blank)),
              "blank.traceg:1000002: more than 1000000 blank lines in a row"));
  std::string header;
  for (int i = 0; i < 10'001; ++i) header += "-x = 1\n";
  CHECK(holds(fault_of(folder.write("header.traceg", header)),
              "header.traceg:10001: expected a header of at most 10000 lines"));
  std::string list;
  for (int i = 0; i < 1'000'001; ++i) list += "#\n";
  CHECK(holds(fault_of(folder.write("list.g", list)), "list.g:1000001: expected at most 1000000 lines"));
}

TEST_CASE("Every opcode of every table is found under its own name") {
  for (const int version :
       {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121}) {
    const OpcodeTable* table = OpcodeTable::find(version);
    REQUIRE(table != nullptr);
    const std::vector<std::string> names = table->names();
    CHECK(names.size() > 80);
    for (std::size_t i = 0; i < names.size(); ++i) {
      INFO(version << " " << names[i]);
      if (i > 0) CHECK(names[i - 1] < names[i]);
      Opcode opcode;
      CHECK(table->decode(names[i], opcode));
    }
  }
  CHECK(OpcodeTable::find(91) == nullptr);
  Opcode opcode;
  CHECK_FALSE(OpcodeTable::find(89)->decode("UTMALDG", opcode));
  CHECK(OpcodeTable::find(90)->decode("UTMALDG", opcode));
  CHECK_FALSE(OpcodeTable::find(90)->decode("UFADD", opcode));
}

TEST_CASE("A thread block of too many instructions is refused where it is counted") {
  const Folder folder;
  const std::string path = folder.write("large.traceg", kernel("", "", 67108865));
  CHECK(holds(fault_of(path),
              "large.traceg:10: expected at most 67108864 instructions in thread block 1 of 1, found "
              "insts = 67108865 for warp 0 after 0"));
}

// 32 warps * (2 + 16383 * (1 + 1)) = 1048576 = 2^20 instructions are allowed; one load more a warp is not.
TEST_CASE("A synthetic CTA holds at most 2^20 instructions") {
  CHECK(open_trace("synthetic:random:warps=32,loads=16383,ctas=1")->fetch(0, 0)->instructions.size() ==
        1048576);
  try {
    open_trace("synthetic:random:warps=32,loads=16384,ctas=1");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(holds(
        error.what(),
        "loads makes CTAs of 1048640 instructions (warps * (2 + loads * (1 + alu))), allowed are 1048576"));
  }
}

TEST_CASE("Opcodes name the unit that executes them") {
  const auto unit = [](int version, const char* text) {
    Opcode opcode;
    REQUIRE(OpcodeTable::find(version)->decode(text, opcode));
    return opcode.unit;
  };
  CHECK(unit(70, "FFMA.FTZ") == Unit::sp);
  CHECK(unit(70, "HFMA2.MMA") == Unit::sp);
  CHECK(unit(70, "IMAD.MOV.U32") == Unit::integer);
  CHECK(unit(70, "DFMA") == Unit::dp);
  CHECK(unit(70, "HMMA.884.F32.F32.STEP0") == Unit::tensor);
  CHECK(unit(70, "MUFU.RCP") == Unit::sfu);
  CHECK(unit(70, "BRA") == Unit::branch);
  CHECK(unit(80, "DMMA") == Unit::tensor);
  CHECK(unit(70, "NOP") == Unit::none);
  CHECK(unit(70, "LDG.E.SYS") == Unit::none);
}

// Files of Accel-Sim 2.0 (.tracez): what is read, and how damaged ones are refused.

namespace {

std::string u32(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

std::string u64(std::uint64_t value) {
  return u32(static_cast<std::uint32_t>(value)) + u32(static_cast<std::uint32_t>(value >> 32));
}

/// A zstd frame that holds `data` as they are (RFC 8878): magic, one segment with a size of four bytes, and
/// one raw block.
std::string frame(const std::string& data) {
  const std::string size = u32(static_cast<std::uint32_t>(data.size()));
  return std::string("\x28\xb5\x2f\xfd\xa0", 5) + size +
         u32(static_cast<std::uint32_t>(data.size() << 3 | 1)).substr(0, 3) + data;
}

struct TestWarp {
  std::vector<std::string> pages;  // lines without the last LF
  std::vector<std::uint32_t> lines;
};
struct TestBlock {
  std::vector<std::uint32_t> ids = std::vector<std::uint32_t>(10, 0);
  std::vector<TestWarp> warps;
};

/// As the format is described in docs/guide/trace-formats.md.
std::string tracez(const std::string& header, const std::vector<TestBlock>& blocks) {
  std::string file = header + '\0' + u32(0) + u32(2048);
  std::string index = u32(static_cast<std::uint32_t>(blocks.size()));
  for (const TestBlock& block : blocks) {
    for (const std::uint32_t id : block.ids) index += u32(id);
    index += u32(static_cast<std::uint32_t>(block.warps.size()));
    for (const TestWarp& warp : block.warps) {
      std::uint32_t lines = 0;
      for (const std::uint32_t of_page : warp.lines) lines += of_page;
      const std::string counts = u32(lines) + u32(static_cast<std::uint32_t>(warp.pages.size()));
      index += counts + u64(file.size());
      file += counts;
      for (std::size_t p = 0; p < warp.pages.size(); ++p) {
        const std::string packed = frame(warp.pages[p]);
        file += u32(static_cast<std::uint32_t>(packed.size())) + packed;
        index += u32(warp.lines[p]);
      }
    }
  }
  const std::uint64_t at = file.size();
  return file + index + u64(at);
}

std::string header(const std::string& grid = "(1,1,1)", const std::string& more = "") {
  return "-kernel name = k\n-grid dim = " + grid + "\n-block dim = (32,1,1)\n-binary version = 90\n" +
         "-accelsim tracer version = 6\n" + more + "\n#traces format = x\n";
}

const std::string load = "0000 ffffffff 1 R2 LDG.E 1 R2 4 1 0x7f0000000000 4 0 0 NoVal";
const std::string end = "0010 ffffffff 0 EXIT 0 0 0 0 NoVal";

std::vector<TestBlock> one_block() {
  return {{std::vector<std::uint32_t>(10, 0), {{{load, end}, {1, 1}}}}};
}

/// Thread blocks of a grid of `x` by `y` in clusters of `cx` by `cy`.
std::vector<TestBlock> clustered(std::uint32_t x, std::uint32_t y, std::uint32_t cx, std::uint32_t cy) {
  std::vector<TestBlock> blocks;
  for (std::uint32_t j = 0; j < y; ++j)
    for (std::uint32_t i = 0; i < x; ++i)
      blocks.push_back({{i, j, 0, i / cx, j / cy, 0, i % cx, j % cy, 0, j % cy * cx + i % cx},
                        {{{load + "\n" + end}, {2}}}});
  return blocks;
}

bool same(const CtaTrace& a, const CtaTrace& b) {
  const std::size_t from = offsetof(WarpInstruction, pc);
  if (a.instructions.size() != b.instructions.size() || a.warp_begin != b.warp_begin ||
      a.addresses != b.addresses)
    return false;
  for (std::size_t i = 0; i < a.instructions.size(); ++i) {
    const auto &p = a.instructions[i], &q = b.instructions[i];
    if (p.address != q.address || p.stride != q.stride || p.active_mask != q.active_mask) return false;
    if (std::memcmp(reinterpret_cast<const char*>(&p) + from, reinterpret_cast<const char*>(&q) + from,
                    sizeof p - from) != 0)
      return false;
  }
  return true;
}

}  // namespace

// 8 thread blocks of 2 warps; of the 10 lines of a warp, in pages of 4, two are marks, and two are bulk
// copies, which become an access and its end: 10 instructions a warp, 160 in all, and 16 loops. Packed by
// zstd with a dictionary.
TEST_CASE("A .tracez with a dictionary is read page by page") {
  const std::string path = "tb/data/fuzz/tracez/dictionary.tracez";
  const auto source = open_trace(path);
  REQUIRE(source->kernels().size() == 1);
  const KernelInfo& kernel = source->kernels()[0];
  CHECK(kernel.grid.x == 4);
  CHECK(kernel.grid.y == 2);
  CHECK(kernel.stream == 18446744073709551615U);
  CHECK(kernel.cluster.x == 2);
  CHECK(kernel.cluster.y == 1);
  CHECK(kernel.cluster.z == 1);
  const auto cta = source->fetch(0, 5);  // thread block (1,1,0): its first warp loads from 5 * 256 on
  REQUIRE(cta->instructions.size() == 20);
  CHECK(cta->instructions[1].op == OpClass::load);
  CHECK(cta->instructions[1].address == 0x7f0000000500);
  CHECK(cta->instructions[11].address == 0x7f0000000580);
  CHECK(cta->instructions[1].sources[0] == 2);
  CHECK(cta->instructions[1].sources[1] == no_register);  // UR4
  CHECK(cta->instructions[9].op == OpClass::exit);
  CHECK(source->fetch(0, 0)->instructions[1].address == 0x7f0000000000);
  const CheckReport report = check(path);
  CHECK(report.ctas == 8);
  CHECK(report.warp_instructions == 160);
  REQUIRE(report.notes.size() == 3);
  CHECK(report.notes[1].find(": not in the figures of a run: 16 instructions that order warps by what the "
                             "trace does not hold") != std::string::npos);
  CHECK(report.notes[0] == path + ": loops that wait, read as one pass each (REPLAY_START): 16");
}

TEST_CASE("A .tracez says what the .traceg of the same kernel says") {
  const Folder folder;
  const std::string text = header() + "\n#BEGIN_TB\n\nthread block = 0,0,0\ncluster id = 0,0,0\n" +
                           "cluster cta = 0,0,0\ncluster rank = 0\n\nwarp = 0\ninsts = 2\n" + load + "\n" +
                           end + "\n\n#END_TB\n";
  const auto as_text = open_trace(folder.write("a.traceg", text))->fetch(0, 0);
  CHECK(as_text->instructions.size() == 2);
  CHECK(same(*as_text, *open_trace(folder.write("b.tracez", tracez(header(), one_block())))->fetch(0, 0)));
  // Text packed whole, under either name.
  CHECK(same(*as_text, *open_trace(folder.write("c.traceg.zst", frame(text)))->fetch(0, 0)));
  CHECK(same(*as_text, *open_trace(folder.write("d.tracez", frame(text)))->fetch(0, 0)));
  const std::string list = folder.write(
      "kernelslist.g", "a.traceg\nb.tracez\n./c.traceg.zst\n" + (folder.path / "d.tracez").string());
  CHECK(open_trace(list)->kernels().size() == 4);
  CHECK(open_trace(folder.path.string())->kernels().size() == 4);
}

TEST_CASE("A damaged .tracez is refused with the place of the damage") {
  const Folder folder;
  const std::string good = tracez(header(), one_block());
  const std::uint64_t head = header().size() + 1;  // with its NUL
  const std::uint64_t warp = head + 8;             // counts of the warp, then pages of 4 + 12 + text
  const std::uint64_t first = warp + 8, second = first + 4 + 12 + load.size();
  const std::uint64_t index = second + 4 + 12 + end.size();
  REQUIRE(good.size() == index + 4 + 44 + 16 + 2 * 4 + 8);
  const auto refused = [&](const std::string& bytes, const std::string& message) {
    const std::string path = folder.write("bad.tracez", bytes);
    INFO(fault_of(path));
    CHECK(fault_of(path) == path + ": " + message);
  };
  const auto changed = [&](std::uint64_t at, const std::string& bytes) {
    std::string copy = good;
    copy.replace(static_cast<std::size_t>(at), bytes.size(), bytes);
    return copy;
  };
  const auto n = [](std::uint64_t number) { return std::to_string(number); };
  refused("", "the file is empty: expected the header of a .tracez file");
  refused("PK\x03\x04",
          "no .tracez file of Accel-Sim 2.0: expected a header that begins with '-key = value', "
          "found byte 0x50");
  refused(header(),
          "no .tracez file of Accel-Sim 2.0: expected a NUL byte that ends its header, found none in "
          "the first " +
              n(head - 1) + " bytes (a trace in text is named .traceg)");
  refused(good.substr(0, head), "the file is truncated: expected the sizes of dictionary and page (bytes " +
                                    n(head) + " to " + n(head + 7) +
                                    ") behind the header, found the end of the file at " + n(head));
  refused(good.substr(0, head + 8), "the file is truncated: expected pages and an index behind byte " +
                                        n(head + 8) + ", found the end of the file at " + n(head + 8));
  refused(changed(head, u32(1000000)), "the file is truncated: expected a dictionary (bytes " + n(head + 8) +
                                           " to " + n(head + 1000007) + "), found the end of the file at " +
                                           n(good.size()));
  refused(changed(head, u32(17 << 20)), "bytes " + n(head) +
                                            ": expected a dictionary of at most 16777216 bytes, "
                                            "found 17825792");
  refused(good.substr(0, good.size() - 1),  // the last 8 bytes are others then
          "expected the place of the index, " + n(head + 8) + " to " + n(good.size() - 13) +
              ", in the last 8 bytes, found " + n(index << 8) + ": the file is truncated or damaged");
  const std::string of_index = "index (bytes " + n(index) + " to " + n(good.size() - 9) + ")";
  refused(changed(index, u32(2)), of_index + ": expected the entry of thread block 2, found its end");
  refused(changed(index, u32(0)),
          of_index + ": expected its end behind 0 thread blocks, found 68 bytes more");
  refused(changed(index + 4 + 40, u32(2)),
          of_index + ": expected the entry of a warp of thread block 1, found its end");
  refused(changed(index + 48, u32(3)),
          of_index + ", thread block 1 of 1, warp 0: expected pages of 3 instructions together, found 2");
  refused(changed(warp, u32(7)), "thread block 1 of 1, warp 0 (bytes " + n(warp) + " to " + n(warp + 7) +
                                     "): expected 2 instructions in 2 pages as in the index, found 7 in 2");
  refused(changed(index + 56, u64(index)), "thread block 1 of 1, warp 0: expected its pages in bytes " +
                                               n(head + 8) + " to " + n(index) + ", found them at " +
                                               n(index));
  refused(changed(first, u32(60000)), "thread block 1 of 1, warp 0, page 1 of 2 (bytes " + n(first) + " to " +
                                          n(index) + "): expected 60000 bytes, found the index");
  const std::string page =
      "thread block 1 of 1, warp 0, page 1 of 2 (bytes " + n(first + 4) + " to " + n(second) + "): ";
  refused(changed(first + 4, "X"), page + "expected a whole zstd frame (zstd: Unknown frame descriptor)");
  refused(changed(first + 4 + 20, "\n"), page + "expected 1 instructions as in the index, found 2");
  const std::string cut =
      "thread block 1 of 1, warp 0, page 1 of 2 (bytes " + n(first + 4) + " to " + n(second - 1) + "): ";
  refused(changed(first, u32(static_cast<std::uint32_t>(second - first - 5))),
          cut + "the zstd frame is truncated");
  // Faults of the text are named by line of the text in the file: the header takes 8 lines, block
  // and warp 10 more.
  const std::string path = folder.write("bad.tracez", changed(first + 16 + 16, "Q"));
  CHECK(holds(fault_of(path), "bad.tracez:18:"));
  CHECK(holds(fault_of(folder.write("kernelslist.g", "bad.tracez\n")), "bad.tracez:18:"));
  folder.write("bad.tracez", header() + '\0');
  CHECK(holds(fault_of((folder.path / "kernelslist.g").string()), "kernelslist.g:1: "));
  CHECK(holds(fault_of((folder.path / "kernelslist.g").string()),
              "bad.tracez: the file is truncated: expected"));
}

TEST_CASE("Clusters come from the index, the header or the blocks") {
  const Folder folder;
  const auto cluster_of = [](const std::string& path) { return open_trace(path)->kernels()[0].cluster; };
  Dim3 found = cluster_of(folder.write("a.tracez", tracez(header("(4,4,1)"), clustered(4, 4, 2, 2))));
  CHECK(found.x == 2);
  CHECK(found.y == 2);
  CHECK(found.z == 1);
  // 5 columns are no whole clusters of 2.
  CHECK(holds(fault_of(folder.write("b.tracez", tracez(header("(5,1,1)"), clustered(5, 1, 2, 1)))),
              "expected a grid of whole clusters, found grid (5,1,1) and clusters of (2,1,1) thread blocks"));
  std::vector<TestBlock> swapped = clustered(4, 1, 2, 1);
  std::swap(swapped[0], swapped[1]);
  CHECK(holds(
      fault_of(folder.write("c.tracez", tracez(header("(4,1,1)"), swapped))),
      "expected thread block 1 of 4 at (0,0,0) of its cluster (grid (4,1,1), clusters of (2,1,1)), found "
      "it at (1,0,0)"));
  const auto text = [](std::uint32_t x, std::uint32_t y, std::uint32_t cx, std::uint32_t cy,
                       const std::string& more) {
    std::string all = header("(" + std::to_string(x) + "," + std::to_string(y) + ",1)", more);
    for (const TestBlock& block : clustered(x, y, cx, cy)) {
      const auto three = [&](std::size_t at) {
        return std::to_string(block.ids[at]) + "," + std::to_string(block.ids[at + 1]) + "," +
               std::to_string(block.ids[at + 2]) + "\n";
      };
      all += "\n#BEGIN_TB\n\nthread block = " + three(0) + "cluster id = " + three(3) +
             "cluster cta = " + three(6) + "cluster rank = " + std::to_string(block.ids[9]) +
             "\n\nwarp = 0\ninsts = 2\n" + load + "\n" + end + "\n\n#END_TB\n";
    }
    return all;
  };
  found = cluster_of(folder.write("d.traceg", text(4, 4, 2, 4, "")));
  CHECK(found.x == 2);
  CHECK(found.y == 4);
  CHECK(found.z == 1);
  CHECK(check((folder.path / "d.traceg").string()).ctas == 16);
  found = cluster_of(folder.write("e.traceg", text(4, 4, 1, 1, "")));
  CHECK(found.count() == 1);
  found = cluster_of(folder.write("f.traceg", text(4, 1, 4, 1, "-cluster dim = (4,1,1)\n")));
  CHECK(found.x == 4);
  CHECK(holds(fault_of(folder.write("g.traceg", text(4, 1, 2, 1, "-cluster dim = (0,1,1)\n"))),
              "-cluster dim: expected (x,y,z), each at least 1, found '(0,1,1)'"));
}

// In a page of 5 lines: one pass of the loop, of which 3 lines are instructions.
TEST_CASE("Marks of loops that wait are no instructions, and a loop is passed once") {
  const Folder folder;
  const std::string start = "0000 ffffffff 0 REPLAY_START 0 0 0 0 NoVal\n",
                    stop = "0000 ffffffff 0 REPLAY_END 0\n";
  const auto blocks = [](const std::string& lines, std::uint32_t count) {
    return std::vector<TestBlock>{{std::vector<std::uint32_t>(10, 0), {{{lines}, {count}}}}};
  };
  const auto whole = open_trace(
      folder.write("a.tracez", tracez(header(), blocks(start + load + "\n" + load + "\n" + stop + end, 5))));
  CHECK(whole->fetch(0, 0)->instructions.size() == 3);
  CHECK(notes_of(*whole).size() == 1);
  // A trace that ends within the loop: the last EXIT is that of all threads that are left.
  const std::string some = "0010 0000000f 0 EXIT 0 0 0 0 NoVal";
  const auto cut =
      open_trace(folder.write("b.tracez", tracez(header(), blocks(start + load + "\n" + some, 3))));
  CHECK(cut->fetch(0, 0)->instructions.back().active_mask == 0xffffffff);
  CHECK(holds(
      fault_of(folder.write("c.tracez", tracez(header(), blocks(start + load + "\n" + stop + some, 4)))),
      "expected EXIT for every thread of warp 0"));
  // An end alone says nothing; before Volta there are no such marks.
  CHECK(open_trace(folder.write("d.tracez", tracez(header(), blocks(stop + end, 2))))
            ->fetch(0, 0)
            ->instructions.size() == 1);
}

TEST_CASE("Operands of bulk copies: addresses as a list or by differences") {
  const auto read = [](const std::string& text, BulkOperands& out) {
    Scanner in(text);
    return out.read(in);
  };
  BulkOperands bulk;
  REQUIRE(read("0x400 0 2048 16 4 0x7f0000100000 3 128 -64", bulk));
  CHECK(bulk.mbarrier == 0x400);
  CHECK(bulk.ctas == 0);
  CHECK(bulk.bytes == 2048);
  CHECK(bulk.outside == 16);
  CHECK(bulk.places == std::vector<Address>{0x7f0000100000, 0x7f0000100080, 0x7f0000100040});
  REQUIRE(read("408 1 a 4096 0 3 2 0x10 0x90", bulk));
  CHECK(bulk.ctas == 10);
  CHECK(bulk.places == std::vector<Address>{0x10, 0x90});
  REQUIRE(read("0 0 0 0 4 0 0", bulk));
  CHECK(bulk.places.empty());
  for (const char* bad :
       {"", "0x400 2 0 0 3 0", "0x400 0 1 1 1 0x10 4", "0x400 0 1 1 3 2 0x10", "0 0 1 1 3 99999"}) {
    INFO(bad);
    CHECK_FALSE(read(bad, bulk));
  }
  BulkOperands sizes;
  CHECK(sizes.place_bytes() == 0);
  sizes.places = {0x1000, 0x1040};
  CHECK(sizes.place_bytes() == 64);  // from one to the next
  sizes.bytes = 100;
  CHECK(sizes.place_bytes() == 64);  // 50 in steps of 16
  sizes.bytes = 1 << 20;
  CHECK(sizes.place_bytes() == 4096);
  CHECK(bulk_access("UBLKCP.S.G") == OpClass::load);
  CHECK(bulk_access("UBLKCP.G.S") == OpClass::store);
  CHECK(bulk_access("UTMAREDG.2D.ADD") == OpClass::store);
  CHECK(is_bulk_copy("UTMALDG.2D.MULTICAST"));
  CHECK_FALSE(is_bulk_copy("UTMACCTL.PF"));
}

// The layouts of 2.0 are tried first; lines of older tracers of version 6 are read as before.
TEST_CASE("Lines of version 6: registers of other kinds, groups of products, copies by an engine") {
  const Folder folder;
  const auto text = [](const std::string& line, int version = 6) {
    return "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-binary version = 90\n"
           "-accelsim tracer version = " +
           std::to_string(version) +
           "\n#traces format = x\n#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n" + line +
           "\n0090 ffffffff 0 EXIT 0 0\n#END_TB\n";
  };
  const auto first = [&](const std::string& line) {
    return open_trace(folder.write("a.traceg", text(line)))->fetch(0, 0)->instructions.at(0);
  };
  const WarpInstruction uniform = first("0000 ffffffff 1 UR5 S2UR 2 P0 R7 0 0 0 NoVal");
  CHECK(uniform.destination == no_register);
  CHECK(uniform.sources[0] == no_register);
  CHECK(uniform.sources[1] == 7);
  for (const char* product : {"0000 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 1 0 0 0 NoVal",
                              "0000 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 UR4 0 3 0 NoVal",
                              "0000 ffffffff 1 R24 HGMMA.64x64x16.F32 2 R24 R255 0 0"}) {
    INFO(product);
    CHECK(first(product).units[counted_place(Unit::tensor)] == 1);
    CHECK(first(product).destination == 24);
  }
  // 256 bytes from two places of 128: 16 lanes of 16 bytes side by side.
  const WarpInstruction load_of_256 =
      first("0000 00000001 0 UTMALDG.2D 2 UR8 UR10 8 0x408 0 256 0 4 0x7f0000200000 2 128 0 0 NoVal");
  CHECK(load_of_256.op == OpClass::load);
  CHECK(load_of_256.bulk);
  CHECK(load_of_256.async);
  CHECK(load_of_256.bypass_l1);
  CHECK(load_of_256.active_mask == 0xffff);
  CHECK(load_of_256.address_kind == AddressKind::stride);
  CHECK(load_of_256.address == 0x7f0000200000);
  CHECK(load_of_256.stride == 16);
  CHECK(load_of_256.width == 16);
  // Two places that do not touch, of (80 - 16) / 2 bytes each, which the tensor does hold: 4 lanes, listed.
  const std::string two = text(
      "0000 00000001 0 UTMALDG.2D 1 UR8 8 0x408 1 3 80 16 3 2 0x7f0000200000 0x7f0000300000 0 0 Val 1 0x2");
  const auto listed = open_trace(folder.write("c.traceg", two))->fetch(0, 0);
  REQUIRE(listed->instructions.size() == 3);  // the copy, its report, EXIT
  CHECK(listed->instructions[0].active_mask == 0xf);
  CHECK(listed->addresses ==
        std::vector<Address>{0x7f0000200000, 0x7f0000200010, 0x7f0000300000, 0x7f0000300010});
  // A store counts no bytes: from one place to the next, 128 each; 8 places are 64 lanes, two pieces.
  const auto store =
      open_trace(folder.write("c.traceg", text("0000 00000001 0 UTMASTG.2D 1 UR8 8 0 0 0 0 4 0x7f0000200000 "
                                               "8 128 128 128 128 128 128 128 0 0 NoVal")))
          ->fetch(0, 0);
  REQUIRE(store->instructions.size() == 4);  // two pieces, the end of their group, EXIT
  CHECK(store->instructions[1].op == OpClass::store);
  CHECK(store->instructions[1].address == 0x7f0000200200);
  CHECK_FALSE(store->instructions[1].bypass_l1);
  // Within shared memory, predicated off, or without places: an issue slot.
  for (const char* none : {"0000 00000001 0 UBLKCP.S.S 1 UR2 8 0x400 0 64 0 3 1 0x10 0 0 NoVal",
                           "0000 00000000 0 UTMALDG.2D 1 UR8 8 0x408 0 64 0 3 1 0x10 0 0 NoVal",
                           "0000 00000001 0 UTMALDG.2D 1 UR8 8 0x408 0 0 0 4 0 0 0 0 NoVal",
                           "0000 00000001 0 UTMASTG.2D 2 UR8 UR10 0 0 0 NoVal",
                           "0000 00000001 0 UBLKCP 1 R2 8 1 0x10 0 0 NoVal"}) {
    INFO(none);
    CHECK(first(none).op == OpClass::other);
  }
  const auto refused = [&](const std::string& line, int version, const std::string& part) {
    const std::string fault = fault_of(folder.write("b.traceg", text(line, version)));
    INFO(line << " gives " << fault);
    CHECK(holds(fault, part));
  };
  refused("0000 ffffffff 1 UR5 S2UR 0 0 0", 5,
          "b.traceg:11:17: expected a destination register R0 to R255, found 'UR5'");
  refused("0000 ffffffff 1 X5 S2UR 0 0 0", 6,
          "b.traceg:11:17: expected a destination register R0 to R255, found 'X5'");
  refused("0000 ffffffff 0 MOV 1 UR5a 0 0", 6, "expected a source register R0 to R255, found 'UR5a'");
  refused("0000 00000001 0 UTMALDG.2D 1 UR8 8 0x408 0 4096 0 7 1 0x10 0 0 NoVal", 6, "b.traceg:11:");
}

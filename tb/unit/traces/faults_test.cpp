#include "models/common/faults.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

#include "tb/support/catch.h"
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

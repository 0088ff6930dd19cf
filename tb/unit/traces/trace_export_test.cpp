#include <filesystem>
#include <fstream>
#include <iterator>

#include "tb/support/accelsim_trace_checker.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "traces/accelsim/out/export.h"
#include "traces/open.h"

using namespace strata;
using strata::tb::TempFolder;

namespace {

/// One kernel of one thread block of one warp.
class OneWarp final : public InstructionSource {
 public:
  explicit OneWarp(const std::vector<WarpInstruction>& records, std::vector<Address> listed = {}) {
    KernelInfo kernel;
    kernel.name = "one warp";
    kernel.block.x = 32;
    kernel.shared_bytes = 4096;
    kernel.registers = 40;
    kernel.stream = 7;
    kernels_.push_back(kernel);
    trace_->instructions = records;
    WarpInstruction exit;
    exit.op = OpClass::exit;
    exit.pc = 0x1000;
    exit.active_mask = ~0U;
    trace_->instructions.push_back(exit);
    trace_->warp_begin = {0, static_cast<std::uint32_t>(trace_->instructions.size())};
    trace_->addresses = std::move(listed);
  }
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t, std::uint64_t) override { return trace_; }
  std::string description() const override { return "one warp"; }

  std::vector<MemcpyInfo> copies_;
  std::vector<KernelInfo> kernels_;

 private:
  std::shared_ptr<CtaTrace> trace_ = std::make_shared<CtaTrace>();
};

WarpInstruction record(OpClass op, std::uint32_t pc) {
  WarpInstruction i;
  i.op = op;
  i.pc = pc;
  i.active_mask = ~0U;
  return i;
}

WarpInstruction access(OpClass op, std::uint32_t pc, Address address, int stride = 4, unsigned width = 4) {
  WarpInstruction i = record(op, pc);
  i.address_kind = AddressKind::stride;
  i.address = address;
  i.stride = stride;
  i.width = static_cast<std::uint8_t>(width);
  return i;
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An exported trace.
struct Exported {
  explicit Exported(InstructionSource& source, bool compress = false)
      : report(traces::export_accelsim(source, folder.path(), compress)),
        kernel(read(folder.path() + "/kernel-1.traceg")) {}
  std::string fault() const { return tb::check_accelsim_trace(folder.path() + "/kernelslist.g").fault; }
  /// The lines of instructions.
  std::string lines() const {
    const std::size_t begin = kernel.find('\n', kernel.find("insts = ")) + 1;
    return kernel.substr(begin, kernel.find("\n\n", begin) + 1 - begin);
  }
  bool says(const std::string& line) const { return kernel.find("\n" + line + "\n") != std::string::npos; }

  TempFolder folder;
  traces::ExportReport report;
  std::string kernel;
};

}  // namespace

TEST_CASE("a load's register is read where its first reader is, and runs become instructions") {
  WarpInstruction load = access(OpClass::load, 0x10, 0x7f0000000000);
  load.first_use = 2;
  WarpInstruction run = record(OpClass::alu, 0x20);
  run.weight = 3;
  run.units[counted_place(Unit::sp)] = 1;
  WarpInstruction store = access(OpClass::store, 0x50, 0x7f0000001000, 8, 8);
  store.active_mask = 0x5;  // a gap: no stride for Accel-Sim
  OneWarp source({load, run, store});
  const Exported out(source);
  // One of three on sp: shares 2 and 1 give integer, sp, integer.
  CHECK(out.lines() ==
        "0010 ffffffff 1 R0 LDG.E 0 4 1 0x7f0000000000 4 0\n"
        "0020 ffffffff 0 IADD3 0 0 0\n"
        "0030 ffffffff 0 FFMA 0 0 0\n"
        "0040 ffffffff 0 IADD3 0 0 0\n"
        "0050 00000005 0 STG.E.64 1 R0 8 2 0x7f0000001000 8 0\n"
        "1000 ffffffff 0 EXIT 0 0 0\n");
  for (const char* line : {"-grid dim = (1,1,1)", "-block dim = (32,1,1)", "-shmem = 4096", "-nregs = 40",
                           "-binary version = 70", "-cuda stream id = 7", "-accelsim tracer version = 5",
                           "-strata runs = merged", "insts = 6"})
    CHECK(out.says(line));
  CHECK(out.fault().empty());
  CHECK(out.report.instructions == 6);
  CHECK(traces::to_sentences(out.report.losses).empty());

  const auto again = traces::open_trace(out.folder.path());
  const auto cta = again->fetch(0, 0);
  REQUIRE(cta->instructions.size() == 4);
  CHECK(cta->instructions[0].destination == 0);
  CHECK(cta->instructions[1].weight == 3);
  CHECK(cta->instructions[1].units == run.units);
  CHECK(cta->instructions[2].sources[0] == 0);
  CHECK(cta->instructions[2].active_mask == 0x5);
  CHECK(cta->instructions[2].stride == 8);
  CHECK(cta->instructions[2].width == 8);
}

TEST_CASE("runs that follow each other stay two, and control flow counts as it did") {
  WarpInstruction first = record(OpClass::alu, 0x10), second = record(OpClass::alu, 0x40);
  first.weight = 2;
  second.weight = 4;
  second.units[counted_place(Unit::branch)] = 1;
  OneWarp source({first, second});
  const Exported out(source);
  CHECK(out.says("-strata branches = arithmetic"));
  const auto cta = traces::open_trace(out.folder.path())->fetch(0, 0);
  REQUIRE(cta->instructions.size() == 3);
  CHECK(cta->instructions[0].weight == 2);
  CHECK(cta->instructions[1].weight == 4);
  CHECK(cta->instructions[1].op == OpClass::alu);
  CHECK(cta->instructions[1].units[counted_place(Unit::branch)] == 1);

  WarpInstruction branch = record(OpClass::other, 0x10);
  branch.units[counted_place(Unit::branch)] = 1;
  OneWarp of_trace({branch});
  const Exported plain(of_trace);
  CHECK(plain.kernel.find("-strata branches = control") != std::string::npos);
  const auto back = traces::open_trace(plain.folder.path())->fetch(0, 0);
  CHECK(back->instructions[0].op == OpClass::other);
  CHECK(back->instructions[0].units[counted_place(Unit::branch)] == 1);
}

TEST_CASE("Strata's lines of the header are checked") {
  OneWarp source({});
  const Exported out(source);
  const auto opened_with = [&](const std::string& from, const std::string& to) {
    std::string text = out.kernel;
    text.replace(text.find(from), from.size(), to);
    const TempFolder folder;
    const std::string path = folder.write("kernel-1.traceg", text);
    return traces::open_trace(path)->kernels().size();
  };
  CHECK(opened_with("runs = single", "runs = merged") == 1);
  CHECK_THROWS_WITH(opened_with("runs = single", "runs = double"),
                    Catch::Contains("-strata runs: expected merged or single, found 'double'"));
  CHECK_THROWS_WITH(opened_with("branches = control", "branches = no"),
                    Catch::Contains("-strata branches: expected arithmetic or control, found 'no'"));
}

TEST_CASE("loads that wait for one reader share its four sources, the next instruction takes the rest") {
  std::vector<WarpInstruction> records;
  for (unsigned i = 0; i < 6; ++i) {
    records.push_back(access(OpClass::load, 0x10 * (i + 1), 0x7f0000000000 + 128 * i, 4, i == 0 ? 16 : 4));
    records.back().first_use = static_cast<std::uint8_t>(6 - i);
  }
  records.push_back(access(OpClass::store, 0x70, 0x7f0000002000));
  OneWarp source(records);
  const Exported out(source);
  // The first load takes R0 to R3.
  CHECK(out.lines().find("0070 ffffffff 0 STG.E 4 R0 R4 R5 R6 4 1 0x7f0000002000 4 0\n"
                         "1000 ffffffff 0 EXIT 2 R7 R8 0 0\n") != std::string::npos);
  CHECK(out.report.losses.waits_moved == 2);
  CHECK(traces::to_sentences(out.report.losses).size() == 1);
  CHECK(out.fault().empty());
}

TEST_CASE("registers that are named stay, and others are taken for loads") {
  WarpInstruction named = access(OpClass::load, 0x10, 0x7f0000000000);
  named.destination = 0;
  named.sources[0] = 2;
  WarpInstruction counted = access(OpClass::load, 0x20, 0x7f0000000080);
  counted.first_use = 1;
  WarpInstruction reader = record(OpClass::alu, 0x30);
  reader.destination = 1;
  reader.sources = {0, 2, no_register, no_register, no_register};
  OneWarp source({named, counted, reader});
  const Exported out(source);
  CHECK(out.lines() ==
        "0010 ffffffff 1 R0 LDG.E 1 R2 4 1 0x7f0000000000 4 0\n"
        "0020 ffffffff 1 R3 LDG.E 0 4 1 0x7f0000000080 4 0\n"
        "0030 ffffffff 1 R1 IADD3 3 R0 R2 R3 0 0\n"
        "1000 ffffffff 0 EXIT 0 0 0\n");
}

TEST_CASE("a load without readers has no register, an atomic that returns has one") {
  WarpInstruction atomic = access(OpClass::atomic, 0x10, 0x7f0000000000);
  WarpInstruction returns = access(OpClass::atomic, 0x20, 0x7f0000000000);
  returns.first_use = 9;
  OneWarp source({atomic, returns, access(OpClass::load, 0x30, 0x7f0000000000)});
  const Exported out(source);
  CHECK(out.lines() ==
        "0010 ffffffff 0 RED.E.ADD.STRONG.GPU 0 4 1 0x7f0000000000 4 0\n"
        "0020 ffffffff 1 R0 ATOMG.E.ADD.STRONG.GPU 0 4 1 0x7f0000000000 4 0\n"
        "0030 ffffffff 0 LDG.E 0 4 1 0x7f0000000000 4 0\n"
        "1000 ffffffff 0 EXIT 0 0 0\n");
}

TEST_CASE("loads from shared memory write registers in turn, as Accel-Sim counts no other") {
  std::vector<WarpInstruction> records;
  WarpInstruction named = record(OpClass::alu, 0x10);
  named.sources[0] = 192;
  records.push_back(named);
  for (unsigned i = 0; i < 17; ++i)
    records.push_back(access(OpClass::shared_load, 0x20 + 0x10 * i, 0, 16, i == 0 ? 4 : 16));
  WarpInstruction own = access(OpClass::shared_load, 0x130, 0);
  own.destination = 7;
  records.push_back(own);
  OneWarp source(records);
  const Exported out(source);
  // R190; four in a row are free from R193 on, R192 being named: R193 to R252 for fifteen loads. R253 alone
  // is too few for the sixteenth, and R190 and R191 too.
  for (const char* line :
       {"0020 ffffffff 1 R190 LDS 0", "0030 ffffffff 1 R193 LDS.128 0", "0040 ffffffff 1 R197 LDS.128 0",
        "0110 ffffffff 1 R249 LDS.128 0", "0120 ffffffff 1 R193 LDS.128 0", "0130 ffffffff 1 R7 LDS 0"})
    CHECK(out.lines().find(line) != std::string::npos);
  CHECK(out.fault().empty());
}

TEST_CASE("accesses name their memory, width, path and addresses") {
  WarpInstruction constant = access(OpClass::read_only_load, 0x10, 0x7f0000000000, 8, 8);
  WarpInstruction past = access(OpClass::load, 0x20, 0x7f0000000000, 1, 1);
  past.bypass_l1 = true;
  WarpInstruction listed = access(OpClass::load, 0x30, 0, 0, 2);
  listed.address_kind = AddressKind::list;
  listed.active_mask = 0x7;
  WarpInstruction far = listed;
  far.pc = 0x40;
  far.address = 3;
  WarpInstruction off = access(OpClass::load, 0x70, 0x7f0000000000);
  off.active_mask = 0;
  OneWarp source({constant, past, listed, far, access(OpClass::shared_load, 0x50, 256, 16, 16),
                  access(OpClass::shared_store, 0x60, 0, -4), off},
                 {0x7f0000000010, 0x7f0000000000, 0x7f0000000020, 0x1000, 0x7f0000000000, 0x7f0000000020});
  const Exported out(source);
  CHECK(out.lines() ==
        "0010 ffffffff 0 LDG.E.64.CONSTANT 0 8 1 0x7f0000000000 8 0\n"
        "0020 ffffffff 0 LDG.E.U8.STRONG.GPU 0 1 1 0x7f0000000000 1 0\n"
        "0030 00000007 0 LDG.E.U16 0 2 2 0x7f0000000010 -16 32 0\n"
        "0040 00000007 0 LDG.E.U16 0 2 0 0x1000 0x7f0000000000 0x7f0000000020 0\n"
        "0050 ffffffff 1 R190 LDS.128 0 16 1 0x100 16 0\n"
        "0060 ffffffff 0 STS 0 4 1 0x0 -4 0\n"
        "0070 00000000 0 LDG.E 0 4 1 0x0 0 0\n"
        "1000 ffffffff 0 EXIT 0 0 0\n");
  const auto cta = traces::open_trace(out.folder.path())->fetch(0, 0);
  CHECK(cta->instructions[0].op == OpClass::read_only_load);
  CHECK(cta->instructions[1].bypass_l1);
  CHECK(cta->instructions[1].width == 1);
  CHECK(cta->addresses == std::vector<Address>{0x7f0000000010, 0x7f0000000000, 0x7f0000000020, 0x1000,
                                               0x7f0000000000, 0x7f0000000020});
  CHECK(cta->instructions[5].stride == -4);
}

TEST_CASE("local memory is written as its threads see it") {
  // In rows of 8 warps: word w of lane i of warp 3 lies at base + (8 w + 3) * 128 + 4 i.
  constexpr Address base = 0x7f0000000000 - (Address{1} << 36);
  WarpInstruction store = access(OpClass::store, 0x10, base + (8 * 2 + 3) * 128, 4);
  WarpInstruction wide = access(OpClass::load, 0x20, base + (8 * 4 + 3) * 128, 4, 16);
  WarpInstruction byte = access(OpClass::load, 0x30, base + (8 * 3 + 3) * 128 + 1, 4, 1);
  WarpInstruction indexed = access(OpClass::load, 0x40, base + 3 * 128, 8 * 128 + 4);  // lane i: word i
  for (WarpInstruction* i : {&store, &wide, &byte, &indexed}) {
    i->local = true;
    i->operand = 8;
  }
  OneWarp source({store, wide, byte, indexed});
  const Exported out(source);
  CHECK(out.lines() ==
        "0010 ffffffff 0 STL 0 4 1 0x8 0 0\n"
        "0020 ffffffff 0 LDL.128 0 16 1 0x10 0 0\n"
        "0030 ffffffff 0 LDL.U8 0 1 1 0xd 0 0\n"
        "0040 ffffffff 0 LDL 0 4 1 0x0 4 0\n"
        "1000 ffffffff 0 EXIT 0 0 0\n");
  CHECK(out.fault().empty());
}

TEST_CASE("asynchronous copies and barriers by number keep what orders them") {
  WarpInstruction copy = access(OpClass::load, 0x10, 0x7f0000000000, 16, 16);
  copy.async = copy.bypass_l1 = true;
  WarpInstruction through = access(OpClass::load, 0x20, 0x7f0000001000);
  through.async = true;
  WarpInstruction commit = record(OpClass::other, 0x30), wait = record(OpClass::other, 0x40);
  commit.sync = Sync::copy_commit;
  wait.sync = Sync::copy_wait;
  wait.operand = 1;
  WarpInstruction all = record(OpClass::barrier, 0x50), some = record(OpClass::barrier, 0x60);
  WarpInstruction arrives = record(OpClass::barrier, 0x70);
  some.sync = Sync::barrier_sync;
  some.operand = barrier_operand(3, 1);
  arrives.sync = Sync::barrier_arrive;
  arrives.operand = barrier_operand(4, 0);
  OneWarp source({copy, through, commit, wait, all, some, arrives});
  const Exported out(source);
  CHECK(out.lines() ==
        "0010 ffffffff 0 LDGSTS.E.BYPASS.128 0 16 1 0x7f0000000000 16 0\n"
        "0020 ffffffff 0 LDGSTS.E.ACCESS 0 4 1 0x7f0000001000 4 0\n"
        "0030 ffffffff 0 LDGDEPBAR 0 0 0\n"
        "0040 ffffffff 0 DEPBAR.LE 0 0 1\n"
        "0050 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0\n"
        "0060 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 3 32\n"
        "0070 ffffffff 0 BAR.ARV 0 0 4 32\n"  // all warps: one
        "1000 ffffffff 0 EXIT 0 0 0\n");
  CHECK(out.says("-binary version = 80"));
  CHECK(out.says("-accelsim tracer version = 6"));
  CHECK(out.fault().empty());
  REQUIRE_NOTHROW(traces::open_trace(out.folder.path())->fetch(0, 0));
}

TEST_CASE("Accel-Sim can tell copies of one instruction apart, and finds the groups that a wait leaves") {
  WarpInstruction copy = access(OpClass::load, 0x10, 0x7f0000000000), commit = record(OpClass::other, 0x20);
  copy.async = true;
  copy.active_mask = 0x6;  // lane 0 is off
  commit.sync = Sync::copy_commit;
  WarpInstruction next = copy, full = copy, wait = commit, rest = commit;
  next.address += 4096;
  full.active_mask = ~0U;
  wait.sync = rest.sync = Sync::copy_wait;
  wait.operand = 3;
  rest.operand = 1;
  // Three groups: a wait that leaves three, of the two so far, waits for none; one that leaves one of three
  // for the first two, whose places are free again.
  for (WarpInstruction* i : {&commit, &wait, &rest}) i->active_mask = 0x6;
  OneWarp source({copy, commit, next, commit, wait, full, full, commit, rest, copy});
  const Exported out(source);
  CHECK(out.lines() ==
        "0010 00000006 0 LDGSTS.E.ACCESS 0 4 1 0x7f0000000000 4 0\n"
        "0020 00000006 0 LDGDEPBAR 0 0 0\n"
        "0011 00000006 0 LDGSTS.E.ACCESS 0 4 1 0x7f0000001000 4 0\n"
        "0020 00000006 0 LDGDEPBAR 0 0 0\n"
        "0020 00000006 0 DEPBAR.LE 0 0 2\n"
        "0010 ffffffff 0 LDGSTS.E.ACCESS 0 4 1 0x7f0000000000 4 0\n"
        "0011 ffffffff 0 LDGSTS.E.ACCESS 0 4 1 0x7f0000000000 4 0\n"
        "0020 00000006 0 LDGDEPBAR 0 0 0\n"
        "0020 00000006 0 DEPBAR.LE 0 0 1\n"
        "0010 00000006 0 LDGSTS.E.ACCESS 0 4 1 0x7f0000000000 4 0\n"
        "1000 ffffffff 0 EXIT 0 0 0\n");
  CHECK(out.fault().empty());
  const auto fault_with = [&](const std::string& from, const std::string& to) {
    std::string text = out.kernel;
    text.replace(text.find(from), from.size(), to);
    return tb::check_accelsim_kernel("k", text).fault;
  };
  CHECK(fault_with("DEPBAR.LE 0 0 2", "DEPBAR.LE 0 0 3").find("more groups than") != std::string::npos);
  CHECK(fault_with("0011 00000006 0 LDGSTS", "0010 00000006 0 LDGSTS").find("lane 0") != std::string::npos);
}

TEST_CASE("what a trace cannot say is counted") {
  WarpInstruction bulk = access(OpClass::load, 0x10, 0x7f0000000000, 16, 16);
  bulk.bulk = true;
  WarpInstruction arrive = record(OpClass::other, 0x20);
  arrive.sync = Sync::mbarrier_arrive;
  WarpInstruction five = record(OpClass::alu, 0x30);
  five.sources = {1, 2, 3, 4, 5};
  OneWarp source({bulk, arrive, five});
  const Exported out(source);
  CHECK(out.report.losses.bulk_copies == 1);
  CHECK(out.report.losses.orders == 1);
  CHECK(out.report.losses.sources_dropped == 1);
  CHECK(traces::to_sentences(out.report.losses).size() == 3);
  CHECK(out.fault().empty());
}

TEST_CASE("copies stand before their kernels, and kernels can be compressed") {
  OneWarp source({});
  source.copies_ = {{0x7f0000000000, 4096, 0}, {0x7f0000001000, 128, 1}};
  const Exported plain(source), packed(source, true);
  CHECK(read(plain.folder.path() + "/kernelslist.g") ==
        "MemcpyHtoD,0x00007f0000000000,4096\nkernel-1.traceg\nMemcpyHtoD,0x00007f0000001000,128\n");
  CHECK(read(packed.folder.path() + "/kernelslist.g").find("\nkernel-1.traceg.xz\n") != std::string::npos);
  CHECK(packed.kernel.empty());  // the plain file is gone
  CHECK(packed.report.bytes == std::filesystem::file_size(packed.folder.path() + "/kernel-1.traceg.xz"));
  CHECK(traces::open_trace(packed.folder.path())->fetch(0, 0)->instructions.size() == 1);
}

TEST_CASE("what launches come after is written as calls") {
  OneWarp source({});
  source.kernels_.resize(3, source.kernels_.front());
  for (std::uint32_t k = 0; k < 3; ++k) source.kernels_[k].id = k;
  source.kernels_[1].stream = 8;
  source.kernels_[1].priority = 2;
  source.kernels_[2].after = {1};
  const Exported out(source);
  CHECK(read(out.folder.path() + "/kernelslist.g") ==
        "kernel-1.traceg\n"
        "cudaStreamCreateWithPriority,8,0,-2\nkernel-2.traceg\ncudaEventRecord,2,8\n"
        "cudaStreamWaitEvent,7,2\nkernel-3.traceg\n");
  CHECK(out.fault().empty());
}

TEST_CASE("a full disk is reported") {
  if (!std::filesystem::exists("/dev/full")) return;
  OneWarp source({});
  CHECK_THROWS_WITH(traces::KernelWriter("/dev/full", source.kernels().front()).finish(),
                    Catch::Contains("No space left on device"));
  CHECK_THROWS_WITH(traces::export_accelsim(source, "/nowhere/at/all", false),
                    Catch::Contains("No such file or directory"));
}

TEST_CASE("the checker of the format finds faults") {
  WarpInstruction store = access(OpClass::store, 0x10, 0x7f0000000000);
  store.active_mask = 0xf;
  OneWarp source({store, access(OpClass::shared_load, 0x20, 0)});
  const Exported out(source);
  REQUIRE(tb::check_accelsim_kernel("k", out.kernel).fault.empty());
  const auto fault_with = [&](const std::string& from, const std::string& to) {
    std::string text = out.kernel;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    return tb::check_accelsim_kernel("k", text).fault;
  };
  CHECK(fault_with("0000000f 0 STG.E 0 4 1", "0000000f 0 STG.E 0 4 3").find("address mode") !=
        std::string::npos);
  CHECK(fault_with("0000000f", "00000005").find("the active lanes have a gap") != std::string::npos);
  CHECK(fault_with("0000000f", "f").find("mask") != std::string::npos);
  CHECK(fault_with("0 STG.E 0 4", "0 STG.E 5 R1 R2 R3 R4 R5 4").find("more than 4") != std::string::npos);
  CHECK(fault_with("0 STG.E 0 4", "0 STG.E.64 0 4").find("the width of the opcode") != std::string::npos);
  CHECK(fault_with("0 STG.E", "2 R1 R2 STG.E").find("destinations") != std::string::npos);
  CHECK(fault_with("STG.E", "STGX").find("no opcode") != std::string::npos);
  CHECK(fault_with("STG.E", "LDGSTS.E").find("no opcode") != std::string::npos);  // Volta has none
  CHECK(fault_with("4 0\n0020", "4 0 0\n0020").find("more immediates") != std::string::npos);
  CHECK(fault_with("1 R190 LDS", "0 LDS").find("without a destination") != std::string::npos);
  CHECK(fault_with("0x0 4 0", "0xffe 4 0").find("shared memory behind") != std::string::npos);
  CHECK(fault_with("insts = 3", "insts = 2").find("EXIT") != std::string::npos);
  CHECK(fault_with("insts = 3", "insts = 4") != "");
  CHECK(fault_with("EXIT", "NOP").find("EXIT") != std::string::npos);
  CHECK(fault_with("warp = 0", "warp = 1").find("warp") != std::string::npos);
  CHECK(fault_with("thread block = 0,0,0", "thread block = 1,0,0").find("thread block") != std::string::npos);
  CHECK(fault_with("#END_TB", "").find("#END_TB") != std::string::npos);
  CHECK(fault_with("-kernel id = 1\n", "").find("kernel id") != std::string::npos);
  CHECK(fault_with("-shmem base_addr = 0x00000f0000000000", "-shmem base_addr = 0x0000000000000000") != "");
  CHECK(fault_with("  ", "") == "");  // nothing but the blanks behind 'control'
}

// A producer's barrier at 64, made for one arrival, and a tile of 512 B in two parts of 256 B; a wait for the
// first phase. The bytes written to shared memory stand behind the copy. Read back it is the same.
TEST_CASE("barriers in shared memory and the bulk loads that report there are written for Hopper") {
  const auto at_barrier = [](OpClass op, Sync sync, std::uint16_t operand, std::uint32_t pc) {
    WarpInstruction i = access(op, pc, 64, 0, 8);
    i.active_mask = 1;
    i.sync = sync;
    i.operand = operand;
    return i;
  };
  const auto part = [](OpClass op, Address address) {
    WarpInstruction i = access(op, 0x30, address, 16, 16);
    i.active_mask = 0xffff;
    i.async = i.bulk = true;
    i.bypass_l1 = op == OpClass::load;
    return i;
  };
  OneWarp source({at_barrier(OpClass::shared_store, Sync::mbarrier_init, 1, 0x10),
                  at_barrier(OpClass::shared_store, Sync::mbarrier_expect, 32, 0x20),
                  part(OpClass::load, 0x7f0000000000), part(OpClass::load, 0x7f0000000100),
                  part(OpClass::shared_store, 1024),
                  at_barrier(OpClass::shared_store, Sync::bulk_arrive, 32, 0x30),
                  at_barrier(OpClass::shared_load, Sync::mbarrier_wait, 0, 0x40)});
  const Exported out(source);
  std::string deltas;
  for (int n = 1; n < 32; ++n) deltas += " 16";
  CHECK(out.lines() ==
        "0010 00000001 0 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 0x40 1 0x1ffffe\n"
        "0020 00000001 0 SYNCS.ARRIVE.TRANS64 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 0x40 1 0x200\n"

        "0030 00000001 0 UBLKCP.S.G 0 16 0x40 0 512 0 4 0x7f0000000000 32" +
            deltas +
            " 0 0 NoVal\n"
            "0030 0000ffff 0 STS.128 0 16 1 0x400 16 0\n"
            "0040 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 0x40 1 0x0\n"
            "1000 ffffffff 0 EXIT 0 0 0\n");
  CHECK(out.says("-binary version = 90"));
  CHECK(out.fault().empty());
  CHECK(out.report.losses.bulk_copies + out.report.losses.orders == 0);
  const auto back = traces::open_trace(out.folder.path())->fetch(0, 0);
  std::vector<Sync> syncs;
  std::uint64_t lanes = 0;
  for (const WarpInstruction& i : back->instructions) {
    if (i.sync != Sync::none) syncs.push_back(i.sync);
    if (i.bulk && i.op == OpClass::load) lanes += static_cast<std::uint64_t>(i.active_lanes());
  }
  CHECK(syncs == std::vector<Sync>{Sync::mbarrier_init, Sync::mbarrier_expect, Sync::bulk_arrive,
                                   Sync::mbarrier_phase});
  CHECK(lanes == 32);
}

// Barriers in shared memory of Accel-Sim traces: who waits for what follows from who waits and arrives how
// often. Runs have an SM of one scheduler; an instruction issued in cycle i has its first line out in i + 1.
#include <fstream>

#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "traces/accelsim/kernel_file.h"

using namespace strata;
using strata::tb::ClusterBench;
using strata::tb::Program;
using strata::tb::RequestLog;
using strata::tb::TempFolder;
using strata::traces::KernelFile;

namespace {

using Code = std::vector<std::string>;

Code operator+(Code one, const Code& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

std::string line(const std::string& opcode, const std::string& rest, const std::string& mask = "00000001",
                 const std::string& pc = "0100") {
  return pc + " " + mask + " 0 " + opcode + " 0 " + rest;
}
std::string at(const std::string& opcode, unsigned address, const std::string& mask = "00000001") {
  char text[32];
  std::snprintf(text, sizeof text, "8 1 0x%x 0 0 0 NoVal", address);
  return line(opcode, text, mask);
}
Code make(unsigned address) {
  return {at("SYNCS.EXCH.64", address)};
}
Code arrive(unsigned address) {
  return {at("SYNCS.ARRIVE.TRANS64.A1T0", address)};
}
Code expect(unsigned address) {
  return {at("SYNCS.ARRIVE.TRANS64", address)};
}
Code wait(unsigned address) {
  return {at("SYNCS.PHASECHK.TRANS64.TRYWAIT", address)};
}
/// A bulk load of `bytes`, of a line each 128, to the barrier.
Code copy(unsigned barrier, unsigned bytes, unsigned long long from) {
  char text[96];
  std::snprintf(text, sizeof text, "16 0x%x 0 %u 0 4 0x%llx %u", barrier, bytes, from, bytes / 128);
  std::string places = text;
  for (unsigned n = 1; n < bytes / 128; ++n) places += " 128";
  return {line("UTMALDG.2D", places + " 0 0 NoVal")};
}
const Code meet = {line("BAR.SYNC.DEFER_BLOCKING", "0 0 0 NoVal", "ffffffff")};
const Code work = {line("HGMMA.64x64x16.F32", "0 0 0 0 NoVal", "ffffffff")};
const Code retry = {line("BRA", "0 0 0 NoVal", "ffffffff")};

std::shared_ptr<CtaTrace> read(const std::vector<Code>& warps) {
  const TempFolder folder;
  const std::string path = folder.path() + "/kernel-1.traceg";
  std::ofstream file(path);
  file << "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (" << 32 * warps.size()
       << ",1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 90\n-accelsim tracer version = 6\n"
       << "#traces format\n#BEGIN_TB\nthread block = 0,0,0\n";
  for (std::size_t w = 0; w < warps.size(); ++w) {
    file << "warp = " << w << "\ninsts = " << warps[w].size() + 1 << "\n";
    for (const std::string& text : warps[w]) file << text << "\n";
    file << "0f00 ffffffff 0 EXIT 0 0 0 0 NoVal\n";
  }
  file << "#END_TB\n";
  file.close();
  return KernelFile(path, false).next();
}

/// `init 2`, `expect 32`, `phase 1`, `unknown`: what orders a warp.
std::vector<std::string> orders(const CtaTrace& cta, std::uint32_t warp) {
  std::vector<std::string> all;
  for (std::uint32_t n = cta.warp_begin[warp]; n < cta.warp_begin[warp + 1]; ++n) {
    const WarpInstruction& i = cta.instructions[n];
    const auto add = [&](const char* name) { all.push_back(name + std::to_string(i.operand)); };
    if (i.sync == Sync::mbarrier_init) add("init ");
    if (i.sync == Sync::mbarrier_arrive) add("arrive ");
    if (i.sync == Sync::mbarrier_expect) add("expect ");
    if (i.sync == Sync::mbarrier_copies) add("copies ");
    if (i.sync == Sync::mbarrier_phase) add("phase ");
    if (i.sync == Sync::bulk_arrive) add("bytes ");
    if (i.sync == Sync::none && i.op == OpClass::other && i.async) all.emplace_back("unknown");
  }
  return all;
}
using Words = std::vector<std::string>;

/// Cycles in which records issue, on an SM of one scheduler whose copies start at once.
struct Run {
  explicit Run(const std::vector<Code>& warps) : bench(params()) {
    cta = read(warps);
    bench.source.add_kernel(1, static_cast<std::uint32_t>(warps.size()));
    bench.source.warps = [this](auto, auto) {
      std::vector<Program> programs;
      for (std::uint32_t w = 0; w < cta->warps(); ++w)
        programs.emplace_back(cta->instructions.begin() + cta->warp_begin[w],
                              cta->instructions.begin() + cta->warp_begin[w + 1]);
      return programs;
    };
    bench.run();
    CHECK(bench.broken.empty());
    for (const RequestLog& request : bench.target->log) sent.push_back(request.at);
  }
  static SmClusterParams params() {
    SmClusterParams p;
    p.schedulers = 1;
    p.tma_latency = 0;
    return p;
  }
  std::shared_ptr<CtaTrace> cta;
  ClusterBench bench;
  std::vector<Cycle> sent;
};

const Code stores = {"0200 00000001 0 STG.E 2 R2 R3 4 1 0x7f0000900000 0 0 0 NoVal"};

}  // namespace

TEST_CASE("mbarriers of traces: a consumer waits for the bytes of its tile") {
  const auto cta =
      read({make(64) + meet + expect(64) + copy(64, 512, 0x7f0000000000), meet + wait(64) + work});
  CHECK(orders(*cta, 0) == Words{"init 1", "expect 32", "bytes 32"});
  CHECK(orders(*cta, 1) == Words{"phase 1"});
}

// The copy leaves in cycle c, its answer comes 10 cycles later and is taken in c + 11, when the phase ends.
// The store issues in c + 12 and leaves in c + 13.
TEST_CASE("mbarriers of traces: the wait takes as long as the copy") {
  const Run run({make(64) + meet + expect(64) + copy(64, 128, 0x7f0000000000), meet + wait(64) + stores});
  REQUIRE(run.sent.size() == 2);
  CHECK(run.sent[1] - run.sent[0] == 13);
}

TEST_CASE("mbarriers of traces: tries that fail are one wait") {
  const Code tries = wait(64) + retry + wait(64) + retry + wait(64) + retry + wait(64) + retry + wait(64);
  const Run run({make(64) + meet + expect(64) + copy(64, 128, 0x7f0000000000), meet + tries + stores});
  CHECK(orders(*run.cta, 1) == Words{"phase 1"});
  REQUIRE(run.sent.size() == 2);
  CHECK(run.sent[1] - run.sent[0] == 13);  // as with one try
}

namespace {

/// A producer and a consumer with so many places; the producer waits for a free one, the consumer for its
/// tile of one line.
std::vector<Code> pipeline(unsigned places, unsigned tiles) {
  Code producer, consumer = meet;
  for (unsigned p = 0; p < places; ++p) producer = producer + make(64 + 16 * p) + make(128 + 16 * p);
  producer = producer + meet;
  for (unsigned t = 0; t < tiles; ++t) {
    const unsigned full = 64 + 16 * (t % places), empty = 128 + 16 * (t % places);
    producer = producer + wait(empty) + expect(full) + copy(full, 128, 0x7f0000000000 + t * 128ULL);
    consumer = consumer + wait(full) + work + arrive(empty);
  }
  return {producer, consumer};
}

}  // namespace

// The producer's first wait is for a free place, which there is: it passes. A copy that leaves in cycle c has
// landed in c + 11. The consumer's product issues in c + 12, its release in c + 13 and, as the scheduler
// stays with its warp, its next wait in c + 14; the producer expects in c + 15 and copies in c + 16, which
// leaves in c + 17.
TEST_CASE("mbarriers of traces: with one place each copy waits for the product before it") {
  const Run run(pipeline(1, 3));
  CHECK(orders(*run.cta, 0) == Words{"init 1", "init 1", "expect 8", "bytes 8", "phase 1", "expect 8",
                                     "bytes 8", "phase 2", "expect 8", "bytes 8"});
  CHECK(orders(*run.cta, 1) == Words{"phase 1", "arrive 1", "phase 2", "arrive 1", "phase 3", "arrive 1"});
  REQUIRE(run.sent.size() == 3);
  CHECK(run.sent[1] - run.sent[0] == 17);
  CHECK(run.sent[2] - run.sent[1] == 17);
}

// Behind the first copy come its end, the wait that passes, the arrival and the second copy, 4 cycles later.
// The third one waits for the first product as before: three tiles take 17 cycles from the first to the last
// copy, where one place takes 34.
TEST_CASE("mbarriers of traces: with two places the second copy does not wait") {
  const Run run(pipeline(2, 3));
  REQUIRE(run.sent.size() == 3);
  CHECK(run.sent[1] - run.sent[0] == 4);
  CHECK(run.sent[2] - run.sent[0] == 17);
}

// Two consumer warps of 32 lanes each release a place: 64 arrivals a phase.
TEST_CASE("mbarriers of traces: arrivals a phase follow from all arrivals") {
  const Code release = {at("SYNCS.ARRIVE.TRANS64.A1T0", 128, "ffffffff")};
  const Code consumer = meet + wait(64) + work + release + wait(64) + work + release;
  const auto cta =
      read({make(64) + make(128) + meet + wait(128) + expect(64) + wait(128) + expect(64) + wait(128),
            consumer, consumer});
  CHECK(orders(*cta, 0) == Words{"init 1", "init 64", "expect 0", "phase 1", "expect 0", "phase 2"});
  CHECK(orders(*cta, 2) == Words{"phase 1", "arrive 1", "phase 2", "arrive 1"});
}

TEST_CASE("mbarriers of traces: what cannot be found out waits for nothing and is marked") {
  // Nobody arrives.
  CHECK(orders(*read({make(64) + wait(64), wait(64)}), 1) == Words{"unknown"});
  // Three arrivals and two waits fit one another in no way.
  const auto odd =
      read({make(64) + meet + arrive(64) + arrive(64), meet + arrive(64) + arrive(64) + arrive(64),
            meet + wait(64) + work + wait(64) + work + wait(64)});
  CHECK(orders(*odd, 2) == Words{"unknown", "unknown", "unknown"});
  CHECK(orders(*odd, 0).empty());
  // Without addresses.
  const Code blind = {line("SYNCS.PHASECHK.TRANS64.TRYWAIT", "0 0 0 NoVal")};
  CHECK(orders(*read({blind}), 0) == Words{"unknown"});
  // Each warp waits for the other, which arrives later: the trace cannot be of this order.
  const auto circle =
      read({make(64) + make(128) + meet + expect(64) + wait(128) + work + wait(128) + work + expect(64),
            meet + wait(64) + work + wait(64) + work + expect(128) + expect(128)});
  CHECK(circle->warps() == 2);
}

TEST_CASE("mbarriers of traces: arrivals of asynchronous copies") {
  const Code load = {line("LDGSTS.E.128", "16 1 0x7f0000000000 16 0 0 NoVal", "ffffffff")};
  const Code lands = {at("ARRIVES.LDGSTSBAR.64.ARVCNT", 64, "ffffffff")};
  const auto cta = read({make(64) + meet + load + lands, meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 32", "copies 1"});
  CHECK(orders(*cta, 1) == Words{"phase 1"});
  // Without .noinc each lane counts once more than the barrier was made for, and comes back.
  const Code more = {at("SYNCS.ARRIVE.TRANS64.RED.A0T1", 64, "ffffffff"),
                     at("ARRIVES.LDGSTSBAR.64.TRANSCNT", 64, "ffffffff")};
  const auto on_top = read({make(64) + meet + load + more + arrive(64), meet + wait(64)});
  CHECK(orders(*on_top, 0) == Words{"init 1", "copies 0", "arrive 1"});
}

TEST_CASE("mbarriers of traces: what registers held says counts and parities") {
  // 2^21 - 2 * 2 is a barrier of 2 arrivals: four of them are two phases, of which one is waited for.
  const Code made = {"0100 00000001 0 SYNCS.EXCH.64 2 UR4 UR6 8 1 0x40 0 0 0 Val 1 0x40 1 0x1ffffc"};
  const Code first = {
      "0100 00000001 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R2 R3 8 1 0x40 0 0 0 Val 1 0x1 1 0x40 1 "
      "0x80000000"};
  const auto cta =
      read({made + meet + arrive(64) + arrive(64) + arrive(64) + arrive(64), meet + first + work + wait(64)});
  CHECK(orders(*cta, 0).front() == "init 2");
  CHECK(orders(*cta, 1) == Words{"phase 1"});  // of parity 1 passes
}

TEST_CASE("mbarriers of traces: a copy that does not name its barrier reports where its warp expects bytes") {
  const auto cta = read({make(64) + meet + expect(64) + copy(0, 128, 0x7f0000000000), meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 1", "expect 8", "bytes 8"});
}

TEST_CASE("mbarriers of traces: another warp than the one that arrives may copy") {
  const auto cta = read({make(64) + meet + expect(64) + wait(64) + work + expect(64),
                         meet + copy(64, 128, 0x7f0000000000) + copy(64, 256, 0x7f0000001000),
                         meet + wait(64) + work + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 1", "expect 8", "phase 1", "expect 16"});
}

// The second copy reports to a barrier whose phase would be over without it, and goes out behind the wait for
// that phase: all warps would wait for ever.
TEST_CASE("mbarriers of traces: bytes that come behind the wait for them make it unknown") {
  const auto cta = read({make(64) + meet + expect(64) + copy(64, 128, 0x7f0000000000) + wait(64) +
                             copy(64, 128, 0x7f0000001000),
                         meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"bytes 8", "unknown", "bytes 8"});
  CHECK(orders(*cta, 1) == Words{"unknown"});
}

TEST_CASE("mbarriers of traces: the barrier of a cluster is met by all warps or by none") {
  const Code arrives = {line("UCGABAR_ARV", "0 0 0 NoVal", "ffffffff")};
  const Code waits = {line("UCGABAR_WAIT", "0 0 0 NoVal", "ffffffff")};
  const auto both = read({arrives + waits, arrives + waits});
  CHECK(both->instructions[0].sync == Sync::cluster_arrive);
  CHECK(both->instructions[1].sync == Sync::cluster_wait);
  const auto one = read({arrives + waits, work});
  CHECK(orders(*one, 0) == Words{"unknown", "unknown"});
}

// A warp arrives at the barrier of rank 1, whose address has the rank from bit 24 on: its own barrier does
// not count that, and its wait is for its own arrival.
TEST_CASE("mbarriers of traces: arrivals at other thread blocks are marked") {
  const auto cta = read({make(64) + meet + arrive(64) + arrive((1U << 24) + 64), meet + wait(64)});
  CHECK(orders(*cta, 0) == Words{"init 1", "arrive 1", "unknown"});
  CHECK(orders(*cta, 1) == Words{"phase 1"});
}

// What a timeline shows of requests through the tiny platform; the latencies are those of directed_test.cpp.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/stat_table.h"
#include "platforms/report/timeline/timeline_recorder.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "tb/support/timeline_reader.h"

using namespace strata;
using namespace strata::platforms;
using strata::tb::alu;
using strata::tb::load;
using strata::tb::Program;
using strata::tb::ProgramSource;
using strata::tb::read_timeline;
using strata::tb::ReadSlice;
using strata::tb::store;

namespace {

constexpr Address line_a = 0x10000;

struct Bench {
  explicit Bench(TimelineOptions options = {},
                 const std::vector<std::string>& sets = {"clocks.dram=1400 MHz", "mc.rescale_timing=true"}) {
    options.file = file;
    recorder = std::make_unique<TimelineRecorder>("timeline", options, 1);
    ElaborateOptions elaborate{1, false};
    elaborate.watch = [this](const PortBase& from, const PortBase& to) { return recorder->watch(from, to); };
    platform =
        std::make_unique<Platform>(Netlist::load(find_platform("tiny"), sets, built_in_modules()), elaborate);
    recorder->attach(*platform);
  }

  void run(const std::vector<Program>& warps, std::function<bool()> enough = {}) {
    source.add_kernel(1, static_cast<std::uint32_t>(warps.size()));
    source.warps = [&](std::uint32_t, std::uint64_t) { return warps; };
    SessionOptions options;
    options.enough = std::move(enough);
    Session session(*platform, source, options);
    platform->finish_elaboration();
    const RunOutcome outcome = session.run();
    for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
    REQUIRE(outcome.exit_code == exit_ok);
    recorder->finish();
    slices = read_timeline(file);
  }

  /// The slices of one request, in the order of time: each line `track name begin-end`, those inside behind a
  /// blank.
  std::vector<std::string> lines(std::uint64_t request) const {
    std::vector<ReadSlice> mine;
    for (const ReadSlice& slice : slices)
      if (slice.flow == request) mine.push_back(slice);
    std::stable_sort(mine.begin(), mine.end(),
                     [](const ReadSlice& a, const ReadSlice& b) { return a.begin < b.begin; });
    std::vector<std::string> text;
    const auto span = [](const ReadSlice& s) {
      return s.name + " " + std::to_string(s.begin) + "-" + std::to_string(s.end);
    };
    for (const ReadSlice& slice : mine) {
      text.push_back(slice.track + " " + span(slice));
      for (const ReadSlice& inner : slice.inner) text.push_back(" " + span(inner));
    }
    return text;
  }

  tb::TempFolder folder;
  std::string file = folder.path() + "/run.pftrace";
  std::unique_ptr<TimelineRecorder> recorder;
  std::unique_ptr<Platform> platform;
  ProgramSource source;
  std::vector<ReadSlice> slices;
};

/// Warps whose loads and stores miss, merge, wait for each other and write lines back.
std::vector<Program> busy_warps() {
  std::vector<Program> warps(4);
  for (Address w = 0; w < warps.size(); ++w)
    for (Address i = 0; i < 40; ++i) {
      const Address line = line_a + (i * 7 + w * 3) % 64 * 128 * 48;
      warps[w].push_back(i % 5 == w ? store(line) : load(line, static_cast<int>(1 + i % 8)));
      if (i % 8 == 7) warps[w].push_back(alu(20, static_cast<int>(1 + i % 8)));
    }
  return warps;
}

std::set<std::uint64_t> requests(const std::vector<ReadSlice>& slices) {
  std::set<std::uint64_t> numbers;
  for (const ReadSlice& slice : slices)
    if (slice.category == "request") numbers.insert(slice.flow);
  return numbers;
}

/// The requests of a whole timeline that `takes` says yes to.
template <class Takes>
std::set<std::uint64_t> chosen(const std::vector<ReadSlice>& slices, Takes takes) {
  std::set<std::uint64_t> numbers;
  for (const ReadSlice& slice : slices)
    if (slice.category == "request" && takes(slice)) numbers.insert(slice.flow);
  return numbers;
}

}  // namespace

TEST_CASE("A timeline shows each step of an LLC miss in the cycles in which it happens") {
  // The load issues in cycle 1. Its turn at the L1 is in 2; miss_latency 1, link 1 and router 4 bring it to
  // the slice in 8; the tags are known in 128. The fetch leaves in 129, ACT issues in 130, RD tRCD = 12 later
  // in 142, its data come tCL = 12 later, in 154, for one cycle. The slice answers one cycle after the fill,
  // in 156. Link 1 and router 4: the head is at the L1 in 161, the tail 4 later in 165, the answer at the SM
  // in 166.
  Bench bench;
  bench.run({{load(line_a, 1), alu(2, 1)}});
  CHECK(bench.lines(1) == std::vector<std::string>{"sm[0] load 1-166",          " sm.queue 1-2",
                                                   "l1[0] load 2-166",          " l1.pipeline 2-3",
                                                   " noc.reply_serial 161-165", " l1.fill 165-166",
                                                   "rtr[0] load 3-8",           " noc.request_link 3-4",
                                                   " noc.request_router 4-8",   "llc[0] load 8-156",
                                                   " llc.pipeline 8-128",       " memory.queue 128-129",
                                                   " llc.reply_port 155-156",   "mc[0] load 129-155",
                                                   " memory.queue 129-130",     " memory.activate 130-142",
                                                   " memory.access 142-154",    " memory.bus 154-155",
                                                   "ch[0] ACT 130-131",         "ch[0] RD 142-155",
                                                   "rtr[0] load 156-161",       " noc.reply_link 156-157",
                                                   " noc.reply_router 157-161"});
  const ReadSlice& first = bench.slices.front();
  CHECK(first.category == "request");
  CHECK(first.group == "sm");
  CHECK(first.notes.at("line") == line_a);
  CHECK(first.notes.at("latency") == 165);
  CHECK(first.notes.count("unfinished") == 0);
  CHECK(bench.recorder->requests() == 1);
}

TEST_CASE("A merge and a hit are slices of the L1 alone") {
  // As in directed_test.cpp: the second load issues in 2, meets the L1 in 3, waits for the line until 165 and
  // is answered in 167. The third needs its result: it issues in 167 or later, and hits 1 + 28 cycles later.
  Bench bench;
  bench.run({{load(line_a, 1), load(line_a, 2), alu(3, 2), load(line_a, 4), alu(5, 4)}});
  CHECK(bench.lines(2) == std::vector<std::string>{"sm[0] load 2-167", " sm.queue 2-3", "l1[0] load 3-167",
                                                   " l1.merge 3-165", " l1.fill 165-167"});
  const std::vector<std::string> hit = bench.lines(3);
  REQUIRE(hit.size() == 4);
  const Cycle issue = std::find_if(bench.slices.begin(), bench.slices.end(), [](const ReadSlice& s) {
                        return s.flow == 3;
                      })->begin;
  CHECK(issue >= 167);
  const auto at = [&](Cycle cycle) { return std::to_string(issue + cycle); };
  CHECK(hit == std::vector<std::string>{
                   "sm[0] load " + at(0) + "-" + at(29), " sm.queue " + at(0) + "-" + at(1),
                   "l1[0] load " + at(1) + "-" + at(29), " l1.pipeline " + at(1) + "-" + at(29)});
}

namespace {

// Every cycle of every ledger is in a slice of its row, and in one only.
void check_sums(const std::vector<std::string>& sets) {
  Bench bench({}, sets);
  bench.run(busy_warps());
  std::map<std::string, std::uint64_t> shown;
  std::map<std::uint64_t, std::uint64_t> by_request;
  const std::set<std::uint64_t> of_sm =
      chosen(bench.slices, [](const ReadSlice& slice) { return slice.track == "sm[0]"; });
  for (const ReadSlice& slice : bench.slices)
    for (const ReadSlice& wait : slice.inner) {
      if (of_sm.count(slice.flow) == 0) continue;  // writes of dirty lines have ledgers of their own
      shown[wait.name] += wait.end - wait.begin;
      by_request[slice.flow] += wait.end - wait.begin;
    }
  std::map<std::string, std::uint64_t> expected;
  const LedgerTotals ledger = read_ledger(*bench.platform);
  for (const LedgerTotals::Sums& sums : ledger.groups)
    for (const auto& [row, cycles] : tb::cycles_by_row(bench.platform->ledger_places(), sums.cycles))
      expected[row] += cycles;
  CHECK(shown == expected);
  std::size_t wrong = 0;
  for (const ReadSlice& slice : bench.slices)
    if (slice.category == "request" && of_sm.count(slice.flow) != 0)
      wrong += by_request[slice.flow] != slice.notes.at("latency") ||
               slice.end - slice.begin != slice.notes.at("latency");
  CHECK(wrong == 0);
  CHECK(of_sm.size() == 160);
  CHECK(of_sm.size() < bench.recorder->requests());  // lines were written back
}

}  // namespace

TEST_CASE("The waits of all requests are the ledger of the run") {
  check_sums({"llc.size=4KiB", "llc.ways=4"});
}

TEST_CASE("A window has the whole of each request in flight in it") {
  TimelineOptions options;
  options.set_window("300:500");
  Bench bench(options);
  bench.run(busy_warps());
  REQUIRE(!bench.slices.empty());
  for (const ReadSlice& slice : bench.slices)
    if (slice.category == "request") CHECK((slice.begin < 500 && slice.end > 300));
  // Some have begun before it, and some end after it.
  CHECK(!chosen(bench.slices, [](const ReadSlice& s) { return s.begin < 300; }).empty());
  CHECK(!chosen(bench.slices, [](const ReadSlice& s) { return s.end > 500; }).empty());
  // What the rest of the run is like does not matter: the same numbers as in a timeline of all.
  CHECK(*requests(bench.slices).begin() > 1);
}

TEST_CASE("An address takes the requests for its line, and what they lead to") {
  TimelineOptions options;
  options.set_address("0x1000c");
  Bench bench(options);
  bench.run(busy_warps());
  CHECK(!bench.slices.empty());
  for (const ReadSlice& slice : bench.slices)
    if (slice.notes.count("line") != 0) CHECK(slice.notes.at("line") == line_a);
  CHECK(bench.lines(*requests(bench.slices).begin()).size() > 10);
}

TEST_CASE("A range of addresses takes all of its lines") {
  TimelineOptions options;
  options.set_address("0x1007f:0x117ff");  // ends before line_a + 128 * 48
  Bench bench(options);
  bench.run(busy_warps());
  const std::size_t one = requests(bench.slices).size();
  CHECK(one != 0);
  CHECK(one == chosen(bench.slices, [](const ReadSlice& s) { return s.notes.at("line") == line_a; }).size());
}

TEST_CASE("A fraction takes the same requests for the same seed") {
  TimelineOptions options;
  options.set_fraction("1/4");
  const TimelineSelection first(options, 1), again(options, 1), other(options, 2);
  std::size_t taken = 0, differ = 0;
  for (std::uint64_t number = 1; number <= 4000; ++number) {
    REQUIRE(first.takes_number(number) == again.takes_number(number));
    taken += first.takes_number(number);
    differ += first.takes_number(number) != other.takes_number(number);
  }
  CHECK((taken > 850 && taken < 1150));  // 1000, deviation 27
  CHECK(differ > 1000);
  Bench bench(options);
  bench.run(busy_warps());
  const std::set<std::uint64_t> shown = requests(bench.slices);
  CHECK(!shown.empty());
  for (std::uint64_t number = 1; number <= 160; ++number)
    CHECK(shown.count(number) == (first.takes_number(number) ? 1 : 0));
}

TEST_CASE("A full file ends a timeline and nothing else") {
  TimelineOptions options;
  options.set_limit("64KiB");
  Bench bench(options);
  std::vector<Program> warps;
  for (int i = 0; i < 4; ++i)
    for (Program& program : busy_warps()) warps.push_back(program);
  bench.run(warps);  // with the checks at its end: every transaction is back in its pool
  CHECK(bench.recorder->full_at() != never);
  CHECK(bench.recorder->file().bytes() < 68 * KiB);
  CHECK(std::filesystem::file_size(bench.file) == bench.recorder->file().bytes());
  CHECK(requests(bench.slices).size() < 640);
}

TEST_CASE("A run that ends early leaves requests in flight, marked") {
  Bench bench;
  bench.run(busy_warps(), [] { return true; });  // in cycle 1000
  const std::set<std::uint64_t> left =
      chosen(bench.slices, [](const ReadSlice& s) { return s.notes.count("unfinished") != 0; });
  CHECK(!left.empty());
  CHECK(left.size() < requests(bench.slices).size());
  for (const ReadSlice& slice : bench.slices)
    if (slice.category == "request" && left.count(slice.flow) != 0) {
      std::uint64_t sum = 0;
      for (const ReadSlice& other : bench.slices)
        if (other.flow == slice.flow)
          for (const ReadSlice& wait : other.inner) sum += wait.end - wait.begin;
      CHECK(sum == slice.notes.at("latency"));
    }
}

TEST_CASE("Nothing of a timeline appears before it is finished") {
  Bench bench;
  CHECK(!std::filesystem::exists(bench.file));
  bench.run({{load(line_a, 1), alu(2, 1)}});
  CHECK(std::filesystem::exists(bench.file));
}

// A hundred changes of the LLC between shared and private at random times, under full load: every access is
// answered, every law holds, nothing that was stored is lost on its way to memory.
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "models/common/units.h"
#include "models/llc_control/llc_control.h"
#include "models/llc_slice/llc_slice.h"
#include "models/noc/router/router_stage.h"
#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "platforms/engine/session/session.h"
#include "platforms/report/stat_table.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"
#include "tb/support/sm_bench.h"
#include "tb/support/temp_folder.h"
#include "traces/application_source.h"

namespace strata::tb {

namespace {

struct ImageParams final : ParamSet {
  int slices = 4;
  void for_each_param(ParamVisitor& visitor) override {
    visitor.integer({"slices", "slices", "LLC slices of this controller"}, slices, {1, 64});
  }
};

struct ImageStats final : StatSet {
  std::uint64_t requests = 0;
  std::uint64_t replies = 0;
  std::uint64_t writes = 0;
  void for_each_stat(StatVisitor& visitor) const override {
    visitor.counter({"requests", "requests", "requests taken"}, requests);
    visitor.counter({"replies", "replies", "replies sent"}, replies);
    visitor.counter({"writes", "requests", "writes among the requests"}, writes);
    visitor.law("requests = replies");
  }
};

class ImageMemory final : public Block {
 public:
  ImageMemory(sc_core::sc_module_name name, const ImageParams& params, const BuildContext& context)
      : Block(name, context.clock, 2 * params.slices),
        random_(context.seed + static_cast<unsigned>(context.index)) {
    for (int s = 0; s < params.slices; ++s) ports_.emplace_back(*this, "slice", s);
    pending_.resize(ports_.size());
    free_.resize(ports_.size());
  }

  Accept request(Txn& txn, int port, Cycle at) override {
    if (random_() % 4 == 0) {
      book(at + 1 + random_() % 20, 2 * port + 1);
      return Accept::held();
    }
    take(txn, port, at);
    return Accept::taken(at + 1);
  }
  void advance(Cycle now, int unit) override {
    TargetPort& port = ports_[static_cast<std::size_t>(unit / 2)];
    if (unit % 2 == 1) {
      Txn& txn = *port.held();
      port.accept(now + 1);
      return take(txn, unit / 2, now);
    }
    Queue& queue = pending_[static_cast<std::size_t>(unit / 2)];
    if (queue.empty() || port.response_blocked()) return;
    Cycle& free = free_[static_cast<std::size_t>(unit / 2)];
    const Cycle due = std::max(queue.begin()->first, free);
    if (due > now) return book(due, unit);
    Txn& txn = *queue.begin()->second;
    queue.erase(queue.begin());
    txn.access().ledger.charge(place_for(Cause::access), clock().ledger_at(now));
    ++stats_.replies;
    const Accept accept = port.respond(txn);
    if (accept.is_held()) return;
    free = std::max(accept.at, now + 1);
    if (!queue.empty()) book(free, unit);
  }
  void response_unblocked(int port, Cycle at) override {
    free_[static_cast<std::size_t>(port)] = at;
    book(at, 2 * port);
  }
  unsigned debug(tlm::tlm_generic_payload& payload, int) override {
    for (unsigned i = 0; i < payload.get_data_length(); ++i)
      payload.get_data_ptr()[i] =
          image_.count(payload.get_address() / sector_bytes + i / sector_bytes) != 0 ? 1 : 0;
    return payload.get_data_length();
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  std::uint64_t writes() const { return stats_.writes; }

 private:
  using Queue = std::multimap<Cycle, Txn*>;

  void take(Txn& txn, int port, Cycle at) {
    const Access& access = txn.access();
    ++stats_.requests;
    if (access.access_class == AccessClass::writeback) {
      ++stats_.writes;
      for (unsigned sector = 0; sector < 8; ++sector)
        if ((access.sectors >> sector & 1U) != 0) image_[access.line / sector_bytes + sector] = true;
    }
    const Cycle ready = at + 40 + random_() % 100;
    pending_[static_cast<std::size_t>(port)].emplace(ready, &txn);
    book(ready, 2 * port);
  }

  std::mt19937_64 random_;
  std::deque<TargetPort> ports_;
  std::vector<Queue> pending_;
  std::vector<Cycle> free_;
  std::map<Address, bool> image_;  // by sector
  ImageStats stats_;
};

}  // namespace

/// Replaces a memory controller and its channel: replies after a random time, holds requests at random, and
/// keeps an image of what was written, which transport_dbg reads: a byte is 1 when a write has reached it.
const ModuleKind& image_memory_kind() {
  static const ModuleKind kind = {
      "image_memory",
      "memory that remembers which bytes were written",
      Role::none,
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<ImageParams>(); },
      [](const ParamSet& params) {
        return std::vector<PortSpec>{{"slice", PortRole::target,
                                      static_cast<const ImageParams&>(params).slices, false, "tlm",
                                      "requests of slice i"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<ImageMemory>(name, static_cast<const ImageParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<ImageStats>(); }};
  return kind;
}

}  // namespace strata::tb

using namespace strata;
using namespace strata::platforms;
using strata::tb::load;
using strata::tb::Program;
using strata::tb::ProgramSource;
using strata::tb::store;

namespace {

// Four clusters of two SMs, two controllers of four slices; the LLC holds 8 x 32 lines, far fewer than are
// used.
const char* const machine = R"(
platform: small adaptive machine
clocks: {core: 1400 MHz, noc: 1400 MHz}
address_map: {kind: bits, channels: mc.count, slices_per_channel: llc.count / mc.count}
instances:
  cta: {module: cta_dispatcher, clusters: sm.count}
  sm:  {module: sm_cluster, count: 4, sms: 2}
  l1:  {module: l1_private, count: sm.count * sm.sms, size: 4 KiB, ways: 4}
  smr: {module: router_stage, count: sm.count, inputs: sm.sms, outputs: mc.count, divide: mc.slices}
  mcr: {module: router_stage, count: mc.count, inputs: sm.count, outputs: mc.slices}
  llc: {module: llc_slice, count: 8, size: 4 KiB, ways: 4, latency: 20, mshrs: 8, write_queue: 2}
  mc:  {module: image_memory, count: 2, slices: llc.count / mc.count}
  ctl: {module: llc_control, organization: adaptive, routers: smr.count, slices: llc.count, gates: mcr.count,
        clusters: sm.count, gating: 20}
bind:
  - cta.cluster[c] -> sm[c].dispatch
  - sm[c].l1[s]    -> l1[c * sm.sms + s].sm
  - l1[i].noc      -> smr[i / sm.sms].in[i % sm.sms]
  - smr[c].out[m]  -> mcr[m].in[c]
  - mcr[m].out[k]  -> llc[m * mc.slices + k].noc
  - llc[i].mem     -> mc[i / mc.slices].slice[i % mc.slices]
  - smr[c].organization -> ctl.organization[c]
  - cta.boundary        -> ctl.boundary
  - ctl.slice[i]        -> llc[i].control
  - ctl.gate[m]         -> mcr[m].control
)";

/// Forces a random mode at random times while kernels run.
class Meddler final : public sc_core::sc_module {
 public:
  Meddler(sc_core::sc_module_name name, LlcControl& control, const CtaDispatcher& dispatcher, unsigned seed)
      : sc_module(name), control_(control), dispatcher_(dispatcher), random_(seed) {
    SC_HAS_PROCESS(Meddler);
    SC_METHOD(meddle);
  }

 private:
  void meddle() {
    if (dispatcher_.finished()) return;
    const bool to_private = random_() % 2 == 0;
    control_.force_mode(true, to_private ? LlcMode::private_ : LlcMode::shared);
    next_trigger(sc_core::sc_time(static_cast<double>(random_() % 300), sc_core::SC_NS));
  }

  LlcControl& control_;
  const CtaDispatcher& dispatcher_;
  std::mt19937_64 random_;
};

/// Runs two programs side by side, each with its own lines of `golden`.
struct TwoPrograms {
  TwoPrograms(std::mt19937_64& random,
              Program (*make)(std::mt19937_64&, int, Address&, std::map<Address, std::uint8_t>&)) {
    for (std::uint32_t a = 0; a < 2; ++a) {
      for (int kernel = 0; kernel < 4; ++kernel) sources[a].add_kernel(a == 0 ? 30 : 18, 4);
      sources[a].warps = [this, a, make, &random](std::uint32_t, std::uint64_t) {
        std::vector<Program> warps;
        for (int w = 0; w < 4; ++w) warps.push_back(make(random, 80, next_line[a], golden[a]));
        return warps;
      };
      moved[a] = traces::make_application(sources[a], a);
      runs.push_back({moved[a].get(), 1, 0});
    }
  }
  /// Both, where the platform has them.
  std::map<Address, std::uint8_t> lines() const {
    std::map<Address, std::uint8_t> all;
    for (std::uint32_t a = 0; a < 2; ++a)
      for (const auto& [line, sectors] : golden[a]) all[traces::application_base(a) + line] = sectors;
    return all;
  }
  ProgramSource sources[2];
  std::unique_ptr<InstructionSource> moved[2];
  Address next_line[2] = {1U << 20, 1U << 20};
  std::map<Address, std::uint8_t> golden[2];
  std::vector<ApplicationRun> runs;
};

using Golden = std::map<Address, std::uint8_t>;  // sectors stored, by line

/// Loads from lines that all share and stores to lines of its own; every store's sectors go to `golden`.
Program program(std::mt19937_64& random, int accesses, Address& next_line, Golden& golden) {
  Program program;
  for (int n = 0; n < accesses; ++n) {
    if (random() % 3 != 0) {
      program.push_back(load(random() % 1024 * 128, 1 + n % 8));
      continue;
    }
    WarpInstruction instruction = store(next_line);
    std::uint8_t sectors = 0xf;
    if (random() % 2 == 0) {  // eight lanes: one sector
      instruction.active_mask = 0xff;
      sectors = 1;
    }
    golden[next_line] = sectors;
    next_line += 128;
    program.push_back(instruction);
  }
  return program;
}

template <class Module>
Module& module_of(Platform& platform, std::string_view kind, std::size_t index = 0) {
  return dynamic_cast<Module&>(*platform.of_kind(kind)[index].block);
}

/// Sectors of a line that memory has, by transport_dbg from an SM's side.
std::uint8_t sectors_in_memory(Platform& platform, Address line) {
  auto& router = module_of<Block>(platform, "router_stage");
  unsigned char data[128];
  tlm::tlm_generic_payload payload;
  payload.set_read();
  payload.set_address(line);
  payload.set_data_ptr(data);
  payload.set_data_length(sizeof data);
  REQUIRE(router.debug(payload, 0) == sizeof data);
  std::uint8_t sectors = 0;
  for (unsigned sector = 0; sector < 4; ++sector)
    if (data[sector * sector_bytes] == 1) sectors = static_cast<std::uint8_t>(sectors | 1U << sector);
  return sectors;
}

/// Lines of which memory lacks a sector that was stored; those that a slice holds dirty are counted apart.
std::size_t lost_lines(Platform& platform, const Golden& golden, std::size_t& dirty) {
  std::size_t lost = 0;
  dirty = 0;
  for (const auto& [line, sectors] : golden) {
    bool held = false;
    for (std::size_t s = 0; s < 8; ++s)
      held = held || module_of<LlcSlice>(platform, "llc_slice", s).state().dirty(line);
    const auto there = sectors_in_memory(platform, line);
    dirty += held ? 1 : 0;
    lost += !held && (there & sectors) != sectors ? 1 : 0;
  }
  return lost;
}

void a_hundred_changes(unsigned seed, const std::vector<std::string>& sets, bool check_protocol) {
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const tb::TempFolder folder;
  ModuleTable modules = built_in_modules();
  modules.push_back(&tb::image_memory_kind());
  Platform platform(Netlist::load(folder.write("machine.yaml", machine), sets, modules), {1, check_protocol});
  auto& control = module_of<LlcControl>(platform, "llc_control");
  auto& dispatcher = module_of<CtaDispatcher>(platform, "cta_dispatcher");
  Meddler meddler("meddler", control, dispatcher, seed);

  Golden golden;
  Address next_line = 1U << 20;
  ProgramSource source;
  for (int kernel = 0; kernel < 3; ++kernel) source.add_kernel(48, 4);
  source.warps = [&](std::uint32_t, std::uint64_t) {
    std::vector<Program> warps;
    for (int w = 0; w < 4; ++w) warps.push_back(program(random, 80, next_line, golden));
    return warps;
  };
  Session session(platform, source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  REQUIRE(outcome.exit_code == exit_ok);  // laws, hops, ledgers, credits and pools
  CHECK(platform.protocol_violations() == 0);

  control.settle(control.clock().now());
  const auto& stats = dynamic_cast<const LlcControlStats&>(control.stats());
  CHECK(stats.to_private + stats.to_shared >= 100);
  CHECK(stats.drain_cycles > 0);
  CHECK(stats.gate_cycles >= 20 * (stats.to_private + stats.to_shared));
  for (const PlatformInstance& router : platform.of_role(Role::router))
    for (const CounterRow& row : read_stats({}, *router.kind, router.block->stats()).counters)
      if (row.name == "gated_cycles") CHECK((row.value > 0) == (router.name == "mcr"));
  std::uint64_t stalled = 0;
  for (const LedgerTotals::Sums& sums : read_ledger(platform).groups)
    stalled += tb::cycles_of(platform.ledger_places(), sums.cycles, Cause::reconfiguration);
  CHECK(stalled > 0);

  // What memory lacks, a slice still holds. Going private writes that back too: memory then has all, and not
  // a byte more.
  REQUIRE(golden.size() > 10000);
  std::size_t dirty = 0;
  CHECK(lost_lines(platform, golden, dirty) == 0);
  for (const LlcMode mode : {LlcMode::shared, LlcMode::private_}) {
    control.force_mode(true, mode);
    if (control.changing()) sc_core::sc_start();
  }
  CHECK_FALSE(control.changing());
  CHECK(lost_lines(platform, golden, dirty) == 0);
  CHECK(dirty == 0);
  std::size_t wrong = 0;
  for (const auto& [line, sectors] : golden) {
    const auto there = sectors_in_memory(platform, line);
    // A line that was fetched for a part is written back as a whole.
    wrong += there == sectors || there == 0xf ? 0 : 1;
  }
  CHECK(wrong == 0);
  CHECK(sectors_in_memory(platform, next_line) == 0);
}

}  // namespace

TEST_CASE("a hundred changes under full load lose nothing") {
  a_hundred_changes(20190622, {}, true);
}

// Each application follows its own profiles: with such a margin each goes private at the end of each, and
// back at each epoch and kernel end, while the other's accesses are in flight.
TEST_CASE("changes of two applications at their own times lose nothing") {
  const unsigned seed = 20190623;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const tb::TempFolder folder;
  ModuleTable modules = built_in_modules();
  modules.push_back(&tb::image_memory_kind());
  Platform platform(Netlist::load(folder.write("machine.yaml", machine),
                                  {"ctl.epoch=900", "ctl.profile=150", "ctl.margin=100"}, modules),
                    {1, true});
  auto& control = module_of<LlcControl>(platform, "llc_control");
  TwoPrograms programs(random, program);
  SessionOptions options;
  options.repeat = false;
  Session session(platform, programs.runs, options);
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  for (const std::string& message : outcome.messages) UNSCOPED_INFO(message);
  REQUIRE(outcome.exit_code == exit_ok);  // laws, hops, ledgers, credits and pools
  CHECK_FALSE(outcome.partial);
  CHECK(platform.protocol_violations() == 0);

  control.settle(control.clock().now());
  const auto& stats = dynamic_cast<const LlcControlStats&>(control.stats());
  CHECK(stats.to_private + stats.to_shared >= 50);
  CHECK(stats.to_shared_at_boundary > 0);
  const auto private_cycles = [&](int application) {
    return dynamic_cast<const LlcApplicationStats&>(*control.application_stats(application)).private_cycles;
  };
  CHECK(private_cycles(0) > 0);
  CHECK(private_cycles(1) > 0);
  // Modes differed at times, and the routers were bypassed only while they did not.
  CHECK(stats.private_cycles < std::min(private_cycles(0), private_cycles(1)));
  CHECK(stats.private_cycles > 0);
  for (const PlatformInstance& router : platform.of_role(Role::router))
    for (const CounterRow& row : read_stats({}, *router.kind, router.block->stats()).counters)
      if (row.name == "gated_cycles" && router.name == "mcr") CHECK(row.value == stats.private_cycles);

  const Golden golden = programs.lines();
  REQUIRE(golden.size() > 10000);
  std::size_t dirty = 0;
  CHECK(lost_lines(platform, golden, dirty) == 0);
  for (std::size_t s = 0; s < 8; ++s) {
    const LlcSliceCore& slice = module_of<LlcSlice>(platform, "llc_slice", s).state();
    for (int a = 0; a < 2; ++a) CHECK(slice.counts(a).accesses > 0);
    CHECK(slice.counts(0).accesses + slice.counts(1).accesses == slice.stats().accesses);
  }
}

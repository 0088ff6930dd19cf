// Reports ask modules by role and interface: reports treat external modules like built-in ones.
#include "models/common/counts_if.h"
#include "models/common/llc_choices_if.h"
#include "models/tlm/run_driver.h"
#include "platforms/report/application_figures.h"
#include "platforms/report/headroom_machine.h"
#include "platforms/report/module_tables.h"
#include "tb/support/block_checks.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

struct Counts final : StatSet {
  std::uint64_t loads = 0, found = 0;
  Counts(std::uint64_t all, std::uint64_t hits) : loads(all), found(hits) {}
  void for_each_stat(StatVisitor& v) const override {
    v.counter({"loads", "accesses", "loads"}, loads);
    v.counter({"found", "accesses", "of these: hits"}, found);
  }
};

/// Parameters of a cache, of a control and of others: whatever a role is asked for.
struct StrangeParams final : ParamSet, LlcChoicesParams {
  Bytes size{64 * KiB};
  int ways = 4;
  double slice_bandwidth = 24;
  bool replicates() const override { return true; }
  StorageFields predictors(const AddressMap&, std::uint64_t sets, int slice_ways) const override {
    return {{"whims", sets, static_cast<std::uint64_t>(slice_ways)}};
  }
  void for_each_param(ParamVisitor& v) override {
    v.bytes({"size", "bytes", "capacity"}, size, {1, 1 << 30});
    v.integer({"ways", "ways", "ways"}, ways, {1, 64});
    v.real({"slice_bandwidth", "bytes/cycle", "of a slice"}, slice_bandwidth, 1, 100);
  }
};

/// Knows all that reports ask of any role.
class External final : public Block,
                       public LlcChoicesIf,
                       public RunDriver,
                       public RequesterCountsIf,
                       public ContentionCountsIf {
 public:
  External(sc_core::sc_module_name name, const StrangeParams&, const BuildContext& context)
      : Block(name, context.clock) {
    LlcChoice choice;
    choice.at = 70;
    choice.why = "whim";
    choice.degree = 2;
    choices_.push_back(choice);
  }
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  int application_count() const override { return 2; }
  std::string_view organization_of(int application) const override {
    return application == 0 ? "first" : "second";
  }
  const std::vector<LlcChoice>& choices(int application) const override {
    return application == 0 ? choices_ : none_;
  }
  bool finished() const override { return true; }
  Cycle end_cycle() const override { return 0; }
  std::uint64_t work_done() const override { return 0; }
  std::vector<KernelSpan> kernel_spans(int) const override { return {{0, 10, 20}, {0, 25}}; }
  void count_requesters() override {}
  std::vector<const StatSet*> by_requester() const override { return {&asked_, &silent_, &asked_}; }
  bool by_sm() const override { return false; }
  int kernels() const override { return 2; }
  std::uint64_t misses(int kernel) const override { return kernel == 0 ? 9 : 8; }
  std::uint64_t demotions(int victim, int aggressor) const override { return victim != aggressor ? 5 : 0; }
  std::uint64_t evictions(int victim, int aggressor) const override { return victim < aggressor ? 3 : 0; }
  std::uint64_t storage_bits() const override { return 64; }

 private:
  tb::NoStats stats_;
  std::vector<LlcChoice> choices_, none_;
  const Counts asked_{6, 4}, silent_{0, 0};
};

std::vector<PortSpec> no_ports(const ParamSet&) {
  return {};
}

ModuleKind external_module(std::string_view name, Role role) {
  return module_kind<StrangeParams, tb::NoStats, External>(name, "from elsewhere", role, "core", no_ports);
}

/// An instance of each of these roles, named as its module.
Netlist with(const std::vector<ModuleKind>& kinds) {
  ModuleTable modules;
  for (const ModuleKind& kind : kinds) modules.push_back(&kind);
  Netlist netlist("strange", modules);
  netlist.add_clock("core", "1000 MHz").set_param("address_map.channels", 1);
  netlist.set_param("address_map.slices_per_channel", 1);
  for (const ModuleKind& kind : kinds) netlist.add_instance(std::string(kind.name), std::string(kind.name));
  return netlist;
}

class OneKernel final : public InstructionSource {
 public:
  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t, std::uint64_t) override { return nullptr; }
  std::string description() const override { return "one kernel"; }

 private:
  std::vector<KernelInfo> kernels_{{"add", 0, {3, 1, 1}, {32, 1, 1}, 0, 16, 0, 0, 0, {}, {}, nullptr}};
  std::vector<MemcpyInfo> copies_;
};

}  // namespace

TEST_CASE("Tables of reports hold what modules of externals have decided and counted") {
  const std::vector<ModuleKind> kinds = {
      external_module("judge", Role::control), external_module("starter", Role::dispatcher),
      external_module("shared", Role::l1), external_module("watcher", Role::observer)};
  Platform platform(with(kinds), {});
  const auto only = [&](std::string_view name) { return platform.of_kind(name).size() == 1; };
  REQUIRE(only("judge"));
  REQUIRE(only("watcher"));

  // Four modules know LlcChoicesIf; each has decided once for application 0.
  const std::string choice = "0,70,whim,shared,2,,,,,\n";
  CHECK(llc_choices_csv(platform) ==
        "application,cycle,why,mode,degree,compared_degree,miss_rate,lsp,bytes_per_cycle,"
        "instructions_per_cycle\n" +
            choice + choice + choice + choice);
  ApplicationFigures figures;
  measure(platform, 1, 100, figures);
  CHECK(figures.organization == "second");

  OneKernel source;
  const std::string spans = "0,add,0,3,10,20,yes\n0,add,0,3,25,99,no\n";
  CHECK(kernels_csv(platform, {&source}, 99) ==
        "kernel,name,application,ctas,began,ended,complete\n" + spans + spans + spans + spans);

  // Only role l1; SM 1 has sent no request.
  CHECK(requesters_csv(platform) == "node,sm,loads,found\nshared[0],0,6,4\nshared[0],2,6,4\n");
  // Only role observer: application 0 suffers from 1, and 1 from 0.
  CHECK(contention_csv(platform) ==
        "tracker,victim,aggressor,demotions,evictions,victim_misses\n"
        "watcher[0],0,1,5,3,9\nwatcher[0],1,0,5,0,8\n");
}

// A router whose links move 8 B in each of its cycles, at twice the frequency of the SMs.
TEST_CASE("The LLC of externals is known for replays by roles, parameters and resources") {
  ModuleKind router = external_module("web", Role::router);
  router.resources = [](const ParamSet&) {
    Resource links{"links", "what moves", Resource::Kind::rate, 4, {{"flits"}}};
    links.bytes = 8;
    return Resources{links};
  };
  std::vector<ModuleKind> kinds = {external_module("lanes", Role::sm), router,
                                   external_module("store", Role::llc)};
  Netlist netlist = with(kinds);
  netlist.add_clock("fast", "2000 MHz").set_param("web.clock", "fast").set_param("lanes.count", 3);
  HeadroomMachine machine = headroom_machine(netlist.resolve());
  CHECK(machine.params.clusters == 3);
  CHECK(machine.params.ways == 4);
  CHECK(machine.params.slice_sets == 64 * 1024 / 128 / 4);
  CHECK(machine.params.bandwidth.slice == 16);
  CHECK_FALSE(machine.params.replicate_read_only);

  kinds.push_back(external_module("judge", Role::control));
  machine = headroom_machine(with(kinds).resolve());
  CHECK(machine.params.bandwidth.slice == 24);
  CHECK(machine.params.replicate_read_only);

  kinds.erase(kinds.begin() + 2);
  const Netlist without = with(kinds);
  CHECK_THROWS_AS(headroom_machine(without.resolve()), ConfigError);
}

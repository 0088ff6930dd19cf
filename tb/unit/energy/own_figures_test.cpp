#include "models/common/own_figures_if.h"
#include "platforms/studies/energy/area_report.h"
#include "platforms/studies/energy/constants_files.h"
#include "platforms/studies/energy/energy_report.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "tb/support/catch.h"

using namespace strata;
using namespace strata::platforms;

namespace {

struct TheirParams final : ParamSet, OwnFiguresParams {
  OwnFigures figures;
  void for_each_param(ParamVisitor&) override {}
  OwnFigures own_figures() const override { return figures; }
};

const OwnFigures theirs = {{"accepted", 4, 5, 6, "pJ", "their data sheet", "measured"},
                           {"static", 2, 2, 2, "mW", "their data sheet", "quoted"},
                           {"area", 0.5, 0.5, 0.5, "mm2", "their layout", "measured"}};

/// isca19/shared, whose memory controllers say what they cost.
ResolvedNetlist machine_with(const OwnFigures& figures) {
  ResolvedNetlist netlist = Netlist::load(find_platform("isca19/shared")).resolve();
  for (ResolvedGroup& group : netlist.groups)
    if (group.name == "mc") {
      auto params = std::make_shared<TheirParams>();
      params->figures = figures;
      group.base.params = params;
    }
  return netlist;
}

MachineModel model_of(const OwnFigures& figures, const power::Constants& table = load_constants()) {
  return MachineModel(machine_with(figures), table, {});
}

}  // namespace

TEST_CASE("A module's own figures are counted: joules for each count, watts all the time, room") {
  const MachineModel machine = model_of(theirs);
  CHECK(machine.uncounted == std::vector<std::string>{"cta (cta_dispatcher): no figures"});
  const std::vector<CountedInstance> one = {{"mc[0]", "memory_controller", {{"accepted", 7}}}};
  const power::Interval joules = energy_of(machine, one, 1400, 1400'000'000.0).total();  // 1 us
  CHECK(joules.low == Approx(7 * 4e-12 + 2e-9));
  CHECK(joules.nominal == Approx(7 * 5e-12 + 2e-9));
  CHECK(joules.high == Approx(7 * 6e-12 + 2e-9));
  double mm2 = 0;
  for (const PartArea& part : area_of(machine))
    if (part.name == "mc") mm2 += part.area.nominal;
  CHECK(mm2 == Approx(8 * 0.5));
}

TEST_CASE("A file of constants goes before what a module says of itself") {
  power::Constants table = load_constants();
  table.set("module.memory_controller.accepted", {power::exactly(9), "pJ", "a user", "measured", {}});
  CHECK(model_of(theirs, table).constants.value("module.memory_controller.accepted").nominal == 9);
  CHECK(model_of(theirs, table).constants.value("module.memory_controller.static").nominal == 2);
}

TEST_CASE("A figure without unit or source, in another unit, or of a counter that is not there is refused") {
  const auto refused = [](const OwnFigure& figure, const char* why) {
    INFO(why);
    CHECK_THROWS_WITH(model_of({figure}), tb::has_text(why));
    CHECK_THROWS_WITH(model_of({figure}), tb::has_text("the declaration of memory_controller"));
  };
  refused({"accepted", 4, 5, 6, "", "a", "b"}, "its figure of 'accepted' has no unit");
  refused({"accepted", 4, 5, 6, "pJ", "", "b"}, "its figure of 'accepted' has no source");
  refused({"accepted", 4, 5, 6, "nJ", "a", "b"}, "is in nJ; the model takes it in pJ");
  refused({"accepted", 6, 5, 4, "pJ", "a", "b"}, "values out of order");
  refused({"area", -1, -1, -1, "mm2", "a", "b"}, "is negative");
  refused({"acepted", 4, 5, 6, "pJ", "a", "b"},
          "memory_controller has no counter 'acepted' (did you mean 'accepted'?)");
  power::Constants table = load_constants();  // the same of a file's rows
  table.set("module.llc_slice.read_hit",
            {power::exactly(9), "pJ", "a user", "measured", {"mine.yaml", 3, 1}});
  CHECK_THROWS_WITH(model_of({}, table), tb::has_text("mine.yaml:3:1: constant module.llc_slice.read_hit"));
}

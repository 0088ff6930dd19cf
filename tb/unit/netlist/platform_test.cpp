#include "platforms/engine/netlist/platform.h"

#include "models/tlm/port_base.h"
#include "tb/support/catch.h"
#include "tb/support/toy_modules.h"

using strata::ConfigError;
using strata::platforms::ElaborateOptions;
using strata::platforms::Netlist;
using strata::platforms::Platform;
using strata::tb::toy_modules;

namespace {

Netlist toy() {
  Netlist netlist("toy", toy_modules());
  netlist.add_clock("noc", "1400 MHz").add_clock("core", "1400 MHz").add_clock("dram", "924 MHz");
  netlist.add_instance("src", "toy_source", 2)
      .add_instance("rtr", "toy_router")
      .add_instance("snk", "toy_sink", 3);
  netlist.add_instance("ctl", "toy_control").set_param("snk.clock", "dram");
  netlist.set_param("rtr.inputs", "src.count * src.outputs").set_param("rtr.outputs", "snk.count");
  netlist.bind("src[i].out[o] -> rtr.in[i * src.outputs + o]").bind("rtr.out[k] -> snk[k].in");
  netlist.bind("rtr.control -> ctl.ask");
  return netlist;
}

}  // namespace

TEST_CASE("A platform has its modules in netlist order, bound, on shared clock domains") {
  Platform platform(toy(), ElaborateOptions{});
  platform.finish_elaboration();
  REQUIRE(platform.instances().size() == 7);
  CHECK(platform.instances()[1].full_name() == "src[1]");
  CHECK(std::string(platform.instances()[1].block->name()) == "src[1]");
  CHECK(platform.of_kind("toy_sink").size() == 3);
  // noc and core run at the same frequency: one domain under two names; dram has its own.
  REQUIRE(platform.named_clocks().size() == 3);
  CHECK(platform.clocks().size() == 2);
  CHECK(&platform.core_clock() == platform.clocks()[0]);
  CHECK(&platform.of_kind("toy_router")[0].block->clock() == &platform.core_clock());
  CHECK(&platform.of_kind("toy_sink")[0].block->clock() == platform.clocks()[1]);
  CHECK(platform.address_map().channels() == 8);
  auto& control = dynamic_cast<strata::Block&>(*platform.of_kind("toy_router")[0].block);
  CHECK(control.ports().size() == 4 + 3 + 1);
  CHECK(platform.protocol_violations() == 0);
}

TEST_CASE("A platform with a faulty netlist is not built") {
  Netlist netlist = toy();
  netlist.bind("rtr.out[0] -> snk[0].in");
  CHECK_THROWS_AS(Platform(netlist, ElaborateOptions{}), ConfigError);
  CHECK(sc_core::sc_get_top_level_objects().empty());
}

TEST_CASE("A second platform in one process is refused in words") {
  Platform platform(toy(), ElaborateOptions{});
  platform.finish_elaboration();
  try {
    Platform second(toy(), ElaborateOptions{});
    FAIL("no fault");
  } catch (const ConfigError& error) {
    CHECK(std::string(error.what()).find("one platform only") != std::string::npos);
  }
}

// A user's own sc_main: builds the tiny platform, runs a stream of accesses through it, prints how long it
// took.
#include <iostream>

#include <systemc>

#include "models/common/faults.h"
#include "models/cta_dispatcher/cta_dispatcher.h"
#include "platforms/engine/netlist/platform.h"
#include "traces/open.h"

int sc_main(int, char*[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  try {
    const auto netlist = strata::platforms::Netlist::load(PLATFORMS_DIR "/tiny/tiny.yaml", {"llc.ways=8"});
    const auto trace = strata::traces::open_trace("synthetic:random:footprint=1MiB,ctas=4,warps=4,loads=32");
    strata::platforms::Platform platform(netlist, {});
    auto& dispatcher =
        dynamic_cast<strata::CtaDispatcher&>(*platform.of_kind("cta_dispatcher").front().block);
    dispatcher.set_source(*trace);
    sc_core::sc_start();
    std::cout << "the tiny platform took " << dispatcher.end_cycle() << " cycles\n";
    return dispatcher.finished() ? 0 : 3;
  } catch (const strata::ConfigError& error) {
    for (const auto& fault : error.faults()) std::cerr << strata::to_text(fault) << "\n";
    return 1;
  }
}

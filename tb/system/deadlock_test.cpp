// A platform whose LLC slice takes requests and never answers: the watchdog must notice and say who waits.
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/session/session.h"
#include "tb/support/catch.h"
#include "tb/support/silent_slice.h"
#include "traces/open.h"

using namespace strata;
using namespace strata::platforms;

TEST_CASE("A slice that never answers ends in a deadlock with a wait-for graph") {
  ModuleTable table = built_in_modules();
  table.push_back(&tb::silent_slice_kind());
  const Netlist netlist = Netlist::load(find_platform("tiny"), {"llc.module=silent_slice"}, table);
  Platform platform(netlist, {});
  const auto source = traces::open_trace("synthetic:random:loads=4");
  Session session(platform, *source, {});
  platform.finish_elaboration();
  const RunOutcome outcome = session.run();
  CHECK(outcome.exit_code == exit_deadlock);
  CHECK(outcome.partial);
  CHECK(outcome.reason == "deadlock");
  CHECK(outcome.wait_graph.find("sm[0]") != std::string::npos);
  CHECK(outcome.wait_graph.find("l1[0]") != std::string::npos);
}

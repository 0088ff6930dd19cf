#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/netlist.h"
#include "tb/support/catch.h"
#include "tb/support/temp_folder.h"
#include "tb/support/toy_modules.h"

namespace strata::tb {

// 4 sources with 2 sockets each through 2 routers of 4 x 3 to 6 sinks; both routers ask one controller.
inline const char* const good_netlist = R"(platform: toy
clocks: {core: 1400 MHz, noc: 1400 MHz}
address_map: {channels: 4, slices_per_channel: 2}
instances:
  src: {module: toy_source, count: 4}
  rtr: {module: toy_router, count: 2, inputs: src.outputs * 2, outputs: 3}
  snk: {module: toy_sink, count: rtr.count * rtr.outputs}
  ctl: {module: toy_control}
bind:
  - src[i].out[o] -> rtr[i / 2].in[i % 2 * src.outputs + o]
  - rtr[r].out[k] -> snk[r * rtr.outputs + k].in
  - rtr[r].control -> ctl.ask
)";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline Faults faults_of(const std::string& path, const std::vector<std::string>& overrides = {}) {
  try {
    platforms::Netlist::load(path, overrides, toy_modules());
  } catch (const ConfigError& error) {
    return error.faults();
  }
  return {};
}

inline std::vector<std::string> texts(const Faults& faults, const TempFolder& folder) {
  std::vector<std::string> found;
  for (const Fault& fault : faults) {
    std::string text = to_text(fault);
    if (text.rfind(folder.path() + "/", 0) == 0) text = text.substr(folder.path().size() + 1);
    found.push_back(text);
  }
  return found;
}

/// Loads the toy netlist with one replacement and expects exactly one fault.
inline std::string only_fault(const std::string& from, const std::string& to,
                              const std::vector<std::string>& overrides = {}) {
  TempFolder folder;
  const std::string text = from.empty() ? std::string(good_netlist) : replaced(good_netlist, from, to);
  const std::vector<std::string> found = texts(faults_of(folder.write("t.yaml", text), overrides), folder);
  for (const std::string& fault : found) UNSCOPED_INFO(fault);
  REQUIRE(found.size() == 1);
  return found[0];
}

}  // namespace strata::tb

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/address_map.h"
#include "models/common/params.h"
#include "models/common/stats.h"
#include "models/tlm/block.h"
#include "models/tlm/port_base.h"

namespace strata {

/// One group of sockets of a module, as the netlist checker and the docs see it before anything is built.
struct PortSpec {
  std::string name;
  PortRole role;
  int count = 1;          ///< sockets in the group, from the parameters
  bool optional = false;  ///< may stay unbound; otherwise each socket is bound exactly once
  std::string protocol;   ///< "tlm" or the control interface's name: only equal ones bind
  std::string sentence;
};

/// What a block gets from the platform that builds it.
struct BuildContext {
  ClockDomain& clock;
  const AddressMap& map;
  int index = 0;           ///< which of the instances of this name
  int count = 1;           ///< how many there are
  std::uint64_t seed = 1;  ///< of the run; mix with the full name
};

/// One row of the table of modules. Each block folder defines `const ModuleKind& <block>_kind()`.
struct ModuleKind {
  std::string_view name;
  std::string_view summary;
  std::string_view clock;  ///< default clock domain: "core", "noc" or "dram"
  std::unique_ptr<ParamSet> (*new_params)();
  std::vector<PortSpec> (*ports)(const ParamSet& params);
  std::unique_ptr<Block> (*make)(const char* name, const ParamSet& params, const BuildContext& context);
  std::unique_ptr<StatSet> (*new_stats)();
  /// The lt version; null when the block has none.
  std::unique_ptr<Block> (*make_lt)(const char* name, const ParamSet& params,
                                    const BuildContext& context) = nullptr;
  /// Control blocks work in both timings alike.
  bool untimed = false;
};

}  // namespace strata

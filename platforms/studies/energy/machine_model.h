#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/power/constants.h"
#include "models/power/dram_power.h"
#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"
#include "platforms/studies/energy/block_parts.h"
#include "platforms/studies/energy/floor_plan.h"

namespace strata::platforms {

/// A platform as the energy model sees it: the parts of each name, computed once.
class MachineModel {
 public:
  struct Router {
    power::RouterPower request, reply;
  };
  /// Wires at one side of a router; `charged`: not already counted at the other end.
  struct Wires {
    power::LinkPower link;
    double length_mm = 0;
    bool charged = true;
  };
  struct Group {
    explicit Group(ParamValues values) : params(std::move(values)) {}
    std::string name, module;
    Role role = Role::none;
    int count = 0;
    Hertz clock{1};
    ParamValues params;
    bool own_figures = false;  ///< only the rows `module.NAME.*` count
    std::optional<Router> router;
    std::optional<Wires> in, out;
    std::optional<power::SramPower> sram;
    std::optional<power::SmallArrayPower> queues;  ///< queues of a DC-L1 node around its cache
    /// Storage that a design adds: predictors of an LLC control, tags beyond those of a plain cache.
    std::vector<std::pair<std::string, power::SmallArrayPower>> added;
    std::optional<power::DramPower> dram;
    double dram_banks = 1;
  };

  MachineModel(const ResolvedNetlist& netlist, const power::Constants& constants,
               const power::Technology& technology);

  const Group* group(const std::string& instance) const;  ///< group of `llc[3]`

  power::Constants constants;  ///< includes the figures that modules declare
  power::Interval energy_scale, leakage_scale, area_scale;
  std::vector<Group> groups;
  std::vector<LinkGroup> plan;
  std::vector<std::string> uncounted;  ///< modules without figures, a sentence each
  std::vector<std::string> notes;      ///< values outside the fitted range, with the nearest value inside

 private:
  void add_router(Group& group);
  void add_cache(Group& group, double line_bytes, const CacheArrays& arrays);
  void add_storage(Group& group, const StorageFields& fields);
  void add_channel(Group& group, const ParamSet& params);
  void add_links();
};

}  // namespace strata::platforms

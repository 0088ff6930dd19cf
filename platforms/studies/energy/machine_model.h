#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/named.h"
#include "models/power/constants.h"
#include "models/power/dram_power.h"
#include "models/power/link_power.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"
#include "models/tlm/module_kind.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/netlist/resolved_netlist.h"

namespace strata::platforms {

/// The shipped constants. Rows of the user's files replace those of the same name, and may add figures of
/// third-party modules: `module.NAME.COUNTER` (pJ), `module.NAME.static` (mW), `module.NAME.area` (mm2).
/// Throws ConfigError with the file and the line.
power::Constants load_constants(const std::vector<std::string>& files = {});

/// Throws ConfigError if a row is negative or in another unit than the model expects.
void check_constant(const std::string& row, const power::Constant& constant, const power::Constants& table);

/// Groups of the reports.
enum class EnergyGroup : int { noc, caches, dram, sms, other };
struct EnergyGroupRow {
  EnergyGroup value;
  std::string_view name;
  const char* label;  ///< shown in reports
};
/// In the order of reports.
constexpr EnergyGroupRow energy_groups[] = {{EnergyGroup::noc, "noc", "NoC"},
                                            {EnergyGroup::caches, "caches", "caches"},
                                            {EnergyGroup::dram, "dram", "DRAM"},
                                            {EnergyGroup::sms, "sms", "SMs"},
                                            {EnergyGroup::other, "other", "other"}};
inline std::string to_text(EnergyGroup group) {
  return std::string(row_of_value(energy_groups, group).name);
}
EnergyGroup group_of(Role role);

/// The parameters that the figures of a role depend on. Any module that takes the role and has them is
/// counted.
const std::vector<std::string>& needed_params(Role role);

power::RouterShape router_shape(const ParamValues& params, bool reply);
/// A cache reads and writes lines, or sectors of them; its tags are read before its data.
power::SramShape cache_shape(const ParamValues& params, double line_bytes);
/// Queues of a cache outside the cores, as a DC-L1 node has them: each entry holds a line. No queues: no
/// entries.
power::SmallArray queue_lines(const ParamValues& params, double line_bytes);
/// The family of constants for a timing set: `gddr5` for `gddr5_isca19`; `note` says if another family is
/// used instead.
std::string dram_family(const std::string& timing_set, std::string& note);

/// The table plus the figures that modules of the netlist declare (models/common/own_figures_if.h), as rows
/// `module.NAME.COUNTER`, `.static` and `.area`; rows of the table take precedence. Throws ConfigError for a
/// row without unit or source, and for a counter that the module does not have.
power::Constants with_own_figures(const ResolvedNetlist& netlist, const power::Constants& table);

/// Links between the instances of two names.
struct LinkGroup {
  int from = 0, to = 0;  ///< positions in ResolvedNetlist::groups
  int links = 0;
  int regions = 1;  ///< regions of the chip that contain these links
  double length_mm = 0;
  bool stated = false;  ///< the netlist gives the length
};

/// Positions of blocks, as far as link lengths need them. Instances bound by links between two groups share a
/// square; all such squares divide the chip evenly, and a link is half a side long. So the SMs of a cluster
/// are near their router, and a network that binds everything spans half the chip. If a router states
/// `link_mm`, that is the length; between two such routers, the router that sends requests decides.
std::vector<LinkGroup> floor_plan(const ResolvedNetlist& netlist, double chip_side_mm);

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

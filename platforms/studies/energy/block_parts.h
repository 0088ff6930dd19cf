#pragma once

#include <string>
#include <vector>

#include "models/common/named.h"
#include "models/power/router_power.h"
#include "models/power/sram_power.h"
#include "models/tlm/module_kind.h"
#include "platforms/engine/netlist/param_values.h"

namespace strata::platforms {

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

}  // namespace strata::platforms

#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/power/router_power.h"
#include "models/power/small_array.h"
#include "models/power/sram_power.h"
#include "models/tlm/module_kind.h"

namespace strata::platforms {

/// Parameters of a block by name, as numbers where they are numbers.
struct ParamValues {
  explicit ParamValues(ParamSet& params);
  bool has(const std::string& name) const { return numbers.count(name) != 0 || texts.count(name) != 0; }
  double number(const std::string& name, double otherwise) const;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;
};

/// What reports add up under one name.
enum class EnergyGroup : int { noc, caches, dram, sms, other };
constexpr int energy_group_count = 5;
const char* to_text(EnergyGroup group);
EnergyGroup group_of(Role role);

/// Of a role: the parameters that its figures are worked out from. Whatever takes the role and has them is
/// counted.
const std::vector<std::string>& needed_params(Role role);

power::RouterShape router_shape(const ParamValues& params, bool reply);
/// A cache reads and writes lines, or sectors of them; its tags are read before its data.
power::SramShape cache_shape(const ParamValues& params, double line_bytes);
/// Queues of a cache apart from the cores, as a DC-L1 node has them: each entry holds a line. None: no
/// entries.
power::SmallArray queue_lines(const ParamValues& params, double line_bytes);
/// Family of the constants for a timing set: `gddr5` of `gddr5_isca19`; `note` says when another one stands
/// in.
std::string dram_family(const std::string& timing_set, std::string& note);

}  // namespace strata::platforms

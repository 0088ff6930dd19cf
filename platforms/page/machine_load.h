#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "platforms/netlist/resolved_netlist.h"

namespace strata::platforms {

/// The counters of the instances of one run.
class InstanceCounters {
 public:
  explicit InstanceCounters(const nlohmann::ordered_json& stats);
  double cycles() const { return cycles_; }
  /// Nothing when the run has no such instance or counter.
  std::optional<double> counter(const std::string& instance, std::string_view name) const;
  std::optional<double> ratio(const std::string& instance, std::string_view name) const;

 private:
  std::optional<double> value(const std::string& instance, const char* kind, std::string_view name) const;
  const nlohmann::ordered_json& instances_;
  double cycles_ = 0;
};

/// What load means for the blocks of a role: "issue slots used"; null for those without.
const char* load_words(Role role);

/// How busy one instance was, 0 to 1, of what its role counts; nothing when it does not count that. `ratio`:
/// clock_ratio() of its group.
std::optional<double> load_of(const ResolvedGroup& group, int index, const InstanceCounters& counters,
                              double ratio);

/// Cycles of a group's clock in a core cycle.
double clock_ratio(const ResolvedNetlist& netlist, const ResolvedGroup& group);

}  // namespace strata::platforms

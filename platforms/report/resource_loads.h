#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/common/resource.h"
#include "platforms/engine/netlist/resolved_netlist.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// How evenly a figure is distributed.
struct Imbalance {
  double mean = 0, most = 0, gini = 0;
  std::size_t busiest = 0;  ///< index of the largest
  double over_mean() const { return mean > 0 ? most / mean : 1; }
};
/// Gini: 0 if all are equal, towards 1 if one has everything.
Imbalance imbalance_of(const std::vector<double>& values);

/// Use of a resource in a run, over all instances of a name.
struct ResourceLoad {
  std::string group;  ///< "llc"
  std::string place;  ///< ledger place of the module
  Role role;          ///< role of the module
  Resource resource;  ///< resource of the first instance
  Imbalance shares;   ///< shares of the peak, for each part that is known separately
  std::string words;  ///< its meaning here: "reply links into SM-side routers"
  std::vector<double>
      of_instances;  ///< mean share of the parts of each instance; empty: not known separately
  std::vector<double> most_of_instances;  ///< share of the busiest part of each instance
  std::string busiest;            ///< "llc[3]"; empty: there is only one, or they are not known separately
  double peak = 0;                ///< uses per core cycle, or entries, of all instances
  std::size_t stop = 0;           ///< of its place on an access's path; farther places have higher numbers
  bool known = true;              ///< its uses are counted
  double queue = 0;               ///< links: mean number of packets in front of each and on it
  double flits = 0, packets = 0;  ///< links: counts of their two uses; packets if a FIFO lets them wait

  std::string name() const { return group + "." + std::string(resource.name); }
  /// The share that the verdict uses. The dispatcher distributes work to SMs and their L1s, so for these the
  /// mean counts; for shared resources the busiest part counts.
  double share() const { return role == Role::sm || role == Role::l1 ? shares.mean : shares.most; }
  /// It has a meaningful share; results do not keep all counts of a run.
  bool has_share() const { return known && resource.peak > 0 && resource.kind != Resource::Kind::size; }
  /// Links with a queue in front of them.
  bool is_queued() const;
  /// Share of time for which it is busy: for queues, that of an M/M/1 server with this queue length.
  double busy() const { return std::max(share(), queue / (1 + queue)); }
  /// busy() of each instance. busy() of the group is their maximum; for SMs and L1s it is their mean.
  std::vector<double> busy_of_instances() const;
};

/// Counts of the blocks up to core cycle `cycles`; tables in the order of the netlist.
struct RunCounts {
  const ResolvedNetlist& netlist;
  const std::vector<InstanceStats>& tables;
  const LedgerTotals& ledger;
  const LedgerPlaces& places;
  Cycle cycles;
  double spared = 0;  ///< misses that L1s of twice the size would avoid; 0 if not counted
};

/// Loads of every resource that a module declares, in the order of the netlist.
std::vector<ResourceLoad> resource_loads(const RunCounts& run);

/// The peak uses per core cycle of a resource over all instances of a role, and their bytes; empty: no module
/// of the role declares it.
struct ResourcePeak {
  double uses = 0, bytes = 0;
  double counts = 0;  ///< in counts of the first counter of its uses
};
std::optional<ResourcePeak> peak_of(const ResolvedNetlist& netlist, Role role, std::string_view resource);

/// Cycles of a group's clock per core cycle.
double cycles_in_core_cycle(const ResolvedNetlist& netlist, const std::string& clock);

}  // namespace strata::platforms

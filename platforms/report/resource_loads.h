#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/ledger_totals.h"
#include "models/common/resource.h"
#include "platforms/netlist/resolved_netlist.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {

/// How even a figure is over like things.
struct Imbalance {
  double mean = 0, most = 0, gini = 0;
  std::size_t busiest = 0;  ///< which of them
  double over_mean() const { return mean > 0 ? most / mean : 1; }
};
/// Gini: 0 where all are alike, towards 1 where one has everything.
Imbalance imbalance_of(const std::vector<double>& values);

/// How much of a resource a run used, over all instances of a name.
struct ResourceLoad {
  std::string group;                 ///< "llc"
  std::string place;                 ///< of the module in ledgers
  Role role;                         ///< of the module
  Resource resource;                 ///< of the first instance
  Imbalance shares;                  ///< shares of the peak, of each part that is known apart
  std::string words;                 ///< what it is here: "reply links into SM-side routers"
  std::vector<double> of_instances;  ///< mean share of the parts of each; empty: they are not known apart
  std::vector<double> most_of_instances;  ///< share of the busiest part of each
  std::string busiest;                    ///< "llc[3]"; empty: there is one, or they are not known apart
  double peak = 0;                        ///< uses in a core cycle, or places, of all instances
  std::size_t stop = 0;           ///< of the place on an access's way; farther ones have higher numbers
  bool known = true;              ///< its uses are counted
  double queue = 0;               ///< of links: packets in front of each and on it, in the mean
  double flits = 0, packets = 0;  ///< of links: counts of their two uses; packets where a FIFO lets them wait

  std::string name() const { return group + "." + std::string(resource.name); }
  /// What the verdict goes by: work comes to SMs and their L1s as the dispatcher gives it out, so that their
  /// mean counts, and of what all share the busiest part.
  double share() const { return role == Role::sm || role == Role::l1 ? shares.mean : shares.most; }
  /// There is a share of it that says something; results do not keep all that a run has counted.
  bool has_share() const { return known && resource.peak > 0 && resource.kind != Resource::Kind::size; }
  /// Links that packets come to, in front of which they wait.
  bool is_queued() const;
  /// The share of time for which it is busy: where queues tell, as a server (M/M/1) with such a queue is.
  double busy() const { return std::max(share(), queue / (1 + queue)); }
  /// The same of each instance: the most of them is busy(), of SMs and L1s their mean is.
  std::vector<double> busy_of_instances() const;
};

/// What the blocks counted up to core cycle `cycles`; tables in the order of the netlist.
struct RunCounts {
  const ResolvedNetlist& netlist;
  const std::vector<InstanceStats>& tables;
  const LedgerTotals& ledger;
  const LedgerPlaces& places;
  Cycle cycles;
  double spared = 0;  ///< misses that L1s of twice the size would spare; 0 where nobody counted
};

/// Of every resource that a module declares, in the order of the netlist.
std::vector<ResourceLoad> resource_loads(const RunCounts& run);

/// Uses in a core cycle that all instances of a role can serve of a resource at most, and the bytes that they
/// move; empty: no module of the role declares it.
struct ResourcePeak {
  double uses = 0, bytes = 0;
  double counts = 0;  ///< of the first counter of its uses
};
std::optional<ResourcePeak> peak_of(const ResolvedNetlist& netlist, Role role, std::string_view resource);

/// Cycles of a group's clock in a core cycle.
double cycles_in_core_cycle(const ResolvedNetlist& netlist, const std::string& clock);

}  // namespace strata::platforms

#pragma once

#include <string>
#include <vector>

#include "platforms/engine/netlist/platform.h"

namespace strata::platforms {

/// Waits between blocks after a deadlock: built from the obstacles that every block reports.
class WaitGraph {
 public:
  struct Edge {
    std::string from;  ///< full name of the waiting instance
    WaitNote note;
  };

  explicit WaitGraph(const Platform& platform);
  /// From edges alone; instance names are found by the longest match with `waits_for`.
  explicit WaitGraph(std::vector<Edge> edges, LedgerPlaces places = {});

  bool empty() const { return edges_.empty(); }
  /// A cycle of instances that wait for each other, with the first repeated at the end; empty if there is
  /// none.
  std::vector<std::string> circle() const;
  /// The waits of all instances of a group for those of another group, at queues of one name.
  struct Group {
    std::string from, what, to;  ///< "l1", "MSHRs", "noc"; `to` is empty if unknown
    std::size_t blocks = 0;      ///< number of waiting instances
    int occupancy = 0, capacity = 0;
  };
  /// The fullest first.
  std::vector<Group> groups() const;
  /// The oldest transaction that a block reports, its place and its ledger so far; empty: none.
  std::string oldest() const;
  /// At most `lines` edges, then the cycle and the oldest transaction with its ledger.
  std::string text(std::size_t lines) const;

 private:
  std::string target(const Edge& edge) const;
  std::vector<Edge> edges_;
  std::vector<std::string> names_;
  LedgerPlaces places_;
};

}  // namespace strata::platforms

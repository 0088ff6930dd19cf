#pragma once

#include <string>
#include <vector>

#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// Who waits for whom when nothing moves any more: built from what every block says that it cannot go on
/// with.
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
  /// Instances that wait for each other in a circle, the first repeated at the end; empty when there is none.
  std::vector<std::string> circle() const;
  /// The waits of all instances of a group for those of another, at a queue of one name.
  struct Group {
    std::string from, what, to;  ///< "l1", "MSHRs", "noc"; `to` is empty where it is not known
    std::size_t blocks = 0;      ///< that wait
    int occupancy = 0, capacity = 0;
  };
  /// The fullest first.
  std::vector<Group> groups() const;
  /// The oldest transaction that a block names, where it is and its ledger so far; empty: none.
  std::string oldest() const;
  /// At most `lines` edges, then the circle and the oldest transaction with its ledger.
  std::string text(std::size_t lines) const;

 private:
  std::string target(const Edge& edge) const;
  std::vector<Edge> edges_;
  std::vector<std::string> names_;
  LedgerPlaces places_;
};

}  // namespace strata::platforms

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/common/ledger_places.h"

namespace strata {

/// Something of a module that can be used up: which of its counters say how much of it was used, and how much
/// there is. Reports set one against the other after a run; nothing is counted for that.
struct Resource {
  enum class Kind : std::uint8_t {
    rate,  ///< so many uses a cycle
    room,  ///< so many places, of which uses count the cycles for which one is taken
    size,  ///< makes misses: no share of it says anything
  };
  /// A counter of the module, and how much a count of it uses.
  struct Use {
    std::string_view counter;
    double weight = 1;
  };
  /// Whose ledgers say for how long a place is taken, where no counter does: accesses hold it while they are
  /// farther on their way than the module.
  enum class Held : std::uint8_t { counted, loads, accesses };
  /// A parameter, where the module has it, and how to set it for about twice as much: "*2", "/2" or a value.
  /// `clock` is that of the module, where it is not the clock `core`.
  struct Relief {
    std::string_view param, change;
  };

  std::string_view name;      ///< "mshrs"
  std::string_view sentence;  ///< what it is, all of a machine: "LLC slice MSHRs"
  Kind kind;
  double peak;  ///< uses in a cycle of the module's clock, or places
  std::vector<Use> uses;
  Held held = Held::counted;
  std::vector<Cause> waits = {};     ///< what ledgers charge, where the module is, who waits for it
  std::vector<Relief> reliefs = {};  ///< set together
  double bytes = 0;                  ///< that a use moves, of what moves data
  int parts = 1;                     ///< like ones that it is made of, as the links of a side
  std::string_view busiest = {};     ///< a counter: uses of the busiest part
  std::string_view sockets = {};     ///< the group of sockets that the parts are
  bool replies = false;              ///< of their two directions
  /// What the reliefs give, or what else helps if there are none, as the verdict's `try` says it; % stands
  /// for the sentence: "wider %".
  std::string_view more = "more %";
};
using Resources = std::vector<Resource>;

}  // namespace strata

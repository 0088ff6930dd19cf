#pragma once

#include <string>
#include <vector>

namespace strata {

/// The author's figure of what one instance costs: energy for each count of a counter (pJ), power all the
/// time
/// (`static`, mW) or area (`area`, mm2), at 22 nm, 0.8 V and 340 K.
struct OwnFigure {
  std::string of;  ///< a counter of the module, `static` or `area`
  double low, nominal, high;
  std::string unit;      ///< pJ, mW or mm2
  std::string source;    ///< document, table
  std::string obtained;  ///< how: measured, quoted, derived, chosen
};
using OwnFigures = std::vector<OwnFigure>;

/// A module with figures of its own derives its parameters from this, too. `strata energy` and `strata area`
/// then count these figures and nothing else of it.
struct OwnFiguresParams {
  virtual OwnFigures own_figures() const = 0;

 protected:
  ~OwnFiguresParams() = default;
};

}  // namespace strata

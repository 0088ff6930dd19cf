#pragma once

#include <string>
#include <vector>

namespace strata {

/// What a module costs, from whoever wrote it: of each count of a counter (pJ), all the time (`static`, mW),
/// or in room (`area`, mm2), of one instance, at 22 nm, 0.8 V and 340 K.
struct OwnFigure {
  std::string of;  ///< a counter of the module, `static` or `area`
  double low, nominal, high;
  std::string unit;      ///< pJ, mW or mm2
  std::string source;    ///< document, table
  std::string obtained;  ///< how: measured, quoted, derived, chosen
};
using OwnFigures = std::vector<OwnFigure>;

/// The parameters of a module that brings them are this too. They then are all that `strata energy` and
/// `strata area` count of it.
struct OwnFiguresParams {
  virtual OwnFigures own_figures() const = 0;

 protected:
  ~OwnFiguresParams() = default;
};

}  // namespace strata

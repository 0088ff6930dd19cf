#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/storage.h"
#include "models/common/units.h"

namespace strata {

class AddressMap;

/// The two ways to use an LLC as a whole. A shared LLC may still keep copies of read-only lines.
enum class LlcMode : std::uint8_t { shared, private_ };

/// One decision, with what it was based on.
struct LlcChoice {
  Cycle at = 0;
  std::string why;  ///< "rule 1", "trial", "bandwidth", "no data", "atomics", ...
  LlcMode mode = LlcMode::shared;
  int degree = 1;
  std::vector<int> degrees;        ///< what was compared: degree 1 is shared, adaptive's other one private
  std::vector<double> miss_rates;  ///< measured or predicted
  std::vector<double> lsps;
  std::vector<double> bandwidths;  ///< bytes per cycle
  std::vector<double> ipcs;        ///< measured thread instructions per cycle
};

/// A module that decides how applications use the LLC, as reports ask it.
class LlcChoicesIf {
 public:
  /// Applications that run side by side, from the start of simulation on.
  virtual int application_count() const = 0;
  /// What the netlist calls the organization that serves an application.
  virtual std::string_view organization_of(int application) const = 0;
  virtual const std::vector<LlcChoice>& choices(int application) const = 0;

 protected:
  ~LlcChoicesIf() = default;
};

/// Parameters of such a module, for reports that have only a netlist.
struct LlcChoicesParams {
  /// Lines may have replicas in several slices, for some application.
  virtual bool replicates() const = 0;
  /// The predictors' storage by field, beside slices of so many sets and ways. Entries are rows.
  virtual StorageFields predictors(const AddressMap& map, std::uint64_t slice_sets, int slice_ways) const = 0;

 protected:
  ~LlcChoicesParams() = default;
};

}  // namespace strata

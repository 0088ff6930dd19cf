#pragma once

#include <cstdint>
#include <functional>

#include "models/common/address_map.h"

namespace strata {

/// A row of DRAM, and where it is.
struct DramRow {
  std::uint64_t channel, controller, bank;
  std::int64_t row;
};

/// Parameters of a memory controller that map lines to DRAM rows.
struct DramRowsParams {
  /// `map` must outlive the function.
  virtual std::function<DramRow(Address line)> dram_rows(const AddressMap& map) const = 0;

 protected:
  ~DramRowsParams() = default;
};

}  // namespace strata

#pragma once

#include <string>
#include <vector>

#include "traces/workloads/host_data.h"

namespace strata::traces {

/// A CPU reference: the expected results of a workload's kernels, written from the algorithm, independently
/// of the kernels; in references/.
struct Reference {
  const char* name;
  /// Computes the final contents of the buffers from the initial ones, in place.
  void (*compute)(HostData& data);
  /// Fills the buffers whose fill is `reference`; may be null.
  void (*prepare)(HostData& data) = nullptr;
};

/// The reference of this name; null if there is none.
const Reference* find_reference(const std::string& name);
std::vector<std::string> reference_names();

}  // namespace strata::traces

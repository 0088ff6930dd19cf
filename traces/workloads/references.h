#pragma once

#include <string>
#include <vector>

#include "traces/workloads/host_data.h"

namespace strata::traces {

/// A CPU reference: what the kernels of a workload must compute. Written from the algorithm, apart from the
/// kernels; one file each in references/.
struct Reference {
  const char* name;
  /// From the initial contents of the buffers to the final ones, in place.
  void (*compute)(HostData& data);
  /// Makes the buffers whose fill is `reference`; may be null.
  void (*prepare)(HostData& data) = nullptr;
};

/// The references, by name. nullptr when there is none of that name.
const Reference* find_reference(const std::string& name);
std::vector<std::string> reference_names();

}  // namespace strata::traces

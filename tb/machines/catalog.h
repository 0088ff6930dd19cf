#pragma once

#include <string>
#include <vector>

namespace strata::tb {

/// What there is to draw from; read from the program's own libraries and folders, in a fixed order.
struct Catalog {
  std::vector<std::string> platforms;    ///< "tiny", "isca19/shared", ...
  std::vector<std::string> variants;     ///< "isca19/variants/hynix", ...
  std::vector<std::string> timing_sets;  ///< "gddr5", ...
  std::vector<std::string> samples;      ///< "traces/samples/saxpy", ...
  std::vector<std::string> workloads;    ///< "gemm", ...
};

/// `samples`: the folder of sample traces.
Catalog read_catalog(const std::string& samples);

}  // namespace strata::tb

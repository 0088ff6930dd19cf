#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/common/units.h"

namespace strata::tb {

/// A slice of a timeline as it is in the file.
struct ReadSlice {
  std::string track;   ///< its name: lanes of a block have the same
  std::string group;   ///< name of the track above
  std::uint64_t lane;  ///< its number
  std::string name, category;
  Cycle begin = 0, end = 0;
  std::uint64_t flow = 0;
  std::map<std::string, std::uint64_t> notes;
  std::vector<ReadSlice> inner;
};

/// Outermost slices in the order of the file. Throws std::runtime_error when the file is none that Perfetto
/// would take: packets, names that were not told, ends without begins, slices that overlap in a lane.
std::vector<ReadSlice> read_timeline(const std::string& path);

}  // namespace strata::tb

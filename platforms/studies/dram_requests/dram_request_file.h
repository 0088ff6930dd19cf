#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "models/common/units.h"
#include "models/io/draft.h"

namespace strata::platforms {

/// One row of the file: the column command that a request of a memory controller needs.
struct DramRequestRow {
  Cycle arrive = 0;    ///< controller cycle
  int controller = 0;  ///< in the order of the netlist
  bool write = false;
  int bank_group = 0;
  int bank = 0;  ///< within its group
  std::int64_t row = 0;
  int column = 0;
  Address address = 0;  ///< first byte
  unsigned bytes = 0;
};

enum class DramRequestFormat {
  strata,                ///< request list of `strata dram`
  ramulator2_loadstore,  ///< addresses, for its LoadStoreTrace
  ramulator2_readwrite,  ///< DRAM locations, for its ReadWriteTrace
  dramsim3,              ///< addresses and cycles
};

/// Names of the formats, in their order.
std::vector<std::string> dram_request_formats();
/// The format of a name; throws ConfigError with the nearest one.
DramRequestFormat parse_dram_request_format(const std::string& name);
/// The format that the ending of a file's name implies; empty: none.
std::optional<DramRequestFormat> dram_request_format_of(const std::string& file);

/// A file of requests, renamed to its final name when it is complete. Throws ConfigError if it cannot be
/// written.
class DramRequestFile {
 public:
  DramRequestFile(std::string path, DramRequestFormat format);

  /// Rows must come in the order of their cycles.
  void add(const DramRequestRow& row);
  void finish();

  const std::string& path() const { return path_; }
  std::uint64_t rows() const { return rows_; }

 private:
  void flush();

  const std::string path_;
  const DramRequestFormat format_;
  Draft draft_;
  std::ofstream file_;
  std::string text_;  // not yet written
  std::uint64_t rows_ = 0;
};

}  // namespace strata::platforms

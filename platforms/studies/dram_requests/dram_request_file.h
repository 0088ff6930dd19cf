#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "models/common/units.h"
#include "models/io/draft.h"
#include "models/memory_controller/memory_controller.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"
#include "platforms/engine/netlist/platform.h"

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

/// Writes the requests that the memory controllers of a run receive. It watches their bindings and does not
/// change the run: digests stay the same.
class DramRequestRecorder {
 public:
  /// Throws ConfigError if the file cannot be written.
  DramRequestRecorder(const std::string& path, DramRequestFormat format);
  DramRequestRecorder(const DramRequestRecorder&) = delete;
  DramRequestRecorder& operator=(const DramRequestRecorder&) = delete;
  ~DramRequestRecorder();

  /// Pass this to ElaborateOptions::watch; `other` sees the same calls.
  CallWatchIf* watch(const PortBase& to, CallWatchIf* other);
  /// Attaches to the platform built with this watch. Call before the run. Throws ConfigError if none of its
  /// controllers is a module of Strata.
  void attach(const Platform& platform);
  /// Call after the run: renames the file to its final name. Throws ConfigError.
  void finish();

  const DramRequestFile& file() const { return file_; }
  std::size_t controllers() const { return controllers_.size(); }
  /// Timing set of the first controller.
  const std::string& timing_set() const { return controllers_.front()->params().timing_set; }

 private:
  class Binding;
  struct Waiting {
    DramRequestRow row;
    std::uint64_t order;
    bool operator>(const Waiting& other) const {
      return row.arrive != other.row.arrive ? row.arrive > other.row.arrive : order > other.order;
    }
  };

  void request(const MemoryController& controller, int number, const Access& access, Cycle arrive);
  void add_bursts(const MemoryController& controller, DramRequestRow row, const Access& access);
  void write_until(Cycle cycle);

  DramRequestFile file_;
  std::vector<std::unique_ptr<Binding>> bindings_;
  std::vector<const MemoryController*> controllers_;
  /// Requests that were sent but have not arrived. A later request may arrive before an earlier one.
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::uint64_t order_ = 0;
};

}  // namespace strata::platforms

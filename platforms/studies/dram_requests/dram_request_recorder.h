#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "models/memory_controller/memory_controller.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"
#include "platforms/engine/netlist/platform.h"
#include "platforms/studies/dram_requests/dram_request_file.h"

namespace strata::platforms {

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

#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "models/memory_controller/memory_controller_shell.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"
#include "platforms/dram_requests/dram_request_file.h"
#include "platforms/netlist/platform.h"

namespace strata::platforms {

/// Writes what the memory controllers of a run get. It sees the calls on their bindings, and changes nothing:
/// digests are those of a run without it.
class DramRequestRecorder {
 public:
  /// Throws ConfigError when the file cannot be written.
  DramRequestRecorder(const std::string& path, DramRequestFormat format);
  DramRequestRecorder(const DramRequestRecorder&) = delete;
  DramRequestRecorder& operator=(const DramRequestRecorder&) = delete;
  ~DramRequestRecorder();

  /// For ElaborateOptions::watch; `other` sees the same calls.
  CallWatchIf* watch(const PortBase& to, CallWatchIf* other);
  /// The platform that was built with it, before the run. Throws ConfigError when none of its controllers is
  /// a module of Strata.
  void attach(const Platform& platform);
  /// After the run: the file takes its place. Throws ConfigError.
  void finish();

  const DramRequestFile& file() const { return file_; }
  std::size_t controllers() const { return controllers_.size(); }
  /// Of the first controller.
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

  void request(const MemoryControllerShell& controller, int number, const Access& access, Cycle arrive);
  void add_bursts(const MemoryControllerShell& controller, DramRequestRow row, const Access& access);
  void write_until(Cycle cycle);

  DramRequestFile file_;
  std::vector<std::unique_ptr<Binding>> bindings_;
  std::vector<const MemoryControllerShell*> controllers_;
  /// They arrive later than they are sent: what is sent in between may arrive before them.
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::uint64_t order_ = 0;
};

}  // namespace strata::platforms

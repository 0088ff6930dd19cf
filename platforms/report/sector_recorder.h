#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/access.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"

namespace strata::platforms {

/// 32 B sectors that passed an interface, by access class.
struct SectorCounts {
  std::uint64_t reads = 0, writes = 0, atomics = 0;
  void add(const Access& access);
  SectorCounts& operator+=(const SectorCounts& other);
  SectorCounts& operator-=(const SectorCounts& other);
};

/// FillUnits of a launch, or of the run so far.
struct LaunchSectors {
  SectorCounts global;  ///< requested by SMs from L1s, without local memory
  SectorCounts llc;     ///< requested from LLC slices
  LaunchSectors& operator+=(const LaunchSectors& other);
  LaunchSectors& operator-=(const LaunchSectors& other);
};

/// Counts the sectors of requests by class (`--by-launch`), which no block does. It watches the bindings of
/// SMs and LLC slices and does not change the run: digests stay the same.
class SectorRecorder {
 public:
  SectorRecorder();
  SectorRecorder(const SectorRecorder&) = delete;
  SectorRecorder& operator=(const SectorRecorder&) = delete;
  ~SectorRecorder();

  /// Pass this to ElaborateOptions::watch; `other` sees the same calls.
  CallWatchIf* watch(const PortBase& from, const PortBase& to, CallWatchIf* other);
  /// Counts so far; `application`: one, or all_applications.
  LaunchSectors counts(int application) const;

 private:
  class Binding;
  std::array<LaunchSectors, max_applications> counts_{};
  std::vector<std::unique_ptr<Binding>> bindings_;
};

}  // namespace strata::platforms

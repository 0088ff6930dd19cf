#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/access.h"
#include "models/tlm/call_watch_if.h"
#include "models/tlm/port_base.h"

namespace strata::platforms {

/// Sectors of 32 B that passed an interface, by what was done to them.
struct SectorCounts {
  std::uint64_t reads = 0, writes = 0, atomics = 0;
  void add(const Access& access);
  SectorCounts& operator+=(const SectorCounts& other);
  SectorCounts& operator-=(const SectorCounts& other);
};

/// Those of a launch, or up to now.
struct LaunchSectors {
  SectorCounts global;  ///< that SMs asked L1s for, without local memory
  SectorCounts llc;     ///< that requests asked LLC slices for
  LaunchSectors& operator+=(const LaunchSectors& other);
  LaunchSectors& operator-=(const LaunchSectors& other);
};

/// Counts the sectors of requests by class (`--by-launch`), which no block does. It watches the bindings of
/// SMs and LLC slices and changes nothing: digests are those of a run without it.
class SectorRecorder {
 public:
  SectorRecorder();
  SectorRecorder(const SectorRecorder&) = delete;
  SectorRecorder& operator=(const SectorRecorder&) = delete;
  ~SectorRecorder();

  /// For ElaborateOptions::watch; `other` sees the same calls.
  CallWatchIf* watch(const PortBase& from, const PortBase& to, CallWatchIf* other);
  /// Up to now; `application`: one, or all_applications.
  LaunchSectors counts(int application) const;

 private:
  class Binding;
  std::array<LaunchSectors, max_applications> counts_{};
  std::vector<std::unique_ptr<Binding>> bindings_;
};

}  // namespace strata::platforms

#pragma once

#include <deque>
#include <vector>

#include "models/common/access_watch_if.h"
#include "platforms/engine/netlist/platform.h"

namespace strata::platforms {

/// A lookup of an LLC slice.
struct LlcRequest {
  Address line = 0;
  std::uint16_t slice = 0;
  std::uint8_t application = 0;
  std::uint8_t sectors = 0;
  AccessClass access_class = AccessClass::load;
};

/// Records the lookups of all slices, in the order of their decisions.
class LlcStream {
 public:
  /// Throws ConfigError if no slice of the platform can be watched. At most `limit` lookups are recorded.
  LlcStream(const Platform& platform, std::uint64_t limit);

  const std::vector<LlcRequest>& requests() const { return requests_; }
  bool full() const { return requests_.size() >= limit_; }
  /// Stops recording.
  void stop() { stopped_ = true; }

 private:
  struct Watch final : AccessWatchIf {
    Watch(LlcStream& its, std::size_t number) : stream(its), slice(static_cast<std::uint16_t>(number)) {}
    void seen(const Access& access, Cycle) override;
    LlcStream& stream;
    std::uint16_t slice;
  };

  std::uint64_t limit_;
  bool stopped_ = false;
  std::deque<Watch> watches_;
  std::vector<LlcRequest> requests_;
};

}  // namespace strata::platforms
